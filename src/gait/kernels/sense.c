/* What is seen: one pass over the robot's bodies gives all that an update needs of them. */
#include "dynamics/kernels/composite.h"
#include "gait/kernels/declare.h"
#include "gait/kernels/joint.h"
#include "gait/kernels/leg.h"

enum { COORDINATES = 7 * PKI_GAIT_BODIES };

/* The robot's part of a state, q or u. */
static inline void pick_range(const double *const *state, int first, int count, pk_r *out)
{
  const double *from[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    from[l] = state[l] + first;
  }
  pki_gather(from, count, (double *)out);
}

/* The trunk is free: its coordinates are its place and quaternion, its velocities those of the world and of its axes. */
static inline void place_trunk(const pki_gait_group *g, const pk_r *q, const pk_r *u, pki_gait_scene *s)
{
  pki_limb *const trunk = &s->limbs[0];
  s->R = pki_m3_from_quat(q + 3);
  s->pos = pki_v3_load(q);
  s->vel = pki_v3_load(u);
  s->heading = pki_atan2(s->R.y.x, s->R.x.x);
  trunk->w = pki_v3_load(u + 3);
  trunk->S = pki_v3_splat(g->c->bodies[0].first_moment), trunk->P = pki_v3_zero();
  pki_put(g, &g->walk[0]->heading, s->heading);
}

/* The state of the legs' hinges. Sines of all in one loop keep their constants in registers. */
static inline void place_hinges(const pki_locomotion *c, const pk_r *q, const pk_r *u, pki_gait_scene *s)
{
  for (int i = 0; i < c->leg_count; i++) {
    const pki_leg *leg = &c->legs[i];
    pki_leg_r *const to = &s->legs[i];
    for (int k = 0; k < 3; k++) {
      to->q[k] = q[leg->q_at[k]];
      to->u[k] = u[leg->u_at[k]];
      pki_sincos(to->q[k] + leg->offset[k], &to->sine[k], &to->cosine[k]);
    }
  }
}

/* How a foot moves and accelerates by velocities alone. The column J_k of a hinge turns with the hinges above it: with
 * v_k = u_k J_k + ... + u_2 J_2, of the hinges from k on, and w of the trunk,
 *   dJ/dt u = sum u_k axis_k x (v_k + v_(k+1)) + w x (2 v_0 + w x arm) */
static inline void find_bias(pki_v3 w, pki_leg_r *leg)
{
  const pki_v3 v2 = pki_scale(leg->u[2], leg->column[2]), v1 = pki_add_scaled(v2, leg->u[1], leg->column[1]);
  const pki_v3 v0 = pki_add_scaled(v1, leg->u[0], leg->column[0]);
  pki_v3 sum = pki_cross(w, pki_add_cross(pki_add(v0, v0), w, leg->arm));
  sum = pki_add_cross(sum, leg->axis[0], pki_scale(leg->u[0], pki_add(v0, v1)));
  sum = pki_add_cross(sum, leg->axis[1], pki_scale(leg->u[1], pki_add(v1, v2)));
  leg->bias = pki_add_cross(sum, leg->axis[2], pki_scale(leg->u[2], v2));
  leg->velocity_by_hinges = v0;
}

static inline void place_leg(const pki_gait_group *g, int i, pki_gait_scene *s)
{
  const pki_locomotion *c = g->c;
  const pki_leg *leg = &c->legs[i];
  pki_leg_r *const to = &s->legs[i];
  if (leg->plain) {
    pki_leg_reach(c, leg, to);
    pki_leg_weigh(c, leg, to, &s->limbs[0]);
  } else {
    pki_limb_reach(g, leg, s->limbs, to);
  }
  find_bias(s->limbs[0].w, to);
  to->pos = pki_add(s->pos, pki_m3_apply(s->R, to->arm));
}

void PKI_NAME(gait_sense)(const pki_gait_group *g, double *scratch)
{
  const pki_locomotion *c = g->c;
  const pk_model_robot *robot = &g->model->robots[c->robot];
  pki_gait_scene *const s = (pki_gait_scene *)(void *)scratch;
  pki_limb *const trunk = &s->limbs[0];
  pk_r q[COORDINATES], u[COORDINATES];
  pick_range(g->q, robot->q, robot->nq, q);
  pick_range(g->u, robot->u, robot->nu, u);
  place_trunk(g, q, u, s);
  for (int j = 0; j < c->other_count; j++) {
    pki_limb_move(g, c->others[j], q, u, s->limbs);
  }
  for (int j = c->other_count - 1; j >= 0; j--) {
    pki_limb_weigh(c, c->others[j], s->limbs);
  }
  place_hinges(c, q, u, s);
  for (int i = 0; i < c->leg_count; i++) {
    place_leg(g, i, s);
  }
  const pk_r share = pki_splat(1 / c->bodies[0].subtree_mass);
  const pki_v3 P = pki_add_cross(trunk->P, trunk->w, trunk->S);
  s->com = pki_add_scaled(s->pos, share, pki_m3_apply(s->R, trunk->S));
  s->com_vel = pki_add_scaled(s->vel, share, pki_m3_apply(s->R, P));
}

/* Rotations of all bodies into the trunk's axes, and their origins from the trunk's. */
static inline void pose_bodies(const pki_gait_group *g, const pki_gait_scene *s, pki_pose_r *pose)
{
  const pki_locomotion *c = g->c;
  pose[0] = (pki_pose_r){pki_m3_identity(), pki_v3_zero()};
  for (int j = 0; j < c->other_count; j++) {
    const int at = c->others[j];
    const pki_pose_r *parent = &pose[c->bodies[at].parent];
    pose[at].R = pki_m3_mul(parent->R, s->limbs[at].E);
    pose[at].r = pki_add(parent->r, pki_m3_apply(parent->R, s->limbs[at].r));
  }
  for (int i = 0; i < c->leg_count; i++) {
    const pki_leg_r *leg = &s->legs[i];
    for (int k = 0; k < 3 && c->legs[i].plain; k++) {
      const int at = c->legs[i].row[k];
      const pki_pose_r *parent = &pose[c->bodies[at].parent];
      pose[at].R = pki_turn_about(parent->R, k > 0, leg->sine[k], leg->cosine[k]);
      pose[at].r = pki_add(parent->r, pki_m3_apply_plain(parent->R, c->bodies[at].r));
    }
  }
}

/* The robot as one body in this pose: about its mass, in the trunk's axes. */
static inline pki_s3 composite_inertia(const pki_gait_group *g, const pki_gait_scene *s)
{
  const pki_locomotion *c = g->c;
  const pk_r zero = pki_splat(0);
  const pki_v3 com = pki_m3_apply_t(s->R, pki_sub(s->com, s->pos));
  pki_rigid sum = {zero, pki_v3_zero(), {zero, zero, zero, zero, zero, zero}};
  pki_pose_r pose[PKI_GAIT_BODIES];
  pose_bodies(g, s, pose);
  for (int j = 0; j < c->body_count; j++) {
    const pki_rigid own = pki_body_own(&c->bodies[j]);
    const pki_rigid turned = {own.m, pki_m3_apply(pose[j].R, own.h), pki_s3_rotate(pose[j].R, own.I)};
    sum = pki_rigid_add_shifted(sum, turned, pki_sub(pose[j].r, com));
  }
  return sum.I;
}

/* The largest normal force that each leg can give where it stands now, by its joints' efforts; the least of them, in
 * weights. */
static inline pk_r leg_strength(const pki_gait_group *g, const pki_gait_scene *s)
{
  const double weight = g->c->mass * g->c->gravity;
  pk_r force = pki_splat(PKI_FOOT_HEAVY * weight);
  for (int i = 0; i < 3 * g->c->leg_count; i++) {
    const double effort = g->model->dof_effort[g->c->legs[i / 3].u[i % 3]];
    const pk_r arm = pki_abs(pki_dot(s->R.z, s->legs[i / 3].column[i % 3]));
    force = pki_select(pki_less(pki_splat(effort), arm * force), effort / arm, force);
  }
  return force / weight;
}

void PKI_NAME(gait_weigh)(const pki_gait_group *g, const double *scratch)
{
  const pki_gait_scene *s = (const pki_gait_scene *)(const void *)scratch;
  const pki_s3 I = composite_inertia(g, s);
  const pk_r force = leg_strength(g, s), full[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
  for (int l = 0; l < PKI_LANES; l++) {
    if (g->walk[l]->awake) {
      continue;
    }
    g->walk[l]->strength = pki_lane(force, l);
    for (int i = 0; i < g->c->leg_count; i++) {
      const pki_v3 pos = s->legs[i].pos;
      double *const from = g->walk[l]->feet[i].from;
      from[0] = pki_lane(pos.x, l), from[1] = pki_lane(pos.y, l), from[2] = pki_lane(pos.z, l);
    }
    for (int e = 0; e < 9; e++) {
      g->walk[l]->inertia[e] = pki_lane(full[e], l);
    }
  }
}
