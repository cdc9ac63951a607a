/* Random expressions for tests: bounded, smooth, with much sharing. */
#ifndef PK_TESTS_SYMBOLIC_EXPRESSIONS_H
#define PK_TESTS_SYMBOLIC_EXPRESSIONS_H

#include "base/random.h"
#include "symbolic/graph/graph.h"

/* A function of one port `x` [ninput] with one output `y` [noutput]: about `nodes` operations, all kinds. */
void make_expressions(pki_graph *g, pki_function *f, pki_random *rng, int ninput, int noutput, int nodes);

/* Numbers between -1 and 1. */
void make_point(pki_random *rng, int n, double *x);

/* The largest |a - b| / max(1, |b|); infinity where one is not a number. */
double worst_error(const double *a, const double *b, int n);

#endif
