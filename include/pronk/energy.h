/* Energy of actuators along a motion, and what a gait costs.
 *
 *   pk_energy_meter *meter;
 *   pk_energy_meter_create(sim, &meter, &err);
 *   while (...) {
 *     pk_sim_step(sim, &info);
 *     pk_energy_meter_step(meter);
 *   }
 *   pk_actuator_flow all = pk_energy_meter_sum(meter);       all.electrical J went in, all.joule of it became heat
 *
 * The terms and why they sum to zero: pk_actuator_flow (actuation.h) and docs/theory/energy.md.
 *
 * Threads: a meter belongs to the thread of its sim. */
#ifndef PRONK_ENERGY_H
#define PRONK_ENERGY_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where the energy of actuators goes ---- */

typedef struct pk_energy_meter pk_energy_meter;

/* A meter of a sim with actuators, which must outlive it. PK_ERROR_ARGUMENT: the sim has none. */
PK_API pk_status pk_energy_meter_create(pk_sim *sim, pk_energy_meter **out, pk_error *err);
PK_API void pk_energy_meter_destroy(pk_energy_meter *meter);

/* The sim was put elsewhere by other means than a step (a pose was set, a state loaded): go on from there. Sums stay. */
PK_API void pk_energy_meter_begin(pk_energy_meter *meter);

/* The sim has made a step. */
PK_API void pk_energy_meter_step(pk_energy_meter *meter);

/* [pk_actuation_count] J since the meter was made, in the order of pk_actuation_create; write to set them. */
PK_API pk_actuator_flow *pk_energy_meter_flows(pk_energy_meter *meter);
PK_API pk_battery_flow *pk_energy_meter_battery(pk_energy_meter *meter);

/* [pk_actuation_count] J of the last step. */
PK_API const pk_actuator_flow *pk_energy_meter_last(const pk_energy_meter *meter);

/* J of all actuators since the meter was made. */
PK_API pk_actuator_flow pk_energy_meter_sum(const pk_energy_meter *meter);

/* ---- what a gait costs ---- */

/* A joint's motor, as the costs need it. */
typedef struct pk_effort_joint {
  /* ohm. */
  double resistance;
  /* Turns of the rotor for one of the joint. */
  double gear;
  /* N m/A. */
  double constant;
} pk_effort_joint;

/* Two costs of a gait, (12) and (13) of Hardt and von Stryk 2002 (the print of (13) lacks its dt), from a run, a recording or a
 * motion made by hand:
 *
 *   J_e1 = (1 / distance) integral sum_i R_i (tau_i / (G_i K_i))^2 dt      J/m, heat of the motors
 *   J_e2 = integral sum_i |tau_i theta_i'| / (m g v) dt                    s, power over weight and forward velocity
 *
 * All zeros is an empty one. */
typedef struct pk_effort {
  /* s, of all samples. */
  double time;
  /* m, of all samples: the integral of v. */
  double distance;
  /* J, the integral of J_e1. */
  double joule;
  /* J, the integral of sum_i |tau_i theta_i'|. */
  double work;
  /* s, J_e2. */
  double specific_resistance;
  /* m/s: a sample with |v| at or below it has no place in J_e2, whose integrand is unbounded there. Default 0. */
  double slowest;
  /* s, of such samples. */
  double still;
} pk_effort;

/* A sample that stands for dt seconds: `force` [n] N m or N, `rate` [n] rad/s or m/s, weight m g in N, forward velocity v in m/s.
 * Joints without a motor (constant 0, or joints NULL) have no part in J_e1. */
PK_API void pk_effort_add(pk_effort *effort, const pk_effort_joint *joints, int n, const double *force,
                          const double *rate, double weight, double v, double dt);

/* J_e1, J/m; NAN without a distance. */
PK_API double pk_effort_joule_per_metre(const pk_effort *effort);

/* The mean of the integrand of J_e2, the specific resistance of Gabrielli and von Karman; NAN without motion. */
PK_API double pk_effort_mean_resistance(const pk_effort *effort);

#ifdef __cplusplus
}
#endif
#endif
