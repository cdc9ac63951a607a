/* evaluations.pronk: what came of each point in each world, kept as soon as it is known and never computed again.
 *
 * A file of records (sweep/record_file.h). A record belongs to the values of its parameters and to its world alone, whatever
 * search asked for it: the same command resumes where it was interrupted, and other metrics, methods, seeds and budgets
 * use what is there. docs/formats/evaluations.md has the layout. */
#ifndef PKI_TUNE_EVALUATIONS_H
#define PKI_TUNE_EVALUATIONS_H

#include "sweep/record_file.h"
#include "sweep/record_head.h"
#include "tune/tune.h"

enum { PKI_EVALUATIONS_HEAD = PKI_RECORD_HEAD };

/* Which run: the values of all parameters, and the world. */
typedef struct pki_evaluation_key {
  double value[PKI_TUNE_PARAMETERS]; /* 0 beyond those that there are, and of the scenario as it is written */
  bool as_written;
  int world; /* -1: as the scenario says */
} pki_evaluation_key;

bool pki_evaluation_keys_equal(const pki_evaluation_key *a, const pki_evaluation_key *b);

typedef struct pki_kept_run {
  pki_evaluation_key key;
  pki_record record; /* its index says nothing */
} pki_kept_run;

typedef struct pki_evaluations {
  pki_record_file file;
  int nparameter;
  pki_kept_run *runs; /* [count] */
  int count, room;
  int *slot; /* [slots] 1 + the run that hashes there; 0: none; slots is a power of 2 */
  int slots;
  long long damaged; /* records that were not believed */
} pki_evaluations;

/* Open or begin the file; `again`: throw away what is there. On failure there is nothing to close. Not for several threads
 * at once. */
pk_status pki_evaluations_open(const char *path, const pki_tune *tune, bool again, pki_evaluations *out,
                               pk_error *err);
void pki_evaluations_close(pki_evaluations *evaluations);

/* NULL: it has not run yet. */
const pki_record *pki_evaluations_find(const pki_evaluations *evaluations, const pki_evaluation_key *key);

/* A run that ended; one that is there already is left alone. What pki_evaluations_find() gave is no longer valid. */
pk_status pki_evaluations_add(pki_evaluations *evaluations, const pki_evaluation_key *key,
                              const pki_record *record, pk_error *err);

#endif
