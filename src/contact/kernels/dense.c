/* Dense products and factorisations, vectors along the rows.
 *
 * Right-looking elimination, four pivots at a time: the four pivot rows are finished first, then every row below takes
 * all four in one pass, so that it is loaded and stored once for four updates. The pivot rows are copied into `line`
 * with zeros up to their own pivot, so that whole cache lines can be updated and what is left of it stays. */
#include <math.h>
#include <string.h>

#include "contact/dense_kernels.h"
#include "math/lane.h"

typedef double vec __attribute__((vector_size(64), aligned(64)));

enum { PANEL = 4 };

static void multiply(const double *A, int rows, size_t stride, const double *x, double *out)
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
    out[i] = ((s0[0] + s0[4]) + (s0[1] + s0[5])) + ((s0[2] + s0[6]) + (s0[3] + s0[7]));
    out[i + 1] = ((s1[0] + s1[4]) + (s1[1] + s1[5])) + ((s1[2] + s1[6]) + (s1[3] + s1[7]));
    out[i + 2] = ((s2[0] + s2[4]) + (s2[1] + s2[5])) + ((s2[2] + s2[6]) + (s2[3] + s2[7]));
    out[i + 3] = ((s3[0] + s3[4]) + (s3[1] + s3[5])) + ((s3[2] + s3[6]) + (s3[3] + s3[7]));
  }
  for (; i < rows; i++) {
    const vec *a = (const vec *)(A + (size_t)i * stride);
    vec s = {0};
    for (size_t k = 0; k < lines; k++) {
      s += a[k] * X[k];
    }
    out[i] = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
  }
}

/* to -= k times a pivot row, cache lines first .. lines. */
PKI_INLINE void subtract(double *to, double k, const double *pivot_row, size_t first, size_t lines)
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

static bool factor(double *A, int n, size_t stride, double least, double *line, double *inverse)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  for (int k = 0; k < n; k += PANEL) {
    const int count = n - k < PANEL ? n - k : PANEL;
    for (int c = 0; c < count; c++) { /* the pivot rows of the panel */
      double *row = A + (size_t)(k + c) * stride;
      for (int e = 0; e < c; e++) {
        const double l = row[k + e] * inverse[k + e];
        subtract(row, l, line + (size_t)e * stride, (size_t)k / PKI_DENSE_LINE, lines);
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

/* a'b over [0, n), rows of a aligned. */
PKI_INLINE double dot(const double *a, const double *b, int n)
{
  const int lines = n / PKI_DENSE_LINE;
  vec s = {0};
  double sum = 0;
  for (int c = 0; c < lines; c++) {
    s += ((const vec *)a)[c] * ((const vec *)b)[c];
  }
  for (int j = lines * PKI_DENSE_LINE; j < n; j++) {
    sum += a[j] * b[j];
  }
  return sum + (((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])));
}

/* a'b over [from, n). */
PKI_INLINE double dot_tail(const double *a, const double *b, int from, int n)
{
  const int aligned = (from + PKI_DENSE_LINE - 1) / PKI_DENSE_LINE * PKI_DENSE_LINE;
  double sum = 0;
  for (int j = from; j < n && j < aligned; j++) {
    sum += a[j] * b[j];
  }
  return n > aligned ? sum + dot(a + aligned, b + aligned, n - aligned) : sum;
}

static void solve(const double *A, int n, size_t stride, const double *inverse, double *b)
{
  for (int k = 1; k < n; k++) {
    b[k] -= dot(A + (size_t)k * stride, b, k);
  }
  for (int k = n - 1; k >= 0; k--) {
    b[k] = (b[k] - dot_tail(A + (size_t)k * stride, b, k + 1, n)) * inverse[k];
  }
}

/* Row i of the upper half takes the pivot rows of the panel with the multipliers U_ki / U_kk. */
static bool factor_symmetric(double *A, int n, size_t stride, double *line, double *inverse)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  for (int k = 0; k < n; k += PANEL) {
    const int count = n - k < PANEL ? n - k : PANEL;
    for (int c = 0; c < count; c++) {
      double *row = A + (size_t)(k + c) * stride;
      for (int e = 0; e < c; e++) {
        const double *above = line + (size_t)e * stride;
        subtract(row, above[k + c] * inverse[k + e], above, (size_t)k / PKI_DENSE_LINE, lines);
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
  for (int k = n - 1; k >= 0; k--) {
    b[k] = (b[k] - dot_tail(A + (size_t)k * stride, b, k + 1, n)) * inverse[k];
  }
}

static bool factor_pivoted(double *A, int n, size_t stride, double *line, double *inverse, int *pivot)
{
  const size_t lines = stride / PKI_DENSE_LINE;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      best = fabs(A[(size_t)i * stride + (size_t)k]) > fabs(A[(size_t)best * stride + (size_t)k]) ? i : best;
    }
    pivot[k] = best;
    double *row = A + (size_t)k * stride, *other = A + (size_t)best * stride;
    if (!(fabs(other[k]) > 0)) {
      return false;
    }
    for (size_t c = 0; c < lines && best != k; c++) {
      const vec swap = ((vec *)row)[c];
      ((vec *)row)[c] = ((vec *)other)[c], ((vec *)other)[c] = swap;
    }
    inverse[k] = 1 / row[k];
    copy_pivot_row(row, k, stride, line);
    for (int i = k + 1; i < n; i++) {
      double *a = A + (size_t)i * stride;
      const double l = a[k] * inverse[k];
      subtract(a, l, line, (size_t)k / PKI_DENSE_LINE, lines);
      a[k] = l;
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
  solve(A, n, stride, inverse, b);
}

extern const pki_dense_kernels PKI_NAME(dense_kernels);
const pki_dense_kernels PKI_NAME(dense_kernels) = {
    .isa = PKI_ISA_NAME,
    .multiply = multiply,
    .factor = factor,
    .solve = solve,
    .factor_symmetric = factor_symmetric,
    .solve_symmetric = solve_symmetric,
    .factor_pivoted = factor_pivoted,
    .solve_pivoted = solve_pivoted,
};
