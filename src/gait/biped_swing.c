/* The path of a swinging foot: polynomials of the fifth degree from where its reference is to where it should be, begun anew in each
 * update, so that it follows a target that moves. */
#include <math.h>
#include <string.h>

#include "gait/biped.h"
#include "math/mat3.h"
#include "math/rotation.h"

static const double apex = 0.5;    /* part of the swing after which the foot comes down */
static const double settled = 0.9; /* part of the swing after which it only comes down */

/* One update along the polynomial of the fifth degree that is at `to` after `left` with rate `rate`, without acceleration. */
static void step_number(pki_swing_number *n, double to, double rate, double left, double dt)
{
  if (left <= 1.5 * dt) {
    n->x = to - rate * fmax(left - dt, 0), n->rate = rate, n->acc = 0;
    return;
  }
  const double T = left, d = to - n->x, v = n->rate, a = n->acc;
  const double c3 = (20 * d - (8 * rate + 12 * v) * T - 3 * a * T * T) / (2 * T * T * T),
               c4 = (-30 * d + (14 * rate + 16 * v) * T + 3 * a * T * T) / (2 * T * T * T * T),
               c5 = (12 * d - 6 * (rate + v) * T - a * T * T) / (2 * T * T * T * T * T);
  n->x += dt * (v + dt * (0.5 * a + dt * (c3 + dt * (c4 + dt * c5))));
  n->rate = v + dt * (a + dt * (3 * c3 + dt * (4 * c4 + dt * 5 * c5)));
  n->acc = a + dt * (6 * c3 + dt * (12 * c4 + dt * 20 * c5));
}

static void turn_about_z(double yaw, double R[9])
{
  pki_rotation_exp((double[3]){0, 0, yaw}, R);
}

void pki_biped_swing_begin(pki_biped_now *n, int foot)
{
  pki_biped_state *s = n->s;
  const pki_whole_foot_now *now = &n->foot[foot];
  double turn[9], level[9], by[3];
  memset(s->swing, 0, sizeof s->swing);
  for (int k = 0; k < 3; k++) {
    s->swing[k].x = now->at[k];
  }
  s->swing[3].x = s->feet[foot].yaw;
  turn_about_z(s->swing[3].x, turn);
  pki_mat3_mul(turn, s->flat[foot], level);
  pki_whole_turn_between(level, now->R, by);
  pki_mat3_apply(level, by, s->tilt);
}

void pki_biped_swing_step(pki_biped_now *n, int foot, pki_whole_foot_goal *to)
{
  pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const pk_whole_body_gains *gain = &o->tasks[PK_WHOLE_BODY_SWING];
  const double T = s->length, t = s->since, dt = n->period;
  const double stand = n->foot[!foot].at[2];
  const double where[3] = {s->target.at[0], s->target.at[1], s->target.yaw};
  for (int k = 0; k < 3; k++) {
    step_number(&s->swing[k < 2 ? k : 3], where[k], 0, settled * T - t, dt);
  }
  pki_swing_number *up = &s->swing[2];
  if (t < apex * T) {
    step_number(up, fmax(stand, up->x - 1) + o->lift, 0, apex * T - t, dt);
  } else if (t < T) {
    step_number(up, stand, 0, T - t, dt);
  } else {
    up->x -= o->descent * dt;
    up->rate = -o->descent, up->acc = 0;
  }
  /* level, but for what is left of the tilt with which it left the ground */
  const double fade = fmin(fmax(1 - 2 * t / T, 0), 1), rest = fade * fade * (3 - 2 * fade);
  double turn[9], level[9], off[9];
  turn_about_z(s->swing[3].x, turn);
  pki_mat3_mul(turn, s->flat[foot], level);
  pki_rotation_exp((double[3]){rest * s->tilt[0], rest * s->tilt[1], rest * s->tilt[2]}, off);
  pki_mat3_mul(off, level, to->turn);
  to->stands = false;
  for (int k = 0; k < 3; k++) {
    to->at[k] = s->swing[k].x;
    to->ahead[k] = 0;
    to->ahead[3 + k] = gain->kd * s->swing[k].rate + s->swing[k].acc;
  }
  to->ahead[2] = gain->kd * s->swing[3].rate + s->swing[3].acc;
}
