/* The matrix of a Newton step, in place of g->A, one in each lane: its rows, its factors without pivots, and the two triangular solves.
 * Its last column is the right side. */
#ifndef PKI_STEP_NEWTON_MATRIX_H
#define PKI_STEP_NEWTON_MATRIX_H

#include "step/kernels/lanes.h"

/* Numbers of a row that one world takes at once, and pivots that a row takes in one pass. */
enum { PKI_ALONG = 8, PKI_PANEL = 4 };

/* From row to row of the matrix, whose last column is the right side: one world's rows are whole vectors. */
PKI_INLINE int pki_matrix_stride(int rows)
{
  return PKI_LANES == 1 ? (rows + PKI_ALONG) / PKI_ALONG * PKI_ALONG : rows + 1;
}

PKI_INLINE pk_r *pki_matrix(const pki_group *g, int rows, int i, int j)
{
  return pki_out(g->A) + i * pki_matrix_stride(rows) + j;
}

/* The right side of row i. */
PKI_INLINE pk_r *pki_right(const pki_group *g, int rows, int i)
{
  return pki_matrix(g, rows, i, rows);
}

/* Row -= f0 p0, then f1 p1, f2 p2, f3 p3, from a column on, which is a multiple of PKI_PANEL. One world goes along the row, as many
 * numbers at a time as a vector holds; each of them takes the same operations in the same order as a lane's. */
#if PKI_LANES == 1
typedef double pki_along4 __attribute__((vector_size(32), aligned(32)));
typedef double pki_along8 __attribute__((vector_size(64), aligned(64)));

#define PKI_TAKE_PIVOTS(type, at) \
  type x = *(const type *)(const void *)(row + (at)); \
  x -= f[0] * *(const type *)(const void *)(p[0] + (at)); \
  x -= f[1] * *(const type *)(const void *)(p[1] + (at)); \
  x -= f[2] * *(const type *)(const void *)(p[2] + (at)); \
  x -= f[3] * *(const type *)(const void *)(p[3] + (at)); \
  *(type *)(void *)(row + (at)) = x

PKI_INLINE void pki_take_pivots(pk_r *row, const pk_r f[PKI_PANEL], const pk_r *const p[PKI_PANEL], int from,
                                int n)
{
  int j = from;
  if (j % PKI_ALONG != 0 && j < n) {
    PKI_TAKE_PIVOTS(pki_along4, j);
    j += PKI_PANEL;
  }
  for (; j < n; j += PKI_ALONG) {
    PKI_TAKE_PIVOTS(pki_along8, j);
  }
}
#else
PKI_INLINE void pki_take_pivots(pk_r *row, const pk_r f[PKI_PANEL], const pk_r *const p[PKI_PANEL], int from,
                                int n)
{
  for (int j = from; j < n; j++) {
    pk_r x = row[j];
    x -= f[0] * p[0][j];
    x -= f[1] * p[1][j];
    x -= f[2] * p[2][j];
    x -= f[3] * p[3][j];
    row[j] = x;
  }
}
#endif

/* The factors of a row against the pivots p of columns k .. k + PKI_PANEL, whose diagonals hold their inverses: the row takes one pivot
 * after the other. */
PKI_INLINE void pki_row_factors(pk_r *row, const pk_r *const p[PKI_PANEL], int k, pk_r f[PKI_PANEL])
{
  PKI_UNROLL_ALL
  for (int c = 0; c < PKI_PANEL; c++) {
    pk_r x = row[k + c];
    PKI_UNROLL_ALL
    for (int e = 0; e < c; e++) {
      x -= f[e] * p[e][k + c];
    }
    f[c] = x * p[c][k + c];
    row[k + c] = f[c];
  }
}

/* Row k + c of a panel takes the c pivots before it, and its own diagonal is inverted. */
PKI_INLINE void pki_factor_panel_row(pk_r *row, const pk_r *const p[PKI_PANEL], int k, int c, int n)
{
  for (int e = 0; e < c; e++) {
    const pk_r f = row[k + e] * p[e][k + e]; /* its inverse */
    row[k + e] = f;
    for (int j = k + e + 1; j < n; j++) {
      row[j] -= f * p[e][j];
    }
  }
  row[k + c] = 1.0 / row[k + c];
}

/* A = L U without pivots in place, L below the diagonal, the inverse of U's diagonal on it; the right side is column n, which becomes
 * inv(L) b. PKI_PANEL pivots at a time: a row that takes four in one pass is read and written once. Each number is still changed by one pivot
 * after the other, so that rows of neighbours, which shift the panels, change no bit. */
static void pki_factor_system(const pki_group *g, int n)
{
  for (int k = 0; k < n; k += PKI_PANEL) {
    const int end = k + PKI_PANEL, count = end <= n ? PKI_PANEL : n - k;
    const pk_r *p[PKI_PANEL];
    for (int c = 0; c < count; c++) {
      pk_r *const row = pki_matrix(g, n, k + c, 0);
      p[c] = row;
      pki_factor_panel_row(row, p, k, c, n + 1);
    }
    for (int i = end; i < n; i++) {
      pk_r *const row = pki_matrix(g, n, i, 0);
      pk_r f[PKI_PANEL];
      pki_row_factors(row, p, k, f);
      pki_take_pivots(row, f, p, end, n + 1);
    }
  }
}

/* inv(L) b of a matrix whose factors are there, in its column n. */
static void pki_solve_lower(const pki_group *g, int n)
{
  for (int i = 0; i < n; i++) {
    pk_r *const row = pki_matrix(g, n, i, 0);
    pk_r x = row[n];
    for (int j = 0; j < i; j++) {
      x -= row[j] * *pki_matrix(g, n, j, n);
    }
    row[n] = x;
  }
}

/* x of U x = column n, into b. Sums run from the far end towards the diagonal, four rows side by side. */
static void pki_solve_upper(const pki_group *g, int n)
{
  pk_r *const x = pki_out(g->b);
  for (int end = n; end > 0; end -= PKI_PANEL) {
    const int k = end > PKI_PANEL ? end - PKI_PANEL : 0, count = end - k;
    const pk_r *row[PKI_PANEL];
    pk_r sum[PKI_PANEL];
    for (int i = 0; i < PKI_PANEL; i++) { /* a panel of fewer rows repeats its first */
      row[i] = pki_matrix(g, n, i < count ? k + i : k, 0);
      sum[i] = row[i][n];
    }
    for (int j = n - 1; j >= end; j--) {
      PKI_UNROLL_ALL
      for (int i = 0; i < PKI_PANEL; i++) {
        sum[i] -= row[i][j] * x[j];
      }
    }
    for (int j = count - 1; j >= 0; j--) {
      x[k + j] = sum[j] * row[j][k + j];
      for (int i = 0; i < j; i++) {
        sum[i] -= row[i][k + j] * x[k + j];
      }
    }
  }
}

#endif
