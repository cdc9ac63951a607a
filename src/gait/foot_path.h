/* Paths of feet, on lanes. */
#ifndef PKI_GAIT_PATH_H
#define PKI_GAIT_PATH_H

#include "gait/locomotion.h"
#include "math/lane3.h"

/* Along a way: how far, 0 to 1, and its derivatives. */
typedef struct pki_path {
  pk_r s, rate, acc;
} pki_path;

/* 10 s^3 - 15 s^4 + 6 s^5, from rest to rest. */
PKI_INLINE pki_path pki_quintic(pk_r s)
{
  const pk_r r = 1.0 - s;
  return (pki_path){s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * s * s * r * r,
                    60.0 * s * r * (1.0 - 2.0 * s)};
}

/* On the ground `off` from `base`, below the hip of a leg of a trunk whose yaw has this sine and cosine, and not farther
 * than legs reach; z is that of the ball's centre. */
PKI_INLINE pki_v3 pki_foothold_at(const pki_locomotion *c, int leg, const pk_r base[2], const pk_r off[2],
                                  pk_r sine, pk_r cosine, const pk_r plane[3])
{
  const double most = 0.2 / 0.41 * c->height, *hip = c->legs[leg].hip;
  const pk_r size = pki_sqrt(off[0] * off[0] + off[1] * off[1]);
  const pk_r scale = most / pki_max(size, pki_splat(most));
  const pk_r x = base[0] + (cosine * hip[0] - sine * hip[1]) + scale * off[0];
  const pk_r y = base[1] + (sine * hip[0] + cosine * hip[1]) + scale * off[1];
  return (pki_v3){x, y, plane[0] + plane[1] * x + plane[2] * y + c->legs[leg].radius};
}

#endif
