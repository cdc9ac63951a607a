#include "symbolic/expressions.h"

#include <math.h>
#include <stdlib.h>

static int pick(pki_random *rng, int n)
{
  return (int)(pki_random_unit(rng) * n);
}

/* Something bounded from two things that are. */
static pki_x operation(pki_graph *g, pki_random *rng, pki_x a, pki_x b)
{
  const double factor = pki_random_between(rng, -0.7, 0.7);
  switch (pick(rng, 12)) {
  case 0: return pki_times(g, pki_const(g, factor), pki_plus(g, a, b));
  case 1: return pki_times(g, pki_const(g, 0.5), pki_minus(g, a, b));
  case 2: return pki_sine(g, pki_plus(g, a, b));
  case 3: return pki_cosine(g, pki_minus(g, a, b));
  case 4: return pki_inverse(g, pki_plus(g, pki_const(g, 2), pki_times(g, a, a)));
  case 5:
    return pki_times(g, pki_const(g, 0.5), pki_root(g, pki_plus(g, pki_const(g, 1), pki_times(g, b, b))));
  case 6: return pki_neg(g, a);
  case 7: return pki_sine(g, a);
  case 8: return pki_cosine(g, b);
  case 9:
    return pki_minus(g, pki_times(g, pki_const(g, 0.4), a), pki_times(g, pki_sine(g, b), pki_cosine(g, a)));
  default: return pki_times(g, a, b);
  }
}

void make_expressions(pki_graph *g, pki_function *f, pki_random *rng, int ninput, int noutput, int nodes)
{
  const int port = pki_graph_port(g, "x", ninput, "random numbers");
  pki_x *pool = malloc((size_t)(ninput + nodes) * sizeof *pool);
  int n = 0;
  for (int k = 0; k < ninput; k++) {
    pool[n++] = pki_input(g, port, k);
  }
  for (int k = 0; k < nodes; k++) {
    const pki_x a = pool[pick(rng, n)], b = pool[pick(rng, n)];
    pool[n++] = operation(g, rng, a, b);
  }
  pki_function_init(f, g, "random", "random expressions");
  pki_x *y = pki_function_add(f, "y", noutput, "random numbers");
  for (int i = 0; i < noutput; i++) {
    y[i] = pool[n - 1 - pick(rng, n / 2)];
  }
  free(pool);
}

void make_point(pki_random *rng, int n, double *x)
{
  for (int k = 0; k < n; k++) {
    x[k] = pki_random_between(rng, -1, 1);
  }
}

double worst_error(const double *a, const double *b, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    const double e = fabs(a[i] - b[i]) / fmax(1, fabs(b[i]));
    worst = !(e <= worst) ? (isnan(e) ? INFINITY : e) : worst;
  }
  return worst;
}
