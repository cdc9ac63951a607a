#include "contact/solvers/prox_bilateral.h"

#include <string.h>

pki_bilateral_block pki_bilateral_block_take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)p->nbilateral;
  pki_bilateral_block b = {.first = 3 * p->ncontact, .n = p->nbilateral};
  b.from = pki_arena_take(arena, n, sizeof *b.from);
  b.L = pki_arena_take(arena, n * n, sizeof *b.L);
  b.dinv = pki_arena_take(arena, n, sizeof *b.dinv);
  b.x = pki_arena_take(arena, n, sizeof *b.x);
  b.row = pki_arena_take(arena, p->factor != NULL ? (size_t)p->factor->n : 0, sizeof *b.row);
  return b;
}

/* Row i of the factor times its weights, to where its coordinates are; sign 0 takes it away again. */
static void spread_row(const pki_bilateral_block *b, const pk_contact_factor *f, int i, double sign)
{
  const size_t at = (size_t)(b->first + i) * (size_t)f->stride;
  for (int e = 0; e < f->count[b->first + i]; e++) {
    const int k = f->col[at + (size_t)e];
    b->row[k] = sign * f->weight[k] * f->Y[at + (size_t)e];
  }
}

/* The spread row times row j of the factor. */
static double spread_product(const pki_bilateral_block *b, const pk_contact_factor *f, int j)
{
  const size_t at = (size_t)(b->first + j) * (size_t)f->stride;
  double sum = 0;
  for (int e = 0; e < f->count[b->first + j]; e++) {
    sum += b->row[f->col[at + (size_t)e]] * f->Y[at + (size_t)e];
  }
  return sum;
}

/* Row i of G_B below the diagonal; returns the first column that is not zero. */
static int gather_row(const pki_bilateral_block *b, const pk_contact_problem *p, int i)
{
  const pk_contact_factor *f = p->W == NULL ? p->factor : NULL;
  double *row = b->L + (size_t)i * (size_t)b->n;
  int from = i;
  if (f != NULL) {
    spread_row(b, f, i, 1);
  }
  for (int j = i - 1; j >= 0; j--) {
    row[j] = f != NULL ? spread_product(b, f, j) : pki_entry(p, b->first + i, b->first + j);
    from = row[j] != 0 ? j : from;
  }
  if (f != NULL) {
    spread_row(b, f, i, 0);
  }
  return from;
}

/* With rows k < i done: v_k = G_ik - sum_e v_e L_ke, then L_ik = v_k/D_k and D_i = G_ii - sum_k v_k L_ik. */
void pki_bilateral_block_factor(pki_bilateral_block *b, const pk_contact_problem *p)
{
  static const double redundancy = 1e-12; /* of the diagonal: such a row adds nothing */
  if (p->W == NULL) {
    memset(b->row, 0, (size_t)p->factor->n * sizeof *b->row);
  }
  for (int i = 0; i < b->n; i++) {
    double *row = b->L + (size_t)i * (size_t)b->n;
    const double diagonal = pki_entry(p, b->first + i, b->first + i);
    const int from = b->from[i] = gather_row(b, p, i);
    for (int k = from; k < i; k++) {
      const int e = from > b->from[k] ? from : b->from[k];
      row[k] -= k > e ? pki_dot(row + e, b->L + (size_t)k * (size_t)b->n + e, k - e) : 0;
    }
    double pivot = diagonal;
    for (int k = from; k < i; k++) {
      const double l = row[k] * b->dinv[k];
      pivot -= row[k] * l;
      row[k] = l;
    }
    b->dinv[i] = pivot > redundancy * diagonal ? 1 / pivot : 0;
  }
}

void pki_bilateral_block_solve(const pki_bilateral_block *b)
{
  double *x = b->x;
  for (int i = 0; i < b->n; i++) {
    const int from = b->from[i];
    x[i] -= pki_dot(b->L + (size_t)i * (size_t)b->n + from, x + from, i - from);
  }
  for (int i = 0; i < b->n; i++) {
    x[i] *= b->dinv[i];
  }
  for (int i = b->n - 1; i >= 0; i--) {
    const double *row = b->L + (size_t)i * (size_t)b->n;
    for (int k = b->from[i]; k < i; k++) {
      x[k] -= row[k] * x[i];
    }
  }
}
