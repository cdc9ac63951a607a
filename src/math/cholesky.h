/* Small symmetric positive definite systems, plain doubles. */
#ifndef PKI_MATH_CHOLESKY_H
#define PKI_MATH_CHOLESKY_H

#include <math.h>

/* A = L L', lower triangle in place; rows of A are `stride` apart. */
static inline void pki_cholesky(double *A, int n, int stride)
{
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double sum = A[i * stride + j];
      for (int k = 0; k < j; k++) {
        sum -= A[i * stride + k] * A[j * stride + k];
      }
      A[i * stride + j] = i == j ? sqrt(sum) : sum / A[j * stride + j];
    }
  }
}

/* X := inv(L L') X with that factor, X [n][columns]. */
static inline void pki_cholesky_solve(const double *L, int n, int stride, double *X, int columns)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      for (int j = 0; j < columns; j++) {
        X[i * columns + j] -= L[i * stride + k] * X[k * columns + j];
      }
    }
    for (int j = 0; j < columns; j++) {
      X[i * columns + j] /= L[i * stride + i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      for (int j = 0; j < columns; j++) {
        X[i * columns + j] -= L[k * stride + i] * X[k * columns + j];
      }
    }
    for (int j = 0; j < columns; j++) {
      X[i * columns + j] /= L[i * stride + i];
    }
  }
}

#endif
