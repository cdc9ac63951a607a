/* Composite rigid bodies: inertia of whole subtrees, world axes, at each body's origin. */
#ifndef PKI_DYNAMICS_COMPOSITE_H
#define PKI_DYNAMICS_COMPOSITE_H

#include "dynamics/kernels/body.h"

/* sum + b seen from the foot of r:
 *   h' = h + m r,   I' = I + (2 r.h + m r.r) 1 - (r h' + h r') with h' above */
PKI_INLINE pki_rigid pki_rigid_add_shifted(pki_rigid sum, pki_rigid b, pki_v3 r)
{
  const pki_v3 h = pki_add_scaled(b.h, b.m, r);
  const pk_r t = pki_dot(r, b.h) + pki_dot(r, h);
  sum.m += b.m;
  sum.h = pki_add(sum.h, h);
  sum.I.xx += b.I.xx + (t - r.x * h.x - b.h.x * r.x);
  sum.I.xy += b.I.xy - (r.x * h.y + b.h.x * r.y);
  sum.I.xz += b.I.xz - (r.x * h.z + b.h.x * r.z);
  sum.I.yy += b.I.yy + (t - r.y * h.y - b.h.y * r.y);
  sum.I.yz += b.I.yz - (r.y * h.z + b.h.y * r.z);
  sum.I.zz += b.I.zz + (t - r.z * h.z - b.h.z * r.z);
  return sum;
}

/* Force of a unit acceleration along s. */
PKI_INLINE pki_v6 pki_rigid_apply(const pki_rigid *b, pki_v3 s, int linear)
{
  return linear ? (pki_v6){pki_cross(b->h, s), pki_scale(b->m, s)}
                : (pki_v6){pki_s3_apply(b->I, s), pki_cross(s, b->h)};
}

/* Composite inertias of all subtrees. */
PKI_INLINE void pki_compose(pki_work *w)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  pki_rigid *const rigid = pki_rigids(w);
  for (int i = 0; i < m->nbody; i++) {
    rigid[i] = pki_body_rigid(w, i, &pose[i].R);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    if (p >= 0) {
      rigid[p] = pki_rigid_add_shifted(rigid[p], rigid[i], pose[i].r);
    }
  }
}

/* Coordinate c of body i: its direction in world axes, gain included. */
PKI_INLINE pki_v3 pki_column(const pki_work *w, int i, int c, int *linear)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  if (m->body_motion[i] <= PK_MOTION_PRISMATIC) {
    *linear = m->body_motion[i] == PK_MOTION_PRISMATIC;
    return pki_scale(pki_splat(m->body_gain[i]), pki_column_at(&pose[i].R, m->body_axis[i]));
  }
  *linear = m->body_motion[i] == PK_MOTION_FLOATING && c < 3;
  if (*linear) {
    const pki_m3 *const Rp = &pose[m->body_parent[i]].R;
    if (m->body_turned[i]) {
      const pki_m3 RJ = pki_joint_frame(m, i, Rp);
      return pki_m3_col(&RJ, c);
    }
    return pki_column_at(Rp, c);
  }
  return pki_column_at(&pose[i].R, c % 3);
}

/* Where M_rc stands in the plan, r and c unknowns. */
PKI_INLINE pk_r *pki_entry(const pki_work *w, int r, int c)
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
PKI_INLINE void pki_motion_products(const pki_work *w, int i, pki_v6 f, pk_r *value)
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
    pki_v3_store(pki_into_joint(m, i, &pose[m->body_parent[i]].R, f.l), value);
    pki_v3_store(pki_m3_apply_t(pose[i].R, f.a), value + 3);
  }
}

/* The part of M that coordinate c of a body has with its own and its ancestors' coordinates, as the
 * walk to the root meets them. On a tree that is the end of the coordinate's row, from the last body
 * back; bilateral constraints stand before it. With followers several bodies share a coordinate: entries
 * are looked up and add up, and one that a body has with an ancestor of the same coordinate counts for
 * both orders. */
PKI_INLINE void pki_fill_row(const pki_work *w, int body, int c, int shared)
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
    pki_motion_products(w, i, f, value);
    out -= count;
    for (int e = 0; e < count; e++) {
      if (shared) {
        const int col = m->body_u[i] + e;
        *pki_entry(w, m->plan_u[row], m->plan_u[col]) +=
            row == col && i != body ? value[e] + value[e] : value[e];
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

#endif
