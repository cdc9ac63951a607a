/* The elimination plan: which entries of the lower triangle of [M J'; J 0] are kept, J the bilateral constraints.
 *
 * M_ij is not zero only when one of the two coordinates moves what the other moves: j is an
 * ancestor of i in the tree. Factoring from the last row to the first (M = L' L, Featherstone
 * 2008, section 8.2) then fills nothing. A mimic follower moves the tree from two places at
 * once; rows become unions of ancestor sets, and the fill is found by symbolic elimination.
 *
 * The unknowns of a cut joint stand just before the velocities of the body that it freed: from the leaves up, first a
 * body is eliminated, then the joint that holds it, and what is left is an inertia added to the parent's. A tree of cut
 * joints fills nothing beyond its neighbours (Baraff 1996, linear time). Loops come first, so that they are eliminated
 * last, when everything that they hold together has been. */
#include <stdlib.h>
#include <string.h>

#include "model/compile.h"
#include "model/motion.h"

static void report_size(pki_draft *d)
{
  pki_builder_error(d->b, PK_ERROR_LIMIT, (pki_where){0},
                    "the mass matrix would keep more than %d entries: the tree is too deep for %d velocities",
                    PKI_PLAN_MAX, d->nu);
}

/* Entries of a tree in which every body has coordinates of its own; false: out of memory. */
static bool count_tree(const pki_draft *d, size_t *total)
{
  *total = 0;
  int *length = malloc(((size_t)d->nbody + 1) * sizeof *length); /* coordinates up to and with the body */
  if (length == NULL) {
    return false;
  }
  for (int i = 0; i < d->nbody; i++) {
    const int n = pki_motion_nu(d->bodies[i].motion);
    const int above = d->bodies[i].parent >= 0 ? length[d->bodies[i].parent] : 0;
    length[i] = above + n;
    *total += (size_t)above * (size_t)n + (size_t)(n * (n + 1) / 2);
  }
  free(length);
  return true;
}

/* Rows of a tree: the parent's row, then the body's own coordinates. */
static bool plan_tree(pki_draft *d)
{
  size_t total;
  if (!count_tree(d, &total)) {
    return false;
  }
  if (total > PKI_PLAN_MAX) {
    report_size(d);
    return true;
  }
  d->M_col = malloc((total + 1) * sizeof *d->M_col);
  if (d->M_col == NULL) {
    return false;
  }
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    for (int k = 0; k < pki_motion_nu(body->motion); k++) {
      const int row = body->u + k;
      /* the row before it in the chain: the last of the parent, or the one just written */
      int above = row - 1;
      if (k == 0) {
        const pki_body *parent = body->parent >= 0 ? &d->bodies[body->parent] : NULL;
        above = parent ? parent->u + pki_motion_nu(parent->motion) - 1 : -1;
      }
      d->M_row[row] = d->nM;
      if (above >= 0) {
        const int n = d->M_row[above + 1] - d->M_row[above];
        memcpy(d->M_col + d->nM, d->M_col + d->M_row[above], (size_t)n * sizeof *d->M_col);
        d->nM += n;
      }
      d->M_col[d->nM++] = row;
      d->M_row[row + 1] = d->nM;
    }
  }
  return true;
}

/* Rows while fill is found: the columns of each, in no order, each once. */
typedef struct rows {
  struct row {
    int *cols;
    int n, cap;
  } * row;
  size_t total;
  bool ok; /* false: out of memory */
} rows;

static void add_entry(rows *r, int a, int b)
{
  struct row *row = &r->row[a > b ? a : b];
  if (row->n == row->cap) {
    const int cap = row->cap > 0 ? 2 * row->cap : 8;
    int *cols = realloc(row->cols, (size_t)cap * sizeof *cols);
    if (cols == NULL) {
      r->ok = false;
      return;
    }
    row->cols = cols, row->cap = cap;
  }
  row->cols[row->n++] = a > b ? b : a;
}

/* Unknown `at` meets the coordinates of a body and of all that carry it. */
static void add_chain(const pki_draft *d, rows *r, int at, int body)
{
  for (int i = body; i >= 0 && r->ok; i = d->bodies[i].parent) {
    for (int k = 0; k < pki_motion_nu(d->bodies[i].motion); k++) {
      add_entry(r, at, d->plan_u[d->bodies[i].u + k]);
    }
  }
}

/* What M, the bilateral rows and the drives hold themselves. */
static void add_own_entries(const pki_draft *d, rows *r)
{
  for (int k = 0; k < d->nplan; k++) {
    add_entry(r, k, k);
  }
  for (int i = 0; i < d->nbody; i++) {
    for (int k = 0; k < pki_motion_nu(d->bodies[i].motion); k++) {
      add_chain(d, r, d->plan_u[d->bodies[i].u + k], i);
    }
  }
  for (int i = 0; i < d->nconstraint; i++) {
    const pk_model_constraint *c = &d->constraints[i];
    for (int k = 0; k < c->nrow + c->ndrive; k++) {
      add_chain(d, r, c->plan + k, c->body[0]);
      add_chain(d, r, c->plan + k, c->body[1]);
    }
  }
}

static int compare_ints(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Eliminating k couples every pair of columns of its row: the row of the last of them takes over the others, and
 * passes them on when its own turn comes. */
static void find_fill(const pki_draft *d, rows *r)
{
  for (int k = d->nplan - 1; k >= 0 && r->ok; k--) {
    struct row *row = &r->row[k];
    if (row->cols == NULL) {
      r->ok = false; /* every row has its diagonal */
      return;
    }
    qsort(row->cols, (size_t)row->n, sizeof *row->cols, compare_ints);
    int n = 0;
    for (int e = 0; e < row->n; e++) {
      if (n == 0 || row->cols[e] != row->cols[n - 1]) {
        row->cols[n++] = row->cols[e];
      }
    }
    row->n = n;
    int *fit = realloc(row->cols, (size_t)n * sizeof *fit);
    row->cols = fit != NULL ? fit : row->cols;
    r->total += (size_t)n;
    for (int e = 0; e + 2 < n && r->ok; e++) {
      add_entry(r, row->cols[n - 2], row->cols[e]);
    }
    if (r->total > PKI_PLAN_MAX) {
      return;
    }
  }
}

/* Followers and constraints: rows of M are unions of chains, and elimination fills. */
static bool plan_general(pki_draft *d)
{
  size_t own;
  if (!count_tree(d, &own)) {
    return false;
  }
  if (own > PKI_PLAN_MAX) {
    report_size(d);
    return true;
  }
  rows r = {.row = calloc((size_t)d->nplan + 1, sizeof *r.row), .ok = true};
  if (r.row == NULL) {
    return false;
  }
  add_own_entries(d, &r);
  find_fill(d, &r);
  if (r.ok && r.total > PKI_PLAN_MAX) {
    report_size(d);
  } else if (r.ok) {
    d->M_col = malloc((r.total + 1) * sizeof *d->M_col);
    r.ok = d->M_col != NULL;
    for (int k = 0; k < d->nplan && r.ok; k++) {
      memcpy(d->M_col + d->nM, r.row[k].cols, (size_t)r.row[k].n * sizeof *d->M_col);
      d->nM += r.row[k].n;
      d->M_row[k + 1] = d->nM;
    }
  }
  for (int k = 0; k < d->nplan; k++) {
    free(r.row[k].cols);
  }
  free(r.row);
  return r.ok;
}

/* The longest path of the elimination tree, in which the last entry before the diagonal of row k is right above k. False: no
 * memory. */
static bool find_depth(pki_draft *d)
{
  int *level = calloc((size_t)d->nplan + 1, sizeof *level);
  if (level == NULL) {
    return false;
  }
  for (int k = 0; k < d->nplan && d->M_col != NULL; k++) {
    const int diagonal = d->M_row[k + 1] - 1;
    level[k] = diagonal > d->M_row[k] ? level[d->M_col[diagonal - 1]] + 1 : 1;
    d->plan_depth = level[k] > d->plan_depth ? level[k] : d->plan_depth;
  }
  free(level);
  return true;
}

bool pki_compile_plan(pki_draft *d)
{
  d->M_row = calloc((size_t)d->nplan + 1, sizeof *d->M_row);
  if (d->M_row == NULL) {
    return false;
  }
  return (d->has_mimic || d->nconstraint > 0 ? plan_general(d) : plan_tree(d)) && find_depth(d);
}
