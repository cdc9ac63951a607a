/* Block Gauss-Seidel: one contact after the other, each solved exactly.
 *
 * One contact, u = W r + q, with q_N < 0 (otherwise it opens and r = 0):
 *
 *   stick  r = -inv(W) q, if that lies in the cone;
 *   slip   u_N = 0 gives r_N = -(q_N + W_NT r_T)/W_NN and u_T = S r_T + b with the Schur complement
 *          S = W_TT - W_TN W_NT/W_NN, b = q_T - W_TN q_N/W_NN. Friction opposes slip, u_T = -a r_T:
 *          r_T = -inv(S + a 1) b, and a > 0 is the root of f(a) = |r_T| - mu r_N.
 *
 * For a to infinity f tends to mu q_N/W_NN < 0; at a = 0 it is positive, because sticking failed.
 * The root nearest to infinity is taken: it exists for any S, also in Painleve's region where S
 * is not positive. */
#include <math.h>

#include "contact/solver.h"

typedef struct slip {
  double S[4], b[2];
  double qn, wnt[2], wnn, mu;
} slip;

/* r at a; f comes back. */
static double slip_at(const slip *s, double a, double r[3])
{
  const double s00 = s->S[0] + a, s11 = s->S[3] + a;
  const double det = s00 * s11 - s->S[1] * s->S[2];
  r[1] = -(s11 * s->b[0] - s->S[1] * s->b[1]) / det;
  r[2] = -(s00 * s->b[1] - s->S[2] * s->b[0]) / det;
  r[0] = -(s->qn + s->wnt[0] * r[1] + s->wnt[1] * r[2]) / s->wnn;
  return hypot(r[1], r[2]) - s->mu * r[0];
}

/* The root of f with the larger a, between one where f < 0 and, going down, the first where f > 0. */
static void solve_slip(const slip *s, double r[3])
{
  const double scale = fabs(s->S[0]) + fabs(s->S[1]) + fabs(s->S[2]) + fabs(s->S[3]) + 1e-300;
  double hi = scale, lo;
  while (slip_at(s, hi, r) > 0) {
    hi *= 8;
    if (!isfinite(hi)) {
      return;
    }
  }
  lo = hi;
  for (int k = 0; k < 400 && !(slip_at(s, lo, r) > 0); k++) {
    hi = lo;
    lo *= lo > 1e-3 * scale ? 0.7 : 0.125;
  }
  /* a bracket of one sign change: Illinois steps, halving when they stall */
  double flo = slip_at(s, lo, r), fhi = slip_at(s, hi, r);
  for (int k = 0; k < 200 && hi - lo > 4e-16 * hi; k++) {
    double mid = k % 3 == 2 ? 0.5 * (lo + hi) : (lo * fhi - hi * flo) / (fhi - flo);
    if (!(mid > lo && mid < hi)) {
      mid = 0.5 * (lo + hi);
    }
    const double f = slip_at(s, mid, r);
    if (f == 0) {
      return;
    }
    if (f > 0) {
      lo = mid, flo = f, fhi *= 0.5;
    } else {
      hi = mid, fhi = f, flo *= 0.5;
    }
  }
  slip_at(s, hi, r);
  /* onto the rim to rounding: the law is exact there */
  const double size = hypot(r[1], r[2]), limit = s->mu * r[0];
  if (size > 0 && limit > 0) {
    r[1] *= limit / size, r[2] *= limit / size;
  }
}

void pki_solve_contact(const double W[9], const double q[3], double mu, double r[3])
{
  r[0] = r[1] = r[2] = 0;
  if (q[0] >= 0) {
    return;
  }
  const double wnn = W[0];
  if (mu == 0) {
    r[0] = -q[0] / wnn;
    return;
  }
  slip s = {.qn = q[0], .wnt = {W[1], W[2]}, .wnn = wnn, .mu = mu};
  for (int i = 0; i < 2; i++) {
    s.b[i] = q[1 + i] - W[3 * (1 + i)] * q[0] / wnn;
    for (int j = 0; j < 2; j++) {
      s.S[2 * i + j] = W[3 * (1 + i) + 1 + j] - W[3 * (1 + i)] * W[1 + j] / wnn;
    }
  }
  /* stick: a = 0 */
  const double det = s.S[0] * s.S[3] - s.S[1] * s.S[2];
  if (det > 0 && slip_at(&s, 0, r) <= 0) {
    return;
  }
  if (s.b[0] == 0 && s.b[1] == 0) {
    r[0] = -q[0] / wnn, r[1] = r[2] = 0;
    return;
  }
  solve_slip(&s, r);
}

/* Velocity of a row without what the rows of its own block give. */
static double without_own(const pk_contact_problem *p, int row, int first, int count, const double *r)
{
  double u = pki_row_dot(p, row, r) + p->q[row];
  for (int k = 0; k < count; k++) {
    u -= pki_entry(p, row, first + k) * r[first + k];
  }
  return u;
}

static void sweep(const pk_contact_problem *p, double *r)
{
  const int n = pk_contact_size(p);
  for (int i = 0; i < p->ncontact; i++) {
    double W[9], q[3];
    pki_block(p, i, W);
    for (int k = 0; k < 3; k++) {
      q[k] = without_own(p, 3 * i + k, 3 * i, 3, r);
    }
    pki_solve_contact(W, q, p->mu[i], r + 3 * i);
  }
  for (int i = 3 * p->ncontact; i < n; i++) {
    r[i] = pki_clamp_box(p, i, -without_own(p, i, i, 1, r) / pki_entry(p, i, i));
  }
}

enum { CHECK_EVERY = 2 };

void pki_solve_bgs(pki_solve *run)
{
  do {
    for (int k = 0; k < CHECK_EVERY && run->iterations < run->limit; k++, run->iterations++) {
      sweep(run->p, run->r);
    }
  } while (!pki_solve_check(run));
}
