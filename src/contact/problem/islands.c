#include "contact/problem/islands.h"

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
  s.coordinate_first = pki_arena_take(arena, groups + 1, sizeof(int));
  s.coordinate = pki_arena_take(arena, n, sizeof(int));
  s.owner = pki_arena_take(arena, n, sizeof(int));
  s.local = pki_arena_take(arena, n, sizeof(int));
  s.parent = pki_arena_take(arena, nodes, sizeof(int));
  s.label = pki_arena_take(arena, nodes, sizeof(int));
  s.row = pki_arena_take(arena, rows, sizeof(int));
  s.count_of = pki_arena_take(arena, rows, sizeof(int));
  s.col = pki_arena_take(arena, rows * stride, sizeof(int));
  s.Y = pki_arena_take(arena, rows * stride, sizeof(double));
  s.weight = pki_arena_take(arena, n, sizeof(double));
  double **const of_rows[] = {&s.extra, &s.q, &s.mu, &s.lower, &s.upper, &s.r, &s.best, &s.u};
  for (size_t k = 0; k < sizeof of_rows / sizeof of_rows[0]; k++) {
    *of_rows[k] = pki_arena_take(arena, rows, sizeof(double));
  }
  s.W = pki_arena_take(arena, dense * dense, sizeof(double));
  s.spread = pki_arena_take(arena, 3 * n, sizeof(double));
  return s;
}

/* ---- who belongs together ---- */

static int find_island_root(int *parent, int i)
{
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static void join_islands(int *parent, int a, int b)
{
  const int ra = find_island_root(parent, a), rb = find_island_root(parent, b);
  parent[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

/* Whether a row's list of coordinates is that of the row before it, as with the three of a contact. */
static bool same_coordinates(const pk_contact_factor *f, int row)
{
  const int *col = f->col + (size_t)row * (size_t)f->stride;
  return f->count[row] == f->count[row - 1] &&
         memcmp(col, col - f->stride, (size_t)f->count[row] * sizeof *col) == 0;
}

/* Trees of coordinates; rows that move nothing hang on the last node. The node of each group comes back in `of`. */
static void join_coordinates(pki_islands *s, const pk_contact_problem *p, int groups, int *of)
{
  const pk_contact_factor *f = p->factor;
  for (int g = 0; g < groups; g++) {
    const int lanes = g < p->ncontact ? 3 : 1, from = pki_first_row(p, g);
    of[g] = f->n;
    for (int row = from; row < from + lanes; row++) {
      const int *col = f->col + (size_t)row * (size_t)f->stride;
      for (int e = 0; e < f->count[row] && (row == from || !same_coordinates(f, row)); e++) {
        if (f->weight[col[e]] == 0) {
          continue;
        }
        if (of[g] == f->n) {
          of[g] = col[e];
        } else if (s->parent[of[g]] != s->parent[col[e]]) {
          join_islands(s->parent, of[g], col[e]);
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
        join_islands(s->parent, row, p->W_col ? p->W_col[e] : e);
      }
    }
  }
  for (int g = 0; g < groups; g++) {
    of[g] = pki_first_row(p, g);
    for (int d = 1; d < 3 && g < p->ncontact; d++) {
      join_islands(s->parent, of[g], of[g] + d);
    }
  }
}

/* The coordinates by their owners. */
static void sort_coordinates(pki_islands *s, int n)
{
  int *next = s->label; /* scratch */
  memset(s->coordinate_first, 0, ((size_t)s->count + 1) * sizeof(int));
  for (int i = 0; i < n; i++) {
    if (s->owner[i] >= 0) {
      s->coordinate_first[s->owner[i] + 1]++;
    }
  }
  for (int k = 0; k < s->count; k++) {
    s->coordinate_first[k + 1] += s->coordinate_first[k];
    next[k] = s->coordinate_first[k];
  }
  for (int i = 0; i < n; i++) {
    s->local[i] = 0;
    if (s->owner[i] >= 0) {
      s->local[i] = next[s->owner[i]] - s->coordinate_first[s->owner[i]];
      s->coordinate[next[s->owner[i]]++] = i;
    }
  }
}

/* The island of each coordinate. of [groups]: the islands of the groups. */
static void own_coordinates(pki_islands *s, const pk_contact_problem *p, int groups, const int *of)
{
  const pk_contact_factor *f = p->factor;
  const int n = f ? f->n : 0;
  memset(s->owner, 0xff, (size_t)n * sizeof *s->owner);
  for (int g = 0; g < groups && n > 0; g++) {
    const int from = pki_first_row(p, g);
    for (int row = from; row < from + (g < p->ncontact ? 3 : 1); row++) {
      const int *col = f->col + (size_t)row * (size_t)f->stride;
      for (int e = 0; e < f->count[row] && (row == from || !same_coordinates(f, row)); e++) {
        s->owner[col[e]] = f->weight[col[e]] != 0 ? of[g] : -1;
      }
    }
  }
  sort_coordinates(s, n);
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
    const int at = find_island_root(s->parent, of[g]);
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
  own_coordinates(s, p, groups, of);
  return s->count;
}

/* ---- one of them ---- */

/* The factor of the island's rows, on its own coordinates. What a row has elsewhere cannot move. */
static void gather_factor(pki_islands *s, const pk_contact_factor *f, int k, int rows)
{
  const int *coordinate = s->coordinate + s->coordinate_first[k];
  const int n = s->coordinate_first[k + 1] - s->coordinate_first[k];
  for (int i = 0; i < n; i++) {
    s->weight[i] = f->weight[coordinate[i]];
  }
  for (int i = 0; i < rows; i++) {
    const size_t from = (size_t)s->row[i] * (size_t)f->stride;
    const int *col = f->col + from;
    const double *Y = f->Y + from;
    int *to = s->col + (size_t)i * (size_t)f->stride, count = 0;
    double *values = s->Y + (size_t)i * (size_t)f->stride;
    for (int e = 0; e < f->count[s->row[i]]; e++) {
      to[count] = s->local[col[e]], values[count] = Y[e];
      count += s->owner[col[e]] == k;
    }
    s->count_of[i] = count;
    s->extra[i] = f->extra[s->row[i]];
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
    gather_factor(s, p->factor, k, rows);
    s->p.factor = &s->f;
  } else {
    gather_W(s, p, rows);
    s->p.W = s->W;
  }
}

/* Rows of a group as columns weight Y' over the island's coordinates, in s->spread; `on` false: zeros there again. */
static void spread_group(const pki_islands *s, int row, int lanes, bool on)
{
  for (int d = 0; d < lanes; d++) {
    const size_t from = (size_t)(row + d) * (size_t)s->f.stride;
    for (size_t e = from; e < from + (size_t)s->count_of[row + d]; e++) {
      s->spread[3 * s->col[e] + d] = on ? s->weight[s->col[e]] * s->Y[e] : 0;
    }
  }
}

/* Y_i times the three columns that are spread out. */
static void row_products(const pki_islands *s, int row, double out[3])
{
  const size_t from = (size_t)row * (size_t)s->f.stride;
  double a = 0, b = 0, c = 0;
  for (size_t e = from; e < from + (size_t)s->count_of[row]; e++) {
    const double *x = s->spread + 3 * (size_t)s->col[e], y = s->Y[e];
    a += y * x[0], b += y * x[1], c += y * x[2];
  }
  out[0] = a, out[1] = b, out[2] = c;
}

const double *pki_islands_fill_W(pki_islands *s)
{
  const int rows = pk_contact_size(&s->p), groups = rows - 2 * s->p.ncontact;
  const size_t n = (size_t)rows;
  memset(s->spread, 0, 3 * (size_t)s->f.n * sizeof *s->spread);
  for (int g = 0; g < groups; g++) {
    const int j = pki_first_row(&s->p, g), lanes = g < s->p.ncontact ? 3 : 1;
    spread_group(s, j, lanes, true);
    for (int i = j; i < rows; i++) {
      double block[3];
      row_products(s, i, block);
      for (int d = 0; d < lanes; d++) {
        s->W[(size_t)i * n + (size_t)(j + d)] = s->W[(size_t)(j + d) * n + (size_t)i] = block[d];
      }
    }
    spread_group(s, j, lanes, false);
  }
  for (int i = 0; i < rows; i++) {
    s->W[(size_t)i * (n + 1)] += s->extra[i];
  }
  return s->W;
}

void pki_islands_scatter(const pki_islands *s, const double *island, double *r)
{
  for (int i = 0; i < pk_contact_size(&s->p); i++) {
    r[s->row[i]] = island[i];
  }
}
