/* A world in motion, and the interface of its steppers.
 *
 *   sim.c      memory, options, the step around a stepper
 *   force.c    joint forces of commands, explicit or at the end of the step within their limits
 *   onestep.c  semi-implicit Euler, Moreau's midpoint scheme
 *   rk4.c      Runge-Kutta on the group
 *   ark.c      adaptive integration by SUNDIALS
 *
 * docs/theory/stepping.md has the equations. */
#ifndef PKI_STEP_SIM_H
#define PKI_STEP_SIM_H

#include "base/arena.h"
#include "base/field.h"
#include "dynamics/workspace.h"
#include "pronk/sim.h"

struct pk_sim {
  const pk_model *model;
  pk_sim_options options;
  pk_workspace *workspace;
  double *q, *u;             /* state */
  double *carry_q, *carry_u; /* [nu] what rounding has kept back from q and u (rk4) */
  pk_command *commands;      /* [nu] */
  double *tau;               /* [nu] joint forces of commands in the last step */
  long long steps;
  double *q_next, *u_next; /* what a stepper writes */
  double *carry_q_next, *carry_u_next;
  double *tau_next;
  double *scratch; /* [PKI_STEP_SCRATCH][nu], and one configuration */
  double *q_stage; /* [nq] */
  void *ark;       /* pki_ark, NULL for the fixed-step schemes */
  bool owns_memory;
};

enum { PKI_STEP_SCRATCH = 10 };

/* One row of the stepper registry. `step` reads q, u and writes q_next, u_next, tau_next; carries
 * are copied unless it writes them. */
typedef struct pki_stepper {
  const char *name, *doc;
  pk_status (*step)(pk_sim *sim, pk_step_info *info);
  bool adaptive;
} pki_stepper;

extern const pki_stepper pki_steppers[PK_STEPPER_COUNT];

/* The field table of pk_sim_options. */
extern const pk_field pki_sim_fields[];
extern const int pki_sim_field_count;

pk_status pki_step_euler(pk_sim *sim, pk_step_info *info);
pk_status pki_step_moreau(pk_sim *sim, pk_step_info *info);
pk_status pki_step_rk4(pk_sim *sim, pk_step_info *info);
pk_status pki_step_ark(pk_sim *sim, pk_step_info *info);

/* Joint forces at a state: out = clamp(command) - damping u; command part alone in `tau`. */
void pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *tau, double *out);

/* a with M a + h = tau + extra diagonal taken from workspace->work.diag. */
void pki_smooth_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau, double *a);

/* The velocity at the end of a step of length dt: M and h at (q, u), joint forces at the end
 * when the options ask for it, with the joint moved on by reach * u_end from q. */
pk_status pki_end_velocity(pk_sim *sim, const double *q, double reach, double *u_end, pk_step_info *info);

/* SUNDIALS: memory of its own, made and freed with the sim. */
pk_status pki_ark_create(pk_sim *sim, pk_error *err);
void pki_ark_destroy(pk_sim *sim);
void pki_ark_reset(pk_sim *sim);

/* Row k of the scratch. */
static inline double *pki_scratch(const pk_sim *sim, int k)
{
  return sim->scratch + (size_t)k * (size_t)sim->model->nu;
}

#endif
