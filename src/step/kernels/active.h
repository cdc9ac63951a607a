/* The active set: the rows of a step, because velocities would break them, or because they carried in the last step. Contacts,
 * joint limits, joint friction, and commands at their limits. */
#ifndef PKI_STEP_ACTIVE_H
#define PKI_STEP_ACTIVE_H

#include "step/kernels/command.h"

/* ---- contacts ---- */

/* Whether a contact joins the active set. */
typedef struct pki_joining {
  bool must;  /* velocities would close it: another round is needed */
  bool joins; /* or would leave it open by little */
} pki_joining;

/* What the twists in the work say of contact i of a lane. */
static pki_joining pki_contact_joins(const pki_lanes *f, int lane, int i)
{
  const pki_group_plan *p = f->p;
  const pki_contact *c = &f->g->found[lane][i];
  if (p->law->joins_closed) {
    const bool closed = c->gap <= p->touching;
    return (pki_joining){.must = closed, .joins = closed};
  }
  const double left = c->gap <= 0 ? -1 : c->gap + p->reach * pki_contact_opening(f->g->work, lane, c);
  return (pki_joining){.must = left < 0, .joins = left < p->joining || left < 0};
}

/* The contact of the last step that contact i of a lane was, if it touches still and pushed; -1: none. */
static int pki_last_loaded_contact(const pki_lanes *f, int lane, int i)
{
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  const pki_contact *c = &f->g->found[lane][i];
  const int last = c->gap < f->p->touching && !f->p->published
                       ? pki_contact_search(lane_world->last, *lane_world->nlast, c)
                       : -1;
  return last >= 0 && lane_world->last_r[3 * last] > 0 ? last : -1;
}

/* ---- joint rows ---- */

/* Joint coordinate k gets a row of a kind in some lanes, mostly in none; its first guess, NULL: that of the last step. */
PKI_INLINE void pki_add_joint_rows(pki_lanes *f, pk_i lanes, int kind, int k, const pk_r *guess)
{
  if (pki_any(lanes)) {
    pki_store(f)->add_joint_rows(f, lanes, kind, k, guess);
  }
}

/* ---- joint limits ---- */

/* How far joint k is from its lower or its upper limit, where joints were placed last. */
PKI_INLINE pk_r pki_limit_gap(const pki_lanes *f, int k, bool upper)
{
  const pk_model *m = f->p->joints;
  const pk_r at = pki_reals(f->g->joint.x)[k];
  return upper ? m->dof_upper[k] - at : at - m->dof_lower[k];
}

/* Lanes in which the rate v of joint k would break its lower or its upper limit. */
PKI_INLINE pk_i pki_breaks_limit(const pki_lanes *f, const double *v, int k, bool upper)
{
  const pk_r rate = pki_reals(v)[k], zero = pki_splat(0), gap = pki_limit_gap(f, k, upper);
  const pk_i broken = pki_at_most(gap, zero);
  return f->p->published ? broken : broken | pki_less(gap + f->p->reach * (upper ? -rate : rate), zero);
}

/* The lower or the upper limit of joint k becomes active where the rates v would break it; the lanes in which that is new. */
static pk_i pki_join_limit(pki_lanes *f, const double *v, int k, bool upper)
{
  pk_i *const takes_part = pki_masks(f->g->joint.at_limit) + (upper ? f->p->joints->nu : 0) + k;
  const pk_i fresh = pki_breaks_limit(f, v, k, upper) & f->going & ~*takes_part;
  *takes_part |= fresh;
  pki_add_joint_rows(f, fresh, upper ? PKI_ROW_UPPER : PKI_ROW_LOWER, k, NULL);
  return fresh;
}

/* Joint limits that the rates v would break become active. Mostly there are none. */
static pk_i pki_join_limits(pki_lanes *f, const double *v)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const double slack = 1e-9; /* rad or m, more than rounding: what is near is compared exactly below */
  pk_i some = pki_mask_none(), more = pki_mask_none();
  for (int i = 0; i < p->nlimit; i++) {
    const int k = p->limit[i];
    const pk_r at = pki_reals(g->joint.x)[k], then = at + p->reach * pki_reals(v)[k];
    some |= pki_at_most(pki_min(at, then), pki_splat(p->joints->dof_lower[k] + slack));
    some |= pki_at_most(pki_splat(p->joints->dof_upper[k] - slack), pki_max(at, then));
  }
  for (int i = 0; i < p->nlimit && pki_any(some & f->going); i++) {
    const int k = p->limit[i];
    more |= pki_join_limit(f, v, k, false);
    more |= pki_join_limit(f, v, k, true);
  }
  return more;
}

/* ---- joint friction ---- */

PKI_INLINE bool pki_has_joint_friction(const pki_group_plan *p, int k)
{
  return p->rubs && p->joints->dof_friction[k] > 0;
}

/* The friction of joints that do not slide is a row from the first round. */
static void pki_join_friction(pki_lanes *f)
{
  for (int k = 0; k < f->p->joints->nu && f->p->rubs; k++) {
    const pk_i held =
        pki_has_joint_friction(f->p, k) ? ~pki_masks(f->g->joint.sliding)[k] & f->going : pki_mask_none();
    pki_add_joint_rows(f, held, PKI_ROW_FRICTION, k, NULL);
  }
}

/* Joints that slide and would turn round by the end of the step: their friction becomes a row, which knows all: to hold, or to brake
 * either way. Returns the lanes with such rows. */
static pk_i pki_stop_sliding(pki_lanes *f, const double *v)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu && f->p->rubs; k++) {
    const pk_i turns = pki_less(pki_splat(0), pki_reals(g->joint.drag)[k] * pki_reals(v)[k]);
    const pk_i fresh = pki_masks(g->joint.sliding)[k] & turns & f->going;
    pki_add_joint_rows(f, fresh, PKI_ROW_FRICTION, k, NULL);
    pki_masks(g->joint.sliding)[k] &= ~fresh;
    some |= fresh;
  }
  return some;
}

/* ---- torque limits ---- */

/* Lanes in which the force of command k is beyond its limits at the end. */
PKI_INLINE pk_i pki_breaks_torque(const pki_group *g, const double *v, int k)
{
  const pk_r gain = pki_reals(g->joint.g)[k], most = pki_reals(g->joint.command)[6 * k + 5];
  return pki_less(most, pki_abs(pki_command_force(g, v, k))) & pki_less(pki_splat(0), gain) &
         ~pki_masks(g->joint.limited)[k];
}

/* Commands whose force left its limits are pinned there: gains leave M~. Returns the lanes with new ones. */
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
    const pk_r most = pki_reals(g->joint.command)[6 * k + 5];
    const pk_r force = pki_command_force(g, v, k);
    pk_r *const pin = pki_out(g->joint.pin) + k;
    *pin = pki_select(fresh, pki_select(pki_less(force, pki_splat(0)), -most, most), *pin);
    pki_masks(g->joint.limited)[k] |= fresh;
    pki_masks(g->joint.pinned)[k] |= fresh;
    f->pins = true;
  }
  return some;
}

/* Commands that begin as rows, from the limit at which they are expected. */
static void pki_join_torques(pki_lanes *f)
{
  const pki_group *g = f->g;
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_i rows = pki_masks(g->joint.limited)[k] & ~pki_masks(g->joint.pinned)[k] & f->going;
    const pk_r at_limit = f->p->dt * pki_reals(g->joint.pin)[k];
    pki_add_joint_rows(f, rows, PKI_ROW_TORQUE, k, &at_limit);
  }
}

/* Lanes in which command k is pinned, and its force would be within its limits at the end. */
PKI_INLINE pk_i pki_leaves_pin(const pki_group *g, const double *v, int k)
{
  const pk_r pin = pki_reals(g->joint.pin)[k], force = pki_command_force(g, v, k);
  const pk_i beyond =
      pki_select_mask(pki_less(pin, pki_splat(0)), pki_at_most(force, pin), pki_at_most(pin, force));
  return pki_masks(g->joint.pinned)[k] & ~beyond;
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
    pki_add_joint_rows(f, leaves, PKI_ROW_TORQUE, k, NULL);
    pki_masks(g->joint.pinned)[k] &= ~leaves;
  }
  return some;
}

/* ---- all ---- */

/* What the velocities x would break; the lanes with new rows. */
static pk_i pki_extend_active_set(pki_lanes *f, const double *x, bool first)
{
  bool found = false;
  for (int l = 0; l < f->count; l++) {
    found |= f->nfound[l] > 0;
  }
  if (found && !f->p->law->joins_closed) { /* twists say how fast gaps close */
    f->g->dynamics->velocities(f->g->work, x);
  }
  const pk_i contacts = pki_store(f)->join_contacts(f, x, first);
  return contacts | pki_join_limits(f, pki_rates_of(f, x));
}

#endif
