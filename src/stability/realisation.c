#include "stability/realisation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/eigen.h"
#include "math/svd.h"

static pk_multiplier multiplier_of(const pki_eigen *e, int k, double error)
{
  const double re = creal(e->value[k]), im = cimag(e->value[k]);
  return (pk_multiplier){
      .re = re, .im = im, .modulus = hypot(re, im), .error = error, .condition = pki_eigen_condition(e, k)};
}

static pk_status fail_eigenvalues(pk_error *err)
{
  return pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){0},
                  "the eigenvalues of the derivative were not found");
}

pk_status pki_multipliers_of(const double *A, const double *E, int n, pk_multiplier *multipliers,
                             pk_error *err)
{
  pki_eigen e;
  const bool good = pki_eigen_compute(A, n, &e);
  for (int k = 0; k < n && good; k++) {
    multipliers[k] = multiplier_of(&e, k, pki_eigen_spread(&e, k, E));
  }
  pki_eigen_free(&e);
  return good ? PK_OK : fail_eigenvalues(err);
}

/* ---- Hankel matrices ---- */

typedef struct hankel {
  size_t n, p, size; /* size = p n */
  const double *A, *E;
  double *row, *column; /* [n] weights */
  double *U, *V, *S;    /* [size][size] twice, [size] */
  double *left, *right; /* [size][order]: U S^(-1/2), V S^(-1/2) */
  double *F;            /* [order][order] */
  size_t order;
} hankel;

/* Entry (i, j) of H_shift, of A or of E. */
static double hankel_entry(const hankel *h, const double *of, size_t shift, size_t i, size_t j)
{
  const size_t block = i / h->n + j / h->n + shift;
  return h->row[i % h->n] * h->column[j % h->n] * of[(block * h->n + i % h->n) * h->n + j % h->n];
}

/* weight [n] = 1 / the root mean square of errors in each row (or column) with the other weights; the range of weights is limited, so
 * that entries without an error do not hide all others. */
static void weigh_lines(const hankel *h, bool columns, double *weight)
{
  const size_t n = h->n, blocks = 2 * h->p;
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < blocks * n; k++) {
      const size_t block = k / n, other = k % n, r = columns ? other : i, c = columns ? i : other;
      sum = hypot(sum, h->E[(block * n + r) * n + c] * (columns ? h->row[r] : h->column[c]));
    }
    weight[i] = sum;
    largest = fmax(largest, sum);
  }
  for (size_t i = 0; i < n; i++) {
    weight[i] = largest > 0 ? largest / fmax(weight[i], 1e-4 * largest) : 1;
  }
}

static void weigh_errors(hankel *h)
{
  for (size_t i = 0; i < h->n; i++) {
    h->row[i] = h->column[i] = 1;
  }
  weigh_lines(h, true, h->column);
  weigh_lines(h, false, h->row);
}

/* H_0 = U S V^T. *noise: the largest singular value of its errors, about. */
static bool split_hankel(hankel *h, double *noise)
{
  double sum = 0;
  for (size_t i = 0; i < h->size; i++) {
    for (size_t j = 0; j < h->size; j++) {
      h->U[i * h->size + j] = hankel_entry(h, h->A, 0, i, j);
      sum = hypot(sum, hankel_entry(h, h->E, 0, i, j));
    }
  }
  /* root mean square, times 2 sqrt(size) */
  *noise = 2 * sum / sqrt((double)h->size);
  return pki_svd(h->U, (int)h->size, h->S, h->V);
}

/* F = S^(-1/2) U^T H_1 V S^(-1/2); U holds U S. */
static void reduce_hankel(hankel *h)
{
  const size_t size = h->size, r = h->order;
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < r; k++) {
      h->left[i * r + k] = h->U[i * size + k] / (h->S[k] * sqrt(h->S[k]));
      h->right[i * r + k] = h->V[i * size + k] / sqrt(h->S[k]);
    }
  }
  memset(h->F, 0, r * r * sizeof *h->F);
  for (size_t i = 0; i < size; i++) {
    for (size_t l = 0; l < r; l++) {
      double sum = 0;
      for (size_t j = 0; j < size; j++) {
        sum += hankel_entry(h, h->A, 1, i, j) * h->right[j * r + l];
      }
      for (size_t k = 0; k < r; k++) {
        h->F[k * r + l] += h->left[i * r + k] * sum;
      }
    }
  }
}

/* |M y| row by row for M [size][order]. */
static void lift_vector(const double *M, size_t size, size_t order, const double complex *y, double *out)
{
  for (size_t i = 0; i < size; i++) {
    double complex sum = 0;
    for (size_t k = 0; k < order; k++) {
      sum += M[i * order + k] * y[k];
    }
    out[i] = cabs(sum);
  }
}

/* Of the pencil H_1 - lambda H_0: the change of lambda is w^H (E_1 - lambda E_0) v / (w^H H_0 v), entries independent. */
static double pencil_spread(const hankel *h, const pki_eigen *e, int k, double *scratch)
{
  const size_t r = h->order, size = h->size;
  double *w = scratch, *v = scratch + size, sum = 0;
  lift_vector(h->left, size, r, e->left + (size_t)k * r, w);
  lift_vector(h->right, size, r, e->right + (size_t)k * r, v);
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      const double e1 = hankel_entry(h, h->E, 1, i, j),
                   e0 = cabs(e->value[k]) * hankel_entry(h, h->E, 0, i, j);
      sum = hypot(sum, w[i] * hypot(e1, e0) * v[j]);
    }
  }
  return sum * pki_eigen_condition(e, k);
}

static bool multipliers_of_pencil(const hankel *h, double *scratch, pk_multiplier *out)
{
  pki_eigen e;
  const bool good = pki_eigen_compute(h->F, (int)h->order, &e);
  for (int k = 0; k < (int)h->order && good; k++) {
    out[k] = multiplier_of(&e, k, pencil_spread(h, &e, k, scratch));
  }
  pki_eigen_free(&e);
  return good;
}

/* Multipliers of what is above `least`; how many: h->order. */
static bool realise_cut(hankel *h, double least, double *scratch, pk_multiplier *out)
{
  h->order = 0;
  while (h->order < h->size && h->S[h->order] > least) {
    h->order++;
  }
  if (h->order == 0) {
    return true;
  }
  reduce_hankel(h);
  return multipliers_of_pencil(h, scratch, out);
}

/* No multiplier is known better than its distance from the nearest of the other cut. */
static void compare_cuts(pk_multiplier *multipliers, int count, const pk_multiplier *other, int others)
{
  for (int k = 0; k < count; k++) {
    double nearest = INFINITY;
    for (int i = 0; i < others; i++) {
      nearest = fmin(nearest, hypot(multipliers[k].re - other[i].re, multipliers[k].im - other[i].im));
    }
    multipliers[k].error = fmax(multipliers[k].error, nearest);
  }
}

pk_status pki_realise(const double *A, const double *E, int n, int p, pk_multiplier *multipliers, int *order,
                      pk_error *err)
{
  const size_t size = (size_t)n * (size_t)p;
  hankel h = {.n = (size_t)n, .p = (size_t)p, .size = size, .A = A, .E = E};
  double *room = malloc((5 * size * size + 3 * size + 2 * (size_t)n) * sizeof *room), noise = 0;
  pk_multiplier *fine = malloc(size * sizeof *fine);
  if (room == NULL || fine == NULL) {
    free(room);
    free(fine);
    return pki_fail_memory(err, "Hankel matrices");
  }
  h.U = room, h.V = h.U + size * size, h.left = h.V + size * size, h.right = h.left + size * size;
  h.F = h.right + size * size, h.S = h.F + size * size;
  h.row = h.S + 3 * size, h.column = h.row + n;
  weigh_errors(&h);
  bool good = split_hankel(&h, &noise) && realise_cut(&h, 3 * noise, h.S + size, fine);
  const int others = (int)h.order;
  good = good && realise_cut(&h, 10 * noise, h.S + size, multipliers);
  *order = (int)h.order;
  if (good) {
    compare_cuts(multipliers, *order, fine, others);
  }
  free(room);
  free(fine);
  return good ? PK_OK : fail_eigenvalues(err);
}
