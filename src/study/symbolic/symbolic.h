/* The study of symbolic dynamics: Zobova, Habra, Van der Noot, Dallali, Tsagarakis, Fisette, Ronsse,
 * "Multi-physics modelling of a compliant humanoid robot", sections 3.1 and 3.2.
 *
 * Fig. 4: the time of one forward dynamics of COMAN, whole and without some of its limbs, by equations that were written
 * for this robot and simplified (the paper: Robotran; here: Pronk's generated code) and by a program for all robots (the
 * paper: Simbody; here: Simbody and MuJoCo of Debian, and Pronk's generic kernels). Robots without limbs are made from the
 * numbers of the compiled model: its first bodies, which are waist, right leg, left leg, torso, arms in this order.
 *
 * As in the paper, states are random positions and velocities of all coordinates and random torques of the joints; the free
 * base has none. "The average relative difference in the generated accelerations" can mean two things, and both are
 * computed over all states of the whole robot, in per cent:
 *
 *   by entry   mean over states and coordinates of |a_i - b_i| / |b_i|      small accelerations count as much as large ones
 *   by state   mean over states of |a - b|_2 / |b|_2
 *
 * In the first, small accelerations count as much as the large ones whose rounding they carry. Both are held to the
 * paper's figure.
 *
 * Table 1 and Fig. 3: the pendulums of pendulum.h, integrated by the same Runge-Kutta scheme with the accelerations of
 * generated code, as the paper's were by Robotran's. */
#ifndef PKI_STUDY_SYMBOLIC_SYMBOLIC_H
#define PKI_STUDY_SYMBOLIC_SYMBOLIC_H

#include "pronk/code.h"
#include "study/pendulum/pendulum.h"
#include "study/study.h"
#include "study/symbolic/symbolic_inverse.h"

/* The engines; the order of columns and curves. */
typedef enum pki_symbolic_engine {
  PKI_SYMBOLIC_GENERIC,
  PKI_SYMBOLIC_GENERATED,
  PKI_SYMBOLIC_GENERATED_4, /* four robots at once */
  PKI_SYMBOLIC_SIMBODY,
  PKI_SYMBOLIC_MUJOCO,
  PKI_SYMBOLIC_ENGINES
} pki_symbolic_engine;

enum { PKI_SYMBOLIC_SIZES = 4, PKI_SYMBOLIC_FUNCTIONS = 24 };

/* The operations of one function: sums, products, reciprocals, roots. */
typedef struct pki_symbolic_count {
  const char *name;
  int plain;      /* of the numeric algorithm, one for one */
  int normal;     /* in the graph's normal form */
  int simple;     /* simplified; of these, */
  int adds, muls; /* sums and products; */
  int sines;      /* and angles whose sine and cosine it takes */
  int statements; /* of its C code */
  int alive;      /* values that wait for a later use, at most */
  size_t bytes;   /* of its C code */
} pki_symbolic_count;

/* COMAN, or a part of it. What was not measured is NAN. */
typedef struct pki_symbolic_size {
  int dof;
  double median[PKI_SYMBOLIC_ENGINES], spread[PKI_SYMBOLIC_ENGINES];     /* us for one robot */
  double by_entry[PKI_SYMBOLIC_ENGINES], by_state[PKI_SYMBOLIC_ENGINES]; /* from the generated code, % */
  pki_symbolic_count aba;
  double generate, compile; /* s, all kernels with one lane; compile NAN: it was in the cache */
  double source, machine;   /* bytes of their C and of their machine code */
} pki_symbolic_size;

/* A straight line through an engine's times. */
typedef struct pki_symbolic_line {
  double slope, start; /* us for a DOF more; us at none */
  double off;          /* farthest time from it, in parts of the largest time */
} pki_symbolic_line;

typedef struct pki_symbolic_data {
  bool quick;
  int states; /* whose accelerations are compared */
  char about[PKI_SYMBOLIC_ENGINES]
            [256]; /* of a peer: its version, and what a reader of its figures should know */
  char missing[PKI_SYMBOLIC_ENGINES][256]; /* why it was not measured; "": it was */
  char compiler[512];                      /* of the generated code */
  pki_symbolic_size sizes[PKI_SYMBOLIC_SIZES];
  pki_symbolic_line lines[PKI_SYMBOLIC_ENGINES];
  pki_symbolic_count functions[PKI_SYMBOLIC_FUNCTIONS]; /* of COMAN */
  int nfunction;
  pki_pendulum_cell generic[2][PKI_PENDULUM_STEPS], generated[2][PKI_PENDULUM_STEPS];
  pki_pendulum_history rotation[2]; /* by the generic kernels, by generated code */
  double period, period_error[2];   /* in theory; largest |T_k - T| */
  pki_inverse_data inverse;
} pki_symbolic_data;

extern const char *const pki_symbolic_engines[PKI_SYMBOLIC_ENGINES]; /* for rows and files: "generated-x4" */
extern const char *const pki_symbolic_titles[PKI_SYMBOLIC_ENGINES];  /* for readers */
extern const char *const pki_symbolic_parts[PKI_SYMBOLIC_SIZES];     /* "waist and one leg" */
extern const int pki_symbolic_bodies[PKI_SYMBOLIC_SIZES];

/* symbolic_part.c: the first `nbody` bodies of a compiled model of one robot, by the builder. PK_ERROR_UNSUPPORTED: it has
 * loops, mimic joints, or joints other than hinges, sliders and a free root. */
pk_status pki_symbolic_part(const pk_model *model, int nbody, pk_model **out, pk_error *err);

/* symbolic_count.c: operations of one function, of all of them, and what the kernels take to make and, compiled, to
 * keep. Code that is in the cache already is compiled again unless the study is quick. */
pk_status pki_symbolic_count_function(const pk_model *model, const char *name, pki_symbolic_count *out,
                                      pk_error *err);
pk_status pki_symbolic_count_all(pki_symbolic_data *d, const pk_model *model, pk_error *err);
pk_status pki_symbolic_weigh(pki_symbolic_data *d, const pk_model *model, pki_symbolic_size *size,
                             bool compiled, pk_error *err);

/* symbolic_time.c: times and agreement of all engines that are there on one robot; lines through the times. */
pk_status pki_symbolic_measure(pki_symbolic_data *d, const pk_model *model, pki_symbolic_size *size,
                               const pki_study_watch *watch, pk_error *err);
void pki_symbolic_fit(pki_symbolic_data *d);

/* symbolic.c: a quick study times the smallest and the largest robot alone. */
bool pki_symbolic_is_timed(const pki_symbolic_data *d, int size);

/* symbolic_pendulum.c: Table 1 and Fig. 3. */
pk_status pki_symbolic_swing(pki_symbolic_data *d, pki_study_progress *progress, pk_error *err);
double pki_symbolic_swing_work(const pki_symbolic_data *d); /* in steps, for the progress of the study */

/* symbolic_rows.c, symbolic_report.c: values beside the paper's; plots, text and the HTML report into the folder. */
void pki_symbolic_rows(const pki_symbolic_data *d, pki_study_result *result);
pk_status pki_symbolic_report(const pki_symbolic_data *d, const pki_study_options *options,
                              pki_study_result *result, pk_error *err);

#endif
