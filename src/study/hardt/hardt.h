/* The amble of Hardt and von Stryk: what the parts of the study leave for rows and report. */
#ifndef PKI_STUDY_HARDT_HARDT_H
#define PKI_STUDY_HARDT_HARDT_H

#include "optimize/files/motion_files.h"
#include "study/study.h"

enum { PKI_HARDT_CURVE = 512, PKI_HARDT_TEXT = 200, PKI_HARDT_SETS = 12 };

/* Readings of the printed numbers: 40 m/min, stride 0.416 m, period 1.25 s, of which only two can be true. */
typedef enum pki_hardt_reading {
  PKI_HARDT_A,
  PKI_HARDT_B,
  PKI_HARDT_C,
  PKI_HARDT_READINGS
} pki_hardt_reading;

typedef struct pki_hardt_numbers {
  const char *name;
  double speed, period; /* m/s, s */
  double expected;      /* S_H of the point mass where a side pair gives way to a diagonal one, kg m^2/s */
} pki_hardt_numbers;
extern const pki_hardt_numbers pki_hardt_readings[PKI_HARDT_READINGS];

/* Motions that are solved: J_s2 in the three readings, with the line of the motors, with energies instead, and varied. */
typedef enum pki_hardt_case {
  PKI_HARDT_JS2,
  PKI_HARDT_JE1,
  PKI_HARDT_JE2,
  PKI_HARDT_READING_A,
  PKI_HARDT_READING_C,
  PKI_HARDT_LINES,
  PKI_HARDT_SLIPPERY,
  PKI_HARDT_ROUGH,
  PKI_HARDT_LEVEL,
  PKI_HARDT_TILTED,
  PKI_HARDT_EAGER,
  PKI_HARDT_TIP,
  PKI_HARDT_CASES
} pki_hardt_case;

/* What was found. */
typedef struct pki_hardt_motion {
  bool tried, solved;
  double least, mean;             /* S_H, kg m^2/s: over the cycle */
  double joule, work;             /* J_e1 in J/m, J_e2 */
  double seconds;                 /* of the whole ladder, or of the warm problem */
  double slowest;                 /* s, of its slowest problem after the first */
  int problems, iterations;       /* of the ladder */
  double violation, grid_error;   /* of the last problem */
  char end[32];                   /* how the last problem ended */
  char worst[PKI_HARDT_TEXT];     /* the largest violation of one that was not solved */
  int n;                          /* points of the curve */
  double time[PKI_HARDT_CURVE];   /* s */
  double margin[PKI_HARDT_CURVE]; /* S_H there */
  int phase[PKI_HARDT_CURVE];     /* side, diagonal, past the line; then their mirror images */
} pki_hardt_motion;

/* 20 cycles of a motion in the simulator, under the controller `follow`. */
typedef struct pki_hardt_walk {
  bool ran, fell, certified;
  double seconds, speed;     /* simulated; m/s */
  double least, mean;        /* S_H measured, kg m^2/s */
  double electrical, heat;   /* J, of all motors */
  double electrical_a_metre; /* J/m */
} pki_hardt_walk;

typedef struct pki_hardt_data {
  bool quick;
  char folder[PKI_PATH_MAX];
  double point[PKI_HARDT_READINGS]; /* S_H of the point mass */
  pki_hardt_motion motions[PKI_HARDT_CASES];
  pki_hardt_walk walks[PKI_HARDT_JE2 + 1]; /* of the first three cases */
  pki_motion_solution best;                /* J_s2, from which the others start */
} pki_hardt_data;

/* What a case is called in rows, in words, and what of the gait file it changes. */
typedef struct pki_hardt_variant {
  const char *id, *text;
  const char *sets[PKI_HARDT_SETS]; /* up to NULL */
  bool cold;                        /* from nothing instead of from the optimum of J_s2 */
} pki_hardt_variant;
extern const pki_hardt_variant pki_hardt_variants[PKI_HARDT_CASES];

/* S_H of a point mass at constant speed, 0.1 m above feet below hips 0.13 x 0.125 m apart, at the switch from LF-LR to LF-RR. */
double pki_hardt_point(const pki_hardt_numbers *reading);

/* Solve one case; the motion of one that is to walk goes into its folder. A problem without a solution is no failure. */
pk_status pki_hardt_solve(pki_hardt_data *d, pki_hardt_case which, const pki_study_watch *watch,
                          pk_error *err);

/* Let the motion of a case walk. */
pk_status pki_hardt_replay(pki_hardt_data *d, pki_hardt_case which, pk_error *err);

/* S_H where one phase of the cycle ends and the next begins; phases are 0 to 5. */
void pki_hardt_switch(const pki_hardt_motion *m, int phase, double *before, double *after);

void pki_hardt_rows(const pki_hardt_data *d, pki_study_result *result);
pk_status pki_hardt_report(const pki_hardt_data *d, const pki_study_options *options,
                           pki_study_result *result, pk_error *err);

#endif
