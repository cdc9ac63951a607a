/* Readings of the sensors that a model carries (pk_builder_add_sensor, MJCF's <sensor>): ideal ones, without noise or
 * delay.
 *
 *   double *values = malloc((size_t)model->nsensordata * sizeof *values);
 *   pk_sensors_read(workspace, &(pk_sensor_input){.q = q, .u = u, .a = a}, values);
 *   const pk_model_sensor *imu = &model->sensors[pk_model_find_sensor(model, "imu_acc")];
 *   printf("%g %g %g\n", values[imu->first], values[imu->first + 1], values[imu->first + 2]);
 *
 * Threads: as the workspace. */
#ifndef PRONK_SENSORS_H
#define PRONK_SENSORS_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the readings depend on. Left out of an initialiser, a member is zero or absent. */
typedef struct pk_sensor_input {
  /* s, what clocks show. */
  double time;
  /* [nq] configuration; required. */
  const double *q;
  /* [nu] velocities; required. */
  const double *u;
  /* [nu] du/dt; NULL: zero. After a step it is the difference of velocities over dt, contacts and limits included. */
  const double *a;
  /* [nactuator] forces of actuators, before their gears; NULL: zero. */
  const double *actuator_force;
  /* [ncontact] contacts that act on the links (pk_sim_contacts); NULL: none. */
  const pk_sim_contact *contacts;
  /* How many. */
  int ncontact;
  /* s, over which the impulses of the contacts act: their forces are impulse / dt. Required where there are any. */
  double dt;
} pk_sensor_input;

/* Values [nsensordata] of all sensors, each from its `first` on. Forces and torques between a link and what it hangs on
 * are those of inertia, gravity and the given contacts; forces of bilateral constraints that close loops are not among
 * them. Leaves the workspace at the state of the input. */
PK_API void pk_sensors_read(pk_workspace *w, const pk_sensor_input *input, double *values);

#ifdef __cplusplus
}
#endif
#endif
