/* Impulses, and the velocities at the end: rounds of the active set, each a problem that is assembled and solved. */
#ifndef PKI_STEP_IMPULSES_H
#define PKI_STEP_IMPULSES_H

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

/* The active set, impulses, and the velocities at the end: what velocities would break joins, the problem is solved, and
 * again until they break nothing. */
static void pki_impulses(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pki_row_store *const rows = pki_store(f);
  pki_begin_impulses(f);
  pki_extend_active_set(f, g->u_free, true);
  pki_join_friction(f);
  pki_join_torques(f);
  pk_i forces, open = rows->with_rows(f);
  for (int round = 0;; round++) {
    if (pki_any(open)) {
      pki_solve_round(f, q, open);
    }
    rows->respond(f);
    open = pki_check_round(f, &forces);
    if (!pki_any(open) || round == PKI_ROUNDS) {
      break;
    }
    *pki_out(g->rounds) += pki_where_set(open, pki_splat(1));
    if (pki_any(forces)) { /* other forces, another M~: all rows respond in another way */
      pki_free_velocity(f, q);
      rows->invalidate(f, forces);
    }
    open &= rows->with_rows(f); /* a force on another piece of its law leaves none */
  }
  rows->finish(f, open);
}

#endif
