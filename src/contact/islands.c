#include "contact/islands.h"

#include <string.h>

int pki_dense_rows(const pk_contact_problem *p)
{
  const int n = pk_contact_size(p);
  return p->W != NULL || n < PKI_DENSE_ROWS ? n : PKI_DENSE_ROWS;
}

pki_islands pki_islands_take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t rows = (size_t)pk_contact_size(p), n = p->factor ? (size_t)p->factor->n : 0;
  const size_t stride = p->factor ? (size_t)p->factor->stride : 0, dense = (size_t)pki_dense_rows(p);
  const size_t groups = rows - 2 * (size_t)p->ncontact, nodes = (n > rows ? n : rows) + 1;
  pki_islands s = {.count = 0};
  s.first = pki_arena_take(arena, groups + 1, sizeof(int));
  s.groups = pki_arena_take(arena, groups, sizeof(int));
  s.parent = pki_arena_take(arena, nodes, sizeof(int));
  s.label = pki_arena_take(arena, nodes, sizeof(int));
  s.row = pki_arena_take(arena, rows, sizeof(int));
  s.coordinate = pki_arena_take(arena, n, sizeof(int));
  s.count_of = pki_arena_take(arena, rows, sizeof(int));
  s.col = pki_arena_take(arena, rows * stride, sizeof(int));
  s.Y = pki_arena_take(arena, rows * stride, sizeof(double));
  s.weight = pki_arena_take(arena, n, sizeof(double));
  double **const of_rows[] = {&s.extra, &s.q, &s.mu, &s.lower, &s.upper, &s.r, &s.best, &s.u};
  for (size_t k = 0; k < sizeof of_rows / sizeof of_rows[0]; k++) {
    *of_rows[k] = pki_arena_take(arena, rows, sizeof(double));
  }
  s.W = pki_arena_take(arena, dense * dense, sizeof(double));
  return s;
}

/* ---- who belongs together ---- */

static int root(int *parent, int i)
{
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static void join(int *parent, int a, int b)
{
  const int ra = root(parent, a), rb = root(parent, b);
  parent[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

/* Trees of coordinates; rows that move nothing hang on the last node. The node of each group comes back in `of`. */
static void join_coordinates(pki_islands *s, const pk_contact_problem *p, int groups, int *of)
{
  const pk_contact_factor *f = p->factor;
  for (int g = 0; g < groups; g++) {
    const int lanes = g < p->ncontact ? 3 : 1;
    of[g] = f->n;
    for (int row = pki_first_row(p, g); row < pki_first_row(p, g) + lanes; row++) {
      const size_t at = (size_t)row * (size_t)f->stride;
      for (size_t e = at; e < at + (size_t)f->count[row]; e++) {
        if (f->Y[e] == 0 || f->weight[f->col[e]] == 0) {
          continue;
        }
        if (of[g] == f->n) {
          of[g] = f->col[e];
        } else {
          join(s->parent, of[g], f->col[e]);
        }
      }
    }
  }
}

/* Trees of rows, by the entries of W. */
static void join_rows(pki_islands *s, const pk_contact_problem *p, int groups, int *of)
{
  const int n = pk_contact_size(p);
  for (int row = 0; row < n; row++) {
    const int from = p->W_col ? p->W_row[row] : 0, to = p->W_col ? p->W_row[row + 1] : n;
    for (int e = from; e < to; e++) {
      const double value = p->W_col ? p->W[e] : p->W[(size_t)row * (size_t)n + (size_t)e];
      if (value != 0) {
        join(s->parent, row, p->W_col ? p->W_col[e] : e);
      }
    }
  }
  for (int g = 0; g < groups; g++) {
    of[g] = pki_first_row(p, g);
    for (int d = 1; d < 3 && g < p->ncontact; d++) {
      join(s->parent, of[g], of[g] + d);
    }
  }
}

int pki_islands_find(pki_islands *s, const pk_contact_problem *p)
{
  const int n = pk_contact_size(p), groups = n - 2 * p->ncontact;
  const int nodes = p->factor && p->factor->n > n ? p->factor->n + 1 : n + 1;
  int *of = s->row; /* scratch here */
  for (int i = 0; i < nodes; i++) {
    s->parent[i] = i;
    s->label[i] = -1;
  }
  if (p->factor) {
    join_coordinates(s, p, groups, of);
  } else {
    join_rows(s, p, groups, of);
  }
  s->count = 0;
  memset(s->first, 0, ((size_t)groups + 1) * sizeof(int));
  for (int g = 0; g < groups; g++) {
    const int at = root(s->parent, of[g]);
    s->label[at] = s->label[at] < 0 ? s->count++ : s->label[at];
    of[g] = s->label[at];
    s->first[of[g] + 1]++;
  }
  for (int k = 0; k < s->count; k++) {
    s->first[k + 1] += s->first[k];
    s->label[k] = s->first[k];
  }
  for (int g = 0; g < groups; g++) {
    s->groups[s->label[of[g]]++] = g;
  }
  return s->count;
}

/* ---- one of them ---- */

/* The factor of the island's rows, on its own coordinates. */
static void gather_factor(pki_islands *s, const pk_contact_factor *f, int rows)
{
  int n = 0;
  for (int i = 0; i < f->n; i++) {
    s->label[i] = -1;
  }
  for (int i = 0; i < rows; i++) {
    const size_t from = (size_t)s->row[i] * (size_t)f->stride;
    for (size_t e = from; e < from + (size_t)f->count[s->row[i]]; e++) {
      s->label[f->col[e]] = 0;
    }
  }
  for (int i = 0; i < f->n; i++) { /* ascending, as the rows are */
    if (s->label[i] == 0) {
      s->coordinate[n] = i;
      s->weight[n] = f->weight[i];
      s->label[i] = n++;
    }
  }
  for (int i = 0; i < rows; i++) {
    const size_t from = (size_t)s->row[i] * (size_t)f->stride, to = (size_t)i * (size_t)f->stride;
    const int count = f->count[s->row[i]];
    s->count_of[i] = count;
    s->extra[i] = f->extra[s->row[i]];
    memcpy(s->Y + to, f->Y + from, (size_t)count * sizeof *s->Y);
    for (int e = 0; e < count; e++) {
      s->col[to + (size_t)e] = s->label[f->col[from + (size_t)e]];
    }
  }
  s->f = (pk_contact_factor){.n = n,
                             .stride = f->stride,
                             .count = s->count_of,
                             .col = s->col,
                             .Y = s->Y,
                             .weight = s->weight,
                             .extra = s->extra};
}

static void gather_W(pki_islands *s, const pk_contact_problem *p, int rows)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < rows; j++) {
      s->W[(size_t)i * (size_t)rows + (size_t)j] = pki_entry(p, s->row[i], s->row[j]);
    }
  }
}

void pki_islands_gather(pki_islands *s, const pk_contact_problem *p, int k, const double *r)
{
  const int boxes = 3 * p->ncontact + p->nbilateral;
  int rows = 0;
  s->p = (pk_contact_problem){.q = s->q, .mu = s->mu, .lower = s->lower, .upper = s->upper};
  for (int i = s->first[k]; i < s->first[k + 1]; i++) {
    const int g = s->groups[i], from = pki_first_row(p, g);
    if (g < p->ncontact) {
      s->mu[s->p.ncontact++] = p->mu[g];
    } else if (from < boxes) {
      s->p.nbilateral++;
    } else {
      s->lower[s->p.nbox] = p->lower[from - boxes], s->upper[s->p.nbox++] = p->upper[from - boxes];
    }
    for (int d = 0; d < (g < p->ncontact ? 3 : 1); d++, rows++) {
      s->row[rows] = from + d;
      s->q[rows] = p->q[from + d], s->r[rows] = r[from + d];
    }
  }
  if (p->factor) {
    gather_factor(s, p->factor, rows);
    s->p.factor = &s->f;
  } else {
    gather_W(s, p, rows);
    s->p.W = s->W;
  }
}

const double *pki_islands_fill_W(pki_islands *s, const pk_contact_problem *p)
{
  const int rows = pk_contact_size(p);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j <= i; j++) {
      const double value = pki_entry(p, i, j);
      s->W[(size_t)i * (size_t)rows + (size_t)j] = s->W[(size_t)j * (size_t)rows + (size_t)i] = value;
    }
  }
  return s->W;
}

void pki_islands_scatter(const pki_islands *s, const double *island, double *r)
{
  for (int i = 0; i < pk_contact_size(&s->p); i++) {
    r[s->row[i]] = island[i];
  }
}
