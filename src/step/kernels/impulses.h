/* Impulses, and the velocities at the end: rounds of the active set, each a problem that is assembled and solved. */
#ifndef PKI_STEP_IMPULSES_H
#define PKI_STEP_IMPULSES_H

#include "contact/active_set_constants.h"
#include "step/impact.h"
#include "step/kernels/active.h"
#include "step/kernels/newton.h"

/* Rounds of the active set after the first solve. */
enum { PKI_ROUNDS = 20 };

/* ---- the problem ---- */

/* Rows, Y, Z and W of what is new, the same way round whoever came first. */
static void pki_assemble(pki_lanes *f)
{
  pki_group *g = f->g;
  const unsigned stale = f->stale, boxes = f->box_stale;
  if (pki_on_chains(f)) {
    pki_chain_assemble(g->world, g);
    return;
  }
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
  return pki_joint_row_q(box->kind, pki_entry_of(g->u_free, k, lane), gap, f->p->reach,
                         pki_entry_of(g->a, k, lane), pki_entry_of(g->g, k, lane));
}

/* q of the problem: velocities without impulses, and what gaps allow. */
static void pki_set_fixed(pki_lanes *f)
{
  pki_group *g = f->g;
  for (PKI_EACH(s, f->in)) {
    const pki_v3 v = pki_slot_velocity(f, s, g->u_free);
    const pk_r open = pki_max(pki_reals(g->gap)[s], pki_splat(0)) * (1 / f->p->reach);
    pki_v3_store((pki_v3){v.x + open, v.y, v.z}, pki_out(g->fixed) + 3 * s);
  }
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->nbox[l]; b++) {
      g->box_q[b * PKI_LANES + l] = pki_box_q_of(f, l, &g->box[l][b]);
    }
  }
}

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
  if (pki_on_chains(f)) {
    pki_fail_step(f, pki_chain_solve(f->g->world, f->g->info));
    f->solved = true;
    return;
  }
  const pk_r scale = pki_scale_of(f), goal = f->p->tolerance * scale;
  f->scale = scale;
  const pk_i feet_alone = pki_feet_alone(f);
  pki_show_problem(f);
  pki_copy_impulses(f); /* the first guess */
  pki_velocities_of(f, pki_all_members(f));
  pk_i left = pki_sweep_feet(f, open & feet_alone, scale, goal);
  if (pki_any(left)) { /* sweeps that failed may have left what is no number */
    pki_put_back_guess(f, left);
    pki_velocities_of(f, pki_all_members(f));
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
  if (pki_on_chains(f) && f->solved) {
    pki_chain_respond(g->world, g);
    return;
  }
  if (any) {
    pki_respond_to(f, g->r, g->box_r, g->u_end);
  }
  for (int k = 0; k < f->p->model->nu; k++) { /* a zero is added, too: -0 has the same end in any company */
    pki_out(g->u_end)[k] = (any ? pki_reals(g->u_end)[k] : pki_splat(0)) + pki_reals(g->u_free)[k];
  }
}

/* Lanes that have rows. */
static pk_i pki_with_rows(const pki_lanes *f)
{
  pk_i any = pki_mask_none();
  if (pki_on_chains(f)) {
    return pki_chain_has_rows(f->g->world, f->g) ? pki_mask_all() : any;
  }
  for (PKI_EACH(s, f->in | f->stale)) {
    any |= pki_masks(f->g->active)[s];
  }
  for (PKI_EACH(b, f->box_in)) {
    any |= pki_masks(f->g->box_active)[b];
  }
  return any;
}

/* Nobody takes part yet. */
static void pki_begin_impulses(pki_lanes *f)
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
  for (int k = 0; k < 2 * f->p->joints->nu; k++) {
    pki_masks(g->at_limit)[k] = pki_mask_none();
  }
  pki_make_feet_rows(f);
}

/* The problem of the lanes in `open`. Where velocities were found without the factor of M~ it is made now. */
static void pki_solve_round(pki_lanes *f, const double *q, pk_i open)
{
  if (pki_on_chains(f) && !f->g->world->contact.factored) {
    f->needs_factor = true;
    pki_free_velocity(f, q);
  }
  pki_assemble(f);
  pki_set_fixed(f);
  pki_lap_lanes(f->g, PK_PART_ASSEMBLY);
  pki_solve_lanes(f, open);
}

/* Who the velocities at the end would break, or turn round: the lanes with other rows or forces. *forces: those in which forces
 * without rows have changed. */
static pk_i pki_check_round(pki_lanes *f, pk_i *forces)
{
  pki_group *g = f->g;
  const double *v = pki_rates_of(f, g->u_end);
  *forces = pki_pin_torques(f, v); /* one after the other: they hand out rows */
  *forces |= pki_unpin_torques(f, v);
  *forces |= pki_stop_sliding(f, v);
  const pk_i open = (*forces | pki_join(f, g->u_end, false)) & f->going;
  const bool impacts = pki_on_chains(f) && pki_law_of(&g->world->options)->collide == NULL;
  if (impacts && !pki_any(open) && f->solved && pki_impact_gains(g->world, g, g->info)) {
    return f->going;
  }
  return open;
}

/* The active set, impulses, and the velocities at the end: what velocities would break takes part, the problem is solved, and
 * again until they break nothing. */
static void pki_impulses(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  pki_begin_impulses(f);
  pk_i forces, open = pki_join(f, g->u_free, true);
  open |= pki_join_friction(f);
  open |= pki_join_torques(f);
  open |= pki_on_chains(f) ? f->going : pki_mask_none(); /* constraints may be rows, too */
  for (int round = 0;; round++) {
    open &= pki_with_rows(f); /* a command that was pinned leaves none */
    if (pki_any(open)) {
      pki_solve_round(f, q, open);
    }
    pki_respond(f);
    open = pki_check_round(f, &forces);
    if (!pki_any(open) || round == PKI_ROUNDS) {
      break;
    }
    *pki_out(g->rounds) += pki_where_set(open, pki_splat(1));
    if (pki_any(forces)) { /* other forces, another M~: all rows respond in another way */
      pki_free_velocity(f, q);
      const pki_members of =
          pki_members_of(f, forces); /* feet have rows in lanes that do not use them, too */
      f->stale |= f->in & (of.slots | ((1u << f->p->nball) - 1)), f->box_stale |= of.boxes;
    }
  }
  pki_leave(f, open, PK_LEFT_ROUNDS);
  if (pki_on_chains(f)) {
    f->unsettled = pki_any(open);
    if (!f->solved) {
      pki_chain_keep_nothing(g->world);
    }
    pki_chain_finish(g->world, g, g->info);
  }
}

#endif
