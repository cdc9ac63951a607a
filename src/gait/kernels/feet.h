/* Modes of the feet, on lanes: which ones stand, swing or search for the ground, and how much a stance foot may carry. */
#ifndef PKI_GAIT_FEET_H
#define PKI_GAIT_FEET_H

#include <stddef.h>

#include "gait/kernels/limb.h"

_Static_assert(offsetof(pki_foot, since) == 3 * sizeof(double), "ground and since are taken at once");

/* What an update is for all feet. */
typedef struct pki_gait_timing {
  pk_r period, duty, cycle;
  pki_v3 normal;       /* of the ground, as the last update left it */
  pk_r rise, rise_inv; /* s, 1/s: time to load a foot */
  pk_i walking;
  double touch, heavy; /* N: contact, largest force */
} pki_gait_timing;

PKI_INLINE pki_gait_timing pki_gait_timing_of(const pki_gait_group *g)
{
  static const double touch = 0.0114026; /* weights of the robot: a foot that feels more is on the ground */
  static const double planned_ramp = 0.0489151; /* PKI_FOOT_RAMP of planned gaits */
  pki_walk *const w = g->walk[0];
  const double weight = g->c->mass * g->c->gravity, tau = g->c->tau, pace = g->c->pace;
  const pk_i planned = pki_pick_flag(g, &w->planned);
  return (pki_gait_timing){
      .period = pki_pick(g, &w->period),
      .duty = pki_pick(g, &w->cpg.duty),
      .cycle = pki_pick(g, &w->cpg.cycle),
      .normal = pki_pick3(g, w->normal),
      .rise = pki_select(planned, pki_splat(planned_ramp * tau), pki_splat(PKI_FOOT_RAMP * tau)),
      .rise_inv = pki_select(planned, pki_splat(pace / planned_ramp), pki_splat(pace / PKI_FOOT_RAMP)),
      .walking = pki_pick_flag(g, &w->walking),
      .touch = touch * weight,
      .heavy = PKI_FOOT_HEAVY * weight,
  };
}

/* Feet that change their mode begin where they are; one that reaches and touches something steep moves away from it. */
PKI_INLINE void pki_foot_change_mode(const pki_gait_group *g, const pki_gait_scene *s, int leg, pk_i changed)
{
  const pki_v3 pos = s->legs[leg].pos;
  const double away = 0.015 / 0.41 * g->c->height;
  const pk_r one = pki_splat(1), marked = pki_where_set(changed, one);
  const pk_r stands = pki_where_set(s->stands[leg], one), swings = pki_where_set(s->swings[leg], one);
  for (int l = 0; l < PKI_LANES; l++) {
    pki_foot *foot = &g->walk[l]->feet[leg];
    const pki_foot_now *now = &g->walk[l]->now[leg];
    if (pki_lane(marked, l) > 0) {
      foot->mode = pki_lane(stands, l) > 0   ? PKI_FOOT_STANCE
                   : pki_lane(swings, l) > 0 ? PKI_FOOT_SWING
                                             : PKI_FOOT_REACH;
      foot->stuck = false;
      foot->from[0] = pki_lane(pos.x, l), foot->from[1] = pki_lane(pos.y, l),
      foot->from[2] = pki_lane(pos.z, l);
    }
    if (foot->mode == PKI_FOOT_REACH && now->wall) {
      foot->stuck = true;
      foot->from[0] = pki_lane(pos.x, l) + away * now->away[0];
      foot->from[1] = pki_lane(pos.y, l) + away * now->away[1];
    }
  }
}

/* When a foot changes its mode, where its ground is, and how much it may carry. */
PKI_INLINE void pki_foot_schedule(const pki_gait_group *g, pki_gait_scene *s, const pki_gait_timing *b,
                                  int leg)
{
  static const double patience =
      0.0733; /* sqrt(h/g) without contact until a stance foot looks for the ground */
  pki_walk *const w = g->walk[0];
  const pk_r half = pki_splat(0.5), one = pki_splat(1), cycles = pki_pick(g, &w->cpg.phase[leg]);
  /* as pki_cpg_place and pki_cpg_stance: place is 0 to 1 of the cycle, `air` where the foot should not stand */
  const pk_r place = cycles - pki_floor(cycles);
  const pk_i goes = b->walking & ~pki_pick_flag(g, &w->cpg.late[leg]), early = pki_less(place, b->duty);
  const pk_i air = goes & ~early, touches = pki_less(pki_splat(b->touch), pki_pick(g, &w->now[leg].load));
  const pk_r phase = pki_select(air, (place - b->duty) / (1.0 - b->duty), one);
  double *at[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    at[l] = g->walk[l]->feet[leg].ground;
  }
  pk_r kept[4]; /* ground and since */
  pki_gather((const double *const *)at, 4, (double *)kept);
  const pk_r since = kept[3] + b->period;
  const pk_r quiet = pki_where_set(~touches, pki_pick(g, &w->feet[leg].quiet) + b->period);
  pk_i stands = pki_mask_none(), swings = stands;
  for (int l = 0; l < PKI_LANES; l++) {
    pki_set_mask(&stands, l, g->walk[l]->feet[leg].mode == PKI_FOOT_STANCE);
    pki_set_mask(&swings, l, g->walk[l]->feet[leg].mode == PKI_FOOT_SWING);
  }
  const pk_i leaves = stands & air & pki_less(phase, half);
  const pk_i loses = stands & ~leaves & pki_less(pki_splat(patience * g->c->tau), quiet);
  const pk_i lands = touches & ((swings & (~air | pki_less(half, phase))) | ~(stands | swings));
  const pk_i misses = swings & ~air & ~touches, changed = leaves | loses | lands | misses;
  s->stands[leg] = (stands | lands) & ~(leaves | loses);
  s->swings[leg] = (swings | leaves) & ~(lands | misses);
  s->phase[leg] = phase;
  s->since[leg] = pki_where_set(~changed, since);
  pki_put(g, &w->feet[leg].quiet, pki_where_set(~changed, quiet));
  if (pki_any(changed | ~(s->stands[leg] | s->swings[leg]))) {
    pki_foot_change_mode(g, s, leg, changed);
  }
  /* a foot that stands has its ground a radius below its centre, and unloads before it leaves */
  const pki_v3 below = pki_add_scaled(s->legs[leg].pos, pki_splat(-g->c->legs[leg].radius), b->normal);
  s->ground[leg] = pki_v3_select(s->stands[leg], below, pki_v3_load(kept));
  pki_v3_store(s->ground[leg], kept);
  kept[3] = s->since[leg];
  pki_scatter((const double *)kept, 4, at);
  const pk_r loaded = s->since[leg] + b->period, left = (b->duty - place) * b->cycle;
  const pk_r least = pki_select(goes & early & pki_less(left, loaded), left, loaded);
  const pk_r share = pki_max(least * b->rise_inv, pki_splat(0.02));
  s->limit[leg] = b->heavy * pki_select(pki_less(least, b->rise), share, one);
}

#endif
