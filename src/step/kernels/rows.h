/* Rows of balls that touch, what they whiten to, and W. Three numbers side by side (normal, two tangents); with one lane a
 * fourth makes them one operation. */
#ifndef PKI_STEP_ROWS_H
#define PKI_STEP_ROWS_H

#include "dynamics/kernels/composite.h"
#include "step/group.h"

enum { PKI_ROWS = PKI_LANES == 1 ? 4 : 3 };

typedef struct pki_rows {
  pk_r v[PKI_ROWS];
} pki_rows;

PKI_INLINE pki_rows *pki_rows_of(const pki_group *g, double *array, int ball)
{
  return (pki_rows *)(void *)(array + 4 * (size_t)ball * (size_t)g->plan->depth * PKI_LANES);
}

/* c + s a */
PKI_INLINE pki_rows pki_rows_add(pki_rows c, pk_r s, pki_rows a)
{
  for (int k = 0; k < PKI_ROWS; k++) {
    c.v[k] += s * a.v[k];
  }
  return c;
}

/* A velocity along the normal and the tangents. */
PKI_INLINE void pki_along_axes(const pki_group *g, int ball, pki_v3 v, pki_rows *to)
{
  const pki_group_plan *p = g->plan;
  const double *n = p->normal, *s = p->tangent1, *t = p->tangent2;
  if (p->field != NULL) {
    const pki_v3 *const axes = (const pki_v3 *)(const void *)g->axes + 3 * ball;
    for (int k = 0; k < 3; k++) {
      to->v[k] = pki_dot(axes[k], v);
    }
  } else if (p->level) {
    to->v[0] = v.z, to->v[1] = v.x, to->v[2] = v.y;
  } else {
    to->v[0] = n[0] * v.x + n[1] * v.y + n[2] * v.z;
    to->v[1] = s[0] * v.x + s[1] * v.y + s[2] * v.z;
    to->v[2] = t[0] * v.x + t[1] * v.y + t[2] * v.z;
  }
  if (PKI_ROWS == 4) {
    to->v[PKI_ROWS - 1] = pki_splat(0);
  }
}

/* J of a ball's point. */
PKI_INLINE void pki_ball_rows(const pki_group *g, int ball)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  const pki_v3 *const origin = pki_origins(g->work);
  const pki_v3 at = pki_v3_load(pki_reals(g->point) + 3 * ball);
  pki_rows *const J = pki_rows_of(g, g->J, ball);
  for (int i = p->body[ball]; i >= 0; i = m->body_parent[i]) {
    const pki_v3 arm = pki_sub(at, origin[i]);
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      int linear;
      const pki_v3 axis = pki_column(g->work, i, c, &linear);
      pki_along_axes(g, ball, linear ? axis : pki_cross(axis, arm), &J[p->place[i] + c]);
    }
  }
}

/* J x of a ball, x [nu] (unknowns of the plan are velocities). */
PKI_INLINE pki_v3 pki_ball_velocity(const pki_group *g, int ball, const double *x)
{
  const int *const path = g->plan->path + ball * g->plan->depth;
  const pki_rows *const J = pki_rows_of(g, g->J, ball);
  pki_v3 sum = pki_v3_zero();
  for (int e = 0; e < g->plan->count[ball]; e++) {
    const pk_r xe = pki_reals(x)[path[e]];
    sum = (pki_v3){sum.x + J[e].v[0] * xe, sum.y + J[e].v[1] * xe, sum.z + J[e].v[2] * xe};
  }
  return sum;
}

/* Y = inv(L') J' and Z = inv(D) Y: on a tree an unknown's columns are the whole path above it, so that
 * Y_e = J_e - sum over k > e of L_ke Y_k. */
PKI_INLINE void pki_whiten_path(const pki_group *g, int ball, int n)
{
  const pk_model *m = g->plan->model;
  const int *const path = g->plan->path + ball * g->plan->depth;
  const pki_rows *const J = pki_rows_of(g, g->J, ball);
  pki_rows *const Y = pki_rows_of(g, g->Y, ball), *const Z = pki_rows_of(g, g->Z, ball);
  const pk_r *L[PKI_PATH];
  for (int k = 0; k < n; k++) {
    L[k] = pki_reals(g->work->M) + m->M_row[path[k]];
  }
  PKI_UNROLL
  for (int e = n - 1; e >= 0; e--) {
    pki_rows y = J[e];
    PKI_UNROLL
    for (int k = n - 1; k > e; k--) {
      y = pki_rows_add(y, -L[k][e], Y[k]);
    }
    Y[e] = y;
    for (int c = 0; c < PKI_ROWS; c++) {
      Z[e].v[c] = L[e][e] * y.v[c];
    }
  }
}

PKI_INLINE void pki_ball_whiten(const pki_group *g, int ball)
{
  if (g->plan->count[ball] == 9) { /* three joints on a free trunk: written out */
    pki_whiten_path(g, ball, 9);
  } else {
    pki_whiten_path(g, ball, g->plan->count[ball]);
  }
}

PKI_INLINE pki_m3 *pki_block(const pki_group *g, int i, int j)
{
  return (pki_m3 *)(void *)g->W + i * PKI_BALLS + j;
}

/* W_ij = Y_i' Z_j over the n unknowns that they share, and W_ji. */
PKI_INLINE void pki_block_of_path(const pki_group *g, int i, int j, int n)
{
  const pki_rows *const Y = pki_rows_of(g, g->Y, i), *const Z = pki_rows_of(g, g->Z, j);
  const pk_r zero = pki_splat(0);
  pki_rows x, y, z;
  for (int c = 0; c < PKI_ROWS; c++) {
    x.v[c] = y.v[c] = z.v[c] = zero;
  }
  PKI_UNROLL
  for (int e = 0; e < n; e++) {
    x = pki_rows_add(x, Y[e].v[0], Z[e]);
    y = pki_rows_add(y, Y[e].v[1], Z[e]);
    z = pki_rows_add(z, Y[e].v[2], Z[e]);
  }
  *pki_block(g, i, j) =
      (pki_m3){{x.v[0], x.v[1], x.v[2]}, {y.v[0], y.v[1], y.v[2]}, {z.v[0], z.v[1], z.v[2]}};
  *pki_block(g, j, i) =
      (pki_m3){{x.v[0], y.v[0], z.v[0]}, {x.v[1], y.v[1], z.v[1]}, {x.v[2], y.v[2], z.v[2]}};
}

PKI_INLINE void pki_ball_block(const pki_group *g, int i, int j)
{
  const int n = g->plan->common[i][j];
  if (n == 6) {
    pki_block_of_path(g, i, j, 6);
  } else {
    pki_block_of_path(g, i, j, n);
  }
}

/* Inverse of a symmetric matrix with positive diagonal. */
PKI_INLINE pki_m3 pki_invert_symmetric(pki_m3 A)
{
  const pk_r a = A.x.x, b = A.x.y, c = A.x.z, d = A.y.y, e = A.y.z, f = A.z.z;
  const pk_r c0 = d * f - e * e, c1 = c * e - b * f, c2 = b * e - c * d;
  const pk_r inv = 1.0 / (a * c0 + b * c1 + c * c2);
  const pk_r xx = inv * c0, xy = inv * c1, xz = inv * c2;
  const pk_r yy = inv * (a * f - c * c), yz = inv * (b * c - a * e), zz = inv * (a * d - b * b);
  return (pki_m3){{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
}

/* x [nu] = inv(L) sum of Z r over the balls in `in`: what impulses do to velocities. */
PKI_INLINE void pki_balls_response(const pki_group *g, unsigned in, const double *r, double *x)
{
  const pki_group_plan *p = g->plan;
  pk_r *const sum = pki_out(x);
  for (int k = 0; k < p->model->nu; k++) {
    sum[k] = pki_splat(0);
  }
  for (int b = 0; b < p->nball; b++) {
    const int *const path = p->path + b * p->depth;
    const pki_rows *const Z = pki_rows_of(g, g->Z, b);
    const pki_v3 rb = pki_v3_load(pki_reals(r) + 3 * b);
    for (int e = 0; e < p->count[b] && in >> b & 1; e++) {
      sum[path[e]] += Z[e].v[0] * rb.x + Z[e].v[1] * rb.y + Z[e].v[2] * rb.z;
    }
  }
  g->dynamics->ltl_finish(g->work, x);
}

#endif
