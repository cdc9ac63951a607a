/* Rounds of the active set, each a problem that is assembled and solved. */
#ifndef PKI_STEP_ROUNDS_H
#define PKI_STEP_ROUNDS_H

#include "step/kernels/active.h"

/* Rounds of the active set after the first solve. */
enum { PKI_ROUNDS = 20 };

/* The active set is empty. */
static void pki_begin_impulses(const pki_lanes *f)
{
  const pki_group *g = f->g;
  for (int l = 0; l < f->count; l++) {
    for (int i = 0; i < f->nfound[l]; i++) {
      g->slot_of[l][i] = -1;
    }
  }
  for (int k = 0; k < 2 * f->p->joints->nu; k++) {
    pki_masks(g->joint.at_limit)[k] = pki_mask_none();
  }
}

/* The problem of the lanes in `open`: its rows, and their impulses. */
static void pki_solve_round(pki_lanes *f, const double *q, pk_i open)
{
  pki_store(f)->assemble(f, q);
  pki_lap_lanes(f->g, PK_STEP_PART_ASSEMBLY);
  pki_store(f)->solve(f, open);
}

/* What the velocities at the end would break, or turn round: the lanes with other rows or forces. *forces: those in which forces
 * without rows have changed. */
static pk_i pki_check_round(pki_lanes *f, pk_i *forces)
{
  pki_group *g = f->g;
  const double *v = pki_rates_of(f, g->u_end);
  *forces = pki_check_laws(f, v); /* one after the other: they hand out rows */
  *forces |= pki_stop_sliding(f, v);
  const pk_i open = (*forces | pki_extend_active_set(f, g->u_end, false)) & f->going;
  return !pki_any(open) && pki_store(f)->impacts_gain(f) ? f->going : open;
}

/* Where rows are taken: at the start of the step, or half way along its motion (relinearise.h). Forces that changed have moved the
 * work to the start. */
static void pki_place_rows(const pki_lanes *f)
{
  if (f->g->relinearised) {
    f->g->dynamics->kinematics(f->g->work, f->g->q_mid);
  }
}

/* Impulses and velocities of the active set, until the laws of compliant pairs hold there, too. */
static void pki_solve_pressed(pki_lanes *f, const double *q, pk_i open)
{
  const pki_row_store *const rows = pki_store(f);
  if (pki_any(open)) {
    pki_solve_round(f, q, open);
  }
  rows->respond(f);
  while (rows->press(f)) {
    if (pki_any(rows->with_rows(f))) {
      pki_solve_round(f, q, f->going);
    }
    rows->respond(f);
  }
}

/* Impulses and velocities at the end for the rows at hand in the lanes of `open`: what velocities would break joins, the problem is solved,
 * and again until they break nothing. Returns the lanes in which that has no end. */
static pk_i pki_settle(pki_lanes *f, const double *q, pk_i open)
{
  pki_group *g = f->g;
  const pki_row_store *const rows = pki_store(f);
  pk_i forces;
  for (int round = 0;; round++) {
    pki_solve_pressed(f, q, open);
    open = pki_check_round(f, &forces);
    if (!pki_any(open) || round == PKI_ROUNDS) {
      return open;
    }
    *pki_out(g->rounds) += pki_where_set(open, pki_splat(1));
    if (pki_any(forces)) { /* other forces, another M~: all rows respond in another way */
      pki_free_velocity(f, q);
      pki_place_rows(f);
      rows->invalidate(f, forces);
    }
    open &= rows->with_rows(f); /* a force on another piece of its law leaves none */
  }
}

/* The same from the beginning: the active set is empty. */
static pk_i pki_first_rounds(pki_lanes *f, const double *q)
{
  pki_begin_impulses(f);
  pki_extend_active_set(f, f->g->u_free, true);
  pki_join_friction(f);
  pki_join_torques(f);
  return pki_settle(f, q, pki_store(f)->with_rows(f));
}

#endif
