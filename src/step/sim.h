/* A world in motion, and the interface of its steppers.
 *
 *   sim.c      memory, options, the step around a stepper
 *   outside.c  controllers, pushes
 *   force.c    joint forces of commands, and the end of a step without contact
 *   contact.c  the end of a step with contact, joint limits and joint friction
 *   onestep.c  semi-implicit Euler, Moreau's midpoint scheme
 *   rk4.c      Runge-Kutta on the group
 *   ark.c      adaptive integration by SUNDIALS
 *
 * docs/theory/stepping.md has the equations. */
#ifndef PKI_STEP_SIM_H
#define PKI_STEP_SIM_H

#include "base/arena.h"
#include "base/field.h"
#include "collision/contacts.h"
#include "contact/assembly.h"
#include "dynamics/workspace.h"
#include "pronk/sim.h"

/* What a sim holds for contact (contact.h). */
typedef struct pki_sim_contact {
  const pk_terrain *terrain;
  pk_material *materials; /* [PKI_MATERIAL_MAX] */
  int nmaterial;
  bool has_joint_rows;       /* the model has joint limits or joint friction */
  pki_feature *features;     /* [nfeature] */
  pki_feature_group *groups; /* [ngroup] */
  int nfeature, ngroup;
  pki_contact *found; /* [max_contacts] of the last search */
  double *speed;      /* [max_contacts] their normal velocity at the start of the step */
  bool *active;       /* [max_contacts] they take part */
  int *row_found;     /* [max_contacts] which one a contact of the problem is */
  pki_contact *last;  /* [max_contacts] of the last velocity problem */
  double *last_r;     /* [max_contacts][3] its impulses, contact axes */
  bool *last_sticks;  /* [max_contacts] */
  int nfound, nlast;
  double *last_joint; /* [PKI_JOINT_ROWS][nu] impulses of joint rows */
  int *row_slot;      /* [rows] where a joint row's impulse is kept: kind * nu + dof */
  bool *limited;      /* [nu] joints whose command is at its limit */
  bool *at_limit;     /* [2][nu] lower and upper joint limits that take part */
  pki_assembly assembly;
  void *solver_memory;
} pki_sim_contact;

enum { PKI_MATERIAL_MAX = 64 };

/* Kinds of joint rows. */
enum { PKI_ROW_LOWER, PKI_ROW_UPPER, PKI_ROW_FRICTION, PKI_ROW_TORQUE, PKI_JOINT_ROWS };

/* Who sets the commands. */
typedef struct pki_sim_control {
  const pk_controller *by;  /* NULL: nobody */
  void *state;              /* its block, owned */
  long long every;          /* steps between updates */
  pk_sim_contact *contacts; /* [max_contacts] what it is shown */
} pki_sim_control;

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
  double *pushes;  /* [nbody][6] moment about the body's origin, force, world axes: on it in the next step */
  bool pushed;     /* any of them is not zero */
  pki_sim_contact contact;
  pki_sim_control control;
  void *ark; /* pki_ark, NULL for the fixed-step schemes */
  bool owns_memory;
};

enum { PKI_STEP_SCRATCH = 10 };

/* One row of the stepper registry. `step` reads q, u and writes q_next, u_next, tau_next; carries
 * are copied unless it writes them. */
typedef struct pki_stepper {
  const char *name, *doc;
  pk_status (*step)(pk_sim *sim, pk_step_info *info);
  bool adaptive, contact; /* chooses its own steps; knows contact */
} pki_stepper;

extern const pki_stepper pki_steppers[PK_STEPPER_COUNT];

/* The field table of pk_sim_options. */
extern const pk_field pki_sim_fields[];
extern const int pki_sim_field_count;

/* The field table of pk_command. */
extern const pk_field pki_command_fields[];
extern const int pki_command_field_count;

pk_status pki_step_euler(pk_sim *sim, pk_step_info *info);
pk_status pki_step_moreau(pk_sim *sim, pk_step_info *info);
pk_status pki_step_rk4(pk_sim *sim, pk_step_info *info);
pk_status pki_step_ark(pk_sim *sim, pk_step_info *info);

/* x within +-most. */
double pki_clamp(double x, double most);

/* The command's force law of coordinate k as a - g u before clamping, with the joint moved on by reach u. */
void pki_force_line(const pk_sim *sim, int k, const double *q, double reach, double *a, double *g);

/* Joint forces at a state: out = clamp(command) - damping u; the command's part alone in `tau`. How many
 * commands are at their limit comes back. */
int pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *tau, double *out);

/* a with (M + diag - armature) a = tau - h; diag is the workspace's. */
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
