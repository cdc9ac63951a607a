/* Accelerations that are wanted of trunk and feet, by inverse dynamics and the feet's forces into torques. */
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
  const pk_model *m;
  int body, nbody, u; /* the robot's */
  pki_scene *s;
  pki_swings swings;
  pk_r a[ROWS], need[ROWS]; /* du/dt and M du/dt + h of the robot's velocities */
} action;

/* A swinging joint brakes before its limits: no more acceleration than that of a damped spring that ends there. What is
 * not a number stays so: the step refuses it as a command. */
static inline pk_r within_limits(const action *act, int u, pk_r acceleration)
{
  static const double k = 900, d = 60, room = 0.03; /* 1/s^2, 1/s, rad */
  const pk_model *m = act->m;
  pk_r q, v;
  pki_pick_state(act->g->q, m->dof_q[u], 1, &q);
  pki_pick_state(act->g->u, u, 1, &v);
  const pk_r most = k * (m->dof_upper[u] - room - q) - d * v,
             least = k * (m->dof_lower[u] + room - q) - d * v;
  const pk_r below = pki_select(pki_less(most, acceleration), most, acceleration);
  return pki_select(pki_less(below, least), least, below);
}

/* Accelerations of a leg's joints that give its foot the wanted one: J_l a_l = acc - dJ/dt u - J_b a_b, damped least
 * squares. */
static inline void bend_leg(action *act, int i, pki_v3 acc)
{
  static const double damping = 5e-4;
  const pki_leg *leg = &act->g->c->legs[i];
  const pki_limb *trunk = act->s->limbs;
  const pki_tip *foot = &act->s->feet[i];
  const pki_v3 by_trunk = pki_add_cross(trunk->accel.l, trunk->accel.a, pki_sub(foot->pos, trunk->origin));
  const pki_v3 b = pki_sub(pki_sub(acc, foot->bias), by_trunk);
  pki_v3 J[3];
  for (int k = 0; k < 3; k++) {
    J[k] = pki_hinge(act->g, act->s, i, k, foot->pos);
  }
  const pki_s3 JJ = {damping + J[0].x * J[0].x + J[1].x * J[1].x + J[2].x * J[2].x,
                     J[0].x * J[0].y + J[1].x * J[1].y + J[2].x * J[2].y,
                     J[0].x * J[0].z + J[1].x * J[1].z + J[2].x * J[2].z,
                     damping + J[0].y * J[0].y + J[1].y * J[1].y + J[2].y * J[2].y,
                     J[0].y * J[0].z + J[1].y * J[1].z + J[2].y * J[2].z,
                     damping + J[0].z * J[0].z + J[1].z * J[1].z + J[2].z * J[2].z};
  const pki_v3 x = pki_s3_solve(JJ, b);
  for (int k = 0; k < 3; k++) {
    const int u = leg->u[k];
    const pk_r wanted = pki_dot(J[k], x);
    act->a[u - act->u] = pki_select(act->swings.stands[i], wanted, within_limits(act, u, wanted));
  }
}

/* Accelerations that are wanted of the trunk and of all feet, as accelerations of coordinates. */
static inline void want(action *act)
{
  const pki_gait_group *g = act->g;
  pki_limb *trunk = act->s->limbs;
  for (int k = 0; k < act->m->robots[g->c->robot].nu; k++) {
    act->a[k] = pki_splat(0);
  }
  const pki_v3 linear = pki_pick3(g, g->walk[0]->acc), angular = pki_pick3(g, g->walk[0]->acc + 3);
  pki_v3_store(linear, act->a);
  pki_v3_store(angular, act->a + 3);
  trunk->accel = (pki_v6){pki_m3_apply(trunk->R, angular), linear};
  for (int i = 0; i < PKI_LEGS; i++) {
    const pk_i stands = act->swings.stands[i];
    pki_v3 acc = pki_v3_zero();
    if (pki_any(~stands)) {
      acc = pki_v3_where(~stands, pki_swing(g, &act->swings, i, &act->s->feet[i]));
    }
    bend_leg(act, i, acc);
  }
}

static inline pki_v6 force_of(const action *act, const pki_limb *b, pki_v6 accel)
{
  const int body = act->body + (int)(b - act->s->limbs);
  const pk_r mass = pki_splat(act->m->body_inertia[10 * (size_t)body]);
  return pki_inertia_force(mass, b->h, pki_model_moments(act->m, body), &b->R, b->twist.a, accel);
}

/* Recursive Newton-Euler over the robot's bodies, whose motion is known but for du/dt and gravity. */
static inline void invert(action *act)
{
  const pk_model *m = act->m;
  pki_limb *const limbs = act->s->limbs;
  const pki_v3 gravity = pki_v3_splat(m->gravity);
  limbs[0].accel.l = pki_sub(limbs[0].accel.l, gravity);
  limbs[0].force = force_of(act, limbs, limbs[0].accel);
  for (int j = 1; j < act->nbody; j++) {
    const int i = act->body + j;
    pki_limb *b = &limbs[j], *parent = &limbs[m->body_parent[i] - act->body];
    const pk_r *a = act->a + (m->body_u[i] - act->u);
    b->accel = pki_motion_to_tip(parent->accel, b->r);
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      b->accel.a = pki_add_scaled(b->accel.a, *a, b->axis);
    } else {
      b->accel = pki_v6_add(b->accel, pki_joint_twist(m, i, &parent->R, &b->R, a));
    }
    b->force = force_of(act, b, pki_v6_add(b->bias, b->accel));
  }
  for (int k = 0; k < m->robots[act->g->c->robot].nu; k++) {
    act->need[k] = m->dof_armature[act->u + k] * act->a[k];
  }
  for (int j = act->nbody - 1; j > 0; j--) {
    const int i = act->body + j;
    pki_limb *b = &limbs[j], *parent = &limbs[m->body_parent[i] - act->body];
    pk_r *need = act->need + (m->body_u[i] - act->u);
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      *need = pki_add_dot(*need, b->axis, b->force.a);
    } else {
      pki_joint_feel(m, i, &parent->R, &b->R, b->force, need);
    }
    parent->force = pki_v6_add(parent->force, pki_force_to_foot(b->force, b->r));
  }
}

/* What the stance feet must give: force and, in the trunk's axes, moment about its origin. Feet push where they touch,
 * a radius below the ball's centre. */
static inline void share_load(const action *act, const pki_v3 *contact, pki_v3 normal, pki_v3 *force)
{
  const pki_gait_group *g = act->g;
  const pki_locomotion *c = g->c;
  pki_walk *const w = g->walk[0];
  const pki_limb *trunk = act->s->limbs;
  const double arm2 = c->arm * c->arm, S[6] = {0.1, 0.1, 1, 1 / arm2, 1 / arm2, 0.5 / arm2};
  const double give[6] = {1 / 0.1, 1 / 0.1, 1, arm2, arm2, arm2 / 0.5};
  pki_share s;
  pki_share_point found;
  memcpy(s.S, S, sizeof S);
  memcpy(s.give, give, sizeof give);
  s.friction = c->options.friction;
  s.regular = pki_select(act->swings.planned, pki_splat(0.02), pki_splat(1e-3));
  s.normal = normal;
  s.b = (pki_v6){pki_m3_apply_t(trunk->R, trunk->force.a), trunk->force.l};
  for (int i = 0; i < PKI_LEGS; i++) {
    const pki_v3 arm = pki_sub(contact[i], trunk->origin);
    s.stands[i] = act->swings.stands[i];
    for (int r = 0; r < 3; r++) {
      s.C[i][r] = pki_v3_where(s.stands[i], pki_cross(pki_m3_col(&trunk->R, r), arm));
    }
    s.prefer[i] = pki_v3_where(s.stands[i], pki_pick3(g, w->now[i].prefer));
    s.limit[i] = pki_pick(g, &w->now[i].limit);
  }
  pki_share_solve(&s, &found);
  for (int i = 0; i < PKI_LEGS; i++) {
    force[i] = found.at[i].f;
  }
}

/* The rows of the joints, less the feet's forces, are the torques. */
static inline void command(const action *act, const pki_v3 *contact, const pki_v3 *force)
{
  const pki_gait_group *g = act->g;
  const pki_locomotion *c = g->c;
  const double damping = calm * c->mass * c->height * c->height;
  const pk_r period = pki_pick(g, &g->walk[0]->period);
  for (int i = 0; i < 3 * PKI_LEGS; i++) {
    const int leg = i / 3, u = c->legs[leg].u[i % 3];
    const pki_v3 column = pki_hinge(g, act->s, leg, i % 3, contact[leg]);
    pk_r rate;
    pki_pick_state(g->u, u, 1, &rate);
    const pk_r tau = act->need[u - act->u] - pki_dot(column, force[leg]);
    const pk_r u_des = rate + period * act->a[u - act->u];
    for (int l = 0; l < PKI_LANES; l++) {
      if (!g->walk[l]->fallen) {
        g->commands[l][u] = (pk_command){.tau = pki_lane(tau, l),
                                         .u_des = pki_lane(u_des, l),
                                         .kd = damping,
                                         .tau_max = act->m->dof_effort[u]};
      }
    }
  }
}

void PKI_NAME(gait_act)(const pki_gait_group *g, double *scratch)
{
  const pk_model_robot *robot = &g->model->robots[g->c->robot];
  action act;
  act.g = g, act.m = g->model;
  act.body = robot->body, act.nbody = robot->nbody, act.u = robot->u;
  act.s = (pki_scene *)(void *)scratch;
  act.swings = pki_swings_begin(g);
  const pki_v3 normal = pki_pick3(g, g->walk[0]->normal);
  pki_v3 contact[PKI_LEGS], force[PKI_LEGS];
  for (int i = 0; i < PKI_LEGS; i++) {
    contact[i] = pki_add_scaled(act.s->feet[i].pos, pki_splat(-g->c->legs[i].radius), normal);
  }
  want(&act);
  invert(&act);
  share_load(&act, contact, normal, force);
  command(&act, contact, force);
}
