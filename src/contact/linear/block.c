/* One contact, u = W r + q, with q_N < 0 (otherwise it opens and r = 0):
 *
 *   stick  r = -inv(W) q, if that lies in the cone;
 *   slip   u_N = 0 gives r_N = -(q_N + W_NT r_T)/W_NN and u_T = S r_T + b with the Schur complement
 *          S = W_TT - W_TN W_NT/W_NN, b = q_T - W_TN q_N/W_NN. Friction opposes slip, u_T = -a r_T:
 *          r_T = -inv(S + a 1) b, and a > 0 is the root of f(a) = |r_T| - mu r_N.
 *
 * For a to infinity f tends to mu q_N/W_NN < 0; at a = 0 it is positive, because sticking failed.
 * The root nearest to infinity exists for any S, also in Painleve's region where S is not
 * positive. Newton's method on mu r_N/|r_T| = 1, which is linear in a for a ball, finds it in a few steps from
 * the a of the last sweep; where it does not, a bracket is searched from infinity down.
 */
#include "contact/linear/block.h"

#include <math.h>
#include <string.h>

void pki_local_prepare(const double W[9], double mu, pki_local *k)
{
  memcpy(k->W, W, sizeof k->W);
  k->mu = mu, k->a = 0, k->inv_wnn = 1 / W[0];
  for (int i = 0; i < 2; i++) {
    k->wnt[i] = W[1 + i] * k->inv_wnn, k->wtn[i] = W[3 * (1 + i)] * k->inv_wnn;
  }
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      k->S[2 * i + j] = W[3 * (1 + i) + 1 + j] - k->wtn[i] * W[1 + j];
    }
  }
  const double det = k->S[0] * k->S[3] - k->S[1] * k->S[2];
  k->regular = det > 0;
  k->inverse[0] = k->S[3] / det, k->inverse[1] = -k->S[1] / det;
  k->inverse[2] = -k->S[2] / det, k->inverse[3] = k->S[0] / det;
}

/* r_N from r_T, with u_N = 0. */
static double normal_of(const pki_local *k, double qn, const double *rt)
{
  return -qn * k->inv_wnn - (k->wnt[0] * rt[0] + k->wnt[1] * rt[1]);
}

/* r at a; returns f. */
static double slip_impulse_at(const pki_local *k, double qn, const double b[2], double a, double r[3])
{
  const double s00 = k->S[0] + a, s11 = k->S[3] + a;
  const double inv = 1 / (s00 * s11 - k->S[1] * k->S[2]);
  r[1] = -(s11 * b[0] - k->S[1] * b[1]) * inv;
  r[2] = -(s00 * b[1] - k->S[2] * b[0]) * inv;
  r[0] = normal_of(k, qn, r + 1);
  return sqrt(r[1] * r[1] + r[2] * r[2]) - k->mu * r[0];
}

/* Friction onto the rim to rounding: the law is exact there. */
static void project_onto_rim(double mu, double r[3])
{
  const double size = sqrt(r[1] * r[1] + r[2] * r[2]), limit = mu * r[0];
  if (size > 0 && limit > 0) {
    r[1] *= limit / size, r[2] *= limit / size;
  }
}

/* Newton on mu r_N/|r_T| - 1 = 0 from the last a; false when it does not come to a root. */
static bool warm_started_slip(pki_local *k, double qn, const double b[2], double r[3])
{
  double a = k->a;
  if (!k->regular) {
    return false;
  }
  for (int step = 0; step < 10; step++) {
    const double s00 = k->S[0] + a, s11 = k->S[3] + a;
    slip_impulse_at(k, qn, b, a, r);
    const double size = sqrt(r[1] * r[1] + r[2] * r[2]), inv = 1 / (s00 * s11 - k->S[1] * k->S[2]);
    const double h = k->mu * r[0] / size - 1;
    if (fabs(h) < 1e-14) {
      k->a = a;
      return r[0] > 0;
    }
    /* r_T' = -inv(S + a 1) r_T, r_N' = -W_NT r_T'/W_NN */
    const double d[2] = {-(s11 * r[1] - k->S[1] * r[2]) * inv, -(s00 * r[2] - k->S[2] * r[1]) * inv};
    const double dn = -(k->wnt[0] * d[0] + k->wnt[1] * d[1]);
    const double slope = k->mu * (dn - r[0] * (r[1] * d[0] + r[2] * d[1]) / (size * size)) / size;
    const double next = a - h / slope;
    if (!(next >= 0) || !(slope > 0) || !isfinite(next)) {
      return false;
    }
    if (fabs(next - a) <= 1e-16 * next) {
      k->a = a;
      return r[0] > 0 && fabs(h) < 1e-12;
    }
    a = next;
  }
  return false;
}

/* The root of f with the larger a, between one where f < 0 and, going down, the first where f > 0. */
static void solve_slip(pki_local *k, double qn, const double b[2], double r[3])
{
  const double scale = fabs(k->S[0]) + fabs(k->S[1]) + fabs(k->S[2]) + fabs(k->S[3]) + 1e-300;
  double hi = scale, lo;
  while (slip_impulse_at(k, qn, b, hi, r) > 0) {
    hi *= 8;
    if (!isfinite(hi)) {
      return;
    }
  }
  lo = hi;
  for (int step = 0; step < 400 && !(slip_impulse_at(k, qn, b, lo, r) > 0); step++) {
    hi = lo;
    lo *= lo > 1e-3 * scale ? 0.7 : 0.125;
  }
  /* a bracket of one sign change: Illinois steps, halving when they stall */
  double flo = slip_impulse_at(k, qn, b, lo, r), fhi = slip_impulse_at(k, qn, b, hi, r);
  for (int step = 0; step < 200 && hi - lo > 4e-16 * hi; step++) {
    double mid = step % 3 == 2 ? 0.5 * (lo + hi) : (lo * fhi - hi * flo) / (fhi - flo);
    if (!(mid > lo && mid < hi)) {
      mid = 0.5 * (lo + hi);
    }
    const double f = slip_impulse_at(k, qn, b, mid, r);
    if (f == 0) {
      lo = hi = mid;
    } else if (f > 0) {
      lo = mid, flo = f, fhi *= 0.5;
    } else {
      hi = mid, fhi = f, flo *= 0.5;
    }
  }
  k->a = hi;
  slip_impulse_at(k, qn, b, hi, r);
}

void pki_local_solve(pki_local *k, const double q[3], double r[3])
{
  r[0] = r[1] = r[2] = 0;
  if (q[0] >= 0) {
    return;
  }
  if (k->mu == 0) {
    r[0] = -q[0] * k->inv_wnn;
    return;
  }
  const double b[2] = {q[1] - k->wtn[0] * q[0], q[2] - k->wtn[1] * q[0]};
  if (k->regular) {
    r[1] = -(k->inverse[0] * b[0] + k->inverse[1] * b[1]);
    r[2] = -(k->inverse[2] * b[0] + k->inverse[3] * b[1]);
    r[0] = normal_of(k, q[0], r + 1);
    if (r[0] >= 0 && r[1] * r[1] + r[2] * r[2] <= k->mu * k->mu * r[0] * r[0]) {
      return; /* it sticks */
    }
  }
  if (b[0] == 0 && b[1] == 0) {
    r[0] = -q[0] * k->inv_wnn, r[1] = r[2] = 0;
    return;
  }
  if (!warm_started_slip(k, q[0], b, r)) {
    solve_slip(k, q[0], b, r);
  }
  project_onto_rim(k->mu, r);
}

void pki_solve_contact(const double W[9], const double q[3], double mu, double r[3])
{
  pki_local k;
  pki_local_prepare(W, mu, &k);
  pki_local_solve(&k, q, r);
}
