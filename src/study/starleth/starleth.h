/* The StarLETH study: Gehring, Diethelm, Siegwart, Nützi, Leine, "An evaluation of Moreau's time-stepping scheme for
 * the simulation of a legged robot" (2014).
 *
 * A quadruped of 13 bodies stands and trots under one controller with one tuning, computed in eleven ways: compliant or
 * hard contact, minimal, extended or maximal coordinates, projected Jacobi or Gauss-Seidel, joints that were cut solved
 * directly or by the same iteration. The paper measures speed, accuracy and robustness.
 *
 *   starleth.c         the order of things, progress
 *   starleth_world.c   configurations, models, worlds
 *   starleth_trot.c    the trot: Table 1, Fig. 5, Fig. 6, Fig. 7, drift of bilateral constraints
 *   starleth_rest.c    standing drift, the push, agreement of configurations
 *   starleth_rows.c    rows: the robot, Table 1 and Fig. 5 to 7 beside the paper's values
 *   starleth_accuracy.c  rows: drift, sinking in, the push, agreement
 *   starleth_notes.c   why values differ
 *   starleth_report.c  tables, figures, HTML
 *   starleth_bars.c    Fig. 7, stacked bars
 *
 * What the paper leaves open, and what stands here:
 *
 * - The iteration is in velocities (equations 17 to 19): the paper gives it as the way around the Delassus matrix, and
 *   lists no time for computing G but that of G_B. The iteration in impulses (13 to 16) makes the same iterates and is
 *   timed beside it.
 * - A contact is projected at once (18), its disc that of the last iterate; the finer succession, which the paper names, is
 *   counted and timed beside it.
 * - The trot's speed: 0.3 m/s forward, the scenario starleth-trot.
 * - Contact points of joints belong to the body that the joint moves.
 *
 * Bilateral constraints solved directly are equation 20 in each sweep, with the steps r of free bodies. Pronk's own way, which
 * eliminates them with M before the first sweep, is counted and timed beside it.
 */
#ifndef PKI_STUDY_STARLETH_STARLETH_H
#define PKI_STUDY_STARLETH_STARLETH_H

#include "pronk/gait.h"
#include "pronk/sim.h"
#include "study/study.h"

enum {
  PKI_STARLETH_PAPER = 11,   /* configurations of Table 1 */
  PKI_STARLETH_CONFIGS = 12, /* and Pronk's default */
  PKI_STARLETH_DEFAULT = 11, /* which is the last */
  PKI_STARLETH_HMJ = 1,      /* the paper's fastest */
  PKI_STARLETH_HMS = 2,
  PKI_STARLETH_HEJD = 3,
  PKI_STARLETH_HEJP = 4,
  PKI_STARLETH_HMJD = 7,
  PKI_STARLETH_ALPHAS = 19, /* 0.1 to 1.9 */
  PKI_STARLETH_STEPS = 3,   /* of the standing drift */
  PKI_STARLETH_HALVINGS = 4,
  PKI_STARLETH_CURVES = 5,   /* of Fig. 5 */
  PKI_STARLETH_DAMPED = 2,   /* of them, the one that is held to the text */
  PKI_STARLETH_EVIDENCE = 3, /* of the drift of bilateral constraints */
  PKI_STARLETH_NQ = 19,
  PKI_STARLETH_NU = 18,
};

#define PKI_STARLETH_FORWARD 0.3 /* m/s, of a trot */

typedef enum pki_starleth_set {
  PKI_STARLETH_MINIMAL,
  PKI_STARLETH_EXTENDED, /* cut at the hips */
  PKI_STARLETH_MAXIMAL,
  PKI_STARLETH_SETS
} pki_starleth_set;

/* A configuration as published, and the other ways to compute it that the paper names or Pronk has. */
typedef enum pki_starleth_form {
  PKI_STARLETH_PUBLISHED,
  PKI_STARLETH_IMPULSES,   /* with G, equations 13 to 16 */
  PKI_STARLETH_FINE,       /* normal, then tangents */
  PKI_STARLETH_ELIMINATED, /* bilateral rows with M, once in a step */
  PKI_STARLETH_FORMS
} pki_starleth_form;

/* One row of Table 1. */
typedef struct pki_starleth_config {
  const char *name;
  pki_starleth_set set;
  bool hard, sor, prox;
  double alpha, rate, rtf; /* as printed; alpha 0: none */
} pki_starleth_config;

extern const pki_starleth_config pki_starleth_configs[PKI_STARLETH_CONFIGS];
extern const char *const pki_starleth_set_names[PKI_STARLETH_SETS];
extern const char pki_starleth_left_out[];

/* The options of a configuration: preset `gehring-2014` with the row's own (Cm: half the step); the default at 2.5 ms. */
pk_sim_options pki_starleth_options(const pki_starleth_config *c);

/* Whether a configuration has such a form, and its options. */
bool pki_starleth_has_form(const pki_starleth_config *c, pki_starleth_form form);
pk_sim_options pki_starleth_form_options(const pki_starleth_config *c, pki_starleth_form form);

/* The robot in each set of coordinates, and the ground. */
typedef struct pki_starleth_lab {
  pk_model *models[PKI_STARLETH_SETS];
  pk_terrain *ground;
  double height; /* m, of the base while it stands */
} pki_starleth_lab;

/* On points at feet and joints, as published, or on the shapes of models/starleth. */
pk_status pki_starleth_lab_create(pki_starleth_lab *lab, bool points, pk_error *err);
void pki_starleth_lab_free(pki_starleth_lab *lab);

/* A world on its feet with the locomotion controller. */
typedef struct pki_starleth_world {
  pk_sim *sim;
  pk_controller *controller;
  int feet[4], trunk; /* links */
  double height;      /* m, of the base while it stands */
  double q[PKI_STARLETH_NQ], u[PKI_STARLETH_NU];
} pki_starleth_world;

/* Trot from `start` seconds on at `forward` m/s; INFINITY: stand. */
pk_status pki_starleth_start(const pki_starleth_lab *lab, pki_starleth_set set, const pk_sim_options *options,
                             double start, double forward, pki_starleth_world *w, pk_error *err);
void pki_starleth_stop(pki_starleth_world *w);

/* One step; joint coordinates of the new state into q and u. */
pk_status pki_starleth_step(pki_starleth_world *w, pk_step_info *info);

/* Heights of the feet's points; normal force of a foot in the last step; lying: tilted by more than 60 degrees or
 * below half its height. */
void pki_starleth_feet(pki_starleth_world *w, double z[4]);
double pki_starleth_normal_force(const pki_starleth_world *w, int foot);
bool pki_starleth_fallen(const pki_starleth_world *w);

/* --- what is measured; NAN: not measured --- */

/* Mean and standard deviation of a time, s. */
typedef struct pki_starleth_time {
  double mean, deviation;
} pki_starleth_time;

/* A trot of one configuration. */
typedef struct pki_starleth_trot {
  double seconds; /* until it fell, or the end */
  bool fell;
  double distance;  /* m, forward */
  double rate, rtf; /* steps per second of pure simulation, median of the cycles; times dt */
  double form_rate[PKI_STARLETH_FORMS], form_iterations[PKI_STARLETH_FORMS]; /* of the other forms */
  double iterations;                                                         /* mean of a step */
  int most_iterations;
  long long unfinished; /* steps that reached the limit of iterations */
  double residual;      /* largest relative */
  double penetration;   /* m, deepest */
  double stance;        /* m, mean depth of the deepest foot */
  pki_starleth_time parts[PK_STEP_PART_COUNT], step;
  double gap_rate;      /* m/min, growth of the largest gap of a bilateral constraint */
  double velocity_rate; /* m/min, mean of the largest bilateral velocity */
} pki_starleth_trot;

/* Fig. 5: the normal force of the left fore foot from a touch-down on, one cycle. */
typedef struct pki_starleth_curve {
  const char *name;
  double dt, *time, *force; /* [n] s, N; one block */
  int n;
  double mean, peak, ripple; /* N; ripple: swing about the running mean in a stance */
  bool stays;                /* finite and on its feet to the end */
} pki_starleth_curve;

/* Fig. 6. */
typedef struct pki_starleth_sweep {
  double iterations[PKI_STARLETH_ALPHAS]; /* mean of one step at alpha 0.1, 0.2 ...; NAN: does not converge */
  double limit;                           /* largest alpha at which every step converged */
  double fastest;                         /* alpha of the fewest iterations */
} pki_starleth_sweep;

/* The push. */
typedef struct pki_starleth_push {
  bool done, fell, rests, finite;
  long long steps, uncertified, unfinished; /* of them: not certified, at the limit of iterations */
  double penetration, residual, speed;      /* m; relative; of the trunk at the end, m/s or rad/s */
  int contacts;                             /* most at once */
  double trouble;                           /* s, of the first step that reached its limit, or the last */
  int trouble_contacts;                     /* contacts in it */
} pki_starleth_push;

typedef struct pki_starleth_data {
  bool quick;
  int cycles; /* of a trot */
  pki_starleth_trot trots[PKI_STARLETH_CONFIGS];
  pki_starleth_curve curves[PKI_STARLETH_CURVES];
  pki_starleth_sweep sweeps[PKI_STARLETH_PAPER];
  pki_starleth_sweep fine_sweep, eliminated_sweep;                /* HmS, HMJD in these forms */
  double drift_dt[PKI_STARLETH_STEPS], drift[PKI_STARLETH_STEPS]; /* s, um/min, preset gehring-2014 */
  double drift_fine, drift_default;                               /* um/min: HmJ to 1e-8; default */
  /* m/min: HMJD at half the step, HEJP to 1e-8, HEJD that trots in place */
  double evidence_gap[PKI_STARLETH_EVIDENCE], evidence_velocity[PKI_STARLETH_EVIDENCE];
  pki_starleth_push pushes[PKI_STARLETH_CONFIGS], auto_pushes[PKI_STARLETH_CONFIGS]; /* auto: alpha from W */
  pki_starleth_push shape_push, shape_auto_push; /* HmJ on the shapes of models/starleth */
  int sizes[PKI_STARLETH_SETS][2];               /* velocities, bilateral rows */
  int bodies, hinges, points;
  double agreement[PKI_STARLETH_SETS], agreement_residual[PKI_STARLETH_SETS]; /* m; relative */
  double apart[PKI_STARLETH_SETS][PKI_STARLETH_HALVINGS + 1];                 /* m, to minimal coordinates */
} pki_starleth_data;

/* --- starleth_trot.c --- */

/* d->cycles of every configuration; a robot that falls is no failure. */
pk_status pki_starleth_trots(const pki_starleth_lab *lab, pki_starleth_data *d, const pki_study_watch *watch,
                             pk_error *err);
pk_status pki_starleth_curves(const pki_starleth_lab *lab, pki_starleth_data *d, pk_error *err);
pk_status pki_starleth_sweep_alpha(const pki_starleth_lab *lab, const pki_starleth_config *c,
                                   pki_starleth_form form, double seconds, const pki_study_watch *watch,
                                   pki_starleth_sweep *out, pk_error *err);

/* --- starleth_rest.c --- */

/* Mean rate at which standing feet sink, um/min, after they have settled. */
pk_status pki_starleth_stand(const pki_starleth_lab *lab, const pk_sim_options *o, double seconds,
                             double *drift, pk_error *err);

/* What a trot of this long at this speed makes of bilateral constraints with the options o: m/min, as in pki_starleth_trot. */
pk_status pki_starleth_opening(const pki_starleth_lab *lab, pki_starleth_set set, const pk_sim_options *o,
                               double seconds, double forward, double *gap_rate, double *velocity_rate,
                               pk_error *err);

/* 500 N for 0.2 s on the standing trunk; alpha_from_W: instead of Table 1's. A step that fails is no failure here: the
 * robot is not finite then. */
pk_status pki_starleth_push_over(const pki_starleth_lab *lab, const pki_starleth_config *c, bool alpha_from_W,
                                 pki_starleth_push *out, pk_error *err);

/* The largest distance of the trunks of one set's configurations from that of `auto`, all solved to 1e-10, and the
 * largest residual that was left. */
pk_status pki_starleth_agree(const pki_starleth_lab *lab, pki_starleth_set set, double seconds, double *apart,
                             double *residual, pk_error *err);

/* How far trunks in other coordinates end from that in minimal ones, at 2.5 ms and its halves. */
pk_status pki_starleth_converge(const pki_starleth_lab *lab, double seconds,
                                double apart[PKI_STARLETH_SETS][PKI_STARLETH_HALVINGS + 1], pk_error *err);

/* --- starleth_rows.c, starleth_accuracy.c, starleth_notes.c, starleth_report.c, starleth_bars.c --- */

void pki_starleth_rows(const pki_starleth_data *d, pki_study_result *result);
void pki_starleth_accuracy(const pki_starleth_data *d, pki_study_result *result);

/* Evaluations per second over HmJ's, if all but the sweeps took the part of HmJ's step that it takes in the paper's. */
double pki_starleth_like_for_like(const pki_starleth_data *d, int config);

/* Why a configuration's speed relative to HmJ is not the paper's: from its iterations and the parts of its step. */
void pki_starleth_explain_rate(const pki_starleth_data *d, int config, char *out, size_t size);
void pki_starleth_explain_push(const pki_starleth_push *p, bool jor_at_table, char *out, size_t size);

pk_status pki_starleth_report(const pki_starleth_data *d, const pki_study_options *options,
                              pki_study_result *result, pk_error *err);
void pki_starleth_bars(const pki_starleth_data *d, pki_text *out);

#endif
