/* The state estimator between the sensors of a world and its controller. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gait/estimator.h"
#include "math/mat3.h"
#include "pronk/sensing.h"

_Static_assert(sizeof(pk_base_estimator_state) % sizeof(double) == 0, "numbers only");

/* Where the readings are. */
typedef struct sensing_estimator {
  pk_estimator hook;
  pk_base_estimator *filter;
  int q, u;                            /* of the free root in the model's coordinates and velocities */
  int imu;                             /* first number of its reading: specific force, then rate */
  int contact[PK_BASE_ESTIMATOR_FEET]; /* of the feet's switches */
} sensing_estimator;

static void begin_in_pose(const pk_estimator *self, const pk_sensing *sensing, const double *q,
                          const double *u, double *state)
{
  const sensing_estimator *e = self->user;
  pk_pose trunk;
  (void)sensing;
  memcpy(trunk.pos, q + e->q, sizeof trunk.pos);
  pki_quat_to_mat3(q + e->q + 3, trunk.rot);
  pk_base_estimator_state *const begun = (pk_base_estimator_state *)(void *)state;
  pk_base_estimator_reset(e->filter, &trunk, begun);
  memcpy(begun->velocity, u + e->u,
         sizeof begun->velocity); /* a trunk that turns at the start is for the filter to find */
}

/* Readings that are none leave the trunk where it was seen last. */
static void update_root(const pk_estimator *self, const pk_sensing *sensing, double dt,
                        const double *readings, pk_workspace *workspace, double *state, double *q, double *u)
{
  const sensing_estimator *e = self->user;
  pk_base_estimator_state *const s = (pk_base_estimator_state *)(void *)state;
  pk_base_estimator_input in = {.dt = dt, .q = q, .u = u};
  (void)sensing, (void)workspace;
  memcpy(in.acc, readings + e->imu, sizeof in.acc);
  memcpy(in.gyro, readings + e->imu + 3, sizeof in.gyro);
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    in.contact[i] = readings[e->contact[i]] > 0.5;
  }
  if (pk_base_estimator_update(e->filter, &in, s, NULL) != PK_OK) {
    return;
  }
  const pk_base_estimate now = pk_base_estimator_get(e->filter, s);
  memcpy(q + e->q, now.position, sizeof now.position);
  memcpy(q + e->q + 3, now.rotation, sizeof now.rotation);
  memcpy(u + e->u, now.velocity, sizeof now.velocity);
  memcpy(u + e->u + 3, now.omega, sizeof now.omega);
}

/* The sensors that it needs; each that is missing is told by what it should be on. */
static pk_status find_sensors(const pk_model *m, const pk_sensing *sensing, sensing_estimator *e,
                              pk_error *err)
{
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    const int found = pk_sensing_find_on(sensing, "switch", e->filter->feet[i], 0);
    if (found < 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sensors"},
                      "the foot \"%s\" has no sensor of the kind switch, which the estimator of the trunk "
                      "needs: add one",
                      m->links[e->filter->feet[i]].name);
    }
    e->contact[i] = pk_sensing_at(sensing, found);
    for (int k = 0; k < 3; k++) {
      const int dof = e->filter->legs[i].u[k];
      if (pk_sensing_find_on(sensing, "encoder", dof, 0) < 0) {
        return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sensors"},
                        "the joint \"%s\" has no sensor of the kind encoder, which the estimator of the "
                        "trunk needs: add one",
                        m->joints[m->dof_joint[dof]].name);
      }
    }
  }
  return PK_OK;
}

pk_status pk_base_estimator_create_sensing(const pk_model *m, const pk_sensing *sensing,
                                           const pk_base_estimator_options *options, pk_estimator **out,
                                           pk_error *err)
{
  pk_base_estimator_options chosen = options != NULL ? *options : pk_base_estimator_options_default();
  pk_base_estimator *filter;
  *out = NULL;
  /* first to know the trunk, then with the IMU where it is */
  pk_status status = pk_base_estimator_create(m, &chosen, &filter, err);
  if (status != PK_OK) {
    return status;
  }
  const int imu = pk_sensing_find_on(sensing, "imu", filter->trunk, 0);
  if (imu < 0) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sensors"},
                      "the trunk \"%s\" has no sensor of the kind imu, which its estimator needs: add one",
                      m->links[filter->trunk].name);
    pk_base_estimator_destroy(filter);
    return status;
  }
  const pk_sensor as = pk_sensing_get(sensing, imu);
  pk_base_estimator_destroy(filter);
  memcpy(chosen.imu_position, as.position, sizeof chosen.imu_position);
  memcpy(chosen.imu_rpy, as.rpy, sizeof chosen.imu_rpy);
  status = pk_base_estimator_create(m, &chosen, &filter, err);
  if (status != PK_OK) {
    return status;
  }
  sensing_estimator *e = calloc(1, sizeof *e);
  if (e == NULL) {
    pk_base_estimator_destroy(filter);
    return pki_fail_memory(err, "a state estimator");
  }
  e->filter = filter;
  e->imu = pk_sensing_at(sensing, imu);
  e->q = m->robots[filter->robot].q, e->u = m->robots[filter->robot].u;
  e->hook = (pk_estimator){.name = "base",
                           .nstate = (int)(sizeof(pk_base_estimator_state) / sizeof(double)),
                           .reset = begin_in_pose,
                           .update = update_root,
                           .user = e};
  status = find_sensors(m, sensing, e, err);
  if (status != PK_OK) {
    pk_base_estimator_destroy_sensing(&e->hook);
    return status;
  }
  *out = &e->hook;
  return PK_OK;
}

void pk_base_estimator_destroy_sensing(pk_estimator *estimator)
{
  if (estimator != NULL) {
    sensing_estimator *e = (sensing_estimator *)(uintptr_t)estimator->user;
    pk_base_estimator_destroy(e->filter);
    free(e);
  }
}
