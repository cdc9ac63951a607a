/* The active set: the rows of a step, because velocities would break them, or because they carried in the last step. Contacts,
 * joint limits, joint friction, and forces at their limits. */
#ifndef PKI_STEP_ACTIVE_H
#define PKI_STEP_ACTIVE_H

#include "step/kernels/command.h"

/* ---- contacts ---- */

/* Whether a contact joins the active set. */
typedef struct pki_joining {
  bool must;  /* velocities would close it: another round is needed */
  bool joins; /* or would leave it open by little */
} pki_joining;

/* m, the gap of contact i of a lane at the end of the step, by the twists in the work. */
static double pki_gap_at_end(const pki_lanes *f, int lane, int i)
{
  const pki_contact *c = &f->g->found[lane][i];
  const double opening = pki_contact_opening(f->g->work, lane, c);
  return f->g->relinearised ? f->p->reach * (f->g->followed[lane][PKI_BALLS + i].offset[0] + opening)
                            : c->gap + f->p->reach * opening;
}

/* What the twists in the work say of contact i of a lane. */
static pki_joining pki_contact_joins(const pki_lanes *f, int lane, int i)
{
  const pki_group_plan *p = f->p;
  const pki_contact *c = &f->g->found[lane][i];
  if (p->law->joins_closed) {
    const bool closed = c->gap <= p->touching;
    return (pki_joining){.must = closed, .joins = closed};
  }
  const double left = c->gap <= 0 && !f->g->relinearised ? -1 : pki_gap_at_end(f, lane, i);
  return (pki_joining){.must = left < 0, .joins = left < p->joining || left < 0};
}

/* A contact that lands in the step without friction (pki_group_plan.landing) is not in the first round, and then they join one by one, the deepest
 * first: contacts that stand have their impulses first, and others join where that solution would close them. Impulses need not be unique when some
 * contacts slide, and so those are found that let stand what stood. */
static bool pki_lands(const pki_lanes *f, int lane, int i)
{
  return f->g->found[lane][i].gap > f->p->landing;
}

/* The contact of a lane that lands next; -1: none. */
static int pki_next_landing(const pki_lanes *f, int lane)
{
  double deepest = 0;
  int next = -1;
  for (int i = 0; i < f->nfound[lane] && f->p->landing < INFINITY; i++) {
    if (f->g->slot_of[lane][i] < 0 && pki_lands(f, lane, i)) {
      const double gap = pki_gap_at_end(f, lane, i);
      next = gap < deepest ? i : next;
      deepest = fmin(gap, deepest);
    }
  }
  return next;
}

/* Contact i of a lane touches still, and pushed as contact `last` of the last step; -1: it was none. */
static bool pki_is_still_loaded(const pki_lanes *f, int lane, int i, int last)
{
  return last >= 0 && f->g->found[lane][i].gap < f->p->touching && !f->p->published &&
         f->lane_worlds[lane].last_r[3 * last] > 0;
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

/* Lanes in which joint k has dry friction. */
PKI_INLINE pk_i pki_has_joint_friction(const pki_lanes *f, int k)
{
  return f->p->rubs ? pki_less(pki_splat(0), pki_reals(f->g->joint.dry)[k]) : pki_mask_none();
}

/* The friction of joints that do not slide is a row from the first round. */
static void pki_join_friction(pki_lanes *f)
{
  for (int k = 0; k < f->p->joints->nu && f->p->rubs; k++) {
    const pk_i held = pki_has_joint_friction(f, k) & ~pki_masks(f->g->joint.sliding)[k] & f->going;
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

/* ---- force laws ---- */

/* Forces that begin as rows, from the impulse that the velocity of the start asks for. */
static void pki_join_torques(pki_lanes *f)
{
  const pki_group *g = f->g;
  const double *const rates = pki_start_rates(f);
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_i rows = pki_masks(g->joint.limited)[k] & ~pki_masks(g->joint.pinned)[k] & f->going;
    if (pki_any(rows)) {
      const pk_r u = pki_reals(rates)[k];
      const pk_r guess = f->p->dt * (pki_piece_at(f, k, u).f - pki_line_force(g, k, u));
      pki_add_joint_rows(f, rows, PKI_ROW_TORQUE, k, &guess);
    }
  }
}

/* Lanes in which the line of joint k in M~ is not what its law says at the velocity u, `value`. */
PKI_INLINE pk_i pki_leaves_piece(const pki_lanes *f, int k, pk_r u, pk_r value)
{
  const pki_group *g = f->g;
  const pk_i row = pki_masks(g->joint.limited)[k] & ~pki_masks(g->joint.pinned)[k];
  const pk_r used = pki_line_force(g, k, u);
  return (pki_less(used, value) | pki_less(value, used)) & ~row & f->going;
}

/* A better row for joint k of a lane than that between two pieces, after it ended at the velocity u where the law is on piece p, above
 * it by `gap`. False: the law has one line. */
static bool pki_better_torque_row(const pki_lanes *f, int k, int lane, int one, int other,
                                  const pki_force_piece *p, double u, double gap)
{
  const pk_force_law law = pki_law_of_lane(f, k, lane);
  const pki_force_pair pair = pki_force_law_mend(&law, one, other, p, u, gap);
  return pair.one >= 0 && pki_form_torque_row(f, k, lane, pair.one, pair.other, pair.lower);
}

/* Joint k of a lane leaves its piece for piece p. The first time the line of p takes the place of the free one; after that the two
 * pieces become a row, which knows both. True: a row has been made. */
static bool pki_change_piece(pki_lanes *f, int k, int lane, double u, const pki_piece *p)
{
  const pki_group *g = f->g;
  const int at = k * PKI_LANES + lane, one = (int)g->joint.piece[at], other = (int)pki_lane(p->id, lane);
  const double used = g->joint.line_a[at] - g->joint.line_g[at] * u, value = pki_lane(p->f, lane);
  const pki_force_piece to = {pki_lane(p->a, lane), pki_lane(p->g, lane), other};
  if (g->joint.pinned[at] != 0 &&
      (pki_form_torque_row(f, k, lane, one, other, value < used) ||
       (f->p->actuation != NULL && pki_better_torque_row(f, k, lane, one, other, &to, u, value - used)))) {
    pki_set_mask(&pki_masks(g->joint.pinned)[k], lane, false);
    return true;
  }
  g->joint.line_a[at] = pki_lane(p->a, lane), g->joint.line_g[at] = pki_lane(p->g, lane);
  g->joint.piece[at] = other;
  pki_set_mask(&pki_masks(g->joint.limited)[k], lane, true);
  pki_set_mask(&pki_masks(g->joint.pinned)[k], lane, true);
  f->pins = true;
  return false;
}

/* A row of joint k in a lane that ended where it is not the law is made anew. Rows between a line and two limits of one slope are
 * all of the law without actuators. True: it was. */
static bool pki_mend_torque_row(pki_lanes *f, int k, int lane, double u, const pki_piece *p)
{
  const pki_group *g = f->g;
  const int at = k * PKI_LANES + lane;
  const pki_force_piece piece = {pki_lane(p->a, lane), pki_lane(p->g, lane), (int)pki_lane(p->id, lane)};
  double numbers[PKI_FORCE_NUMBERS];
  pki_torque_row_of(g, k, lane, numbers);
  const pki_force_row row = {g->joint.line_a[at], g->joint.line_g[at], numbers[0],
                             numbers[1],          numbers[2],          numbers[3]};
  const double gap = pki_force_row_gap(&row, &piece, u);
  return gap != 0 &&
         pki_better_torque_row(f, k, lane, (int)g->joint.piece[at], (int)g->joint.other[at], &piece, u, gap);
}

/* Without actuators, the common case: the force of joint k is not at its limit, and stays within it. */
PKI_INLINE bool pki_stays_free(const pki_lanes *f, int k, pk_r u)
{
  const pk_r force = pki_line_force(f->g, k, u), most = pki_law_of_joint(f->g, k)[PKI_LAW_HIGH];
  const pk_i other = pki_masks(f->g->joint.limited)[k] | pki_less(most, pki_abs(force));
  return f->p->actuation == NULL && !pki_any(other & f->going);
}

/* Joints whose rates v are on other pieces of their force laws than the step was computed with. The lanes with other forces. */
static pk_i pki_check_laws(pki_lanes *f, const double *v)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu && f->p->implicit; k++) {
    const pk_r u = pki_reals(v)[k];
    if (pki_stays_free(f, k, u)) {
      continue;
    }
    const pk_i leaves = pki_leaves_piece(f, k, u, pki_law_value(f, k, u));
    const pk_i row = pki_masks(g->joint.limited)[k] & ~pki_masks(g->joint.pinned)[k] & f->going;
    const bool mends = f->p->actuation != NULL && pki_any(row);
    if (!mends && !pki_any(leaves)) {
      continue;
    }
    const pki_piece p = pki_piece_at(f, k, u);
    pk_i rows = pki_mask_none();
    if (pki_any(leaves)) {
      for (int l = 0; l < f->count; l++) {
        if (pki_is_set(leaves, l)) {
          pki_set_mask(&rows, l, pki_change_piece(f, k, l, pki_lane(u, l), &p));
        }
      }
      some |= leaves;
    }
    for (int l = 0; l < f->count && mends; l++) {
      if (pki_is_set(row, l) && pki_mend_torque_row(f, k, l, pki_lane(u, l), &p)) {
        pki_set_mask(&some, l, true);
      }
    }
    pki_add_joint_rows(f, rows, PKI_ROW_TORQUE, k, NULL);
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
