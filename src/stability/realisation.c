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
  return pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){0}, "the eigenvalues of the derivative were not found");
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
  size_t n, p, size;  /* size = p n */
  const double *A, *E;
  double *U, *V, *S;  /* [size][size] twice, [size] */
  double *left, *right; /* [size][order]: U S^(-1/2), V S^(-1/2) */
  double *F;            /* [order][order] */
  size_t order;
} hankel;

/* Entry (i, j) of H_shift, of A or of E. */
static double hankel_entry(const hankel *h, const double *of, size_t shift, size_t i, size_t j)
{
  const size_t block = i / h->n + j / h->n + shift;
  return of[(block * h->n + i % h->n) * h->n + j % h->n];
}

/* H_0 = U S V^T, and how many singular values are above the norm of its errors. */
static bool cut_hankel(hankel *h)
{
  double noise = 0;
  for (size_t i = 0; i < h->size; i++) {
    for (size_t j = 0; j < h->size; j++) {
      h->U[i * h->size + j] = hankel_entry(h, h->A, 0, i, j);
      noise = hypot(noise, hankel_entry(h, h->E, 0, i, j));
    }
  }
  if (!pki_svd(h->U, (int)h->size, h->S, h->V)) {
    return false;
  }
  while (h->order < h->size && h->S[h->order] > noise) {
    h->order++;
  }
  return true;
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
      const double e1 = hankel_entry(h, h->E, 1, i, j), e0 = cabs(e->value[k]) * hankel_entry(h, h->E, 0, i, j);
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

pk_status pki_realise(const double *A, const double *E, int n, int p, pk_multiplier *multipliers, int *order,
                      pk_error *err)
{
  const size_t size = (size_t)n * (size_t)p;
  hankel h = {.n = (size_t)n, .p = (size_t)p, .size = size, .A = A, .E = E};
  double *room = malloc((5 * size * size + 3 * size) * sizeof *room);
  if (room == NULL) {
    return pki_fail_memory(err, "Hankel matrices");
  }
  h.U = room, h.V = h.U + size * size, h.left = h.V + size * size, h.right = h.left + size * size;
  h.F = h.right + size * size, h.S = h.F + size * size;
  bool good = cut_hankel(&h);
  if (good && h.order > 0) {
    reduce_hankel(&h);
    good = multipliers_of_pencil(&h, h.S + size, multipliers);
  }
  *order = (int)h.order;
  free(room);
  return good ? PK_OK : fail_eigenvalues(err);
}
