/* The Delassus matrix from the factor M = L' D L: rows J on paths of the elimination tree,
 *
 *   Y = inv(L') J',   Z = inv(D) Y,   W_ij = Y_i' Z_j.
 *
 * Y stays on the path (src/contact/assembly.h). Contacts have three rows on one path: three at a time. */
#include "dynamics/kernels/body.h"
#include "dynamics/kernels/declare.h"

PKI_INLINE void whiten(const pki_work *w, const int *path, int n, int stride, double *restrict Y,
                       double *restrict Z, int count)
{
  const pk_model *m = w->model;
  pk_r *restrict const y = pki_out(Y);
  pk_r *restrict const z = pki_out(Z);
  for (int k = n - 1; k >= 0; k--) {
    const int from = m->M_row[path[k]], above = m->M_row[path[k] + 1] - from - 1;
    const pk_r *restrict const L = pki_reals(w->M) + from;
    pk_r yk[3];
    for (int d = 0; d < count; d++) {
      yk[d] = y[d * stride + k];
      z[d * stride + k] = yk[d] * L[above];
    }
    if (above == k) { /* the unknown's columns are the whole path above it */
      for (int d = 0; d < count; d++) {
        for (int e = 0; e < above; e++) {
          y[d * stride + e] -= L[e] * yk[d];
        }
      }
      continue;
    }
    for (int e = 0, t = 0; e < above; e++, t++) {
      while (path[t] != m->M_col[from + e]) {
        t++;
      }
      for (int d = 0; d < count; d++) {
        y[d * stride + t] -= L[e] * yk[d];
      }
    }
  }
}

void PKI_NAME(whiten)(const pki_work *w, const int *path, int n, int count, int stride, double *Y, double *Z)
{
  if (count == 3) {
    whiten(w, path, n, stride, Y, Z, 3);
  } else {
    whiten(w, path, n, stride, Y, Z, 1);
  }
}

void PKI_NAME(gram)(int n, int stride, const double *Y, const double *Z, double *block)
{
  const pk_r *const y = pki_reals(Y), *const z = pki_reals(Z);
  pk_r s[9];
  for (int i = 0; i < 9; i++) {
    s[i] = pki_splat(0);
  }
  for (int e = 0; e < n; e++) {
    const pk_r y0 = y[e], y1 = y[stride + e], y2 = y[2 * stride + e];
    const pk_r z0 = z[e], z1 = z[stride + e], z2 = z[2 * stride + e];
    s[0] += y0 * z0, s[1] += y0 * z1, s[2] += y0 * z2;
    s[3] += y1 * z0, s[4] += y1 * z1, s[5] += y1 * z2;
    s[6] += y2 * z0, s[7] += y2 * z1, s[8] += y2 * z2;
  }
  pk_r *const out = pki_out(block);
  for (int i = 0; i < 9; i++) {
    out[i] = s[i];
  }
}
