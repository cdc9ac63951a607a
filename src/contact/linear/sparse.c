#include "contact/linear/sparse.h"

#include <string.h>

/* The next coordinate of up to three rows that go side by side, -1: none; at [3] says where they are and moves on.
 * values [3]: what they have there. */
static int next_coordinate(const pk_contact_factor *f, int row, int lanes, int at[3], double values[3])
{
  int least = -1;
  for (int d = 0; d < lanes; d++) {
    const int *col = f->col + (size_t)(row + d) * (size_t)f->stride;
    least = at[d] < f->count[row + d] && (least < 0 || col[at[d]] < least) ? col[at[d]] : least;
  }
  for (int d = 0; d < lanes && least >= 0; d++) {
    const size_t from = (size_t)(row + d) * (size_t)f->stride;
    const bool here = at[d] < f->count[row + d] && f->col[from + (size_t)at[d]] == least;
    values[d] = here && f->Y ? f->Y[from + (size_t)at[d]] : 0;
    at[d] += here;
  }
  return least;
}

void pki_sparse_entries(const pk_contact_problem *p, size_t *contacts, size_t *singles)
{
  const pk_contact_factor *f = p->factor;
  const size_t stride = f ? (size_t)f->stride : 0;
  const int others = p->nbilateral + p->nbox;
  *contacts = (size_t)p->ncontact * stride, *singles = (size_t)others * stride;
  if (f == NULL || f->count == NULL || f->col == NULL) {
    return;
  }
  *contacts = *singles = 0;
  for (int i = 0; i < p->ncontact; i++) {
    double values[3];
    for (int at[3] = {0, 0, 0}; next_coordinate(f, 3 * i, 3, at, values) >= 0;) {
      ++*contacts;
    }
  }
  for (int i = 3 * p->ncontact; i < 3 * p->ncontact + others; i++) {
    *singles += (size_t)f->count[i];
  }
}

pki_sparse pki_sparse_take(pki_arena *arena, const pk_contact_problem *p)
{
  const int contacts = p->ncontact, singles = p->nbilateral + p->nbox;
  size_t of_contacts, of_singles;
  pki_sparse_entries(p, &of_contacts, &of_singles);
  pki_sparse s = {.p = p, .contacts = contacts, .groups = contacts + singles};
  s.n = p->factor ? p->factor->n : 0;
  s.weight = p->factor ? p->factor->weight : NULL;
  s.start = pki_arena_take(arena, (size_t)s.groups + 1, sizeof *s.start);
  s.col = pki_arena_take(arena, of_contacts + of_singles, sizeof *s.col);
  s.Y3 = pki_arena_take(arena, 3 * of_contacts, sizeof *s.Y3);
  s.Y1 = pki_arena_take(arena, of_singles, sizeof *s.Y1);
  return s;
}

void pki_sparse_pack(pki_sparse *s)
{
  const pk_contact_factor *f = s->p->factor;
  int entry = 0;
  double *Y3 = s->Y3, *Y1 = s->Y1;
  for (int g = 0; g < s->groups; g++) {
    const int row = pki_first_row(s->p, g), lanes = g < s->contacts ? 3 : 1;
    double values[3];
    int at[3] = {0, 0, 0}, col;
    s->start[g] = entry;
    while ((col = next_coordinate(f, row, lanes, at, values)) >= 0) {
      s->col[entry++] = col;
      for (int d = 0; d < lanes; d++) {
        *(*(lanes == 3 ? &Y3 : &Y1))++ = values[d];
      }
    }
  }
  s->start[s->groups] = entry;
}

void pki_sparse_gather(const pki_sparse *s, const double *r, double *z)
{
  memset(z, 0, (size_t)s->n * sizeof *z);
  for (int g = 0; g < s->contacts; g++) {
    if (r[3 * g] != 0 || r[3 * g + 1] != 0 || r[3 * g + 2] != 0) {
      pki_sparse_add3(s, g, r + 3 * g, z);
    }
  }
  for (int g = s->contacts; g < s->groups; g++) {
    if (r[pki_first_row(s->p, g)] != 0) {
      pki_sparse_add1(s, g, r[pki_first_row(s->p, g)], z);
    }
  }
}

void pki_sparse_velocity(const pki_sparse *s, const double *z, const double *r, double *u)
{
  const double *extra = s->p->factor->extra, *q = s->p->q;
  for (int g = 0; g < s->contacts; g++) {
    pki_sparse_dot3(s, g, z, u + 3 * g);
  }
  for (int g = s->contacts; g < s->groups; g++) {
    u[pki_first_row(s->p, g)] = pki_sparse_dot1(s, g, z);
  }
  for (int i = 0; i < 2 * s->contacts + s->groups; i++) {
    u[i] += extra[i] * r[i] + q[i];
  }
}

void pki_sparse_block(const pki_sparse *s, int contact, double W[9])
{
  memset(W, 0, 9 * sizeof *W);
  const double *extra = s->p->factor->extra + 3 * contact;
  for (int e = s->start[contact]; e < s->start[contact + 1]; e++) {
    const double *Y = s->Y3 + 3 * (size_t)e, weight = s->weight[s->col[e]];
    for (int i = 0; i < 9; i++) {
      W[i] += Y[i / 3] * weight * Y[i % 3];
    }
  }
  for (int i = 0; i < 3; i++) {
    W[4 * i] += extra[i];
  }
}

void pki_sparse_diagonals(const pki_sparse *s, double *diagonal)
{
  const double *Y1 = s->Y1 - s->start[s->contacts], *extra = s->p->factor->extra;
  for (int g = 0; g < s->groups; g++) {
    const int row = pki_first_row(s->p, g);
    if (g < s->contacts) {
      double W[9];
      pki_sparse_block(s, g, W);
      diagonal[row] = W[0], diagonal[row + 1] = W[4], diagonal[row + 2] = W[8];
      continue;
    }
    diagonal[row] = extra[row];
    for (int e = s->start[g]; e < s->start[g + 1]; e++) {
      diagonal[row] += Y1[e] * s->weight[s->col[e]] * Y1[e];
    }
  }
}
