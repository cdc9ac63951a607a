/* WALK-MAN's squat (Zobova et al. 2016, Fig. 12): its hips follow, its mass stays over its feet, its feet carry the weight and what the acceleration
 * of the mass takes, and its knees the moment of what is above them. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/help.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double PI = 3.14159265358979323846, DEPTH = 0.3, PERIOD = 7, WAIT = 1;

/* Soles and ground that give way, on the meshes of the feet. */
static const char *const soft_feet[] = {
    "model.model=walkman_mesh_feet",
    "model.collision_meshes=triangles",
    "compliance.sole.stiffness=1e5",
    "compliance.sole.layer=2e-4",
    "compliance.sole.dissipation=0.1",
    "compliance.sole.static_friction=1.1",
    "compliance.sole.dynamic_friction=0.9",
    "model.surfaces={RFoot: {compliance: sole}, LFoot: {compliance: sole}}",
    "materials.rubber.compliance=sole"};

static pki_scenario *squat_scenario(bool soft)
{
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  const int nset = soft ? (int)(sizeof soft_feet / sizeof soft_feet[0]) : 0;
  if (pki_scenario_load(PK_SOURCE_DIR "/scenarios/walkman-squat.yaml", soft_feet, nset, &s, &err) != PK_OK) {
    fail_msg("%s:%d: %s", err.file, err.line, err.message);
  }
  return s;
}

static int joint_of(const pk_model *m, const char *name)
{
  int j = 0;
  while (j < m->njoint && strcmp(m->joints[j].name, name) != 0) {
    j++;
  }
  assert_true(j < m->njoint);
  return j;
}

/* The moment about a knee's axis of all that is below it: contacts less weights. The feet stand still, so that what is below moves little. */
static double statics_of_knee(pk_sim *sim, const char *knee, double dt)
{
  const pk_model *m = pk_sim_model(sim);
  pk_workspace *w = pk_sim_workspace(sim);
  const int body = m->joints[joint_of(m, knee)].body;
  const pk_pose at = pk_link_pose(w, m->body_link[body]);
  pk_sim_contact contacts[64];
  const int n = pk_sim_contacts(sim, contacts, 64);
  double moment = 0;                      /* about y, which is the axis: the trunk is upright */
  for (int i = body; i < body + 3; i++) { /* shank, ankle, foot */
    const double *in = m->body_inertia + 10 * (size_t)i;
    const pk_pose pose = pk_link_pose(w, m->body_link[i]);
    const double x = pose.pos[0] + (pose.rot[0] * in[1] + pose.rot[1] * in[2] + pose.rot[2] * in[3]) / in[0];
    moment += (x - at.pos[0]) * in[0] * 9.81;
  }
  for (int i = 0; i < n; i++) {
    const pk_sim_contact *c = &contacts[i];
    if (m->links[c->link].body == body + 2) {
      moment += ((c->point[2] - at.pos[2]) * c->impulse[0] - (c->point[0] - at.pos[0]) * c->impulse[2]) / dt;
    }
  }
  return -moment;
}

static double force_of_feet(const pk_sim *sim, double dt)
{
  pk_sim_contact contacts[64];
  const int n = pk_sim_contacts(sim, contacts, 64);
  double force = 0;
  for (int i = 0; i < n; i++) {
    force += contacts[i].impulse[2] / dt;
  }
  return force;
}

/* Vertical velocity of the centre of mass of a foot. */
static double foot_rate(pk_sim *sim, int body)
{
  const pk_model *m = pk_sim_model(sim);
  const double *in = m->body_inertia + 10 * (size_t)body;
  const pk_pose pose = pk_link_pose(pk_sim_workspace(sim), m->body_link[body]);
  double at[3], velocity[3];
  for (int i = 0; i < 3; i++) {
    const double *row = pose.rot + 3 * (size_t)i;
    at[i] = pose.pos[i] + (row[0] * in[1] + row[1] * in[2] + row[2] * in[3]) / in[0];
  }
  pk_link_point_velocity(pk_sim_workspace(sim), m->body_link[body], at, velocity);
  return velocity[2];
}

/* The vertical force that the sensor in a foot feels, whose axes are the foot's. */
static double felt_by(pk_sim *sim, const double reading[3], int body)
{
  const pk_pose pose = pk_link_pose(pk_sim_workspace(sim), pk_sim_model(sim)->body_link[body]);
  return pose.rot[6] * reading[0] + pose.rot[7] * reading[1] + pose.rot[8] * reading[2];
}

static void squat(bool soft, int cycles)
{
  pki_scenario *scenario = squat_scenario(soft);
  pki_world world = good_world(scenario);
  pk_sim *sim = world.sim;
  const pk_model *m = pk_sim_model(sim);
  const double dt = scenario->step.dt, weight = m->mass * 9.81, start = pk_sim_q(sim)[2];
  const int steps = (int)lround((WAIT + cycles * PERIOD) / dt);
  const int knee = m->joints[joint_of(m, "RKneeSag")].u, bend = m->joints[joint_of(m, "RKneeSag")].q;
  const int foot = m->joints[joint_of(m, "RAnkLat")].body;
  const double foot_mass = m->body_inertia[10 * (size_t)foot];
  const int feet[2] = {foot, m->joints[joint_of(m, "LAnkLat")].body};
  double rates[2] = {0, 0};
  double before[3], mass[3], velocity[3], lowest = 10, deepest = 0, largest = 0, top = 0;
  pk_kinematics_compute(pk_sim_workspace(sim), pk_sim_q(sim), pk_sim_u(sim));
  pk_com_compute(pk_sim_workspace(sim), 0, mass, before);
  for (int k = 0; k < steps; k++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
    assert_true(info.certified);
    pk_kinematics_compute(pk_sim_workspace(sim), pk_sim_q(sim), pk_sim_u(sim));
    pk_com_compute(pk_sim_workspace(sim), 0, mass, velocity);
    const double time = (k + 1) * dt;
    /* Newton: feet carry the weight and what the mass's acceleration takes */
    const double force = force_of_feet(sim, dt), needed = weight + m->mass * (velocity[2] - before[2]) / dt;
    assert_near(force, needed, (time > 0.5 ? 1e-5 : 1e-2) * weight);
    memcpy(before, velocity, sizeof before);
    /* the mass stays over the soles, 5 cm from their edges and more */
    const pk_pose sole = pk_link_pose(pk_sim_workspace(sim), m->body_link[foot]);
    assert_at_least(mass[0] - sole.pos[0], -0.105);
    assert_at_most(mass[0] - sole.pos[0], 0.115);
    assert_near(mass[1], 0, 0.02);
    const double phase = fmax(time - WAIT, 0) * 2 * PI / PERIOD;
    const double height = start - DEPTH * 0.5 * (1 - cos(phase)), tau = pk_sim_tau(sim)[knee];
    /* each sensor feels what its foot does not take of the ground's force: m (g + a) of the foot */
    double felt = 0, carried = force;
    for (int f = 0; f < 2; f++) {
      const double rate = foot_rate(sim, feet[f]);
      felt -= felt_by(sim, pk_sim_readings(sim) + 6 * f, feet[f]);
      carried -= foot_mass * (9.81 + (rate - rates[f]) / dt);
      rates[f] = rate;
    }
    assert_near(felt, carried, time > 0.5 ? 1e-6 * weight : 1e-4 * weight);
    if (time > 0.5) { /* springs and motors have taken up the weight */
      assert_near(pk_sim_q(sim)[2], height, 0.015);
      assert_near(tau, statics_of_knee(sim, "RKneeSag", dt), 2.0);
    }
    lowest = fmin(lowest, pk_sim_q(sim)[2]), deepest = fmax(deepest, pk_sim_q(sim)[bend]);
    largest = fmax(largest, fabs(tau)), top = k == (int)lround(0.9 / dt) ? fabs(tau) : top;
  }
  print_message("hips %.1f mm down, knees to %.1f degrees, %.1f N m at the top, %.1f at most\n",
                1e3 * (start - lowest), deepest * 180 / PI, top, largest);
  assert_near(start - lowest, DEPTH, 0.015);
  assert_near(deepest, 123 * PI / 180, 0.03);
  assert_greater(largest, 1.5 * top);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
}

static void walkman_squats_by_30_cm_on_its_drives(void **state)
{
  (void)state;
  squat(false, PACE(4, 1));
}

static void walkman_squats_on_compliant_soles(void **state)
{
  (void)state;
  squat(true, 1);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(walkman_squats_by_30_cm_on_its_drives),
                                     cmocka_unit_test(walkman_squats_on_compliant_soles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
