/* From points to what they cost: runs that are not known yet, on threads. Several searches may ask at once. */
#ifndef PKI_TUNE_EVALUATOR_H
#define PKI_TUNE_EVALUATOR_H

#include <pthread.h>

#include "tune/evaluations.h"
#include "tune/workers.h"

typedef struct pki_evaluator {
  const pki_tune *tune;
  const pki_tune_options *options;
  pki_workers *workers;
  double duration;      /* s, of a run */
  pki_penalty penalty;  /* known when the scenario as it is has run */
  pthread_mutex_t lock; /* of all that follows */
  pthread_cond_t ended; /* some run has */
  struct run_job *running;
  pki_evaluations kept;
  long long ran, found;         /* worlds that ran now; that were there */
  double best_cost, best_value; /* the least of all evaluations, and its objective */
  double began, shown;          /* s */
  pk_status status;             /* the first failure: memory, a file */
  pk_error err;
} pki_evaluator;

/* The threads and evaluations.pronk. On failure there is nothing to free. */
pk_status pki_evaluator_create(const pki_tune *tune, const pki_tune_options *options, pki_evaluator *out,
                               pk_error *err);
pk_status pki_evaluator_destroy(pki_evaluator *evaluator, pk_error *err); /* what was kept goes to the disk */

/* Evaluate points: their values are known, all else is filled in. Those that were interrupted are not finished. PK_OK unless memory
 * is out or a file cannot be written, now or before. */
pk_status pki_evaluator_run(pki_evaluator *evaluator, pki_evaluation *list, int count);

/* Somebody asked to stop, or something failed. */
bool pki_evaluator_stops(pki_evaluator *evaluator);

#endif
