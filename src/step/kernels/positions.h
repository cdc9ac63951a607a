/* The configuration at the end: what is below zero is moved out. */
#ifndef PKI_STEP_POSITIONS_H
#define PKI_STEP_POSITIONS_H

#include "step/kernels/find.h"
#include "step/kernels/impulses.h"

enum { PKI_FEET_SWEEPS = 4 }; /* feet hardly know of each other */

/* The part of the depth to which a projection is solved: the next one begins with what is left. */
#define PKI_CLOSE 1e-4

/* Contacts of other shapes at the end within a margin of each lane; all lanes, or those of a mask. */
static void pki_find_at_end(pki_lanes *f, pk_r margin, pk_i mask)
{
  if (pki_on_chains(f)) {
    pk_sim *const world = f->g->world;
    pki_fail_step(f, pki_chain_find_at_end(world, pki_lane(margin, 0), &f->sunk, f->g->info));
    f->nend[0] = world->contact.nfound;
    return;
  }
  if (!f->p->scan) {
    const pki_margins margins = {margin, margin, pki_splat(0)};
    pki_find_candidates(f, &margins, pki_looks_due(f, f->g->q_end, &margins) & mask, false);
  }
  for (int l = 0; l < f->count; l++) {
    if (pki_is_set(mask & f->going, l)) {
      f->nend[l] = pki_touch_lane(f, l, pki_lane(margin, l), f->g->found_end[l], true);
      if (f->nend[l] == PKI_FOUND) { /* too many: what touches comes first */
        f->nend[l] = pki_touch_lane(f, l, f->p->touching, f->g->found_end[l], false);
      }
    }
  }
}

/* How deep each lane is, m: feet, other shapes, joint limits at the end of an arm. */
static pk_r pki_depth_of(const pki_lanes *f)
{
  const pki_group *g = f->g;
  pk_r deepest = pki_splat(0);
  for (int b = 0; b < f->p->nball; b++) {
    deepest = pki_max(deepest, -pki_reals(g->gap_end)[b]);
  }
  for (int l = 0; l < f->count; l++) {
    double most = f->nend[l] > 0 ? pki_lane(deepest, l) : 0;
    for (int i = 0; i < f->nend[l]; i++) {
      most = fmax(most, -g->found_end[l][i].gap);
    }
    if (f->nend[l] > 0) {
      pki_set_lane(&deepest, l, most);
    }
  }
  for (int i = 0; i < f->p->nlimit; i++) {
    const int k = f->p->limit[i];
    const pk_r gap = pki_min(pki_limit_gap(f, k, false), pki_limit_gap(f, k, true));
    deepest = pki_max(deepest, -f->p->arm[i] * gap);
  }
  return deepest;
}

/* Friction within the cone: the contact sticks. */
PKI_INLINE pk_i pki_sticks(const pki_group *g, int slot)
{
  const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * slot);
  const pk_r limit = PKI_STICKING * pki_reals(g->mu)[slot] * r.x;
  return pki_less(pki_splat(0), r.x) & pki_less(r.y * r.y + r.z * r.z, limit * limit);
}

/* A contact at the end was one of the step's, and stuck. */
static bool pki_stuck_at_end(const pki_lanes *f, int lane, const pki_contact *c)
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
      pki_set_mask(&f->held[f->nslot[lane] - 1], lane, pki_stuck_at_end(f, lane, c));
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
  f->box_in = f->stale = f->box_stale = 0;
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
            pki_take_box(f, l, side ? PKI_ROW_UPPER : PKI_ROW_LOWER, k)) {
          const int box = f->nbox[l] - 1;
          g->box_q[box * PKI_LANES + l] = pki_lane(gap, l);
          g->box_r[box * PKI_LANES + l] = 0;
        }
      }
    }
  }
}

/* One foot's shortest way out, all others as they are: along the normal, and where it is held with no way along the surface, but
 * for what PKI_YIELDING lets it give. */
PKI_INLINE pki_v3 pki_way_out(const pki_group *g, int slot, pk_i held)
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
static void pki_push_out(pki_lanes *f, pk_i deep, pk_r depth, pk_r band)
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
  const pk_i feet_alone = pki_feet_alone(f);
  pki_sort_lanes(f, &few, &large);
  pki_velocities_of(f, pki_all_members(f));
  for (int sweep = 0; sweep < PKI_FEET_SWEEPS && pki_any(deep & feet_alone); sweep++) {
    for (int b = 0; b < f->p->nball; b++) {
      const pk_i mask = deep & feet_alone & pki_masks(g->active)[b];
      if (f->in >> b & 1 && pki_any(mask)) {
        pki_change(f, b, mask, pki_way_out(g, b, f->held[b]));
      }
    }
  }
  f->positions = true;
  const pk_i left = pki_newton(f, deep & ~feet_alone, few, depth, PKI_CLOSE * depth);
  f->positions = false;
  for (int l = 0; l < f->count && pki_any(left); l++) {
    if (pki_is_set(left, l)) {
      pki_push_lane_out(f, l);
    }
  }
  pki_respond_to(f, g->r, g->box_r, g->move);
  const pk_i lost = deep & f->going & ~pki_is_finite(g->move, f->p->model->nu);
  if (pki_any(lost)) { /* a foot that nothing moves along the ground has no inverse */
    for (int l = 0; l < f->count; l++) {
      if (pki_is_set(lost, l)) {
        pki_push_lane_out(f, l);
      }
    }
    pki_respond_to(f, g->r, g->box_r, g->move);
  }
}

/* Energy in the field of gravity at the work's configuration. */
static pk_r pki_potential(const pki_group *g)
{
  pk_r sums[12];
  PKI_NAME(sums)(g->work, 0, g->plan->model->nbody, (double *)(void *)sums);
  return sums[11];
}

/* Feet that a projection needs join; lanes in which one has no rows leave: it came from far, or met another side of the ground. */
static void pki_join_feet_at_end(pki_lanes *f, pk_i *deep, pk_r band)
{
  const pki_group *g = f->g;
  for (int b = 0; b < f->p->nball; b++) {
    const pk_i near = *deep & pki_at_most(pki_reals(g->gap_end)[b], band);
    const pk_i far = pki_less(pki_splat(f->p->near), pki_reals(g->gap)[b]);
    const pk_i turned =
        f->p->field != NULL ? pki_less(pki_splat(0), pki_reals(g->turned)[b]) : pki_mask_none();
    pki_leave(f, near & far, PK_LEFT_FAST);
    pki_leave(f, near & turned, PK_LEFT_SIDES);
    f->stale |= (unsigned)(pki_any(near & ~far & ~turned) && !(f->in >> b & 1)) << b;
  }
  *deep &= f->going;
}

/* Who held, and the impulses of the step, before r and v become those of positions. */
static void pki_keep_impulses(pki_lanes *f)
{
  pki_group *g = f->g;
  for (int b = 0; b < f->p->nball; b++) {
    pki_masks(g->took)[b] = pki_masks(g->active)[b];
    pki_masks(g->stuck)[b] = f->held[b] = pki_mask_none();
  }
  for (PKI_EACH(s, f->in)) {
    pki_masks(g->stuck)[s] = f->held[s] = pki_sticks(g, (int)s) & pki_masks(g->active)[s];
  }
  pki_copy_impulses(f);
  for (int l = 0; l < f->count; l++) {
    memcpy(f->kept[l], g->box[l], (size_t)f->nbox[l] * sizeof f->kept[l][0]);
  }
  memcpy(f->nkept, f->nbox, sizeof f->nkept);
}

/* The work at the configuration of the end, and how deep each lane is there. */
static pk_r pki_look_at_end(pki_lanes *f)
{
  pki_group *g = f->g;
  g->dynamics->kinematics(g->work, g->q_end);
  pki_place_joints(f, g->q_end, true);
  if (pki_on_chains(f)) {
    g->info->closure = pki_bilateral_gap(g->world);
  }
  pki_look_at_feet(g, g->gap_end, NULL);
  pki_find_at_end(f, pki_splat(f->p->touching), pki_mask_all());
  const pk_r depth = pki_depth_of(f);
  pk_r *const told = pki_out(g->penetration);
  *told = pki_select(f->going, pki_max(depth, pki_splat(f->sunk)), *told);
  return depth;
}

/* Lanes that need another projection after `round` of them. */
static pk_i pki_needs_projection(const pki_lanes *f, pk_r depth, int round)
{
  pk_i deep = ~pki_at_most(depth, pki_splat(f->p->allowed));
  if (pki_on_chains(f) && !pki_chain_is_closed(f->g->world, f->g->info)) {
    deep = pki_mask_all();
  }
  const pk_i more = round < PKI_PROJECTIONS        ? pki_mask_all()
                    : round < PKI_MORE_PROJECTIONS ? pki_less(pki_splat(f->p->deep), depth)
                                                   : pki_mask_none();
  return f->p->published ? pki_mask_none() : deep & more & f->going;
}

/* One projection of the lanes of `deep`. What is further away than a step can reach has its turn in the next one. */
static void pki_project_once(pki_lanes *f, pk_i deep, pk_r depth)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  const pk_r touching = pki_splat(f->p->touching);
  const pk_r band = pki_max(pki_min(PKI_WIDENING * depth, pki_splat(f->p->near)), touching);
  const pk_i wide = deep & pki_less(touching, band);
  if (pki_any(wide)) {
    pki_find_at_end(f, band, wide);
  }
  if (pki_on_chains(f)) {
    pki_chain_project(g->world, g, pki_lane(band, 0), g->q_end, g->info);
    return;
  }
  pki_take_position_rows(f, deep, band);
  pki_join_feet_at_end(f, &deep, band);
  pki_assemble(f);
  pki_push_out(f, deep, depth, band);
  PKI_NAME(config_add)(m, g->q_end, 1, g->move, g->q_try);
  for (int k = 0; k < m->nq; k++) {
    pk_r *const q = pki_out(g->q_end) + k;
    *q = pki_select(deep, pki_reals(g->q_try)[k], *q);
  }
}

/* The configuration at the end: what is below zero is projected out, where it has to be. */
static void pki_project(pki_lanes *f)
{
  pki_group *g = f->g;
  if (!pki_on_chains(f)) {
    pki_keep_impulses(f);
  }
  for (int round = 0;; round++) {
    const pk_r depth = pki_look_at_end(f);
    const pk_i deep = pki_needs_projection(f, depth, round);
    if (!pki_any(deep)) {
      pki_leave(f, pki_less(pki_splat(f->p->deep), depth), PK_LEFT_ROUNDS); /* chains may find a way */
      *pki_out(g->lift) += round > 0 && g->watched ? pki_potential(g) : pki_splat(0);
      return;
    }
    *pki_out(g->lift) -= round == 0 && g->watched ? pki_potential(g) : pki_splat(0);
    pki_project_once(f, deep, depth);
  }
}

/* How far any point of the first cover of a pair moves against the second one's body in a step, at the twists in the work. */
PKI_INLINE pk_r pki_travel(const pki_group *g, int k)
{
  const pki_group_plan *p = g->plan;
  const int i = p->pairs[k][0], j = p->pairs[k][1];
  const pki_cover *a = &p->covers[i], *b = &p->covers[j];
  const pki_v6 x = pki_v6s(g->work->twist)[a->body], y = pki_v6s(g->work->twist)[b->body];
  const pki_v3 centre = pki_scale(pki_splat(0.5), pki_add(pki_ends_of(g, i)[0], pki_ends_of(g, i)[1]));
  const pki_v3 va = pki_add_cross(x.l, x.a, pki_sub(centre, pki_origins(g->work)[a->body]));
  const pki_v3 vb = pki_add_cross(y.l, y.a, pki_sub(centre, pki_origins(g->work)[b->body]));
  const pki_v3 v = pki_sub(va, vb), w = pki_sub(x.a, y.a);
  return p->dt * (pki_sqrt(pki_dot(v, v)) + a->reach * pki_sqrt(pki_dot(w, w)));
}

/* Lanes in which two shapes may have passed through each other in the step leave: they have moved further against each other than they
 * are apart and thick. Only the motion of this step decides, whatever was looked at before. */
static void pki_check_passing(pki_lanes *f)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  if (p->npair == 0 || !p->hinged || !p->swept) {
    return;
  }
  const pk_i quick = f->going & ~pki_less(pki_swung(g), pki_splat(p->thin));
  if (!pki_any(quick)) {
    return;
  }
  pki_place_ends(g);
  for (int k = 0; k < p->model->nu;
       k++) { /* the mean velocity of the step: q_M = q (+) (dt - reach) u, q_E = q_M (+) reach u_E */
    pki_out(g->move)[k] =
        (1 - p->reach / p->dt) * pki_reals(g->u)[k] + p->reach / p->dt * pki_reals(g->u_end)[k];
  }
  g->dynamics->velocities(g->work, g->move);
  for (int k = 0; k < p->npair; k++) {
    const int i = p->pairs[k][0], j = p->pairs[k][1];
    const double thick = 2 * (p->covers[i].slow + p->covers[j].slow);
    const pk_r moved = pki_travel(g, k);
    const pk_i far = quick & ~pki_less(moved, pki_splat(thick));
    if (pki_any(far)) {
      const pk_r centres = pki_centres_apart(pki_ends_of(g, i), pki_ends_of(g, j));
      pki_v3 axes[3];
      if (p->covers[i].box) {
        pki_box_axes(g->work, &p->covers[i], axes);
      }
      const pk_r apart = pki_max(pki_pair_apart(g, i, j, axes, centres), pki_splat(0));
      pki_leave(f, far & ~pki_less(moved, apart + thick), PK_LEFT_FAST);
    }
  }
}

/* Numbers that are not finite: lanes leave. */
static void pki_check_end(pki_lanes *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pki_leave(f, ~(pki_is_finite(g->q_end, m->nq) & pki_is_finite(g->u_end, m->nu)), PK_LEFT_NUMBERS);
}

#endif
