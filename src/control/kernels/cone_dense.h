/* Dense symmetric matrices on lanes: A = U' D U with U unit upper triangular, products, solutions.
 *
 * Rows are `pitch` numbers apart. Inner loops run along rows, so that they are vectors with one lane too. */
#ifndef PKI_CONTROL_CONE_DENSE_H
#define PKI_CONTROL_CONE_DENSE_H

#include "math/lane.h"

/* a -= l u from k on */
PKI_INLINE void pki_cone_axpy(int k, int n, pk_r l, const pk_r *restrict u, pk_r *restrict a)
{
  for (; k < n; k++) {
    a[k] = a[k] - l * u[k];
  }
}

/* The upper triangle of A becomes D U; inverse [n]: 1/D. Four rows are taken from what follows them at a time. */
static inline void pki_cone_factor(pk_r *A, int n, size_t pitch, pk_r *inverse)
{
  for (int first = 0; first < n; first += 4) {
    const int end = first + 4 < n ? first + 4 : n;
    for (int j = first; j < end; j++) {
      const pk_r *row = A + (size_t)j * pitch;
      inverse[j] = 1.0 / row[j];
      for (int i = j + 1; i < end; i++) {
        pki_cone_axpy(i, n, row[i] * inverse[j], row, A + (size_t)i * pitch);
      }
    }
    const pk_r *restrict u0 = A + (size_t)first * pitch, *restrict u1 = u0 + pitch, *restrict u2 = u1 + pitch,
                         *restrict u3 = u2 + pitch;
    for (int i = end; i < n; i++) {
      const pk_r l0 = u0[i] * inverse[first], l1 = u1[i] * inverse[first + 1],
                 l2 = u2[i] * inverse[first + 2], l3 = u3[i] * inverse[first + 3];
      pk_r *restrict a = A + (size_t)i * pitch;
      for (int k = i; k < n; k++) {
        a[k] = a[k] - l0 * u0[k] - l1 * u1[k] - l2 * u2[k] - l3 * u3[k];
      }
    }
  }
}

/* x := inv(A) x by that factor. */
static inline void pki_cone_substitute(const pk_r *A, int n, size_t pitch, const pk_r *inverse, pk_r *x)
{
  for (int j = 0; j < n; j++) {
    pki_cone_axpy(j + 1, n, x[j] * inverse[j], A + (size_t)j * pitch, x);
  }
  for (int j = n - 1; j >= 0; j--) {
    const pk_r *row = A + (size_t)j * pitch;
    pk_r sum[4] = {x[j], pki_splat(0), pki_splat(0), pki_splat(0)};
    int k = j + 1;
    for (; k + 4 <= n; k += 4) {
      for (int e = 0; e < 4; e++) {
        sum[e] = sum[e] - row[k + e] * x[k + e];
      }
    }
    for (; k < n; k++) {
      sum[0] = sum[0] - row[k] * x[k];
    }
    x[j] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * inverse[j];
  }
}

/* out = H x, all of H being there; four rows at a time. */
static inline void pki_cone_multiply(const pk_r *H, int n, size_t pitch, const pk_r *x, pk_r *restrict out)
{
  for (int k = 0; k < n; k++) {
    out[k] = pki_splat(0);
  }
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const pk_r *restrict h0 = H + (size_t)j * pitch, *restrict h1 = h0 + pitch, *restrict h2 = h1 + pitch,
                         *restrict h3 = h2 + pitch;
    const pk_r x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
    for (int k = 0; k < n; k++) {
      out[k] = out[k] + h0[k] * x0 + h1[k] * x1 + h2[k] * x2 + h3[k] * x3;
    }
  }
  for (; j < n; j++) {
    pki_cone_axpy(0, n, -x[j], H + (size_t)j * pitch, out);
  }
}

#endif
