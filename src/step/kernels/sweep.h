/* One contact in each lane: its impulses, and what the certificate says of it. */
#ifndef PKI_STEP_SWEEP_H
#define PKI_STEP_SWEEP_H

#include "step/kernels/rows.h"

PKI_INLINE pk_r pki_length2(pk_r x, pk_r y)
{
  return pki_sqrt(x * x + y * y);
}

/* |r - P_K(r - rho (u + mu |u_T| e_N))|/rho, rho = 3/tr W: the natural residual (src/contact/certificate.c). */
PKI_INLINE pk_r pki_contact_left(pk_r mu, pki_v3 r, pki_v3 u, pk_r trace)
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

/* Newton's method on mu r_N/|r_T| = 1 with r_T = -inv(S + a 1) b (src/contact/block.c), a few steps from the last a: sweeps
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

#endif
