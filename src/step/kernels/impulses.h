/* Who takes part, impulses, and the velocities at the end. */
#ifndef PKI_STEP_IMPULSES_H
#define PKI_STEP_IMPULSES_H

#include "step/kernels/flight.h"
#include "step/kernels/sweep.h"

enum { PKI_LANE_ROUNDS = 4 };

/* Balls that the velocities x would push below ground begin to take part: as bits, those that are new in some lane. */
static unsigned pki_choose(pki_flight *f, const double *x, bool first)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pk_i *const active = pki_masks(g->active);
  unsigned more = 0;
  for (int b = 0; b < p->nball; b++) {
    const pk_r gap = pki_reals(g->gap)[b];
    if (!(f->rows >> b & 1)) {
      active[b] = pki_mask_none();
      pki_v3_store(pki_v3_zero(), pki_out(g->r) + 3 * b);
      continue;
    }
    const pki_v3 all = pki_ball_velocity(g, b, x);
    const pk_r v = all.x;
    pk_i wants = pki_at_most(gap, pki_splat(0)) | pki_less(gap + p->reach * v, pki_splat(0));
    if (first) {
      const pk_i pushed = pki_less(pki_splat(0), pki_reals(g->r)[3 * b]);
      wants |= pushed & pki_less(gap, pki_splat(PKI_TOUCHING));
      active[b] = pki_mask_none();
      const pk_r open = pki_max(gap, pki_splat(0)) * (1 / p->reach);
      pki_v3_store((pki_v3){all.x + open, all.y, all.z}, pki_out(g->fixed) + 3 * b);
    }
    wants &= f->going & pki_at_most(gap, pki_splat(p->near)) & ~active[b];
    active[b] |= wants;
    more |= (unsigned)(pki_any(wants) != 0) << b;
    /* whoever did not push begins with nothing */
    const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
    pki_v3_store(pki_v3_select(active[b], r, pki_v3_zero()), pki_out(g->r) + 3 * b);
  }
  return more;
}

/* Rows of the balls that are near the ground in some lane. */
static void pki_make_rows(pki_flight *f)
{
  for (int b = 0; b < f->p->nball; b++) {
    if (pki_any(pki_at_most(pki_reals(f->g->gap)[b], pki_splat(f->p->near)) & f->going)) {
      pki_ball_rows(f->g, b);
      f->rows |= 1u << b;
    }
  }
}

/* W and its diagonal's inverse, for balls that are new. */
static void pki_join(pki_flight *f, unsigned more)
{
  pki_group *g = f->g;
  for (int b = 0; b < f->p->nball; b++) {
    if (!(more >> b & 1) || f->in >> b & 1) {
      continue;
    }
    pki_ball_whiten(g, b);
    f->in |= 1u << b;
    pki_out(g->slip)[b] = pki_splat(0);
    for (int c = 0; c < f->p->nball; c++) {
      if (f->in >> c & 1) { /* the same way round whoever came first: W_ij rounds differently from W_ji' */
        pki_ball_block(g, b > c ? b : c, b > c ? c : b);
      }
    }
    ((pki_m3 *)(void *)g->K)[b] = pki_invert_symmetric(*pki_block(g, b, b));
  }
}

/* u of all balls: q + W r, q (which choose has left) being J u_f and what the gap allows. The largest |q| comes back. */
static pk_r pki_begin_sweeps(pki_flight *f)
{
  pki_group *g = f->g;
  pk_r scale = pki_splat(1e-3);
  for (int b = 0; b < f->p->nball; b++) {
    if (!(f->in >> b & 1)) {
      continue;
    }
    pki_v3 q = pki_v3_load(pki_reals(g->fixed) + 3 * b);
    const pk_r size = pki_max(pki_abs(q.x), pki_max(pki_abs(q.y), pki_abs(q.z)));
    scale = pki_max(scale, pki_where_set(pki_masks(g->active)[b], size));
    for (int c = 0; c < f->p->nball; c++) {
      if (f->in >> c & 1) {
        q = pki_add(q, pki_m3_apply(*pki_block(g, b, c), pki_v3_load(pki_reals(g->r) + 3 * c)));
      }
    }
    pki_v3_store(q, pki_out(g->v) + 3 * b);
  }
  return scale;
}

/* A ball's impulses become r in the lanes of a mask, and all velocities follow. */
PKI_INLINE void pki_change(pki_flight *f, int b, pk_i mask, pki_v3 r)
{
  pki_group *g = f->g;
  pk_r *const at = pki_out(g->r) + 3 * b;
  const pki_v3 old = pki_v3_load(at), now = pki_v3_select(mask, r, old), dr = pki_sub(now, old);
  pki_v3_store(now, at);
  for (int c = 0; c < f->p->nball; c++) {
    if (f->in >> c & 1) {
      pk_r *const v = pki_out(g->v) + 3 * c;
      pki_v3_store(pki_add(pki_v3_load(v), pki_m3_apply(*pki_block(g, c, b), dr)), v);
    }
  }
}

/* The residual of each lane's contacts. */
static pk_r pki_judge(const pki_flight *f)
{
  const pki_group *g = f->g;
  pk_r worst = pki_splat(0);
  for (int b = 0; b < f->p->nball; b++) {
    if (f->in >> b & 1) {
      const pki_m3 *W = pki_block(g, b, b);
      const pk_r left = pki_contact_left(pki_reals(g->mu)[b], pki_v3_load(pki_reals(g->r) + 3 * b),
                                         pki_v3_load(pki_reals(g->v) + 3 * b), W->x.x + W->y.y + W->z.z);
      const pk_r mine = pki_where_set(pki_masks(g->active)[b], left);
      worst = pki_select(pki_at_most(mine, worst), worst, mine); /* a NaN stays */
    }
  }
  return worst;
}

/* Sweeps in the lanes of `open` until they meet the tolerance; those that do not fall out. */
static void pki_solve_lanes(pki_flight *f, pk_i open)
{
  pki_group *g = f->g;
  const pk_r scale = pki_begin_sweeps(f), goal = f->p->tolerance * scale;
  for (int sweep = 0; sweep < f->p->sweeps && pki_any(open); sweep++) {
    for (int b = 0; b < f->p->nball; b++) {
      const pk_i mask = open & pki_masks(g->active)[b];
      if (f->in >> b & 1 && pki_any(mask)) {
        const pki_v3 r =
            pki_contact_impulse(*pki_block(g, b, b), ((pki_m3 *)(void *)g->K)[b], pki_reals(g->mu)[b],
                                pki_v3_load(pki_reals(g->v) + 3 * b), pki_v3_load(pki_reals(g->r) + 3 * b),
                                mask, pki_out(g->slip) + b);
        pki_change(f, b, mask, r);
      }
    }
    const pk_r worst = pki_judge(f), one = pki_splat(1);
    pk_r *const relative = pki_out(g->relative);
    *relative = pki_select(open, worst / scale, *relative);
    *pki_out(g->sweeps) += pki_where_set(open, one);
    open &= ~pki_at_most(worst, goal);
  }
  f->going &= ~open;
}

/* u_E = u_f + inv(M~) J' r */
static void pki_respond(pki_flight *f)
{
  pki_group *g = f->g;
  pki_balls_response(g, f->in, g->r, g->u_end);
  for (int k = 0; k < f->p->model->nu; k++) {
    pki_out(g->u_end)[k] += pki_reals(g->u_free)[k];
  }
}

/* Impulses, and the velocities at the end. */
static void pki_collide(pki_flight *f)
{
  pki_group *g = f->g;
  pki_make_rows(f);
  unsigned more = pki_choose(f, g->u_free, true);
  pk_i open = f->going;
  if (more == 0) {
    for (int k = 0; k < f->p->model->nu; k++) {
      pki_out(g->u_end)[k] = pki_reals(g->u_free)[k];
    }
    return;
  }
  for (int round = 0; more != 0 && round < PKI_LANE_ROUNDS; round++) {
    pki_join(f, more);
    pki_solve_lanes(f, open);
    pki_respond(f);
    pk_i before[PKI_BALLS];
    memcpy(before, g->active, sizeof before);
    more = pki_choose(f, g->u_end, false);
    open = pki_mask_none();
    for (int b = 0; b < f->p->nball; b++) {
      open |= pki_masks(g->active)[b] & ~before[b];
    }
    *pki_out(g->rounds) += pki_where_set(open, pki_splat(1));
  }
  f->going &= ~open; /* there was always one more */
}

#endif
