/* Composite rigid bodies: the mass matrix (Walker, Orin 1982), and its factor M = L' D L, which
 * follows the tree and fills nothing (Featherstone 2005). Rows are those of the elimination
 * plan (pk_model.M_row, M_col). */
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"
#include "math/quad.h"

/* Where M_rc stands in the plan, r and c unknowns. */
static inline pk_r *entry(const pki_work *w, int r, int c)
{
  const pk_model *m = w->model;
  const int row = r > c ? r : c, col = r > c ? c : r;
  int e = m->M_row[row];
  while (m->M_col[e] != col) {
    e++;
  }
  return pki_out(w->M) + e;
}

/* S' f of a body's coordinates. */
PKI_INLINE void motion_products(const pki_work *w, int i, pki_v6 f, pk_r *value)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  const int motion = m->body_motion[i];
  if (motion <= PK_MOTION_PRISMATIC) {
    const pki_v3 s = pki_m3_col(&pose[i].R, m->body_axis[i]);
    value[0] = m->body_gain[i] * pki_dot(s, motion == PK_MOTION_PRISMATIC ? f.l : f.a);
  } else if (motion == PK_MOTION_SPHERICAL) {
    pki_v3_store(pki_m3_apply_t(pose[i].R, f.a), value);
  } else {
    const pki_m3 RJ = pki_joint_frame(m, i, &pose[m->body_parent[i]].R);
    pki_v3_store(pki_m3_apply_t(RJ, f.l), value);
    pki_v3_store(pki_m3_apply_t(pose[i].R, f.a), value + 3);
  }
}

/* The part of M that coordinate c of a body has with its own and its ancestors' coordinates, as the
 * walk to the root meets them. On a tree that is the end of the coordinate's row, from the last body
 * back; bilateral constraints stand before it. With followers several bodies share a coordinate: entries
 * are looked up and add up, and one that a body has with an ancestor of the same coordinate counts for
 * both orders. */
PKI_INLINE void fill_row(const pki_work *w, int body, int c, int shared)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  const int row = m->body_u[body] + c;
  pk_r *out = pki_out(w->M) + m->M_row[m->plan_u[row] + 1];
  int linear;
  const pki_v3 s = pki_column(w, body, c, &linear);
  pki_v6 f = pki_rigid_apply(&pki_rigids(w)[body], s, linear);
  int i = body, count = c + 1;
  for (;;) {
    pk_r value[6];
    motion_products(w, i, f, value);
    out -= count;
    for (int e = 0; e < count; e++) {
      if (shared) {
        const int col = m->body_u[i] + e;
        *entry(w, m->plan_u[row], m->plan_u[col]) += row == col && i != body ? value[e] + value[e] : value[e];
      } else {
        out[e] = value[e];
      }
    }
    if (m->body_parent[i] < 0) {
      return;
    }
    f = pki_force_to_foot(f, pose[i].r);
    i = m->body_parent[i];
    count = pki_motion_nu(m->body_motion[i]);
  }
}

void PKI_NAME(crba)(pki_work *w)
{
  const pk_model *m = w->model;
  pk_r *const M = pki_out(w->M);
  pki_compose(w);
  if (m->has_mimic || m->nplan > m->nu) {
    for (int e = 0; e < m->nM; e++) {
      M[e] = pki_splat(0);
    }
    /* the unknowns of constraints stand alone until their rows are written */
    for (int k = 0; k < m->nplan; k++) {
      M[m->M_row[k + 1] - 1] = pki_splat(1);
    }
    for (int k = 0; k < m->nu; k++) {
      M[m->M_row[m->plan_u[k] + 1] - 1] = pki_splat(0);
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      if (m->has_mimic) {
        fill_row(w, i, c, 1);
      } else {
        fill_row(w, i, c, 0);
      }
    }
  }
  for (int k = 0; k < m->nu; k++) {
    M[m->M_row[m->plan_u[k] + 1] - 1] += pki_reals(w->diag)[k];
  }
}

/* Row i loses a times the first part of row k, both up to column i. On a tree row i is that
 * part of row k, entry by entry; with fill its columns are a subset of row i's. */
static inline void subtract_row(const pk_model *m, pk_r *M, int i, int k, int count, pk_r a)
{
  pk_r *const to = M + m->M_row[i];
  const pk_r *const from = M + m->M_row[k];
  if (m->M_row[i + 1] - m->M_row[i] == count) {
    int e = 0;
    for (; e + 4 <= count; e += 4) {
      pki_quad *const part = (pki_quad *)(void *)(to + e);
      *part = pki_quad_add_scaled(*part, -a, *(const pki_quad *)(const void *)(from + e));
    }
    if (e + 2 <= count) {
      to[e] -= a * from[e], to[e + 1] -= a * from[e + 1];
      e += 2;
    }
    if (e < count) {
      to[e] -= a * from[e];
    }
    return;
  }
  const int *const cols = m->M_col + m->M_row[i], *const mine = m->M_col + m->M_row[k];
  for (int e = 0, t = 0; e < count; e++) {
    while (cols[t] != mine[e]) {
      t++;
    }
    to[t] -= a * from[e];
  }
}

void PKI_NAME(ltl_factor)(pki_work *w)
{
  const pk_model *m = w->model;
  pk_r *const M = pki_out(w->M);
  for (int k = m->nplan - 1; k >= 0; k--) {
    pk_r *const row = M + m->M_row[k];
    const int *const cols = m->M_col + m->M_row[k];
    const int n = m->M_row[k + 1] - m->M_row[k] - 1;
    const pk_r dinv = 1.0 / row[n];
    for (int e = n - 1; e >= 0; e--) {
      /* columns after e are done with; e itself is still M_ke here */
      const pk_r a = row[e] * dinv;
      subtract_row(m, M, cols[e], k, e + 1, a);
      row[e] = a;
    }
    row[n] = dinv;
  }
}

void PKI_NAME(ltl_finish)(const pki_work *w, double *x)
{
  const pk_model *m = w->model;
  const pk_r *const L = pki_reals(w->M);
  pk_r *const y = pki_out(x);
  for (int k = 0; k < m->nplan; k++) {
    const int from = m->M_row[k], n = m->M_row[k + 1] - from - 1;
    pk_r sum = y[k];
    for (int e = 0; e < n; e++) {
      sum -= L[from + e] * y[m->M_col[from + e]];
    }
    y[k] = sum;
  }
}

void PKI_NAME(ltl_solve)(const pki_work *w, double *x)
{
  const pk_model *m = w->model;
  const pk_r *const L = pki_reals(w->M);
  pk_r *const y = pki_out(x);
  /* L' from the last row up, then D, then L from the first row down */
  for (int k = m->nplan - 1; k >= 0; k--) {
    const int from = m->M_row[k], n = m->M_row[k + 1] - from - 1;
    const pk_r yk = y[k];
    for (int e = 0; e < n; e++) {
      y[m->M_col[from + e]] -= L[from + e] * yk;
    }
    y[k] = L[from + n] * yk;
  }
  PKI_NAME(ltl_finish)(w, x);
}
