/* Random linear complementarity problems of known classes, and solving them. */
#ifndef TESTS_CONTACT_LCP_HELP_H
#define TESTS_CONTACT_LCP_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "contact/lcp/lcp.h"

enum { LCP_MAX = 60 };

typedef struct lcp_case {
  pk_lcp p;
  double M[LCP_MAX * LCP_MAX], q[LCP_MAX], lower[LCP_MAX], upper[LCP_MAX];
  int findex[LCP_MAX];
} lcp_case;

/* What one solver made of it. */
typedef struct lcp_answer {
  pk_status status;
  pk_lcp_result result; /* its ray is NULL: see below */
  bool has_ray;
  double z[LCP_MAX], w[LCP_MAX], ray[LCP_MAX];
} lcp_answer;

static inline lcp_answer lcp_solve_with(const pk_lcp *p, pk_lcp_options options)
{
  lcp_answer a = {0};
  const size_t size = pk_lcp_solve_memsize(p, &options);
  void *memory = pki_aligned_alloc(size);
  assert_non_null(memory);
  memset(memory, 0xa5, size); /* garbage that a solver must not read */
  a.status = pk_lcp_solve(p, &options, a.z, memory, &a.result);
  a.has_ray = a.result.ray != NULL;
  if (a.has_ray) {
    memcpy(a.ray, a.result.ray, (size_t)p->n * sizeof *a.ray);
  }
  a.result.ray = NULL;
  pki_aligned_free(memory);
  if (a.status != PK_ERROR_NONFINITE) {
    const pk_lcp_certificate c = pk_lcp_certify(p, a.z, a.w);
    assert_true(c.relative == a.result.certificate.relative);
    assert_int_equal(a.status == PK_OK, a.result.outcome == PK_LCP_OUTCOME_SOLVED);
    assert_int_equal(a.status == PK_OK, c.relative <= options.tolerance);
  }
  return a;
}

static inline lcp_answer lcp_solve(const pk_lcp *p, pk_lcp_solver solver)
{
  pk_lcp_options options = pk_lcp_options_default();
  options.solver = solver;
  if (solver == PK_LCP_SOLVER_PGS) {
    options.tolerance = 1e-12, options.max_iterations = 3000;
  }
  return lcp_solve_with(p, options);
}

static inline double lcp_apart(const double *a, const double *b, int n)
{
  double apart = 0, size = 1;
  for (int i = 0; i < n; i++) {
    apart = fmax(apart, fabs(a[i] - b[i]));
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  }
  return apart / size;
}

/* Sizes of the k-th case: most small, some up to LCP_MAX. */
static inline int lcp_size(pki_random *random, int k)
{
  return k % 100 == 99 ? 21 + (int)(pki_random_unit(random) * (LCP_MAX - 20))
                       : 1 + (int)(pki_random_unit(random) * 20);
}

static inline void lcp_begin(lcp_case *c, int n)
{
  memset(c->M, 0, sizeof c->M);
  c->p = (pk_lcp){.n = n, .M = c->M, .q = c->q};
}

/* M += G G', G [n][rank]; small integers make ties. */
static inline void lcp_add_gram(lcp_case *c, pki_random *random, int rank, bool integers)
{
  static double G[LCP_MAX][LCP_MAX];
  const int n = c->p.n;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < rank; k++) {
      G[i][k] = integers ? floor(pki_random_between(random, -1, 2)) : pki_random_normal(random) / sqrt(n);
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < rank; k++) {
        c->M[i * n + j] += G[i][k] * G[j][k];
      }
    }
  }
}

static inline void lcp_add_skew(lcp_case *c, pki_random *random, double size)
{
  const int n = c->p.n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      const double x = size * pki_random_normal(random) / sqrt(n);
      c->M[i * n + j] += x, c->M[j * n + i] -= x;
    }
  }
}

static inline void lcp_add_diagonal(lcp_case *c, double value)
{
  for (int i = 0; i < c->p.n; i++) {
    c->M[i * (c->p.n + 1)] += value;
  }
}

static inline void lcp_random_q(lcp_case *c, pki_random *random)
{
  for (int i = 0; i < c->p.n; i++) {
    c->q[i] = pki_random_normal(random);
  }
}

#endif
