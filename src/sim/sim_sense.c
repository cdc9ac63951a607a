#include "sim/sim_sense.h"

#include <string.h>

#include "model/match.h"
#include "pronk/collision.h"
#include "sense/loads.h"
#include "sense/sensing.h"
#include "sim/joint_loads.h"
#include "sim/query.h"
#include "step/joints.h"

size_t pki_sensed_size(const pk_model *m)
{
  return (size_t)(1 + m->nq + m->nu + pki_joint_model(m)->nu);
}

size_t pki_sense_scratch(const pk_model *model, const pk_sim_options *o)
{
  return o->sensing != NULL ? (size_t)(o->sensing->widest + pki_joint_model(model)->nu) : 0;
}

pk_status pki_sense_check(const pk_model *model, const pk_sim_options *o, pk_error *err)
{
  if (o->sees != PK_SEES_TRUTH && o->sees != PK_SEES_SENSORS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sees"},
                    "sees is %d, expected PK_SEES_TRUTH or PK_SEES_SENSORS", (int)o->sees);
  }
  if (o->sensing == NULL) {
    return o->sees == PK_SEES_TRUTH
               ? PK_OK
               : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sees"},
                          "controllers are to see sensors, but the world has none: set `sensing`");
  }
  for (int i = 0; i < o->sensing->count; i++) {
    const pki_sensor *s = &o->sensing->sensors[i];
    if (s->as.kind->motor && pki_find_motor(o->actuation, s->as.dof) < 0) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = "sensing"},
          "the sensor \"%s\" reads a motor, but its joint has none: give it an actuator of the kind "
          "\"dc\" or \"sea\"",
          s->name);
    }
  }
  return pki_model_match(pki_joint_model(model), o->sensing->hash, "sensing", "the sensing", err);
}

/* ---- what is around ---- */

static double measure_ray(void *world, const double from[3], const double along[3], double reach, int skip)
{
  pk_ray_hit hit;
  return pk_sim_ray(world, from, along, reach, skip, &hit) ? hit.distance : reach;
}

static bool measure_ground(void *world, const double place[2], double *height)
{
  return pki_sim_ground_height(world, place, height);
}

/* ---- readings ---- */

/* Bodies at the state, with accelerations (u - u_before) / dt where some sensor feels them. */
static void move_workspace(const pk_sim *sim, pk_workspace *w, const pk_sensing_input *in)
{
  double *const a = sim->sense_scratch + sim->options.sensing->widest;
  if (!sim->options.sensing->dynamics) {
    pk_kinematics_compute(w, in->q, in->u);
    return;
  }
  for (int k = 0; k < in->model->nu; k++) {
    a[k] = (in->u[k] - in->u_before[k]) / in->dt;
  }
  w->kernels->rnea(&w->work, in->q, in->u, a, w->scratch);
  pki_update_origins(&w->work);
  pki_relieve_contacts(w, in->contacts, in->ncontact, in->dt);
  if (!in->anew) {
    pki_relieve_by_world(sim, w, sim->state.n.pushed ? sim->state.pushes : NULL);
  }
}

/* Where it was read. */
static void remember_state(pk_sim *sim, const double *u)
{
  const size_t nq = (size_t)sim->model->nq, nu = (size_t)sim->model->nu;
  double *const sensed = sim->state.sensed;
  sensed[0] = 1;
  memcpy(sensed + 1, sim->state.q, nq * sizeof *sensed);
  memcpy(sensed + 1 + nq, sim->state.u, nu * sizeof *sensed);
  memcpy(sensed + 1 + nq + nu, u, (size_t)sim->joints.n * sizeof *sensed);
}

static void sense_state(pk_sim *sim, bool anew)
{
  const pk_sensing *sensing = sim->options.sensing;
  const bool cut = sim->joints.cut, begins = anew && (sim->state.sensed[0] == 0 || sim->state.n.steps == 0);
  const double *const before = sim->state.sensed + 1 + sim->model->nq + sim->model->nu;
  pk_workspace *const w = cut ? sim->joints.workspace : sim->workspace;
  pki_joints_observe(sim);
  const double *const u = cut ? sim->joints.u : sim->state.u;
  pk_sensing_input in = {.time = pk_sim_time(sim),
                         .dt = sim->options.dt,
                         .step = sim->state.n.steps,
                         .anew = anew,
                         .model = sim->joints.model,
                         .q = cut ? sim->joints.q : sim->state.q,
                         .u = u,
                         .u_before = anew ? u : before,
                         .tau = sim->state.tau,
                         .contacts = sim->control.contacts,
                         .ncontact = pk_sim_contacts(sim, sim->control.contacts, sim->options.max_contacts),
                         .actuation = sim->options.actuation,
                         .actuator_states = sim->options.actuation != NULL ? sim->state.actuation : NULL,
                         .workspace = w,
                         .ray = measure_ray,
                         .ground = measure_ground,
                         .world = sim};
  move_workspace(sim, w, &in);
  pki_sensing_read(sensing, &in, sim->state.n.stream, begins, sim->sense_scratch, sim->state.sensing,
                   sim->state.readings);
  if (sim->options.sees == PK_SEES_SENSORS) {
    pki_see(sensing, &in, begins, sim->state.readings, w, sim->state.estimate, sim->state.seen);
    sim->scene.colliders.placed = false; /* an estimator may have left the workspace elsewhere */
  }
  remember_state(sim, u);
}

void pki_sense_end(pk_sim *sim)
{
  if (sim->options.sensing != NULL) {
    sense_state(sim, false);
  }
}

void pki_sense_begin(pk_sim *sim)
{
  const size_t nq = (size_t)sim->model->nq, nu = (size_t)sim->model->nu, real = sizeof(double);
  const double *const sensed = sim->state.sensed;
  if (sim->options.sensing != NULL && (sensed[0] == 0 || memcmp(sensed + 1, sim->state.q, nq * real) != 0 ||
                                       memcmp(sensed + 1 + nq, sim->state.u, nu * real) != 0)) {
    sense_state(sim, true);
  }
}

/* ---- for users ---- */

const double *pk_sim_readings(const pk_sim *sim)
{
  return sim->options.sensing != NULL ? sim->state.readings : NULL;
}

void pk_sim_sense(pk_sim *sim)
{
  pki_sense_begin(sim);
}

void pk_sim_set_stream(pk_sim *sim, unsigned long long stream)
{
  sim->state.n.stream = stream;
}

unsigned long long pk_sim_get_stream(const pk_sim *sim)
{
  return sim->state.n.stream;
}
