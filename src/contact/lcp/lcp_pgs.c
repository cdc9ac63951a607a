/* Projected Gauss-Seidel, row by row with the newest z (Ayit 2015, (4.34)-(4.38): M is split into its lower triangle and
 * the rest):
 *
 *   z_i <- P(z_i - w_i / M_ii),   w = M z + q
 *
 * The stop test (4.39) is |z_new - z_old| <= epsilon |z_new|. A small change is no small residual: a slow iteration
 * changes little far from the answer. So the test only ends the sweeps, and the certificate says whether there is a
 * solution. A friction row whose normal force is zero has both bounds at zero, so it becomes zero as well (what step 8
 * of that listing means).
 *
 * Where M_ii is not positive w_i does not grow with z_i: z_i goes to the bound that the sign of w_i asks for, or
 * stays when that is infinite. */
#include <math.h>

#include "contact/lcp/lcp.h"
#include "contact/problem/problem.h"

double pki_lcp_pgs_step(const pk_lcp *p, const double *z, int i)
{
  const double *M = p->M + (size_t)i * (size_t)p->n;
  const double w = pki_dot(M, z, p->n) + p->q[i];
  double lower, upper;
  pki_lcp_bounds(p, z, i, &lower, &upper);
  if (M[i] > 0) {
    return fmin(fmax(z[i] - w / M[i], lower), upper);
  }
  const double to = w > 0 ? lower : w < 0 ? upper : z[i];
  return isfinite(to) ? to : z[i];
}

/* One sweep; returns whether (4.39) holds, and in *moved whether anything changed and stayed finite. */
static bool pgs_sweep(const pk_lcp *p, double *z, double epsilon, bool *moved)
{
  double change = 0, norm = 0;
  for (int i = 0; i < p->n; i++) {
    const double old = z[i];
    z[i] = pki_lcp_pgs_step(p, z, i);
    change += (z[i] - old) * (z[i] - old), norm += z[i] * z[i];
  }
  *moved = change > 0 && change < INFINITY;
  return change <= epsilon * epsilon * norm;
}

static void solve_pgs(pki_lcp_run *run)
{
  enum { EVERY = 5 }; /* sweeps between looks at the residual */
  const pk_lcp_options *o = run->options;
  const bool by_change = o->stop == PK_SOLVER_STOP_CHANGE;
  const double epsilon = by_change ? o->change_rel : 0;
  bool moved = true, rests = false, done = false;
  while (moved && !rests && !done && !pki_lcp_exhausted(run)) {
    rests = pgs_sweep(run->p, run->z, epsilon, &moved);
    run->iterations++;
    if (!by_change && run->iterations % EVERY == 0) {
      done = pki_lcp_check(run);
    }
  }
  run->outcome = moved && !rests ? PK_LCP_OUTCOME_LIMIT : PK_LCP_OUTCOME_STALLED;
  if (!done) {
    pki_lcp_check(run);
  }
}

const pki_lcp_row pki_lcp_pgs = {.name = "pgs",
                                 .doc = "projected Gauss-Seidel, row by row",
                                 .reads = "stop change_rel",
                                 .solve = solve_pgs,
                                 .sweeps = true};
