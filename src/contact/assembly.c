#include "contact/assembly.h"

#include <string.h>

#include "base/error.h"
#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "model/motion.h"

/* The coordinate before k on the path to the root of the elimination tree; -1: k is a root. */
static int above(const pk_model *m, int k)
{
  const int diagonal = m->M_row[k + 1] - 1;
  return diagonal > m->M_row[k] ? m->M_col[diagonal - 1] : -1;
}

/* The longest path of the elimination tree. */
static int longest_path(const pk_model *m)
{
  int most = 0;
  for (int k = 0; k < m->nu; k++) {
    int length = 0;
    for (int at = k; at >= 0; at = above(m, at)) {
      length++;
    }
    most = length > most ? length : most;
  }
  return most;
}

void pki_assembly_carve(pki_assembly *a, const pk_model *model, int max_contacts, int max_rows,
                        pki_arena *arena)
{
  const int depth = longest_path(model);
  const size_t rows = (size_t)max_rows, real = sizeof(double);
  *a = (pki_assembly){.model = model, .max_contacts = max_contacts, .max_rows = max_rows, .depth = depth};
  a->count = pki_arena_take(arena, rows, sizeof(int));
  a->cols = pki_arena_take(arena, rows * (size_t)depth, sizeof(int));
  a->J = pki_arena_take(arena, rows * (size_t)depth, real);
  a->Y = pki_arena_take(arena, rows * (size_t)depth, real);
  a->extra = pki_arena_take(arena, rows, real);
  a->W = pki_arena_take(arena, rows * rows, real);
  a->q = pki_arena_take(arena, rows, real);
  a->r = pki_arena_take(arena, rows, real);
  a->mu = pki_arena_take(arena, (size_t)max_contacts, real);
  a->lower = pki_arena_take(arena, rows, real);
  a->upper = pki_arena_take(arena, rows, real);
  a->path = pki_arena_take(arena, (size_t)model->nu, sizeof(int));
  pki_assembly_clear(a);
}

void pki_assembly_clear(pki_assembly *a)
{
  a->problem = (pk_contact_problem){.W = a->W, .q = a->q, .mu = a->mu, .lower = a->lower, .upper = a->upper};
}

/* The chain that ends at coordinate k, ascending, into row `row`. */
static void set_chain(pki_assembly *a, int row, int k)
{
  int n = 0;
  for (int at = k; at >= 0; at = above(a->model, at)) {
    a->path[n++] = at;
  }
  int *cols = a->cols + (size_t)row * (size_t)a->depth;
  for (int e = 0; e < n; e++) {
    cols[e] = a->path[n - 1 - e];
  }
  a->count[row] = n;
  memset(a->J + (size_t)row * (size_t)a->depth, 0, (size_t)n * sizeof(double));
}

/* The last coordinate of all that move a body; -1: none. */
static int last_coordinate(const pk_model *m, int body)
{
  int last = -1;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const int k = m->body_u[i] + pki_motion_nu(m->body_motion[i]) - 1;
    last = k > last ? k : last;
    if (!m->has_mimic) {
      break; /* coordinates grow along a tree */
    }
  }
  return last;
}

/* Position of coordinate k in the chain of a row. */
static size_t place_of(const pki_assembly *a, int row, int k)
{
  const int *cols = a->cols + (size_t)row * (size_t)a->depth;
  int e = a->count[row] - 1;
  while (cols[e] != k) {
    e--;
  }
  return (size_t)e;
}

/* Rows row .. row+count-1 along `count` directions at a point of a body. */
static void fill_rows(pki_assembly *a, const pki_work *w, int row, int body, const double point[3],
                      const double *const *directions, int count)
{
  const pk_model *m = w->model;
  const int last = last_coordinate(m, body);
  for (int d = 0; d < count; d++) {
    set_chain(a, row + d, last);
    a->extra[row + d] = 0;
  }
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const double *o = w->origin + 3 * ((size_t)i + 1);
    const double arm[3] = {point[0] - o[0], point[1] - o[1], point[2] - o[2]};
    const int n = pki_motion_nu(m->body_motion[i]);
    const size_t at = place_of(a, row, m->body_u[i]);
    for (int d = 0; d < count; d++) {
      double columns[6], turn[3];
      pki_cross3(arm, directions[d], turn);
      pki_body_columns(w, i, turn, directions[d], columns);
      for (int c = 0; c < n; c++) {
        a->J[(size_t)(row + d) * (size_t)a->depth + at + (size_t)c] += columns[c];
      }
    }
  }
}

bool pki_assembly_add_contact(pki_assembly *a, const pki_work *w, int body, const double point[3],
                              const double n[3], const double t1[3], const double t2[3], double mu)
{
  pk_contact_problem *p = &a->problem;
  PK_ASSERT(p->nbox == 0);
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
  const int row = next_box(a, lower, upper);
  if (row >= 0) {
    set_chain(a, row, dof);
    a->J[(size_t)row * (size_t)a->depth + place_of(a, row, dof)] = sign;
    a->extra[row] = compliance;
  }
  return row >= 0;
}

double pki_assembly_velocity(const pki_assembly *a, int row, const double *u)
{
  const size_t at = (size_t)row * (size_t)a->depth;
  double sum = 0;
  for (int e = 0; e < a->count[row]; e++) {
    sum += a->J[at + (size_t)e] * u[a->cols[at + (size_t)e]];
  }
  return sum;
}

/* Y = inv(L') J' on the chain, last coordinate first. */
static void eliminate_row(const pki_assembly *a, const pki_work *w, int row)
{
  const pk_model *m = w->model;
  const size_t at = (size_t)row * (size_t)a->depth;
  const int *cols = a->cols + at;
  double *y = a->Y + at;
  memcpy(y, a->J + at, (size_t)a->count[row] * sizeof *y);
  for (int k = a->count[row] - 1; k >= 0; k--) {
    const int from = m->M_row[cols[k]], n = m->M_row[cols[k] + 1] - from - 1;
    const double yk = y[k];
    if (n == k) { /* a tree: the coordinate's columns are the chain above it */
      for (int e = 0; e < n; e++) {
        y[e] -= w->M[from + e] * yk;
      }
      continue;
    }
    for (int e = 0, t = 0; e < n; e++) {
      while (cols[t] != m->M_col[from + e]) {
        t++;
      }
      y[t] -= w->M[from + e] * yk;
    }
  }
}

void pki_assembly_finish(pki_assembly *a, const pki_work *w)
{
  const pk_model *m = w->model;
  const int rows = pk_contact_size(&a->problem);
  for (int i = 0; i < rows; i++) {
    eliminate_row(a, w, i);
  }
  for (int i = 0; i < rows; i++) {
    const size_t ai = (size_t)i * (size_t)a->depth;
    const int *ci = a->cols + ai;
    for (int j = 0; j <= i; j++) {
      const size_t aj = (size_t)j * (size_t)a->depth;
      const int *cj = a->cols + aj;
      double sum = 0;
      for (int e = 0, f = 0; e < a->count[i] && f < a->count[j];) {
        if (ci[e] == cj[f]) {
          sum += a->Y[ai + (size_t)e] * a->Y[aj + (size_t)f] * w->M[m->M_row[ci[e] + 1] - 1];
          e++, f++;
        } else if (ci[e] < cj[f]) {
          e++;
        } else {
          f++;
        }
      }
      a->W[i * rows + j] = a->W[j * rows + i] = sum + (i == j ? a->extra[i] : 0);
    }
  }
}

void pki_assembly_forces(const pki_assembly *a, const double *r, double *out)
{
  const int rows = pk_contact_size(&a->problem);
  memset(out, 0, (size_t)a->model->nu * sizeof *out);
  for (int i = 0; i < rows; i++) {
    const size_t at = (size_t)i * (size_t)a->depth;
    for (int e = 0; r[i] != 0 && e < a->count[i]; e++) {
      out[a->cols[at + (size_t)e]] += a->J[at + (size_t)e] * r[i];
    }
  }
}
