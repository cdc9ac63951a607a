/* One body at a time: the steps that the recursions share, over the lane type.
 *
 * World axes everywhere; a body's vectors are taken at its own origin. Between a body and its
 * parent there is then only the offset r, never a rotation. */
#ifndef PKI_DYNAMICS_BODY_H
#define PKI_DYNAMICS_BODY_H

#include "dynamics/kernels.h"
#include "math/lane3.h"
#include "model/motion.h"

/* The arrays of pki_work in the lane type. */
typedef struct pki_pose_r {
  pki_m3 R; /* body to world */
  pki_v3 r; /* from the parent's origin to the body's */
} pki_pose_r;

typedef struct pki_artic {
  pki_s3 A; /* moment by angular acceleration */
  pki_m3 B; /* moment by linear acceleration */
  pki_s3 C; /* force by linear acceleration */
} pki_artic;

typedef struct pki_rigid {
  pk_r m;
  pki_v3 h; /* m c */
  pki_s3 I; /* about the origin */
} pki_rigid;

typedef struct pki_axis_factor {
  pki_v6 UD; /* IA S / D */
  pk_r Dinv, rest;
} pki_axis_factor;

PKI_INLINE pki_pose_r *pki_poses(const pki_work *w)
{
  return (pki_pose_r *)(void *)w->pose + 1;
}

PKI_INLINE pki_v3 *pki_origins(const pki_work *w)
{
  return (pki_v3 *)(void *)w->origin + 1;
}

PKI_INLINE pki_rigid *pki_rigids(const pki_work *w)
{
  return (pki_rigid *)(void *)w->rigid + 1;
}

PKI_INLINE pki_v6 *pki_v6s(double *array)
{
  return (pki_v6 *)(void *)array + 1;
}

PKI_INLINE const pk_r *pki_reals(const double *array)
{
  return (const pk_r *)(const void *)array;
}

PKI_INLINE pk_r *pki_out(double *array)
{
  return (pk_r *)(void *)array;
}

/* c a + s b */
PKI_INLINE pki_v3 pki_blend(pk_r c, pki_v3 a, pk_r s, pki_v3 b)
{
  return (pki_v3){c * a.x + s * b.x, c * a.y + s * b.y, c * a.z + s * b.z};
}

/* A frame turned about its own axis k: of the other two columns a, b (in cyclic order) the first goes
 * to c a + s b, the second to c b - s a. */
PKI_INLINE pki_m3 pki_turn_about(pki_m3 R, int k, pk_r s, pk_r c)
{
  const pki_v3 x = pki_m3_col(&R, 0), y = pki_m3_col(&R, 1), z = pki_m3_col(&R, 2);
  switch (k) {
  case 0: return pki_m3_from_cols(x, pki_blend(c, y, s, z), pki_blend(c, z, -s, y));
  case 1: return pki_m3_from_cols(pki_blend(c, x, -s, z), y, pki_blend(c, z, s, x));
  default: return pki_m3_from_cols(pki_blend(c, x, s, y), pki_blend(c, y, -s, x), z);
  }
}

/* The joint frame of body i before it moves, in world axes. */
PKI_INLINE pki_m3 pki_joint_frame(const pk_model *m, int i, const pki_m3 *Rp)
{
  return m->body_turned[i] ? pki_m3_mul_plain(*Rp, m->body_rot + 9 * (size_t)i) : *Rp;
}

/* A vector in the joint frame of body i, from world axes and back. Frames of the world that are not turned are the world's. */
PKI_INLINE pki_v3 pki_into_joint(const pk_model *m, int i, const pki_m3 *Rp, pki_v3 v)
{
  if (m->body_turned[i]) {
    return pki_m3_apply_t(pki_joint_frame(m, i, Rp), v);
  }
  return m->body_parent[i] < 0 ? v : pki_m3_apply_t(*Rp, v);
}

PKI_INLINE pki_v3 pki_out_of_joint(const pk_model *m, int i, const pki_m3 *Rp, pki_v3 v)
{
  if (m->body_turned[i]) {
    return pki_m3_apply(pki_joint_frame(m, i, Rp), v);
  }
  return m->body_parent[i] < 0 ? v : pki_m3_apply(*Rp, v);
}

/* A frame turned about its own axis k, from memory to memory (pki_turn_about). */
PKI_INLINE void pki_turn_into(const pki_m3 *from, int k, pk_r s, pk_r c, pki_m3 *to)
{
  static const int next[5] = {0, 1, 2, 0, 1};
  const int a = next[k + 1], b = next[k + 2];
  const pk_r *const x = (const pk_r *)(const void *)from;
  pk_r *const y = (pk_r *)(void *)to;
  PKI_UNROLL
  for (int row = 0; row < 9; row += 3) {
    const pk_r xa = x[row + a], xb = x[row + b];
    y[row + k] = x[row + k];
    y[row + a] = c * xa + s * xb;
    y[row + b] = c * xb - s * xa;
  }
}

/* Column k of a frame in memory. */
PKI_INLINE pki_v3 pki_column_at(const pki_m3 *R, int k)
{
  const pk_r *const x = (const pk_r *)(const void *)R;
  return (pki_v3){x[k], x[3 + k], x[6 + k]};
}

/* Pose of a hinge's body at q, in place. */
PKI_INLINE void pki_place_hinge(const pki_work *w, int i, pk_r q)
{
  const pk_model *m = w->model;
  pki_pose_r *const pose = pki_poses(w) + i;
  const pki_m3 *const Rp = &pki_poses(w)[m->body_parent[i]].R;
  pk_r s, c;
  pki_sincos(m->body_gain[i] * q + m->body_offset[i], &s, &c);
  if (m->body_turned[i]) {
    const pki_m3 frame = pki_m3_mul_plain(*Rp, m->body_rot + 9 * (size_t)i);
    pki_turn_into(&frame, m->body_axis[i], s, c, &pose->R);
  } else {
    pki_turn_into(Rp, m->body_axis[i], s, c, &pose->R);
  }
  pose->r = pki_m3_apply_plain(*Rp, m->body_pos + 3 * (size_t)i);
}

/* Pose of body i from its parent's and its own coordinates. */
PKI_INLINE pki_pose_r pki_joint_pose(const pk_model *m, int i, const pki_m3 *Rp, const pk_r *qi)
{
  const pki_m3 RJ = pki_joint_frame(m, i, Rp);
  pki_pose_r out;
  out.r = pki_m3_apply_plain(*Rp, m->body_pos + 3 * (size_t)i);
  switch (m->body_motion[i]) {
  case PK_MOTION_REVOLUTE: {
    pk_r s, c;
    pki_sincos(m->body_gain[i] * qi[0] + m->body_offset[i], &s, &c);
    out.R = pki_turn_about(RJ, m->body_axis[i], s, c);
    break;
  }
  case PK_MOTION_PRISMATIC:
    out.R = RJ;
    out.r =
        pki_add_scaled(out.r, m->body_gain[i] * qi[0] + m->body_offset[i], pki_m3_col(&RJ, m->body_axis[i]));
    break;
  case PK_MOTION_SPHERICAL: out.R = pki_m3_mul(RJ, pki_m3_from_quat(qi)); break;
  default:
    out.R = pki_m3_mul(RJ, pki_m3_from_quat(qi + 3));
    out.r = pki_add(out.r, pki_m3_apply(RJ, pki_v3_load(qi)));
  }
  return out;
}

/* The same from all coordinates. */
PKI_INLINE pki_pose_r pki_body_pose(const pk_model *m, int i, const pki_m3 *Rp, const pk_r *q)
{
  return pki_joint_pose(m, i, Rp, q + m->body_q[i]);
}

/* The joint's own velocity in world axes, from its own velocities: angular and linear parts of S u. */
PKI_INLINE pki_v6 pki_joint_twist(const pk_model *m, int i, const pki_m3 *Rp, const pki_m3 *R, const pk_r *xi)
{
  switch (m->body_motion[i]) {
  case PK_MOTION_REVOLUTE:
    return (pki_v6){pki_scale(m->body_gain[i] * xi[0], pki_m3_col(R, m->body_axis[i])), pki_v3_zero()};
  case PK_MOTION_PRISMATIC:
    return (pki_v6){pki_v3_zero(), pki_scale(m->body_gain[i] * xi[0], pki_m3_col(R, m->body_axis[i]))};
  case PK_MOTION_SPHERICAL: return (pki_v6){pki_m3_apply(*R, pki_v3_load(xi)), pki_v3_zero()};
  default:
    return (pki_v6){pki_m3_apply(*R, pki_v3_load(xi + 3)), pki_out_of_joint(m, i, Rp, pki_v3_load(xi))};
  }
}

/* The same from all velocities. */
PKI_INLINE pki_v6 pki_joint_rate(const pk_model *m, int i, const pki_m3 *Rp, const pki_m3 *R, const pk_r *x)
{
  return pki_joint_twist(m, i, Rp, R, x + m->body_u[i]);
}

/* The same projection the other way, to the joint's own forces: x_i += S' f. */
PKI_INLINE void pki_joint_feel(const pk_model *m, int i, const pki_m3 *Rp, const pki_m3 *R, pki_v6 f,
                               pk_r *xi)
{
  switch (m->body_motion[i]) {
  case PK_MOTION_REVOLUTE: xi[0] += m->body_gain[i] * pki_dot(pki_m3_col(R, m->body_axis[i]), f.a); break;
  case PK_MOTION_PRISMATIC: xi[0] += m->body_gain[i] * pki_dot(pki_m3_col(R, m->body_axis[i]), f.l); break;
  case PK_MOTION_SPHERICAL: pki_v3_store(pki_add(pki_v3_load(xi), pki_m3_apply_t(*R, f.a)), xi); break;
  default:
    pki_v3_store(pki_add(pki_v3_load(xi), pki_into_joint(m, i, Rp, f.l)), xi);
    pki_v3_store(pki_add(pki_v3_load(xi + 3), pki_m3_apply_t(*R, f.a)), xi + 3);
  }
}

PKI_INLINE void pki_joint_project(const pk_model *m, int i, const pki_m3 *Rp, const pki_m3 *R, pki_v6 f,
                                  pk_r *x)
{
  pki_joint_feel(m, i, Rp, R, f, x + m->body_u[i]);
}

/* Velocity of a body from its parent's: S u given. */
PKI_INLINE pki_v6 pki_body_twist(pki_v6 parent, pki_v3 r, pki_v6 rate)
{
  return (pki_v6){pki_add(parent.a, rate.a), pki_add(pki_add_cross(parent.l, parent.a, r), rate.l)};
}

/* Acceleration of a body with du/dt = 0: the parent's, and the velocity products
 *   alpha = alpha_p + w_p x rate_w
 *   acc   = acc_p + alpha_p x r + w_p x (w_p x r + 2 rate_v) */
PKI_INLINE pki_v6 pki_body_accel(pki_v6 parent, pki_v3 wp, pki_v3 r, pki_v6 rate)
{
  const pki_v3 arm = pki_add_cross(pki_add(rate.l, rate.l), wp, r);
  return (pki_v6){pki_add_cross(parent.a, wp, rate.a),
                  pki_add_cross(pki_add_cross(parent.l, parent.a, r), wp, arm)};
}

/* The body's inertia in world axes at its origin. */
PKI_INLINE pki_rigid pki_body_rigid(const pki_work *w, int i, const pki_m3 *R)
{
  const pk_r *in = pki_reals(w->params.inertia) + 10 * (size_t)i;
  const pki_s3 I = {in[4], in[5], in[6], in[7], in[8], in[9]};
  return (pki_rigid){in[0], pki_m3_apply(*R, pki_v3_load(in + 1)), pki_s3_rotate(*R, I)};
}

/* Force of inertia about the origin:
 *   n = I alpha + h x acc + w x I w,   f = m acc + alpha x h + w x (w x h) */
PKI_INLINE pki_v6 pki_rigid_force(pki_rigid b, pki_v3 w, pki_v6 accel)
{
  const pki_v3 Iw = pki_s3_apply(b.I, w);
  const pki_v3 n = pki_add_cross(pki_add_cross(pki_s3_apply(b.I, accel.a), b.h, accel.l), w, Iw);
  const pki_v3 f = pki_add_cross(pki_scale(b.m, accel.l), accel.a, b.h);
  return (pki_v6){n, pki_add_cross(f, w, pki_cross(w, b.h))};
}

/* The same with the moments taken in body axes, where the inertia need not be turned: I about the origin there, h = m c in
 * world axes. */
PKI_INLINE pki_v6 pki_inertia_force(pk_r m, pki_v3 h, pki_s3 I, const pki_m3 *R, pki_v3 w, pki_v6 accel)
{
  const pki_v3 wb = pki_m3_apply_t(*R, w), ab = pki_m3_apply_t(*R, accel.a);
  const pki_v3 nb = pki_add_cross(pki_s3_apply(I, ab), wb, pki_s3_apply(I, wb));
  const pki_v3 f = pki_add_cross(pki_scale(m, accel.l), accel.a, h);
  return (pki_v6){pki_add_cross(pki_m3_apply(*R, nb), h, accel.l), pki_add_cross(f, w, pki_cross(w, h))};
}

PKI_INLINE pki_v6 pki_body_force(const pki_work *wk, int i, const pki_m3 *R, pki_v3 w, pki_v6 accel)
{
  const pk_r *in = pki_reals(wk->params.inertia) + 10 * (size_t)i;
  const pki_s3 I = {in[4], in[5], in[6], in[7], in[8], in[9]};
  return pki_inertia_force(in[0], pki_m3_apply(*R, pki_v3_load(in + 1)), I, R, w, accel);
}

/* The world's entries, index -1. */
PKI_INLINE void pki_world_pose(pki_work *w)
{
  pki_poses(w)[-1] = (pki_pose_r){pki_m3_identity(), pki_v3_zero()};
  pki_origins(w)[-1] = pki_v3_zero();
}

/* The world accelerates upwards, which is how gravity enters. */
PKI_INLINE pki_v6 pki_world_accel(const pki_work *w)
{
  const pk_r *g = pki_reals(w->params.gravity);
  return (pki_v6){pki_v3_zero(), {-g[0], -g[1], -g[2]}};
}

#endif
