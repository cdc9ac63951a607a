/* A problem taken from a running world, and what kind it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "contact/problem/islands.h"
#include "study/solvers/solvers.h"

static void *copy_array(pki_arena *arena, const void *from, size_t count, size_t size)
{
  void *to = pki_arena_take(arena, count, size);
  if (to != NULL && from != NULL && count > 0) {
    memcpy(to, from, count * size);
  }
  return to;
}

/* The arrays from an arena; one that counts gets no data. */
static void carve_problem_copy(pki_solvers_problem *to, const pk_contact_problem *p, const double *guess,
                               pki_arena *arena)
{
  const size_t rows = (size_t)pk_contact_size(p), entries = rows * (size_t)p->factor->stride;
  const pk_contact_factor *f = p->factor;
  to->p = *p;
  to->p.W = p->W != NULL ? copy_array(arena, p->W, rows * rows, sizeof(double)) : NULL;
  to->p.q = copy_array(arena, p->q, rows, sizeof(double));
  to->p.mu = copy_array(arena, p->mu, (size_t)p->ncontact, sizeof(double));
  to->p.lower = copy_array(arena, p->lower, (size_t)p->nbox, sizeof(double));
  to->p.upper = copy_array(arena, p->upper, (size_t)p->nbox, sizeof(double));
  to->factor = *f;
  to->factor.count = copy_array(arena, f->count, rows, sizeof(int));
  to->factor.col = copy_array(arena, f->col, entries, sizeof(int));
  to->factor.Y = copy_array(arena, f->Y, entries, sizeof(double));
  to->factor.weight = copy_array(arena, f->weight, (size_t)f->n, sizeof(double));
  to->factor.extra = copy_array(arena, f->extra, rows, sizeof(double));
  to->p.factor = &to->factor;
  to->guess = copy_array(arena, guess, rows, sizeof(double));
  to->scratch = pki_arena_take(arena, rows, sizeof(double));
  to->other = pki_arena_take(arena, rows, sizeof(double));
}

bool pki_solvers_take(pki_solvers_problem *to, const pk_contact_problem *p, const double *guess)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_problem_copy(to, p, guess, &arena);
  if (arena.used > to->room) {
    pki_aligned_free(to->memory);
    to->room = arena.used + arena.used / 2;
    to->memory = pki_aligned_alloc(to->room);
    if (to->memory == NULL) {
      to->room = 0;
      to->failed = true;
      return false;
    }
  }
  arena = pki_arena_over(to->memory, to->room);
  carve_problem_copy(to, p, guess, &arena);
  to->had_factor = p->W == NULL || pk_contact_size(p) > PKI_FACTOR_ROWS;
  return true;
}

void pki_solvers_problem_free(pki_solvers_problem *problem)
{
  pki_aligned_free(problem->memory);
  *problem = (pki_solvers_problem){0};
}

/* --- kinds ----------------------------------------------------------------------------- */

int pki_solvers_rank(double *A, int n, double *spread)
{
  static const double zero = 1e-10; /* of the largest entry on the diagonal */
  const size_t stride = (size_t)n;
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, A[(size_t)i * (stride + 1)]);
  }
  *spread = 1;
  int rank = 0;
  for (; rank < n; rank++) {
    /* the row with the largest rest goes to the front */
    int pivot = rank;
    for (int i = rank + 1; i < n; i++) {
      pivot = A[(size_t)i * (stride + 1)] > A[(size_t)pivot * (stride + 1)] ? i : pivot;
    }
    if (!(A[(size_t)pivot * (stride + 1)] > zero * most)) {
      break;
    }
    *spread = most / A[(size_t)pivot * (stride + 1)]; /* pivots fall */
    for (int k = 0; k < n && pivot != rank; k++) {
      const double x = A[(size_t)rank * stride + (size_t)k];
      A[(size_t)rank * stride + (size_t)k] = A[(size_t)pivot * stride + (size_t)k];
      A[(size_t)pivot * stride + (size_t)k] = x;
    }
    for (int k = 0; k < n && pivot != rank; k++) {
      const double x = A[(size_t)k * stride + (size_t)rank];
      A[(size_t)k * stride + (size_t)rank] = A[(size_t)k * stride + (size_t)pivot];
      A[(size_t)k * stride + (size_t)pivot] = x;
    }
    /* what is left: A - a a'/d */
    const double *a = A + (size_t)rank * stride, d = a[rank];
    for (int i = rank + 1; i < n; i++) {
      const double f = a[i] / d;
      double *row = A + (size_t)i * stride;
      for (int k = rank + 1; k < n && f != 0; k++) {
        row[k] -= f * a[k];
      }
    }
  }
  return rank;
}

bool pki_solvers_measure(const pk_contact_problem *p, pki_solvers_kind *kind)
{
  const int n = 3 * p->ncontact, all = pk_contact_size(p);
  if (p->W == NULL) {
    kind->excess = n > p->factor->n ? n - p->factor->n : 0;
    kind->spread = NAN;
    return true;
  }
  double *A = malloc((size_t)n * (size_t)n * sizeof *A + 1);
  if (A == NULL) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    memcpy(A + (size_t)i * (size_t)n, p->W + (size_t)i * (size_t)all, (size_t)n * sizeof *A);
  }
  kind->excess = n - pki_solvers_rank(A, n, &kind->spread);
  free(A);
  return true;
}

bool pki_solvers_slides(const pk_contact_problem *p, const double *r, double *u)
{
  static const double still = 1e-4; /* m/s */
  double most = 0;
  for (int i = 0; i < p->ncontact; i++) {
    most = fmax(most, r[3 * i]);
  }
  pk_contact_velocity(p, r, u);
  for (int i = 0; i < p->ncontact; i++) {
    if (r[3 * i] > 1e-6 * most && hypot(u[3 * i + 1], u[3 * i + 2]) > still) {
      return true;
    }
  }
  return false;
}
