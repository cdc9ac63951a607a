/* Rows of contacts that follow the motion of the step (step/follow.h), in rounds. What a lane's rows are taken at changes until its motion does
 * not change any more; the rows of a lane that is done stay as they are, to the bit, whatever others do. */
#ifndef PKI_STEP_RELINEARISE_H
#define PKI_STEP_RELINEARISE_H

#include "step/kernels/rounds.h"

/* Parts of the world's length, or rad: a motion that changes by less has settled. */
#define PKI_MOTION_SETTLED 1e-7

/* Foot b of a lane as a contact. */
static pki_contact pki_foot_contact(const pki_lanes *f, int lane, int b)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pki_contact c = {.body = p->body[b], .other = -1, .gap = pki_entry_of(g->gap, b, lane)};
  for (int k = 0; k < 3; k++) {
    c.point[k] = pki_entry_of(g->point, 3 * b + k, lane);
    c.normal[k] = p->field != NULL ? pki_entry_of(g->axes, 9 * b + k, lane) : p->normal[k];
    c.tangent1[k] = p->field != NULL ? pki_entry_of(g->axes, 9 * b + 3 + k, lane) : p->tangent1[k];
    c.tangent2[k] = p->field != NULL ? pki_entry_of(g->axes, 9 * b + 6 + k, lane) : p->tangent2[k];
  }
  return c;
}

/* The radius of a contact's first shape, where it is a ball; else 0. */
static double pki_ball_radius(const pki_lanes *f, const pki_contact *c)
{
  const pk_model_shape *s = &f->p->model->shapes[c->geom[0]];
  return s->kind == PK_SHAPE_SPHERE ? s->size[0] : 0;
}

/* Contacts are followed from the configuration of the work on. */
static void pki_follow_contacts(const pki_lanes *f)
{
  const pki_group *g = f->g;
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->p->nball; b++) {
      const pki_contact c = pki_foot_contact(f, l, b);
      pki_follow_begin(g->work, l, f->p->dt, &c, f->p->radius[b], &g->followed[l][b]);
    }
    for (int i = 0; i < f->nfound[l]; i++) {
      const pki_contact *c = &g->found[l][i];
      pki_follow_begin(g->work, l, f->p->dt, c, pki_ball_radius(f, c), &g->followed[l][PKI_BALLS + i]);
    }
  }
}

/* Where contacts are at the configuration of the work. */
static void pki_measure_contacts(const pki_lanes *f)
{
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->p->nball; b++) {
      pki_follow_measure(f->g->work, l, &f->g->followed[l][b]);
    }
    for (int i = 0; i < f->nfound[l]; i++) {
      pki_follow_measure(f->g->work, l, &f->g->followed[l][PKI_BALLS + i]);
    }
  }
}

/* Points and offsets of rows at the configuration of the work, whose twists are those of u_k. */
static void pki_place_contacts(const pki_lanes *f)
{
  const pki_group *g = f->g;
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->p->nball; b++) {
      pki_contact c = pki_foot_contact(f, l, b);
      pki_follow_rows(g->work, l, f->p->dt, &g->followed[l][b], &c);
      for (int k = 0; k < 3; k++) {
        g->point[(3 * b + k) * PKI_LANES + l] = c.point[k];
      }
    }
    for (int i = 0; i < f->nfound[l]; i++) {
      pki_follow_rows(g->work, l, f->p->dt, &g->followed[l][PKI_BALLS + i], &g->found[l][i]);
    }
  }
}

/* Contacts are back where they were at the start. */
static void pki_unfollow_contacts(const pki_lanes *f)
{
  const pki_group *g = f->g;
  for (int l = 0; l < f->count; l++) {
    for (int b = 0; b < f->p->nball; b++) {
      for (int k = 0; k < 3; k++) {
        g->point[(3 * b + k) * PKI_LANES + l] = g->followed[l][b].point[k];
      }
    }
    for (int i = 0; i < f->nfound[l]; i++) {
      pki_follow_back(&g->followed[l][PKI_BALLS + i], &g->found[l][i]);
    }
  }
}

/* Rows at the motion u_k: their offsets by its end, J by its middle. */
static void pki_take_rows_anew(pki_lanes *f, const double *q, pk_i open)
{
  pki_group *g = f->g;
  const double dt = f->p->dt;
  PKI_NAME(config_add)(f->p->model, q, dt, g->u_row, g->q_end);
  g->dynamics->kinematics(g->work, g->q_end);
  pki_measure_contacts(f);
  PKI_NAME(config_add)(f->p->model, q, 0.5 * dt, g->u_row, g->q_mid);
  g->dynamics->kinematics(g->work, g->q_mid);
  g->dynamics->velocities(g->work, g->u_row);
  pki_place_contacts(f);
  g->relinearised = true;
  pki_store(f)->take_rows(f, open);
}

/* Lanes in which the motion of the end is not the one that rows were taken at. */
static pk_i pki_motion_changed(const pki_lanes *f)
{
  const pki_group *g = f->g;
  const double settled = PKI_MOTION_SETTLED * fmin(f->p->length, 1) / f->p->dt;
  pk_r most = pki_splat(0);
  for (int k = 0; k < f->p->model->nu; k++) {
    most = pki_max(most, pki_abs(pki_reals(g->u_end)[k] - pki_reals(g->u_row)[k]));
  }
  return ~pki_at_most(most, pki_splat(settled)) & f->going;
}

/* Lanes in which something is within reach of the step: it may touch by the arc of its way alone. */
static pk_i pki_may_touch(const pki_lanes *f)
{
  pk_i some = pki_mask_none();
  for (int b = 0; b < f->p->nball; b++) {
    some |= pki_at_most(pki_reals(f->g->gap)[b], pki_splat(f->p->feet_near));
  }
  for (int l = 0; l < f->count; l++) {
    if (f->nfound[l] > 0) {
      pki_set_mask(&some, l, true);
    }
  }
  return some & f->going;
}

/* Rounds of rows that follow the motion, from a first solution on, which left the lanes of `unsettled` open in the rounds of the active set. The
 * lanes that the last round of each leaves open. */
static pk_i pki_relinearise(pki_lanes *f, const double *q, pk_i unsettled)
{
  pki_group *g = f->g;
  pk_i open = pki_may_touch(f);
  for (int round = 0; round < f->p->relinearise && pki_any(open); round++) {
    for (int k = 0; k < f->p->model->nu; k++) {
      pk_r *const at = pki_out(g->u_row) + k;
      *at = round == 0 ? pki_reals(g->u_end)[k] : pki_select(open, pki_reals(g->u_end)[k], *at);
    }
    pki_take_rows_anew(f, q, open);
    for (int l = 0; l < f->count; l++) {
      f->relinearised[l] += pki_is_set(open, l);
    }
    unsettled = pki_select_mask(open, pki_settle(f, q, open & pki_store(f)->with_rows(f)), unsettled);
    open &= pki_motion_changed(f);
  }
  return unsettled;
}

/* Which of the followed contacts push, in one lane. */
static void pki_note_loads(const pki_lanes *f, int lane)
{
  for (int e = 0; e < PKI_BALLS + f->nfound[lane]; e++) {
    if (e < f->p->nball || e >= PKI_BALLS) {
      f->g->followed[lane][e].carries = pki_store(f)->load(f, lane, e).r[0] > 0;
    }
  }
}

/* m: the farthest that a contact which stood at the start and carries at the end has moved along the surface, in one lane; the work is at
 * the end. */
static double pki_largest_slip(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  double most = 0;
  for (int e = 0; e < PKI_BALLS + f->nfound[lane]; e++) {
    pki_followed *c = &g->followed[lane][e];
    if ((e < f->p->nball || e >= PKI_BALLS) && c->carries && c->gap <= f->p->touching) {
      pki_follow_measure(g->work, lane, c);
      most = fmax(most, hypot(c->moved[1], c->moved[2]));
    }
  }
  return most;
}

#endif
