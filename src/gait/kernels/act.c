/* Accelerations that are wanted of trunk and feet, by inverse dynamics and the feet's forces into torques. */
#include <stddef.h>
#include <string.h>

#include "gait/kernels/declare.h"
#include "gait/kernels/joint.h"
#include "gait/kernels/leg.h"
#include "gait/kernels/limit.h"
#include "gait/kernels/swing.h"

static const double calm =
    0.0136037; /* m h^2 sqrt(g/h), against what the next steps do beyond the wanted motion */

/* Part of a joint's effort that forces at the feet may use up: the rest is left to the damping of its command. */
static const double usable = 0.99;

enum { ROWS = 6 * PKI_GAIT_BODIES };

/* One update of the group. */
typedef struct action {
  const pki_gait_group *g;
  const pki_locomotion *c;
  const pk_model *m;
  pki_gait_scene *s;
  pki_swings swings;
  pk_r a[ROWS], need[ROWS]; /* du/dt, and M du/dt + h but for armatures, of the robot's joints */
} action;

/* A swinging joint brakes before its limits: no more acceleration than that of a damped spring that ends there. What is
 * not a number stays so: the step refuses it as a command. */
static inline pk_r within_limits(const action *act, int u, pk_r q, pk_r rate, pk_r acceleration)
{
  static const double limit_k = 37.6147, limit_d = 12.2662, room = 0.03; /* g/h, sqrt(g/h), rad */
  const pk_model *m = act->m;
  const double pace = act->c->pace, k = limit_k * pace * pace;
  const pk_r brake = limit_d * pace * rate;
  const pk_r most = k * (m->dof_upper[u] - room - q) - brake,
             least = k * (m->dof_lower[u] + room - q) - brake;
  const pk_r below = pki_select(pki_less(most, acceleration), most, acceleration);
  return pki_select(pki_less(below, least), least, below);
}

/* Accelerations of a leg's joints that give its foot the wanted one: J_l a_l = acc - dJ/dt u - J_b a_b, damped least
 * squares; in the trunk's axes. */
static inline void bend_leg(action *act, int i, pki_v3 acc)
{
  static const double regular = 2.97442e-3; /* h^2 */
  const double damping = regular * act->c->height * act->c->height;
  const pki_leg *leg = &act->c->legs[i];
  const pki_v6 trunk = act->s->limbs[0].accel;
  const pki_leg_r *foot = &act->s->legs[i];
  const pki_v3 *J = foot->column;
  const pki_v3 b = pki_sub(pki_sub(acc, foot->bias), pki_add_cross(trunk.l, trunk.a, foot->arm));
  const pki_s3 JJ = {damping + J[0].x * J[0].x + J[1].x * J[1].x + J[2].x * J[2].x,
                     J[0].x * J[0].y + J[1].x * J[1].y + J[2].x * J[2].y,
                     J[0].x * J[0].z + J[1].x * J[1].z + J[2].x * J[2].z,
                     damping + J[0].y * J[0].y + J[1].y * J[1].y + J[2].y * J[2].y,
                     J[0].y * J[0].z + J[1].y * J[1].z + J[2].y * J[2].z,
                     damping + J[0].z * J[0].z + J[1].z * J[1].z + J[2].z * J[2].z};
  const pki_v3 x = pki_s3_solve(JJ, b);
  const pk_i stands = act->s->stands[i];
  const int moves = pki_any(~stands);
  for (int k = 0; k < 3; k++) {
    const int u = leg->u[k];
    pk_r wanted = pki_dot(J[k], x);
    if (moves) {
      wanted = pki_select(stands, wanted, within_limits(act, u, foot->q[k], foot->u[k], wanted));
    }
    act->a[leg->u_at[k]] = wanted;
  }
}

/* The desired accelerations of the trunk and of all feet, as accelerations of coordinates. */
static inline void desired_accelerations(action *act)
{
  const pki_gait_group *g = act->g;
  pki_gait_scene *const s = act->s;
  pki_v6 acc = s->acc;
  if (pki_any(act->swings.planned)) {
    const pk_i planned = act->swings.planned;
    acc.l = pki_v3_select(planned, pki_pick3(g, g->walk[0]->acc), acc.l);
    acc.a = pki_v3_select(planned, pki_pick3(g, g->walk[0]->acc + 3), acc.a);
  }
  for (int k = 0; k < act->m->robots[act->c->robot].nu && act->c->other_count > 0; k++) {
    act->a[k] = act->need[k] = pki_splat(0);
  }
  s->limbs[0].accel = (pki_v6){acc.a, pki_m3_apply_t(s->R, acc.l)};
  for (int i = 0; i < act->c->leg_count; i++) {
    const pk_i stands = act->s->stands[i];
    pki_v3 foot = pki_v3_zero();
    if (pki_any(~stands)) {
      foot = pki_v3_where(~stands, pki_m3_apply_t(s->R, pki_swing(g, &act->swings, i)));
    }
    bend_leg(act, i, foot);
  }
}

/* Recursive Newton-Euler over the robot's bodies, whose motion is known but for du/dt and gravity. */
static inline void inverse_dynamics(action *act)
{
  const pki_locomotion *c = act->c;
  pki_limb *const limbs = act->s->limbs;
  limbs[0].accel.l = pki_sub(limbs[0].accel.l, pki_m3_apply_t(act->s->R, pki_v3_splat(act->m->gravity)));
  limbs[0].force = pki_rigid_force(pki_body_own(&c->bodies[0]), limbs[0].w, limbs[0].accel);
  for (int j = 0; j < c->other_count; j++) {
    pki_limb_accelerate(act->g, c->others[j], act->a, limbs);
  }
  for (int j = c->other_count - 1; j >= 0; j--) {
    pki_limb_hand_on(act->g, c->others[j], limbs, act->need);
  }
  for (int i = 0; i < c->leg_count; i++) {
    const pki_leg *leg = &c->legs[i];
    if (leg->plain) {
      const int *at = leg->u_at;
      const pk_r a[3] = {act->a[at[0]], act->a[at[1]], act->a[at[2]]};
      pk_r torque[3];
      pki_leg_invert(c, leg, &act->s->legs[i], a, &limbs[0], torque);
      act->need[at[0]] = torque[0], act->need[at[1]] = torque[1], act->need[at[2]] = torque[2];
    }
  }
}

/* ---- forces at the feet, and torques ---- */

/* What the stance feet must give: force and, in the trunk's axes, moment about its origin. Feet push where they touch,
 * a radius below the ball's centre. */
static inline void share_load(const action *act, pki_share *s, pki_v3 *force)
{
  const pki_gait_group *g = act->g;
  const pki_locomotion *c = g->c;
  pki_walk *const w = g->walk[0];
  const pki_gait_scene *scene = act->s;
  const pki_v6 wrench = scene->limbs[0].force;
  const double arm2 = c->arm * c->arm, S[6] = {0.1, 0.1, 1, 1 / arm2, 1 / arm2, 0.5 / arm2};
  const double give[6] = {1 / 0.1, 1 / 0.1, 1, arm2, arm2, arm2 / 0.5};
  const int plans = pki_any(act->swings.planned);
  memcpy(s->S, S, sizeof S);
  memcpy(s->give, give, sizeof give);
  s->friction = c->options.friction;
  s->regular = pki_select(act->swings.planned, pki_splat(0.02), pki_splat(1e-3));
  s->normal = scene->normal;
  s->b = (pki_v6){wrench.a, pki_m3_apply(scene->R, wrench.l)};
  for (int i = 0; i < PKI_LEGS; i++) {
    s->any[i] = i < c->leg_count && pki_any(act->s->stands[i]);
    if (!s->any[i]) {
      continue;
    }
    s->stands[i] = act->s->stands[i];
    const pki_v3 below = pki_add_scaled(scene->legs[i].pos, pki_splat(-c->legs[i].radius), scene->normal);
    const pki_v3 arm = pki_sub(below, scene->pos);
    for (int r = 0; r < 3; r++) {
      s->C[i][r] = pki_v3_where(s->stands[i], pki_cross(pki_m3_col(&scene->R, r), arm));
    }
    s->prefer[i] = pki_v3_zero();
    if (plans) {
      s->prefer[i] = pki_v3_where(s->stands[i] & act->swings.planned, pki_pick3(g, w->now[i].prefer));
    }
    s->limit[i] = scene->limit[i];
  }
  pki_share_solve(s, force);
}

/* A torque and a rate to each robot's joint u; the gains are zero but for the damping. */
static inline void command_joint(const pki_gait_group *g, int u, pk_r tau, pk_r rate, double damping,
                                 double most)
{
  /* a limit of zero in a command is none: a joint without effort is left alone */
  const bool drives = most > 0;
  const pk_r zero = pki_splat(0), first[4] = {drives ? tau : zero, zero, rate, zero};
  double *to[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    pk_command *command = &g->commands[l][u];
    to[l] = (double *)(void *)command;
    command->kd = drives ? damping : 0, command->tau_max = most;
  }
  _Static_assert(offsetof(pk_command, kp) == 3 * sizeof(double), "tau, q_des, u_des, kp");
  pki_scatter((const double *)first, 4, to);
}

/* What the joints' own motion needs. */
PKI_INLINE pk_r own_need(const action *act, int i, int k)
{
  const pki_leg *leg = &act->c->legs[i];
  return act->need[leg->u_at[k]] + act->m->dof_armature[leg->u[k]] * act->a[leg->u_at[k]];
}

/* The rows of the joints, less the feet's forces, are the torques: a hinge moves the point of contact, r n below the
 * ball's centre p, by axis x (p - r n), which is the column less r axis x n. Returns the lanes in which a leg that stands would
 * need more than its joints have. */
PKI_INLINE pk_i find_torques(const action *act, const pki_v3 *force, pk_r tau[PKI_LEGS][3])
{
  const pki_gait_scene *s = act->s;
  pk_i beyond = pki_mask_none();
  for (int i = 0; i < act->c->leg_count; i++) {
    const pki_leg *leg = &act->c->legs[i];
    const pki_v3 f = pki_m3_apply_t(s->R, force[i]);
    const pki_v3 roll =
        pki_m3_apply_t(s->R, pki_scale(pki_splat(leg->radius), pki_cross(s->normal, force[i])));
    for (int k = 0; k < 3; k++) {
      const double most = usable * act->m->dof_effort[leg->u[k]];
      const pk_r felt = pki_dot(s->legs[i].column[k], f);
      tau[i][k] = own_need(act, i, k) - felt + pki_dot(s->legs[i].axis[k], roll);
      beyond |= most > 0 ? pki_less(pki_splat(most), pki_abs(tau[i][k])) & s->stands[i] : pki_mask_none();
    }
  }
  return beyond;
}

/* Forces that the torques' limits allow in these lanes, and the torques then. */
static __attribute__((noinline)) void limit_forces(const action *act, const pki_share *share, pk_i lanes,
                                                   pki_v3 *force, pk_r tau[PKI_LEGS][3])
{
  const pki_gait_scene *s = act->s;
  pki_torque_limits t;
  memset(&t, 0, sizeof t);
  for (int i = 0; i < act->c->leg_count; i++) {
    const pki_leg *leg = &act->c->legs[i];
    for (int k = 0; k < 3 && share->any[i]; k++) {
      const pki_v3 axis = pki_m3_apply(s->R, s->legs[i].axis[k]);
      t.G[i][k] = pki_sub(pki_m3_apply(s->R, s->legs[i].column[k]),
                          pki_scale(pki_splat(leg->radius), pki_cross(axis, s->normal)));
      t.need[i][k] = own_need(act, i, k);
      t.most[i][k] = usable * act->m->dof_effort[leg->u[k]];
    }
  }
  pki_limit_solve(share, &t, lanes, force);
  find_torques(act, force, tau);
}

static inline void command_joints(const action *act, pk_r tau[PKI_LEGS][3])
{
  const pki_gait_group *g = act->g;
  const pki_locomotion *c = g->c;
  const pki_gait_scene *s = act->s;
  const double damping = calm * c->mass * c->height * c->height * c->pace;
  const pk_r period = pki_pick(g, &g->walk[0]->period);
  for (int i = 0; i < c->leg_count; i++) {
    const pki_leg *leg = &c->legs[i];
    for (int k = 0; k < 3; k++) {
      const int u = leg->u[k];
      const pk_r rate = s->legs[i].u[k] + period * act->a[leg->u_at[k]];
      command_joint(g, u, tau[i][k], rate, damping, act->m->dof_effort[u]);
    }
  }
}

void PKI_NAME(gait_act)(const pki_gait_group *g, double *scratch)
{
  action act;
  pki_share share;
  pki_v3 force[PKI_LEGS];
  pk_r tau[PKI_LEGS][3];
  act.g = g, act.c = g->c, act.m = g->model;
  act.s = (pki_gait_scene *)(void *)scratch;
  act.swings = pki_swings_begin(g, act.s);
  desired_accelerations(&act);
  inverse_dynamics(&act);
  share_load(&act, &share, force);
  const pk_i beyond = find_torques(&act, force, tau);
  if (pki_any(beyond)) {
    limit_forces(&act, &share, beyond, force, tau);
  }
  command_joints(&act, tau);
}
