/* The truncated friction cone on lanes: the nearest point, and how it moves. */
#ifndef PKI_CONTROL_CONE_BLOCK_H
#define PKI_CONTROL_CONE_BLOCK_H

#include "math/lane3.h"

/* dP at a point: eigenvalues q along three orthonormal axes (normal, tangent, across),
 *
 *   (c, s t),  (-s, c t),  (0, t turned by a quarter)
 *
 * t the unit tangent towards the point; (c, s) is (1, mu)/sqrt(1 + mu^2) on the side of the cone, (1, 0) elsewhere. */
typedef struct pki_cone_slope {
  pk_r t[2], c, s;
  pki_v3 q;
} pki_cone_slope;

/* P of z = (normal, two tangents) in |f_T| <= mu f_N, 0 <= f_N <= limit. Beyond the top the nearest point lies in the top disc,
 * because the nearest one of the cone alone is beyond it too; so it is with the apex. A point on a seam belongs to the smaller
 * set, so that axes without any room (mu = 0, limit = 0) have q = 0. */
PKI_INLINE pki_v3 pki_cone_project_slope(pk_r mu, pk_r limit, pki_v3 z, pki_cone_slope *slope)
{
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const pk_r size = pki_sqrt(z.y * z.y + z.z * z.z), n = z.x;
  const pk_i some = pki_less(zero, size);
  const pk_r inverse = 1.0 / pki_select(some, size, one);
  const pk_r ty = pki_select(some, z.y * inverse, one), tz = pki_where_set(some, z.z * inverse);
  const pk_r share = 1.0 / (1.0 + mu * mu);
  const pk_i beside = pki_at_most(mu * n, size);
  const pk_r ray = pki_select(beside, (n + mu * size) * share, n);
  const pk_i below = pki_less(ray, zero), above = pki_at_most(limit, ray);
  const pk_r up = pki_clamp(ray, zero, limit), most = mu * up, along = pki_min(size, most);
  const pk_i rim = pki_at_most(most, size);
  const pk_i inside = ~(beside | below | above);
  if (slope != NULL) {
    const pk_i side = beside & ~(below | above);
    const pk_r cosine = pki_sqrt(share);
    const pk_r turned = pki_where_set(some, along * inverse);
    slope->t[0] = ty, slope->t[1] = tz;
    slope->c = pki_select(side, cosine, one), slope->s = pki_where_set(side, mu * cosine);
    /* inside: 1 1 1; apex: 0 0 0; side: 1 0 turned; top disc: 0 1 1, on its rim 0 0 turned */
    slope->q.x = pki_where_set(inside | side, one);
    slope->q.y = pki_where_set(inside | (above & ~rim), one);
    slope->q.z = pki_where_set(~below, pki_select(inside, one, pki_select(rim, turned, one)));
  }
  return (pki_v3){pki_select(inside, n, up), pki_select(inside, z.y, along * ty),
                  pki_select(inside, z.z, along * tz)};
}

#endif
