/* Feet with rows in slots of their own: which of them are active, and those that land. */
#ifndef PKI_STEP_SLOT_FEET_H
#define PKI_STEP_SLOT_FEET_H

#include "step/kernels/active.h"
#include "step/kernels/rows.h"

/* How feet pushed in the last step. */
static void pki_recall_feet(pki_group *g, const pki_lane_world *lane_world, int lane)
{
  const pki_group_plan *p = g->plan;
  for (int i = 0, b = 0; i < *lane_world->nlast; i++) { /* both by shapes */
    while (b < p->nball && p->shape[b] < lane_world->last[i].geom[0]) {
      b++;
    }
    if (b < p->nball && p->shape[b] == lane_world->last[i].geom[0] &&
        lane_world->last[i].geom[1] == p->geom) {
      for (int d = 0; d < 3; d++) {
        g->r[(3 * b + d) * PKI_LANES + lane] = lane_world->last_r[3 * i + d];
      }
    }
  }
}

/* No slot is taken but the feet's; those near the ground in some lane have rows. */
static void pki_begin_slots(pki_lanes *f)
{
  for (int l = 0; l < f->count; l++) {
    f->nslot[l] = f->p->nball;
  }
  for (int b = 0; b < f->p->nball; b++) {
    const pk_i lands = pki_less(pki_splat(f->p->landing), pki_reals(f->g->gap)[b]);
    pk_r *const mu = pki_out(f->g->mu) + b;
    *mu = pki_select(lands, pki_splat(0), *mu);
    f->path[b] = f->p->chain[f->p->body[b]];
    pki_out(f->g->slip)[b] = pki_splat(0);
    if (pki_any(pki_at_most(pki_reals(f->g->gap)[b], pki_splat(f->p->feet_near)) & f->going)) {
      pki_foot_rows(f->g, b);
      f->rows |= 1u << b;
    }
  }
}

/* The velocity by which foot b would end below the ground at the velocities x; its gap in it. */
PKI_INLINE pk_r pki_foot_closing(const pki_lanes *f, int b, const double *x)
{
  const pki_group *g = f->g;
  const pk_r v = pki_slot_velocity(f, b, x).x;
  return v + (g->relinearised ? pki_reals(g->offset)[3 * b] : pki_reals(g->gap)[b] * (1 / f->p->reach));
}

/* Of the feet that land (pki_lands), how fast the deepest one would end below the ground, in each lane. */
static pk_r pki_deepest_landing_foot(const pki_lanes *f, const double *x)
{
  const pki_group *g = f->g;
  pk_r deepest = pki_splat(0);
  for (int b = 0; b < f->p->nball && f->p->landing < INFINITY; b++) {
    if (f->rows >> b & 1) {
      const pk_i lands = pki_less(pki_splat(f->p->landing), pki_reals(g->gap)[b]) & ~pki_masks(g->active)[b];
      deepest = pki_min(deepest, pki_where_set(lands, pki_foot_closing(f, b, x)));
    }
  }
  return deepest;
}

/* Feet that the velocities x would push below ground join the active set; the lanes in which some are new. */
static pk_i pki_join_feet(pki_lanes *f, const double *x, bool first)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pk_i *const active = pki_masks(g->active), more = pki_mask_none();
  const pk_r deepest = first ? pki_splat(0) : pki_deepest_landing_foot(f, x);
  for (int b = 0; b < p->nball; b++) {
    const pk_r gap = pki_reals(g->gap)[b];
    if (!(f->rows >> b & 1)) {
      active[b] = pki_mask_none();
      pki_v3_store(pki_v3_zero(), pki_out(g->r) + 3 * b);
      continue;
    }
    const pk_r v = pki_slot_velocity(f, b, x).x;
    const pk_i stands = pki_at_most(gap, pki_splat(p->landing));
    pk_i wants = g->relinearised
                     ? pki_less(pki_foot_closing(f, b, x), pki_splat(0))
                     : pki_at_most(gap, pki_splat(0)) | pki_less(gap + p->reach * v, pki_splat(0));
    if (first) {
      const pk_i pushed = pki_less(pki_splat(0), pki_reals(g->r)[3 * b]);
      wants |= pushed & pki_less(gap, pki_splat(p->touching));
      wants &= stands;
      active[b] = pki_mask_none();
    } else if (pki_any(wants & ~stands)) { /* feet land one by one */
      wants &= stands | pki_at_most(pki_foot_closing(f, b, x), deepest);
    }
    wants &= f->going & pki_at_most(gap, pki_splat(p->feet_near)) & ~active[b];
    active[b] |= wants;
    more |= wants;
    f->stale |= (unsigned)(pki_any(wants) && !(f->in >> b & 1)) << b;
    /* what did not push begins with no impulse */
    const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
    pki_v3_store(pki_v3_select(active[b], r, pki_v3_zero()), pki_out(g->r) + 3 * b);
  }
  return more;
}

/* Where feet land, new rows are solved as the first ones were (pki_lands): feet that stand first, from the impulses of the last step, and those that
 * land join where that would close them. */
static void pki_release_landing_feet(const pki_lanes *f, pk_i open)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int b = 0; b < f->p->nball; b++) {
    const pk_i lands =
        pki_less(pki_splat(f->p->landing), pki_reals(g->gap)[b]) & pki_masks(g->active)[b] & open;
    pki_masks(g->active)[b] &= ~lands;
    some |= lands;
  }
  for (int l = 0; l < f->count && pki_any(some); l++) {
    if (pki_is_set(some, l)) {
      for (int b = 0; b < 3 * f->p->nball; b++) {
        g->r[b * PKI_LANES + l] = 0;
      }
      pki_recall_feet(g, &f->lane_worlds[l], l);
    }
  }
  for (int b = 0; b < f->p->nball && pki_any(some); b++) { /* what is not active has no impulse */
    const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
    pki_v3_store(pki_v3_select(pki_masks(g->active)[b] | ~some, r, pki_v3_zero()), pki_out(g->r) + 3 * b);
  }
}

#endif
