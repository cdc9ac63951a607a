/* References of swinging feet, on lanes. */
#ifndef PKI_GAIT_SWING_H
#define PKI_GAIT_SWING_H

#include "gait/foot_path.h"
#include "gait/kernels/limb.h"

/* What swings of all legs share. */
typedef struct pki_swings {
  pk_i planned, walking;
  pk_r middle[2], across[2]; /* of the stance feet; across their line when they are two, else 0 */
  pk_r duty, cycle, behind, spin, lift;
  int turns; /* some robot does */
  const pki_gait_scene *scene;
} pki_swings;

PKI_INLINE pki_swings pki_swings_begin(const pki_gait_group *g, const pki_gait_scene *scene)
{
  static const double apart = 0.25; /* heights: nearer than this, two feet have no line */
  pki_walk *const w = g->walk[0];
  const double tau = g->c->tau;
  const pk_r zero = pki_splat(0);
  pki_swings s;
  s.scene = scene;
  s.planned = pki_pick_flag(g, &w->planned), s.walking = pki_pick_flag(g, &w->walking);
  pk_r count = zero, middle[2] = {zero, zero}, line[2] = {zero, zero};
  for (int i = 0; i < g->c->leg_count; i++) {
    const pk_i stands = scene->stands[i];
    count += pki_select(stands, pki_splat(1), zero);
    for (int k = 0; k < 2; k++) {
      const pk_r ground = k == 0 ? scene->ground[i].x : scene->ground[i].y;
      middle[k] += pki_select(stands, ground, zero);
      line[k] = pki_select(stands, ground - line[k], line[k]);
    }
  }
  const pk_r length = pki_sqrt(line[0] * line[0] + line[1] * line[1]);
  const pk_i pair = pki_less(pki_splat(1.5), count) & pki_less(count, pki_splat(2.5)) &
                    pki_less(pki_splat(apart * g->c->height), length);
  const pk_r share = pki_select(pair, 1.0 / length, zero);
  s.across[0] = pki_select(pair, -line[1] * share, zero);
  s.across[1] = pki_select(pair, line[0] * share, zero);
  s.middle[0] = 0.5 * middle[0], s.middle[1] = 0.5 * middle[1];
  s.duty = pki_pick(g, &w->cpg.duty), s.cycle = pki_pick(g, &w->cpg.cycle);
  s.spin = pki_pick(g, &w->speed[2]), s.lift = pki_pick(g, &w->lift);
  s.turns = pki_any(pki_less(zero, pki_abs(s.spin)));
  /* the middle of the feet belongs this far behind the capture point, by the speed; before the first gait its limit */
  const pk_i going = pki_less(zero, s.cycle);
  const pk_r half = 0.5 * pki_select(going, s.cycle, pki_splat(tau));
  s.behind = pki_select(going, half / (pki_exp(half * (1 / tau)) - 1.0), pki_splat(tau));
  return s;
}

/* Where the capture point xi = x + v tau will be when the foot lands, from where the mass will be, less the distance that the
 * feet stay behind it. On its diagonal feet the trunk is a linear inverted pendulum of time constant tau = sqrt(h/g): across
 * the diagonal xi runs away from its middle as exp(t/tau). Along the diagonal the feet hold the speed, and xi moves with v.
 *
 * The middle of the feet lies behind the capture point by b = v T/(exp(T/tau) - 1), T the time of a step. Then xi is
 * b exp(T/tau) = b + v T ahead of it after the step: the next middle is v T on, the gait repeats, and an error of
 * the speed is gone in one step (capture point, Pratt et al. 2006; for small T it is Raibert's rule
 * v T/2 + k (v - v_wanted)). */
PKI_INLINE pki_v3 pki_pendulum_foothold(const pki_locomotion *c, const pki_swings *s, int leg, pk_r left)
{
  const double tau = c->tau;
  const pki_gait_scene *scene = s->scene;
  const pk_r growth = pki_exp(left * (1 / tau));
  const pk_r com[2] = {scene->com.x, scene->com.y}, rate[2] = {scene->com_vel.x, scene->com_vel.y};
  pk_r base[2], off[2], run = pki_splat(0);
  for (int k = 0; k < 2; k++) {
    const pk_r xi = com[k] + (tau + left) * rate[k];
    run += s->across[k] * ((com[k] + tau * rate[k] - s->middle[k]) * growth + s->middle[k] - xi);
  }
  for (int k = 0; k < 2; k++) {
    base[k] = com[k] + left * rate[k];
    off[k] = tau * rate[k] + run * s->across[k] - s->behind * scene->velocity[k];
  }
  pk_r sine = scene->sine, cosine = scene->cosine;
  if (s->turns) {
    pk_r si, co;
    pki_sincos(s->spin * (left + 0.5 * s->duty * s->cycle), &si, &co);
    sine = scene->sine * co + scene->cosine * si, cosine = scene->cosine * co - scene->sine * si;
  }
  return pki_foothold_at(c, leg, base, off, sine, cosine, scene->plane);
}

/* Up to 1, there for a while, and down: room for the edges of steps. */
PKI_INLINE pki_path pki_bump(pk_r s)
{
  static const double top = 0.4, end = 0.5; /* of the plateau */
  const pk_i rises = pki_less(s, pki_splat(top)), falls = pki_less(pki_splat(end), s);
  const pk_r at =
      pki_select(rises, s * (1 / top), pki_select(falls, (1.0 - s) * (1 / (1 - end)), pki_splat(1)));
  const pk_r pace = pki_select(rises, pki_splat(1 / top), pki_splat(-1 / (1 - end)));
  const pki_path up = pki_quintic(at);
  return (pki_path){up.s, up.rate * pace, up.acc * pace * pace};
}

typedef struct pki_foot_reference {
  pki_v3 pos, vel, acc;
} pki_foot_reference;

/* On its way: along the ground to the foothold, which ends a little below it, and over it. */
PKI_INLINE pki_foot_reference pki_swing_aim(const pki_gait_group *g, const pki_swings *s, int leg,
                                            pki_v3 target, pk_r time)
{
  static const double press = 0.005 / 0.41,
                      press_planned = 2e-3; /* heights; planned landings should be in time */
  pki_walk *const w = g->walk[0];
  const double h = g->c->height;
  const pk_r phase = s->scene->phase[leg], lift = s->lift;
  const pki_v3 from = pki_pick3(g, w->feet[leg].from);
  target.z -= pki_select(s->planned, pki_splat(press_planned * h), pki_splat(press * h));
  const pki_v3 way = pki_sub(target, from);
  const pki_path path = pki_quintic(phase), rise = pki_bump(phase);
  const pk_r pace = 1.0 / time;
  pki_foot_reference out = {pki_add_scaled(from, path.s, way), pki_scale(path.rate * pace, way),
                            pki_scale(path.acc * pace * pace, way)};
  out.pos.z += rise.s * lift, out.vel.z += rise.rate * pace * lift,
      out.acc.z += rise.acc * pace * pace * lift;
  return out;
}

/* Looking for the ground: straight down, unless the foothold has gone far and the way is free. */
PKI_INLINE pki_foot_reference pki_reach_aim(const pki_gait_group *g, const pki_swings *s, int leg,
                                            pki_v3 target)
{
  static const double near = 0.04 / 0.41; /* heights: a foothold this far off is near enough */
  static const double deep = 0.1 / 0.41;  /* how far a foot looks for the ground */
  static const double down = 0.299175;    /* how fast, in sqrt(g h) */
  pki_walk *const w = g->walk[0];
  const double h = g->c->height, pace = down * sqrt(g->c->gravity * h);
  const pk_r zero = pki_splat(0);
  const pki_v3 from = pki_pick3(g, w->feet[leg].from);
  const pk_i free = s->walking & ~pki_pick_flag(g, &w->feet[leg].stuck);
  const pk_r x = target.x - from.x, y = target.y - from.y, far = pki_sqrt(x * x + y * y);
  const pk_i goes = free & pki_less(pki_splat(near * h), far);
  const pk_r share = pki_select(goes, 1.0 - near * h / far, zero);
  const pk_r sunk = pki_min(pace * s->scene->since[leg], pki_splat(deep * h));
  const pk_r fall = pki_select(pki_less(sunk, pki_splat(deep * h)), pki_splat(-pace), zero);
  return (pki_foot_reference){
      {from.x + pki_select(goes, share * x, zero), from.y + pki_select(goes, share * y, zero), from.z - sunk},
      {zero, zero, fall},
      pki_v3_zero()};
}

/* Of a foot's centre, world. */
PKI_INLINE pki_v3 pki_foot_velocity(const pki_gait_scene *s, int leg)
{
  const pki_v3 v = pki_add_cross(s->legs[leg].velocity_by_hinges, s->limbs[0].w, s->legs[leg].arm);
  return pki_add(s->vel, pki_m3_apply(s->R, v));
}

/* Wanted acceleration of a foot that carries nothing; what stands has any. */
PKI_INLINE pki_v3 pki_swing(const pki_gait_group *g, const pki_swings *s, int leg)
{
  static const double foot_k = 50.1529, foot_d = 14.3105; /* g/h, sqrt(g/h) */
  static const double slack = 0.08 / 0.41;                /* heights: a larger error pulls no harder */
  const double pace = g->c->pace, stiffness = foot_k * pace * pace, damping = foot_d * pace;
  pki_walk *const w = g->walk[0];
  const pk_i swings = s->scene->swings[leg];
  const pk_r time = (1.0 - s->duty) / pki_pick(g, &w->cpg.rate[leg]);
  const pk_r left = pki_select(swings, (1.0 - s->scene->phase[leg]) * time, pki_splat(0));
  pki_v3 target = pki_pendulum_foothold(g->c, s, leg, left);
  if (pki_any(s->planned)) {
    target = pki_v3_select(s->planned, pki_pick3(g, w->now[leg].target), target);
  }
  pki_foot_reference to = pki_swing_aim(g, s, leg, target, time);
  if (pki_any(~(swings | s->scene->stands[leg]))) {
    const pki_foot_reference sink = pki_reach_aim(g, s, leg, target);
    to =
        (pki_foot_reference){pki_v3_select(swings, to.pos, sink.pos), pki_v3_select(swings, to.vel, sink.vel),
                             pki_v3_select(swings, to.acc, sink.acc)};
  }
  /* a foot that is held by something does not pull harder and harder */
  const pki_v3 off = pki_sub(to.pos, s->scene->legs[leg].pos);
  const pk_r most = pki_splat(slack * g->c->height);
  const pk_r scale = most / pki_max(pki_sqrt(pki_dot(off, off)), most);
  const pki_v3 miss = pki_sub(to.vel, pki_foot_velocity(s->scene, leg));
  return pki_add_scaled(pki_add_scaled(to.acc, stiffness * scale, off), pki_splat(damping), miss);
}

#endif
