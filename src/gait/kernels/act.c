/* Accelerations that are wanted of trunk and feet, by inverse dynamics and the feet's forces into torques. */
#include <stddef.h>
#include <string.h>

#include "gait/kernels/declare.h"
#include "gait/kernels/limb.h"
#include "gait/kernels/share.h"
#include "gait/kernels/swing.h"

static const double calm = 0.0665425; /* m h^2/s, against what the next steps do beyond the wanted motion */

enum { ROWS = 6 * PKI_GAIT_BODIES };

/* One update of the group. */
typedef struct action {
  const pki_gait_group *g;
  const pki_locomotion *c;
  const pk_model *m;
  pki_scene *s;
  pki_swings swings;
  pk_r a[ROWS], need[ROWS]; /* du/dt and M du/dt + h of the robot's velocities */
} action;

/* A swinging joint brakes before its limits: no more acceleration than that of a damped spring that ends there. What is
 * not a number stays so: the step refuses it as a command. */
static inline pk_r within_limits(const action *act, int u, const pki_limb *b, pk_r acceleration)
{
  static const double k = 900, d = 60, room = 0.03; /* 1/s^2, 1/s, rad */
  const pk_model *m = act->m;
  const pk_r rate = d * b->u;
  const pk_r most = k * (m->dof_upper[u] - room - b->q) - rate,
             least = k * (m->dof_lower[u] + room - b->q) - rate;
  const pk_r below = pki_select(pki_less(most, acceleration), most, acceleration);
  return pki_select(pki_less(below, least), least, below);
}

/* Accelerations of a leg's joints that give its foot the wanted one: J_l a_l = acc - dJ/dt u - J_b a_b, damped least
 * squares; in the trunk's axes. */
static inline void bend_leg(action *act, int i, pki_v3 acc)
{
  static const double damping = 5e-4;
  const pki_leg *leg = &act->c->legs[i];
  const pki_v6 trunk = act->s->limbs[0].accel;
  const pki_tip *foot = &act->s->feet[i];
  const pki_v3 *J = foot->column;
  const pki_v3 b = pki_sub(pki_sub(acc, foot->bias), pki_add_cross(trunk.l, trunk.a, foot->arm));
  const pki_s3 JJ = {damping + J[0].x * J[0].x + J[1].x * J[1].x + J[2].x * J[2].x,
                     J[0].x * J[0].y + J[1].x * J[1].y + J[2].x * J[2].y,
                     J[0].x * J[0].z + J[1].x * J[1].z + J[2].x * J[2].z,
                     damping + J[0].y * J[0].y + J[1].y * J[1].y + J[2].y * J[2].y,
                     J[0].y * J[0].z + J[1].y * J[1].z + J[2].y * J[2].z,
                     damping + J[0].z * J[0].z + J[1].z * J[1].z + J[2].z * J[2].z};
  const pki_v3 x = pki_s3_solve(JJ, b);
  const pk_i stands = act->swings.stands[i];
  const int moves = pki_any(~stands);
  for (int k = 0; k < 3; k++) {
    const int u = leg->u[k];
    pk_r wanted = pki_dot(J[k], x);
    if (moves) {
      const pki_limb *joint = &act->s->limbs[leg->body[k] - act->c->body];
      wanted = pki_select(stands, wanted, within_limits(act, u, joint, wanted));
    }
    act->a[u - act->c->u] = wanted;
  }
}

/* Accelerations that are wanted of the trunk and of all feet, as accelerations of coordinates. */
static inline void want(action *act)
{
  const pki_gait_group *g = act->g;
  pki_scene *const s = act->s;
  pki_v6 acc = s->acc;
  if (pki_any(act->swings.planned)) {
    const pk_i planned = act->swings.planned;
    acc.l = pki_v3_select(planned, pki_pick3(g, g->walk[0]->acc), acc.l);
    acc.a = pki_v3_select(planned, pki_pick3(g, g->walk[0]->acc + 3), acc.a);
  }
  for (int k = 0; k < act->m->robots[act->c->robot].nu; k++) {
    act->a[k] = pki_splat(0);
  }
  s->limbs[0].accel = (pki_v6){acc.a, pki_m3_apply_t(s->R, acc.l)};
  for (int i = 0; i < PKI_LEGS; i++) {
    const pk_i stands = act->swings.stands[i];
    pki_v3 foot = pki_v3_zero();
    if (pki_any(~stands)) {
      foot = pki_v3_where(~stands, pki_m3_apply_t(s->R, pki_swing(g, &act->swings, i)));
    }
    bend_leg(act, i, foot);
  }
}

/* ---- recursive Newton-Euler over the robot's bodies, whose motion is known but for du/dt and gravity ---- */

static inline pki_v6 force_of(const pki_gait_body *body, pki_v3 w, pki_v6 accel)
{
  const pki_rigid rigid = {pki_splat(body->mass), pki_v3_splat(body->h), pki_body_moments(body)};
  return pki_rigid_force(rigid, w, accel);
}

PKI_INLINE void accelerate_hinge(const action *act, const pki_gait_body *body, const pki_limb *parent,
                                 pki_limb *b, pki_turn turn)
{
  const pki_v6 tip = pki_v6_add(pki_motion_to_tip(parent->accel, pki_v3_splat(body->r)), b->drift);
  const pk_r a = body->gain * act->a[body->u - act->c->u];
  b->accel = (pki_v6){pki_add_along((int)turn, pki_to_child(b, turn, tip.a), a), pki_to_child(b, turn, tip.l)};
  b->force = force_of(body, b->w, b->accel);
}

static inline void accelerate_limb(const action *act, int j, const pki_limb *parent, pki_limb *b)
{
  const pki_gait_body *body = &act->c->bodies[j];
  const pki_m3 level = pki_m3_identity();
  const pki_v6 own =
      pki_joint_twist(act->m, act->c->body + j, &level, &b->E, act->a + (body->u - act->c->u));
  const pki_v6 tip = pki_v6_add(pki_v6_add(pki_motion_to_tip(parent->accel, b->r), b->drift), own);
  b->accel = (pki_v6){pki_m3_apply_t(b->E, tip.a), pki_m3_apply_t(b->E, tip.l)};
  b->force = force_of(body, b->w, b->accel);
}

PKI_INLINE void hand_on_hinge(action *act, const pki_gait_body *body, const pki_limb *b, pki_limb *parent,
                              pki_turn turn)
{
  pk_r *const need = act->need + (body->u - act->c->u);
  *need += body->gain * pki_along((int)turn, b->force.a);
  const pki_v6 f = {pki_to_parent(b, turn, b->force.a), pki_to_parent(b, turn, b->force.l)};
  parent->force = pki_v6_add(parent->force, pki_force_to_foot(f, pki_v3_splat(body->r)));
}

static inline void hand_on_limb(action *act, int j, const pki_limb *b, pki_limb *parent)
{
  const pki_m3 level = pki_m3_identity();
  const pki_v6 f = {pki_m3_apply(b->E, b->force.a), pki_m3_apply(b->E, b->force.l)};
  pki_joint_feel(act->m, act->c->body + j, &level, &b->E, f,
                 act->need + (act->c->bodies[j].u - act->c->u));
  parent->force = pki_v6_add(parent->force, pki_force_to_foot(f, b->r));
}

static inline void invert(action *act)
{
  const pki_locomotion *c = act->c;
  pki_limb *const limbs = act->s->limbs;
  limbs[0].accel.l = pki_sub(limbs[0].accel.l, pki_m3_apply_t(act->s->R, pki_v3_splat(act->m->gravity)));
  limbs[0].force = force_of(&c->bodies[0], limbs[0].w, limbs[0].accel);
  for (int j = 1; j < c->body_count; j++) {
    const pki_gait_body *body = &c->bodies[j];
    const pki_limb *parent = &limbs[body->parent];
    switch (body->turn) {
    case PKI_TURN_X: accelerate_hinge(act, body, parent, &limbs[j], PKI_TURN_X); break;
    case PKI_TURN_Y: accelerate_hinge(act, body, parent, &limbs[j], PKI_TURN_Y); break;
    case PKI_TURN_Z: accelerate_hinge(act, body, parent, &limbs[j], PKI_TURN_Z); break;
    default: accelerate_limb(act, j, parent, &limbs[j]); break;
    }
  }
  for (int k = 0; k < act->m->robots[c->robot].nu; k++) {
    act->need[k] = act->m->dof_armature[c->u + k] * act->a[k];
  }
  for (int j = c->body_count - 1; j > 0; j--) {
    const pki_gait_body *body = &c->bodies[j];
    pki_limb *const parent = &limbs[body->parent];
    switch (body->turn) {
    case PKI_TURN_X: hand_on_hinge(act, body, &limbs[j], parent, PKI_TURN_X); break;
    case PKI_TURN_Y: hand_on_hinge(act, body, &limbs[j], parent, PKI_TURN_Y); break;
    case PKI_TURN_Z: hand_on_hinge(act, body, &limbs[j], parent, PKI_TURN_Z); break;
    default: hand_on_limb(act, j, &limbs[j], parent); break;
    }
  }
}

/* ---- forces at the feet, and torques ---- */

/* What the stance feet must give: force and, in the trunk's axes, moment about its origin. Feet push where they touch,
 * a radius below the ball's centre. */
static inline void share_load(const action *act, pki_v3 *force)
{
  const pki_gait_group *g = act->g;
  const pki_locomotion *c = g->c;
  pki_walk *const w = g->walk[0];
  const pki_scene *scene = act->s;
  const pki_v6 wrench = scene->limbs[0].force;
  const double arm2 = c->arm * c->arm, S[6] = {0.1, 0.1, 1, 1 / arm2, 1 / arm2, 0.5 / arm2};
  const double give[6] = {1 / 0.1, 1 / 0.1, 1, arm2, arm2, arm2 / 0.5};
  const int plans = pki_any(act->swings.planned);
  pki_share s;
  memcpy(s.S, S, sizeof S);
  memcpy(s.give, give, sizeof give);
  s.friction = c->options.friction;
  s.regular = pki_select(act->swings.planned, pki_splat(0.02), pki_splat(1e-3));
  s.normal = scene->normal;
  s.b = (pki_v6){wrench.a, pki_m3_apply(scene->R, wrench.l)};
  for (int i = 0; i < PKI_LEGS; i++) {
    const pki_v3 contact =
        pki_add_scaled(scene->feet[i].pos, pki_splat(-c->legs[i].radius), scene->normal);
    const pki_v3 arm = pki_sub(contact, scene->pos);
    s.stands[i] = act->swings.stands[i];
    for (int r = 0; r < 3; r++) {
      s.C[i][r] = pki_v3_where(s.stands[i], pki_cross(pki_m3_col(&scene->R, r), arm));
    }
    s.prefer[i] = pki_v3_zero();
    if (plans) {
      s.prefer[i] = pki_v3_where(s.stands[i] & act->swings.planned, pki_pick3(g, w->now[i].prefer));
    }
    s.limit[i] = pki_pick(g, &w->now[i].limit);
  }
  pki_share_solve(&s, force);
}

/* A torque and a rate to each robot's joint u; the gains are zero but for the damping. */
static inline void command_joint(const pki_gait_group *g, int u, pk_r tau, pk_r rate, double damping,
                                 double most)
{
  const pk_r zero = pki_splat(0), first[4] = {tau, zero, rate, zero};
  double *to[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    pk_command *command = &g->commands[l][u];
    to[l] = &command->tau;
    command->kd = damping, command->tau_max = most;
  }
  _Static_assert(offsetof(pk_command, kp) == 3 * sizeof(double), "tau, q_des, u_des, kp");
  pki_scatter((const double *)first, 4, to);
}

/* The rows of the joints, less the feet's forces, are the torques: a hinge moves the point of contact, r n below the
 * ball's centre p, by axis x (p - r n), which is the column less r axis x n. */
static inline void command(const action *act, const pki_v3 *force)
{
  const pki_gait_group *g = act->g;
  const pki_locomotion *c = g->c;
  const pki_scene *s = act->s;
  const double damping = calm * c->mass * c->height * c->height;
  const pk_r period = pki_pick(g, &g->walk[0]->period);
  for (int i = 0; i < PKI_LEGS; i++) {
    const pki_leg *leg = &c->legs[i];
    const pki_v3 f = pki_m3_apply_t(s->R, force[i]);
    const pki_v3 roll = pki_m3_apply_t(s->R, pki_scale(pki_splat(leg->radius), pki_cross(s->normal, force[i])));
    for (int k = 0; k < 3; k++) {
      const int u = leg->u[k];
      const pk_r a = act->a[u - c->u], felt = pki_dot(s->feet[i].column[k], f);
      const pk_r tau = act->need[u - c->u] - felt + pki_dot(s->feet[i].axis[k], roll);
      const pk_r rate = s->limbs[leg->body[k] - c->body].u + period * a;
      command_joint(g, u, tau, rate, damping, act->m->dof_effort[u]);
    }
  }
}

void PKI_NAME(gait_act)(const pki_gait_group *g, double *scratch)
{
  action act;
  pki_v3 force[PKI_LEGS];
  act.g = g, act.c = g->c, act.m = g->model;
  act.s = (pki_scene *)(void *)scratch;
  act.swings = pki_swings_begin(g, act.s);
  want(&act);
  invert(&act);
  share_load(&act, force);
  command(&act, force);
}
