#include "contact/lcp/norm_cone.h"

#include <math.h>
#include <string.h>

#include "contact/lcp/lcp.h"
#include "contact/problem/problem.h"

static const double *row_of(const pk_lcp *p, int i)
{
  return p->M + (size_t)i * (size_t)p->n;
}

static double velocity_of_row(const pk_lcp *p, int i, const double *z)
{
  return pki_dot(row_of(p, i), z, p->n) + p->q[i];
}

/* The most that |z_T| may be at the slip w_T. */
static double friction_bound(const pki_norm_cone *p, int contact, const double *z, const double slip[2])
{
  const int n = 3 * contact;
  return z[n] > 0 ? pki_lcp_upper(p->lcp, n + 1) * z[n] + p->drag[contact] * hypot(slip[0], slip[1]) : 0;
}

/* d |z_T - clip(z_T - w_T / d)|: where nothing is clipped that is |w_T|, whatever the size of z. */
static double tangential_residual(const pki_norm_cone *p, int contact, const double *z, const double *w)
{
  const int t = 3 * contact + 1;
  double d = 0;
  for (int j = 0; j < p->lcp->n; j++) {
    d = fmax(d, fmax(fabs(row_of(p->lcp, t)[j]), fabs(row_of(p->lcp, t + 1)[j])));
  }
  d = d > 0 ? d : 1;
  const double x = z[t] - w[t] / d, y = z[t + 1] - w[t + 1] / d;
  const double size = hypot(x, y), bound = friction_bound(p, contact, z, w + t);
  if (!isfinite(size)) {
    return INFINITY;
  }
  return size <= bound ? hypot(w[t], w[t + 1])
                       : d * hypot(x * bound / size - z[t], y * bound / size - z[t + 1]);
}

static void note_residual(pk_lcp_certificate *c, double residual, int row)
{
  if (!(residual <= c->residual)) {
    c->residual = residual, c->worst = row;
  }
}

pk_lcp_certificate pki_norm_cone_certify(const pki_norm_cone *p, const double *z, double scale, double *w)
{
  pk_lcp_certificate c = {.worst = -1};
  const int n = p->lcp->n, first = 3 * p->contacts;
  for (int i = 0; i < n; i++) {
    w[i] = velocity_of_row(p->lcp, i, z);
  }
  for (int i = 0; i < n; i++) {
    if (i < first && i % 3 > 0) {
      continue;
    }
    note_residual(&c, pki_lcp_row_residual(p->lcp, z, w[i], i), i);
    if (i < first) {
      note_residual(&c, tangential_residual(p, i / 3, z, w), i + 1);
    }
  }
  c.relative = c.residual > 0 ? c.residual / scale : 0;
  return c;
}

/* Steps 9 to 11 of one contact. */
static void step_tangents(const pki_norm_cone *p, int contact, double *z)
{
  const int t = 3 * contact + 1;
  const double mean = 0.5 * (row_of(p->lcp, t)[t] + row_of(p->lcp, t + 1)[t + 1]);
  const double slip[2] = {velocity_of_row(p->lcp, t, z), velocity_of_row(p->lcp, t + 1, z)};
  const double bound = friction_bound(p, contact, z, slip);
  if (!(bound > 0) || !(mean > 0)) {
    z[t] = z[t + 1] = 0;
    return;
  }
  const double x = z[t] - slip[0] / mean, y = z[t + 1] - slip[1] / mean, size = hypot(x, y);
  const double part = size > bound ? bound / size : 1;
  z[t] = part * x, z[t + 1] = part * y;
}

/* One sweep; returns whether (4.39) holds, and in *moved whether anything changed and stayed finite. `before` is scratch. */
static bool sweep_contacts(const pki_norm_cone *p, double *z, double epsilon, double *before, bool *moved)
{
  double change = 0, norm = 0;
  memcpy(before, z, (size_t)p->lcp->n * sizeof *z);
  for (int i = 0; i < p->lcp->n; i++) {
    const bool contact = i < 3 * p->contacts;
    if (!contact || i % 3 == 0) {
      z[i] = pki_lcp_pgs_step(p->lcp, z, i);
    }
    if (contact && i % 3 == 0) {
      step_tangents(p, i / 3, z);
    }
  }
  for (int i = 0; i < p->lcp->n; i++) {
    change += (z[i] - before[i]) * (z[i] - before[i]), norm += z[i] * z[i];
  }
  *moved = change > 0 && change < INFINITY;
  return change <= epsilon * epsilon * norm;
}

/* Keep z where it is the best so far; true when the tolerance is met. */
static bool keep_best(const pki_norm_cone *p, double tolerance, double scale, const double *z, double *best,
                      double *w, pk_lcp_certificate *least)
{
  const pk_lcp_certificate now = pki_norm_cone_certify(p, z, scale, w);
  if (now.residual < least->residual) {
    *least = now;
    memcpy(best, z, (size_t)p->lcp->n * sizeof *z);
  }
  return least->relative <= tolerance;
}

void pki_norm_cone_solve(const pki_norm_cone *p, const pk_lcp_options *o, double scale, double *z,
                         double *best, double *w, pk_lcp_result *result)
{
  enum { EVERY = 5 }; /* sweeps between looks at the residual */
  const bool by_change = o->stop == PK_SOLVER_STOP_CHANGE;
  pk_lcp_certificate least = {.residual = INFINITY, .relative = INFINITY, .worst = -1};
  bool moved = true, rests = false;
  *result = (pk_lcp_result){.outcome = PK_LCP_OUTCOME_STALLED};
  memcpy(best, z, (size_t)p->lcp->n * sizeof *z);
  bool solved = !by_change && keep_best(p, o->tolerance, scale, z, best, w, &least);
  while (moved && !rests && !solved && result->iterations < o->max_iterations) {
    rests = sweep_contacts(p, z, by_change ? o->change_rel : 0, w, &moved);
    result->iterations++;
    solved = !by_change && result->iterations % EVERY == 0 &&
             keep_best(p, o->tolerance, scale, z, best, w, &least);
  }
  if (!solved) {
    solved = keep_best(p, o->tolerance, scale, z, best, w, &least);
  }
  memcpy(z, best, (size_t)p->lcp->n * sizeof *z);
  result->certificate = least;
  result->outcome = solved                                    ? PK_LCP_OUTCOME_SOLVED
                    : result->iterations >= o->max_iterations ? PK_LCP_OUTCOME_LIMIT
                                                              : PK_LCP_OUTCOME_STALLED;
}
