/* The active set: what takes part in a step, because velocities would break it, or because it carried in the last step. Feet,
 * contacts of other shapes, joint limits, joint friction, and commands at their limits. */
#ifndef PKI_STEP_ACTIVE_H
#define PKI_STEP_ACTIVE_H

#include "step/kernels/alone.h"
#include "step/kernels/command.h"
#include "step/kernels/support.h"

/* ---- contacts ---- */

/* Feet near the ground in some lane have rows. */
static void pki_make_feet_rows(pki_lanes *f)
{
  for (int b = 0; b < f->p->nball; b++) {
    if (pki_any(pki_at_most(pki_reals(f->g->gap)[b], pki_splat(f->p->near)) & f->going)) {
      pki_foot_rows(f->g, b);
      f->rows |= 1u << b;
    }
  }
}

/* Feet that the velocities x would push below ground begin to take part; the lanes in which some are new. */
static pk_i pki_join_feet(pki_lanes *f, const double *x, bool first)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pk_i *const active = pki_masks(g->active), more = pki_mask_none();
  for (int b = 0; b < p->nball; b++) {
    const pk_r gap = pki_reals(g->gap)[b];
    if (!(f->rows >> b & 1)) {
      active[b] = pki_mask_none();
      pki_v3_store(pki_v3_zero(), pki_out(g->r) + 3 * b);
      continue;
    }
    const pk_r v = pki_slot_velocity(f, b, x).x;
    pk_i wants = pki_at_most(gap, pki_splat(0)) | pki_less(gap + p->reach * v, pki_splat(0));
    if (first) {
      const pk_i pushed = pki_less(pki_splat(0), pki_reals(g->r)[3 * b]);
      wants |= pushed & pki_less(gap, pki_splat(p->touching));
      active[b] = pki_mask_none();
    }
    wants &= f->going & pki_at_most(gap, pki_splat(p->near)) & ~active[b];
    active[b] |= wants;
    more |= wants;
    f->stale |= (unsigned)(pki_any(wants) && !(f->in >> b & 1)) << b;
    /* whoever did not push begins with nothing */
    const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
    pki_v3_store(pki_v3_select(active[b], r, pki_v3_zero()), pki_out(g->r) + 3 * b);
  }
  return more;
}

/* A contact takes the next free slot of its lane: its place, axes and bodies. False: there is none. */
static bool pki_take_slot(pki_lanes *f, int lane, const pki_contact *c)
{
  pki_group *g = f->g;
  const int slot = f->nslot[lane], nu = f->p->model->nu;
  if (slot == PKI_SLOTS) {
    pki_leave_lane(f, lane, PK_LEFT_CONTACTS);
    return false;
  }
  if (!(f->rows >> slot & 1)) { /* nobody has it yet */
    f->rows |= 1u << slot;
    f->path[slot] = 0;
    pki_masks(g->active)[slot] = pki_mask_none();
    memset(g->sign + slot * nu * PKI_LANES, 0, (size_t)nu * PKI_LANES * sizeof(double));
    memset(g->axes + 9 * slot * PKI_LANES, 0, 9 * PKI_LANES * sizeof(double));
    memset(g->point + 3 * slot * PKI_LANES, 0, 3 * PKI_LANES * sizeof(double));
    memset(g->r + 3 * slot * PKI_LANES, 0, 3 * PKI_LANES * sizeof(double));
    memset(g->gap + slot * PKI_LANES, 0, PKI_LANES * sizeof(double));
    memset(g->mu + slot * PKI_LANES, 0, PKI_LANES * sizeof(double));
    f->held[slot] = pki_mask_none();
  }
  const uint64_t first = f->p->chain[c->body], second = c->other >= 0 ? f->p->chain[c->other] : 0;
  const pki_unknowns plus = pki_unknowns_of(first & ~second), minus = pki_unknowns_of(second & ~first);
  for (int e = 0; e < plus.n; e++) {
    g->sign[(slot * nu + plus.at[e]) * PKI_LANES + lane] = 1;
  }
  for (int e = 0; e < minus.n; e++) {
    g->sign[(slot * nu + minus.at[e]) * PKI_LANES + lane] = -1;
  }
  for (int k = 0; k < 3; k++) {
    g->axes[(9 * slot + k) * PKI_LANES + lane] = c->normal[k];
    g->axes[(9 * slot + 3 + k) * PKI_LANES + lane] = c->tangent1[k];
    g->axes[(9 * slot + 6 + k) * PKI_LANES + lane] = c->tangent2[k];
    g->point[(3 * slot + k) * PKI_LANES + lane] = c->point[k];
  }
  g->gap[slot * PKI_LANES + lane] = c->gap;
  g->mu[slot * PKI_LANES + lane] = f->seats[lane].friction * pki_contact_material(g->scene, c)->friction;
  pki_set_mask(&pki_masks(g->active)[slot], lane, true);
  f->path[slot] |= first | second;
  f->stale |= 1u << slot;
  f->nslot[lane]++;
  return true;
}

/* What the twists in the work do to a contact: it joins, and whether it must. */
typedef struct pki_joining {
  bool joins, must;
} pki_joining;

static pki_joining pki_joins(const pki_lanes *f, int lane, int i)
{
  const pki_group_plan *p = f->p;
  const pki_contact *c = &f->g->found[lane][i];
  if (pki_on_chains(f) && pki_law_of(&f->g->world->options)->joins_closed) {
    return (pki_joining){c->gap <= p->touching, c->gap <= p->touching};
  }
  if (pki_on_chains(f) && pki_chain_waits(f->g->world, i)) {
    return (pki_joining){false, false};
  }
  const double opening = pki_contact_opening(f->g->work, lane, c);
  if (!pki_on_chains(f) &&
      f->spare[lane] >> i & 1) { /* its law is broken by more than the tolerance lets pass */
    const bool broken = opening + fmax(c->gap, 0) / p->reach < -p->tolerance * pki_lane(f->scale, lane);
    return (pki_joining){broken, broken};
  }
  const double left = c->gap <= 0 ? -1 : c->gap + p->reach * opening;
  return (pki_joining){left < p->joining || left < 0, left < 0};
}

/* The contact of the last step that contact i of a lane was, if it touches still and pushed; -1: none. */
static int pki_pushed_last(const pki_lanes *f, int lane, int i)
{
  const pki_seat *seat = &f->seats[lane];
  const pki_contact *c = &f->g->found[lane][i];
  const int last =
      c->gap < f->p->touching && !f->p->published ? pki_contact_search(seat->last, *seat->nlast, c) : -1;
  return last >= 0 && seat->last_r[3 * last] > 0 ? last : -1;
}

/* The same on chains, where nobody is spare and impulses are recalled with the rows. True when there are new ones that must take
 * part. */
static bool pki_join_chains(pki_lanes *f, bool first)
{
  pki_group *g = f->g;
  bool more = false;
  for (int i = 0; i < f->nfound[0] && pki_any(f->going); i++) {
    if (g->slot_of[0][i] < 0) {
      const bool pushed = first && pki_pushed_last(f, 0, i) >= 0;
      const pki_joining by = pki_joins(f, 0, i);
      g->slot_of[0][i] = pushed || by.joins ? 0 : -1;
      more |= pushed || by.must;
    }
  }
  return more;
}

/* Contacts of a lane that join, as bits; in the first round those that pushed in the last step do, and what is spare waits. */
static uint64_t pki_joining_contacts(pki_lanes *f, int lane, bool first)
{
  uint64_t wants = 0, pushed = 0;
  f->spare[lane] = first ? 0 : f->spare[lane];
  for (int i = 0; i < f->nfound[lane]; i++) {
    if (f->g->slot_of[lane][i] < 0) {
      wants |= (uint64_t)pki_joins(f, lane, i).must << i;
      pushed |= (uint64_t)(first && pki_pushed_last(f, lane, i) >= 0) << i;
    }
  }
  if (first) {
    f->spare[lane] = pki_spare_contacts(f->g->found[lane], wants | pushed, pushed);
    wants = (wants | pushed) & ~f->spare[lane];
  }
  return wants;
}

/* Contacts of other shapes that the twists in the work would close begin to take part, from the impulses of the last step; the
 * lanes in which some are new. */
static pk_i pki_join_found(pki_lanes *f, bool first)
{
  pki_group *g = f->g;
  pk_i more = pki_mask_none();
  if (pki_on_chains(f)) {
    return pki_join_chains(f, first) ? pki_mask_all() : more;
  }
  for (int l = 0; l < f->count; l++) {
    uint64_t wants = pki_is_set(f->going, l) ? pki_joining_contacts(f, l, first) : 0;
    for (; wants != 0; wants &= wants - 1) {
      const int i = __builtin_ctzll(wants);
      const pki_seat *seat = &f->seats[l];
      const pki_contact *c = &g->found[l][i];
      const int last = first ? pki_contact_search(seat->last, *seat->nlast, c) : -1;
      if (!pki_take_slot(f, l, c)) {
        break;
      }
      const int slot = g->slot_of[l][i] = f->nslot[l] - 1;
      for (int d = 0; d < 3 && last >= 0; d++) {
        g->r[(3 * slot + d) * PKI_LANES + l] = seat->last_r[3 * last + d];
      }
      pki_set_mask(&more, l, true);
    }
  }
  return more;
}

/* A joint row takes the next free box slot of its lane; false: there is none. On chains masks say enough. */
static bool pki_take_box(pki_lanes *f, int lane, int kind, int k)
{
  pki_group *g = f->g;
  const int box = f->nbox[lane];
  if (pki_on_chains(f)) {
    return true;
  }
  if (box == PKI_BOXES) {
    pki_leave_lane(f, lane, PK_LEFT_CONTACTS);
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
  const pki_joint_row row =
      pki_joint_row_of(kind, f->p->dt, pki_entry_of(g->g, k, lane), pki_entry_of(g->command, 6 * k + 5, lane),
                       f->p->joints->dof_friction[k]);
  const double *last = f->seats[lane].last_joint;
  const double r = *f->seats[lane].plain ? 0 : last[kind * f->p->model->nu + k];
  g->box[lane][box] = (pki_lane_box){k, kind};
  g->box_sign[box * PKI_LANES + lane] = row.sign;
  g->box_lower[box * PKI_LANES + lane] = row.lower;
  g->box_upper[box * PKI_LANES + lane] = row.upper;
  g->box_soft[box * PKI_LANES + lane] = row.softness;
  g->box_r[box * PKI_LANES + lane] = pki_joint_row_guess(&row, r);
  pki_set_mask(&pki_masks(g->box_active)[box], lane, true);
  f->box_path[box] |= f->p->chain[f->p->dof_body[k]];
  f->box_stale |= 1u << box;
  f->nbox[lane]++;
  return true;
}

/* A mask of joint k gains lanes, each of which gets a box row. */
static void pki_join_boxes(pki_lanes *f, pk_i wants, uint64_t *mask, int kind, int k, pk_i *more)
{
  pk_i *const have = pki_masks(mask) + k;
  const pk_i fresh = wants & f->going & ~*have;
  if (!pki_any(fresh)) {
    return;
  }
  *have |= fresh;
  *more |= fresh;
  for (int l = 0; l < f->count; l++) {
    if (pki_is_set(fresh, l)) {
      pki_take_box(f, l, kind, k);
    }
  }
}

/* ---- joint limits ---- */

/* How far joint k is from its lower or its upper limit, where joints were placed last. */
PKI_INLINE pk_r pki_limit_gap(const pki_lanes *f, int k, bool upper)
{
  const pk_model *m = f->p->joints;
  const pk_r at = pki_reals(f->g->x)[k];
  return upper ? m->dof_upper[k] - at : at - m->dof_lower[k];
}

/* Lanes in which the rate v of joint k would break its lower or its upper limit. */
PKI_INLINE pk_i pki_breaks_limit(const pki_lanes *f, const double *v, int k, bool upper)
{
  const pk_r rate = pki_reals(v)[k], zero = pki_splat(0), gap = pki_limit_gap(f, k, upper);
  const pk_i broken = pki_at_most(gap, zero);
  return f->p->published ? broken : broken | pki_less(gap + f->p->reach * (upper ? -rate : rate), zero);
}

/* Joint limits that the rates v would break begin to take part. Mostly there are none. */
static pk_i pki_join_limits(pki_lanes *f, const double *v)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  uint64_t *const upper = g->at_limit + p->joints->nu * PKI_LANES;
  const double slack = 1e-9; /* rad or m, more than rounding: what is near is compared exactly below */
  pk_i some = pki_mask_none(), more = pki_mask_none();
  for (int i = 0; i < p->nlimit; i++) {
    const int k = p->limit[i];
    const pk_r at = pki_reals(g->x)[k], then = at + p->reach * pki_reals(v)[k];
    some |= pki_at_most(pki_min(at, then), pki_splat(p->joints->dof_lower[k] + slack));
    some |= pki_at_most(pki_splat(p->joints->dof_upper[k] - slack), pki_max(at, then));
  }
  for (int i = 0; i < p->nlimit && pki_any(some & f->going); i++) {
    const int k = p->limit[i];
    pki_join_boxes(f, pki_breaks_limit(f, v, k, false), g->at_limit, PKI_ROW_LOWER, k, &more);
    pki_join_boxes(f, pki_breaks_limit(f, v, k, true), upper, PKI_ROW_UPPER, k, &more);
  }
  return more;
}

/* ---- joint friction ---- */

PKI_INLINE bool pki_rubs(const pki_group_plan *p, int k)
{
  return p->rubs && p->joints->dof_friction[k] > 0;
}

/* The friction of joints that do not slide is a row from the first; the lanes with such rows. */
static pk_i pki_join_friction(pki_lanes *f)
{
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_i held = pki_rubs(f->p, k) ? ~pki_masks(f->g->sliding)[k] & f->going : pki_mask_none();
    for (int l = 0; l < f->count && pki_any(held); l++) {
      if (pki_is_set(held, l)) {
        pki_take_box(f, l, PKI_ROW_FRICTION, k);
      }
    }
    some |= held;
  }
  return some;
}

/* Joints that slide and would turn round by the end of the step: their friction becomes a row, which knows all: to hold, or to brake
 * either way. The lanes with such rows come back. */
static pk_i pki_stop_sliding(pki_lanes *f, const double *v)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu && f->p->rubs; k++) {
    const pk_i turns = pki_less(pki_splat(0), pki_reals(g->drag)[k] * pki_reals(v)[k]);
    const pk_i fresh = pki_masks(g->sliding)[k] & turns & f->going;
    for (int l = 0; l < f->count && pki_any(fresh); l++) {
      if (pki_is_set(fresh, l)) {
        pki_take_box(f, l, PKI_ROW_FRICTION, k);
      }
    }
    pki_masks(g->sliding)[k] &= ~fresh;
    some |= fresh;
  }
  return some;
}

/* ---- torque limits ---- */

/* Lanes in which the force of command k is beyond its limits at the end. */
PKI_INLINE pk_i pki_breaks_torque(const pki_group *g, const double *v, int k)
{
  const pk_r gain = pki_reals(g->g)[k], most = pki_reals(g->command)[6 * k + 5];
  return pki_less(most, pki_abs(pki_command_force(g, v, k))) & pki_less(pki_splat(0), gain) &
         ~pki_masks(g->limited)[k];
}

/* Commands whose force left its limits are pinned there: gains leave M~. The lanes with new ones come back. */
static pk_i pki_pin_torques(pki_lanes *f, const double *v)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu; k++) {
    some |= pki_breaks_torque(g, v, k);
  }
  some &= f->going;
  for (int k = 0; k < f->p->joints->nu && pki_any(some); k++) {
    const pk_i fresh = pki_breaks_torque(g, v, k) & f->going;
    const pk_r most = pki_reals(g->command)[6 * k + 5];
    const pk_r force = pki_command_force(g, v, k);
    pk_r *const pin = pki_out(g->pin) + k;
    *pin = pki_select(fresh, pki_select(pki_less(force, pki_splat(0)), -most, most), *pin);
    pki_masks(g->limited)[k] |= fresh;
    pki_masks(g->pinned)[k] |= fresh;
    f->pins = true;
  }
  return some;
}

/* Commands that begin as rows, from the limit at which they are expected; the lanes with such rows. */
static pk_i pki_join_torques(pki_lanes *f)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_i rows = pki_masks(g->limited)[k] & ~pki_masks(g->pinned)[k] & f->going;
    for (int l = 0; l < f->count && pki_any(rows); l++) {
      if (pki_is_set(rows, l) && pki_take_box(f, l, PKI_ROW_TORQUE, k) && !pki_on_chains(f)) {
        g->box_r[(f->nbox[l] - 1) * PKI_LANES + l] = f->p->dt * pki_entry_of(g->pin, k, l);
      }
    }
    some |= rows;
  }
  return some;
}

/* Lanes in which command k is pinned, and its force would be within its limits at the end. */
PKI_INLINE pk_i pki_leaves_pin(const pki_group *g, const double *v, int k)
{
  const pk_r pin = pki_reals(g->pin)[k], force = pki_command_force(g, v, k);
  const pk_i beyond =
      pki_select_mask(pki_less(pin, pki_splat(0)), pki_at_most(force, pin), pki_at_most(pin, force));
  return pki_masks(g->pinned)[k] & ~beyond;
}

/* Pinned commands that would leave their limit become rows, which know both: at a limit, or within. The lanes with new rows come
 * back. */
static pk_i pki_unpin_torques(pki_lanes *f, const double *v)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu && f->pins; k++) {
    some |= pki_leaves_pin(g, v, k);
  }
  some &= f->going;
  for (int k = 0; k < f->p->joints->nu && pki_any(some); k++) {
    const pk_i leaves = pki_leaves_pin(g, v, k) & f->going;
    for (int l = 0; l < f->count && pki_any(leaves); l++) {
      if (pki_is_set(leaves, l)) {
        pki_take_box(f, l, PKI_ROW_TORQUE, k);
      }
    }
    pki_masks(g->pinned)[k] &= ~leaves;
  }
  return some;
}

/* ---- all ---- */

/* Who the velocities x would break; the lanes with new rows. */
static pk_i pki_join(pki_lanes *f, const double *x, bool first)
{
  bool found = false;
  for (int l = 0; l < f->count; l++) {
    found |= f->nfound[l] > 0;
  }
  pk_i more = pki_join_feet(f, x, first);
  if (found) {
    if (!(pki_on_chains(f) && pki_law_of(&f->g->world->options)->joins_closed)) {
      f->g->dynamics->velocities(f->g->work, x);
    }
    more |= pki_join_found(f, first);
  }
  return more | pki_join_limits(f, pki_rates_of(f, x));
}

#endif
