#include "contact/assembly.h"

#include <string.h>

#include "base/error.h"
#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "model/motion.h"

/* The unknown before k on the path to the root of the elimination tree; -1: k is a root. */
static int above(const pk_model *m, int k)
{
  const int diagonal = m->M_row[k + 1] - 1;
  return diagonal > m->M_row[k] ? m->M_col[diagonal - 1] : -1;
}

/* The longest chain: a path of the elimination tree, or the two of a row that closes a loop. */
static int longest_chain(const pk_model *m)
{
  int most = 0;
  bool loops = false;
  for (int k = 0; k < m->nplan; k++) {
    int length = 0;
    for (int at = k; at >= 0; at = above(m, at)) {
      length++;
    }
    most = length > most ? length : most;
  }
  for (int i = 0; i < m->nconstraint; i++) {
    loops |= m->constraints[i].joint < 0;
  }
  return loops && 2 * most < m->nplan ? 2 * most : loops ? m->nplan : most;
}

static void fill_tree(pki_assembly *a)
{
  const pk_model *m = a->model;
  for (int k = 0; k < m->nplan; k++) {
    a->up[k] = above(m, k);
    a->level[k] = a->up[k] >= 0 ? a->level[a->up[k]] + 1 : 0;
    a->plan_to_u[k] = -1;
  }
  for (int k = 0; k < m->nu; k++) {
    a->plan_to_u[m->plan_u[k]] = k;
  }
}

void pki_assembly_carve(pki_assembly *a, const pk_model *model, int max_contacts, int max_rows,
                        pki_arena *arena)
{
  const int depth = longest_chain(model);
  const size_t rows = (size_t)max_rows, nplan = (size_t)model->nplan, real = sizeof(double);
  *a = (pki_assembly){
      .model = model, .max_contacts = max_contacts, .max_rows = max_rows, .depth = depth, .wants_W = true};
  a->count = pki_arena_take(arena, rows, sizeof(int));
  a->cols = pki_arena_take(arena, rows * (size_t)depth, sizeof(int));
  a->is_path = pki_arena_take(arena, rows, sizeof *a->is_path);
  a->J = pki_arena_take(arena, rows * (size_t)depth, real);
  a->Y = pki_arena_take(arena, rows * (size_t)depth, real);
  a->Z = pki_arena_take(arena, rows * (size_t)depth, real);
  a->weight = pki_arena_take(arena, nplan, real);
  a->extra = pki_arena_take(arena, rows, real);
  a->W = pki_arena_take(arena, rows * rows, real);
  a->q = pki_arena_take(arena, rows, real);
  a->r = pki_arena_take(arena, rows, real);
  a->mu = pki_arena_take(arena, (size_t)max_contacts, real);
  a->lower = pki_arena_take(arena, rows, real);
  a->upper = pki_arena_take(arena, rows, real);
  a->up = pki_arena_take(arena, nplan, sizeof(int));
  a->level = pki_arena_take(arena, nplan, sizeof(int));
  a->plan_to_u = pki_arena_take(arena, nplan, sizeof(int));
  a->path = pki_arena_take(arena, nplan, sizeof(int));
  if (arena->base != NULL && !arena->overflow) {
    fill_tree(a);
  }
  pki_assembly_clear(a);
}

void pki_assembly_clear(pki_assembly *a)
{
  a->problem = (pk_contact_problem){.W = a->W, .q = a->q, .mu = a->mu, .lower = a->lower, .upper = a->upper};
}

/* ---- rows ---- */

/* The chain that ends at unknown k, ascending, into row `row`. */
static void set_chain(pki_assembly *a, int row, int k)
{
  const int n = k >= 0 ? a->level[k] + 1 : 0;
  int *cols = a->cols + (size_t)row * (size_t)a->depth;
  for (int at = k; at >= 0; at = a->up[at]) {
    cols[a->level[at]] = at;
  }
  a->count[row] = n;
  a->is_path[row] = true;
  a->extra[row] = 0;
  memset(a->J + (size_t)row * (size_t)a->depth, 0, (size_t)n * sizeof(double));
}

/* Add the path that ends at unknown k to the chain of a row. */
static void merge_chain(pki_assembly *a, int row, int k)
{
  int *cols = a->cols + (size_t)row * (size_t)a->depth, n = a->count[row], more = 0;
  for (int at = k, e = n - 1; at >= 0; at = a->up[at]) {
    while (e >= 0 && cols[e] > at) {
      e--;
    }
    if (e < 0 || cols[e] != at) {
      a->path[more++] = at; /* descending */
    }
  }
  if (more == 0) {
    return;
  }
  for (int e = n + more - 1, old = n - 1, add = 0; add < more; e--) {
    cols[e] = old >= 0 && cols[old] > a->path[add] ? cols[old--] : a->path[add++];
  }
  a->count[row] = n + more;
  a->is_path[row] = false;
  memset(a->J + (size_t)row * (size_t)a->depth, 0, (size_t)(n + more) * sizeof(double));
}

/* The last of all unknowns that move a body; -1: none. */
static int last_unknown(const pk_model *m, int body)
{
  int last = -1;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const int k = m->plan_u[m->body_u[i] + pki_motion_nu(m->body_motion[i]) - 1];
    last = k > last ? k : last;
    if (!m->has_mimic) {
      break; /* unknowns grow along a tree */
    }
  }
  return last;
}

/* Rows row .. row+count-1 along `count` directions at a point of a body. */
static void fill_rows(pki_assembly *a, const pki_work *w, int row, int body, const double point[3],
                      const double *const *directions, int count)
{
  const pk_model *m = w->model;
  const int last = last_unknown(m, body);
  for (int d = 0; d < count; d++) {
    set_chain(a, row + d, last);
  }
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const double *o = w->origin + 3 * ((size_t)i + 1);
    const double arm[3] = {point[0] - o[0], point[1] - o[1], point[2] - o[2]};
    const int n = pki_motion_nu(m->body_motion[i]);
    double *to = a->J + (size_t)row * (size_t)a->depth + a->level[m->plan_u[m->body_u[i]]];
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      /* the point's velocity per unit turn, once for all directions */
      const double *R = w->pose + 12 * ((size_t)i + 1) + m->body_axis[i];
      const double axis[3] = {R[0], R[3], R[6]}, gain = m->body_gain[i];
      double v[3];
      pki_cross3(axis, arm, v);
      for (int d = 0; d < count; d++, to += a->depth) {
        to[0] += gain * pki_dot3(v, directions[d]);
      }
      continue;
    }
    for (int d = 0; d < count; d++, to += a->depth) {
      double columns[6], turn[3];
      pki_cross3(arm, directions[d], turn);
      pki_body_columns(w, i, turn, directions[d], columns);
      for (int c = 0; c < n; c++) {
        to[c] += columns[c];
      }
    }
  }
}

bool pki_assembly_add_contact(pki_assembly *a, const pki_work *w, int body, const double point[3],
                              const double n[3], const double t1[3], const double t2[3], double mu)
{
  pk_contact_problem *p = &a->problem;
  PK_ASSERT(p->nbox == 0 && p->nbilateral == 0);
  if (p->ncontact >= a->max_contacts) {
    return false;
  }
  const double *const directions[3] = {n, t1, t2};
  fill_rows(a, w, 3 * p->ncontact, body, point, directions, 3);
  a->mu[p->ncontact++] = mu;
  return true;
}

/* Room for one more box row; its index, -1 when there is none. */
static int next_box(pki_assembly *a, double lower, double upper)
{
  pk_contact_problem *p = &a->problem;
  const int row = pk_contact_size(p);
  if (row >= a->max_rows) {
    return -1;
  }
  a->lower[p->nbox] = lower, a->upper[p->nbox] = upper;
  p->nbox++;
  return row;
}

bool pki_assembly_add_point(pki_assembly *a, const pki_work *w, int body, const double point[3],
                            const double direction[3], double lower, double upper)
{
  const int row = next_box(a, lower, upper);
  if (row >= 0) {
    fill_rows(a, w, row, body, point, &direction, 1);
  }
  return row >= 0;
}

bool pki_assembly_add_box(pki_assembly *a, int dof, double sign, double lower, double upper,
                          double compliance)
{
  const int row = next_box(a, lower, upper), k = a->model->plan_u[dof];
  if (row >= 0) {
    set_chain(a, row, k);
    a->J[(size_t)row * (size_t)a->depth + (size_t)a->level[k]] = sign;
    a->extra[row] = compliance;
  }
  return row >= 0;
}

/* A row of the model's constraints: the union of its paths, and its columns there. */
static void fill_relative(pki_assembly *a, int row, const pki_bilateral *b, int from, double sign)
{
  const size_t at = (size_t)from * (size_t)b->stride;
  set_chain(a, row, -1);
  for (int e = 0; e < b->count[from]; e++) {
    merge_chain(a, row, a->model->plan_u[b->col[at + (size_t)e]]);
  }
  const int *cols = a->cols + (size_t)row * (size_t)a->depth;
  double *J = a->J + (size_t)row * (size_t)a->depth;
  for (int e = 0; e < b->count[from]; e++) {
    const int k = a->model->plan_u[b->col[at + (size_t)e]];
    int place = a->count[row] - 1;
    while (cols[place] != k) {
      place--;
    }
    J[place] += sign * b->J[at + (size_t)e];
  }
}

bool pki_assembly_add_bilateral(pki_assembly *a, const pki_bilateral *b, int row)
{
  const int at = pk_contact_size(&a->problem);
  PK_ASSERT(a->problem.nbox == 0);
  if (at >= a->max_rows) {
    return false;
  }
  fill_relative(a, at, b, row, 1);
  a->problem.nbilateral++;
  return true;
}

bool pki_assembly_add_relative(pki_assembly *a, const pki_bilateral *b, int row, double sign, double lower,
                               double upper, double compliance)
{
  const int at = next_box(a, lower, upper);
  if (at >= 0) {
    fill_relative(a, at, b, row, sign);
    a->extra[at] = compliance;
  }
  return at >= 0;
}

double pki_assembly_velocity(const pki_assembly *a, int row, const double *u)
{
  const size_t at = (size_t)row * (size_t)a->depth;
  const int *cols = a->cols + at;
  const double *J = a->J + at;
  double sum = 0;
  for (int e = 0; e < a->count[row]; e++) {
    const int k = a->plan_to_u[cols[e]];
    sum += k >= 0 ? J[e] * u[k] : 0;
  }
  return sum;
}

/* ---- W ---- */

/* How many unknowns two chains begin with in common; all that they share, when both are paths. */
static int common(const pki_assembly *a, int i, int j)
{
  const int *ci = a->cols + (size_t)i * (size_t)a->depth, *cj = a->cols + (size_t)j * (size_t)a->depth;
  const int most = a->count[i] < a->count[j] ? a->count[i] : a->count[j];
  int n = 0;
  while (n < most && ci[n] == cj[n]) {
    n++;
  }
  return n;
}

/* Y_i' Z_j over the unknowns that both chains have. */
static double product(const pki_assembly *a, int i, int j)
{
  const size_t ai = (size_t)i * (size_t)a->depth, aj = (size_t)j * (size_t)a->depth;
  const int *ci = a->cols + ai, *cj = a->cols + aj;
  const double *y = a->Y + ai, *z = a->Z + aj;
  double sum = 0;
  if (a->is_path[i] && a->is_path[j]) {
    const int n = common(a, i, j);
    for (int e = 0; e < n; e++) {
      sum += y[e] * z[e];
    }
    return sum;
  }
  for (int e = 0, f = 0; e < a->count[i] && f < a->count[j];) {
    if (ci[e] == cj[f]) {
      sum += y[e++] * z[f++];
    } else if (ci[e] < cj[f]) {
      e++;
    } else {
      f++;
    }
  }
  return sum;
}

/* The 3x3 block of two contacts. */
static void fill_block(pki_assembly *a, const pki_kernels *kernels, int rows, int i, int j)
{
  const size_t depth = (size_t)a->depth;
  double s[9];
  kernels->gram(common(a, 3 * i, 3 * j), a->depth, a->Y + 3 * (size_t)i * depth, a->Z + 3 * (size_t)j * depth,
                s);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      a->W[(3 * i + r) * rows + 3 * j + c] = a->W[(3 * j + c) * rows + 3 * i + r] = s[3 * r + c];
    }
  }
}

static void fill_W(pki_assembly *a, const pki_kernels *kernels)
{
  const int rows = pk_contact_size(&a->problem), contacts = a->problem.ncontact;
  for (int i = 0; i < contacts; i++) {
    for (int j = 0; j <= i; j++) {
      fill_block(a, kernels, rows, i, j);
    }
  }
  for (int i = 3 * contacts; i < rows; i++) {
    for (int j = 0; j <= i; j++) {
      a->W[i * rows + j] = a->W[j * rows + i] = product(a, i, j);
    }
    a->W[i * rows + i] += a->extra[i];
  }
}

/* Y and Z of `count` rows on one chain. */
static void whiten_rows(pki_assembly *a, const pk_workspace *w, int row, int count)
{
  const size_t at = (size_t)row * (size_t)a->depth;
  memcpy(a->Y + at, a->J + at, (size_t)count * (size_t)a->depth * sizeof *a->Y);
  w->kernels->whiten(&w->work, a->cols + at, a->count[row], count, a->depth, a->Y + at, a->Z + at);
}

void pki_assembly_finish(pki_assembly *a, const pk_workspace *w)
{
  const pk_model *m = w->model;
  const int rows = pk_contact_size(&a->problem), contacts = a->problem.ncontact;
  for (int k = 0; k < m->nplan; k++) {
    a->weight[k] = w->work.M[m->M_row[k + 1] - 1];
  }
  for (int i = 0; i < contacts; i++) {
    whiten_rows(a, w, 3 * i, 3);
  }
  for (int i = 3 * contacts; i < rows; i++) {
    whiten_rows(a, w, i, 1);
  }
  a->factor = (pk_contact_factor){.n = m->nplan,
                                  .stride = a->depth,
                                  .count = a->count,
                                  .col = a->cols,
                                  .Y = a->Y,
                                  .weight = a->weight,
                                  .extra = a->extra};
  a->problem.factor = &a->factor;
  a->problem.W = a->wants_W ? a->W : NULL;
  if (a->wants_W) {
    fill_W(a, w->kernels);
  }
}

void pki_assembly_forces(const pki_assembly *a, const double *r, double *out)
{
  const int rows = pk_contact_size(&a->problem);
  memset(out, 0, (size_t)a->model->nu * sizeof *out);
  for (int i = 0; i < rows; i++) {
    const size_t at = (size_t)i * (size_t)a->depth;
    for (int e = 0; r[i] != 0 && e < a->count[i]; e++) {
      const int k = a->plan_to_u[a->cols[at + (size_t)e]];
      if (k >= 0) {
        out[k] += a->J[at + (size_t)e] * r[i];
      }
    }
  }
}
