#include "math/svd.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* Make columns p and q of A orthogonal; V follows. Whether they were not. Columns that are no longer than `zero` are rounding errors, in
 * no direction. */
static bool rotate_pair(double *A, double *V, size_t n, size_t p, size_t q, double zero)
{
  double a = 0, b = 0, c = 0;
  for (size_t i = 0; i < n; i++) {
    a += A[i * n + p] * A[i * n + p];
    b += A[i * n + q] * A[i * n + q];
    c += A[i * n + p] * A[i * n + q];
  }
  if (!(fabs(c) > 4 * DBL_EPSILON * sqrt(a * b)) || fmin(a, b) <= zero * zero) {
    return false;
  }
  const double zeta = (b - a) / (2 * c);
  const double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)), cosine = 1 / hypot(1, t),
               sine = cosine * t;
  for (size_t i = 0; i < n; i++) {
    const double x = A[i * n + p], y = A[i * n + q], v = V[i * n + p], w = V[i * n + q];
    A[i * n + p] = cosine * x - sine * y, A[i * n + q] = sine * x + cosine * y;
    V[i * n + p] = cosine * v - sine * w, V[i * n + q] = sine * v + cosine * w;
  }
  return true;
}

static void swap_columns(double *M, size_t n, size_t p, size_t q)
{
  for (size_t i = 0; i < n; i++) {
    const double swap = M[i * n + p];
    M[i * n + p] = M[i * n + q], M[i * n + q] = swap;
  }
}

/* Lengths of the columns, the longest first. */
static void sort_columns(double *A, size_t n, double *S, double *V)
{
  for (size_t k = 0; k < n; k++) {
    S[k] = 0;
    for (size_t i = 0; i < n; i++) {
      S[k] = hypot(S[k], A[i * n + k]);
    }
  }
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < n; j++) {
      best = S[j] > S[best] ? j : best;
    }
    const double swap = S[k];
    S[k] = S[best], S[best] = swap;
    swap_columns(A, n, k, best);
    swap_columns(V, n, k, best);
  }
}

bool pki_svd(double *A, int n, double *S, double *V)
{
  const size_t w = (size_t)n;
  bool turned = true;
  double norm = 0;
  for (size_t i = 0; i < w * w; i++) {
    V[i] = i % (w + 1) == 0;
    norm = hypot(norm, A[i]);
    if (!isfinite(A[i])) {
      return false;
    }
  }
  for (int sweep = 0; sweep < 60 && turned; sweep++) {
    turned = false;
    for (size_t p = 0; p + 1 < w; p++) {
      for (size_t q = p + 1; q < w; q++) {
        turned = rotate_pair(A, V, w, p, q, DBL_EPSILON * norm) || turned;
      }
    }
  }
  sort_columns(A, w, S, V);
  return !turned;
}
