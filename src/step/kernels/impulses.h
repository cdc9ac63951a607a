/* The active set, impulses, and the velocities at the end. */
#ifndef PKI_STEP_IMPULSES_H
#define PKI_STEP_IMPULSES_H

#include "step/kernels/alone.h"
#include "step/kernels/command.h"
#include "step/kernels/newton.h"
#include "step/kernels/support.h"

enum { PKI_LANE_ROUNDS = 12 };

/* ---- who takes part ---- */

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
      wants |= pushed & pki_less(gap, pki_splat(PKI_TOUCHING));
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

/* Velocity (world) of a body's point, of one lane, under the twists in the work. */
static void pki_point_velocity(const pki_work *w, int lane, int body, const double at[3], double v[3])
{
  const double *const twist = w->twist + 6 * ((size_t)body + 1) * PKI_LANES + lane;
  const double *const o = w->origin + 3 * ((size_t)body + 1) * PKI_LANES + lane;
  double t[6], arm[3];
  for (int e = 0; e < 6; e++) {
    t[e] = twist[e * PKI_LANES];
  }
  for (int e = 0; e < 3; e++) {
    arm[e] = at[e] - o[e * PKI_LANES];
  }
  v[0] = t[3] + (t[1] * arm[2] - t[2] * arm[1]);
  v[1] = t[4] + (t[2] * arm[0] - t[0] * arm[2]);
  v[2] = t[5] + (t[0] * arm[1] - t[1] * arm[0]);
}

/* How fast the gap of a contact opens under the twists in the work. */
static double pki_opening(const pki_work *w, int lane, const pki_contact *c)
{
  double v[3];
  pki_point_velocity(w, lane, c->body, c->point, v);
  if (c->other >= 0) {
    double second[3];
    pki_point_velocity(w, lane, c->other, c->point, second);
    v[0] -= second[0], v[1] -= second[1], v[2] -= second[2];
  }
  return c->normal[0] * v[0] + c->normal[1] * v[1] + c->normal[2] * v[2];
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
  g->mu[slot * PKI_LANES + lane] = f->seats[lane].friction * pki_contact_material(g->law, c)->friction;
  pki_set_mask(&pki_masks(g->active)[slot], lane, true);
  f->path[slot] |= first | second;
  f->stale |= 1u << slot;
  f->nslot[lane]++;
  return true;
}

/* Contacts of a lane that touch and pushed in the last step, as bits. */
static uint64_t pki_pushing_contacts(const pki_lanes *f, int lane)
{
  const pki_seat *seat = &f->seats[lane];
  uint64_t pushed = 0;
  for (int i = 0; i < f->nfound[lane]; i++) {
    const pki_contact *c = &f->g->found[lane][i];
    if (c->gap < PKI_TOUCHING) {
      const int last = pki_contact_search(seat->last, *seat->nlast, c);
      pushed |= (uint64_t)(last >= 0 && seat->last_r[3 * last] > 0) << i;
    }
  }
  return pushed;
}

/* Contacts of a lane that the twists in the work would close, as bits. */
static uint64_t pki_closing_contacts(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  uint64_t wants = 0;
  for (int i = 0; i < f->nfound[lane]; i++) {
    const pki_contact *c = &g->found[lane][i];
    if (g->slot_of[lane][i] >= 0) {
      continue;
    }
    const double opening = pki_opening(g->work, lane, c);
    bool closes = c->gap <= 0 || c->gap + f->p->reach * opening < 0;
    if (f->spare[lane] >> i & 1) { /* its law is broken by more than the tolerance lets pass */
      closes = opening + fmax(c->gap, 0) / f->p->reach < -f->p->tolerance * pki_lane(f->scale, lane);
    }
    wants |= (uint64_t)closes << i;
  }
  return wants;
}

/* Contacts of other shapes that the twists in the work would close begin to take part; the lanes in which some are new. */
static pk_i pki_join_found(pki_lanes *f, bool first)
{
  pki_group *g = f->g;
  pk_i more = pki_mask_none();
  for (int l = 0; l < f->count; l++) {
    const pki_seat *seat = &f->seats[l];
    uint64_t wants = pki_is_set(f->going, l) ? pki_closing_contacts(f, l) : 0;
    if (first) {
      const uint64_t pushed = pki_is_set(f->going, l) ? pki_pushing_contacts(f, l) : 0;
      f->spare[l] = pki_spare_contacts(g->found[l], wants | pushed, pushed);
      wants = (wants | pushed) & ~f->spare[l];
    }
    for (; wants != 0; wants &= wants - 1) {
      const int i = __builtin_ctzll(wants);
      const pki_contact *c = &g->found[l][i];
      const int last = first ? pki_contact_search(seat->last, *seat->nlast, c) : -1;
      if (!pki_take_slot(f, l, c)) {
        break;
      }
      const int slot = f->nslot[l] - 1;
      g->slot_of[l][i] = (signed char)slot;
      for (int d = 0; d < 3 && last >= 0; d++) {
        g->r[(3 * slot + d) * PKI_LANES + l] = seat->last_r[3 * last + d];
      }
      pki_set_mask(&more, l, true);
    }
  }
  return more;
}

/* A joint row takes the next free box slot of its lane; false: there is none. */
static bool pki_take_box(pki_lanes *f, int lane, int kind, int k)
{
  pki_group *g = f->g;
  const int box = f->nbox[lane];
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
  const double dt = f->p->dt, gain = pki_entry_of(g->g, k, lane), *last = f->seats[lane].last_joint;
  const bool torque = kind == PKI_ROW_TORQUE;
  const double most = torque ? dt * pki_entry_of(g->command, 6 * k + 5, lane) : INFINITY;
  const double r = *f->seats[lane].plain ? 0 : last[kind * f->p->model->nu + k];
  g->box[lane][box] = (pki_lane_box){k, kind};
  g->box_sign[box * PKI_LANES + lane] = kind == PKI_ROW_UPPER ? -1 : 1;
  g->box_lower[box * PKI_LANES + lane] = torque ? -most : 0;
  g->box_upper[box * PKI_LANES + lane] = most;
  g->box_soft[box * PKI_LANES + lane] = torque ? 1 / (dt * gain) : 0;
  g->box_r[box * PKI_LANES + lane] = fmin(fmax(r, torque ? -most : 0), most);
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

/* Lanes in which the velocity x of joint k would break its lower or its upper limit. */
PKI_INLINE pk_i pki_breaks_limit(const pki_lanes *f, const double *q, const double *x, int k, bool upper)
{
  const pk_model *m = f->p->model;
  const pk_r at = pki_reals(q)[m->dof_q[k]], v = pki_reals(x)[k], zero = pki_splat(0);
  const pk_r gap = upper ? m->dof_upper[k] - at : at - m->dof_lower[k];
  return pki_at_most(gap, zero) | pki_less(gap + f->p->reach * (upper ? -v : v), zero);
}

/* Joint limits that the velocities x would break begin to take part. Mostly there are none. */
static pk_i pki_join_limits(pki_lanes *f, const double *q, const double *x)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  uint64_t *const upper = g->at_limit + m->nu * PKI_LANES;
  pk_i some = pki_mask_none(), more = pki_mask_none();
  for (int k = 0; k < m->nu; k++) {
    if (pki_has_limits(f->p, k)) {
      some |= pki_breaks_limit(f, q, x, k, false) & ~pki_masks(g->at_limit)[k];
      some |= pki_breaks_limit(f, q, x, k, true) & ~pki_masks(upper)[k];
    }
  }
  for (int k = 0; k < m->nu && pki_any(some & f->going); k++) {
    if (pki_has_limits(f->p, k)) {
      pki_join_boxes(f, pki_breaks_limit(f, q, x, k, false), g->at_limit, PKI_ROW_LOWER, k, &more);
      pki_join_boxes(f, pki_breaks_limit(f, q, x, k, true), upper, PKI_ROW_UPPER, k, &more);
    }
  }
  return more;
}

/* Lanes in which the force of command k is beyond its limits at the end. */
PKI_INLINE pk_i pki_breaks_torque(const pki_group *g, int k)
{
  const pk_r gain = pki_reals(g->g)[k], most = pki_reals(g->command)[6 * k + 5];
  const pk_r force = pki_reals(g->a)[k] - gain * pki_reals(g->u_end)[k];
  return pki_less(most, pki_abs(force)) & pki_less(pki_splat(0), gain) & ~pki_masks(g->limited)[k];
}

/* Commands whose force left its limits are pinned there: gains leave M~. The lanes with new ones come back. */
static pk_i pki_pin_torques(pki_lanes *f)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->model->nu; k++) {
    some |= pki_breaks_torque(g, k);
  }
  some &= f->going;
  for (int k = 0; k < f->p->model->nu && pki_any(some); k++) {
    const pk_i fresh = pki_breaks_torque(g, k) & f->going;
    const pk_r most = pki_reals(g->command)[6 * k + 5];
    const pk_r force = pki_reals(g->a)[k] - pki_reals(g->g)[k] * pki_reals(g->u_end)[k];
    pk_r *const pin = pki_out(g->pin) + k;
    *pin = pki_select(fresh, pki_select(pki_less(force, pki_splat(0)), -most, most), *pin);
    pki_masks(g->limited)[k] |= fresh;
    pki_masks(g->pinned)[k] |= fresh;
  }
  return some;
}

/* Lanes in which command k is pinned, and its force would be within its limits at the end. */
PKI_INLINE pk_i pki_leaves_pin(const pki_group *g, int k)
{
  const pk_r pin = pki_reals(g->pin)[k],
             force = pki_reals(g->a)[k] - pki_reals(g->g)[k] * pki_reals(g->u_end)[k];
  const pk_i beyond =
      pki_select_mask(pki_less(pin, pki_splat(0)), pki_at_most(force, pin), pki_at_most(pin, force));
  return pki_masks(g->pinned)[k] & ~beyond;
}

/* Pinned commands that would leave their limit become rows, which know both: at a limit, or within. The lanes with new rows come
 * back. */
static pk_i pki_unpin_torques(pki_lanes *f)
{
  pki_group *g = f->g;
  pk_i some = pki_mask_none();
  for (int k = 0; k < f->p->model->nu; k++) {
    some |= pki_leaves_pin(g, k);
  }
  some &= f->going;
  for (int k = 0; k < f->p->model->nu && pki_any(some); k++) {
    const pk_i leaves = pki_leaves_pin(g, k) & f->going;
    for (int l = 0; l < f->count && pki_any(leaves); l++) {
      if (pki_is_set(leaves, l)) {
        pki_take_box(f, l, PKI_ROW_TORQUE, k);
      }
    }
    pki_masks(g->pinned)[k] &= ~leaves;
  }
  return some;
}

/* ---- the problem ---- */

/* Rows, Y, Z and W of what is new, the same way round whoever came first. */
static void pki_assemble(pki_lanes *f)
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
static double pki_box_q_of(const pki_lanes *f, int lane, const pki_lane_box *box, const double *q)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  const double v = pki_entry_of(g->u_free, box->k, lane);
  if (box->kind == PKI_ROW_TORQUE) {
    return v - pki_entry_of(g->a, box->k, lane) / pki_entry_of(g->g, box->k, lane);
  }
  const double at = pki_entry_of(q, m->dof_q[box->k], lane);
  const bool upper = box->kind == PKI_ROW_UPPER;
  const double gap = upper ? m->dof_upper[box->k] - at : at - m->dof_lower[box->k];
  return (upper ? -v : v) + fmax(gap, 0) / f->p->reach;
}

/* q of the problem: velocities without impulses, and what gaps allow. */
static void pki_set_fixed(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  for (PKI_EACH(s, f->in)) {
    const pki_v3 v = pki_slot_velocity(f, s, g->u_free);
    const pk_r open = pki_max(pki_reals(g->gap)[s], pki_splat(0)) * (1 / f->p->reach);
    pki_v3_store((pki_v3){v.x + open, v.y, v.z}, pki_out(g->fixed) + 3 * s);
  }
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->nbox[l]; b++) {
      g->box_q[b * PKI_LANES + l] = pki_box_q_of(f, l, &g->box[l][b], q);
    }
  }
}

/* max(|q|, 1e-3 m/s) of each lane's rows. */
static pk_r pki_scale_of(const pki_lanes *f)
{
  const pki_group *g = f->g;
  pk_r scale = pki_splat(1e-3);
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

/* Lanes in which feet alone take part. */
static pk_i pki_feet_alone(const pki_lanes *f)
{
  pk_i alone = pki_mask_all();
  for (int l = 0; l < f->count; l++) {
    if (f->nbox[l] > 0 || f->nslot[l] > f->p->nball) {
      pki_set_mask(&alone, l, false);
    }
  }
  return alone;
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

/* The problem of a sim alone, with its factors, to who asked for it. */
static void pki_show_problem(const pki_lanes *f)
{
  if (f->g->tap != NULL && PKI_LANES == 1) {
    pki_lane_rows s = pki_gather_problem(f, 0, f->g->r, f->g->box_r);
    const pk_contact_factor factor = pki_gather_factor(f, &s);
    s.p.factor = &factor;
    f->g->tap->see(f->g->tap->user, &s.p, s.r);
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

/* Impulses in the lanes of `open`. */
static void pki_solve_lanes(pki_lanes *f, pk_i open)
{
  const pk_r scale = pki_scale_of(f), goal = f->p->tolerance * scale;
  f->scale = scale;
  const pk_i feet_alone = pki_feet_alone(f);
  pki_show_problem(f);
  pki_copy_impulses(f); /* the first guess */
  pki_velocities_of(f);
  pk_i left = pki_sweep_feet(f, open & feet_alone, scale, goal);
  if (pki_any(left)) { /* sweeps that failed may have left what is no number */
    pki_put_back_guess(f, left);
    pki_velocities_of(f);
  }
  left |= open & ~feet_alone;
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

/* u_E = u_f + inv(M~) J' r */
static void pki_respond(pki_lanes *f)
{
  pki_group *g = f->g;
  const bool any = f->in != 0 || f->box_in != 0;
  if (any) {
    pki_respond_to(f, g->r, g->box_r, g->u_end);
  }
  for (int k = 0; k < f->p->model->nu; k++) { /* a zero is added, too: -0 has the same end in any company */
    pki_out(g->u_end)[k] = (any ? pki_reals(g->u_end)[k] : pki_splat(0)) + pki_reals(g->u_free)[k];
  }
}

/* Who the velocities x would break; the lanes with new rows. */
static pk_i pki_join(pki_lanes *f, const double *q, const double *x, bool first)
{
  bool found = false;
  for (int l = 0; l < f->count; l++) {
    found |= f->nfound[l] > 0;
  }
  pk_i more = pki_join_feet(f, x, first);
  if (found) {
    f->g->dynamics->velocities(f->g->work, x);
    more |= pki_join_found(f, first);
  }
  return more | pki_join_limits(f, q, x);
}

/* Lanes that have rows. */
static pk_i pki_with_rows(const pki_lanes *f)
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

/* Impulses, and the velocities at the end. */
static void pki_impulses(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  for (int b = 0; b < f->p->nball; b++) {
    f->path[b] = f->p->chain[f->p->body[b]];
    pki_out(g->slip)[b] = pki_splat(0);
  }
  for (int l = 0; l < f->count; l++) {
    f->nslot[l] = f->p->nball;
    for (int i = 0; i < f->nfound[l]; i++) {
      g->slot_of[l][i] = -1;
    }
  }
  for (int k = 0; k < 2 * f->p->model->nu; k++) {
    pki_masks(g->at_limit)[k] = pki_mask_none();
  }
  pki_make_feet_rows(f);
  pk_i open = pki_join(f, q, g->u_free, true);
  for (int round = 0;; round++) {
    open &= pki_with_rows(f); /* a command that was pinned leaves none */
    if (pki_any(open)) {
      pki_assemble(f);
      pki_set_fixed(f, q);
      pki_lap_lanes(g, PK_PART_ASSEMBLY);
      pki_solve_lanes(f, open);
    }
    pki_respond(f);
    const pk_i limited = pki_pin_torques(f) | pki_unpin_torques(f);
    open = limited | pki_join(f, q, g->u_end, false);
    open &= f->going;
    if (!pki_any(open) || round == PKI_LANE_ROUNDS) {
      break;
    }
    *pki_out(g->rounds) += pki_where_set(open, pki_splat(1));
    if (pki_any(limited)) { /* other forces, another M~: all rows respond in another way */
      pki_free_velocity(f, q);
      f->stale |= f->in, f->box_stale |= f->box_in;
    }
  }
  pki_leave(f, open, PK_LEFT_ROUNDS);
}

#endif
