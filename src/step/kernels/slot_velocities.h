/* Velocities with rows in slots: which contacts and joint rows take one, the problem of all lanes, and its impulses. */
#ifndef PKI_STEP_SLOT_VELOCITIES_H
#define PKI_STEP_SLOT_VELOCITIES_H

#include "step/kernels/active.h"
#include "step/kernels/find.h"
#include "step/kernels/newton.h"
#include "step/kernels/scalar_fallback.h"
#include "step/kernels/slot_feet.h"
#include "step/kernels/support.h"

/* ---- the velocity without impulses ---- */

static void pki_slots_free_velocity(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  if (g->dynamics->free_velocity != NULL) { /* code of the model's own does all of it */
    g->dynamics->free_velocity(g->work, q, g->u, g->joint.force, g->joint.gain, f->p->dt, g->u_free);
    pki_lap_lanes(g, PK_STEP_PART_DYNAMICS);
    return;
  }
  g->dynamics->inertial(g->work, q, g->u, g->h);
  pki_sum_forces(f);
  pki_lap_lanes(g, PK_STEP_PART_DYNAMICS);
  g->dynamics->ltl_factor(g->work);
  g->dynamics->ltl_solve(g->work, g->u_free);
  for (int k = 0; k < m->nu; k++) {
    pki_out(g->u_free)[k] += pki_reals(g->u)[k];
  }
  pki_lap_lanes(g, PK_STEP_PART_FACTOR);
}

/* ---- contacts of other shapes ---- */

/* What the rows of a slot have beside J u in a lane, by what is followed there. */
PKI_INLINE void pki_set_offset(const pki_group *g, int slot, int lane, const pki_followed *c)
{
  for (int k = 0; k < 3; k++) {
    g->offset[(3 * slot + k) * PKI_LANES + lane] = c->offset[k];
  }
}

/* A contact takes the next free slot of its lane: its place, axes and bodies. False: there is none. */
static bool pki_take_slot(pki_lanes *f, int lane, const pki_contact *c)
{
  pki_group *g = f->g;
  const int slot = f->nslot[lane];
  if (slot == PKI_SLOTS) {
    pki_leave_one_lane(f, lane, PK_LANE_EXIT_CONTACTS);
    return false;
  }
  if (!(f->rows >> slot & 1)) { /* it is free in all lanes */
    f->rows |= 1u << slot;
    f->path[slot] = 0;
    pki_masks(g->active)[slot] = pki_mask_none();
    memset(g->axes + 9 * slot * PKI_LANES, 0, 9 * PKI_LANES * sizeof(double));
    memset(g->point + 3 * slot * PKI_LANES, 0, 3 * PKI_LANES * sizeof(double));
    memset(g->r + 3 * slot * PKI_LANES, 0, 3 * PKI_LANES * sizeof(double));
    memset(g->offset + 3 * slot * PKI_LANES, 0, 3 * PKI_LANES * sizeof(double));
    memset(g->gap + slot * PKI_LANES, 0, PKI_LANES * sizeof(double));
    memset(g->mu + slot * PKI_LANES, 0, PKI_LANES * sizeof(double));
    f->held[slot] = pki_mask_none();
  }
  const uint64_t first = f->p->chain[c->body], second = c->other >= 0 ? f->p->chain[c->other] : 0;
  pk_r *const sign = pki_signs_of(g, slot);
  for (uint64_t fresh = (first | second) & ~f->path[slot]; fresh != 0; fresh &= fresh - 1) {
    sign[__builtin_ctzll(fresh)] = pki_splat(0);
  }
  for (uint64_t plus = first & ~second; plus != 0; plus &= plus - 1) {
    pki_set_lane(&sign[__builtin_ctzll(plus)], lane, 1);
  }
  for (uint64_t minus = second & ~first; minus != 0; minus &= minus - 1) {
    pki_set_lane(&sign[__builtin_ctzll(minus)], lane, -1);
  }
  for (int k = 0; k < 3; k++) {
    g->axes[(9 * slot + k) * PKI_LANES + lane] = c->normal[k];
    g->axes[(9 * slot + 3 + k) * PKI_LANES + lane] = c->tangent1[k];
    g->axes[(9 * slot + 6 + k) * PKI_LANES + lane] = c->tangent2[k];
    g->point[(3 * slot + k) * PKI_LANES + lane] = c->point[k];
  }
  g->gap[slot * PKI_LANES + lane] = c->gap;
  g->mu[slot * PKI_LANES + lane] =
      c->gap > f->p->landing ? 0 : f->lane_worlds[lane].friction * pki_contact_coefficient(g->scene, c);
  pki_set_mask(&pki_masks(g->active)[slot], lane, true);
  f->path[slot] |= first | second;
  f->stale |= 1u << slot;
  f->nslot[lane]++;
  return true;
}

/* A spare contact joins when its law is broken by more than the tolerance lets pass. */
static bool pki_spare_contact_joins(const pki_lanes *f, int lane, int i)
{
  const pki_group_plan *p = f->p;
  const pki_contact *c = &f->g->found[lane][i];
  const double opening = pki_contact_opening(f->g->work, lane, c);
  const double beside =
      f->g->relinearised ? f->g->followed[lane][PKI_BALLS + i].offset[0] : fmax(c->gap, 0) / p->reach;
  return opening + beside < -p->tolerance * pki_lane(f->scale, lane);
}

/* Which contact of the last step each contact of a lane was; -1: none. Both lists are in one order. */
static void pki_match_last(const pki_lanes *f, int lane, int last_of[PKI_FOUND])
{
  const pki_lane_world *s = &f->lane_worlds[lane];
  int at = 0;
  for (int i = 0; i < f->nfound[lane]; i++) {
    const pki_contact *c = &f->g->found[lane][i];
    int order = 1;
    while (at < *s->nlast && (order = pki_contact_order(s->last[at].geom, s->last[at].id, c)) < 0) {
      at++;
    }
    last_of[i] = at < *s->nlast && order == 0 ? at : -1;
  }
}

/* Contacts of a lane that join, as bits; in the first round those that pushed in the last step do (last_of, else NULL), and what is spare
 * waits. */
static uint64_t pki_joining_contacts(pki_lanes *f, int lane, const int *last_of)
{
  const bool first = last_of != NULL;
  const int landing = first ? -1 : pki_next_landing(f, lane);
  uint64_t wants = 0, pushed = 0;
  f->spare[lane] = first ? 0 : f->spare[lane];
  for (int i = 0; i < f->nfound[lane]; i++) {
    if (f->g->slot_of[lane][i] < 0) {
      const bool spare = f->spare[lane] >> i & 1, waits = i != landing && pki_lands(f, lane, i);
      const bool joins =
          spare ? pki_spare_contact_joins(f, lane, i) : !waits && pki_contact_joins(f, lane, i).must;
      wants |= (uint64_t)joins << i;
      pushed |= (uint64_t)(first && pki_is_still_loaded(f, lane, i, last_of[i])) << i;
    }
  }
  if (first) {
    f->spare[lane] = pki_spare_contacts(f->g->found[lane], wants | pushed, pushed);
    wants = (wants | pushed) & ~f->spare[lane];
  }
  return wants;
}

/* Contacts of other shapes that the twists in the work would close join the active set, with the impulses of the last step; the
 * lanes in which some are new. */
static pk_i pki_join_found_contacts(pki_lanes *f, bool first)
{
  pki_group *g = f->g;
  pk_i more = pki_mask_none();
  for (int l = 0; l < f->count; l++) {
    int last_of[PKI_FOUND];
    if (!pki_is_set(f->going, l)) {
      continue;
    }
    if (first) {
      pki_match_last(f, l, last_of);
    }
    uint64_t wants = pki_joining_contacts(f, l, first ? last_of : NULL);
    for (; wants != 0; wants &= wants - 1) {
      const int i = __builtin_ctzll(wants);
      const pki_lane_world *lane_world = &f->lane_worlds[l];
      const pki_contact *c = &g->found[l][i];
      const int last = first ? last_of[i] : -1;
      if (!pki_take_slot(f, l, c)) {
        break;
      }
      const int slot = g->slot_of[l][i] = f->nslot[l] - 1;
      if (g->relinearised) {
        pki_set_offset(g, slot, l, &g->followed[l][PKI_BALLS + i]);
      }
      for (int d = 0; d < 3 && last >= 0; d++) {
        g->r[(3 * slot + d) * PKI_LANES + l] = lane_world->last_r[3 * last + d];
      }
      pki_set_mask(&more, l, true);
    }
  }
  return more;
}

static pk_i pki_slots_join_contacts(pki_lanes *f, const double *x, bool first)
{
  if (first) {
    pki_begin_slots(f);
  }
  const pk_i feet = pki_join_feet(f, x, first);
  return feet | pki_join_found_contacts(f, first);
}

/* ---- joint rows ---- */

/* The law of a box row: bounds of its impulse, and what is added to W. */
static pki_joint_row pki_set_box(const pki_lanes *f, int lane, int box)
{
  const pki_group *g = f->g;
  const int k = g->box[lane][box].k, at = box * PKI_LANES + lane;
  double force[PKI_FORCE_NUMBERS];
  pki_torque_row_of(g, k, lane, force);
  const pki_joint_row row =
      pki_joint_row_of(g->box[lane][box].kind, f->p->dt, force, pki_entry_of(g->joint.dry, k, lane));
  g->box_sign[at] = row.sign, g->box_soft[at] = row.softness;
  g->box_lower[at] = row.lower, g->box_upper[at] = row.upper;
  return row;
}

/* A joint row takes the next free box slot of its lane, with a first guess of its impulse; false: there is none. */
static bool pki_take_box(pki_lanes *f, int lane, int kind, int k, double guess)
{
  pki_group *g = f->g;
  const int box = f->nbox[lane];
  if (box == PKI_BOXES) {
    pki_leave_one_lane(f, lane, PK_LANE_EXIT_CONTACTS);
    return false;
  }
  if (!(f->box_in >> box & 1)) {
    double *const arrays[] = {g->box_sign, g->box_lower, g->box_upper, g->box_soft,
                              g->box_q,    g->box_r,     g->box_v};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
      pki_out(arrays[i])[box] = pki_splat(0);
    }
    pki_masks(g->box_active)[box] = pki_mask_none();
    f->box_path[box] = 0;
    f->box_in |= 1u << box;
  }
  g->box[lane][box] = (pki_lane_box){k, kind};
  const pki_joint_row row = pki_set_box(f, lane, box);
  g->box_r[box * PKI_LANES + lane] = pki_joint_row_guess(&row, guess);
  pki_set_mask(&pki_masks(g->box_active)[box], lane, true);
  f->box_path[box] |= f->p->chain[f->p->dof_body[k]];
  f->box_stale |= 1u << box;
  f->nbox[lane]++;
  return true;
}

static void pki_slots_add_joint_rows(pki_lanes *f, pk_i lanes, int kind, int k, const pk_r *guess)
{
  for (int l = 0; l < f->count; l++) {
    if (pki_is_set(lanes, l)) {
      const pki_lane_world *lane_world = &f->lane_worlds[l];
      const double last = *lane_world->plain ? 0 : lane_world->last_joint[kind * f->p->joints->nu + k];
      pki_take_box(f, l, kind, k, guess != NULL ? pki_lane(*guess, l) : last);
    }
  }
}

/* ---- the problem ---- */

static pk_i pki_slots_with_rows(const pki_lanes *f)
{
  pk_i any = pki_mask_none();
  for (PKI_EACH(s, f->in | f->stale)) {
    any |= pki_masks(f->g->active)[s];
  }
  for (PKI_EACH(b, f->box_in)) {
    any |= pki_masks(f->g->box_active)[b];
  }
  return any;
}

/* Rows, Y, Z and W of what is new, in the order of slots, whatever joined first. */
static void pki_assemble_slots(pki_lanes *f)
{
  pki_group *g = f->g;
  const unsigned stale = f->stale, boxes = f->box_stale;
  f->in |= stale;
  if (stale >> f->p->nball != 0) {
    pki_fill_screws(g);
  }
  for (PKI_EACH(s, stale)) {
    if ((int)s >= f->p->nball) {
      pki_slot_rows(g, (int)s, f->path[s]);
    }
    pki_slot_whiten(f, (int)s);
  }
  for (PKI_EACH(b, boxes)) {
    pki_box_whiten(f, (int)b);
  }
  for (PKI_EACH(i, f->in)) {
    for (PKI_EACH(j, f->in & ((2u << i) - 1))) {
      if (stale >> i & 1 || stale >> j & 1) {
        pki_slot_block(f, (int)i, (int)j);
      }
    }
    for (PKI_EACH(b, f->box_in)) {
      if (stale >> i & 1 || boxes >> b & 1) {
        pki_cross_block(f, (int)i, (int)b);
      }
    }
    if ((int)i < f->p->nball && stale >> i & 1) {
      ((pki_m3 *)(void *)g->K)[i] = pki_invert_symmetric(*pki_block(g, (int)i, (int)i));
    }
  }
  for (PKI_EACH(i, f->box_in)) {
    for (PKI_EACH(j, f->box_in & ((2u << i) - 1))) {
      if (boxes >> i & 1 || boxes >> j & 1) {
        pki_box_block(f, (int)i, (int)j);
      }
    }
  }
  f->stale = f->box_stale = 0;
}

/* q of a box row: the velocity at which its impulse begins to act. */
static double pki_box_q_of(const pki_lanes *f, int lane, const pki_lane_box *box)
{
  const pki_group *g = f->g;
  const int k = box->k;
  const double gap = pki_lane(pki_limit_gap(f, k, box->kind == PKI_ROW_UPPER), lane);
  double force[PKI_FORCE_NUMBERS];
  pki_torque_row_of(g, k, lane, force);
  return pki_joint_row_q(box->kind, pki_entry_of(g->u_free, k, lane), gap, f->p->reach, force);
}

/* q of the problem: velocities without impulses, and what gaps allow. */
static void pki_set_fixed(pki_lanes *f)
{
  pki_group *g = f->g;
  for (PKI_EACH(s, f->in)) {
    const pki_v3 v = pki_slot_velocity(f, s, g->u_free);
    if (g->relinearised) {
      pki_v3_store(pki_add(v, pki_v3_load(pki_reals(g->offset) + 3 * s)), pki_out(g->fixed) + 3 * s);
      continue;
    }
    const pk_r open = pki_max(pki_reals(g->gap)[s], pki_splat(0)) * (1 / f->p->reach);
    pki_v3_store((pki_v3){v.x + open, v.y, v.z}, pki_out(g->fixed) + 3 * s);
  }
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->nbox[l]; b++) {
      g->box_q[b * PKI_LANES + l] = pki_box_q_of(f, l, &g->box[l][b]);
    }
  }
}

static void pki_slots_assemble(pki_lanes *f, const double *q)
{
  (void)q;
  pki_assemble_slots(f);
  pki_set_fixed(f);
}

/* Rows of feet that have some, and of all other slots, are taken at the configuration of the work. */
static void pki_slots_take_rows(pki_lanes *f, pk_i open)
{
  const pki_group *g = f->g;
  pki_release_landing_feet(f, open);
  const unsigned feet = (1u << f->p->nball) - 1;
  for (PKI_EACH(b, f->rows & feet)) {
    pki_foot_rows(g, (int)b);
  }
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->p->nball; b++) {
      pki_set_offset(g, b, l, &g->followed[l][b]);
    }
    for (int i = 0; i < f->nfound[l]; i++) {
      const int slot = g->slot_of[l][i];
      if (slot >= 0) {
        pki_set_offset(g, slot, l, &g->followed[l][PKI_BALLS + i]);
        for (int k = 0; k < 3; k++) {
          g->point[(3 * slot + k) * PKI_LANES + l] = g->found[l][i].point[k];
        }
      }
    }
  }
  for (int l = f->count; l < PKI_LANES; l++) { /* empty lanes do as the first */
    for (int b = 0; b < f->p->nball; b++) {
      pki_set_offset(g, b, l, &g->followed[0][b]);
    }
  }
  f->stale |= f->in;
}

static void pki_slots_restart(pki_lanes *f)
{
  f->rows = f->in = f->stale = f->box_in = f->box_stale = 0;
  memset(f->nbox, 0, sizeof f->nbox);
  f->scalar_fallback = 0;
}

static pki_load pki_slots_load(const pki_lanes *f, int lane, int e)
{
  const pki_group *g = f->g;
  const int slot = e < PKI_BALLS ? e : g->slot_of[lane][e - PKI_BALLS];
  pki_load load = {.gap = INFINITY};
  if (slot >= 0 && f->in >> slot & 1 && g->active[slot * PKI_LANES + lane] != 0) {
    load.gap = e < PKI_BALLS ? pki_entry_of(g->gap, slot, lane) : g->found[lane][e - PKI_BALLS].gap;
    load.mu = pki_entry_of(g->mu, slot, lane);
    for (int k = 0; k < 3; k++) {
      load.r[k] = pki_entry_of(g->r, 3 * slot + k, lane);
    }
  }
  return load;
}

/* Feet have rows in lanes that do not use them, too. */
static void pki_slots_invalidate(pki_lanes *f, pk_i lanes)
{
  const pki_members of = pki_members_of(f, lanes);
  f->stale |= f->in & (of.slots | ((1u << f->p->nball) - 1));
  f->box_stale |= of.boxes;
  for (int l = 0; l < f->count && f->p->actuation != NULL;
       l++) { /* rows between other pieces of a force law */
    for (int b = 0; b < f->nbox[l]; b++) {
      if (pki_is_set(lanes, l) && f->g->box[l][b].kind == PKI_ROW_TORQUE) {
        const pki_joint_row row = pki_set_box(f, l, b);
        double *const r = &f->g->box_r[b * PKI_LANES + l];
        *r = pki_joint_row_guess(&row, *r);
      }
    }
  }
}

/* ---- impulses ---- */

/* max(|q|, PKI_SPEED_FLOOR) of each lane's rows. */
static pk_r pki_scale_of(const pki_lanes *f)
{
  const pki_group *g = f->g;
  pk_r scale = pki_splat(PKI_SPEED_FLOOR);
  for (PKI_EACH(s, f->in)) {
    const pki_v3 q = pki_v3_load(pki_reals(g->fixed) + 3 * s);
    const pk_r size = pki_max(pki_abs(q.x), pki_max(pki_abs(q.y), pki_abs(q.z)));
    scale = pki_max(scale, pki_where_set(pki_masks(g->active)[s], size));
  }
  for (PKI_EACH(b, f->box_in)) {
    scale = pki_max(scale, pki_where_set(pki_masks(g->box_active)[b], pki_abs(pki_reals(g->box_q)[b])));
  }
  return scale;
}

/* Lanes in which only feet are active. */
static pk_i pki_lanes_with_feet_only(const pki_lanes *f)
{
  pk_i only_feet = pki_mask_all();
  for (int l = 0; l < f->count; l++) {
    if (f->nbox[l] > 0 || f->nslot[l] > f->p->nball) {
      pki_set_mask(&only_feet, l, false);
    }
  }
  return only_feet;
}

/* Lanes with few rows, and with more than are worth a lane's. */
static void pki_sort_lanes(const pki_lanes *f, pk_i *few, pk_i *large)
{
  const int nball = f->p->nball;
  *few = *large = pki_mask_none();
  for (int l = 0; l < f->count; l++) {
    int rows = 3 * (f->nslot[l] - nball);
    for (int b = 0; b < nball; b++) {
      rows += f->g->active[b * PKI_LANES + l] != 0 ? 3 : 0;
    }
    pki_set_mask(few, l, rows + f->nbox[l] <= PKI_FEW_ROWS);
    pki_set_mask(large, l, rows > PKI_LANE_ROWS);
  }
}

/* The problem of a single sim, with its factors, is shown to its observer (pki_group.observer). */
static void pki_show_problem(const pki_lanes *f)
{
  if (f->g->observer != NULL && PKI_LANES == 1) {
    pki_lane_rows s = pki_gather_problem(f, 0, f->g->r, f->g->box_r);
    const pk_contact_factor factor = pki_gather_factor(f, &s);
    s.p.factor = &factor;
    f->g->observer->observe(f->g->observer->user, &s.p, s.r);
  }
}

/* r and box_r, kept beside them. */
static void pki_copy_impulses(const pki_lanes *f)
{
  const pki_group *g = f->g;
  for (PKI_EACH(s, f->in)) {
    pki_v3_store(pki_v3_load(pki_reals(g->r) + 3 * s), pki_out(g->impulse) + 3 * s);
  }
  for (PKI_EACH(b, f->box_in)) {
    pki_out(g->box_impulse)[b] = pki_reals(g->box_r)[b];
  }
}

/* Sweeps where only feet are active; what they leave, and all others, by Newton on active sets; the rest by the scalar fallback. */
static void pki_slots_solve(pki_lanes *f, pk_i open)
{
  const pk_r scale = pki_scale_of(f), goal = f->p->tolerance * scale;
  f->scale = scale;
  const pk_i feet_only = pki_lanes_with_feet_only(f);
  pki_show_problem(f);
  pki_copy_impulses(f); /* the first guess */
  pki_velocities_of(f, pki_all_members(f));
  pk_i left = pki_sweep_feet(f, open & feet_only, scale, goal);
  if (pki_any(left)) { /* sweeps that failed may have left what is no number */
    pki_restore_warm_start(f, left);
    pki_velocities_of(f, pki_all_members(f));
  }
  left |= open & ~feet_only;
  if (!pki_any(left)) {
    return;
  }
  pk_i few, large;
  pki_sort_lanes(f, &few, &large);
  left = pki_newton(f, left & ~large, few, scale, goal) | (left & large);
  for (int l = 0; l < f->count && pki_any(left); l++) {
    if (pki_is_set(left & f->going, l)) {
      pki_solve_lane(f, l);
    }
  }
}

static void pki_slots_respond(pki_lanes *f)
{
  pki_group *g = f->g;
  if (f->in == 0 && f->box_in == 0) {
    pki_end_at_free_velocity(f);
    return;
  }
  pki_velocity_change_of(f, g->r, g->box_r, g->u_end);
  for (int k = 0; k < f->p->model->nu; k++) {
    pki_out(g->u_end)[k] += pki_reals(g->u_free)[k];
  }
}

/* Materials with restitution have their rows on chains. */
static bool pki_slots_impacts_gain(pki_lanes *f)
{
  (void)f;
  return false;
}

/* ---- the end of the velocities ---- */

/* Friction within the cone: the contact sticks. */
PKI_INLINE pk_i pki_sticks(const pki_group *g, int slot)
{
  const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * slot);
  const pk_r limit = PKI_STICKING * pki_reals(g->mu)[slot] * r.x;
  return pki_less(pki_splat(0), r.x) & pki_less(r.y * r.y + r.z * r.z, limit * limit);
}

/* Impulses of the step, and which contacts stick, before r and v become those of positions. */
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

/* The whole certificate of lane 0, when the caller wants the step's info. */
static void pki_certify_impulses(pki_lanes *f)
{
  pki_group *g = f->g;
  f->has_rows = f->in != 0 || f->box_in != 0;
  if (g->wants_info && f->has_rows) {
    const pki_lane_rows s = pki_gather_problem(f, 0, g->r, g->box_r);
    g->certificate = pk_contact_certify(&s.p, s.r, s.u);
  } else {
    g->certificate = (pk_contact_certificate){.worst = -1};
  }
}

static void pki_slots_finish(pki_lanes *f, pk_i open)
{
  pki_leave_lanes(f, open, PK_LANE_EXIT_ROUNDS);
  pki_certify_impulses(f);
  pki_keep_impulses(f);
}

#endif
