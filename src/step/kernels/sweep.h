/* One contact in each lane: its impulses, and what the certificate says of it. */
#ifndef PKI_STEP_SWEEP_H
#define PKI_STEP_SWEEP_H

#include "step/kernels/rows.h"

PKI_INLINE pk_r pki_length2(pk_r x, pk_r y)
{
  return pki_sqrt(x * x + y * y);
}

/* |r - P_K(r - rho (u + mu |u_T| e_N))|/rho, rho = 3/tr W: the natural residual (src/contact/problem/certificate.c). */
PKI_INLINE pk_r pki_natural_residual(pk_r mu, pki_v3 r, pki_v3 u, pk_r trace)
{
  const pk_r zero = pki_splat(0), rho = 3.0 / trace;
  const pk_r xn = r.x - rho * (u.x + mu * pki_length2(u.y, u.z)), xs = r.y - rho * u.y, xt = r.z - rho * u.z;
  const pk_r size = pki_length2(xs, xt);
  const pk_i inside = pki_at_most(size, mu * xn) & pki_at_most(zero, xn);
  const pk_i polar = pki_at_most(mu * size, -xn) & ~inside;
  const pk_r n = (xn + mu * size) / (1.0 + mu * mu);
  const pk_r side = mu * n / pki_select(inside | polar, pki_splat(1), size);
  const pk_r pn = pki_select(inside, xn, pki_select(polar, zero, n));
  const pk_r scale = pki_select(inside, pki_splat(1), pki_select(polar, zero, side));
  const pki_v3 left = {r.x - pn, r.y - scale * xs, r.z - scale * xt};
  return pki_sqrt(pki_dot(left, left)) * (trace * (1.0 / 3));
}

/* Newton's method on mu r_N/|r_T| = 1 with r_T = -inv(S + a 1) b (src/contact/linear/block.c), a few steps from the last a: sweeps
 * go on from there. Lanes in which it fails get what makes the certificate fail. */
PKI_INLINE pki_v3 pki_contact_slips(pki_m3 W, pk_r mu, pki_v3 q, pk_r *last)
{
  enum { STEPS = 4 };
  const pk_r inv_n = 1.0 / W.x.x, wy = W.x.y * inv_n, wz = W.x.z * inv_n;
  const pk_r s00 = W.y.y - W.y.x * wy, s01 = W.y.z - W.y.x * wz, s11 = W.z.z - W.z.x * wz;
  const pk_r by = q.y - wy * q.x, bz = q.z - wz * q.x;
  pk_r a = *last;
  pki_v3 r = q;
  for (int step = 0; step <= STEPS; step++) {
    const pk_r d0 = s00 + a, d1 = s11 + a, inv = 1.0 / (d0 * d1 - s01 * s01);
    r.y = -(d1 * by - s01 * bz) * inv, r.z = -(d0 * bz - s01 * by) * inv;
    r.x = -q.x * inv_n - (wy * r.y + wz * r.z);
    if (step < STEPS) {
      const pk_r size2 = r.y * r.y + r.z * r.z, size = pki_sqrt(size2);
      const pk_r dy = -(d1 * r.y - s01 * r.z) * inv, dz = -(d0 * r.z - s01 * r.y) * inv;
      const pk_r dn = -(wy * dy + wz * dz);
      const pk_r slope = mu * (dn - r.x * (r.y * dy + r.z * dz) / size2);
      a = pki_max(a - (mu * r.x - size) / slope, pki_splat(0));
    }
  }
  *last = a;
  const pk_r rim = mu * r.x / pki_length2(r.y, r.z);
  const pki_v3 smooth = {-q.x * inv_n, pki_splat(0),
                         pki_splat(0)}; /* without friction there is nothing to find */
  return pki_v3_select(pki_at_most(mu, pki_splat(0)), smooth, (pki_v3){r.x, rim * r.y, rim * r.z});
}

/* Impulses of one contact that has the velocity u - W r without its own. `K` the inverse of W. */
PKI_INLINE pki_v3 pki_contact_impulse(pki_m3 W, pki_m3 K, pk_r mu, pki_v3 u, pki_v3 r, pk_i wanted,
                                      pk_r *slip)
{
  const pki_v3 q = pki_sub(u, pki_m3_apply(W, r));
  const pki_v3 stick = pki_scale(pki_splat(-1), pki_m3_apply(K, q)), zero = pki_v3_zero();
  const pk_r limit = mu * stick.x;
  const pk_i opens = pki_at_most(pki_splat(0), q.x);
  const pk_i sticks =
      pki_at_most(pki_splat(0), limit) & pki_at_most(stick.y * stick.y + stick.z * stick.z, limit * limit);
  pki_v3 out = pki_v3_select(opens, zero, stick);
  const pk_i slips = wanted & ~opens & ~sticks;
  if (pki_any(slips)) {
    pk_r a = *slip;
    const pki_v3 slid = pki_contact_slips(W, mu, q, &a);
    *slip = pki_select(slips, a, *slip);
    out = pki_v3_select(slips, slid, out);
  }
  return out;
}

/* ---- velocities and the certificate ---- */

/* Slots and boxes, as bits. */
typedef struct pki_members {
  unsigned slots, boxes;
} pki_members;

/* Those that some lane has. */
PKI_INLINE pki_members pki_all_members(const pki_lanes *f)
{
  return (pki_members){f->in, f->box_in};
}

/* Those that lanes of `open` have: what others have is as it was. */
static pki_members pki_members_of(const pki_lanes *f, pk_i open)
{
  pki_members of = {0, 0};
  for (PKI_EACH(s, f->in)) {
    of.slots |= (unsigned)pki_any(open & pki_masks(f->g->active)[s]) << s;
  }
  for (PKI_EACH(b, f->box_in)) {
    of.boxes |= (unsigned)pki_any(open & pki_masks(f->g->box_active)[b]) << b;
  }
  return of;
}

/* u = W r + q of the members. */
static void pki_velocities_of(pki_lanes *f, pki_members of)
{
  pki_group *g = f->g;
  for (PKI_EACH(i, of.slots)) {
    pki_v3 v = pki_v3_load(pki_reals(g->fixed) + 3 * i);
    for (PKI_EACH(j, of.slots)) {
      v = pki_add(v, pki_m3_apply(*pki_block(g, i, j), pki_v3_load(pki_reals(g->r) + 3 * j)));
    }
    for (PKI_EACH(b, of.boxes)) {
      v = pki_add_scaled(v, pki_reals(g->box_r)[b], *pki_cross_of(g, i, b));
    }
    pki_v3_store(v, pki_out(g->v) + 3 * i);
  }
  for (PKI_EACH(b, of.boxes)) {
    pk_r v = pki_reals(g->box_q)[b];
    for (PKI_EACH(i, of.slots)) {
      v = pki_add_dot(v, *pki_cross_of(g, i, b), pki_v3_load(pki_reals(g->r) + 3 * i));
    }
    for (PKI_EACH(c, of.boxes)) {
      v += pki_reals(g->box_W)[b * PKI_BOXES + c] * pki_reals(g->box_r)[c];
    }
    pki_out(g->box_v)[b] = v;
  }
}

/* The larger one; a NaN stays. */
PKI_INLINE pk_r pki_worse(pk_r worst, pk_r now)
{
  return pki_select(pki_at_most(now, worst), worst, now);
}

/* The residual of the members in each lane. */
static pk_r pki_velocity_residual(const pki_lanes *f, pki_members of)
{
  const pki_group *g = f->g;
  pk_r worst = pki_splat(0);
  for (PKI_EACH(b, of.slots)) {
    const pk_i active = pki_masks(g->active)[b];
    const pki_m3 *W = pki_block(g, b, b);
    const pk_r trace = pki_select(active, W->x.x + W->y.y + W->z.z, pki_splat(1));
    const pk_r left = pki_natural_residual(pki_reals(g->mu)[b], pki_v3_load(pki_reals(g->r) + 3 * b),
                                           pki_v3_load(pki_reals(g->v) + 3 * b), trace);
    worst = pki_worse(worst, pki_where_set(active, left));
  }
  for (PKI_EACH(b, of.boxes)) { /* r - clamp(r - u/w) */
    const pk_i active = pki_masks(g->box_active)[b];
    const pk_r w = pki_select(active, pki_reals(g->box_W)[b * (PKI_BOXES + 1)], pki_splat(1));
    const pk_r r = pki_reals(g->box_r)[b], moved = r - pki_reals(g->box_v)[b] / w;
    const pk_r in = pki_clamp(moved, pki_reals(g->box_lower)[b], pki_reals(g->box_upper)[b]);
    worst = pki_worse(worst, pki_where_set(active, pki_abs(r - in) * w));
  }
  return worst;
}

/* What normal rows and boxes of positions leave, as gaps. */
static pk_r pki_position_residual(const pki_lanes *f, pki_members of)
{
  const pki_group *g = f->g;
  pk_r worst = pki_splat(0);
  for (PKI_EACH(s, of.slots)) {
    const pk_i active = pki_masks(g->active)[s];
    const pk_r w = pki_select(active, pki_block(g, s, s)->x.x, pki_splat(1));
    const pk_r left = pki_abs(pki_min(pki_reals(g->v)[3 * s], pki_reals(g->r)[3 * s] * w));
    worst = pki_worse(worst, pki_where_set(active, left));
  }
  for (PKI_EACH(b, of.boxes)) {
    const pk_i active = pki_masks(g->box_active)[b];
    const pk_r w = pki_select(active, pki_reals(g->box_W)[b * (PKI_BOXES + 1)], pki_splat(1));
    const pk_r left = pki_abs(pki_min(pki_reals(g->box_v)[b], pki_reals(g->box_r)[b] * w));
    worst = pki_worse(worst, pki_where_set(active, left));
  }
  return worst;
}

/* ---- sweeps over the feet ---- */

/* A foot's impulses become r in the lanes of a mask, and the velocities of all feet follow. */
PKI_INLINE void pki_change(pki_lanes *f, int b, pk_i mask, pki_v3 r)
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

/* Sweeps in the lanes of `open`, where only feet are active, until they meet their goals; returns the lanes that do not. */
static pk_i pki_sweep_feet(pki_lanes *f, pk_i open, pk_r scale, pk_r goal)
{
  pki_group *g = f->g;
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
    const pk_r worst = pki_velocity_residual(f, pki_all_members(f));
    pk_r *const relative = pki_out(g->relative);
    *relative = pki_select(open, worst / scale, *relative);
    *pki_out(g->sweeps) += pki_where_set(open, pki_splat(1));
    open &= ~pki_at_most(worst, goal);
  }
  return open;
}

#endif
