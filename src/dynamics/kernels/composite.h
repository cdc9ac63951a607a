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
    return pki_scale(pki_splat(m->body_gain[i]), pki_m3_col(&pose[i].R, m->body_axis[i]));
  }
  *linear = m->body_motion[i] == PK_MOTION_FLOATING && c < 3;
  if (*linear) {
    const pki_m3 RJ = pki_joint_frame(m, i, &pose[m->body_parent[i]].R);
    return pki_m3_col(&RJ, c);
  }
  return pki_m3_col(&pose[i].R, c % 3);
}

#endif
