/* Rows of the active set, Y = inv(L') J' of them, and W.
 *
 * Slots 0 .. nball-1 are the feet's: all lanes have the same body there, and its path of unknowns. The slots behind them hold
 * what each lane has found, with another pair of bodies in each lane: their rows go over the union of the paths, with exact
 * zeros where a lane's own path does not go. Rows lie by unknown, three side by side (normal, two tangents); with
 * one lane a fourth makes them one operation. */
#ifndef PKI_STEP_ROWS_H
#define PKI_STEP_ROWS_H

#include "step/kernels/lanes.h"

enum { PKI_ROWS = PKI_LANES == 1 ? 4 : 3 };

typedef struct pki_rows {
  pk_r v[PKI_ROWS];
} pki_rows;

/* Unknowns as bits, in a list, ascending. */
typedef struct pki_unknowns {
  int n, at[PKI_GROUP_NU];
} pki_unknowns;

PKI_INLINE pki_unknowns pki_unknowns_of(uint64_t bits)
{
  pki_unknowns u = {.n = 0};
  for (; bits != 0; bits &= bits - 1) {
    u.at[u.n++] = __builtin_ctzll(bits);
  }
  return u;
}

PKI_INLINE pki_rows *pki_rows_of(const pki_group *g, double *array, int slot)
{
  return (pki_rows *)(void *)(array + 4 * (size_t)slot * (size_t)g->plan->model->nu * PKI_LANES);
}

/* c + s a */
PKI_INLINE pki_rows pki_rows_add(pki_rows c, pk_r s, pki_rows a)
{
  for (int k = 0; k < PKI_ROWS; k++) {
    c.v[k] += s * a.v[k];
  }
  return c;
}

PKI_INLINE pki_rows pki_rows_zero(void)
{
  pki_rows z;
  for (int k = 0; k < PKI_ROWS; k++) {
    z.v[k] = pki_splat(0);
  }
  return z;
}

/* ---- J ---- */

/* A velocity along the normal and the tangents of a foot; `level`: of the plane, written out. */
PKI_INLINE void pki_along_axes(const pki_group *g, int ball, bool level, pki_v3 v, pki_rows *to)
{
  const pki_group_plan *p = g->plan;
  const double *n = p->normal, *s = p->tangent1, *t = p->tangent2;
  if (level) {
    to->v[0] = v.z, to->v[1] = v.x, to->v[2] = v.y;
  } else if (p->field != NULL) {
    const pki_v3 *const axes = (const pki_v3 *)(const void *)g->axes + 3 * ball;
    for (int k = 0; k < 3; k++) {
      to->v[k] = pki_dot(axes[k], v);
    }
  } else {
    to->v[0] = n[0] * v.x + n[1] * v.y + n[2] * v.z;
    to->v[1] = s[0] * v.x + s[1] * v.y + s[2] * v.z;
    to->v[2] = t[0] * v.x + t[1] * v.y + t[2] * v.z;
  }
  if (PKI_ROWS == 4) {
    to->v[PKI_ROWS - 1] = pki_splat(0);
  }
}

/* J of a foot's point; hinges and a free trunk without their cases. */
PKI_INLINE void pki_foot_rows_on(const pki_group *g, int ball, bool level)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  const pki_v3 *const origin = pki_origins(g->work);
  const pki_pose_r *const pose = pki_poses(g->work);
  const pki_v3 at = pki_v3_load(pki_reals(g->point) + 3 * ball);
  pki_rows *const J = pki_rows_of(g, g->J, ball);
  for (int i = p->body[ball]; i >= 0; i = m->body_parent[i]) {
    const pki_v3 arm = pki_sub(at, origin[i]);
    pki_rows *const to = J + m->body_u[i];
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      const pki_v3 axis = pki_scale(pki_splat(m->body_gain[i]), pki_column_at(&pose[i].R, m->body_axis[i]));
      pki_along_axes(g, ball, level, pki_cross(axis, arm), to);
    } else if (m->body_motion[i] == PK_MOTION_FLOATING && m->body_parent[i] < 0 && !m->body_turned[i]) {
      PKI_UNROLL
      for (int c = 0; c < 3; c++) {
        const pki_v3 unit = {pki_splat(c == 0), pki_splat(c == 1), pki_splat(c == 2)};
        pki_along_axes(g, ball, level, unit, to + c);
        pki_along_axes(g, ball, level, pki_cross(pki_m3_col(&pose[i].R, c), arm), to + 3 + c);
      }
    } else {
      for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
        int linear;
        const pki_v3 axis = pki_column(g->work, i, c, &linear);
        pki_along_axes(g, ball, level, linear ? axis : pki_cross(axis, arm), to + c);
      }
    }
  }
}

static void pki_foot_rows(const pki_group *g, int ball)
{
  if (g->plan->level) {
    pki_foot_rows_on(g, ball, true);
  } else {
    pki_foot_rows_on(g, ball, false);
  }
}

/* What each unknown does to all that hangs on it: its angular velocity, and the velocity of what is at the first body's
 * origin. */
static void pki_fill_screws(const pki_group *g)
{
  const pk_model *m = g->plan->model;
  const pki_v3 *const origin = pki_origins(g->work);
  pki_v6 *const screw = (pki_v6 *)(void *)g->screw;
  for (int i = 0; i < m->nbody; i++) {
    const pki_v3 arm = pki_sub(origin[i], origin[0]);
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      int linear;
      const pki_v3 axis = pki_column(g->work, i, c, &linear);
      screw[m->body_u[i] + c] = linear ? (pki_v6){pki_v3_zero(), axis} : (pki_v6){axis, pki_cross(arm, axis)};
    }
  }
}

PKI_INLINE pk_r *pki_signs_of(const pki_group *g, int slot)
{
  return pki_out(g->sign) + slot * g->plan->model->nu;
}

/* J of a slot's point: d . (v + w x p) = d . v + (p x d) . w along each axis d. */
static void pki_slot_rows(const pki_group *g, int slot, uint64_t path)
{
  const pki_v6 *const screw = (const pki_v6 *)(const void *)g->screw;
  const pki_v3 arm = pki_sub(pki_v3_load(pki_reals(g->point) + 3 * slot), pki_origins(g->work)[0]);
  const pki_v3 *const axes = (const pki_v3 *)(const void *)g->axes + 3 * slot;
  const pk_r *const sign = pki_signs_of(g, slot);
  const pki_unknowns u = pki_unknowns_of(path);
  pki_rows *const J = pki_rows_of(g, g->J, slot);
  pki_v3 lever[3];
  for (int d = 0; d < 3; d++) {
    lever[d] = pki_cross(arm, axes[d]);
  }
  for (int e = 0; e < u.n; e++) {
    const int k = u.at[e];
    for (int d = 0; d < 3; d++) {
      J[k].v[d] = sign[k] * pki_add_dot(pki_dot(axes[d], screw[k].l), lever[d], screw[k].a);
    }
    if (PKI_ROWS == 4) {
      J[k].v[PKI_ROWS - 1] = pki_splat(0);
    }
  }
}

/* J x of a slot, x [nu]. */
PKI_INLINE pki_v3 pki_slot_velocity(const pki_lanes *f, int slot, const double *x)
{
  const pki_rows *const J = pki_rows_of(f->g, f->g->J, slot);
  pki_v3 sum = pki_v3_zero();
  if (slot < f->p->nball) {
    const int *const path = f->p->path + slot * f->p->depth;
    for (int e = 0; e < f->p->count[slot]; e++) {
      const pk_r xe = pki_reals(x)[path[e]];
      const pki_rows *const j = &J[path[e]];
      sum = (pki_v3){sum.x + j->v[0] * xe, sum.y + j->v[1] * xe, sum.z + j->v[2] * xe};
    }
    return sum;
  }
  for (uint64_t bits = f->path[slot]; bits != 0; bits &= bits - 1) {
    const int k = __builtin_ctzll(bits);
    const pk_r xe = pki_reals(x)[k];
    sum = (pki_v3){sum.x + J[k].v[0] * xe, sum.y + J[k].v[1] * xe, sum.z + J[k].v[2] * xe};
  }
  return sum;
}

/* ---- Y and Z ---- */

/* Y = inv(L') J' and Z = inv(D) Y over unknowns that are closed under what is above them: Y_e = J_e - sum over k below e of L_ke Y_k, from
 * the last one. On a tree an unknown's columns are the whole path above it: those of e come first in every row k below it. */
static void pki_whiten_union(const pki_group *g, int slot, uint64_t path)
{
  const pk_model *m = g->plan->model;
  const pk_r *const M = pki_reals(g->work->M);
  const pki_unknowns u = pki_unknowns_of(path);
  pki_rows *const Y = pki_rows_of(g, g->Y, slot), *const Z = pki_rows_of(g, g->Z, slot);
  const pki_rows *const J = pki_rows_of(g, g->J, slot);
  for (int i = u.n - 1; i >= 0; i--) {
    const int e = u.at[i], above = m->M_row[e + 1] - 1 - m->M_row[e];
    pki_rows y = J[e];
    for (uint64_t below = g->plan->below[e] & path; below != 0;) {
      const int k = 63 - __builtin_clzll(below);
      below ^= UINT64_C(1) << k;
      y = pki_rows_add(y, -M[m->M_row[k] + above], Y[k]);
    }
    Y[e] = y;
    for (int c = 0; c < PKI_ROWS; c++) {
      Z[e].v[c] = M[m->M_row[e] + above] * y.v[c];
    }
  }
}

/* The same of a foot that nine unknowns move, as on three hinges below a free trunk, written out. */
enum { PKI_LEG = 9 };

static void pki_whiten_leg(const pki_group *g, int ball)
{
  const pk_model *m = g->plan->model;
  const int *const path = g->plan->path + ball * g->plan->depth;
  const pki_rows *const J = pki_rows_of(g, g->J, ball);
  pki_rows *const Y = pki_rows_of(g, g->Y, ball), *const Z = pki_rows_of(g, g->Z, ball);
  const pk_r *L[PKI_LEG];
  pki_rows y[PKI_LEG];
  PKI_UNROLL_ALL
  for (int k = 0; k < PKI_LEG; k++) {
    L[k] = pki_reals(g->work->M) + m->M_row[path[k]];
  }
  PKI_UNROLL_ALL
  for (int e = PKI_LEG - 1; e >= 0; e--) {
    y[e] = J[path[e]];
    PKI_UNROLL_ALL
    for (int k = PKI_LEG - 1; k >= 0; k--) {
      y[e] = k > e ? pki_rows_add(y[e], -L[k][e], y[k]) : y[e];
    }
    Y[path[e]] = y[e];
    for (int c = 0; c < PKI_ROWS; c++) {
      Z[path[e]].v[c] = L[e][e] * y[e].v[c];
    }
  }
}

static void pki_slot_whiten(const pki_lanes *f, int slot)
{
  if (slot < f->p->nball && f->p->count[slot] == PKI_LEG) {
    pki_whiten_leg(f->g, slot);
  } else {
    pki_whiten_union(f->g, slot, f->path[slot]);
  }
}

/* ---- W ---- */

PKI_INLINE pki_m3 *pki_block(const pki_group *g, int i, int j)
{
  return (pki_m3 *)(void *)g->W + i * PKI_SLOTS + j;
}

/* W_ij = x, y, z by rows, and W_ji. */
PKI_INLINE void pki_set_block(const pki_group *g, int i, int j, pki_rows x, pki_rows y, pki_rows z)
{
  *pki_block(g, i, j) =
      (pki_m3){{x.v[0], x.v[1], x.v[2]}, {y.v[0], y.v[1], y.v[2]}, {z.v[0], z.v[1], z.v[2]}};
  *pki_block(g, j, i) =
      (pki_m3){{x.v[0], y.v[0], z.v[0]}, {x.v[1], y.v[1], z.v[1]}, {x.v[2], y.v[2], z.v[2]}};
}

/* W_ij = Y_i' Z_j of two feet over the n unknowns that they share. */
PKI_INLINE void pki_block_of_path(const pki_group *g, int i, int j, int n)
{
  const int *const path = g->plan->path + i * g->plan->depth;
  const pki_rows *const Y = pki_rows_of(g, g->Y, i), *const Z = pki_rows_of(g, g->Z, j);
  pki_rows x = pki_rows_zero(), y = x, z = x;
  PKI_UNROLL
  for (int e = 0; e < n; e++) {
    const pki_rows a = Y[path[e]], b = Z[path[e]];
    x = pki_rows_add(x, a.v[0], b);
    y = pki_rows_add(y, a.v[1], b);
    z = pki_rows_add(z, a.v[2], b);
  }
  pki_set_block(g, i, j, x, y, z);
}

/* The same of any two slots, i >= j: W_ij rounds differently from W_ji'. */
static void pki_slot_block(const pki_lanes *f, int i, int j)
{
  const pki_group *g = f->g;
  if (i < f->p->nball) {
    const int n = f->p->common[i][j];
    if (n == 6) {
      pki_block_of_path(g, i, j, 6);
    } else if (n == PKI_LEG) {
      pki_block_of_path(g, i, j, PKI_LEG);
    } else {
      pki_block_of_path(g, i, j, n);
    }
    return;
  }
  const pki_rows *const Y = pki_rows_of(g, g->Y, i), *const Z = pki_rows_of(g, g->Z, j);
  const pki_unknowns u = pki_unknowns_of(f->path[i] & f->path[j]);
  pki_rows x = pki_rows_zero(), y = x, z = x;
  for (int e = 0; e < u.n; e++) {
    const pki_rows a = Y[u.at[e]], b = Z[u.at[e]];
    x = pki_rows_add(x, a.v[0], b);
    y = pki_rows_add(y, a.v[1], b);
    z = pki_rows_add(z, a.v[2], b);
  }
  pki_set_block(g, i, j, x, y, z);
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

/* ---- box rows ---- */

PKI_INLINE pk_r *pki_box_rows_of(const pki_group *g, double *array, int box)
{
  return pki_out(array) + box * g->plan->model->nu;
}

PKI_INLINE pki_v3 *pki_cross_of(const pki_group *g, int slot, int box)
{
  return (pki_v3 *)(void *)g->cross + slot * PKI_BOXES + box;
}

/* Y and Z of a box slot, whose row in each lane is one coordinate. */
static void pki_box_whiten(const pki_lanes *f, int box)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  const pk_r *const M = pki_reals(g->work->M);
  const pki_unknowns u = pki_unknowns_of(f->box_path[box]);
  pk_r *const Y = pki_box_rows_of(g, g->box_Y, box), *const Z = pki_box_rows_of(g, g->box_Z, box);
  for (int e = 0; e < u.n; e++) {
    Y[u.at[e]] = pki_splat(0);
  }
  for (int l = 0; l < PKI_LANES; l++) {
    if (box < f->nbox[l]) {
      pki_set_lane(&Y[g->box[l][box].k], l, pki_lane(pki_reals(g->box_sign)[box], l));
    }
  }
  for (int e = u.n - 1; e >= 0; e--) {
    const int k = u.at[e], last = m->M_row[k + 1] - 1;
    const pk_r y = Y[k];
    for (int c = m->M_row[k]; c < last; c++) {
      Y[m->M_col[c]] -= M[c] * y;
    }
    Z[k] = M[last] * y;
  }
}

/* W of a contact slot and a box slot. */
static void pki_cross_block(const pki_lanes *f, int slot, int box)
{
  const pki_group *g = f->g;
  const pki_rows *const Y = pki_rows_of(g, g->Y, slot);
  const pk_r *const Z = pki_box_rows_of(g, g->box_Z, box);
  pki_v3 sum = pki_v3_zero();
  for (uint64_t bits = f->path[slot] & f->box_path[box]; bits != 0; bits &= bits - 1) {
    const int k = __builtin_ctzll(bits);
    sum = (pki_v3){sum.x + Y[k].v[0] * Z[k], sum.y + Y[k].v[1] * Z[k], sum.z + Y[k].v[2] * Z[k]};
  }
  *pki_cross_of(g, slot, box) = sum;
}

/* W of two box slots, i >= j; compliance on the diagonal. */
static void pki_box_block(const pki_lanes *f, int i, int j)
{
  const pki_group *g = f->g;
  const pk_r *const Y = pki_box_rows_of(g, g->box_Y, i), *const Z = pki_box_rows_of(g, g->box_Z, j);
  pk_r sum = pki_splat(0);
  for (uint64_t bits = f->box_path[i] & f->box_path[j]; bits != 0; bits &= bits - 1) {
    const int k = __builtin_ctzll(bits);
    sum += Y[k] * Z[k];
  }
  sum += i == j ? pki_reals(g->box_soft)[i] : pki_splat(0);
  pki_out(g->box_W)[i * PKI_BOXES + j] = pki_out(g->box_W)[j * PKI_BOXES + i] = sum;
}

/* ---- what impulses do ---- */

/* x [nu] = inv(L) (sum of Z r over active slots and boxes). */
static void pki_velocity_change_of(const pki_lanes *f, const double *r, const double *box_r, double *x)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pk_r *const sum = pki_out(x);
  for (int k = 0; k < p->model->nu; k++) {
    sum[k] = pki_splat(0);
  }
  for (PKI_EACH(s, f->in)) {
    const pki_rows *const Z = pki_rows_of(g, g->Z, s);
    const pki_v3 rb = pki_v3_load(pki_reals(r) + 3 * s);
    for (uint64_t bits = f->path[s]; bits != 0; bits &= bits - 1) {
      const int k = __builtin_ctzll(bits);
      sum[k] += Z[k].v[0] * rb.x + Z[k].v[1] * rb.y + Z[k].v[2] * rb.z;
    }
  }
  for (PKI_EACH(b, f->box_in)) {
    const pk_r *const Z = pki_box_rows_of(g, g->box_Z, b), rb = pki_reals(box_r)[b];
    for (uint64_t bits = f->box_path[b]; bits != 0; bits &= bits - 1) {
      const int k = __builtin_ctzll(bits);
      sum[k] += Z[k] * rb;
    }
  }
  g->dynamics->ltl_finish(g->work, x);
}

#endif
