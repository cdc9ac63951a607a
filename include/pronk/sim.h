/* pk_sim: one world in motion. State, commands and the step.
 *
 *   pk_sim_options o = pk_sim_options_default();
 *   o.dt = 1e-3;
 *   pk_sim *sim;
 *   pk_sim_create(model, &o, &sim, &err);
 *   pk_sim_commands(sim)[3].tau = 1.5;
 *   pk_sim_step(sim, NULL);
 *
 * Stepping allocates nothing (the adaptive steppers leave their memory to SUNDIALS).
 * A step that fails leaves the state as it was.
 */
#ifndef PRONK_SIM_H
#define PRONK_SIM_H

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_sim pk_sim;

typedef enum pk_stepper {
  PK_STEPPER_EULER,        /* semi-implicit Euler, order 1 */
  PK_STEPPER_MOREAU,       /* Moreau's midpoint scheme, order 1 (2 for constant M and h(q)) */
  PK_STEPPER_RK4,          /* Munthe-Kaas Runge-Kutta, order 4 */
  PK_STEPPER_ARK_EXPLICIT, /* adaptive, ARKODE Dormand-Prince type, to rtol and atol */
  PK_STEPPER_ARK_IMPLICIT, /* adaptive, ARKODE diagonally implicit, for stiff models */
  PK_STEPPER_COUNT
} pk_stepper;

/* Which forces the one-step schemes (Euler, Moreau) take at the end of the step. */
typedef enum pk_implicit {
  PK_IMPLICIT_ALL,  /* joint damping and the PD part of commands */
  PK_IMPLICIT_NONE, /* nothing: the papers' explicit scheme */
  PK_IMPLICIT_COUNT
} pk_implicit;

typedef struct pk_sim_options {
  double dt; /* s, time step (for the adaptive steppers: between outputs) */
  pk_stepper stepper;
  pk_implicit implicit;
  double rtol, atol; /* adaptive steppers only */
} pk_sim_options;

PK_API pk_sim_options pk_sim_options_default(void);
PK_API pk_status pk_sim_options_validate(const pk_sim_options *options, pk_error *err);

/* What a controller sets for one velocity coordinate. The joint force is
 * clamp(tau + kp (q_des - q) + kd (u_des - u), -tau_max, tau_max). q_des and kp apply to
 * one-axis joints only. All zero, tau_max INFINITY: no force. */
typedef struct pk_command {
  double tau, q_des, u_des, kp, kd, tau_max;
} pk_command;

/* What happened in a step. */
typedef struct pk_step_info {
  int iterations;   /* of the torque-limit solver (0: no limit was near), or internal steps */
  int saturated;    /* coordinates at their torque limit */
  int body;         /* body whose motion became non-finite, -1: none */
  const char *term; /* which term: "q", "u", "tau", "a"; "" when none */
} pk_step_info;

PK_API size_t pk_sim_memsize(const pk_model *model, const pk_sim_options *options);
PK_API pk_status pk_sim_init(const pk_model *model, const pk_sim_options *options, void *memory, pk_sim **out,
                             pk_error *err);
PK_API pk_status pk_sim_create(const pk_model *model, const pk_sim_options *options, pk_sim **out,
                               pk_error *err);
PK_API void pk_sim_destroy(pk_sim *sim);

/* Back to the model's initial pose, at rest, time zero, no commands. */
PK_API void pk_sim_reset(pk_sim *sim);

/* One time step. info may be NULL. */
PK_API pk_status pk_sim_step(pk_sim *sim, pk_step_info *info);

/* Time is the number of steps times dt. */
PK_API double pk_sim_time(const pk_sim *sim);

PK_API double *pk_sim_q(pk_sim *sim);            /* [nq] configuration; write to set it */
PK_API double *pk_sim_u(pk_sim *sim);            /* [nu] velocities; write to set them */
PK_API pk_command *pk_sim_commands(pk_sim *sim); /* [nu] kept until changed */
PK_API const double *pk_sim_tau(
    const pk_sim *sim); /* [nu] joint forces of commands in the last step, N m or N */
PK_API pk_workspace *pk_sim_workspace(pk_sim *sim); /* for queries between steps */
PK_API const pk_model *pk_sim_model(const pk_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
