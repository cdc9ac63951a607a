/* Warnings about sensors that are right by themselves, and not what one thinks in this scenario. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pronk/sensing.h"
#include "scenario/section.h"
#include "step/world.h"

/* Whether a robot has sensors at all: one without any is seen as it is. */
static bool has_sensors(const pk_sensing *sensing, const pk_model *m, int robot)
{
  for (int i = 0; i < pk_sensing_count(sensing); i++) {
    const pk_sensor s = pk_sensing_get(sensing, i);
    const int of =
        s.kind->place == PK_SENSING_ON_JOINT ? m->joints[m->dof_joint[s.dof]].robot : m->links[s.link].robot;
    if (of == robot) {
      return true;
    }
  }
  return false;
}

/* A free trunk that nobody shows stays where it was at the start. */
static void check_trunks(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = pki_joint_model(world->model);
  if (s->step.sees != PK_SEES_SENSORS || s->estimator_node != NULL) {
    return;
  }
  for (int i = 0; i < m->nrobot; i++) {
    const pk_model_robot *r = &m->robots[i];
    if (r->root == PK_ROOT_FREE && has_sensors(world->sensing, m, i) &&
        pk_sensing_find_on(world->sensing, "pose", r->root_link, 0) < 0) {
      pki_problem(
          warnings, pki_node_find(s->controller_node, "sees"),
          "the controller sees the trunk \"%.60s\" where it was at the start: add \"estimator: {}\", or "
          "sensors of the kinds pose and velocity on it",
          m->links[r->root_link].name);
    }
  }
}

static const pki_node *key_or_entry(const pki_scenario_sensor *s, const char *key)
{
  const pki_node *const own = pki_node_find(s->node, key), *const part = pki_node_find(s->node, "part");
  return own != NULL ? own : part != NULL ? part : s->node;
}

/* Samples that come oftener than steps, and delays that are no whole steps. */
static void check_times(const pki_scenario_sensor *s, double dt, pki_problems *warnings)
{
  const pk_sensor_part *p = &s->as.part;
  const double taken = round(p->latency / dt) * dt;
  if (p->rate * dt > 1 + 1e-9 && (p->linear.density > 0 || p->angular.density > 0)) {
    pki_problem(warnings, key_or_entry(s, "rate"),
                "it samples at %g Hz, steps come at %g Hz: each step reads one sample, with the noise of "
                "%g Hz; \"rate: %g\" gives it that of the steps",
                p->rate, 1 / dt, p->rate, floor(1 / dt * (1 + 1e-9)));
  }
  if (fabs(taken - p->latency) > 0.1 * p->latency) {
    pki_problem(warnings, key_or_entry(s, "latency"),
                "latency is %g s, and is taken as %g s: whole steps of %g s", p->latency, taken, dt);
  }
}

void pki_world_check_sensing(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  if (world->sensing == NULL) {
    return;
  }
  check_trunks(world, warnings);
  if (s->estimator_node != NULL && s->step.sees != PK_SEES_SENSORS) {
    pki_problem(warnings, s->estimator_node,
                "nobody uses the estimator, since the controller sees the truth: set \"sees: sensors\" in "
                "\"controller\"");
  }
  for (int i = 0; i < s->nsensor; i++) {
    check_times(&s->sensors[i], s->step.dt, warnings);
  }
}
