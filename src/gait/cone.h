/* The nearest force in a truncated friction cone, on lanes. */
#ifndef PKI_GAIT_CONE_H
#define PKI_GAIT_CONE_H

#include "math/lane3.h"

/* The nearest force f, and how it moves with the force that was asked for: with n the normal and t the direction of
 * what was asked for across it, df = (rest 1 + nn n n' + nt (n t' + t n') + tt t t') d(asked). */
typedef struct pki_cone_point {
  pki_v3 f, t;
  pk_r rest, nn, nt, tt;
} pki_cone_point;

/* In the cone |f_T| <= mu f_N, least <= f_N <= limit. Beyond the top, the nearest point is in the top disc, since the cone
 * alone would go past it; so it is below the bottom. */
PKI_INLINE pki_cone_point pki_cone_nearest(pki_v3 normal, double mu, pk_r least, pk_r limit, pki_v3 asked)
{
  const pk_r zero = pki_splat(0), one = pki_splat(1), share = pki_splat(1 / (1 + mu * mu));
  const pk_r n = pki_dot(normal, asked);
  const pki_v3 t = pki_add_scaled(asked, -n, normal);
  const pk_r size = pki_sqrt(pki_dot(t, t));
  const pk_r inverse = pki_select(pki_less(zero, size), 1.0 / size, zero);
  /* on the cone: its rim is the ray (mu, 1) */
  const pk_i beside = pki_less(mu * n, size);
  const pk_r rim = pki_select(beside, (n + mu * size) * share, n);
  const pk_i cut = pki_less(rim, least) | pki_less(limit, rim);
  const pk_r up = pki_clamp(rim, least, limit), along = pki_min(size, mu * up);
  const pk_i outside = beside | cut,
             edge = pki_less(mu * up, size); /* edge: on the rim of the disc, or on the cone */
  const pk_r turned = along * inverse;
  pki_cone_point out = {.t = pki_scale(inverse, t)};
  out.f = (pki_v3){pki_select(outside, up * normal.x + turned * t.x, asked.x),
                   pki_select(outside, up * normal.y + turned * t.y, asked.y),
                   pki_select(outside, up * normal.z + turned * t.z, asked.z)};
  /* inside nothing is lost; in a disc what is along n; on its rim along t too; on the cone what is across its ray */
  const pk_i cone = beside & ~cut, lost = outside & edge;
  out.rest = pki_select(lost | cone, turned, one);
  out.nn = pki_select(cone, share - turned, pki_select(cut, -out.rest, zero));
  out.nt = pki_select(cone, mu * share, zero);
  out.tt = pki_select(cone, mu * mu * share - turned, pki_select(cut & edge, -out.rest, zero));
  return out;
}

/* The same for one plain force. */
PKI_INLINE void pki_cone_project(const double normal[3], double mu, double least, double limit, double f[3])
{
  const pki_v3 asked = pki_v3_splat(f);
  const pki_v3 found =
      pki_cone_nearest(pki_v3_splat(normal), mu, pki_splat(least), pki_splat(limit), asked).f;
  f[0] = pki_lane(found.x, 0), f[1] = pki_lane(found.y, 0), f[2] = pki_lane(found.z, 0);
}

#endif
