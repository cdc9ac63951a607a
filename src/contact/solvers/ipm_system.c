#include <math.h>
#include <string.h>

#include "contact/solvers/ipm.h"

pki_ipm pki_ipm_take(pki_arena *arena, const pk_contact_problem *p, pki_scaled *dense)
{
  pki_ipm s = {.p = p, .n = pk_contact_size(p), .sparse = dense == NULL, .dense = dense};
  const size_t n = (size_t)s.n, groups = n - 2 * (size_t)p->ncontact;
  double **const vectors[] = {&s.d, &s.q, &s.r, &s.v,   &s.b,    &s.dr,    &s.dv,    &s.db, &s.gap, &s.g,
                              &s.l, &s.c, &s.w, &s.rhs, &s.beta, &s.lower, &s.upper, &s.u,  &s.kept};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
    *vectors[k] = pki_arena_take(arena, pki_dense_stride(s.n), sizeof(double));
  }
  s.C = pki_arena_take(arena, 9 * groups, sizeof(double));
  if (!s.sparse) {
    return s;
  }
  s.factors = pki_sparse_take(arena, p);
  s.elimination = pki_elimination_take(arena, p);
  s.B = pki_arena_take(arena, 9 * groups, sizeof(double));
  s.D = pki_arena_take(arena, (size_t)s.factors.n, sizeof(double));
  s.z = pki_arena_take(arena, (size_t)s.factors.n, sizeof(double));
  s.diagonal = pki_arena_take(arena, n, sizeof(double));
  s.y = pki_arena_take(arena, n, sizeof(double));
  s.left = pki_arena_take(arena, n, sizeof(double));
  s.back = pki_arena_take(arena, n, sizeof(double));
  return s;
}

/* Where the block of a group begins, and how many rows it has. */
static int rows_of(const pki_ipm *s, int group, int *row)
{
  const bool contact = group < s->p->ncontact;
  *row = contact ? 3 * group : 2 * s->p->ncontact + group;
  return contact ? 3 : 1;
}

bool pki_ipm_held(const pki_ipm *s, int row)
{
  const pk_contact_problem *p = s->p;
  const int first = 3 * p->ncontact;
  return row < first ? row % 3 != 0 && p->mu[row / 3] == 0
                     : row >= first + p->nbilateral && !(s->lower[row] < s->upper[row]);
}

bool pki_ipm_prepare(pki_ipm *s)
{
  if (!s->sparse) {
    return true;
  }
  pki_sparse_pack(&s->factors);
  for (int k = 0; k < s->factors.n; k++) {
    s->D[k] = s->factors.weight[k] != 0 ? 1 / s->factors.weight[k] : 1e200;
  }
  pki_sparse_diagonals(&s->factors, s->diagonal);
  return pki_elimination_analyse(&s->elimination, &s->factors);
}

double pki_ipm_diagonal(const pki_ipm *s, int row)
{
  return s->sparse ? s->diagonal[row] : pki_diagonal(s->p, row);
}

/* out = W x, x and out not scaled. */
static void multiply_delassus(pki_ipm *s, const double *x, double *out)
{
  pki_sparse_gather(&s->factors, x, s->z);
  pki_sparse_velocity(&s->factors, s->z, x, out);
  for (int i = 0; i < s->n; i++) {
    out[i] -= s->p->q[i];
  }
}

void pki_ipm_velocity(pki_ipm *s)
{
  if (s->sparse) {
    for (int i = 0; i < s->n; i++) {
      s->left[i] = s->d[i] * s->r[i];
    }
    multiply_delassus(s, s->left, s->u);
    for (int i = 0; i < s->n; i++) {
      s->u[i] = s->d[i] * s->u[i] + s->q[i];
    }
    return;
  }
  s->dense->kernels->multiply(s->dense->W, s->n, s->dense->stride, s->r, s->u);
  for (int i = 0; i < s->n; i++) {
    s->u[i] += s->q[i];
  }
}

/* ---- with W ---- */

/* A = W + C, the unit matrix in rows and columns that are held. */
static void fill_dense(pki_ipm *s)
{
  const pk_contact_problem *p = s->p;
  const size_t stride = s->dense->stride;
  double *A = s->dense->A;
  memcpy(A, s->dense->W, (size_t)s->n * stride * sizeof *A);
  for (int g = 0; g < s->n - 2 * p->ncontact; g++) {
    int row;
    const int count = rows_of(s, g, &row);
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < count; j++) {
        A[(size_t)(row + i) * stride + (size_t)(row + j)] += s->C[9 * (size_t)g + (size_t)(3 * i + j)];
      }
    }
  }
  for (int i = 0; i < s->n; i++) {
    if (pki_ipm_held(s, i)) {
      memset(A + (size_t)i * stride, 0, stride * sizeof *A);
      for (int j = 0; j < s->n; j++) {
        A[(size_t)j * stride + (size_t)i] = i == j;
      }
    }
  }
}

/* Without the derivative the matrix of a symmetric W is symmetric and positive. With it pivots are needed. */
static bool factor_dense(pki_ipm *s)
{
  pki_scaled *z = s->dense;
  fill_dense(s);
  s->has_pivots = s->derivative || !z->symmetric;
  if (!s->has_pivots && !z->kernels->factor_symmetric(z->A, s->n, z->stride, z->line, z->inverse, z->timer)) {
    fill_dense(s); /* rounding: C spans so much */
    s->has_pivots = true;
  }
  return !s->has_pivots ||
         z->kernels->factor_pivoted(z->A, s->n, z->stride, z->line, z->inverse, z->pivot, z->timer);
}

/* ---- in velocities ---- */

/* B = inv(A), 3x3; false when singular. */
static bool invert_block(const double *A, double *B)
{
  double size = 0, a[9];
  for (int i = 0; i < 9; i++) {
    size = fmax(size, fabs(A[i]));
  }
  const double k = 1 / size;
  for (int i = 0; i < 9; i++) {
    a[i] = A[i] * k;
  }
  B[0] = a[4] * a[8] - a[5] * a[7], B[1] = a[2] * a[7] - a[1] * a[8], B[2] = a[1] * a[5] - a[2] * a[4];
  B[3] = a[5] * a[6] - a[3] * a[8], B[4] = a[0] * a[8] - a[2] * a[6], B[5] = a[2] * a[3] - a[0] * a[5];
  B[6] = a[3] * a[7] - a[4] * a[6], B[7] = a[1] * a[6] - a[0] * a[7], B[8] = a[0] * a[4] - a[1] * a[3];
  const double det = a[0] * B[0] + a[1] * B[3] + a[2] * B[6];
  for (int i = 0; i < 9; i++) {
    B[i] *= k / det;
  }
  return det != 0 && isfinite(k / det);
}

/* The group's C is a cone's, and has no compliance beside it. */
static bool is_cone(const pki_ipm *s, int group)
{
  const double *extra = s->p->factor->extra + 3 * (size_t)group;
  return group < s->p->ncontact && s->p->mu[group] > 0 && extra[0] == 0 && extra[1] == 0 && extra[2] == 0;
}

/* B of one group; C without the scale. */
static bool invert_group(pki_ipm *s, int g)
{
  static const double stiff = 1e-10; /* of W_ll: what rows without C have in its place */
  const double *extra = s->p->factor->extra;
  int row;
  double *C = s->C + 9 * (size_t)g, *B = s->B + 9 * (size_t)g, A[9];
  const int count = rows_of(s, g, &row);
  const double k = s->d[row] * s->d[row];
  for (int j = 0; j < 3 && is_cone(s, g); j++) {
    double a[3] = {j == 0 ? k : 0, j == 1 ? k : 0, j == 2 ? k : 0};
    pki_ipm_cone(s, g, true, a);
    B[j] = a[0], B[3 + j] = a[1], B[6 + j] = a[2];
  }
  if (is_cone(s, g)) {
    return true;
  }
  for (int i = 0; i < 9; i++) {
    C[i] /= k;
    A[i] = C[i] + (i % 4 == 0 && i < 3 * count ? extra[row + i / 4] : 0);
    B[i] = 0;
  }
  if (count == 3 && !pki_ipm_held(s, row + 1)) {
    return invert_block(A, B);
  }
  B[0] = pki_ipm_held(s, row) ? 0 : 1 / fmax(A[0], stiff * s->diagonal[row]);
  return true;
}

static bool factor_sparse(pki_ipm *s)
{
  for (int g = 0; g < s->factors.groups; g++) {
    if (!invert_group(s, g)) {
      return false;
    }
  }
  return pki_elimination_factor(&s->elimination, s->D, s->B);
}

/* x += blocks a for all groups. */
static void add_blocks(const pki_ipm *s, const double *blocks, const double *a, double *x)
{
  for (int g = 0; g < s->factors.groups; g++) {
    int row;
    const int count = rows_of(s, g, &row);
    const double *B = blocks + 9 * (size_t)g;
    if (blocks == s->C && is_cone(s, g)) {
      const double k = 1 / (s->d[row] * s->d[row]);
      double y[3] = {k * a[row], k * a[row + 1], k * a[row + 2]};
      pki_ipm_cone(s, g, false, y);
      x[row] += y[0], x[row + 1] += y[1], x[row + 2] += y[2];
      continue;
    }
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < count; j++) {
        x[row + i] += B[3 * i + j] * a[row + j];
      }
    }
  }
}

/* x += the solution for the right side `left`. */
static void solve_once(pki_ipm *s, double *x)
{
  memset(s->back, 0, (size_t)s->n * sizeof *s->back);
  add_blocks(s, s->B, s->left, s->back);
  pki_sparse_gather(&s->factors, s->back, s->z); /* weight Y' B b */
  for (int k = 0; k < s->factors.n; k++) {
    s->z[k] *= s->D[k];
  }
  pki_elimination_solve(&s->elimination, s->z);
  memset(s->back, 0, (size_t)s->n * sizeof *s->back);
  pki_sparse_velocity(&s->factors, s->z, s->back, s->back);
  for (int i = 0; i < s->n; i++) {
    s->back[i] = s->left[i] - (s->back[i] - s->p->q[i]);
  }
  add_blocks(s, s->B, s->back, x);
}

static void solve_sparse(pki_ipm *s, double *b)
{
  enum { REFINEMENTS = 2 };
  for (int i = 0; i < s->n; i++) {
    b[i] = pki_ipm_held(s, i) ? 0 : b[i] / s->d[i];
    s->left[i] = b[i];
    s->y[i] = 0;
  }
  for (int k = 0; k <= REFINEMENTS; k++) {
    solve_once(s, s->y);
    if (k < REFINEMENTS) {
      multiply_delassus(s, s->y, s->left);
      add_blocks(s, s->C, s->y, s->left);
      for (int i = 0; i < s->n; i++) {
        s->left[i] = pki_ipm_held(s, i) ? 0 : b[i] - s->left[i];
      }
    }
  }
  for (int i = 0; i < s->n; i++) {
    b[i] = s->y[i] / s->d[i];
  }
}

bool pki_ipm_factor(pki_ipm *s)
{
  return s->sparse ? factor_sparse(s) : factor_dense(s);
}

void pki_ipm_solve(pki_ipm *s, double *b)
{
  if (s->sparse) {
    solve_sparse(s, b);
  } else if (s->has_pivots) {
    s->dense->kernels->solve_pivoted(s->dense->A, s->n, s->dense->stride, s->dense->inverse, s->dense->pivot,
                                     b);
  } else {
    s->dense->kernels->solve_symmetric(s->dense->A, s->n, s->dense->stride, s->dense->inverse, b);
  }
}
