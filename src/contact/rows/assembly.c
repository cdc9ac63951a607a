#include "contact/rows/assembly.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/problem/islands.h"
#include "model/motion.h"

static const double STILL = 1e-12; /* of the largest response: less is none */

/* The unknown before k on the path to the root of the elimination tree; -1: k is a root. */
static int unknown_above(const pk_model *m, int k)
{
  const int diagonal = m->M_row[k + 1] - 1;
  return diagonal > m->M_row[k] ? m->M_col[diagonal - 1] : -1;
}

bool pki_bodies_touch(const pk_model *m)
{
  int body = -1;
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    if (!s->visual && s->body >= 0) {
      if (body >= 0 && s->body != body) {
        return true;
      }
      body = s->body;
    }
  }
  return false;
}

/* The longest chain: a path of the elimination tree, or the two of a row between two bodies: one that closes a loop, a
 * contact. */
static int longest_chain(const pk_model *m)
{
  const int most = m->plan_depth;
  bool loops = pki_bodies_touch(m);
  for (int i = 0; i < m->nconstraint; i++) {
    loops |= m->constraints[i].joint < 0;
  }
  return loops && 2 * most < m->nplan ? 2 * most : loops ? m->nplan : most;
}

static void fill_tree(pki_assembly *a)
{
  const pk_model *m = a->model;
  int roots = 0;
  for (int k = 0; k < m->nplan; k++) {
    a->up[k] = unknown_above(m, k);
    roots += a->up[k] < 0;
    a->level[k] = a->up[k] >= 0 ? a->level[a->up[k]] + 1 : 0;
    a->plan_to_u[k] = -1;
  }
  for (int k = 0; k < m->nu; k++) {
    a->plan_to_u[m->plan_u[k]] = k;
  }
  for (int i = 0; i < m->nbody; i++) {
    a->place[i] = a->level[m->plan_u[m->body_u[i]]];
  }
  a->one_tree = roots <= 1;
}

void pki_assembly_carve(pki_assembly *a, const pk_model *model, int max_contacts, int max_rows,
                        pki_arena *arena)
{
  const int depth = longest_chain(model);
  const size_t dense = (size_t)(max_rows < PKI_DENSE_ROWS ? max_rows : PKI_DENSE_ROWS);
  const size_t rows = (size_t)max_rows, groups = rows, nplan = (size_t)model->nplan, real = sizeof(double);
  *a = (pki_assembly){.model = model, .max_contacts = max_contacts, .max_rows = max_rows, .depth = depth};
  a->count = pki_arena_take(arena, groups, sizeof(int));
  a->cols = pki_arena_take(arena, groups * (size_t)depth, sizeof(int));
  a->is_path = pki_arena_take(arena, groups, sizeof *a->is_path);
  a->J = pki_arena_take(arena, 4 * groups * (size_t)depth, real);
  a->Y = pki_arena_take(arena, 4 * groups * (size_t)depth, real);
  a->Z = pki_arena_take(arena, 4 * groups * (size_t)depth, real);
  a->extra = pki_arena_take(arena, rows, real);
  a->soft = pki_arena_take(arena, rows, real);
  a->still = pki_arena_take(arena, rows, sizeof *a->still);
  a->diagonal = pki_arena_take(arena, rows, real);
  a->W = pki_arena_take(arena, dense * dense, real);
  a->q = pki_arena_take(arena, rows, real);
  a->r = pki_arena_take(arena, rows, real);
  a->mu = pki_arena_take(arena, (size_t)max_contacts, real);
  a->lower = pki_arena_take(arena, rows, real);
  a->upper = pki_arena_take(arena, rows, real);
  a->constraint = pki_arena_take(arena, rows, sizeof *a->constraint);
  a->row_count = pki_arena_take(arena, rows, sizeof(int));
  a->row_cols = pki_arena_take(arena, rows * (size_t)depth, sizeof(int));
  a->row_Y = pki_arena_take(arena, rows * (size_t)depth, real);
  a->weight = pki_arena_take(arena, nplan, real);
  a->up = pki_arena_take(arena, nplan, sizeof(int));
  a->level = pki_arena_take(arena, nplan, sizeof(int));
  a->place = pki_arena_take(arena, (size_t)model->nbody, sizeof(int));
  a->plan_to_u = pki_arena_take(arena, nplan, sizeof(int));
  a->path = pki_arena_take(arena, nplan, sizeof(int));
  a->sum = pki_arena_take(arena, nplan, real);
  a->ends = pki_arena_take(arena, 2 * 4 * (size_t)depth, real);
  if (arena->base != NULL && !arena->overflow) {
    fill_tree(a);
  }
  pki_assembly_clear(a);
}

void pki_assembly_clear(pki_assembly *a)
{
  a->problem = (pk_contact_problem){
      .W = a->W, .q = a->q, .mu = a->mu, .lower = a->lower, .upper = a->upper, .constraint = a->constraint};
}

/* ---- groups ---- */

/* Rows that come one by one have a group each. */
static int group_of(const pki_assembly *a, int row)
{
  const int contacts = a->problem.ncontact;
  return row < 3 * contacts ? row / 3 : row - 2 * contacts;
}

static int group_count(const pki_assembly *a)
{
  return a->problem.ncontact + a->problem.nbilateral + a->problem.nbox;
}

/* Where the chain of a group begins, and where its rows do. */
static int *chain_of(const pki_assembly *a, int group)
{
  return a->cols + (size_t)group * (size_t)a->depth;
}

static double *rows_of(const pki_assembly *a, double *rows, int group)
{
  return rows + 4 * (size_t)group * (size_t)a->depth;
}

static void clear_rows(pki_assembly *a, int group)
{
  memset(rows_of(a, a->J, group), 0, 4 * (size_t)a->count[group] * sizeof(double));
}

/* The chain that ends at unknown k, ascending. */
static void set_chain(pki_assembly *a, int group, int k)
{
  int *cols = chain_of(a, group);
  for (int at = k; at >= 0; at = a->up[at]) {
    cols[a->level[at]] = at;
  }
  a->count[group] = k >= 0 ? a->level[k] + 1 : 0;
  a->is_path[group] = true;
  clear_rows(a, group);
}

/* Where unknown k, or the first one behind it, stands among n. */
static int place_in_chain(const int *cols, int n, int k)
{
  int low = 0;
  for (int high = n; low < high;) {
    const int middle = low + (high - low) / 2;
    low = cols[middle] < k ? middle + 1 : low;
    high = cols[middle] < k ? high : middle;
  }
  return low;
}

/* Add the path that ends at unknown k to the chain of a group; one that has k has all of it. */
static void merge_chain(pki_assembly *a, int group, int k)
{
  int *cols = chain_of(a, group), n = a->count[group], more = 0;
  const int place = place_in_chain(cols, n, k);
  if (place < n && cols[place] == k) {
    return;
  }
  for (int at = k, e = n - 1; at >= 0; at = a->up[at]) {
    while (e >= 0 && cols[e] > at) {
      e--;
    }
    if (e < 0 || cols[e] != at) {
      a->path[more++] = at; /* descending */
    }
  }
  for (int e = n + more - 1, old = n - 1, add = 0; add < more; e--) {
    cols[e] = old >= 0 && cols[old] > a->path[add] ? cols[old--] : a->path[add++];
  }
  a->count[group] = n + more;
  a->is_path[group] = false;
  clear_rows(a, group);
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

/* Rows of two ends, each on its path, become those of their difference on the union of both; ka and kb are the last
 * unknowns of the paths. Where one path is the other's beginning the union is a path too. */
static void join_ends(pki_assembly *a, int group, int ka, int kb, const double *ends)
{
  const double *const from_a = ends, *const from_b = ends + 4 * (size_t)a->depth;
  const int longest = a->level[ka] > a->level[kb] ? a->level[ka] : a->level[kb];
  set_chain(a, group, ka);
  merge_chain(a, group, kb);
  a->is_path[group] = a->count[group] == longest + 1;
  const int *cols = chain_of(a, group);
  double *J = rows_of(a, a->J, group);
  for (int e = a->count[group] - 1; e >= 0; e--) {
    const bool on_a = cols[e] == ka, on_b = cols[e] == kb;
    for (int d = 0; d < 4; d++) {
      J[4 * e + d] = (on_a ? from_a[4 * a->level[ka] + d] : 0) - (on_b ? from_b[4 * a->level[kb] + d] : 0);
    }
    ka = on_a ? a->up[ka] : ka;
    kb = on_b ? a->up[kb] : kb;
  }
}

void pki_assembly_fill_group(pki_assembly *a, const pk_workspace *w, int group, const pki_ends *ends,
                             const double *const *directions, int count, bool turns)
{
  void (*const fill)(const pki_work *, int, const double *, const double *, const int *, double *) =
      turns ? w->kernels->turn_rows : w->kernels->point_rows;
  double along[12] = {0}; /* component by component */
  for (int d = 0; d < count; d++) {
    for (int k = 0; k < 3; k++) {
      along[4 * k + d] = directions[d][k];
    }
  }
  const int ka = last_unknown(w->model, ends->body);
  if (ends->other < 0) {
    set_chain(a, group, ka);
    fill(&w->work, ends->body, ends->point, along, a->place, rows_of(a, a->J, group));
    return;
  }
  const int kb = last_unknown(w->model, ends->other);
  double *from_b = a->ends + 4 * (size_t)a->depth;
  memset(a->ends, 0, 4 * ((size_t)a->level[ka] + 1) * sizeof *a->ends);
  memset(from_b, 0, 4 * ((size_t)a->level[kb] + 1) * sizeof *a->ends);
  fill(&w->work, ends->body, ends->point, along, a->place, a->ends);
  fill(&w->work, ends->other, ends->other_point ? ends->other_point : ends->point, along, a->place, from_b);
  join_ends(a, group, ka, kb, a->ends);
}

/* ---- rows ---- */

bool pki_assembly_add_contact(pki_assembly *a, const pk_workspace *w, const pki_ends *ends, const double n[3],
                              const double t1[3], const double t2[3], double mu)
{
  pk_contact_problem *p = &a->problem;
  PK_ASSERT(p->nbox == 0 && p->nbilateral == 0);
  if (p->ncontact >= a->max_contacts) {
    return false;
  }
  const double *const directions[3] = {n, t1, t2};
  pki_assembly_fill_group(a, w, p->ncontact, ends, directions, 3, false);
  for (int d = 0; d < 3; d++) {
    a->extra[3 * p->ncontact + d] = a->soft[3 * p->ncontact + d] = 0;
  }
  a->mu[p->ncontact++] = mu;
  return true;
}

/* Room for one more box row; its index, -1 when there is none. */
static int add_box_row(pki_assembly *a, double lower, double upper, double compliance)
{
  pk_contact_problem *p = &a->problem;
  const int row = pk_contact_size(p);
  if (row >= a->max_rows) {
    return -1;
  }
  a->lower[p->nbox] = lower, a->upper[p->nbox] = upper;
  a->extra[row] = compliance;
  a->soft[row] = 0;
  p->nbox++;
  return row;
}

bool pki_assembly_add_point(pki_assembly *a, const pk_workspace *w, const pki_ends *ends,
                            const double direction[3], double lower, double upper)
{
  const int row = add_box_row(a, lower, upper, 0);
  if (row >= 0) {
    pki_assembly_fill_group(a, w, group_of(a, row), ends, &direction, 1, false);
  }
  return row >= 0;
}

void pki_assembly_soften(pki_assembly *a, double part)
{
  a->soft[pk_contact_size(&a->problem) - 1] = part;
}

bool pki_assembly_add_box(pki_assembly *a, int dof, double sign, double lower, double upper,
                          double compliance)
{
  const int row = add_box_row(a, lower, upper, compliance), k = a->model->plan_u[dof];
  if (row >= 0) {
    const int group = group_of(a, row);
    set_chain(a, group, k);
    rows_of(a, a->J, group)[4 * a->level[k]] = sign;
  }
  return row >= 0;
}

/* A row of the model's constraints: the union of its paths, and its columns there. */
static void fill_relative(pki_assembly *a, int row, const pki_bilateral *b, int from, double sign)
{
  const int group = group_of(a, row);
  const size_t at = (size_t)from * (size_t)b->stride;
  set_chain(a, group, -1);
  for (int e = 0; e < b->count[from]; e++) {
    merge_chain(a, group, a->model->plan_u[b->col[at + (size_t)e]]);
  }
  const int *cols = chain_of(a, group);
  double *J = rows_of(a, a->J, group);
  for (int e = 0; e < b->count[from]; e++) {
    const int k = a->model->plan_u[b->col[at + (size_t)e]];
    J[4 * place_in_chain(cols, a->count[group], k)] += sign * b->J[at + (size_t)e];
  }
}

bool pki_assembly_add_bilateral(pki_assembly *a, const pki_bilateral *b, int row)
{
  const int at = pk_contact_size(&a->problem);
  PK_ASSERT(a->problem.nbox == 0);
  if (at >= a->max_rows) {
    return false;
  }
  a->constraint[a->problem.nbilateral++] = b->of[row];
  a->extra[at] = a->soft[at] = 0;
  fill_relative(a, at, b, row, 1);
  return true;
}

bool pki_assembly_add_relative(pki_assembly *a, const pki_bilateral *b, int row, double sign, double lower,
                               double upper, double compliance)
{
  const int at = add_box_row(a, lower, upper, compliance);
  if (at >= 0) {
    fill_relative(a, at, b, row, sign);
  }
  return at >= 0;
}

/* ---- products ---- */

/* Four rows times a velocity. */
static void group_velocity(const pki_assembly *a, int group, const double *u, double out[4])
{
  const int *cols = chain_of(a, group);
  const double *J = rows_of(a, a->J, group);
  const bool plain = a->model->nplan == a->model->nu; /* unknowns are velocities */
  out[0] = out[1] = out[2] = out[3] = 0;
  for (int e = 0; e < a->count[group]; e++, J += 4) {
    const int k = plain ? cols[e] : a->plan_to_u[cols[e]];
    const double x = k >= 0 ? u[k] : 0;
    for (int d = 0; d < 4; d++) {
      out[d] += J[d] * x;
    }
  }
}

void pki_assembly_contact_velocity(const pki_assembly *a, int contact, const double *u, double out[3])
{
  double v[4];
  group_velocity(a, contact, u, v);
  memcpy(out, v, 3 * sizeof *out);
}

double pki_assembly_velocity(const pki_assembly *a, int row, const double *u)
{
  double v[4];
  group_velocity(a, group_of(a, row), u, v);
  return v[row < 3 * a->problem.ncontact ? row % 3 : 0];
}

/* out [nplan] += rows' r, over all groups; rows J or Z. */
static void add_groups(const pki_assembly *a, double *rows, const double *r, double *out)
{
  const int groups = group_count(a), contacts = a->problem.ncontact;
  for (int g = 0; g < groups; g++) {
    const int *cols = chain_of(a, g);
    const double *x = rows_of(a, rows, g);
    const double *rg = g < contacts ? r + 3 * g : r + 2 * contacts + g;
    const double r0 = rg[0], r1 = g < contacts ? rg[1] : 0, r2 = g < contacts ? rg[2] : 0;
    for (int e = 0; e < a->count[g]; e++, x += 4) {
      out[cols[e]] += x[0] * r0 + x[1] * r1 + x[2] * r2;
    }
  }
}

void pki_assembly_forces(const pki_assembly *a, const double *r, double *out)
{
  memset(a->sum, 0, (size_t)a->model->nplan * sizeof *a->sum);
  add_groups(a, a->J, r, a->sum);
  pki_plan_collect(a->model, a->sum, out);
}

void pki_assembly_response(const pki_assembly *a, const pk_workspace *w, const double *r, double *x)
{
  double *plan = w->work.plan;
  memset(plan, 0, (size_t)a->model->nplan * sizeof *plan);
  add_groups(a, a->Z, r, plan);
  w->kernels->ltl_finish(&w->work, plan);
  pki_plan_collect(a->model, plan, x);
}

/* ---- W ---- */

/* How many unknowns two chains begin with in common; all that they share, when both are paths. */
static int common_chain_length(const pki_assembly *a, int g, int h)
{
  const int *cg = chain_of(a, g), *ch = chain_of(a, h);
  const int most = a->count[g] < a->count[h] ? a->count[g] : a->count[h];
  int n = 0;
  while (n < most && cg[n] == ch[n]) {
    n++;
  }
  return n;
}

/* block [3][4] = Y_g' Z_h over the unknowns that both chains have. */
static void group_product(const pki_assembly *a, const pki_kernels *kernels, int g, int h, double block[12])
{
  const double *y = rows_of(a, a->Y, g), *z = rows_of(a, a->Z, h);
  if (a->is_path[g] && a->is_path[h]) {
    kernels->gram(common_chain_length(a, g, h), y, z, block);
    return;
  }
  const int *cg = chain_of(a, g), *ch = chain_of(a, h);
  memset(block, 0, 12 * sizeof *block);
  for (int e = 0, f = 0; e < a->count[g] && f < a->count[h];) {
    if (cg[e] == ch[f]) {
      for (int i = 0; i < 12; i++) {
        block[i] += y[4 * e + i / 4] * z[4 * f + i % 4];
      }
      e++, f++;
    } else if (cg[e] < ch[f]) {
      e++;
    } else {
      f++;
    }
  }
}

/* Rows that yield by a part of their own W. Box rows only: they come one by one. */
static void soften_rows(pki_assembly *a, const pki_kernels *kernels)
{
  const int rows = pk_contact_size(&a->problem);
  for (int row = rows - a->problem.nbox; row < rows; row++) {
    if (a->soft[row] > 0) {
      double block[12];
      group_product(a, kernels, group_of(a, row), group_of(a, row), block);
      a->extra[row] += a->soft[row] * (block[0] + a->extra[row]);
      a->soft[row] = 0;
    }
  }
}

/* Rows that nothing moves get a response of their own, STILL times the largest, so that the others can be solved. Whoever
 * solves the problem sees it in `still`: the problem is not the step's own. */
static void mark_still_rows(pki_assembly *a, double most)
{
  for (int i = 0; i < pk_contact_size(&a->problem); i++) {
    a->still[i] = !(a->diagonal[i] > STILL * most);
    a->extra[i] = !a->still[i] ? a->extra[i] : most > 0 ? STILL * most : 1;
  }
}

static void fill_W(pki_assembly *a, const pki_kernels *kernels)
{
  const int rows = pk_contact_size(&a->problem), contacts = a->problem.ncontact, groups = group_count(a);
  for (int g = 0; g < groups; g++) {
    const int i = g < contacts ? 3 * g : 2 * contacts + g, ni = g < contacts ? 3 : 1;
    for (int h = 0; h <= g; h++) {
      const int j = h < contacts ? 3 * h : 2 * contacts + h, nj = h < contacts ? 3 : 1;
      double block[12];
      group_product(a, kernels, g, h, block);
      for (int r = 0; r < ni; r++) {
        for (int c = 0; c < nj; c++) {
          a->W[(i + r) * rows + j + c] = a->W[(j + c) * rows + i + r] = block[4 * r + c];
        }
      }
    }
  }
  double most = 0;
  for (int i = 0; i < rows; i++) {
    a->W[i * rows + i] += a->extra[i];
    a->diagonal[i] = a->W[i * rows + i];
    most = fmax(most, a->diagonal[i]);
  }
  mark_still_rows(a, most);
  for (int i = 0; i < rows; i++) {
    a->W[i * rows + i] = a->still[i] ? a->extra[i] : a->W[i * rows + i];
  }
}

/* The largest diagonal entry of W, and the still rows, for factors alone. */
static void find_still_rows(pki_assembly *a, const pki_kernels *kernels)
{
  const int contacts = a->problem.ncontact, groups = group_count(a);
  double most = 0;
  for (int g = 0; g < groups; g++) {
    const int row = g < contacts ? 3 * g : 2 * contacts + g;
    double block[12];
    kernels->gram(a->count[g], rows_of(a, a->Y, g), rows_of(a, a->Z, g), block);
    for (int d = 0; d < (g < contacts ? 3 : 1); d++) {
      a->diagonal[row + d] = block[5 * d] + a->extra[row + d];
      most = fmax(most, a->diagonal[row + d]);
    }
  }
  mark_still_rows(a, most);
}

/* Among constraints a chain has room for what their elimination fills in; where a solver iterates on them instead nothing does, and the
 * zeros of a group are left out. */
pk_contact_factor pki_assembly_factor(const pki_assembly *a, const pk_workspace *w)
{
  const pk_model *m = a->model;
  const int rows = pk_contact_size(&a->problem);
  for (int k = 0; k < m->nplan; k++) {
    a->weight[k] = w->work.M[m->M_row[k + 1] - 1];
  }
  for (int row = 0; row < rows; row++) {
    const int g = group_of(a, row), lane = row < 3 * a->problem.ncontact ? row % 3 : 0;
    const double *y = rows_of(a, a->Y, g);
    const int *cols = chain_of(a, g);
    const size_t at = (size_t)row * (size_t)a->depth;
    int kept = 0;
    for (int e = 0; e < a->count[g]; e++, y += 4) {
      a->row_cols[at + (size_t)kept] = cols[e];
      a->row_Y[at + (size_t)kept] = y[lane];
      kept += m->nconstraint == 0 || y[0] != 0 || y[1] != 0 || y[2] != 0;
    }
    a->row_count[row] = kept;
  }
  return (pk_contact_factor){.n = m->nplan,
                             .stride = a->depth,
                             .count = a->row_count,
                             .col = a->row_cols,
                             .Y = a->row_Y,
                             .weight = a->weight,
                             .extra = a->extra};
}

void pki_assembly_finish(pki_assembly *a, const pk_workspace *w)
{
  const int groups = group_count(a);
  for (int g = 0; g < groups; g++) {
    const size_t room = 4 * (size_t)a->count[g];
    memcpy(rows_of(a, a->Y, g), rows_of(a, a->J, g), room * sizeof *a->Y);
    w->kernels->whiten(&w->work, chain_of(a, g), a->count[g], rows_of(a, a->Y, g), rows_of(a, a->Z, g));
  }
  soften_rows(a, w->kernels);
  const int rows = pk_contact_size(&a->problem);
  const bool dense = a->form == PKI_FORM_DENSE     ? rows <= PKI_DENSE_ROWS
                     : a->form == PKI_FORM_ISLANDS ? a->one_tree && rows <= PKI_TREE_ROWS
                                                   : false;
  a->problem.W = dense ? a->W : NULL;
  a->problem.factor = !dense || (a->form == PKI_FORM_ISLANDS && rows > PKI_FACTOR_ROWS) ? &a->factor : NULL;
  if (dense) {
    fill_W(a, w->kernels);
  } else {
    find_still_rows(a, w->kernels);
  }
  if (a->problem.factor != NULL) {
    a->factor = pki_assembly_factor(a, w);
  }
}

const double *pki_assembly_dense(pki_assembly *a, const pk_workspace *w)
{
  if (a->problem.W == NULL && pk_contact_size(&a->problem) <= PKI_DENSE_ROWS) {
    fill_W(a, w->kernels);
    return a->W;
  }
  return a->problem.W;
}
