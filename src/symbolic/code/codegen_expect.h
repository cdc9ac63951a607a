/* What the generic kernels say of a state: the values that generated code is held against. */
#ifndef PKI_SYMBOLIC_CODE_CODEGEN_EXPECT_H
#define PKI_SYMBOLIC_CODE_CODEGEN_EXPECT_H

#include "pronk/dynamics.h"
#include "symbolic/graph/graph.h"

typedef struct pki_expect {
  pk_workspace *w;
  const pk_model *m;
  double *q, *u, *a, *tau;     /* the state: random, from a seed */
  double *M, *inverse, *h;     /* at the state */
  double *dense, *wide, *some; /* scratch */
} pki_expect;

bool pki_expect_init(pki_expect *e, const pk_model *m); /* out of memory: false */
void pki_expect_free(pki_expect *e);

/* Choose state number s. */
void pki_expect_state(pki_expect *e, int s);

/* The values of a function's outputs, one after the other, and for each how large an error of one is: code whose results are
 * within 1e-12 of it is right in the backward sense. Derivatives come from differences of fourth order, their scale allows
 * for it. false: not a function that is known here. */
bool pki_expect_values(pki_expect *e, const pki_function *f, double *value, double *scale);

#endif
