/* Dense linear systems by LU with partial pivoting, plain doubles. */
#ifndef PKI_MATH_LU_H
#define PKI_MATH_LU_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/timer.h"

/* A [n][n] row-major becomes L (unit, below) and U; pivot[k] is the row that came to k. False when A is
 * singular to working precision, or when the timer (NULL: none) expires on the way. */
static inline bool pki_lu_factor_timed(double *A, int n, int *pivot, pki_timer *timer)
{
  const size_t w = (size_t)n;
  for (size_t k = 0; k < w; k++) {
    size_t best = k;
    if (timer != NULL && k % 16 == 0 && pki_timer_expired(timer)) {
      return false;
    }
    for (size_t i = k + 1; i < w; i++) {
      best = fabs(A[i * w + k]) > fabs(A[best * w + k]) ? i : best;
    }
    pivot[k] = (int)best;
    if (!(fabs(A[best * w + k]) > 0)) {
      return false;
    }
    for (size_t j = 0; j < w && best != k; j++) {
      const double swap = A[k * w + j];
      A[k * w + j] = A[best * w + j], A[best * w + j] = swap;
    }
    const double inverse = 1 / A[k * w + k];
    for (size_t i = k + 1; i < w; i++) {
      const double l = A[i * w + k] * inverse;
      A[i * w + k] = l;
      for (size_t j = k + 1; l != 0 && j < w; j++) {
        A[i * w + j] -= l * A[k * w + j];
      }
    }
  }
  return true;
}

static inline bool pki_lu_factor(double *A, int n, int *pivot)
{
  return pki_lu_factor_timed(A, n, pivot, NULL);
}

/* b := inv(A) b with that factor. */
static inline void pki_lu_solve(const double *A, int n, const int *pivot, double *b)
{
  const size_t w = (size_t)n;
  for (size_t k = 0; k < w; k++) {
    const double swap = b[k];
    b[k] = b[pivot[k]], b[pivot[k]] = swap;
  }
  for (size_t k = 0; k < w; k++) {
    for (size_t j = 0; j < k; j++) {
      b[k] -= A[k * w + j] * b[j];
    }
  }
  for (size_t k = w; k-- > 0;) {
    for (size_t j = k + 1; j < w; j++) {
      b[k] -= A[k * w + j] * b[j];
    }
    b[k] /= A[k * w + k];
  }
}

/* out [n][n] = inv(A) B with that factor; B NULL: the unit matrix. column [n] is scratch. False when the timer
 * (NULL: none) expires on the way. */
static inline bool pki_lu_divide_timed(const double *A, int n, const int *pivot, const double *B,
                                       double *column, double *out, pki_timer *timer)
{
  const size_t w = (size_t)n;
  for (size_t c = 0; c < w; c++) {
    if (timer != NULL && c % 16 == 0 && pki_timer_expired(timer)) {
      return false;
    }
    for (size_t i = 0; i < w; i++) {
      column[i] = B != NULL ? B[i * w + c] : i == c;
    }
    pki_lu_solve(A, n, pivot, column);
    for (size_t i = 0; i < w; i++) {
      out[i * w + c] = column[i];
    }
  }
  return true;
}

static inline void pki_lu_divide(const double *A, int n, const int *pivot, const double *B, double *column,
                                 double *out)
{
  (void)pki_lu_divide_timed(A, n, pivot, B, column, out, NULL);
}

/* out [n][n] = inv(A). */
static inline void pki_lu_invert(const double *A, int n, const int *pivot, double *column, double *out)
{
  pki_lu_divide(A, n, pivot, NULL, column, out);
}

#endif
