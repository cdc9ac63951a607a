/* What is seen: one pass over the robot's bodies gives all that an update needs of them. */
#include "dynamics/kernels/composite.h"
#include "gait/kernels/declare.h"
#include "gait/kernels/limb.h"

/* Mass, first moment about the trunk's origin, momentum. */
typedef struct sums {
  pk_r m;
  pki_v3 mc, P;
} sums;

static inline void add_mass(const pk_model *m, int i, pki_limb *b, pki_v3 base, sums *all)
{
  const double *in = m->body_inertia + 10 * (size_t)i;
  b->h = pki_m3_apply_plain(b->R, in + 1);
  all->m += in[0];
  all->mc = pki_add(all->mc, pki_add_scaled(b->h, pki_splat(in[0]), pki_sub(b->origin, base)));
  all->P = pki_add(all->P, pki_add_cross(pki_scale(pki_splat(in[0]), b->twist.l), b->twist.a, b->h));
}

/* The trunk is free: its coordinates are its place and quaternion, its velocities those of the world and of its axes. */
static inline void place_trunk(const pki_gait_group *g, const pk_model *m, int i, pki_limb *b)
{
  pk_r q[7], u[6];
  pki_walk *const w = g->walk[0];
  pki_pick_state(g->q, m->body_q[i], 7, q);
  pki_pick_state(g->u, m->body_u[i], 6, u);
  b->R = pki_m3_from_quat(q + 3);
  b->r = b->origin = pki_v3_load(q);
  b->twist = (pki_v6){pki_m3_apply(b->R, pki_v3_load(u + 3)), pki_v3_load(u)};
  b->bias = pki_v6_zero();
  pki_put3(g, w->R, b->R.x), pki_put3(g, w->R + 3, b->R.y), pki_put3(g, w->R + 6, b->R.z);
  pki_put3(g, w->pos, b->origin);
  pki_put3(g, w->vel, b->twist.l);
  pki_put3(g, w->omega, pki_v3_load(u + 3));
  pki_put(g, &w->heading, pki_atan2(b->R.y.x, b->R.x.x));
}

/* As place_limb below, without what a hinge has not: most bodies of legs hang on one. */
static inline void place_hinge(const pki_gait_group *g, const pk_model *m, int i, const pki_limb *parent,
                               pki_limb *b)
{
  const double gain = m->body_gain[i];
  const pki_v3 w = parent->twist.a;
  pk_r q, u, sine, cosine;
  pki_pick_state(g->q, m->body_q[i], 1, &q);
  pki_pick_state(g->u, m->body_u[i], 1, &u);
  pki_sincos(gain * q + m->body_offset[i], &sine, &cosine);
  b->R = pki_turn_about(pki_joint_frame(m, i, &parent->R), m->body_axis[i], sine, cosine);
  b->axis = pki_scale(pki_splat(gain), pki_m3_col(&b->R, m->body_axis[i]));
  b->r = pki_m3_apply_plain(parent->R, m->body_pos + 3 * (size_t)i);
  b->origin = pki_add(parent->origin, b->r);
  const pki_v3 turn = pki_scale(u, b->axis), spin = pki_cross(w, b->r);
  b->twist = (pki_v6){pki_add(w, turn), pki_add(parent->twist.l, spin)};
  b->bias = (pki_v6){pki_add_cross(parent->bias.a, w, turn),
                     pki_add_cross(pki_add_cross(parent->bias.l, parent->bias.a, b->r), w, spin)};
}

static inline void place_limb(const pki_gait_group *g, const pk_model *m, int i, const pki_limb *parent,
                              pki_limb *b)
{
  pk_r q[7], u[6];
  pki_pick_state(g->q, m->body_q[i], pki_motion_nq(m->body_motion[i]), q);
  pki_pick_state(g->u, m->body_u[i], pki_motion_nu(m->body_motion[i]), u);
  const pki_pose_r at = pki_joint_pose(m, i, &parent->R, q);
  const pki_v6 rate = pki_joint_twist(m, i, &parent->R, &at.R, u);
  b->R = at.R;
  b->r = at.r;
  b->origin = pki_add(parent->origin, at.r);
  b->twist = pki_body_twist(parent->twist, at.r, rate);
  b->bias = pki_body_accel(parent->bias, parent->twist.a, at.r, rate);
}

/* The centre of a foot's ball. */
static inline void place_foot(const pki_gait_group *g, const pki_leg *leg, const pki_limb *b, pki_tip *foot)
{
  const pki_v3 arm = pki_m3_apply_plain(b->R, leg->at);
  foot->pos = pki_add(b->origin, arm);
  foot->vel = pki_add_cross(b->twist.l, b->twist.a, arm);
  const pki_v3 spin = pki_cross(b->twist.a, arm);
  foot->bias = pki_add_cross(pki_add_cross(b->bias.l, b->bias.a, arm), b->twist.a, spin);
  pki_put3(g, g->walk[0]->now[leg - g->c->legs].pos, foot->pos);
}

void PKI_NAME(gait_sense)(const pki_gait_group *g, double *scratch)
{
  const pk_model *m = g->model;
  const pk_model_robot *robot = &m->robots[g->c->robot];
  pki_scene *const s = (pki_scene *)(void *)scratch;
  pki_limb *const trunk = s->limbs;
  sums all = {pki_splat(0), pki_v3_zero(), pki_v3_zero()};
  place_trunk(g, m, robot->body, trunk);
  add_mass(m, robot->body, trunk, trunk->origin, &all);
  for (int j = 1; j < robot->nbody; j++) {
    const int i = robot->body + j;
    const pki_limb *parent = &s->limbs[m->body_parent[i] - robot->body];
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      place_hinge(g, m, i, parent, &s->limbs[j]);
    } else {
      place_limb(g, m, i, parent, &s->limbs[j]);
    }
    add_mass(m, i, &s->limbs[j], trunk->origin, &all);
  }
  for (int i = 0; i < PKI_LEGS; i++) {
    const pki_leg *leg = &g->c->legs[i];
    place_foot(g, leg, &s->limbs[leg->body[2] - robot->body], &s->feet[i]);
  }
  const pk_r share = 1.0 / all.m;
  pki_put3(g, g->walk[0]->com, pki_add_scaled(trunk->origin, share, all.mc));
  pki_put3(g, g->walk[0]->com_vel, pki_scale(share, all.P));
}

/* The robot as one body in this pose: about its mass, in the trunk's axes. */
static inline pki_s3 inertia(const pki_gait_group *g, const pki_scene *s)
{
  const pk_model *m = g->model;
  const pk_model_robot *robot = &m->robots[g->c->robot];
  const pk_r zero = pki_splat(0);
  const pki_v3 com = pki_pick3(g, g->walk[0]->com);
  pki_rigid sum = {zero, pki_v3_zero(), {zero, zero, zero, zero, zero, zero}};
  for (int j = 0; j < robot->nbody; j++) {
    const pki_limb *b = &s->limbs[j];
    const pk_r mass = pki_splat(m->body_inertia[10 * (size_t)(robot->body + j)]);
    const pki_rigid one = {mass, b->h, pki_s3_rotate(b->R, pki_model_moments(m, robot->body + j))};
    sum = pki_rigid_add_shifted(sum, one, pki_sub(b->origin, com));
  }
  const pki_m3 R = s->limbs[0].R;
  const pki_m3 back = {pki_m3_col(&R, 0), pki_m3_col(&R, 1), pki_m3_col(&R, 2)};
  return pki_s3_rotate(back, sum.I);
}

/* The largest normal force that each leg can give where it stands now, by its joints' efforts; the least of them, in
 * weights. */
static inline pk_r strength(const pki_gait_group *g, const pki_scene *s)
{
  const double weight = g->c->mass * g->c->gravity;
  pk_r force = pki_splat(PKI_FOOT_HEAVY * weight);
  for (int i = 0; i < 3 * PKI_LEGS; i++) {
    const double effort = g->model->dof_effort[g->c->legs[i / 3].u[i % 3]];
    const pk_r arm = pki_abs(pki_hinge(g, s, i / 3, i % 3, s->feet[i / 3].pos).z);
    force = pki_select(pki_less(pki_splat(effort), arm * force), effort / arm, force);
  }
  return force / weight;
}

void PKI_NAME(gait_weigh)(const pki_gait_group *g, const double *scratch)
{
  const pki_scene *s = (const pki_scene *)(const void *)scratch;
  const pki_s3 I = inertia(g, s);
  const pk_r force = strength(g, s), full[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
  for (int l = 0; l < PKI_LANES; l++) {
    if (g->walk[l]->awake) {
      continue;
    }
    g->walk[l]->strength = pki_lane(force, l);
    for (int e = 0; e < 9; e++) {
      g->walk[l]->inertia[e] = pki_lane(full[e], l);
    }
  }
}
