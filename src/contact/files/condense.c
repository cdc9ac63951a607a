/* From bodies to contacts: W = J' inv(M) J, q = J' inv(M) f + (w, b), with J = [H G].
 *
 * M falls into parts that do not couple, mostly one for each body, and each is factored as a dense
 * matrix: by Cholesky, L L' = A, where it is symmetric and positive, which makes W = (inv(L) J)' (inv(L) J)
 * symmetric and positive too; by LU with row exchanges elsewhere. A part that no column of J reaches
 * changes nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/files/problem_file.h"

/* What a file may ask for: multiplications, and entries of W before those at one place are summed. */
static const double MAX_WORK = 1e11;
enum { MAX_ENTRIES = 1 << 26 };

/* One list of entries by parts of M. */
typedef struct grouped {
  const pki_triplets *t;
  int *part;             /* [count] of each entry */
  size_t *start, *order; /* [npart+1], [count] */
} grouped;

typedef struct condenser {
  const pki_contact_global *g;
  const char *file;
  pk_error *err;
  int nv, ncol; /* rows and columns of J */
  int npart;
  int *part, *place;   /* [nv] part of a row, its place in the part */
  size_t *start, *row; /* [npart+1], [nv] rows by parts */
  grouped M, H, G;
  int *slot, *used;  /* [ncol] where a column is in the current part (-1: it is not), and which are */
  int m, k;          /* rows of the current part, columns that reach it */
  double *A, *B, *X; /* [m][m], [m][k+1] columns of J and f, [m][k+1] solved */
  double *S;         /* [k][k+1] what the part adds to W and q */
  double *dense;     /* where they are */
  double most;       /* numbers of the largest part */
  size_t room;       /* entries that fit out->W */
  double work;
} condenser;

static pk_status fail_memory(const condenser *c)
{
  return pki_fail(c->err, PK_ERROR_MEMORY, (pki_where){.file = c->file},
                  "there is not enough memory to condense %d velocities to %d rows", c->nv, c->ncol);
}

/* ---- parts ---- */

static int find_root(int *parent, int i)
{
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* Number the parts in the order of their first rows, and the rows in each. */
static bool find_parts(condenser *c)
{
  const pki_triplets *M = &c->g->M;
  int *parent = calloc((size_t)c->nv + 1, sizeof *parent);
  c->part = calloc((size_t)c->nv + 1, sizeof *c->part);
  c->place = calloc((size_t)c->nv + 1, sizeof *c->place);
  c->start = calloc((size_t)c->nv + 1, sizeof *c->start);
  c->row = calloc((size_t)c->nv + 1, sizeof *c->row);
  const bool good = parent && c->part && c->place && c->start && c->row;
  for (int i = 0; i < c->nv && good; i++) {
    parent[i] = i;
  }
  for (size_t e = 0; e < M->count && good; e++) {
    const int a = find_root(parent, M->row[e]), b = find_root(parent, M->col[e]);
    parent[a < b ? b : a] = a < b ? a : b; /* the smallest row is the root */
  }
  for (int i = 0; i < c->nv && good; i++) {
    const int root = find_root(parent, i);
    c->part[i] = root == i ? c->npart++ : c->part[root];
  }
  if (good) {
    pki_sort_by_key(c->part, (size_t)c->nv, c->npart, NULL, c->start, c->row);
    for (int i = 0; i < c->nv; i++) {
      c->place[c->row[i]] = i - (int)c->start[c->part[c->row[i]]];
    }
  }
  free(parent);
  return good;
}

static bool group_by_part(const condenser *c, const pki_triplets *t, grouped *out)
{
  *out = (grouped){.t = t,
                   .part = calloc(t->count + 1, sizeof *out->part),
                   .start = calloc((size_t)c->npart + 1, sizeof *out->start),
                   .order = calloc(t->count + 1, sizeof *out->order)};
  if (!out->part || !out->start || !out->order) {
    return false;
  }
  for (size_t e = 0; e < t->count; e++) {
    out->part[e] = c->part[t->row[e]];
  }
  pki_sort_by_key(out->part, t->count, c->npart, NULL, out->start, out->order);
  return true;
}

static void grouped_free(grouped *g)
{
  free(g->part);
  free(g->start);
  free(g->order);
}

/* ---- one part ---- */

/* Give each column of J that reaches the part a slot. */
static void find_columns(condenser *c, const grouped *J, int offset, int part)
{
  for (size_t e = J->start[part]; e < J->start[part + 1]; e++) {
    const int col = offset + J->t->col[J->order[e]];
    if (c->slot[col] < 0) {
      c->slot[col] = c->k;
      c->used[c->k++] = col;
    }
  }
}

static void add_columns(condenser *c, const grouped *J, int offset, int part)
{
  const size_t width = (size_t)c->k + 1;
  for (size_t e = J->start[part]; e < J->start[part + 1]; e++) {
    const size_t at = J->order[e];
    c->B[(size_t)c->place[J->t->row[at]] * width + (size_t)c->slot[offset + J->t->col[at]]] +=
        J->t->value[at];
  }
}

/* Numbers that the matrices of the current part take. */
static double dense_size(const condenser *c)
{
  const double m = c->m, k = c->k;
  return m * m + (2 * m + k) * (k + 1);
}

/* Lay them out in the memory that the largest part needs. */
static void carve_part(condenser *c)
{
  const size_t m = (size_t)c->m, width = (size_t)c->k + 1;
  c->A = c->dense;
  c->B = c->A + m * m;
  c->X = c->B + m * width;
  c->S = c->X + m * width;
}

/* A and B = X = [J f] of the part as dense matrices. */
static void gather_part(condenser *c, int part)
{
  const size_t m = (size_t)c->m, width = (size_t)c->k + 1;
  memset(c->A, 0, m * m * sizeof *c->A);
  memset(c->B, 0, m * width * sizeof *c->B);
  for (size_t e = c->M.start[part]; e < c->M.start[part + 1]; e++) {
    const size_t at = c->M.order[e];
    c->A[(size_t)c->place[c->M.t->row[at]] * m + (size_t)c->place[c->M.t->col[at]]] += c->M.t->value[at];
  }
  add_columns(c, &c->H, 0, part);
  add_columns(c, &c->G, c->g->H.ncol, part);
  for (size_t i = 0; i < m; i++) {
    c->B[i * width + width - 1] = c->g->f[c->row[c->start[part] + i]];
  }
  memcpy(c->X, c->B, m * width * sizeof *c->X);
}

static bool is_symmetric(const double *A, size_t m)
{
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < i; j++) {
      if (A[i * m + j] != A[j * m + i]) {
        return false;
      }
    }
  }
  return true;
}

/* target -= factor source, `count` numbers */
static void subtract_scaled(double *target, const double *source, double factor, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    target[i] -= factor * source[i];
  }
}

/* L into the lower half of A; false where A is not positive. */
static bool factor_cholesky(double *A, size_t m)
{
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = A[i * m + j];
      for (size_t l = 0; l < j; l++) {
        sum -= A[i * m + l] * A[j * m + l];
      }
      if (i == j && !(sum > 1e-14 * A[i * m + i])) {
        return false;
      }
      A[i * m + j] = i == j ? sqrt(sum) : sum / A[j * m + j];
    }
  }
  return true;
}

/* X = inv(L) X */
static void solve_lower(const double *A, size_t m, double *X, size_t width)
{
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < i; j++) {
      subtract_scaled(X + i * width, X + j * width, A[i * m + j], width);
    }
    for (size_t j = 0; j < width; j++) {
      X[i * width + j] /= A[i * m + i];
    }
  }
}

static void swap_rows(double *X, size_t a, size_t b, size_t width)
{
  for (size_t j = 0; j < width; j++) {
    const double kept = X[a * width + j];
    X[a * width + j] = X[b * width + j];
    X[b * width + j] = kept;
  }
}

/* X = inv(A) X by elimination with row exchanges; false where A is singular. */
static bool solve_lu(double *A, size_t m, double *X, size_t width)
{
  double largest = 0;
  for (size_t e = 0; e < m * m; e++) {
    largest = fmax(largest, fabs(A[e]));
  }
  for (size_t i = 0; i < m; i++) {
    size_t pivot = i;
    for (size_t r = i + 1; r < m; r++) {
      pivot = fabs(A[r * m + i]) > fabs(A[pivot * m + i]) ? r : pivot;
    }
    if (!(fabs(A[pivot * m + i]) > 1e-14 * largest)) {
      return false;
    }
    if (pivot != i) {
      swap_rows(A, i, pivot, m);
      swap_rows(X, i, pivot, width);
    }
    for (size_t r = i + 1; r < m; r++) {
      const double factor = A[r * m + i] / A[i * m + i];
      subtract_scaled(A + r * m + i, A + i * m + i, factor, m - i);
      subtract_scaled(X + r * width, X + i * width, factor, width);
    }
  }
  for (size_t i = m; i-- > 0;) {
    for (size_t j = i + 1; j < m; j++) {
      subtract_scaled(X + i * width, X + j * width, A[i * m + j], width);
    }
    for (size_t j = 0; j < width; j++) {
      X[i * width + j] /= A[i * m + i];
    }
  }
  return true;
}

/* With left = inv(L) J or J and right = inv(L) [J f] or inv(A) [J f]: add left' right to W and q. */
static void add_condensed_part(condenser *c, const double *left, const double *right, pki_contact_draft *out)
{
  const size_t k = (size_t)c->k, width = k + 1;
  pki_triplets *W = &out->W;
  double *sums = c->S;
  memset(sums, 0, k * width * sizeof *sums);
  for (size_t r = 0; r < (size_t)c->m; r++) {
    for (size_t i = 0; i < k; i++) {
      subtract_scaled(sums + i * width, right + r * width, -left[r * width + i], width);
    }
  }
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < k; j++) {
      W->row[W->count] = c->used[i];
      W->col[W->count] = c->used[j];
      W->value[W->count++] = sums[i * width + j];
    }
    out->q[c->used[i]] += sums[i * width + k];
  }
}

static pk_status solve_part(condenser *c, int part, pki_contact_draft *out)
{
  const size_t m = (size_t)c->m, width = (size_t)c->k + 1;
  carve_part(c);
  gather_part(c, part);
  if (is_symmetric(c->A, m) && factor_cholesky(c->A, m)) {
    solve_lower(c->A, m, c->X, width);
    add_condensed_part(c, c->X, c->X, out);
    return PK_OK;
  }
  gather_part(c, part);
  if (!solve_lu(c->A, m, c->X, width)) {
    return pki_fail(c->err, PK_ERROR_SYNTAX, (pki_where){.file = c->file, .field = "fclib_global/M"},
                    "M is singular among the %d rows that couple with row %zu; expected a mass matrix", c->m,
                    c->row[c->start[part]]);
  }
  add_condensed_part(c, c->B, c->X, out);
  return PK_OK;
}

/* ---- all parts ---- */

/* Which columns reach a part; columns of the part before are forgotten. */
static void enter_part(condenser *c, int part)
{
  for (int i = 0; i < c->k; i++) {
    c->slot[c->used[i]] = -1;
  }
  c->k = 0;
  c->m = (int)(c->start[part + 1] - c->start[part]);
  find_columns(c, &c->H, 0, part);
  find_columns(c, &c->G, c->g->H.ncol, part);
}

/* How much there will be to do and to store. */
static pk_status measure_parts(condenser *c)
{
  double entries = 0;
  for (int part = 0; part < c->npart; part++) {
    enter_part(c, part);
    if (c->k > 0) {
      const double m = c->m, k = c->k;
      entries += k * k;
      c->most = fmax(c->most, dense_size(c));
      c->work += m * m * m / 3 + m * m * k + m * k * k;
    }
  }
  if (c->work > MAX_WORK || entries > MAX_ENTRIES) {
    return pki_fail(
        c->err, PK_ERROR_LIMIT, (pki_where){.file = c->file, .field = "fclib_global/M"},
        "condensing takes %.3g multiplications and %.3g entries of W; at most %.3g and %.3g are offered",
        c->work, entries, MAX_WORK, (double)MAX_ENTRIES);
  }
  c->room = (size_t)entries;
  return PK_OK;
}

static pk_status condense_parts(condenser *c, pki_contact_draft *out)
{
  pk_status status = measure_parts(c);
  if (status != PK_OK) {
    return status;
  }
  out->q = calloc((size_t)c->ncol + 1, sizeof *out->q);
  c->dense = calloc((size_t)c->most + 1, sizeof *c->dense);
  if (!pki_triplets_create(&out->W, c->ncol, c->ncol, c->room) || out->q == NULL || c->dense == NULL) {
    return fail_memory(c);
  }
  out->W.count = 0;
  for (int i = 0; i < c->ncol; i++) {
    out->q[i] = i < c->g->H.ncol ? c->g->w[i] : c->g->b[i - c->g->H.ncol];
  }
  for (int part = 0; part < c->npart && status == PK_OK; part++) {
    enter_part(c, part);
    if (c->k > 0) {
      status = solve_part(c, part, out);
    }
  }
  return status;
}

pk_status pki_contact_condense(const pki_contact_global *global, const char *file, pki_contact_draft *out,
                               pk_error *err)
{
  condenser c = {
      .g = global, .file = file, .err = err, .nv = global->M.nrow, .ncol = global->H.ncol + global->G.ncol};
  c.slot = calloc((size_t)c.ncol + 1, sizeof *c.slot);
  c.used = calloc((size_t)c.ncol + 1, sizeof *c.used);
  const bool good = c.slot && c.used && find_parts(&c) && group_by_part(&c, &global->M, &c.M) &&
                    group_by_part(&c, &global->H, &c.H) && group_by_part(&c, &global->G, &c.G);
  for (int i = 0; i < c.ncol && good; i++) {
    c.slot[i] = -1;
  }
  const pk_status status = good ? condense_parts(&c, out) : fail_memory(&c);
  grouped_free(&c.M);
  grouped_free(&c.H);
  grouped_free(&c.G);
  free(c.part);
  free(c.place);
  free(c.start);
  free(c.row);
  free(c.slot);
  free(c.used);
  free(c.dense);
  return status;
}
