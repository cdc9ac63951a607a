/* Linear complementarity problems: their checks, the certificate, what rays prove, z from states. */
#include "contact/lcp/lcp.h"

#include <math.h>

#include "contact/problem/problem.h"
#include "math/lu.h"

/* ---- bounds ---- */

int pki_lcp_friction(const pk_lcp *p, int i)
{
  return p->findex != NULL ? p->findex[i] : -1;
}

double pki_lcp_lower(const pk_lcp *p, int i)
{
  return p->lower != NULL ? p->lower[i] : 0;
}

double pki_lcp_upper(const pk_lcp *p, int i)
{
  return p->upper != NULL ? p->upper[i] : INFINITY;
}

void pki_lcp_bounds(const pk_lcp *p, const double *z, int i, double *lower, double *upper)
{
  const int f = pki_lcp_friction(p, i);
  const double by = f >= 0 ? fmax(z[f], 0) : 1;
  *lower = pki_lcp_lower(p, i), *upper = pki_lcp_upper(p, i);
  if (f >= 0) {
    *lower *= by, *upper *= by;
  }
}

double pki_lcp_start(const pk_lcp *p, int i)
{
  return pki_lcp_friction(p, i) >= 0 ? 0 : fmin(fmax(0, pki_lcp_lower(p, i)), pki_lcp_upper(p, i));
}

/* ---- checks ---- */

static pk_status check_bounds(const pk_lcp *p, int i, pk_error *err)
{
  const double lower = pki_lcp_lower(p, i), upper = pki_lcp_upper(p, i);
  const int f = pki_lcp_friction(p, i);
  const pki_where where = {.field = f >= 0 ? "findex" : "lower"};
  if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "row %d has bounds %g to %g, expected lower <= upper", i,
                    lower, upper);
  }
  if (f < -1 || f >= p->n) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "findex[%d] is %d, expected -1 to %d", i, f, p->n - 1);
  }
  if (f >= 0 && (pki_lcp_friction(p, f) >= 0 || !(pki_lcp_lower(p, f) >= 0))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "findex[%d] is %d, expected a row with a constant lower bound of 0 or more", i, f);
  }
  if (f >= 0 && (!(lower <= 0 && upper >= 0) || isinf(lower) || isinf(upper))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "friction row %d has coefficients %g and %g, expected finite lower <= 0 <= upper", i,
                    lower, upper);
  }
  return PK_OK;
}

pk_status pk_lcp_validate(const pk_lcp *p, pk_error *err)
{
  if (p->n < 0 || (p->lower == NULL) != (p->upper == NULL) || (p->findex != NULL && p->lower == NULL)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = p->n < 0 ? "n" : "lower"},
                    p->n < 0 ? "n is negative" : "expected both bounds or none, and with findex both");
  }
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) {
      if (!isfinite(p->M[(size_t)i * (size_t)p->n + (size_t)j])) {
        return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "M"}, "M[%d][%d] is not finite", i, j);
      }
    }
    if (!isfinite(p->q[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "q"}, "q[%d] is not finite", i);
    }
    const pk_status status = check_bounds(p, i, err);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* ---- the certificate ---- */

static const double *row_of(const pk_lcp *p, int i)
{
  return p->M + (size_t)i * (size_t)p->n;
}

double pki_lcp_scale(const pk_lcp *p)
{
  double scale = 0;
  for (int i = 0; i < p->n; i++) {
    const double *M = row_of(p, i);
    double w = p->q[i];
    for (int j = 0; j < p->n && p->lower != NULL; j++) {
      w += M[j] * pki_lcp_start(p, j);
    }
    scale = fabs(w) <= scale ? scale : fabs(w); /* not a number stays */
  }
  return scale;
}

double pki_lcp_row_residual(const pk_lcp *p, const double *z, double w, int i)
{
  const double *M = row_of(p, i);
  double d = 0, lower, upper;
  for (int j = 0; j < p->n; j++) {
    d = fmax(d, fabs(M[j]));
  }
  d = d > 0 ? d : 1;
  pki_lcp_bounds(p, z, i, &lower, &upper);
  /* in differences from z, so that a large z does not swallow a small w */
  const double step = fmin(fmax(-w / d, lower - z[i]), upper - z[i]);
  return isfinite(z[i]) && isfinite(w) ? d * fabs(step) : INFINITY;
}

static pk_lcp_certificate certify_lcp(const pk_lcp *p, const double *z, double scale, double *w)
{
  pk_lcp_certificate c = {.worst = -1};
  for (int i = 0; i < p->n; i++) {
    w[i] = pki_dot(row_of(p, i), z, p->n) + p->q[i];
  }
  for (int i = 0; i < p->n; i++) {
    const double residual = pki_lcp_row_residual(p, z, w[i], i);
    if (!(residual <= c.residual)) {
      c.residual = residual, c.worst = i;
    }
  }
  c.relative = c.residual > 0 ? c.residual / scale : 0;
  return c;
}

pk_lcp_certificate pk_lcp_certify(const pk_lcp *p, const double *z, double *w)
{
  return certify_lcp(p, z, pki_lcp_scale(p), w);
}

bool pki_lcp_check(pki_lcp_run *run)
{
  const double relative = certify_lcp(run->p, run->z, run->scale, run->w).relative;
  if (relative < run->at) {
    run->at = relative;
    for (int i = 0; i < run->p->n; i++) {
      run->best[i] = run->z[i];
    }
  }
  return run->at <= run->options->tolerance;
}

/* ---- rays ---- */

/* What w of a row must be at any solution: bit 0: not negative, bit 1: not positive. */
static int sign_of_w(const pk_lcp *p, int i)
{
  const bool bounded = pki_lcp_friction(p, i) >= 0;
  return (!bounded && isinf(pki_lcp_upper(p, i)) ? 1 : 0) | (!bounded && isinf(pki_lcp_lower(p, i)) ? 2 : 0);
}

/* g = (M'v)_i and the sum of its moduli. */
static double column_dot(const pk_lcp *p, const double *v, int i, double *moduli)
{
  double sum = 0;
  for (int j = 0; j < p->n; j++) {
    const double term = row_of(p, j)[i] * v[j];
    sum += term, *moduli += fabs(term);
  }
  return sum;
}

/* The most that z_i and its friction rows can add to v'M z; false: there is no bound. */
static bool most_of_column(const pk_lcp *p, const double *v, int i, double *most, double *moduli)
{
  double size = 0, g = column_dot(p, v, i, &size);
  for (int k = 0; k < p->n && p->findex != NULL; k++) {
    if (p->findex[k] == i) {
      const double t = column_dot(p, v, k, &size);
      g += fmax(t * p->lower[k], t * p->upper[k]);
    }
  }
  const double lower = pki_lcp_lower(p, i), upper = pki_lcp_upper(p, i), noise = 1e-12 * size;
  if ((g > noise && isinf(upper)) || (g < -noise && isinf(lower))) {
    return false;
  }
  const double down = isinf(lower) ? -INFINITY : g * lower, up = isinf(upper) ? -INFINITY : g * upper;
  const double add = isinf(lower) && isinf(upper) ? 0 : fmax(down, up);
  *most += add, *moduli += fabs(add);
  return true;
}

bool pk_lcp_proves_infeasible(const pk_lcp *p, const double *v)
{
  double most = 0, moduli = 0;
  for (int i = 0; i < p->n; i++) {
    const int sign = sign_of_w(p, i);
    if (!isfinite(v[i]) || (v[i] > 0 && !(sign & 1)) || (v[i] < 0 && !(sign & 2))) {
      return false;
    }
    most += v[i] * p->q[i], moduli += fabs(v[i] * p->q[i]);
  }
  for (int i = 0; i < p->n; i++) {
    if (pki_lcp_friction(p, i) < 0 && !most_of_column(p, v, i, &most, &moduli)) {
      return false;
    }
  }
  return most < -1e-12 * moduli;
}

void pki_lcp_note_ray(pki_lcp_run *run, const double *v)
{
  double size = 0;
  for (int i = 0; i < run->p->n; i++) {
    size = fmax(size, fabs(v[i]));
  }
  for (int i = 0; i < run->p->n; i++) {
    const int sign = sign_of_w(run->p, i);
    const bool kept = fabs(v[i]) > 1e-13 * size && ((v[i] > 0 && (sign & 1)) || (v[i] < 0 && (sign & 2)));
    run->ray[i] = kept ? v[i] / size : 0;
  }
  run->has_ray = true;
  run->proven = pk_lcp_proves_infeasible(run->p, run->ray);
  run->outcome = run->proven ? PK_LCP_OUTCOME_INFEASIBLE : PK_LCP_OUTCOME_RAY;
}

/* ---- z from states ---- */

static double bound_of(const pk_lcp *p, int i, pki_lcp_state state)
{
  return state == PKI_LCP_LOWER ? pki_lcp_lower(p, i) : pki_lcp_upper(p, i);
}

void pki_lcp_state_row(const pk_lcp *p, int i, pki_lcp_state state, double *row)
{
  const double *M = row_of(p, i);
  for (int j = 0; j < p->n; j++) {
    row[j] = state == PKI_LCP_INNER ? M[j] : 0;
  }
  if (state != PKI_LCP_INNER) {
    const int f = pki_lcp_friction(p, i);
    row[i] = 1;
    if (f >= 0 && state != PKI_LCP_FIXED) {
      row[f] = -bound_of(p, i, state);
    }
  }
}

double pki_lcp_state_value(const pk_lcp *p, int i, pki_lcp_state state, double z)
{
  return state == PKI_LCP_INNER        ? -p->q[i]
         : state == PKI_LCP_FIXED      ? z
         : pki_lcp_friction(p, i) >= 0 ? 0
                                       : bound_of(p, i, state);
}

pki_lcp_polisher pki_lcp_polisher_take(pki_arena *arena, int n)
{
  const size_t size = (size_t)n;
  pki_lcp_polisher s;
  s.T = pki_arena_take(arena, size * size, sizeof *s.T);
  s.dz = pki_arena_take(arena, size, sizeof *s.dz);
  s.pivot = pki_arena_take(arena, size, sizeof *s.pivot);
  return s;
}

/* b_i - T_i z, in extended precision */
static double refined_defect(const pk_lcp *p, int i, pki_lcp_state state, const double *z)
{
  const int f = pki_lcp_friction(p, i);
  long double sum = pki_lcp_state_value(p, i, state, z[i]);
  if (state == PKI_LCP_INNER) {
    const double *M = row_of(p, i);
    for (int j = 0; j < p->n; j++) {
      sum -= (long double)M[j] * z[j];
    }
    return (double)sum;
  }
  sum -= z[i];
  return (double)(f >= 0 && state != PKI_LCP_FIXED ? sum + (long double)bound_of(p, i, state) * z[f] : sum);
}

static void clamp_all(const pk_lcp *p, double *z)
{
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < p->n; i++) {
      double lower, upper;
      if ((pki_lcp_friction(p, i) >= 0) == (pass == 1)) {
        pki_lcp_bounds(p, z, i, &lower, &upper);
        z[i] = fmin(fmax(z[i], lower), upper);
      }
    }
  }
}

bool pki_lcp_polish(const pki_lcp_run *run, const pki_lcp_state *state, const pki_lcp_polisher *s, double *z)
{
  const pk_lcp *p = run->p;
  enum { ROUNDS = 4 };
  const int n = p->n;
  for (int i = 0; i < n; i++) {
    pki_lcp_state_row(p, i, state[i], s->T + (size_t)i * (size_t)n);
  }
  if (!pki_lu_factor_timed(s->T, n, s->pivot, run->timer)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    z[i] = state[i] == PKI_LCP_FIXED ? z[i] : 0;
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < n; i++) {
      s->dz[i] = refined_defect(p, i, state[i], z);
    }
    pki_lu_solve(s->T, n, s->pivot, s->dz);
    for (int i = 0; i < n; i++) {
      z[i] += s->dz[i];
    }
  }
  clamp_all(p, z);
  return true;
}
