/* Where the derivatives of terms go: patterns of the Jacobian and of the Hessian of the Lagrangian, each place once, and for each entry
 * of each instance of a term the place to which it is added. Beside them, what was evaluated last. */
#ifndef PKI_OPTIMIZE_NLP_PATTERN_H
#define PKI_OPTIMIZE_NLP_PATTERN_H

#include "optimize/nlp/nlp.h"

/* Entries (row, col) in the order of rows, then columns. */
typedef struct pki_nlp_places {
  int count;
  int *row, *col; /* [count] */
} pki_nlp_places;

/* Of one term. */
typedef struct pki_nlp_slots {
  /* [instances][entries] places of the Jacobian, then of the gradient (jacobian.count + variable), then one that nobody reads */
  int *jacobian;
  int *hessian; /* [instances][entries] */
  /* A variable that an instance reads twice: of the pair (j, k), j > k, the lower triangle has one half. Entries that are added again. */
  int *again; /* [nagain] as instance * entries + entry */
  int nagain;
} pki_nlp_slots;

/* Values at a point, and the point: x and the parameters of all terms. */
typedef struct pki_nlp_cache {
  bool known, finite;
  double *point;  /* [npoint] */
  double *values; /* of values: f, g [ng]; of derivatives: those of the Jacobian, gradient [nx], unused */
} pki_nlp_cache;

struct pki_nlp_pattern {
  pki_nlp_places jacobian, hessian;
  pki_nlp_slots *slots; /* [nterm] */
  int npoint;           /* numbers that values depend on: variables and parameters */
  pki_nlp_cache value, derivative;
  /* room for the largest term */
  double *w, *mu, *results;
};

/* Free what pki_nlp_finish made. */
void pki_nlp_pattern_destroy(struct pki_nlp_pattern *pattern, int nterm);

#endif
