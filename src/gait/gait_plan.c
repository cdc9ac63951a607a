/* The trunk's acceleration and the feet's forces by prediction: the rhythm tells which feet stand when, footholds where,
 * and pki_mpc_solve how they carry the robot through it. Lengths are in heights of the robot, times in sqrt(h/g), forces
 * in weights, so that one set of weights serves robots of all sizes. */
#include <math.h>
#include <string.h>

#include "gait/foot_path.h"
#include "gait/locomotion.h"
#include "math/lu.h"
#include "math/mat3.h"

/* Of the errors of attitude, place, angular velocity and velocity. */
static const double weights[PKI_MPC_STATES] = {1, 1, 3, 0.5, 0.5, 8, 0.1, 0.1, 0.1, 2, 2, 0.3};
static const double upright = 3; /* of tilt, where feet always stand; 1 lets a trunk in flight pitch */
static const double effort = 0.05, last = 3;
static const double least = 0.05;       /* normal force of a foot that stands, in weights of the robot */
static const double leap_horizon = 2.5; /* of a jump, sqrt(h/g) */
static const double mend = 0.6;         /* of the capture point's distance, in footholds */
static const double horizon = 1.5;      /* sqrt(h/g), and at least a cycle of flight */
enum { ROUNDS = 20 };

/* Where the mass will be `left` from now, by the last plan. */
static void plan_ahead(const pki_walk *w, double left, double out[2])
{
  const double at = w->path_step > 0 ? fmin(left / w->path_step, PKI_MPC_KNOTS - 1e-9) : 0;
  const int k = (int)at;
  for (int r = 0; r < 2; r++) {
    out[r] = w->com[r] + (w->path_step > 0 ? w->path[k][r] + (at - k) * (w->path[k + 1][r] - w->path[k][r])
                                           : left * w->com_vel[r]);
  }
}

/* From where the plan has the mass, less its lean: half a stance ahead at the wanted speed, and what mends the drift. */
void pki_plan_foothold(const pki_locomotion *c, const pki_walk *w, int leg, double left, double out[3])
{
  const double stance = w->cpg.duty * w->cpg.cycle, turn = w->heading + w->speed[2] * (left + 0.5 * stance);
  double lean[2], rate[2], off[2], base[2], sine, cosine;
  pki_sincos(turn, &sine, &cosine);
  plan_ahead(w, left, base);
  pki_sway_at(c, w, left, lean, rate);
  for (int k = 0; k < 2; k++) {
    base[k] -= lean[k];
    off[k] = 0.5 * stance * w->velocity[k] + mend * c->tau * w->drift[k];
  }
  pki_v3_store(pki_foothold_at(c, leg, base, off, sine, cosine, w->plane), out);
}

/* Part of a leg's way from phase `from` to `to` that it is on the ground. */
static double stance_fraction(double from, double to, double duty)
{
  double sum = 0;
  for (double k = floor(from); k < to; k += 1) {
    sum += fmax(0, fmin(to, k + duty) - fmax(from, k));
  }
  return to > from ? sum / (to - from) : 0;
}

/* Which feet stand in the knots, and where: until its next landing a foot is where it is. dt in s; arms are yet points
 * in the world, m. */
static void forecast_stance(const pki_locomotion *c, const pki_walk *w, double dt, pki_mpc *m)
{
  pki_cpg g = w->cpg;
  double point[PKI_LEGS][3], first[PKI_LEGS];
  for (int i = 0; i < c->leg_count; i++) {
    first[i] = floor(g.phase[i]);
    memcpy(point[i], w->feet[i].ground, sizeof point[i]);
  }
  for (int k = 0; k < PKI_MPC_KNOTS; k++) {
    const pki_cpg before = g;
    pki_cpg_step(&g, &w->rhythm, dt);
    for (int i = 0; i < c->leg_count; i++) {
      const double from = before.phase[i], to = g.phase[i];
      /* a foot that touched early stands till its time */
      const bool early =
          w->feet[i].mode == PKI_FOOT_STANCE && !pki_cpg_stance(&w->cpg, i) && floor(from) == first[i];
      const bool landed = w->jumping && from >= 1; /* for good */
      m->knots[k].share[i] = before.late[i] || early || landed ? 1 : stance_fraction(from, to, before.duty);
      if (floor(to) > floor(from) && !before.late[i]) {
        pki_plan_foothold(c, w, i, dt * (k + (floor(to) - from) / (to - from)), point[i]);
        point[i][2] -= c->legs[i].radius;
      }
      memcpy(m->knots[k].arm[i], point[i], sizeof point[i]);
    }
  }
}

/* Inverse of the body's inertia in world axes, by kg and m^2 of the units. */
static void invert_inertia(const pki_locomotion *c, const pki_walk *w, double out[9])
{
  double A[9], B[9], Rt[9], column[3];
  int pivot[3];
  pki_mat3_transpose(w->R, Rt);
  pki_mat3_mul(w->R, w->inertia, A);
  pki_mat3_mul(A, Rt, B);
  for (int i = 0; i < 9; i++) {
    B[i] /= c->mass * c->height * c->height;
  }
  pki_lu_factor(B, 3, pivot);
  pki_lu_invert(B, 3, pivot, column, out);
}

/* Where the robot is and where it should be at each knot: along its way, at its height, upright. */
static void set_reference(const pki_locomotion *c, const pki_walk *w, double dt, pki_mpc *m)
{
  const double h = c->height, tau = c->tau, pace = tau / h;
  const double ground = w->plane[0] + w->plane[1] * w->pos[0] + w->plane[2] * w->pos[1];
  const double rise = ground + h + c->legs[0].radius - w->pos[2];
  double turn[3], omega[3];
  pki_mat3_apply(w->R, w->turn, turn);
  pki_mat3_apply(w->R, w->omega, omega);
  for (int k = 0; k < 3; k++) {
    m->start[k] = -turn[k];
    m->start[3 + k] = 0;
    m->start[6 + k] = omega[k] * tau;
    m->start[9 + k] = w->com_vel[k] * pace;
  }
  const double climb = w->plane[1] * w->velocity[0] + w->plane[2] * w->velocity[1];
  for (int k = 0; k < PKI_MPC_KNOTS; k++) {
    const double time = dt * (k + 1);
    pki_mpc_knot *knot = &m->knots[k];
    double lean[2], rate[2], leap = 0, leap_rate = 0;
    pki_sway_at(c, w, time, lean, rate);
    if (w->jumping) {
      leap = pki_jump_height(c, w, time, &leap_rate);
    }
    const double wanted[PKI_MPC_STATES] = {0,
                                           0,
                                           w->speed[2] * time,
                                           (w->place[0] + lean[0] - w->com[0] + w->velocity[0] * time) / h,
                                           (w->place[1] + lean[1] - w->com[1] + w->velocity[1] * time) / h,
                                           (rise + leap + climb * time) / h,
                                           0,
                                           0,
                                           w->speed[2] * tau,
                                           (w->velocity[0] + rate[0]) * pace,
                                           (w->velocity[1] + rate[1]) * pace,
                                           (climb + leap_rate) * pace};
    memcpy(knot->wanted, wanted, sizeof wanted);
    knot->dt = dt / tau;
    const double half = time - 0.5 * dt;
    const double mass[3] = {w->com[0] + w->velocity[0] * half, w->com[1] + w->velocity[1] * half,
                            w->com[2] + rise + climb * half};
    for (int i = 0; i < c->leg_count; i++) {
      for (int r = 0; r < 3; r++) {
        knot->arm[i][r] = (knot->arm[i][r] - mass[r]) / h;
      }
    }
  }
}

/* The forces of now, and the accelerations of the trunk that they give. */
static void apply_plan(const pki_locomotion *c, pki_walk *w, const pki_mpc *m)
{
  const double weight = c->mass * c->gravity;
  double acc[3] = {0, 0, -c->gravity}, moment[3] = {0, 0, 0}, alpha[3], off[3], omega[3], spin[3], swing[3];
  for (int i = 0; i < c->leg_count; i++) {
    double arm[3], turn[3];
    pki_foot_now *now = &w->now[i];
    if (w->feet[i].mode != PKI_FOOT_STANCE) {
      continue;
    }
    pki_sub3(w->feet[i].ground, w->com, arm);
    for (int k = 0; k < 3; k++) {
      now->prefer[k] = weight * m->force[0][3 * i + k];
      acc[k] += c->gravity * m->force[0][3 * i + k];
    }
    pki_cross3(arm, now->prefer, turn);
    for (int k = 0; k < 3; k++) {
      moment[k] += turn[k] / (weight * c->height);
    }
  }
  /* of the mass to that of the trunk's origin: a + alpha x r + omega x (omega x r) */
  pki_mat3_apply(m->inertia_inverse, moment, alpha);
  for (int k = 0; k < 3; k++) {
    alpha[k] /= c->tau * c->tau;
  }
  pki_sub3(w->pos, w->com, off);
  pki_mat3_apply(w->R, w->omega, omega);
  pki_cross3(omega, off, spin);
  pki_cross3(omega, spin, swing);
  pki_cross3(alpha, off, spin);
  for (int k = 0; k < 3; k++) {
    w->acc[k] = acc[k] + spin[k] + swing[k];
  }
  pki_mat3_apply_transposed(w->R, alpha, w->acc + 3);
}

void pki_plan(const pki_locomotion *c, pki_walk *w)
{
  pki_mpc m = {.legs = c->leg_count,
               .gravity = {0, 0, -1},
               .friction = c->options.friction,
               .least = least,
               .limit = w->strength,
               .last = last,
               .effort = effort,
               .rounds = ROUNDS};
  const bool supported = !w->jumping && !pki_cpg_flies(&w->cpg);
  const double cycle = w->jumping ? leap_horizon * c->tau : w->rhythm.cycle;
  const double dt = (supported ? fmin(cycle, horizon * c->tau) : cycle) / PKI_MPC_KNOTS;
  memcpy(m.weight, weights, sizeof weights);
  m.weight[0] = m.weight[1] = supported || w->jumping ? upright : 1;
  memcpy(m.normal, w->normal, sizeof m.normal);
  invert_inertia(c, w, m.inertia_inverse);
  forecast_stance(c, w, dt, &m);
  set_reference(c, w, dt, &m);
  pki_mpc_solve(&m, &w->guess);
  apply_plan(c, w, &m);
  w->path_step = dt;
  memset(w->path[0], 0, sizeof w->path[0]);
  for (int k = 0; k < PKI_MPC_KNOTS; k++) {
    for (int r = 0; r < 3; r++) {
      w->path[k + 1][r] = c->height * m.state[k][3 + r];
    }
  }
}
