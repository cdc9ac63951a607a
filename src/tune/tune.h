/* Tuning: numbers of a scenario for which a run is best, found by a global search and then by local ones.
 *
 *   options -> tune_options.c -> pki_tune -> tune.c: phases -> search.c: NLopt, one search in a thread of its own
 *                                                     -> evaluator.c: points -> runs, on threads (workers.c)
 *                                                     -> objective.c: a run -> a number
 *                                                     -> evaluations.c: evaluations.pronk, what was computed before
 *   pki_tune_result -> tune_table.c: evaluations.csv -> tune_best.c: best.yaml -> tune_report.c: report.html
 *
 *   methods.c      which searches there are
 *   step_limit.c   another search in one dimension: the largest stable step
 *
 * Searches work in the unit cube: t in [0, 1] of each parameter, linear or by its logarithm. Each is a function of its start, its
 * seed and its budget alone, and what a point costs is a function of the point alone. So the result does not depend on the
 * number of threads, on the order in which runs end, or on how often it was all interrupted. docs/tune.md has the rest. */
#ifndef PKI_TUNE_TUNE_H
#define PKI_TUNE_TUNE_H

#include <stdatomic.h>

#include "base/text.h"
#include "scenario/scenario.h"
#include "sweep/draw.h"
#include "tune/methods.h"
#include "tune/objective.h"

enum {
  PKI_TUNE_PARAMETERS = PKI_SOBOL_DIMENSIONS,
  PKI_TUNE_EVALUATIONS = 100000, /* of one command, at most */
  PKI_TUNE_NUMBER = 32           /* room for a number as text */
};

typedef enum pki_tune_scale {
  PKI_TUNE_LINEAR,
  PKI_TUNE_LOG,
  PKI_TUNE_WHOLE, /* numbers without a fraction */
  PKI_TUNE_SCALES
} pki_tune_scale;
extern const char *const pki_tune_scale_words[PKI_TUNE_SCALES];

/* One key that is varied: --vary KEY=LOW:HIGH[:SCALE]. */
typedef struct pki_tune_parameter {
  char key[256];
  double low, high;
  pki_tune_scale scale;
} pki_tune_parameter;

/* What is asked for. */
typedef struct pki_tune {
  pki_scenario *base;  /* with the overrides of all evaluations; owned */
  uint64_t model_hash; /* of its world's model */
  double duration;     /* s; negative: the scenario's */
  pki_tune_parameter parameters[PKI_TUNE_PARAMETERS];
  int nparameter;
  pki_objective objective;
  const pki_tune_method *global, *local; /* NULL: this phase is left out; not both */
  int evaluations;                       /* at most, the scenario as it is among them */
  int starts;                            /* of local searches, and of global ones that draw random numbers */
  int worlds; /* of `vary`, over which an evaluation is averaged; 0: the world as it is */
  int seed;
  double tolerance; /* of local searches, as a share of the range of each parameter */
} pki_tune;

/* ---- tune_options.c ---- */

/* "KEY=LOW:HIGH[:SCALE]" as one more parameter. */
pk_status pki_tune_add_parameter(pki_tune *tune, const char *text, pk_error *err);

/* "GLOBAL+LOCAL", or one of them. */
pk_status pki_tune_set_method(pki_tune *tune, const char *text, pk_error *err);

/* The scenario takes the bounds of every parameter, and there are worlds to average over. */
pk_status pki_tune_check(pki_tune *tune, pk_error *err);
void pki_tune_free(pki_tune *tune);

/* From the unit interval to the value that a run gets, and back. */
double pki_tune_value(const pki_tune_parameter *parameter, double t);
double pki_tune_unit(const pki_tune_parameter *parameter, double value);
void pki_tune_number(double value, char out[PKI_TUNE_NUMBER]);

/* What the scenario has for a parameter by itself; NAN: no number. */
double pki_tune_written(const pki_tune *tune, int parameter);

/* All overrides of a run, with those of the scenario; `value` NULL: as it is written; world -1: as it is. For
 * pki_tune_sets_free(); NULL without memory. */
char **pki_tune_sets(const pki_tune *tune, const double *value, int world, int *count);
void pki_tune_sets_free(char **sets, int count);

/* The command that runs a point alone, as text. */
void pki_tune_command(const pki_tune *tune, const double *value, pki_text *out);

/* ---- what came of it ---- */

/* One point, its worlds averaged. */
typedef struct pki_evaluation {
  bool as_written;                   /* the scenario as it is, without values */
  bool finished;                     /* all of its worlds ran */
  double t[PKI_TUNE_PARAMETERS];     /* in the unit cube; as_written: NAN where it is outside, or no number */
  double value[PKI_TUNE_PARAMETERS]; /* likewise */
  double objective;                  /* NAN: no world has the metrics */
  double cost;                       /* what is minimised: the objective, or its negative, and penalties */
  double metric[PKI_METRIC_MAX];     /* means over the worlds that have them; NAN: none */
  int fell, uncertified, failed, refused; /* worlds */
  char message[PKI_STORE_MESSAGE];        /* why the first one failed or was refused */
} pki_evaluation;

/* It ran in all worlds without a fall, and with a certificate. */
bool pki_evaluation_is_good(const pki_evaluation *evaluation);

/* One search, as the report tells of it. */
typedef struct pki_tune_leg {
  const pki_tune_method *method;
  int first, count;  /* evaluations */
  int best;          /* of all evaluations; -1: none */
  const char *ended; /* why */
} pki_tune_leg;

typedef struct pki_tune_result {
  pki_evaluation *list; /* [count] that are finished: the scenario as it is, then search by search */
  int count;
  int best;           /* -1: none ran */
  pki_tune_leg *legs; /* [nleg] */
  int nleg;
  pki_penalty penalty;
  long long ran, kept; /* worlds that ran now; that were there */
  double seconds;      /* of the clock */
  bool interrupted;
} pki_tune_result;

typedef struct pki_tune_options {
  const char *folder; /* for evaluations.pronk; it must be there */
  bool again;         /* throw away what is there */
  int threads;
  const atomic_int *stop;                                          /* not 0: end soon; NULL: never */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void (*note)(void *user, const char *what);                      /* something the user should know; NULL */
  void *user;
} pki_tune_options;

/* PK_OK also when it was interrupted. Free the result in any case. */
pk_status pki_tune_run(const pki_tune *tune, const pki_tune_options *options, pki_tune_result *out,
                       pk_error *err);
void pki_tune_result_free(pki_tune_result *result);

/* ---- tune_table.c, tune_best.c, tune_report.c ---- */

pk_status pki_tune_csv(const pki_tune *tune, const pki_tune_result *result, const char *path, pk_error *err);

/* The scenario with the values of an evaluation, as a file that runs from any folder. */
pk_status pki_tune_best(const pki_tune *tune, const pki_evaluation *best, const char *path, pk_error *err);

pk_status pki_tune_report(const pki_tune *tune, const pki_tune_result *result, const char *path,
                          pk_error *err);

#endif
