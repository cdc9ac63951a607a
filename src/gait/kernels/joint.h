/* Bodies on any joint: arms, and legs that are not plain. The axes of a body's parent are taken for the world of its joint. */
#ifndef PKI_GAIT_JOINT_H
#define PKI_GAIT_JOINT_H

#include "gait/kernels/limb.h"

/* Pose and velocity of the body of row j, and what velocities alone accelerate; q and u are the robot's. */
PKI_INLINE void pki_limb_move(const pki_gait_group *g, int j, const pk_r *q, const pk_r *u, pki_limb *limbs)
{
  const pk_model *m = g->model;
  const int i = g->c->body + j;
  const pki_m3 level = pki_m3_identity();
  pki_limb *const b = &limbs[j], *const parent = &limbs[g->c->bodies[j].parent];
  const pki_pose_r at = pki_joint_pose(m, i, &level, q + (m->body_q[i] - m->robots[g->c->robot].q));
  b->E = at.R, b->r = at.r;
  b->rate = pki_joint_twist(m, i, &level, &at.R, u + (m->body_u[i] - g->c->u));
  b->drift = pki_body_accel(pki_v6_zero(), parent->w, at.r, b->rate);
  b->w = pki_m3_apply_t(at.R, pki_add(parent->w, b->rate.a));
  b->S = pki_v3_splat(g->c->bodies[j].first_moment), b->P = pki_v3_zero();
}

/* What a body adds to its parent's first moment and momentum. */
PKI_INLINE void pki_limb_weigh(const pki_locomotion *c, int j, pki_limb *limbs)
{
  const pki_limb *b = &limbs[j];
  pki_limb *const parent = &limbs[c->bodies[j].parent];
  const pki_v3 S = pki_m3_apply(b->E, b->S), P = pki_m3_apply(b->E, b->P);
  const pk_r mass = pki_splat(c->bodies[j].subtree_mass);
  parent->S = pki_add(parent->S, pki_add_scaled(S, mass, b->r));
  parent->P = pki_add(parent->P, pki_add_scaled(pki_add_cross(P, b->rate.a, S), mass, b->rate.l));
}

/* The foot of a leg that is not plain, as pki_leg_reach does it. */
PKI_INLINE void pki_limb_reach(const pki_gait_group *g, const pki_leg *leg, const pki_limb *limbs,
                               pki_leg_r *s)
{
  const pk_model *m = g->model;
  pki_v3 at = pki_v3_splat(leg->at);
  for (int k = 2; k >= 0; k--) {
    const pki_limb *b = &limbs[leg->row[k]];
    const int i = leg->body[k];
    at = pki_m3_apply(b->E, at);
    for (int j = k + 1; j < 3; j++) {
      s->column[j] = pki_m3_apply(b->E, s->column[j]);
      s->axis[j] = pki_m3_apply(b->E, s->axis[j]);
    }
    s->axis[k] = pki_scale(pki_splat(m->body_gain[i]), pki_m3_col(&b->E, m->body_axis[i]));
    s->column[k] = pki_cross(s->axis[k], at);
    at = pki_add(at, b->r);
  }
  s->arm = at;
}

/* The whole acceleration of a body, and its force of inertia; a is that of the robot's velocities. */
PKI_INLINE void pki_limb_accelerate(const pki_gait_group *g, int j, const pk_r *a, pki_limb *limbs)
{
  const int i = g->c->body + j;
  const pki_m3 level = pki_m3_identity();
  pki_limb *const b = &limbs[j], *const parent = &limbs[g->c->bodies[j].parent];
  const pki_v6 own = pki_joint_twist(g->model, i, &level, &b->E, a + (g->model->body_u[i] - g->c->u));
  const pki_v6 tip = pki_v6_add(pki_v6_add(pki_motion_to_tip(parent->accel, b->r), b->drift), own);
  b->accel = (pki_v6){pki_m3_apply_t(b->E, tip.a), pki_m3_apply_t(b->E, tip.l)};
  b->force = pki_rigid_force(pki_body_own(&g->c->bodies[j]), b->w, b->accel);
}

/* Its force to the joint's rows and to its parent. */
PKI_INLINE void pki_limb_hand_on(const pki_gait_group *g, int j, pki_limb *limbs, pk_r *need)
{
  const int i = g->c->body + j;
  const pki_m3 level = pki_m3_identity();
  const pki_limb *b = &limbs[j];
  pki_limb *const parent = &limbs[g->c->bodies[j].parent];
  const pki_v6 f = {pki_m3_apply(b->E, b->force.a), pki_m3_apply(b->E, b->force.l)};
  pki_joint_feel(g->model, i, &level, &b->E, f, need + (g->model->body_u[i] - g->c->u));
  parent->force = pki_v6_add(parent->force, pki_force_to_foot(f, b->r));
}

#endif
