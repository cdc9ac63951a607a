/* What worlds in slots remember from step to step: contacts with their impulses, joint rows, pairs of shapes. */
#ifndef PKI_STEP_SLOT_KEEP_H
#define PKI_STEP_SLOT_KEEP_H

#include "step/kernels/slot_velocities.h"

/* ---- at the beginning ---- */

/* Impulses and friction of feet. Those of other contacts and of joint rows are recalled when they join. */
static void pki_slots_recall(pki_lanes *f)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  for (int b = 0; b < 3 * p->nball; b++) {
    pki_out(g->r)[b] = pki_splat(0);
  }
  for (int l = 0; l < PKI_LANES; l++) {
    const pki_lane_world *s = &f->lane_worlds[l < f->count ? l : 0]; /* empty lanes do as the first */
    pki_recall_feet(g, s, l);
    for (int b = 0; b < p->nball; b++) {
      g->mu[b * PKI_LANES + l] = s->friction * p->friction[b];
    }
  }
}

/* ---- at the end ---- */

/* A contact of a world's list becomes that of foot b; what stays of one of the last step is left alone. */
static void pki_begin_foot(const pki_group_plan *p, pki_contact *c, int b, bool known)
{
  if (!known || c->geom[0] != p->shape[b] || c->geom[1] != p->geom || c->body != p->body[b] ||
      c->other != -1) {
    *c = (pki_contact){
        .geom = {p->shape[b], p->geom}, .body = p->body[b], .other = -1, .material = p->material};
    memcpy(c->normal, p->normal, sizeof c->normal);
    memcpy(c->tangent1, p->tangent1, sizeof c->tangent1);
    memcpy(c->tangent2, p->tangent2, sizeof c->tangent2);
  }
}

/* Foot b as contact n of a world's list. */
static void pki_keep_foot(const pki_lanes *f, int lane, int b, int n)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pki_contact *c = &f->lane_worlds[lane].last[n];
  pki_begin_foot(p, c, b, n < *f->lane_worlds[lane].nlast);
  c->id = 0;
  c->gap = g->gap[b * PKI_LANES + lane];
  for (int k = 0; k < 3; k++) {
    c->point[k] = g->point[(3 * b + k) * PKI_LANES + lane];
    if (p->field != NULL) {
      c->normal[k] = g->axes[(9 * b + k) * PKI_LANES + lane];
      c->tangent1[k] = g->axes[(9 * b + 3 + k) * PKI_LANES + lane];
      c->tangent2[k] = g->axes[(9 * b + 6 + k) * PKI_LANES + lane];
    }
  }
}

/* Impulses and the state of friction of slot s as those of contact n of a world's list. */
PKI_INLINE void pki_keep_impulse(const pki_lanes *f, int lane, int s, int n)
{
  const pki_group *g = f->g;
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  for (int d = 0; d < 3; d++) {
    lane_world->last_r[3 * n + d] = g->impulse[(3 * s + d) * PKI_LANES + lane];
  }
  lane_world->last_sticks[n] = g->stuck[s * PKI_LANES + lane] != 0;
}

/* The active contacts, in their order: feet and others merged. */
static void pki_keep_contacts(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  int n = 0, i = 0;
  for (int b = 0; b <= p->nball; b++) {
    if (b < p->nball && g->took[b * PKI_LANES + lane] == 0) {
      continue;
    }
    const int foot[2] = {b < p->nball ? p->shape[b] : 0, p->geom};
    for (; i < f->nfound[lane]; i++) { /* others that come before this foot, or after the last */
      const pki_contact *other = &g->found[lane][i];
      if (b < p->nball && pki_contact_order(foot, 0, other) < 0) {
        break;
      }
      if (g->slot_of[lane][i] >= 0) {
        lane_world->last[n] = *other;
        pki_keep_impulse(f, lane, g->slot_of[lane][i], n++);
      }
    }
    if (b < p->nball) {
      pki_keep_foot(f, lane, b, n);
      pki_keep_impulse(f, lane, b, n++);
    }
  }
  *lane_world->nlast = n;
}

/* How many contacts a lane would keep. */
static int pki_count_contacts(const pki_lanes *f, int lane)
{
  int n = 0;
  for (int b = 0; b < f->p->nball; b++) {
    n += f->g->took[b * PKI_LANES + lane] != 0;
  }
  for (int i = 0; i < f->nfound[lane]; i++) {
    n += f->g->slot_of[lane][i] >= 0;
  }
  return n;
}

/* Some command of a lane was pinned at its limit, or a joint slid against its friction. */
static bool pki_is_pinned(const pki_lanes *f, int lane)
{
  bool any = false;
  for (int k = 0; k < f->p->joints->nu; k++) {
    any |= f->g->joint.pinned[k * PKI_LANES + lane] != 0 || f->g->joint.sliding[k * PKI_LANES + lane] != 0;
  }
  return any;
}

/* Impulses of joint rows, and of commands at their limits. A world with none of them is plain. */
static void pki_keep_joints(const pki_lanes *f, int lane)
{
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  const int n = f->p->joints->nu;
  const bool plain = f->nkept[lane] == 0 && !(f->pins && pki_is_pinned(f, lane));
  if (!*lane_world->plain || !plain) {
    memset(lane_world->last_joint, 0, PKI_JOINT_ROWS * (size_t)n * sizeof *lane_world->last_joint);
    pki_keep_pins(f, lane);
  }
  for (int b = 0; b < f->nkept[lane]; b++) {
    const pki_lane_box *box = &f->kept[lane][b];
    lane_world->last_joint[box->kind * n + box->k] = f->g->box_impulse[b * PKI_LANES + lane];
  }
  *lane_world->plain = plain;
}

/* What pairs of shapes remember; what there is no room for is found anew. */
static void pki_keep_pairs(const pki_lanes *f, int lane)
{
  const pki_lane_world *s = &f->lane_worlds[lane];
  *s->nmemory = f->nmemory[lane] < s->keep ? f->nmemory[lane] : s->keep;
  memcpy(s->memory, f->g->search.memory[lane], (size_t)*s->nmemory * sizeof *s->memory);
}

static bool pki_slots_keep(pki_lanes *f, int lane)
{
  if (pki_count_contacts(f, lane) > f->lane_worlds[lane].keep) {
    pki_leave_one_lane(f, lane, PK_LANE_EXIT_CONTACTS);
    return false;
  }
  pki_keep_contacts(f, lane);
  pki_keep_pairs(f, lane);
  pki_keep_joints(f, lane);
  return true;
}

#endif
