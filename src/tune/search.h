/* One search: points in the unit cube, each chosen by what came of those before. A function of its method, start, seed and
 * budget alone. */
#ifndef PKI_TUNE_SEARCH_H
#define PKI_TUNE_SEARCH_H

#include "tune/evaluator.h"

typedef struct pki_search {
  pki_evaluator *evaluator;
  const pki_tune_method *method;
  const pki_tune_method *within; /* of a nested one: its local method; NULL: bobyqa */
  double start[PKI_TUNE_PARAMETERS];
  int budget; /* evaluations, at most */
  int seed;
  pki_evaluation *list; /* [budget] room for them */
  int count;            /* that are finished */
  const char *ended;    /* why */
  pk_status status;     /* PK_OK also when it was interrupted */
  pk_error err;
} pki_search;

/* All searches at once, each in a thread of its own; returns when all have ended. */
void pki_searches_run(pki_search *searches, int count);

/* The values of a point, at t in the unit cube. */
void pki_search_point(const pki_tune *tune, const double *t, pki_evaluation *out);

#endif
