/* Dense products and factorisations, vectors along the rows.
 *
 * Right-looking elimination, four pivots at a time: the four pivot rows are finished first, then every row below takes
 * all four in one pass, so that it is loaded and stored once for four updates. The pivot rows are copied into `line`
 * with zeros up to their own pivot, so that whole cache lines can be updated and what is left of it stays. */
#include <math.h>
#include <string.h>

#include "contact/linear/dense_kernels.h"
#include "math/lane.h"

typedef double vec __attribute__((vector_size(64), aligned(64)));

enum { PANEL = 4 };

/* Columns between two looks at the clock, and rows from which a matrix takes long enough for them: eight in 4500 rows take a tenth
 * of a second. */
enum { LOOK_EVERY = 8, LOOK_ROWS = 128 };

/* Whether to give up before column k. */
PKI_INLINE bool is_out_of_time(pki_timer *timer, int n, int k)
{
  return timer != NULL && n >= LOOK_ROWS && k % LOOK_EVERY == 0 && pki_timer_expired(timer);
}

PKI_INLINE double sum_line(vec s)
{
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

static void multiply_dense(const double *A, int rows, size_t stride, const double *x, double *out)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  const vec *X = (const vec *)x;
  int i = 0;
  for (; i + 4 <= rows; i += 4) {
    const vec *a = (const vec *)(A + (size_t)i * stride);
    vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (size_t k = 0; k < lines; k++) {
      s0 += a[k] * X[k], s1 += a[lines + k] * X[k];
      s2 += a[2 * lines + k] * X[k], s3 += a[3 * lines + k] * X[k];
    }
    out[i] = sum_line(s0);
    out[i + 1] = sum_line(s1);
    out[i + 2] = sum_line(s2);
    out[i + 3] = sum_line(s3);
  }
  for (; i < rows; i++) {
    const vec *a = (const vec *)(A + (size_t)i * stride);
    vec s = {0};
    for (size_t k = 0; k < lines; k++) {
      s += a[k] * X[k];
    }
    out[i] = sum_line(s);
  }
}

/* to -= k times a pivot row, cache lines first .. lines. */
PKI_INLINE void subtract_pivot_row(double *to, double k, const double *pivot_row, size_t first, size_t lines)
{
  vec *T = (vec *)to;
  const vec *P = (const vec *)pivot_row;
  for (size_t c = first; c < lines; c++) {
    T[c] -= k * P[c];
  }
}

/* The pivot row k as it is used: zeros up to and with the pivot. */
PKI_INLINE void copy_pivot_row(const double *row, int k, size_t stride, double *line)
{
  const size_t first = (size_t)k / PKI_DENSE_LINE * PKI_DENSE_LINE;
  memcpy(line + first, row + first, (stride - first) * sizeof *line);
  for (size_t j = first; j <= (size_t)k; j++) {
    line[j] = 0;
  }
}

/* Rows below the panel k .. k + PANEL take its four pivot rows at once. */
PKI_INLINE void update_below(double *A, int n, size_t stride, int k, const double *line,
                             const double *inverse)
{
  const size_t first = (size_t)k / PKI_DENSE_LINE, lines = stride / PKI_DENSE_LINE;
  const double *p0 = line, *p1 = line + stride, *p2 = line + 2 * stride, *p3 = line + 3 * stride;
  const double u01 = p0[k + 1], u02 = p0[k + 2], u03 = p0[k + 3], u12 = p1[k + 2], u13 = p1[k + 3],
               u23 = p2[k + 3];
  const vec *P0 = (const vec *)p0, *P1 = (const vec *)p1, *P2 = (const vec *)p2, *P3 = (const vec *)p3;
  for (int i = k + PANEL; i < n; i++) {
    double *a = A + (size_t)i * stride;
    const double l0 = a[k] * inverse[k];
    const double l1 = (a[k + 1] - l0 * u01) * inverse[k + 1];
    const double l2 = (a[k + 2] - l0 * u02 - l1 * u12) * inverse[k + 2];
    const double l3 = (a[k + 3] - l0 * u03 - l1 * u13 - l2 * u23) * inverse[k + 3];
    vec *T = (vec *)a;
    for (size_t c = first; c < lines; c++) {
      T[c] -= l0 * P0[c] + l1 * P1[c] + (l2 * P2[c] + l3 * P3[c]);
    }
    a[k] = l0, a[k + 1] = l1, a[k + 2] = l2, a[k + 3] = l3;
  }
}

static bool factor_dense_matrix(double *A, int n, size_t stride, double least, double *line, double *inverse,
                                pki_timer *timer)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  for (int k = 0; k < n; k += PANEL) {
    const int count = n - k < PANEL ? n - k : PANEL;
    if (is_out_of_time(timer, n, k)) {
      return false;
    }
    for (int c = 0; c < count; c++) { /* the pivot rows of the panel */
      double *row = A + (size_t)(k + c) * stride;
      for (int e = 0; e < c; e++) {
        const double l = row[k + e] * inverse[k + e];
        subtract_pivot_row(row, l, line + (size_t)e * stride, (size_t)k / PKI_DENSE_LINE, lines);
        row[k + e] = l;
      }
      if (!(fabs(row[k + c]) > least)) {
        return false;
      }
      inverse[k + c] = 1 / row[k + c];
      copy_pivot_row(row, k + c, stride, line + (size_t)c * stride);
    }
    if (count == PANEL) {
      update_below(A, n, stride, k, line, inverse);
    }
  }
  return true;
}

/* b[k .. k + 4) -= the products of four rows with b over whole cache lines first .. last. */
PKI_INLINE void subtract_products(const double *rows, size_t stride, size_t first, size_t last,
                                  const double *b, double *out)
{
  const vec *B = (const vec *)b;
  const vec *r0 = (const vec *)rows, *r1 = (const vec *)(rows + stride),
            *r2 = (const vec *)(rows + 2 * stride), *r3 = (const vec *)(rows + 3 * stride);
  vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  for (size_t c = first; c < last; c++) {
    s0 += r0[c] * B[c], s1 += r1[c] * B[c], s2 += r2[c] * B[c], s3 += r3[c] * B[c];
  }
  out[0] -= sum_line(s0), out[1] -= sum_line(s1), out[2] -= sum_line(s2), out[3] -= sum_line(s3);
}

/* U x = b in place, four rows at a time from below; x of whole cache lines as vectors. b [stride], padded with zeros. */
static void solve_upper(const double *A, int n, size_t stride, const double *inverse, double *b)
{
  const int whole = n / PANEL * PANEL;
  for (int k = n - 1; k >= whole; k--) {
    const double *row = A + (size_t)k * stride;
    for (int j = k + 1; j < n; j++) {
      b[k] -= row[j] * b[j];
    }
    b[k] *= inverse[k];
  }
  for (int k = whole - PANEL; k >= 0; k -= PANEL) {
    const double *rows = A + (size_t)k * stride;
    const int aligned = (k + PANEL + PKI_DENSE_LINE - 1) / PKI_DENSE_LINE * PKI_DENSE_LINE;
    subtract_products(rows, stride, (size_t)aligned / PKI_DENSE_LINE, stride / PKI_DENSE_LINE, b, b + k);
    for (int e = PANEL - 1; e >= 0; e--) {
      const double *row = rows + (size_t)e * stride;
      double sum = b[k + e];
      for (int j = k + e + 1; j < aligned && j < n; j++) {
        sum -= row[j] * b[j];
      }
      b[k + e] = sum * inverse[k + e];
    }
  }
}

/* L y = b in place, L unit. */
static void solve_lower(const double *A, int n, size_t stride, double *b)
{
  const int whole = n / PANEL * PANEL;
  for (int k = 0; k < n; k += k < whole ? PANEL : 1) {
    const int count = k < whole ? PANEL : 1, aligned = k / PKI_DENSE_LINE * PKI_DENSE_LINE;
    const double *rows = A + (size_t)k * stride;
    if (count == PANEL) {
      subtract_products(rows, stride, 0, (size_t)k / PKI_DENSE_LINE, b, b + k);
    }
    for (int e = 0; e < count; e++) {
      const double *row = rows + (size_t)e * stride;
      for (int j = count == PANEL ? aligned : 0; j < k + e; j++) {
        b[k + e] -= row[j] * b[j];
      }
    }
  }
}

static void solve_dense_matrix(const double *A, int n, size_t stride, const double *inverse, double *b)
{
  for (size_t j = (size_t)n; j < stride; j++) {
    b[j] = 0; /* read by whole cache lines */
  }
  solve_lower(A, n, stride, b);
  solve_upper(A, n, stride, inverse, b);
}

/* Row i of the upper half takes the pivot rows of the panel with the multipliers U_ki / U_kk. */
static bool factor_symmetric(double *A, int n, size_t stride, double *line, double *inverse, pki_timer *timer)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  for (int k = 0; k < n; k += PANEL) {
    const int count = n - k < PANEL ? n - k : PANEL;
    if (is_out_of_time(timer, n, k)) {
      return false;
    }
    for (int c = 0; c < count; c++) {
      double *row = A + (size_t)(k + c) * stride;
      for (int e = 0; e < c; e++) {
        const double *above = line + (size_t)e * stride;
        subtract_pivot_row(row, above[k + c] * inverse[k + e], above, (size_t)k / PKI_DENSE_LINE, lines);
      }
      if (!(row[k + c] > 0)) {
        return false;
      }
      inverse[k + c] = 1 / row[k + c];
      memcpy(line + (size_t)c * stride, row, stride * sizeof *row);
    }
    const double *p0 = line, *p1 = line + stride, *p2 = line + 2 * stride, *p3 = line + 3 * stride;
    for (int i = k + PANEL; count == PANEL && i < n; i++) {
      const double l0 = p0[i] * inverse[k], l1 = p1[i] * inverse[k + 1], l2 = p2[i] * inverse[k + 2],
                   l3 = p3[i] * inverse[k + 3];
      vec *T = (vec *)(A + (size_t)i * stride);
      for (size_t c = (size_t)i / PKI_DENSE_LINE; c < lines; c++) {
        T[c] -= l0 * ((const vec *)p0)[c] + l1 * ((const vec *)p1)[c] +
                (l2 * ((const vec *)p2)[c] + l3 * ((const vec *)p3)[c]);
      }
    }
  }
  return true;
}

static void solve_symmetric(const double *A, int n, size_t stride, const double *inverse, double *b)
{
  for (size_t j = (size_t)n; j < stride; j++) {
    b[j] = 0;
  }
  /* U' y = b, by columns of U' = rows of U */
  for (int k = 0; k < n; k++) {
    const double *row = A + (size_t)k * stride, y = b[k] * inverse[k];
    const int aligned = (k + PKI_DENSE_LINE) / PKI_DENSE_LINE * PKI_DENSE_LINE;
    for (int j = k + 1; j < n && j < aligned; j++) {
      b[j] -= y * row[j];
    }
    for (int j = aligned; j < n; j++) {
      b[j] -= y * row[j];
    }
  }
  solve_upper(A, n, stride, inverse, b);
}

/* Exchange rows k and other. */
PKI_INLINE void swap_rows(double *A, size_t stride, int k, int other)
{
  vec *a = (vec *)(A + (size_t)k * stride), *b = (vec *)(A + (size_t)other * stride);
  for (size_t c = 0; c < stride / PKI_DENSE_LINE && other != k; c++) {
    const vec swap = a[c];
    a[c] = b[c], b[c] = swap;
  }
}

/* The columns k .. k + count of a panel, with pivots: L below and in them, nothing to their right yet but exchanges. */
static bool factor_columns(double *A, int n, size_t stride, int k, int count, double *inverse, int *pivot)
{
  for (int c = k; c < k + count; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++) {
      best = fabs(A[(size_t)i * stride + (size_t)c]) > fabs(A[(size_t)best * stride + (size_t)c]) ? i : best;
    }
    pivot[c] = best;
    swap_rows(A, stride, c, best);
    const double *row = A + (size_t)c * stride;
    if (!(fabs(row[c]) > 0)) {
      return false;
    }
    inverse[c] = 1 / row[c];
    for (int i = c + 1; i < n; i++) {
      double *a = A + (size_t)i * stride;
      const double l = a[c] * inverse[c];
      a[c] = l;
      for (int j = c + 1; j < k + count; j++) {
        a[j] -= l * row[j];
      }
    }
  }
  return true;
}

static bool factor_pivoted(double *A, int n, size_t stride, double *line, double *inverse, int *pivot,
                           pki_timer *timer)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  for (int k = 0; k < n; k += PANEL) {
    const int count = n - k < PANEL ? n - k : PANEL;
    if (is_out_of_time(timer, n, k) || !factor_columns(A, n, stride, k, count, inverse, pivot)) {
      return false;
    }
    if (count < PANEL) {
      break;
    }
    /* the pivot rows to the right of the panel, with zeros up to its end */
    for (int c = 0; c < PANEL; c++) {
      double *row = A + (size_t)(k + c) * stride, *copy = line + (size_t)c * stride;
      for (int e = 0; e < c; e++) {
        subtract_pivot_row(row, row[k + e], line + (size_t)e * stride, (size_t)k / PKI_DENSE_LINE, lines);
      }
      copy_pivot_row(row, k + PANEL - 1, stride, copy);
    }
    const vec *P0 = (const vec *)line, *P1 = (const vec *)(line + stride),
              *P2 = (const vec *)(line + 2 * stride), *P3 = (const vec *)(line + 3 * stride);
    for (int i = k + PANEL; i < n; i++) {
      const double *a = A + (size_t)i * stride, l0 = a[k], l1 = a[k + 1], l2 = a[k + 2], l3 = a[k + 3];
      vec *T = (vec *)(A + (size_t)i * stride);
      for (size_t c = (size_t)k / PKI_DENSE_LINE; c < lines; c++) {
        T[c] -= l0 * P0[c] + l1 * P1[c] + (l2 * P2[c] + l3 * P3[c]);
      }
    }
  }
  return true;
}

static void solve_pivoted(const double *A, int n, size_t stride, const double *inverse, const int *pivot,
                          double *b)
{
  for (int k = 0; k < n; k++) {
    const double swap = b[k];
    b[k] = b[pivot[k]], b[pivot[k]] = swap;
  }
  solve_dense_matrix(A, n, stride, inverse, b);
}

extern const pki_dense_kernels PKI_NAME(dense_kernels);
const pki_dense_kernels PKI_NAME(dense_kernels) = {
    .isa = PKI_ISA_NAME,
    .multiply = multiply_dense,
    .factor = factor_dense_matrix,
    .solve = solve_dense_matrix,
    .factor_symmetric = factor_symmetric,
    .solve_symmetric = solve_symmetric,
    .factor_pivoted = factor_pivoted,
    .solve_pivoted = solve_pivoted,
};
