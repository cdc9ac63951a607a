/* Contacts of shapes that are no feet: candidates on lanes (guard.h), the narrow phase lane by lane. */
#ifndef PKI_STEP_FIND_H
#define PKI_STEP_FIND_H

#include "step/contact.h"
#include "step/kernels/ground.h"
#include "step/kernels/guard.h"

/* What pairs of shapes remember is taken from the world when it is asked for first. */
static void pki_recall_memory(pki_lanes *f, int lane)
{
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  if (f->recalled[lane]) {
    return;
  }
  f->recalled[lane] = true;
  f->nmemory[lane] = *lane_world->nmemory < PKI_FOUND ? *lane_world->nmemory : PKI_FOUND;
  memcpy(f->g->search.memory[lane], lane_world->memory,
         (size_t)f->nmemory[lane] * sizeof *lane_world->memory);
}

/* Contacts of one lane within its margins, from the candidates or, in scans, of all shapes; how many. `some` will
 * do where there is no room for all. The thread's colliders work with the lane's memory meanwhile. */
static int pki_touch_lane(pki_lanes *f, int lane, const pki_margins *margin, pki_contact *out, bool some)
{
  pki_group *g = f->g;
  pki_colliders *c = g->colliders;
  pki_near_pair pairs[PKI_CANDIDATES];
  int npair = 0;
  for (int i = 0; i < f->ncandidate; i++) {
    const pki_candidate *at = &g->search.candidates[i];
    if (at->lanes >> lane & 1) {
      pairs[npair++] = (pki_near_pair){at->a, at->b, pki_candidate_margin(margin, at, lane)};
    }
  }
  if (npair == 0 && !f->p->scan) {
    f->recalled[lane] = true, f->nmemory[lane] = 0;
    return 0;
  }
  pki_recall_memory(f, lane);
  pki_remembered *const memory = c->memory, *const next = c->next;
  const int nmemory = c->nmemory, room = c->memory_room;
  pki_remembered scratch[PKI_FOUND];
  c->memory = g->search.memory[lane], c->next = scratch;
  c->nmemory = f->nmemory[lane], c->memory_room = PKI_FOUND;
  bool overflow = false;
  const int n = f->p->scan ? pki_contacts_find(c, g->work, lane, pki_lane(margin->ground, lane), out,
                                               PKI_FOUND, &overflow)
                           : pki_contacts_touch(c, g->work, lane, pairs, npair, out, PKI_FOUND, &overflow);
  f->nmemory[lane] = c->nmemory;
  if (c->memory != g->search.memory[lane]) { /* they have changed places */
    memcpy(g->search.memory[lane], c->memory, (size_t)c->nmemory * sizeof *c->memory);
  }
  c->memory = memory, c->next = next, c->nmemory = nmemory, c->memory_room = room;
  if (overflow && !some) {
    pki_leave_one_lane(f, lane, PK_LANE_EXIT_CONTACTS);
  }
  return n;
}

/* All contacts at q_M within reach of a step, of feet and of other shapes. */
static void pki_slots_find_contacts(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  pki_measure_feet(g, g->gap, g->point);
  pki_leave_fast_lanes(f);
  const pki_margins margin = pki_margins_of(f);
  if (!f->p->scan) {
    const pki_due due = pki_lanes_to_check(f, q, &margin);
    const pki_clearance look = pki_find_candidates(f, &margin, due, f->p->hinged && f->p->free);
    pki_remember_clearance(f, q, due.pairs, look);
  }
  for (int l = 0; l < f->count; l++) {
    f->nfound[l] = pki_is_set(f->going, l) ? pki_touch_lane(f, l, &margin, g->found[l], false) : 0;
    pki_flatten_patches(g->found[l], f->nfound[l], f->p->touching);
  }
}

#endif
