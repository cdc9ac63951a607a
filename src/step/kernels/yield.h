/* Motors of tracked joints that give way (targets.h). */
#ifndef PKI_STEP_YIELD_H
#define PKI_STEP_YIELD_H

#include "step/kernels/relinearise.h"
#include "step/kernels/targets.h"

/* The tracked joints that move a body get softer in one lane, or hard again; true: there are some. */
static bool pki_soften_chain(const pki_lanes *f, int lane, int body, double least, double factor)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  bool any = false;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    for (int k = m->body_u[i]; k < m->body_u[i] + pki_motion_nu(m->body_motion[i]); k++) {
      double *const softness = &g->joint.softness[k * PKI_LANES + lane];
      if (pki_is_set(pki_masks(g->joint.tracked)[k], lane) && g->joint.eased[k * PKI_LANES + lane] == 0) {
        *softness = fmax(least, factor * *softness);
        g->joint.eased[k * PKI_LANES + lane] = 1;
        any = true;
      }
    }
  }
  return any;
}

/* Contact e of a lane touched at the start, could stick, and slides. */
static bool pki_slides_from_rest(const pki_lanes *f, int lane, int e)
{
  const pki_load load = pki_store(f)->load(f, lane, e);
  return load.gap <= f->p->touching && load.mu > 0 && load.r[0] > 0 && !pki_contact_sticks(load.mu, load.r);
}

/* After a solution: motors of tracked joints that move contacts which stood and slide get softer; after the last round those whose contacts
 * slide nevertheless are hard again, and stay so. True: there are some, and the step has to be solved again. */
static bool pki_give_way(pki_lanes *f, int round)
{
  const pki_group *g = f->g;
  pk_i some = pki_mask_none();
  if (round > PKI_YIELDS) {
    return false;
  }
  memset(g->joint.eased, 0, (size_t)f->p->joints->nu * PKI_LANES * sizeof *g->joint.eased);
  const double least = round < PKI_YIELDS ? PKI_YIELD_FIRST : PKI_SOFTNESS,
               factor = round < PKI_YIELDS ? PKI_YIELD_FACTOR : 0;
  for (int l = 0; l < f->count; l++) {
    for (int e = 0; e < PKI_BALLS + f->nfound[l] && pki_is_set(f->going, l); e++) {
      const bool real = e < f->p->nball || e >= PKI_BALLS;
      if (real && pki_slides_from_rest(f, l, e)) {
        const int first = e < PKI_BALLS ? f->p->body[e] : g->found[l][e - PKI_BALLS].body;
        const int second = e < PKI_BALLS ? -1 : g->found[l][e - PKI_BALLS].other;
        bool eased = pki_soften_chain(f, l, first, least, factor);
        eased |= pki_soften_chain(f, l, second, least, factor);
        if (eased) {
          pki_set_mask(&some, l, true);
        }
      }
    }
    if (pki_is_set(some, l)) { /* who is hard again has not given way */
      f->yielded[l] = round < PKI_YIELDS ? f->yielded[l] + 1 : 0;
    }
  }
  for (int k = 0; k < f->p->joints->nu && pki_any(some); k++) {
    pki_set_tracking_damping(f, k);
  }
  return pki_any(some);
}

/* The step from its forces on, with the warm starts of its beginning: a lane whose motors are as they were comes to the same solution, to the
 * bit. */
static void pki_begin_anew(pki_lanes *f, const double *q)
{
  if (f->g->relinearised) {
    pki_unfollow_contacts(f);
    f->g->relinearised = false;
  }
  for (int l = 0; l < f->count; l++) {
    pki_recall_limits(f, l);
  }
  pki_store(f)->recall(f);
  pki_actuate(f, q);
  pki_free_velocity(f, q);
  pki_store(f)->restart(f);
}

#endif
