#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

/* A = Q T Q^H on its way: T Hessenberg at first, then triangular. */
typedef struct schur {
  size_t n;
  number *T, *Q; /* [n][n] */
  double norm;   /* of A, Frobenius */
} schur;

/* ---- Hessenberg form ---- */

/* x := (1 - beta v v^H) x for x = column j of M from row `first`. */
static void reflect_column(number *M, size_t n, size_t j, size_t first, const number *v, double beta)
{
  number dot = 0;
  for (size_t i = first; i < n; i++) {
    dot += conj(v[i]) * M[i * n + j];
  }
  for (size_t i = first; i < n; i++) {
    M[i * n + j] -= beta * dot * v[i];
  }
}

/* The same from the right for row i. */
static void reflect_row(number *M, size_t n, size_t i, size_t first, const number *v, double beta)
{
  number dot = 0;
  for (size_t j = first; j < n; j++) {
    dot += M[i * n + j] * v[j];
  }
  for (size_t j = first; j < n; j++) {
    M[i * n + j] -= beta * dot * conj(v[j]);
  }
}

/* Zeros below the first subdiagonal of T, a Householder reflection for each column. */
static void reduce_to_hessenberg(schur *s, number *v)
{
  const size_t n = s->n;
  for (size_t k = 0; k + 2 < n; k++) {
    double length = 0;
    for (size_t i = k + 1; i < n; i++) {
      v[i] = s->T[i * n + k];
      length = hypot(length, cabs(v[i]));
    }
    if (!(length > 0)) {
      continue;
    }
    const number head = v[k + 1], phase = cabs(head) > 0 ? head / cabs(head) : 1;
    v[k + 1] += phase * length;
    double square = 0;
    for (size_t i = k + 1; i < n; i++) {
      square += creal(v[i] * conj(v[i]));
    }
    const double beta = 2 / square;
    for (size_t j = k; j < n; j++) {
      reflect_column(s->T, n, j, k + 1, v, beta);
    }
    for (size_t i = 0; i < n; i++) {
      reflect_row(s->T, n, i, k + 1, v, beta);
      reflect_row(s->Q, n, i, k + 1, v, beta);
    }
    for (size_t i = k + 2; i < n; i++) {
      s->T[i * n + k] = 0;
    }
  }
}

/* ---- the QR algorithm ---- */

/* Wilkinson's shift: the eigenvalue of the last 2 x 2 block up to row `last` that is nearer to its last entry. */
static number wilkinson_shift(const schur *s, size_t last)
{
  const size_t n = s->n;
  const number a = s->T[(last - 1) * n + last - 1], b = s->T[(last - 1) * n + last],
               c = s->T[last * n + last - 1], d = s->T[last * n + last];
  const number half = 0.5 * (a - d), root = csqrt(half * half + b * c);
  const number other = cabs(half + root) > cabs(half - root) ? half + root : half - root;
  return cabs(other) > 0 ? d - b * c / other : d;
}

/* Rotate rows k, k + 1 of T so that `b` below `a` vanishes, and columns alike. */
typedef struct rotation {
  double c;
  number s;
} rotation;

static rotation rotation_of(number a, number b)
{
  const double length = hypot(cabs(a), cabs(b));
  if (!(length > 0)) {
    return (rotation){1, 0};
  }
  const number phase = cabs(a) > 0 ? a / cabs(a) : 1;
  return (rotation){cabs(a) / length, phase * conj(b) / length};
}

static void rotate_rows(number *M, size_t n, size_t k, size_t from, rotation g)
{
  for (size_t j = from; j < n; j++) {
    const number a = M[k * n + j], b = M[(k + 1) * n + j];
    M[k * n + j] = g.c * a + g.s * b;
    M[(k + 1) * n + j] = g.c * b - conj(g.s) * a;
  }
}

static void rotate_columns(number *M, size_t n, size_t k, size_t to, rotation g)
{
  for (size_t i = 0; i <= to; i++) {
    const number a = M[i * n + k], b = M[i * n + k + 1];
    M[i * n + k] = g.c * a + conj(g.s) * b;
    M[i * n + k + 1] = g.c * b - g.s * a;
  }
}

/* One step of QR with the shift, on rows first .. last, implicitly: a bulge is chased down the subdiagonal. */
static void qr_step(schur *s, size_t first, size_t last, number shift)
{
  const size_t n = s->n;
  number a = s->T[first * n + first] - shift, b = s->T[(first + 1) * n + first];
  for (size_t k = first; k < last; k++) {
    const rotation g = rotation_of(a, b);
    rotate_rows(s->T, n, k, k > first ? k - 1 : first, g);
    rotate_columns(s->T, n, k, k + 2 < last ? k + 2 : last, g);
    rotate_columns(s->Q, n, k, n - 1, g);
    if (k + 2 <= last) {
      a = s->T[(k + 1) * n + k], b = s->T[(k + 2) * n + k];
    }
    if (k > first) {
      s->T[(k + 1) * n + k - 1] = 0;
    }
  }
}

/* The first row of the block without a zero below its diagonal that ends in `last`; entries that rounding cannot tell from
 * zero become zero. */
static size_t find_block(const schur *s, size_t last)
{
  const size_t n = s->n;
  size_t k = last;
  while (k > 0) {
    const double near = cabs(s->T[k * n + k]) + cabs(s->T[(k - 1) * n + k - 1]);
    if (cabs(s->T[k * n + k - 1]) <= DBL_EPSILON * (near > 0 ? near : s->norm)) {
      s->T[k * n + k - 1] = 0;
      break;
    }
    k--;
  }
  return k;
}

static bool iterate_qr(schur *s)
{
  size_t last = s->n - 1;
  for (int round = 0; last > 0;) {
    const size_t first = find_block(s, last);
    if (first == last) {
      last--;
      round = 0;
      continue;
    }
    if (++round > 300) {
      return false;
    }
    /* every tenth round another shift, for blocks on which Wilkinson's goes in circles */
    const number shift = round % 10 == 0 ? cabs(s->T[last * s->n + last - 1]) + s->T[last * s->n + last]
                                         : wilkinson_shift(s, last);
    qr_step(s, first, last, shift);
  }
  return true;
}

/* ---- eigenvectors ---- */

/* out = Q y, of length 1. */
static void vector_from_schur(const schur *s, const number *y, number *out)
{
  const size_t n = s->n;
  double length = 0;
  for (size_t i = 0; i < n; i++) {
    number sum = 0;
    for (size_t j = 0; j < n; j++) {
      sum += s->Q[i * n + j] * y[j];
    }
    out[i] = sum;
    length = hypot(length, cabs(sum));
  }
  for (size_t i = 0; i < n && length > 0; i++) {
    out[i] /= length;
  }
}

/* A pivot that rounding cannot tell from zero is replaced by a rounding error. */
static number safe_pivot(const schur *s, number pivot)
{
  const double least = DBL_EPSILON * (s->norm > 0 ? s->norm : 1);
  return cabs(pivot) < least ? least : pivot;
}

/* (T - t_kk) y = 0 with y_k = 1, zeros below. */
static void right_vector(const schur *s, size_t k, number *y)
{
  const size_t n = s->n;
  memset(y, 0, n * sizeof *y);
  y[k] = 1;
  for (size_t i = k; i-- > 0;) {
    number sum = 0;
    for (size_t j = i + 1; j <= k; j++) {
      sum += s->T[i * n + j] * y[j];
    }
    y[i] = -sum / safe_pivot(s, s->T[i * n + i] - s->T[k * n + k]);
  }
}

/* y^H (T - t_kk) = 0 with y_k = 1, zeros above. */
static void left_vector(const schur *s, size_t k, number *y)
{
  const size_t n = s->n;
  memset(y, 0, n * sizeof *y);
  y[k] = 1;
  for (size_t j = k + 1; j < n; j++) {
    number sum = 0;
    for (size_t i = k; i < j; i++) {
      sum += conj(y[i]) * s->T[i * n + j];
    }
    y[j] = conj(-sum / safe_pivot(s, s->T[j * n + j] - s->T[k * n + k]));
  }
}

/* ---- all of it ---- */

typedef struct ranked {
  number value;
  size_t row;
} ranked;

/* By falling modulus; moduli that rounding cannot tell apart by the real part, then the imaginary one. */
static int compare_moduli(const void *a, const void *b)
{
  const number x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
  const double p = cabs(x), q = cabs(y);
  if (fabs(p - q) > 1e-12 * fmax(p, q)) {
    return p > q ? -1 : 1;
  }
  if (fabs(creal(x) - creal(y)) > 1e-12 * fmax(p, q)) {
    return creal(x) > creal(y) ? -1 : 1;
  }
  return cimag(x) > cimag(y) ? -1 : cimag(x) < cimag(y);
}

/* Eigenvalues in order, their vectors; a real matrix has pairs, and what rounding left beside the real axis goes back. */
static bool collect_pairs(const schur *s, pki_eigen *out)
{
  const size_t n = s->n;
  ranked *order = malloc(n * sizeof *order);
  number *y = malloc(n * sizeof *y);
  const bool good = order != NULL && y != NULL;
  for (size_t k = 0; good && k < n; k++) {
    order[k] = (ranked){s->T[k * n + k], k};
    if (fabs(cimag(order[k].value)) <= 1e-14 * s->norm) {
      order[k].value = creal(order[k].value);
    }
  }
  if (good) {
    qsort(order, n, sizeof *order, compare_moduli);
  }
  for (size_t k = 0; good && k < n; k++) {
    out->value[k] = order[k].value;
    right_vector(s, order[k].row, y);
    vector_from_schur(s, y, out->right + k * n);
    left_vector(s, order[k].row, y);
    vector_from_schur(s, y, out->left + k * n);
  }
  free(order);
  free(y);
  return good;
}

bool pki_eigen_compute(const double *A, int n, pki_eigen *out)
{
  const size_t w = (size_t)n;
  schur s = {.n = w, .T = malloc(w * w * sizeof *s.T), .Q = calloc(w * w, sizeof *s.Q)};
  number *scratch = malloc(w * sizeof *scratch);
  *out = (pki_eigen){.n = n,
                     .value = malloc(w * sizeof(number)),
                     .right = malloc(w * w * sizeof(number)),
                     .left = malloc(w * w * sizeof(number))};
  bool good = s.T != NULL && s.Q != NULL && scratch != NULL && out->value != NULL && out->right != NULL &&
              out->left != NULL;
  for (size_t i = 0; good && i < w * w; i++) {
    s.T[i] = A[i];
    s.norm = hypot(s.norm, A[i]);
    s.Q[i] = i % (w + 1) == 0;
  }
  good = good && isfinite(s.norm);
  if (good) {
    reduce_to_hessenberg(&s, scratch);
    good = iterate_qr(&s) && collect_pairs(&s, out);
  }
  free(s.T);
  free(s.Q);
  free(scratch);
  return good;
}

void pki_eigen_free(pki_eigen *eigen)
{
  free(eigen->value);
  free(eigen->right);
  free(eigen->left);
  *eigen = (pki_eigen){0};
}

/* |w^H v| of pair k. */
static double overlap(const pki_eigen *e, int k)
{
  const size_t n = (size_t)e->n;
  const number *v = e->right + (size_t)k * n, *w = e->left + (size_t)k * n;
  number dot = 0;
  for (size_t i = 0; i < n; i++) {
    dot += conj(w[i]) * v[i];
  }
  return cabs(dot);
}

double pki_eigen_condition(const pki_eigen *eigen, int k)
{
  return 1 / overlap(eigen, k);
}

double pki_eigen_spread(const pki_eigen *eigen, int k, const double *E)
{
  const size_t n = (size_t)eigen->n;
  const number *v = eigen->right + (size_t)k * n, *w = eigen->left + (size_t)k * n;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      sum = hypot(sum, cabs(w[i]) * E[i * n + j] * cabs(v[j]));
    }
  }
  return sum / overlap(eigen, k);
}
