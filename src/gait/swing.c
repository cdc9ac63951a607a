/* Where swinging feet go. */
#include <math.h>
#include <string.h>

#include "gait/locomotion.h"
#include "math/mat3.h"

static const double foot_k = 1200, foot_d = 70; /* 1/s^2, 1/s */
static const double mend = 0.6;                 /* of the capture point's distance, in planned gaits */
/* Lengths in heights of the robot. */
static const double most = 0.2 / 0.41;    /* of a foothold from below its hip */
static const double slack = 0.08 / 0.41;  /* a larger error pulls no harder */
static const double press = 0.005 / 0.41; /* how far below the ground a swing ends */
static const double press_planned = 2e-3; /* when the landing should be in time */
static const double near = 0.04 / 0.41;   /* a foothold this far off is near enough */
static const double deep = 0.1 / 0.41;    /* how far a foot looks for the ground */
static const double down = 0.299175;      /* how fast, in sqrt(g h) */

/* Where the capture point xi = x + v tau will be when the foot lands. On its diagonal feet the trunk is a linear
 * inverted pendulum of time constant tau = sqrt(h/g): across the diagonal xi runs away from its middle as exp(t/tau).
 * Along the diagonal the feet hold the speed, and xi moves with v. */
static void predict(const pki_walk *w, double tau, double left, double xi[2])
{
  double middle[2] = {0, 0}, line[2] = {0, 0};
  int count = 0;
  for (int i = 0; i < PKI_LEGS; i++) {
    if (w->feet[i].mode == PKI_FOOT_STANCE) {
      for (int k = 0; k < 2; k++) {
        middle[k] += w->feet[i].ground[k];
        line[k] = w->feet[i].ground[k] - line[k];
      }
      count++;
    }
  }
  const double length = hypot(line[0], line[1]);
  const bool pair = count == 2 && length > 0.1;
  const double across[2] = {pair ? -line[1] / length : 0, pair ? line[0] / length : 0};
  double run = 0;
  for (int k = 0; k < 2; k++) {
    xi[k] = w->com[k] + (tau + left) * w->com_vel[k];
    run += across[k] *
           ((w->com[k] + tau * w->com_vel[k] - 0.5 * middle[k]) * exp(left / tau) + 0.5 * middle[k] - xi[k]);
  }
  for (int k = 0; k < 2; k++) {
    xi[k] += run * across[k];
  }
}

/* The foothold: the middle of the feet lies behind the capture point by b = v T/(exp(T/tau) - 1), T the time of a
 * step. Then xi is b exp(T/tau) = b + v T ahead of it after the step: the next middle is v T on, the gait
 * repeats, and an error of the speed is gone in one step (capture point, Pratt et al. 2006; for small T it
 * is Raibert's rule v T/2 + k (v - v_wanted)). Before the first gait T is 0, and b/v its limit tau. */
void pki_foothold(const pki_locomotion *c, const pki_walk *w, int leg, double left, double out[3])
{
  const double cycle = w->cpg.cycle, stance = w->cpg.duty * cycle, tau = c->tau;
  const double behind = cycle > 0 ? 0.5 * cycle / (exp(0.5 * cycle / tau) - 1) : tau;
  const double turn = w->heading + w->speed[2] * (left + 0.5 * stance);
  const double cosine = cos(turn), sine = sin(turn), *hip = c->legs[leg].hip;
  double xi[2], off[2], base[2];
  if (w->planned) {
    double lean[2], rate[2];
    pki_plan_ahead(w, left, base);
    pki_sway_at(c, w, left, lean, rate);
    for (int k = 0; k < 2; k++) {
      base[k] -= lean[k];
      off[k] = 0.5 * stance * w->velocity[k] + mend * tau * w->drift[k];
    }
  } else {
    predict(w, tau, left, xi);
    for (int k = 0; k < 2; k++) {
      base[k] = w->com[k] + left * w->com_vel[k];
      off[k] = xi[k] - behind * w->velocity[k] - base[k];
    }
  }
  const double size = hypot(off[0], off[1]), scale = size > most * c->height ? most * c->height / size : 1;
  const double arm[2] = {cosine * hip[0] - sine * hip[1], sine * hip[0] + cosine * hip[1]};
  for (int k = 0; k < 2; k++) {
    out[k] = base[k] + arm[k] + scale * off[k];
  }
  out[2] = w->plane[0] + w->plane[1] * out[0] + w->plane[2] * out[1] + c->legs[leg].radius;
}

void pki_quintic(double s, double out[3])
{
  const double r = 1 - s;
  out[0] = s * s * s * (10 + s * (6 * s - 15));
  out[1] = 30 * s * s * r * r;
  out[2] = 60 * s * r * (1 - 2 * s);
}

/* Up to 1, there for a while, and down: room for the edges of steps. */
static void bump(double s, double out[3])
{
  static const double top = 0.4, end = 0.5; /* of the plateau */
  const double length = s < top ? top : 1 - end;
  pki_quintic(s < top ? s / top : s > end ? (1 - s) / (1 - end) : 1, out);
  out[1] *= (s < end ? 1 : -1) / length;
  out[2] /= length * length;
}

void pki_swing(const pki_locomotion *c, pki_walk *w, int leg)
{
  const pki_foot *foot = &w->feet[leg];
  pki_foot_now *now = &w->now[leg];
  const double time = (1 - w->cpg.duty) / w->cpg.rate[leg];
  double pos[3], vel[3], acc[3];
  if (foot->mode == PKI_FOOT_SWING) {
    double target[3], path[3], rise[3];
    pki_foothold(c, w, leg, (1 - foot->phase) * time, target);
    target[2] -= (w->planned ? press_planned : press) * c->height;
    pki_quintic(foot->phase, path);
    bump(foot->phase, rise);
    for (int k = 0; k < 3; k++) {
      const double way = target[k] - foot->from[k], lift = k == 2 ? w->lift : 0;
      pos[k] = foot->from[k] + path[0] * way + rise[0] * lift;
      vel[k] = (path[1] * way + rise[1] * lift) / time;
      acc[k] = (path[2] * way + rise[2] * lift) / (time * time);
    }
  } else {
    /* straight down, unless the foothold has gone far and the way is free */
    double target[3];
    pki_foothold(c, w, leg, 0, target);
    const double far = hypot(target[0] - foot->from[0], target[1] - foot->from[1]);
    const double share =
        w->walking && !foot->stuck && far > near * c->height ? 1 - near * c->height / far : 0;
    for (int k = 0; k < 3; k++) {
      pos[k] = foot->from[k] + (k < 2 && share > 0 ? share * (target[k] - foot->from[k]) : 0);
      vel[k] = acc[k] = 0;
    }
    const double pace = down * sqrt(c->gravity * c->height);
    const double depth = fmin(pace * foot->since, deep * c->height);
    pos[2] -= depth;
    vel[2] = depth < deep * c->height ? -pace : 0;
  }
  /* a foot that is held by something does not pull harder and harder */
  double off[3];
  for (int k = 0; k < 3; k++) {
    off[k] = pos[k] - now->pos[k];
  }
  const double size = sqrt(pki_dot3(off, off)),
               scale = size > slack * c->height ? slack * c->height / size : 1;
  for (int k = 0; k < 3; k++) {
    now->acc[k] = acc[k] + foot_k * scale * off[k] + foot_d * (vel[k] - now->vel[k]);
  }
}
