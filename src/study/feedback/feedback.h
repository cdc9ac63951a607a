/* The feedback study: J. Shepherd, S. Zapolsky and E. Drumwright, "Fast Multi-Body Simulations of Robots Controlled with Error
 * Feedback": how large the steps of a simulation can be when joints follow references by PD control, by torques of inverse
 * dynamics, and as constraints of the step. An arm (UR10) and a quadruped follow sinusoids for 5 s; Tables I and II, Figures 1 and 3.
 *
 * The paper left a problem open: a quadruped whose joints are constraints of the step, at steps up to 0.1 s, blew up with one solver
 * and skated with the other. Here both of its solvers run beside Pronk's own ways.
 *
 *   feedback.c          the order of things, progress
 *   feedback_run.c      one run of a scenario at a step
 *   feedback_slip.c     how far a foot slides in a stance
 *   feedback_methods.c  control methods and scenes as scenarios with overrides
 *   feedback_arm.c      Table II: the arm
 *   feedback_limp.c     the arm that nothing drives, at 0.1 s
 *   feedback_legs.c     Table I: quadrupeds, and the long runs
 *   feedback_mlcp.c     the paper's mixed complementarity problem, equations (2) to (7)
 *   feedback_qp.c       the paper's optimisation in two stages
 *   feedback_dense.c    a quadruped that is stepped by one of these two
 *   feedback_map.c      random starts and friction
 *   feedback_rows.c     rows of the arm, feedback_rows_legs.c rows of the legs
 *   feedback_figures.c  Figures 1 and 3 and the map as pictures
 *   feedback_report.c   tables, HTML
 *
 * Slip. A ball of radius r that rolls on the ground moves its centre by theta x r n, theta the vector of its rotation. The slip of a
 * step is the way of the centre less that, along the ground, counted where the foot is loaded, by a twentieth of the weight at least, and touched the ground
 * at the start of the step or was pushed in the one before; the slip of a stance is the sum of the lengths, from the step after the landing to the lift-off. */
#ifndef PKI_STUDY_FEEDBACK_FEEDBACK_H
#define PKI_STUDY_FEEDBACK_FEEDBACK_H

#include "pronk/lcp.h"
#include "scenario/scenario.h"
#include "study/study.h"

enum {
  PKI_FEEDBACK_STEPS = 5, /* 1, 2.5, 10, 50, 100 ms */
  PKI_FEEDBACK_SETS = 16,
  PKI_FEEDBACK_LONG = 4,   /* of them, those of the long runs: 2.5 ms and more */
  PKI_FEEDBACK_SHIFTS = 6, /* regularisations of the mixed problem */
  PKI_FEEDBACK_FRICTIONS = 7,
  PKI_FEEDBACK_PANELS = 3, /* of the map */
  PKI_FEEDBACK_STARTS = 200,
  PKI_FEEDBACK_FEET = 8,
};

extern const double pki_feedback_steps[PKI_FEEDBACK_STEPS]; /* s */

/* ---- slip ---- */

typedef struct pki_slip_foot {
  int link;
  double radius, at[3];      /* m, of its ball; its centre in the link's frame */
  double centre[3], turn[9]; /* where it is, world */
  bool down;                 /* it touches the ground, or was pushed in the last step */
  bool stood;                /* it was pushed in a step of this stance */
  double way;                /* m, slip of this stance */
} pki_slip_foot;

typedef struct pki_slip_meter {
  int feet;
  pki_slip_foot foot[PKI_FEEDBACK_FEET];
  double least;           /* N s in a step, that load a foot */
  long long stances, bad; /* that have ended; of them, those with a slip above 1 mm */
  double most, sum;       /* m, of these */
} pki_slip_meter;

/* Balls at the ends of limbs of a model over the ground z = 0; the workspace is at its state; dt: of steps, s. */
void pki_slip_begin(pki_slip_meter *m, const pk_workspace *w, const int *links, int count, double dt);

/* A step has been made: the workspace is at its end; push [feet] N s, normal impulses on the feet in it. */
void pki_slip_step(pki_slip_meter *m, const pk_workspace *w, const double *push);

/* Stances that go on count too. */
void pki_slip_end(pki_slip_meter *m);

/* Forget what was measured so far. */
void pki_slip_restart(pki_slip_meter *m);

/* ---- runs ---- */

/* A control method in a scene: a scenario with overrides. */
typedef struct pki_feedback_case {
  const char *scenario;
  const char *sets[PKI_FEEDBACK_SETS];
  int nset;
  bool legs;        /* it meets the ground: contacts are looked for as far as a foot goes in a step */
  double tolerated; /* rad, mean error above which it counts as unstable */
} pki_feedback_case;

typedef struct pki_feedback_run {
  double dt;
  long long steps, uncertified;
  bool failed; /* a step failed, or a number became infinite */
  bool fell;
  double ended;           /* s, when it fell or failed, or the end */
  double residual;        /* relative, worst of a step */
  double error;           /* rad, mean absolute error of joints, at the ends of steps */
  double between;         /* rad, the same along the straight lines between them */
  double speed;           /* m/s, of the trunk in the plane after the first seconds */
  double slip, slip_mean; /* m, of a stance: largest, mean */
  long long stances, bad; /* stances, and those with more than 1 mm */
  double torque;          /* N m, largest of a joint */
  double wall;            /* s in steps */
} pki_feedback_run;

/* What a run is for. */
typedef struct pki_feedback_terms {
  double dt, seconds;
  double settle;   /* s, from which on speed and slip are counted */
  int start;       /* 0: as written; k: the k-th random start */
  double friction; /* of the ground; 0: as written */
  bool between;    /* measure between steps too */
} pki_feedback_terms;

pk_status pki_feedback_simulate(const pki_feedback_case *c, const pki_feedback_terms *terms,
                                pki_feedback_run *out, pk_error *err);

/* No fall, no failure, and an error that still is one of tracking: below 0.2 rad. */
bool pki_feedback_stable(const pki_feedback_run *run);

/* The largest stable step (tune/step_limit.h), doubling from 1 ms, halving to 5 %, 0.1 s at most; 0: none. */
pk_status pki_feedback_limit(const pki_feedback_case *c, double seconds, double *out, pk_error *err);

/* What is timed. */
typedef struct pki_feedback_timing {
  pki_feedback_case run;
  double dt;
} pki_feedback_timing;

/* Medians of the times [count] of `seconds` of each, in turns, at most 8 of them; s. */
pk_status pki_feedback_time(const pki_feedback_timing *runs, int count, double seconds, double *out,
                            pk_error *err);

/* ---- methods (feedback_methods.c) ---- */

typedef enum pki_feedback_arm_method {
  PKI_ARM_PD, /* explicit */
  PKI_ARM_PD_IMPLICIT,
  PKI_ARM_PD_GEARED,  /* explicit, rotors behind gears */
  PKI_ARM_TORQUE,     /* inverse dynamics as a controller */
  PKI_ARM_CONSTRAINT, /* joints as constraints of the step */
  PKI_ARM_LIMP,       /* nothing drives it */
  PKI_ARM_METHODS
} pki_feedback_arm_method;

typedef enum pki_feedback_leg_method {
  PKI_LEG_PD, /* explicit */
  PKI_LEG_PD_IMPLICIT,
  PKI_LEG_TORQUE,     /* inverse dynamics as a controller: torques of the cone program */
  PKI_LEG_MLCP,       /* the paper's mixed complementarity problem */
  PKI_LEG_QP,         /* the paper's optimisation in two stages */
  PKI_LEG_CONSTRAINT, /* Pronk: joints as constraints of the step, motors yield */
  PKI_LEG_TWO_STAGE,  /* Pronk: impulses from a cone program, then the contact problem */
  PKI_LEG_METHODS
} pki_feedback_leg_method;

typedef enum pki_feedback_scene {
  PKI_SCENE_LINKS,     /* the paper's quadruped, sinusoids in its joints, nothing balances it */
  PKI_SCENE_TROT,      /* StarLETH, consistent references */
  PKI_SCENE_SINUSOIDS, /* StarLETH, sinusoids with footholds */
  PKI_SCENES
} pki_feedback_scene;

/* Names: a word for ids, a text for readers. */
typedef struct pki_feedback_name {
  const char *id, *text;
} pki_feedback_name;
extern const pki_feedback_name pki_arm_names[PKI_ARM_METHODS], pki_leg_names[PKI_LEG_METHODS],
    pki_scene_names[PKI_SCENES];

pki_feedback_case pki_feedback_arm_case(pki_feedback_arm_method method);
pki_feedback_case pki_feedback_leg_case(pki_feedback_scene scene, pki_feedback_leg_method method);
bool pki_feedback_is_dense(pki_feedback_leg_method method);

/* ---- the paper's solvers ---- */

/* One step as the paper has it, dense: M v = kappa + P'tau + N'f_N + F'f_F. Impulses in the place of forces. */
typedef struct pki_dense_step {
  int nu, joints, contacts, sides; /* sides of the polygon in the place of the friction cone */
  const double *inverse;           /* [nu][nu] of M */
  const double *free;              /* [nu] inv(M) kappa: velocities without motors and contacts */
  const int *dof;                  /* [joints] rows of P */
  const double *wanted;            /* [joints] rad/s, velocities at the end of the step */
  const double *most;              /* [joints] N m s, limits of motor impulses, or INFINITY */
  const double *N;                 /* [contacts][nu] */
  const double *gap;               /* [contacts] m/s, gap over dt */
  const double *T;                 /* [contacts][2][nu] along two tangents */
  double friction;
} pki_dense_step;

enum {
  PKI_DENSE_NU = 18,
  PKI_DENSE_JOINTS = 12,
  PKI_DENSE_CONTACTS = 4,
  PKI_DENSE_SIDES = 8,
  PKI_DENSE_ROWS = PKI_DENSE_JOINTS + PKI_DENSE_CONTACTS * (2 + PKI_DENSE_SIDES)
};

typedef struct pki_dense_result {
  bool solved;
  pk_lcp_outcome outcome;
  double residual;                   /* relative, of the problem that was solved */
  double v[PKI_DENSE_NU];            /* at the end of the step */
  double motor[PKI_DENSE_JOINTS];    /* N m s */
  double normal[PKI_DENSE_CONTACTS]; /* N s */
  double tangent[PKI_DENSE_CONTACTS][2];
} pki_dense_result;

/* Equations (2) to (7) with `shift` added to the diagonal (Tikhonov), by Dantzig's pivoting. */
void pki_dense_mlcp(const pki_dense_step *step, double shift, pk_lcp_solver solver, pki_dense_result *out);

/* First the velocity nearest to the free one that has N v >= 0 and P v = wanted, then friction that dissipates most and changes
 * neither. */
void pki_dense_qp(const pki_dense_step *step, pki_dense_result *out);

/* A quadruped stepped by one of them. */
typedef struct pki_dense_terms {
  pki_feedback_scene scene;
  pki_feedback_leg_method method;
  double dt, seconds, settle;
  double shift;
  double limit; /* N m */
} pki_dense_terms;

typedef struct pki_dense_run {
  pki_feedback_run run;
  long long solved; /* steps whose problem was solved, */
  double friction;  /* all friction over what it could have been, mu times the normal forces */
  double sink;      /* m, deepest foot */
} pki_dense_run;

pk_status pki_dense_simulate(const pki_dense_terms *terms, pki_dense_run *out, pk_error *err);

/* ---- what the study finds ---- */

typedef struct pki_feedback_arm_data {
  pki_feedback_run cells[PKI_FEEDBACK_STEPS];
  double limit;        /* s, largest stable step */
  pki_feedback_run at; /* there */
  double wall, wall_1; /* s for 5 s, at the largest step and at 1 ms */
} pki_feedback_arm_data;

/* Falls of the arm that nothing drives. */
typedef struct pki_feedback_limp {
  double dt, seconds;
  int starts, ended; /* runs, and those whose numbers stayed numbers */
  double gain;       /* most energy above that of the start, over the span of the potential energy */
  double speed;      /* rad/s, largest of a joint */
} pki_feedback_limp;

/* feedback_limp.c: falls from the scenario's pose and from random ones. */
enum { PKI_FEEDBACK_SCHEMES = 2 }; /* Moreau's, semi-implicit Euler */
pk_status pki_feedback_limp_fall(const pki_feedback_terms *terms, int scheme, int starts,
                                 pki_feedback_limp *out, pk_error *err);

typedef struct pki_feedback_leg_data {
  pki_feedback_run cells[PKI_FEEDBACK_STEPS];
  pki_dense_run dense[PKI_FEEDBACK_STEPS]; /* of the paper's solvers */
  double limit;                            /* s; of the paper's solvers: of the steps above */
  pki_feedback_run at;
  double wall;
} pki_feedback_leg_data;

typedef struct pki_feedback_start {
  bool held, fell, certified; /* held: no fall, little slip, certified */
  double slip;                /* m */
} pki_feedback_start;

typedef struct pki_feedback_data {
  bool quick;
  double seconds;      /* of Tables I and II */
  double long_seconds; /* of the long runs */
  int starts;          /* of the map */
  pki_feedback_arm_data arm[PKI_ARM_METHODS];
  double kinematic;                             /* s for 5 s at 1 ms, references alone */
  double kinematic_error;                       /* rad, mean absolute error of its joints at 1 ms */
  pki_feedback_limp limp[PKI_FEEDBACK_SCHEMES]; /* at 0.1 s */
  double equal_dt; /* s, largest step at which the constraint is as accurate as explicit PD at 1 ms, */
  double even_dt;  /* and with errors between steps too */
  double turns[3]; /* s for 5 s in turns: explicit PD at 1 ms, the constraint at these two */
  pki_feedback_leg_data legs[PKI_SCENES][PKI_LEG_METHODS];
  pki_feedback_run lasting[2][PKI_FEEDBACK_LONG]; /* two-stage: trot, sinusoids */
  pki_dense_run shifted[PKI_FEEDBACK_SHIFTS][2];  /* mixed problem, trot at 1 and 10 ms */
  pki_feedback_start map[PKI_FEEDBACK_PANELS][PKI_FEEDBACK_FRICTIONS][PKI_FEEDBACK_STARTS];
} pki_feedback_data;

extern const double pki_feedback_shifts[PKI_FEEDBACK_SHIFTS];
extern const double pki_feedback_frictions[PKI_FEEDBACK_FRICTIONS];

/* A motion at a step, of the map. */
typedef struct pki_feedback_panel {
  pki_feedback_scene scene;
  double dt;
  const char *id, *text;
} pki_feedback_panel;
extern const pki_feedback_panel pki_feedback_panels[PKI_FEEDBACK_PANELS];

/* Work on threads: each function gets one of `count` jobs of `size` bytes. */
typedef void (*pki_feedback_work)(void *job);
void pki_feedback_share(pki_feedback_work work, void *jobs, size_t size, int count);

pk_status pki_feedback_arm(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_feedback_legs(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_feedback_lasting(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_feedback_shifted(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_feedback_chart(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err);

/* Starts of a cell of the map that held. */
int pki_feedback_held(const pki_feedback_data *d, int panel, int friction);

void pki_feedback_arm_rows(const pki_feedback_data *d, pki_study_result *result);
void pki_feedback_baseline_rows(const pki_feedback_data *d, pki_study_result *out);
void pki_feedback_leg_rows(const pki_feedback_data *d, pki_study_result *result);
void pki_feedback_map_rows(const pki_feedback_data *d, pki_study_result *out);

/* Bars of errors against steps, in a panel for each scene; the map. */
void pki_feedback_arm_svg(const pki_feedback_data *d, pki_text *out);
void pki_feedback_leg_svg(const pki_feedback_data *d, pki_feedback_scene scene, bool slip, pki_text *out);
void pki_feedback_map_svg(const pki_feedback_data *d, pki_text *out);

pk_status pki_feedback_report(const pki_feedback_data *d, const pki_study_options *options,
                              pki_study_result *result, pk_error *err);

#endif
