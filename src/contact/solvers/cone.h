/* The second-order cone x_0 >= |(x_1, x_2)| and its Jordan product, for interior points (ipm.c). */
#ifndef PKI_CONTACT_SOLVERS_CONE_H
#define PKI_CONTACT_SOLVERS_CONE_H

#include <math.h>

/* Entries are of the size of 1: nothing overflows. */
static inline double pki_cone_length(double x, double y)
{
  return sqrt(x * x + y * y);
}

static inline double pki_cone_gap(const double *x)
{
  const double t = pki_cone_length(x[1], x[2]);
  return (x[0] - t) * (x[0] + t); /* x'Jx, J = diag(1, -1, -1) */
}

static inline void pki_jordan_product(const double *a, const double *b, double *out)
{
  const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const double t1 = a[0] * b[1] + b[0] * a[1], t2 = a[0] * b[2] + b[0] * a[2];
  out[0] = dot, out[1] = t1, out[2] = t2;
}

/* out with l o out = b. */
static inline void pki_jordan_divide(const double *l, const double *b, double *out)
{
  const double gap = pki_cone_gap(l), lb = l[1] * b[1] + l[2] * b[2];
  const double o0 = (l[0] * b[0] - lb) / gap;
  out[1] = (b[1] - l[1] * o0) / l[0];
  out[2] = (b[2] - l[2] * o0) / l[0];
  out[0] = o0;
}

/* G a = beta (w0 a0 + w'a, w a0 + a + w (w'a)/(1 + w0)); its inverse is the same with -w and 1/beta. */
static inline void pki_cone_scale(const double *w, double beta, double sign, const double *a, double *out)
{
  const double wa = sign * (w[1] * a[1] + w[2] * a[2]), k = sign * (a[0] + wa / (1 + w[0]));
  const double scale = sign > 0 ? beta : 1 / beta;
  const double o0 = w[0] * a[0] + wa, o1 = a[1] + k * w[1], o2 = a[2] + k * w[2];
  out[0] = scale * o0, out[1] = scale * o1, out[2] = scale * o2;
}

/* The longest step from x along dx that stays in the cone, at most 1e30. */
static inline double pki_cone_reach(const double *x, const double *dx)
{
  /* (x + a dx)'J(x + a dx) = c + 2 b a + e a^2 = 0, the smallest positive root */
  const double c = pki_cone_gap(x), b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
  const double e = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2], disc = b * b - e * c;
  double reach = 1e30;
  if (e < 0) {
    reach = b > 0 ? (-b - sqrt(disc)) / e : c / (sqrt(disc) - b);
  } else if (b < 0 && disc >= 0) {
    reach = c / (sqrt(disc) - b);
  }
  return dx[0] < 0 ? fmin(reach, -x[0] / dx[0]) : reach;
}

#endif
