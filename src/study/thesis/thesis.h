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
 * Which springs. A mass of inverse W on a spring of tangent stiffness k and a damper d, under semi-implicit Euler with forces of
 * the start of the step, is stable while
 *
 *   dt^2 k W + 2 dt d W < 4                                                                                    (a)
 *
 * With a linear spring, k is the same at all depths, and the equations of a landing (gravity and the small joint friction
 * apart) keep their form when all lengths and velocities are scaled: speeds twice as high give forces twice as high. So no
 * linear k and d are right for a fall from 0.1 m and wrong for one from 0.5 m, but by chance near (a). What the thesis
 * describes, penetration "penalized by huge spring forces" when it is deep, is a spring that hardens. With lambda = c x^3 the
 * tangent stiffness is 3 c x^2 and (a) ends at the depth
 *
 *   x = sqrt((4 - 2 dt d W) / (3 c dt^2 W))                                                                    (b)
 *
 * In one step a foot goes v dt deep: 0.70 mm after 0.1 m, 1.57 mm after 0.5 m. A c that puts (b) between them is stable
 * in the one and unstable in the other.
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
  PKI_THESIS_SOFT = 3,      /* linear springs that trot */
  PKI_THESIS_SAMPLES = 32,  /* runs near the scenarios' springs */
  PKI_THESIS_ROLLED = 8,    /* falls that start rolled */
  PKI_THESIS_PANELS = 4,    /* of one map, at most */
  PKI_THESIS_SIDE = 12,     /* cells along one side of a map, at most */
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
  PKI_THESIS_OUTCOMES
} pki_thesis_outcome;

/* A run of the thesis. */
typedef struct pki_thesis_scene {
  const char *id, *scenario, *title;
  double start;         /* m, the trunk's height */
  double ceiling;       /* m, above which it flies up: its start, in the jump 0.1 m over the thesis' 2.2 m */
  int figure;           /* 5.figure is the first of six */
  const char *said[2];  /* what the thesis says, for each law */
  unsigned expected[2]; /* outcomes that agree with it: bits 1 << pki_thesis_outcome */
} pki_thesis_scene;

extern const pki_thesis_scene pki_thesis_scenes[PKI_THESIS_RUNS];
extern const char *const pki_thesis_laws[PKI_THESIS_LAWS];
extern const char *const pki_thesis_outcome_names[PKI_THESIS_OUTCOMES];

/* Springs of the law penalty: N/m and N/m^3 along the normal, N/m tangential, N s/m. */
typedef struct pki_thesis_springs {
  double linear, cubic, tangential, damping_n, damping_t;
} pki_thesis_springs;

extern const pki_thesis_springs pki_thesis_own;       /* of the scenarios */
extern const double pki_thesis_soft[PKI_THESIS_SOFT]; /* N/m */
extern const double pki_thesis_roll;                  /* rad, from which falls end as in the thesis */
static const double pki_thesis_dt = 5e-4;             /* s, Table 5.2 */

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

/* How many runs ended in each way. */
typedef struct pki_thesis_shares {
  unsigned char n[PKI_THESIS_OUTCOMES];
} pki_thesis_shares;

/* Outcomes on a grid; a cell without runs was left out. */
typedef struct pki_thesis_map {
  int nx, ny, npanel;
  double x[PKI_THESIS_SIDE], y[PKI_THESIS_SIDE];
  pki_thesis_shares cells[PKI_THESIS_PANELS][PKI_THESIS_SIDE][PKI_THESIS_SIDE]; /* [panel][y][x] */
} pki_thesis_map;

typedef struct pki_thesis_data {
  bool quick;
  double seconds; /* of a run */
  pki_thesis_run runs[PKI_THESIS_RUNS][PKI_THESIS_LAWS];
  pki_thesis_curves curves[PKI_THESIS_RUNS][PKI_THESIS_LAWS];
  pki_thesis_run large[PKI_THESIS_RUNS];    /* law hard at 5 ms, PD implicit */
  pki_thesis_run damped[2];                 /* the trot with damped joints: lcp-pyramid, hard */
  pki_thesis_run hard;                      /* the trot, law hard at 0.5 ms */
  pki_thesis_run soft[PKI_THESIS_SOFT];     /* the trot under penalty, d = 1000 N s/m */
  double foot_inverse_mass;                 /* 1/kg, W of a standing foot along the normal */
  pki_thesis_map linear, hardening;         /* over k, d; over c, d; panels: falls, jump */
  pki_thesis_shares own[PKI_THESIS_PANELS]; /* near the scenarios' springs */
  pki_thesis_map tilt;                      /* lcp-pyramid over roll, restitution; panels: 0.5 m, 1.5 m */
  pki_thesis_shares rolled[2];              /* lcp-pyramid, rolled by pki_thesis_roll: 0.5 m, 1.5 m */
  double rolled_end[2];                     /* m, the trunk's height at their end, median */
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

extern const int pki_thesis_panels[PKI_THESIS_PANELS]; /* scenes of the maps of springs */

/* A scenario under the law penalty with these springs, started `lift` metres higher. */
pk_status pki_thesis_run_springs(int scene, const pki_thesis_springs *springs, double lift, double seconds,
                                 pki_thesis_run *out, pk_error *err);

/* Runs whose stiffnesses are spread over 5 % to both sides, and their starts over a millimetre. */
pk_status pki_thesis_sample_springs(int scene, const pki_thesis_springs *springs, int samples, double seconds,
                                    pki_thesis_shares *out, pk_error *err);

/* Falls under lcp-pyramid, rolled at the start, on ground with restitution, starts likewise. ends: m, [samples], or NULL. */
pk_status pki_thesis_sample_rolled(int scene, double roll, double restitution, int samples, double seconds,
                                   pki_thesis_shares *out, double *ends, pk_error *err);

/* All runs of a cell; those that show what the thesis saw, in a panel of the maps of springs. */
int pki_thesis_sampled(const pki_thesis_shares *shares);
int pki_thesis_agreeing(int panel, const pki_thesis_shares *shares);

/* How likely one run of each panel shows what the thesis saw, all at once; the cell where it is most likely. */
double pki_thesis_likelihood(const pki_thesis_map *map, int ix, int iy);
double pki_thesis_best(const pki_thesis_map *map, int *ix, int *iy);

/* Runs of a panel; with an outcome. */
int pki_thesis_runs_of(const pki_thesis_map *map, int panel);
int pki_thesis_count(const pki_thesis_map *map, int panel, pki_thesis_outcome outcome);

/* The left side of (a) in a cell of the linear map. */
double pki_thesis_sharpness(const pki_thesis_data *d, int ix, int iy);

pk_status pki_thesis_map_linear(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_thesis_map_hardening(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_thesis_own_springs(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_thesis_map_tilt(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);
pk_status pki_thesis_rolled_falls(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);

/* --- thesis_rows.c, thesis_report.c, thesis_cells.c --- */

/* Whether a run ended as in the thesis; in words, how it did not. */
bool pki_thesis_agrees(int scene, int law, const pki_thesis_run *run);
void pki_thesis_explain(const pki_thesis_data *d, int scene, int law, char *out, size_t size);

void pki_thesis_rows(const pki_thesis_data *d, pki_study_result *result);
pk_status pki_thesis_report(const pki_thesis_data *d, const pki_study_options *options,
                            pki_study_result *result, pk_error *err);
void pki_thesis_linear_svg(const pki_thesis_data *d, pki_text *out);
void pki_thesis_hardening_svg(const pki_thesis_data *d, pki_text *out);
void pki_thesis_tilt_svg(const pki_thesis_data *d, pki_text *out);

#endif
