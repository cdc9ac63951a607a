/* What is seen: one pass over the robot's bodies gives all that an update needs of them. */
#include "dynamics/kernels/composite.h"
#include "gait/kernels/declare.h"
#include "gait/kernels/limb.h"

/* Of a body and all that hangs on it: first moment about its origin, and momentum by the joints' velocities. */
typedef struct sums {
  pki_v3 S, P;
} sums;

/* The trunk is free: its coordinates are its place and quaternion, its velocities those of the world and of its axes. */
static inline void place_trunk(const pki_gait_group *g, pki_scene *s)
{
  const pki_gait_body *body = &g->c->bodies[0];
  pki_limb *const trunk = &s->limbs[0];
  pk_r q[7], u[6];
  pki_pick_state(g->q, body->q, 7, q);
  pki_pick_state(g->u, body->u, 6, u);
  s->R = pki_m3_from_quat(q + 3);
  s->pos = pki_v3_load(q);
  s->vel = pki_v3_load(u);
  s->heading = pki_atan2(s->R.y.x, s->R.x.x);
  trunk->w = pki_v3_load(u + 3);
  trunk->accel = pki_v6_zero();
  pki_put(g, &g->walk[0]->heading, s->heading);
}

/* A body on a plain hinge: its angle, and
 *   w     = w_p + rate,                       rate = speed e
 *   drift = w_p x rate, w_p x (w_p x r)
 *   accel = accel_p + drift, seen from the tip of r */
PKI_INLINE void place_hinge(const pki_gait_group *g, const pki_gait_body *body, const pki_limb *parent,
                            pki_limb *b, pki_turn turn)
{
  const int axis = (int)turn;
  const pki_v3 w = parent->w, r = pki_v3_splat(body->r);
  pki_pick_state(g->q, body->q, 1, &b->q);
  pki_pick_state(g->u, body->u, 1, &b->u);
  pki_sincos(body->gain * b->q + body->offset, &b->sine, &b->cosine);
  const pk_r speed = body->gain * b->u;
  b->speed = speed;
  b->drift = (pki_v6){pki_turn_along(axis, -speed, w), pki_cross(w, pki_cross(w, r))};
  b->w = pki_to_child(b, turn, pki_add_along(axis, w, speed));
  const pki_v6 accel = pki_v6_add(pki_motion_to_tip(parent->accel, r), b->drift);
  b->accel = (pki_v6){pki_to_child(b, turn, accel.a), pki_to_child(b, turn, accel.l)};
}

/* The same for any joint: the parent's axes are the world of its pose. */
static inline void place_limb(const pki_gait_group *g, int j, const pki_limb *parent, pki_limb *b)
{
  const pk_model *m = g->model;
  const int i = g->c->body + j;
  const pki_m3 level = pki_m3_identity();
  pk_r q[7], u[6];
  pki_pick_state(g->q, m->body_q[i], pki_motion_nq(m->body_motion[i]), q);
  pki_pick_state(g->u, m->body_u[i], pki_motion_nu(m->body_motion[i]), u);
  const pki_pose_r at = pki_joint_pose(m, i, &level, q);
  b->q = q[0], b->u = u[0];
  b->E = at.R, b->r = at.r;
  b->rate = pki_joint_twist(m, i, &level, &at.R, u);
  b->drift = pki_body_accel(pki_v6_zero(), parent->w, at.r, b->rate);
  b->w = pki_m3_apply_t(at.R, pki_add(parent->w, b->rate.a));
  const pki_v6 accel = pki_v6_add(pki_motion_to_tip(parent->accel, at.r), b->drift);
  b->accel = (pki_v6){pki_m3_apply_t(at.R, accel.a), pki_m3_apply_t(at.R, accel.l)};
}

/* What a body on a plain hinge adds to its parent: the mass where it hangs is in the parent's lump. */
PKI_INLINE void add_hinge(const pki_limb *b, pki_turn turn, const sums *own, sums *parent)
{
  const pki_v3 P = pki_add(own->P, pki_turn_along((int)turn, b->speed, own->S));
  parent->S = pki_add(parent->S, pki_to_parent(b, turn, own->S));
  parent->P = pki_add(parent->P, pki_to_parent(b, turn, P));
}

static inline void add_limb(const pki_gait_body *body, const pki_limb *b, const sums *own, sums *parent)
{
  const pki_v3 S = pki_m3_apply(b->E, own->S), P = pki_m3_apply(b->E, own->P);
  const pk_r mass = pki_splat(body->below);
  parent->S = pki_add(parent->S, pki_add_scaled(S, mass, b->r));
  parent->P = pki_add(parent->P, pki_add_scaled(pki_add_cross(P, b->rate.a, S), mass, b->rate.l));
}

/* The centre of mass and its velocity, from the last body to the first. */
static inline void find_mass(const pki_gait_group *g, pki_scene *s)
{
  const pki_locomotion *c = g->c;
  sums all[PKI_GAIT_BODIES];
  for (int j = 0; j < c->body_count; j++) {
    all[j] = (sums){pki_v3_splat(c->bodies[j].lump), pki_v3_zero()};
  }
  for (int j = c->body_count - 1; j > 0; j--) {
    const pki_gait_body *body = &c->bodies[j];
    sums *const parent = &all[body->parent];
    switch (body->turn) {
    case PKI_TURN_X: add_hinge(&s->limbs[j], PKI_TURN_X, &all[j], parent); break;
    case PKI_TURN_Y: add_hinge(&s->limbs[j], PKI_TURN_Y, &all[j], parent); break;
    case PKI_TURN_Z: add_hinge(&s->limbs[j], PKI_TURN_Z, &all[j], parent); break;
    default: add_limb(body, &s->limbs[j], &all[j], parent); break;
    }
  }
  const pk_r share = pki_splat(1 / c->bodies[0].below);
  const pki_v3 P = pki_add_cross(all[0].P, s->limbs[0].w, all[0].S);
  s->com = pki_add_scaled(s->pos, share, pki_m3_apply(s->R, all[0].S));
  s->com_vel = pki_add_scaled(s->vel, share, pki_m3_apply(s->R, P));
}

/* From the axes of the leg's hinge k to those of its parent; `at` is the foot's centre, from the hinge's origin. */
PKI_INLINE pki_v3 raise_foot(const pki_gait_body *body, const pki_limb *b, pki_turn turn, int k, pki_v3 at,
                             pki_tip *foot)
{
  const pki_v3 arm = pki_to_parent(b, turn, at);
  const pk_r gain = pki_splat(body->gain);
  foot->bias = pki_to_parent(b, turn, foot->bias);
  for (int j = k + 1; j < 3; j++) {
    foot->column[j] = pki_to_parent(b, turn, foot->column[j]);
    foot->axis[j] = pki_to_parent(b, turn, foot->axis[j]);
  }
  if (turn == PKI_TURN_ANY) {
    foot->axis[k] = pki_scale(gain, pki_m3_col(&b->E, body->axis));
    foot->column[k] = pki_cross(foot->axis[k], arm);
    return pki_add(arm, b->r);
  }
  foot->axis[k] = pki_add_along((int)turn, pki_v3_zero(), gain);
  foot->column[k] = pki_turn_along((int)turn, gain, arm);
  return pki_add(arm, pki_v3_splat(body->r));
}

/* The centre of a foot's ball, from its last body up to the trunk. */
static inline void place_foot(const pki_gait_group *g, pki_scene *s, int leg)
{
  const pki_leg *l = &g->c->legs[leg];
  const pki_limb *last = &s->limbs[l->body[2] - g->c->body];
  pki_tip *const foot = &s->feet[leg];
  pki_v3 at = pki_v3_splat(l->at);
  foot->bias = pki_add_cross(pki_add_cross(last->accel.l, last->accel.a, at), last->w, pki_cross(last->w, at));
  for (int k = 2; k >= 0; k--) {
    const int j = l->body[k] - g->c->body;
    const pki_gait_body *body = &g->c->bodies[j];
    const pki_limb *b = &s->limbs[j];
    switch (body->turn) {
    case PKI_TURN_X: at = raise_foot(body, b, PKI_TURN_X, k, at, foot); break;
    case PKI_TURN_Y: at = raise_foot(body, b, PKI_TURN_Y, k, at, foot); break;
    case PKI_TURN_Z: at = raise_foot(body, b, PKI_TURN_Z, k, at, foot); break;
    default: at = raise_foot(body, b, PKI_TURN_ANY, k, at, foot); break;
    }
  }
  foot->arm = at;
  foot->pos = pki_add(s->pos, pki_m3_apply(s->R, at));
  pki_put3(g, g->walk[0]->now[leg].pos, foot->pos);
}

void PKI_NAME(gait_sense)(const pki_gait_group *g, double *scratch)
{
  pki_scene *const s = (pki_scene *)(void *)scratch;
  place_trunk(g, s);
  for (int j = 1; j < g->c->body_count; j++) {
    const pki_gait_body *body = &g->c->bodies[j];
    const pki_limb *parent = &s->limbs[body->parent];
    pki_limb *const b = &s->limbs[j];
    switch (body->turn) {
    case PKI_TURN_X: place_hinge(g, body, parent, b, PKI_TURN_X); break;
    case PKI_TURN_Y: place_hinge(g, body, parent, b, PKI_TURN_Y); break;
    case PKI_TURN_Z: place_hinge(g, body, parent, b, PKI_TURN_Z); break;
    default: place_limb(g, j, parent, b); break;
    }
  }
  find_mass(g, s);
  for (int i = 0; i < PKI_LEGS; i++) {
    place_foot(g, s, i);
  }
}

/* Rotation of a body against its parent. */
static inline pki_m3 turn_of(const pki_gait_body *body, const pki_limb *b)
{
  return body->turn == PKI_TURN_ANY ? b->E
                                    : pki_turn_about(pki_m3_identity(), body->axis, b->sine, b->cosine);
}

/* The robot as one body in this pose: about its mass, in the trunk's axes. */
static inline pki_s3 inertia(const pki_gait_group *g, const pki_scene *s)
{
  const pki_locomotion *c = g->c;
  const pk_r zero = pki_splat(0);
  const pki_v3 com = pki_m3_apply_t(s->R, pki_sub(s->com, s->pos));
  pki_rigid sum = {zero, pki_v3_zero(), {zero, zero, zero, zero, zero, zero}};
  pki_m3 R[PKI_GAIT_BODIES];
  pki_v3 origin[PKI_GAIT_BODIES];
  for (int j = 0; j < c->body_count; j++) {
    const pki_gait_body *body = &c->bodies[j];
    const pki_limb *b = &s->limbs[j];
    R[j] = pki_m3_identity(), origin[j] = pki_v3_zero();
    if (j > 0) {
      const pki_v3 r = body->turn == PKI_TURN_ANY ? b->r : pki_v3_splat(body->r);
      R[j] = pki_m3_mul(R[body->parent], turn_of(body, b));
      origin[j] = pki_add(origin[body->parent], pki_m3_apply(R[body->parent], r));
    }
    const pki_rigid one = {pki_splat(body->mass), pki_m3_apply_plain(R[j], body->h),
                           pki_s3_rotate(R[j], pki_body_moments(body))};
    sum = pki_rigid_add_shifted(sum, one, pki_sub(origin[j], com));
  }
  return sum.I;
}

/* The largest normal force that each leg can give where it stands now, by its joints' efforts; the least of them, in
 * weights. */
static inline pk_r strength(const pki_gait_group *g, const pki_scene *s)
{
  const double weight = g->c->mass * g->c->gravity;
  pk_r force = pki_splat(PKI_FOOT_HEAVY * weight);
  for (int i = 0; i < 3 * PKI_LEGS; i++) {
    const double effort = g->model->dof_effort[g->c->legs[i / 3].u[i % 3]];
    const pk_r arm = pki_abs(pki_dot(s->R.z, s->feet[i / 3].column[i % 3]));
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
