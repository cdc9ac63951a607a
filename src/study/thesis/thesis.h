/* The thesis study: O. Ayit, "Contact Modeling as Applied to the Dynamic Simulation of Legged Robots" (master thesis,
 * Sabanci University, 2015), chapter 5.
 *
 * A quadruped of 16 joints trots, falls from three heights and jumps, once with exact contact (a linear complementarity
 * problem, law lcp-pyramid) and once with springs and dampers (law penalty). The thesis shows where the trunk goes, how it
 * turns, and the force of each leg: Figures 5.2 to 5.31.
 *
 *   thesis.c         the order of things, progress
 *   thesis_run.c     one run, its curves, the work of contacts
 *   thesis_map.c     outcomes over springs and dampers, over tilt and restitution
 *   thesis_rows.c    rows: every value beside the thesis'
 *   thesis_report.c  tables, figures, HTML
 *   thesis_cells.c   maps as pictures
 *
 * The runs are the scenarios thesis-trot, thesis-drop-01, -05, -15 and thesis-jump. References, penalty parameters, the
 * integrator and the restitution are not published; ours stand in the scenarios.
 *
 * The work of contacts. A step takes the velocities u to u', and in it the impulses P of the contacts take u_f, the velocity
 * without them, to u'. With their rows J, W = J inv(M) J', and M of the start of the step,
 *
 *   work = 1/2 u' M u' - 1/2 u_f M u_f = P.(J u') - 1/2 P.(W P)
 *
 * Exact contact has P.(J u') <= 0: a closed contact that pushes has a normal velocity of zero (one that closes within
 * the step, below zero), and friction is against the slip. So no step's work is positive. Springs store: one step's work may be
 * positive, but the sum 1/2 P.(J u + J u') over the steps, which leaves the same kinetic energy over, must never be, since
 * springs start empty. What it rises to above zero is energy that the law has made.
 */
#ifndef PKI_STUDY_THESIS_THESIS_H
#define PKI_STUDY_THESIS_THESIS_H

#include "study/study.h"

enum {
  PKI_THESIS_RUNS = 5,
  PKI_THESIS_LAWS = 2, /* exact, penalty */
  PKI_THESIS_FIGURES = 6,
  PKI_THESIS_CHANNELS = 18, /* position, roll pitch yaw, forces of the legs; x y z each */
  PKI_THESIS_K = 11,        /* stiffnesses of the map, 1e4 to 1e9 N/m */
  PKI_THESIS_D = 9,         /* dampings, 10 to 1e5 N s/m */
  PKI_THESIS_TILTS = 7,
  PKI_THESIS_EPS = 6,
  PKI_THESIS_SOFT = 3,   /* softer springs that trot */
  PKI_THESIS_NEAR = 9,   /* pairs close to the chosen one */
  PKI_THESIS_PANELS = 4, /* of one map, at most */
  PKI_THESIS_SIDE = 12,  /* cells along one side of a map, at most */
};

enum { PKI_THESIS_TROT, PKI_THESIS_DROP_01, PKI_THESIS_DROP_05, PKI_THESIS_DROP_15, PKI_THESIS_JUMP };
enum { PKI_THESIS_EXACT, PKI_THESIS_PENALTY };

/* How a run ended. */
typedef enum pki_thesis_outcome {
  PKI_THESIS_STANDS,
  PKI_THESIS_FALLS,    /* tilted by more than 60 degrees, or the trunk below half its height */
  PKI_THESIS_INVERTED, /* upside down: tilted by more than 120 degrees */
  PKI_THESIS_FLIES,    /* the trunk came above where it may */
  PKI_THESIS_BURSTS,   /* no number any more, or a kilometre away */
  PKI_THESIS_OUTCOMES,
  PKI_THESIS_NOT_RUN = PKI_THESIS_OUTCOMES
} pki_thesis_outcome;

/* A run of the thesis. */
typedef struct pki_thesis_scene {
  const char *id, *scenario, *title;
  double start;        /* m, the trunk's height */
  double ceiling;      /* m, above which it flies up: its start, in the jump 0.1 m over the thesis' 2.2 m */
  int figure;          /* 5.figure is the first of six */
  const char *said[2]; /* what the thesis says, for each law */
  const char *difference[2]; /* why ours differs */
} pki_thesis_scene;

extern const pki_thesis_scene pki_thesis_scenes[PKI_THESIS_RUNS];
extern const char *const pki_thesis_laws[PKI_THESIS_LAWS];
extern const char *const pki_thesis_outcome_names[PKI_THESIS_OUTCOMES + 1];
extern const double pki_thesis_soft[PKI_THESIS_SOFT];         /* N/m */
extern const double pki_thesis_stiffness, pki_thesis_damping; /* of the scenarios: N/m, N s/m */

/* Curves of a run, a value for each step. */
typedef struct pki_thesis_curves {
  int n;
  double *time, *values[PKI_THESIS_CHANNELS], *given; /* one block; given: J, contacts' work so far */
} pki_thesis_curves;

/* What a run came to. */
typedef struct pki_thesis_run {
  long long steps, uncertified;
  double residual; /* largest of a step */
  double ended;    /* s */
  bool finite;
  double top, end[3], rpy[3]; /* m, the trunk: highest, and at the end; rad */
  double upright;             /* cosine of its tilt at the end */
  double peak;                /* N, largest normal force of a leg */
  double slip;                /* m, way of sliding feet, all legs */
  pki_thesis_outcome outcome;
  double work_most;  /* J, largest work of the contacts in a step, with u_f */
  double given_most; /* J, the most that contacts had given by any time */
  double given;      /* J, at the end */
  double rise; /* J, largest rise of the energy without what joints put in, from any time to a later one */
  double stabilisation; /* J, of all projections */
  long long grounded;   /* steps with contacts */
} pki_thesis_run;

/* Outcomes on a grid. */
typedef struct pki_thesis_map {
  int nx, ny, npanel;
  double x[PKI_THESIS_SIDE], y[PKI_THESIS_SIDE];
  unsigned char cells[PKI_THESIS_PANELS][PKI_THESIS_SIDE][PKI_THESIS_SIDE]; /* [panel][y][x] */
} pki_thesis_map;

typedef struct pki_thesis_data {
  bool quick;
  double seconds; /* of a run */
  pki_thesis_run runs[PKI_THESIS_RUNS][PKI_THESIS_LAWS];
  pki_thesis_curves curves[PKI_THESIS_RUNS][PKI_THESIS_LAWS];
  pki_thesis_run large[PKI_THESIS_RUNS];       /* law hard at 5 ms, PD implicit */
  pki_thesis_run damped[2];                    /* the trot with damped joints: lcp-pyramid, hard */
  pki_thesis_run hard;                         /* the trot, law hard at 0.5 ms */
  pki_thesis_run soft[PKI_THESIS_SOFT];        /* the trot under penalty, d = 1000 N s/m */
  pki_thesis_map survival;                     /* over k, d; panels: falls, jump */
  double near_k[PKI_THESIS_NEAR];              /* N/m, k close to the scenarios' */
  pki_thesis_outcome near[4][PKI_THESIS_NEAR]; /* falls, jump */
  double foot_inverse_mass;                    /* 1/kg, W of a standing foot along the normal */
  pki_thesis_map tilt;                         /* lcp-pyramid over tilt, restitution; panels: 0.5 m, 1.5 m */
} pki_thesis_data;

/* --- thesis_run.c --- */

/* A scenario of the thesis with overrides for `seconds`. A step that fails is no failure here: the run bursts. curves
 * NULL: no curves are kept and no work is counted. */
pk_status pki_thesis_run_scene(const pki_thesis_scene *scene, const char *const *sets, int nset,
                               double seconds, const pki_study_watch *watch, pki_thesis_curves *curves,
                               pki_thesis_run *out, pk_error *err);

/* W of a standing foot along the normal, 1/kg. */
pk_status pki_thesis_foot(double *out, pk_error *err);

/* --- thesis_map.c --- */

/* A scenario under the law penalty with k and d. */
pk_status pki_thesis_springs(int scene, double k, double d, double seconds, pki_thesis_run *out,
                             pk_error *err);

/* Falls and jump over stiffness and damping; cells that show what the thesis saw: stands after 0.1 m, else flies up or
 * bursts. */
pk_status pki_thesis_survive(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);
bool pki_thesis_cell_agrees(const pki_thesis_map *map, int ix, int iy);
int pki_thesis_cells_that_agree(const pki_thesis_map *map);

/* Falls with k within 4 % of the scenarios'. */
pk_status pki_thesis_perturb(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);

/* Falls under lcp-pyramid over the trunk's roll at the start and the restitution. */
pk_status pki_thesis_tilt(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);

int pki_thesis_count(const pki_thesis_map *map, int panel, pki_thesis_outcome outcome);

/* --- thesis_rows.c, thesis_report.c, thesis_cells.c --- */

void pki_thesis_rows(const pki_thesis_data *d, pki_study_result *result);
pk_status pki_thesis_report(const pki_thesis_data *d, const pki_study_options *options,
                            pki_study_result *result, pk_error *err);
void pki_thesis_survival_svg(const pki_thesis_data *d, pki_text *out);
void pki_thesis_tilt_svg(const pki_thesis_data *d, pki_text *out);

#endif
