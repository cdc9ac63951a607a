/* Projections with rows in slots: what is near the surface at the end, and the shortest way out. */
#ifndef PKI_STEP_SLOT_POSITIONS_H
#define PKI_STEP_SLOT_POSITIONS_H

#include "step/kernels/slot_velocities.h"

enum { PKI_FEET_SWEEPS = 4 }; /* feet hardly know of each other */

/* The part of the depth to which a projection is solved: the next one begins with what is left. */
#define PKI_CLOSE 1e-4

/* Lanes with candidates that are pairs of shapes, not of a shape and the ground. */
static pk_i pki_lanes_with_pairs(const pki_lanes *f)
{
  pk_i some = pki_mask_none();
  for (int i = 0; i < f->ncandidate; i++) {
    const pki_candidate *c = &f->g->search.candidates[i];
    for (int l = 0; l < f->count && c->swing >= 0; l++) {
      pki_set_mask(&some, l, pki_is_set(some, l) || c->lanes >> l & 1);
    }
  }
  return some;
}

/* Contacts of other shapes; the margin is that of each lane. Where no cover is deeper in the ground than `shallow` and no two shapes are near
 * each other, that depth is all that is found. */
static void pki_slots_find_at_end(pki_lanes *f, pk_r margin, pk_i mask, double shallow)
{
  const pki_margins margins = {margin, margin, pki_splat(0)};
  pk_i measured = pki_mask_none();
  pk_r depth = pki_splat(0);
  if (!f->p->scan) {
    const pki_due due = pki_lanes_to_check(f, f->g->q_end, &margins);
    const pki_clearance look =
        pki_find_candidates(f, &margins, (pki_due){due.pairs & mask, due.ground & mask}, false);
    depth = pki_max(-look.height, pki_splat(0));
    measured = pki_at_most(depth, pki_splat(shallow)) & ~pki_lanes_with_pairs(f);
  }
  f->measured = pki_select_mask(mask, measured, f->measured);
  f->shallow = pki_select(mask, pki_where_set(measured, depth), f->shallow);
  for (int l = 0; l < f->count; l++) {
    if (pki_is_set(mask & measured, l)) {
      f->nend[l] = 0;
      f->recalled[l] = true, f->nmemory[l] = 0; /* no pair has anything to remember */
    } else if (pki_is_set(mask & f->going, l)) {
      f->nend[l] = pki_touch_lane(f, l, &margins, f->g->found_end[l], true);
      if (f->nend[l] == PKI_FOUND) { /* too many: what touches comes first */
        const pk_r touching = pki_splat(f->p->touching);
        const pki_margins few = {touching, touching, pki_splat(0)};
        f->nend[l] = pki_touch_lane(f, l, &few, f->g->found_end[l], false);
      }
    }
  }
}

/* A contact at the end was one of the step's, and stuck. */
static bool pki_stuck_during_step(const pki_lanes *f, int lane, const pki_contact *c)
{
  const pki_group *g = f->g;
  const int i = pki_contact_search(g->found[lane], f->nfound[lane], c);
  const int slot = i >= 0 ? g->slot_of[lane][i] : -1;
  return slot >= 0 && g->stuck[slot * PKI_LANES + lane] != 0;
}

/* Contacts at the end that are below zero take slots, or those that are not, as long as there are some. */
static void pki_take_contacts_at_end(pki_lanes *f, int lane, bool above)
{
  for (int i = 0; i < f->nend[lane]; i++) {
    const pki_contact *c = &f->g->found_end[lane][i];
    const bool room =
        f->nslot[lane] < PKI_SLOTS || !above; /* without it, what is below zero makes the lane leave */
    if ((c->gap > 0) == above && room && pki_take_slot(f, lane, c)) {
      pki_set_mask(&f->held[f->nslot[lane] - 1], lane, pki_stuck_during_step(f, lane, c));
    }
  }
}

/* Rows of the projection beside the feet's: what was found at the end, and joint limits, in the lanes of `deep`.
 * f->held are those that stay where they are along the surface. */
static void pki_take_position_rows(pki_lanes *f, pk_i deep, pk_r band)
{
  pki_group *g = f->g;
  const unsigned feet = (1u << f->p->nball) - 1;
  f->rows &= feet, f->in &= feet;
  f->stale &= feet; /* forces may have changed in a last round that had no rows to assemble */
  f->box_in = f->box_stale = 0;
  for (int l = 0; l < f->count; l++) {
    f->nslot[l] = f->p->nball, f->nbox[l] = 0;
    for (int above = 0; above < 2 && pki_is_set(deep & f->going, l); above++) {
      pki_take_contacts_at_end(f, l, above);
    }
  }
  for (int i = 0; i < f->p->nlimit; i++) {
    const int k = f->p->limit[i];
    for (int side = 0; side < 2; side++) {
      const pk_r gap = pki_limit_gap(f, k, side);
      const pk_i near = deep & pki_less(f->p->arm[i] * gap, band);
      for (int l = 0; l < f->count && pki_any(near); l++) {
        const bool room = f->nbox[l] < PKI_BOXES || pki_lane(gap, l) < 0;
        if (pki_is_set(near & f->going, l) && room &&
            pki_take_box(f, l, side ? PKI_ROW_UPPER : PKI_ROW_LOWER, k, 0)) {
          g->box_q[(f->nbox[l] - 1) * PKI_LANES + l] = pki_lane(gap, l);
        }
      }
    }
  }
}

/* Feet that a projection needs join; lanes in which one has no rows leave: it came from far, or met another side of the ground. */
static void pki_join_feet_at_end(pki_lanes *f, pk_i *deep, pk_r band)
{
  const pki_group *g = f->g;
  for (int b = 0; b < f->p->nball; b++) {
    const pk_i near = *deep & pki_at_most(pki_reals(g->gap_end)[b], band);
    const pk_i far = pki_less(pki_splat(f->p->feet_near), pki_reals(g->gap)[b]);
    const pk_i turned =
        f->p->field != NULL ? pki_less(pki_splat(0), pki_reals(g->turned)[b]) : pki_mask_none();
    pki_leave_lanes(f, near & far, PK_LANE_EXIT_FAST);
    pki_leave_lanes(f, near & turned, PK_LANE_EXIT_SIDES);
    f->stale |= (unsigned)(pki_any(near & ~far & ~turned) && !(f->in >> b & 1)) << b;
  }
  *deep &= f->going;
}

/* One foot's shortest way out, all others as they are: along the normal, and where it is held with no way along the surface, but
 * for what PKI_YIELDING lets it give. */
PKI_INLINE pki_v3 pki_shortest_correction(const pki_group *g, int slot, pk_i held)
{
  const pk_r zero = pki_splat(0);
  const pki_m3 W = *pki_block(g, slot, slot);
  const pki_v3 q = pki_sub(pki_v3_load(pki_reals(g->v) + 3 * slot),
                           pki_m3_apply(W, pki_v3_load(pki_reals(g->r) + 3 * slot)));
  const pki_v3 slides = {pki_max(-q.x / W.x.x, zero), zero, zero};
  const pki_m3 S = {W.x, {W.y.x, PKI_YIELDING * W.y.y, W.y.z}, {W.z.x, W.z.y, PKI_YIELDING * W.z.z}};
  const pki_v3 stays = pki_scale(pki_splat(-1), pki_m3_apply(pki_invert_symmetric(S), q));
  const pk_r inv = 1.0 / (S.y.y * S.z.z - S.y.z * S.y.z);
  const pki_v3 lifted = {zero, -inv * (S.z.z * q.y - S.y.z * q.z), -inv * (S.y.y * q.z - S.y.z * q.y)};
  return pki_v3_select(held, pki_v3_select(pki_less(zero, stays.x), stays, lifted), slides);
}

/* The shortest way out: r and v are impulses and gaps of positions from here on. By sweeps where only feet are in it,
 * which hardly know of each other; else by Newton on active sets. */
static void pki_resolve_penetration(pki_lanes *f, pk_i deep, pk_r depth, pk_r band)
{
  pki_group *g = f->g;
  const pk_r zero = pki_splat(0);
  pk_i few, large;
  for (PKI_EACH(s, f->in)) {
    const bool foot = (int)s < f->p->nball;
    const pk_r gap = foot ? pki_reals(g->gap_end)[s] : pki_reals(g->gap)[s];
    pki_masks(g->active)[s] &= deep;
    if (foot) {
      pki_masks(g->active)[s] = deep & pki_at_most(gap, band);
    }
    pki_v3_store(pki_v3_zero(), pki_out(g->r) + 3 * s);
    pki_v3_store((pki_v3){gap, zero, zero}, pki_out(g->fixed) + 3 * s);
  }
  const pk_i feet_only = pki_lanes_with_feet_only(f);
  pki_sort_lanes(f, &few, &large);
  pki_velocities_of(f, pki_all_members(f));
  for (int sweep = 0; sweep < PKI_FEET_SWEEPS && pki_any(deep & feet_only); sweep++) {
    for (int b = 0; b < f->p->nball; b++) {
      const pk_i mask = deep & feet_only & pki_masks(g->active)[b];
      if (f->in >> b & 1 && pki_any(mask)) {
        pki_change(f, b, mask, pki_shortest_correction(g, b, f->held[b]));
      }
    }
  }
  f->positions = true;
  const pk_i left = pki_newton(f, deep & ~feet_only, few, depth, PKI_CLOSE * depth);
  f->positions = false;
  for (int l = 0; l < f->count && pki_any(left); l++) {
    if (pki_is_set(left, l)) {
      pki_resolve_penetration_of_lane(f, l);
    }
  }
  pki_velocity_change_of(f, g->r, g->box_r, g->move);
  const pk_i lost = deep & f->going & ~pki_is_finite(g->move, f->p->model->nu);
  if (pki_any(lost)) { /* a foot that nothing moves along the ground has no inverse */
    for (int l = 0; l < f->count; l++) {
      if (pki_is_set(lost, l)) {
        pki_resolve_penetration_of_lane(f, l);
      }
    }
    pki_velocity_change_of(f, g->r, g->box_r, g->move);
  }
}

static void pki_slots_project(pki_lanes *f, pk_i deep, pk_r depth, pk_r band)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pki_take_position_rows(f, deep, band);
  pki_join_feet_at_end(f, &deep, band);
  pki_assemble_slots(f);
  pki_resolve_penetration(f, deep, depth, band);
  PKI_NAME(config_add)(m, g->q_end, 1, g->move, g->q_try);
  for (int k = 0; k < m->nq; k++) {
    pk_r *const q = pki_out(g->q_end) + k;
    *q = pki_select(deep, pki_reals(g->q_try)[k], *q);
  }
}

#endif
