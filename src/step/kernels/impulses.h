/* Impulses, and the velocities at the end: rounds of the active set, rows that follow the motion, motors that give way. */
#ifndef PKI_STEP_IMPULSES_H
#define PKI_STEP_IMPULSES_H

#include "step/kernels/yield.h"

/* From the laws of forces and contacts at hand to u_E. The lanes in which the active set has not settled. */
static pk_i pki_solve_motion(pki_lanes *f, const double *q)
{
  const pk_i open = pki_first_rounds(f, q);
  return f->p->relinearise > 0 ? pki_relinearise(f, q, open) : open;
}

static void pki_impulses(pki_lanes *f, const double *q)
{
  if (f->p->relinearise > 0) {
    pki_follow_contacts(f);
  }
  pk_i open = pki_solve_motion(f, q);
  for (int round = 0; f->tracks && f->p->yield && pki_give_way(f, round); round++) {
    pki_begin_anew(f, q);
    open = pki_solve_motion(f, q);
  }
  for (int l = 0; l < f->count && f->p->relinearise > 0 && f->g->wants_info; l++) {
    pki_note_loads(f, l);
  }
  pki_store(f)->finish(f, open);
  if (f->g->relinearised) {
    pki_unfollow_contacts(f);
  }
}

#endif
