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

#endif
