/* Contact problems with linear friction.
 *
 * With directions d_k = (cos a_k, sin a_k), a_k = 2 pi k/m, of the tangent plane and unknowns (r_N, beta_1..m, lambda)
 * of each contact, r_T = sum_k beta_k d_k, the pyramid of Stewart and Trinkle (1996) is
 *
 *   0 <= r_N     _|_  u_N >= 0
 *   0 <= beta_k  _|_  d_k' u_T + lambda >= 0
 *   0 <= lambda  _|_  mu r_N - sum_k beta_k >= 0
 *
 * the polygon with m corners inside of the disc, on which friction dissipates the most. The box is the square around the
 * disc, along the contact's tangents: friction rows -mu r_N <= r_1, r_2 <= mu r_N. Bilateral rows have no bounds, box rows
 * their own. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/problem/problem.h"
#include "study/solvers/solvers.h"

const char *const pki_linear_names[PKI_LINEAR_FORMS] = {"box", "pyramid-4", "pyramid-8"};

static const int directions[PKI_LINEAR_FORMS] = {0, 4, 8};

/* Unknowns of a contact. */
static int unknowns_per_contact(pki_linear_form form)
{
  return form == PKI_LINEAR_BOX ? 3 : 2 + directions[form];
}

int pki_linear_size(const pk_contact_problem *p, pki_linear_form form)
{
  return unknowns_per_contact(form) * p->ncontact + p->nbilateral + p->nbox;
}

typedef struct arrays {
  double *M, *q, *lower, *upper;
  int *findex;
} arrays;

static arrays carve_linear(pki_linear *out, int n, pki_arena *arena)
{
  const size_t rows = (size_t)n;
  const arrays a = {pki_arena_take(arena, rows * rows, sizeof(double)),
                    pki_arena_take(arena, rows, sizeof(double)), pki_arena_take(arena, rows, sizeof(double)),
                    pki_arena_take(arena, rows, sizeof(double)), pki_arena_take(arena, rows, sizeof(int))};
  out->z = pki_arena_take(arena, rows, sizeof(double));
  out->w = pki_arena_take(arena, rows, sizeof(double));
  out->lcp = (pk_lcp){n, a.M, a.q, a.lower, a.upper, a.findex};
  return a;
}

/* Impulses that unknown j of the LCP makes: up to two rows of the problem and their parts. */
typedef struct column {
  int count, row[2];
  double part[2];
} column;

static column column_of(const pk_contact_problem *p, pki_linear_form form, int j)
{
  const int wide = unknowns_per_contact(form), contact = j / wide, k = j % wide;
  if (j >= wide * p->ncontact) {
    return (column){1, {j - wide * p->ncontact + 3 * p->ncontact}, {1}};
  }
  if (k == 0 || form == PKI_LINEAR_BOX) {
    return (column){1, {3 * contact + k}, {1}};
  }
  if (k == wide - 1) {
    return (column){0}; /* lambda */
  }
  static const double turn = 6.283185307179586;
  const double angle = turn * (k - 1) / directions[form];
  return (column){2, {3 * contact + 1, 3 * contact + 2}, {cos(angle), sin(angle)}};
}

/* M = D' W D and D' q, without the rows of lambda. */
static void project_onto_edges(const pk_contact_problem *p, pki_linear_form form, int n, const arrays *a)
{
  for (int i = 0; i < n; i++) {
    const column left = column_of(p, form, i);
    a->q[i] = 0;
    for (int s = 0; s < left.count; s++) {
      a->q[i] += left.part[s] * p->q[left.row[s]];
    }
    for (int j = 0; j < n; j++) {
      const column right = column_of(p, form, j);
      double sum = 0;
      for (int s = 0; s < left.count; s++) {
        for (int t = 0; t < right.count; t++) {
          sum += left.part[s] * right.part[t] * pki_entry(p, left.row[s], right.row[t]);
        }
      }
      a->M[(size_t)i * (size_t)n + (size_t)j] = sum;
    }
  }
}

static void add_bounds(const pk_contact_problem *p, pki_linear_form form, int n, const arrays *a)
{
  const int wide = unknowns_per_contact(form), contacts = wide * p->ncontact;
  for (int i = 0; i < n; i++) {
    const int box = i - contacts - p->nbilateral;
    a->lower[i] = i < contacts ? 0 : box < 0 ? -INFINITY : p->lower[box];
    a->upper[i] = box < 0 ? INFINITY : p->upper[box];
    a->findex[i] = -1;
    if (i < contacts && form == PKI_LINEAR_BOX && i % 3 > 0) {
      a->findex[i] = i - i % 3;
      a->lower[i] = -p->mu[i / 3], a->upper[i] = p->mu[i / 3];
    }
  }
  for (int c = 0; c < p->ncontact && form != PKI_LINEAR_BOX; c++) {
    const int first = wide * c, lambda = first + wide - 1;
    a->M[(size_t)lambda * (size_t)n + (size_t)first] = p->mu[c];
    for (int k = first + 1; k < lambda; k++) {
      a->M[(size_t)lambda * (size_t)n + (size_t)k] = -1;
      a->M[(size_t)k * (size_t)n + (size_t)lambda] = 1;
    }
  }
}

bool pki_linear_create(pki_linear *out, const pk_contact_problem *p, pki_linear_form form)
{
  const int n = pki_linear_size(p, form);
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_linear(out, n, &arena);
  out->form = form;
  const size_t size = arena.used;
  out->memory = pki_aligned_alloc(size);
  if (out->memory == NULL) {
    return false;
  }
  arena = pki_arena_over(out->memory, size);
  const arrays a = carve_linear(out, n, &arena);
  project_onto_edges(p, form, n, &a);
  add_bounds(p, form, n, &a);
  memset(out->z, 0, (size_t)n * sizeof *out->z);
  return true;
}

void pki_linear_free(pki_linear *linear)
{
  pki_aligned_free(linear->memory);
  *linear = (pki_linear){0};
}

void pki_linear_impulses(const pki_linear *linear, const pk_contact_problem *p, double *r)
{
  memset(r, 0, (size_t)pk_contact_size(p) * sizeof *r);
  for (int j = 0; j < linear->lcp.n; j++) {
    const column c = column_of(p, linear->form, j);
    for (int s = 0; s < c.count; s++) {
      r[c.row[s]] += c.part[s] * linear->z[j];
    }
  }
}

void pki_linear_guess(pki_linear *linear, const pk_contact_problem *p, const double *r)
{
  for (int j = 0; j < linear->lcp.n; j++) {
    const column c = column_of(p, linear->form, j);
    linear->z[j] = linear->form == PKI_LINEAR_BOX ? r[c.row[0]] : 0;
  }
}
