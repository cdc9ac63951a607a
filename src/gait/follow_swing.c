/* Where feet go that do not stand, and joints that bring them there.
 *
 * A foot that swings goes where the motion has it, off by o: at first by what it stood off, at its landing by the shift d that the balance asks
 * for (follow_balance.c), which is asked for anew in each update. On its way o has the acceleration of the cubic that comes to rest in
 * d in the time t that is left, the one of the least square (heavy legs push the trunk back):
 *
 *   o'' = 6 (d - o)/t^2 - 4 o'/t
 *
 * Joints follow by damped least squares (Wampler 1986; Nakamura and Hanafusa 1986) from the motion's own, with the trunk where it is:
 *
 *   q <- q + J' inv(J J' + l^2 1) (p - p(q)) */
#include <math.h>
#include <string.h>

#include "gait/follow.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "math/rotation.h"

/* In h: how much the place of a foot counts against joints that leave the motion; straight legs would bend far for little. */
static const double swing_damping = 0.15;

/* ---- where feet go ---- */

/* Shift of a foothold: what the balance asks for, as far as the leg may differ from its motion. */
static void find_shift(const pki_follow_now *now, int f, double out[2])
{
  const double most = now->c->options.foothold_limit * now->c->height;
  double reach[2];
  for (int k = 0; k < 2; k++) {
    reach[k] = now->places[f][k] - (now->mass[k] - now->wanted_mass[k]);
  }
  const double size = hypot(reach[0], reach[1]), part = size > most ? most / size : 1;
  for (int k = 0; k < 2; k++) {
    out[k] = now->mass[k] - now->wanted_mass[k] + part * reach[k];
  }
}

/* The way of a foot from that of the motion: with the least square of acceleration to its shift at the landing. */
static void lead_offset(const pki_follow_now *now, int f, double acceleration[2])
{
  static const double least = 0.3; /* sqrt(h/g) */
  pki_follow_step *step = &now->s->feet[f];
  double shift[2];
  find_shift(now, f, shift);
  const double left = fmax(now->want.left[f], least / now->c->pace);
  for (int k = 0; k < 2; k++) {
    acceleration[k] = 6 * (shift[k] - step->offset[k]) / (left * left) - 4 * step->rate[k] / left;
  }
}

static void aim_foot(pki_follow_now *now, int f, pki_follow_place *to, double acceleration[2])
{
  static const double sink = 0.3, deepest = 0.2;
  const pki_follow *c = now->c;
  const pki_follow_place *want = &now->wanted_feet[f];
  pki_follow_step *step = &now->s->feet[f];
  const bool late = step->mode == PKI_FOLLOW_REACH;
  *to = *want;
  acceleration[0] = acceleration[1] = 0;
  if (late) {
    step->rate[0] = step->rate[1] = 0;
  } else {
    lead_offset(now, f, acceleration);
  }
  for (int k = 0; k < 2; k++) {
    to->at[k] += step->offset[k];
    to->rate[3 + k] += step->rate[k];
    step->offset[k] += now->dt * (step->rate[k] + 0.5 * now->dt * acceleration[k]);
    step->rate[k] += now->dt * acceleration[k];
  }
  /* a foot that is late goes on downwards, at most a part of the height */
  const double down = late ? fmin(sink * c->pace * step->since, deepest) * c->height : 0;
  to->at[2] = want->at[2] + now->s->ground - down;
  to->rate[5] = want->rate[5] - (late && down < deepest * c->height ? sink * c->pace * c->height : 0);
}

/* ---- joints that bring them there ---- */

/* x of (A + l^2 1) x = b, A [n][n] symmetric, n up to 6; A is overwritten, and b becomes x. */
static void solve_damped(int n, double A[6][6], double damping, double b[6])
{
  for (int i = 0; i < n; i++) {
    A[i][i] += damping;
  }
  pki_cholesky(A[0], n, 6);
  pki_cholesky_solve(A[0], n, 6, b, 1);
}

void pki_follow_leg_solve(const pki_follow_now *now, int f, const double *J, const double error[6],
                          double damping, double *out)
{
  const pki_follow_foot *foot = &now->c->feet[f];
  const int nu = now->seen->model->nu, first = foot->sole.width == 6 ? 0 : 3, n = 6 - first;
  const double h = now->c->height;
  double A[6][6], b[6], scaled[6][PKI_FOLLOW_LEG];
  for (int i = 0; i < n; i++) {
    const double unit = first + i < 3 ? 1 : 1 / h;
    b[i] = unit * error[first + i];
    for (int k = 0; k < foot->joints; k++) {
      scaled[i][k] = unit * J[(first + i) * nu + now->c->motion.dof[foot->joint[k]]];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      A[i][j] = 0;
      for (int k = 0; k < foot->joints; k++) {
        A[i][j] += scaled[i][k] * scaled[j][k];
      }
    }
  }
  solve_damped(n, A, damping * damping, b);
  for (int k = 0; k < foot->joints; k++) {
    out[k] = 0;
    for (int i = 0; i < n; i++) {
      out[k] += scaled[i][k] * b[i];
    }
  }
}

/* Where a foot should be less where it is: rotation vector, way. */
static void place_error(const pki_follow_place *to, const pki_follow_place *at, double out[6])
{
  double turn[9];
  pki_rotation_mul_transposed(to->rot, at->rot, turn);
  pki_rotation_log(turn, out);
  pki_sub3(to->at, at->at, out + 3);
}

/* One round of all legs that do not stand, at the coordinates q_full, of which J [6][nu] is scratch. */
static void improve_joints(pki_follow_now *now, const pki_follow_place *to, double *J)
{
  const pki_follow *c = now->c;
  const pk_observation *seen = now->seen;
  pk_kinematics_compute(seen->workspace, now->q_full, NULL);
  for (int f = 0; f < c->motion.feet; f++) {
    const pki_follow_foot *foot = &c->feet[f];
    if (now->s->feet[f].mode == PKI_FOLLOW_STANCE) {
      continue;
    }
    pki_follow_place at;
    double error[6], change[PKI_FOLLOW_LEG];
    pki_follow_foot_place(seen->workspace, foot, &at);
    place_error(&to[f], &at, error);
    const pk_pose link = pk_link_pose(seen->workspace, foot->sole.link);
    double arm[3], middle[3];
    pki_sub3(at.at, link.pos, arm);
    pki_mat3_apply_transposed(link.rot, arm, middle);
    pk_link_jacobian(seen->workspace, foot->sole.link, middle, J);
    pki_follow_leg_solve(now, f, J, error, swing_damping, change);
    for (int k = 0; k < foot->joints; k++) {
      const int joint = foot->joint[k];
      now->q[joint] += fmin(fmax(change[k], -0.5), 0.5);
      now->q_full[seen->model->dof_q[c->motion.dof[joint]]] = now->q[joint];
    }
  }
}

/* Rates of joints that give a foot its rate, with the trunk's motion as it is, and accelerations for that of its offset. */
static void set_rates(pki_follow_now *now, int f, const pki_follow_place *to, const double acceleration[2])
{
  const pki_follow *c = now->c;
  const pki_follow_foot *foot = &c->feet[f];
  const int nu = now->seen->model->nu;
  const double *J = pki_follow_jacobian(now, f);
  double missing[6], change[PKI_FOLLOW_LEG];
  for (int i = 0; i < 6; i++) {
    missing[i] = to->rate[i];
    for (int k = 0; k < 6; k++) {
      missing[i] -= J[i * nu + c->u + k] * now->seen->u[c->u + k];
    }
    for (int k = 0; k < foot->joints; k++) { /* from the motion's own rates */
      missing[i] -= J[i * nu + c->motion.dof[foot->joint[k]]] * now->u[foot->joint[k]];
    }
  }
  pki_follow_leg_solve(now, f, J, missing, swing_damping, change);
  for (int k = 0; k < foot->joints; k++) {
    now->u[foot->joint[k]] += change[k];
  }
  const double moved[6] = {0, 0, 0, acceleration[0], acceleration[1], 0};
  pki_follow_leg_solve(now, f, J, moved, swing_damping, change);
  for (int k = 0; k < foot->joints; k++) {
    now->lead[foot->joint[k]] = change[k];
  }
}

void pki_follow_swing(pki_follow_now *now)
{
  enum { ROUNDS = 3 };
  const pki_follow *c = now->c;
  const pk_model *m = now->seen->model;
  pki_follow_place to[PKI_WHOLE_MOTION_FEET];
  memcpy(now->q, now->want.q, sizeof now->q);
  memcpy(now->u, now->want.u, sizeof now->u);
  memset(now->lead, 0, sizeof now->lead);
  memcpy(now->q_full, now->seen->q, (size_t)m->nq * sizeof(double));
  for (int k = 0; k < c->motion.joints; k++) {
    now->q_full[m->dof_q[c->motion.dof[k]]] = now->q[k];
  }
  int away = 0;
  for (int f = 0; f < c->motion.feet; f++) {
    if (now->s->feet[f].mode != PKI_FOLLOW_STANCE) {
      double acceleration[2];
      aim_foot(now, f, &to[f], acceleration);
      set_rates(now, f, &to[f], acceleration);
      away++;
    }
  }
  for (int round = 0; round < ROUNDS && away > 0; round++) {
    improve_joints(now, to, now->M); /* M has room for a Jacobian, and is not yet needed */
  }
}
