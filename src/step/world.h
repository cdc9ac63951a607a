/* A world in motion, and the interface of its steppers.
 *
 *   force.c    joint forces and accelerations of smooth motion
 *   pushes.c   forces that a user puts on links
 *   joints.c   joint coordinates of a world that is computed in others
 *   lap.c      how long the parts of a step take
 *   law.c      laws of contact
 *   chain_rows.c  the rows of a step on chains: contact, joint limits, joint friction, constraints
 *   chain_velocity.c  forces on chains, and velocities without impulses
 *   chain_positions.c  projections with such rows
 *   contact_memory.c  what a sim holds for them
 *   contact_material.c  what the surfaces of a contact do to each other
 *   found.c    contacts as they are found
 *   swept.c    contacts of fast pairs, found along their way
 *   impact.c   restitution and its energy
 *   compliant.c  laws of springs and dampers
 *   penalty_integral.c  one of them with an integral of the depth
 *   impulse.c  contacts as trains of collisions
 *   smooth_contact.c  contacts of schemes that integrate forces
 *   soft_*.c     compliant surfaces: patches of pairs of shapes
 *   lcp_pyramid.c    the law lcp-pyramid
 *   resting.c  its collisions and resting contact as two problems
 *   group.c    the step of euler and moreau (kernels/step.c), as a group of one
 *   rk4.c      Runge-Kutta on the group
 *   ark.c      adaptive integration by SUNDIALS
 *
 * The world around the step is in sim/:
 *
 *   sim.c         memory, the step around a stepper
 *   sim_options.c options, presets, laws
 *   sim_control.c the controller
 *   sim_sense.c   its sensors
 *   joint_loads.c what its joints carry
 *   memory.c      what a world remembers from step to step
 *   grow.c        room for contacts, which grows between steps
 *   material.c    the ground and material pairs
 *   sim_compliance.c  which surfaces give way
 *   parameters.c  what differs from world to world
 *   collide.c     who collides
 *   exclude.c     links of one robot that overlap by design
 *   query.c       distances, rays, overlaps
 *   state.c       all that the next step depends on, as bytes
 *
 * docs/theory/stepping.md has the equations. */
#ifndef PKI_STEP_WORLD_H
#define PKI_STEP_WORLD_H

#include "base/arena.h"
#include "base/field.h"
#include "collision/world/contacts.h"
#include "contact/rows/assembly.h"
#include "dynamics/workspace.h"
#include "pronk/sim.h"
#include "step/group.h"
#include "step/law.h"

/* What a surface does on a material of the ground, or (material -1) on another surface that is not before
 * it. */
typedef struct pki_surface_pair {
  int surface, material, with;
  pk_material law;
} pki_surface_pair;

/* Contacts that M and other contacts couple (impact.h). */
typedef struct pki_impact_group {
  bool any, strict;          /* has closed contacts; takes one coefficient for all */
  double n, t;               /* smallest coefficients, normal and tangential */
  double least, most;        /* of both */
  double end, start, change; /* r' J u_E, r' J u_S, |du|_M^2 */
} pki_impact_group;

/* The memory of a compliant contact (compliant.h). */
typedef struct pki_spring {
  int geom[2];
  unsigned id;
  int slip;         /* 0, 1 */
  double anchor[3]; /* P_0, from the second body's origin in its axes; on the ground: world */
  double point[3];  /* the body's point that touched, from its origin in its axes */
  double way[3];    /* velocity of the slip, world */
  double push;      /* N, the integral of the depth (penalty_integral.h); of other laws 0 */
} pki_spring;

/* A pair that meets on its way in a step (swept.h). One of the two keeps the plane that parts them. */
typedef struct pki_swept {
  /* Its shapes and bodies. */
  pki_contact as;
  /* 0, 1: which of the two keeps the plane. The other one is the mover. */
  int keeper;
  /* The mover's collider. */
  int collider;
  /* One of them is not convex: it can be touched in other places too. */
  bool hollow;
  /* A point of the plane moved inwards by `rounding`, on the core of the keeper's shape; in the frame of the
   * keeper's body, or in the world where that is the ground. */
  double point[3];
  /* m, the radius by which the keeper's shape is rounded around its core; 0 for shapes with sharp edges. */
  double rounding;
  /* The plane's normal, from the second to the first of the pair, in the axes of `frame`. */
  double normal[3];
  /* The body that the normal turns with; -1: it stays as it is in the world. */
  int frame;
  /* Points of a mover that is not convex which touched, in `id` and `fixed`; 0 for convex movers. */
  int nfixed;
  /* [nfixed] their ids. */
  unsigned id[PK_TOUCH_MOST];
  /* [nfixed] where they are, in the frame of the mover's body. */
  double fixed[PK_TOUCH_MOST][3];
} pki_swept;

/* The problem of the law lcp-pyramid (lcp_pyramid.h), and what collisions before all else leave (resting.h, impulse.h). */
typedef struct pki_lcp_pyramid {
  int n;                     /* rows in use */
  double *M, *q;             /* [n][n], [n] */
  double *lower, *upper, *z; /* [n] */
  double *best, *w;          /* [n] scratch */
  int *findex, *at;          /* [n] at: the row of the contact problem that a row is */
  double *slip;              /* [max_contacts] of a contact that slides (resting.h), else 0 */
  double *smooth;            /* [max_contacts][3] q of contact rows in velocities (resting.h) */
  double *drag;              /* [max_contacts] N s, viscous friction for each m/s */
  double *hit;               /* [max_contacts][3] impulses of collisions, of the contacts found */
  double *jump;              /* [nu] what they do to the velocities */
  int struck;                /* how many they were, where each is its own */
  void *memory;              /* of the solvers */
} pki_lcp_pyramid;

/* An observer is shown every problem of velocities before it is solved, W and its factor both, with the warm
 * start. The problem belongs to the sim and is gone after the call. */
typedef struct pki_problem_observer {
  void (*observe)(void *user, const pk_contact_problem *p, const double *r); /* NULL: none */
  void *user;
} pki_problem_observer;

/* ---- what a world is made of: changed by its user alone ---- */

typedef struct pki_scene {
  const pk_terrain *terrain;
  pk_material *materials; /* [PKI_MATERIAL_MAX] */
  int nmaterial;
  int *surfaces;           /* [nshape] */
  pki_surface_pair *pairs; /* [PKI_PAIR_MAX] */
  int npair;
  pk_material body_material; /* of bodies among each other, where no pair speaks of them */
  bool bodies_touch;         /* shapes of two moving bodies may touch */
  bool has_joint_rows;       /* the model has joint limits or joint friction */
  double length; /* m, of the largest of what moves: lengths that a step calls small are parts of it */
  pki_geometries *geometries; /* of the model's shapes; owned */
  pki_colliders colliders;    /* and what pairs of them remember */
  struct pki_soft *soft;      /* compliant pairs (step/soft.h), owned; NULL: none */
} pki_scene;

/* What may differ from world to world of one model, beside the inertias in the workspace (parameters.h). */
typedef struct pki_parameters {
  double friction; /* factor on all coefficients of friction */
  int late;        /* steps from a command to its action */
} pki_parameters;

/* Who sets the commands. */
typedef struct pki_sim_control {
  const pk_controller *by;  /* NULL: none */
  void *state;              /* its block, owned */
  void *scratch;            /* of its updates in this thread, owned */
  long long every;          /* steps between updates */
  pk_sim_contact *contacts; /* [max_contacts] what it is shown */
} pki_sim_control;

/* ---- what a world remembers: all that the next step depends on (memory.h) ---- */

/* Of it what is no array. */
typedef struct pki_numbers {
  long long steps;
  long long uncertified; /* of them, those whose certificate was not met */
  int nlast, nspring;
  bool pushed;     /* some push is not zero */
  uint64_t stream; /* of random numbers; a reset keeps it */
} pki_numbers;

typedef struct pki_sim_state {
  pki_numbers n;
  double *q, *u;
  double *carry_q, *carry_u; /* [nu] what rounding has kept back from q and u (rk4) */
  pk_command *commands;      /* [joints] as asked for */
  pk_command *queue; /* [late_room][joints] commands on their way: those of step k in slot k mod late_room */
  double *tau;       /* [joints] joint forces of commands in the last step */
  double *actuation; /* [nstate] what actuators remember */
  double *pushes; /* [nbody][6] moment about the body's origin, force, world axes: on it in the next step */
  double *drives; /* [ndrive] coordinates of cut joints */
  pki_contact *last;      /* [max_contacts] of the last velocity problem */
  double *last_r;         /* [max_contacts][3] its impulses, contact axes */
  bool *last_sticks;      /* [max_contacts] */
  double *last_joint;     /* [PKI_JOINT_ROWS][joints] impulses of joint rows */
  double *last_bilateral; /* [nbilateral] impulses of bilateral rows */
  bool *limited;          /* [joints] those whose command is at its limit */
  pki_spring *springs;    /* [max_contacts] of the last step */
  double *readings;       /* [pk_sensing_values] of sensors */
  double *sensing;        /* what these remember (sense/sensing.h) */
  double *sensed;         /* where the world was then: 1 (0: never), q, u, joint velocities */
  double *seen;           /* what controllers that see sensors are shown (sense/sensing.h) */
  double *estimate;       /* what the estimator remembers */
} pki_sim_state;

/* ---- what a step computes anew ---- */

/* Rows on chains (chain_rows.h), and what they are found from. */
typedef struct pki_sim_contact {
  bool factored;      /* the workspace has the factor of the step's M~ */
  pki_contact *found; /* [max_contacts] of the last search */
  pki_followed
      *followed;  /* [PKI_BALLS + max_contacts] those of velocities, through the step (step/group.h) */
  double *speed;  /* [max_contacts] their normal velocity at the start of the step */
  int *slot_of;   /* [max_contacts] -1: they are not active */
  int *row_found; /* [max_contacts] which one a contact of the problem is */
  int nfound;
  int *row_slot;             /* [rows] where a joint row's impulse is kept: kind * joints + k */
  int *dof_group;            /* [nu] which velocities M couples: the first of them */
  int *merged;               /* [nu] a group that it was merged into by contacts, or itself */
  pki_impact_group *impacts; /* [nu] at the first of each group */
  pki_spring *springs;       /* [max_contacts] of this step */
  int nspring;
  pki_swept *swept; /* [max_contacts] pairs of this step */
  int nswept;
  pki_assembly assembly;
  pki_lcp_pyramid lcp_pyramid;
  void *solver_memory;
  pki_problem_observer observer;
} pki_sim_contact;

enum { PKI_MATERIAL_MAX = 64, PKI_SURFACE_MAX = 64, PKI_PAIR_MAX = 64 };

/* Joint coordinates (joints.h). */
typedef struct pki_sim_joints {
  /* The joint model. */
  const pk_model *model;
  /* Its velocities. */
  int n;
  /* It is not the world's own model. */
  bool cut;
  /* [n] the world's velocity that is this velocity of the joint model; -1: it is that of a cut joint. */
  int *at;
  /* [n] of a cut joint its row in `bilateral`; -1: it is a velocity of the world. */
  int *row;
  /* [n] kg m^2 or kg, what each moves in the initial pose: the diagonal of M. */
  double *inertia;
  /* The state at the start of the step, when cut. */
  double *q, *u;
  /* [ndrive] coordinates of cut joints where they were updated last. */
  double *moved;
  /* [ndrive] what drives add to M. */
  double *weights;
  /* [nbilateral] right sides. */
  double *rows;
  /* [nbilateral] N s or N m s, impulses of rows that are eliminated: those of u_free, and those of u_end. */
  double *held_free, *held;
  /* Constraints of the world, then the relative velocities of cut joints, one row each. */
  pki_bilateral bilateral;
  /* Of the joint model, when cut. */
  pk_workspace *workspace;
} pki_sim_joints;

/* What the schemes of smooth motion compute with. */
typedef struct pki_smooth {
  double *q;                                /* [nq] of a stage */
  double *force;                            /* [nu] */
  double *xi, *u;                           /* [nu] of a stage: exponential coordinates, velocities; */
  double *xi_rate, *u_rate;                 /* [nu] how they change, */
  double *xi_total, *u_total;               /* [nu] and what all stages add up to */
  double *state, *state_rate, *state_total; /* [nstate] likewise, of actuators */
  pk_status status;                         /* of the contacts of the last stage, */
  const char *term;                         /* and what was wrong with them */
} pki_smooth;

/* Forces of the user's own (pushes.h). */
typedef struct pki_user_force {
  pk_force_function function; /* NULL: none */
  void *user;
  bool running;         /* the function is being called: the workspace is at its stage */
  bool pushed;          /* some push was asked for before the step */
  double *asked, *mean; /* [nbody][6] such pushes; and the mean of all stages */
} pki_user_force;

/* The last step, for what is asked of it afterwards. */
typedef struct pki_last_step {
  bool known;     /* there was one since the world was put where it is */
  bool pushed;    /* some push acted in it */
  double *q, *u;  /* the state that it began with */
  double *pushes; /* [nbody][6] as in pki_sim_state */
} pki_last_step;

struct pk_sim {
  const pk_model *model;
  pk_sim_options options;
  pki_scene scene;
  pki_sim_control control;
  int late_room; /* steps for which commands are kept, 0: all act at once */
  pki_parameters parameters;
  pki_sim_state state;
  pki_sim_state before; /* of what a step changes on its way: as it was, for a step that fails (memory.h) */
  /* of a step: */
  pk_workspace *workspace;
  const pk_command
      *acting; /* [joints] what acts in this step: the commands, or some that were asked for earlier */
  double *q_next, *u_next; /* what a stepper writes */
  double *carry_q_next, *carry_u_next;
  double *tau_next;
  double *actuation_next; /* [nstate] */
  double *motors;         /* [nmotor][PKI_MOTOR_CONSTANTS] of this world */
  pki_last_step past;
  pki_user_force force;
  pki_smooth smooth;
  pki_sim_contact contact;
  pki_sim_joints joints;
  pki_single_group single;
  double *sense_scratch; /* [widest reading], [joints] accelerations */
  bool wants_info;       /* the caller reads the step's info */
  double lap;            /* s, when the part of the step that is running began */
  void *ark;             /* pki_ark, NULL for the fixed-step schemes */
  bool owns_memory;
  bool room_given; /* the caller has chosen max_contacts */
  bool grows;      /* room for contacts was left to the model, and there is memory to ask for more */
  void *grown;     /* memory of that room when it has grown (sim/grow.c), owned */
};

/* A stepper's row, const pki_stepper pki_stepper_NAME in the file that steps, NAME as PK_STEPPER_LIST has it.
 * `step` reads q, u and writes q_next, u_next, tau_next; carries are copied unless it writes them. */
typedef struct pki_stepper {
  const char *name, *doc;
  const char *reads; /* words of options that it reads (sim/reads.h); NULL: none */
  pk_status (*step)(pk_sim *sim, pk_step_info *info);
  bool adaptive; /* chooses its own steps */
  bool contact;  /* knows contact and constraints */
  bool midpoint; /* M and h half a step on */
  bool implicit; /* adaptive: for stiff models */
} pki_stepper;

/* By pk_stepper; ends with NULL. */
extern const pki_stepper *const pki_steppers[];

/* The field table of pk_sim_options. */
extern const pk_field pki_sim_fields[];
extern const int pki_sim_field_count;

/* The field table of pk_material. */
extern const pk_field pki_material_fields[];
extern const int pki_material_field_count;

/* The registry of presets. */
typedef struct pki_preset {
  /* `former`: the name that it had before, NULL: no other. */
  const char *name, *former, *doc;
  void (*set)(pk_sim_options *options); /* on top of the defaults; NULL: these */
} pki_preset;

/* By pk_sim_preset; ends with NULL. */
extern const pki_preset *const pki_presets[];

/* The field table of pk_command. */
extern const pk_field pki_command_fields[];
extern const int pki_command_field_count;

/* Contacts that a world of this model may well have: 24 for each robot and object, 100 000 at most. */
static inline int pki_usual_contacts(const pk_model *model)
{
  enum { EACH = 24, MOST = 100000 };
  return EACH * (model->nrobot < MOST / EACH ? model->nrobot : MOST / EACH);
}

/* Contacts of a world of the sim's kind as its user sees them. */
void pki_show_contacts(const pk_sim *sim, double factor, const pki_contact *last, const double *last_r, int n,
                       pk_sim_contact *out);

/* The body that velocity k moves. */
int pki_body_of_velocity(const pk_model *model, int k);

/* Whether a state can be stepped from; the report begins here. */
pk_status pki_state_check(const pk_model *model, const double *q, const double *u, pk_step_info *report);

/* A step without controller and without lanes, for a world of a batch that lanes could not do. */
pk_status pki_sim_step_unobserved(pk_sim *sim, pk_step_info *info);

/* The model whose velocities are the joint coordinates of a world: its tree when joints are cut. */
static inline const pk_model *pki_joint_model(const pk_model *model)
{
  return model->tree ? model->tree : model;
}

/* Every step has rows of its own, in velocities and positions: ground, joint limits, joint friction,
 * constraints; or forces with slopes, which need the factor of M~ as well. Bodies that may only touch each other have some when they do. */
static inline bool pki_has_rows(const pk_sim *sim)
{
  return sim->scene.terrain != NULL || sim->scene.has_joint_rows || sim->model->nconstraint > 0 ||
         sim->scene.soft != NULL;
}

/* Numbers, gains and limit of a command. */
pk_status pki_check_command(const pk_command *c);

/* A part of the step ends here; its time since the last one goes into the info, when the options ask for
 * it. */
void pki_lap(pk_sim *sim, pk_step_part part, pk_step_info *info);

/* Joint forces at a state: out = clamp(command) - damping u; the part of commands and actuators alone in `tau`. How many
 * commands are at their limit comes back. `state` is that of actuators [nstate], whose rates go into smooth.state_rate; `settle`:
 * what of it follows from the rest is set. */
int pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *state, bool settle,
                    double *tau, double *out);

/* a with (M + diag - armature) a = tau - h; diag is the workspace's. */
void pki_smooth_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau, double *a);

/* The step has ended beyond a joint limit, which forces alone do not hold: PK_ERROR_UNSUPPORTED, and the info names the body. */
#define PKI_JOINT_LIMIT "a joint limit"
pk_status pki_smooth_check_limits(const pk_sim *sim, pk_step_info *info);

/* SUNDIALS: memory of its own, made and freed with the sim. */
pk_status pki_ark_create(pk_sim *sim, pk_error *err);
void pki_ark_destroy(pk_sim *sim);
void pki_ark_reset(pk_sim *sim);

/* The internal step that it begins the next step with, 0: it chooses; 0 for the fixed-step schemes. */
double pki_ark_get_step(const pk_sim *sim);
void pki_ark_set_step(pk_sim *sim, double step);

#endif
