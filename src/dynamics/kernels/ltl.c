/* The factor M = L' D L of the mass matrix in the elimination plan, which follows the tree and fills nothing (Featherstone
 * 2005), and solves with it.
 *
 * On a tree an unknown's columns are the path above it, and the unknowns fall into chains: a leg's, the trunk's. The rows of a
 * chain are eliminated among themselves first and then, all at once, from the rows of the path above the chain, so that
 * those are read and written once. Plans with constraints go row by row. */
#include "dynamics/kernels/body.h"
#include "dynamics/kernels/declare.h"
#include "math/quad.h"

/* ---- trees, by chains ---- */

/* Rows of a chain that leave it together. */
enum { BLOCK = 3 };

/* to[0..n-1] -= a[0] x_0[..] + a[1] x_1[..] + ..., x_c the rows of `rows`. */
PKI_INLINE void subtract_rows(pk_r *to, int n, const pk_r *a, pk_r *const *x, int rows)
{
  int f = 0;
  PKI_UNROLL
  for (; f + 4 <= n; f += 4) {
    pki_quad sum = *(const pki_quad *)(const void *)(to + f);
    PKI_UNROLL
    for (int c = 0; c < rows; c++) {
      sum = pki_quad_add_scaled(sum, -a[c], *(const pki_quad *)(const void *)(x[c] + f));
    }
    *(pki_quad *)(void *)(to + f) = sum;
  }
  PKI_UNROLL
  for (; f < n; f++) {
    pk_r sum = to[f];
    PKI_UNROLL
    for (int c = 0; c < rows; c++) {
      sum -= a[c] * x[c][f];
    }
    to[f] = sum;
  }
}

/* Rows leave the row of unknown `k`, which is their entry e; e itself is still M_ke here. */
PKI_INLINE void eliminate_row_entry(const pk_model *m, pk_r *M, int k, int e, pk_r *const *row,
                                    const pk_r *dinv, int rows)
{
  pk_r a[BLOCK] = {dinv[0], dinv[0], dinv[0]};
  PKI_UNROLL
  for (int c = 0; c < rows; c++) {
    a[c] = row[c][e] * dinv[c];
  }
  subtract_rows(M + m->M_row[k], e + 1, a, row, rows);
  PKI_UNROLL
  for (int c = 0; c < rows; c++) {
    row[c][e] = a[c];
  }
}

/* Rows `from` .. `from + rows - 1` of a chain, with n unknowns above the chain: from each other, from the rest of the chain,
 * from the path above. Columns behind an entry are done with when it is its turn. */
PKI_INLINE void factor_block(const pk_model *m, pk_r *M, int first, int n, int from, int rows)
{
  const int *const path = m->M_col + m->M_row[first];
  pk_r *row[BLOCK] = {M, M, M}, dinv[BLOCK] = {M[0], M[0], M[0]};
  PKI_UNROLL
  for (int c = 0; c < rows; c++) {
    row[c] = M + m->M_row[first + from + c];
  }
  PKI_UNROLL
  for (int c = rows - 1; c >= 0; c--) {
    dinv[c] = 1.0 / row[c][n + from + c];
    PKI_UNROLL
    for (int e = c - 1; e >= 0; e--) {
      eliminate_row_entry(m, M, first + from + e, n + from + e, &row[c], &dinv[c], 1);
    }
    row[c][n + from + c] = dinv[c];
  }
  PKI_UNROLL
  for (int e = from - 1; e >= 0; e--) {
    eliminate_row_entry(m, M, first + e, n + e, row, dinv, rows);
  }
  PKI_UNROLL
  for (int e = n - 1; e >= 0; e--) {
    eliminate_row_entry(m, M, path[e], e, row, dinv, rows);
  }
}

/* Path and chain as they are at a leg of three joints on a free trunk, and at that trunk, are known when this is compiled. */
static void factor_chain(const pk_model *m, pk_r *M, int first, int count)
{
  const int n = m->M_row[first + 1] - m->M_row[first] - 1;
  if (n == 6 && count == 3) {
    factor_block(m, M, first, 6, 0, 3);
  } else if (n == 0 && count == 6) {
    factor_block(m, M, first, 0, 3, 3);
    factor_block(m, M, first, 0, 0, 3);
  } else {
    for (int last = count; last > 0; last -= BLOCK) {
      const int rows = last < BLOCK ? last : BLOCK;
      factor_block(m, M, first, n, last - rows, rows);
    }
  }
}

/* x := inv(D) inv(L') x of a chain. */
PKI_INLINE void begin_block(const pk_model *m, const pk_r *L, pk_r *x, int first, int n, int count)
{
  const int *const path = m->M_col + m->M_row[first];
  PKI_UNROLL
  for (int k = count - 1; k >= 0; k--) {
    const pk_r *const row = L + m->M_row[first + k] + n;
    PKI_UNROLL
    for (int e = 0; e < k; e++) {
      x[first + e] -= row[e] * x[first + k];
    }
  }
  PKI_UNROLL
  for (int e = 0; e < n; e++) {
    pk_r sum = x[path[e]];
    PKI_UNROLL
    for (int k = 0; k < count; k++) {
      sum -= L[m->M_row[first + k] + e] * x[first + k];
    }
    x[path[e]] = sum;
  }
  PKI_UNROLL
  for (int k = 0; k < count; k++) {
    x[first + k] *= L[m->M_row[first + k + 1] - 1];
  }
}

/* x := inv(L) x of rows `from` .. `from + rows - 1` of a chain. */
PKI_INLINE void finish_block(const pk_model *m, const pk_r *L, pk_r *x, int first, int n, int from, int rows)
{
  const int *const path = m->M_col + m->M_row[first];
  const pk_r *row[BLOCK] = {L, L, L};
  pk_r sum[BLOCK] = {x[first], x[first], x[first]};
  PKI_UNROLL
  for (int c = 0; c < rows; c++) {
    row[c] = L + m->M_row[first + from + c];
    sum[c] = x[first + from + c];
  }
  PKI_UNROLL
  for (int e = 0; e < n; e++) {
    const pk_r xe = x[path[e]];
    PKI_UNROLL
    for (int c = 0; c < rows; c++) {
      sum[c] -= row[c][e] * xe;
    }
  }
  PKI_UNROLL
  for (int c = 0; c < rows; c++) {
    PKI_UNROLL
    for (int e = 0; e < from; e++) {
      sum[c] -= row[c][n + e] * x[first + e];
    }
    PKI_UNROLL
    for (int e = 0; e < c; e++) {
      sum[c] -= row[c][n + from + e] * sum[e];
    }
    x[first + from + c] = sum[c];
  }
}

static void begin_chain(const pk_model *m, const pk_r *L, pk_r *x, int first, int count)
{
  const int n = m->M_row[first + 1] - m->M_row[first] - 1;
  if (n == 6 && count == 3) {
    begin_block(m, L, x, first, 6, 3);
  } else if (n == 0 && count == 6) {
    begin_block(m, L, x, first, 0, 6);
  } else {
    begin_block(m, L, x, first, n, count);
  }
}

static void finish_chain(const pk_model *m, const pk_r *L, pk_r *x, int first, int count)
{
  const int n = m->M_row[first + 1] - m->M_row[first] - 1;
  if (n == 6 && count == 3) {
    finish_block(m, L, x, first, 6, 0, 3);
  } else if (n == 0 && count == 6) {
    finish_block(m, L, x, first, 0, 0, 3);
    finish_block(m, L, x, first, 0, 3, 3);
  } else {
    for (int from = 0; from < count; from += BLOCK) {
      finish_block(m, L, x, first, n, from, count - from < BLOCK ? count - from : BLOCK);
    }
  }
}

/* ---- plans with constraints, row by row ---- */

/* Row i loses a times the first part of row k, both up to column i. On a tree row i is that
 * part of row k, entry by entry; with fill its columns are a subset of row i's. */
static inline void subtract_row(const pk_model *m, pk_r *M, int i, int k, int count, pk_r a)
{
  pk_r *const to = M + m->M_row[i];
  const pk_r *const from = M + m->M_row[k];
  if (m->M_row[i + 1] - m->M_row[i] == count) {
    int e = 0;
    for (; e + 4 <= count; e += 4) {
      pki_quad *const part = (pki_quad *)(void *)(to + e);
      *part = pki_quad_add_scaled(*part, -a, *(const pki_quad *)(const void *)(from + e));
    }
    if (e + 2 <= count) {
      to[e] -= a * from[e], to[e + 1] -= a * from[e + 1];
      e += 2;
    }
    if (e < count) {
      to[e] -= a * from[e];
    }
    return;
  }
  const int *const cols = m->M_col + m->M_row[i], *const mine = m->M_col + m->M_row[k];
  for (int e = 0, t = 0; e < count; e++) {
    while (cols[t] != mine[e]) {
      t++;
    }
    to[t] -= a * from[e];
  }
}

static void factor_plan(pki_work *w)
{
  const pk_model *m = w->model;
  pk_r *const M = pki_out(w->M);
  for (int k = m->nplan - 1; k >= 0; k--) {
    pk_r *const row = M + m->M_row[k];
    const int *const cols = m->M_col + m->M_row[k];
    const int n = m->M_row[k + 1] - m->M_row[k] - 1;
    const pk_r dinv = 1.0 / row[n];
    for (int e = n - 1; e >= 0; e--) {
      /* columns after e are done with; e itself is still M_ke here. Room for constraints that are not in the plan
       * is zero and stays so. */
      const pk_r a = row[e] * dinv;
      if (pki_any(a != 0)) {
        subtract_row(m, M, cols[e], k, e + 1, a);
        row[e] = a;
      }
    }
    row[n] = dinv;
  }
}

static void begin_plan(const pki_work *w, double *x)
{
  const pk_model *m = w->model;
  const pk_r *const L = pki_reals(w->M);
  pk_r *const y = pki_out(x);
  for (int k = m->nplan - 1; k >= 0; k--) {
    const int from = m->M_row[k], n = m->M_row[k + 1] - from - 1;
    const pk_r yk = y[k];
    for (int e = 0; e < n; e++) {
      y[m->M_col[from + e]] -= L[from + e] * yk;
    }
    y[k] = L[from + n] * yk;
  }
}

static void finish_plan(const pki_work *w, double *x)
{
  const pk_model *m = w->model;
  const pk_r *const L = pki_reals(w->M);
  pk_r *const y = pki_out(x);
  for (int k = 0; k < m->nplan; k++) {
    const int from = m->M_row[k], n = m->M_row[k + 1] - from - 1;
    pk_r sum = y[k];
    for (int e = 0; e < n; e++) {
      sum -= L[from + e] * y[m->M_col[from + e]];
    }
    y[k] = sum;
  }
}

/* ---- both ---- */

void PKI_NAME(ltl_factor)(pki_work *w)
{
  if (w->nchain == 0) {
    factor_plan(w);
  }
  for (int c = w->nchain - 1; c >= 0; c--) {
    factor_chain(w->model, pki_out(w->M), w->chain[c], w->chain[c + 1] - w->chain[c]);
  }
}

void PKI_NAME(ltl_finish)(const pki_work *w, double *x)
{
  if (w->nchain == 0) {
    finish_plan(w, x);
  }
  for (int c = 0; c < w->nchain; c++) {
    finish_chain(w->model, pki_reals(w->M), pki_out(x), w->chain[c], w->chain[c + 1] - w->chain[c]);
  }
}

/* L' from the last row up, then D, then L from the first row down. */
void PKI_NAME(ltl_solve)(const pki_work *w, double *x)
{
  if (w->nchain == 0) {
    begin_plan(w, x);
  }
  for (int c = w->nchain - 1; c >= 0; c--) {
    begin_chain(w->model, pki_reals(w->M), pki_out(x), w->chain[c], w->chain[c + 1] - w->chain[c]);
  }
  PKI_NAME(ltl_finish)(w, x);
}
