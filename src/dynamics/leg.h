/* What the files of a leg share: turns about axes. */
#ifndef PKI_DYNAMICS_LEG_H
#define PKI_DYNAMICS_LEG_H

#include "math/mat3.h"
#include "pronk/legs.h"

/* out = v turned by an angle about a unit axis (Rodrigues); out may be v. */
static inline void pki_turn3(const double axis[3], double angle, const double v[3], double out[3])
{
  const double c = cos(angle), s = sin(angle), along = (1 - c) * pki_dot3(axis, v);
  double across[3];
  pki_cross3(axis, v, across);
  for (int i = 0; i < 3; i++) {
    out[i] = c * v[i] + s * across[i] + along * axis[i];
  }
}

/* The same about an axis through a point. */
static inline void pki_turn_about(const double axis[3], const double at[3], double angle, const double x[3],
                                  double out[3])
{
  double r[3];
  pki_sub3(x, at, r);
  pki_turn3(axis, angle, r, r);
  pki_along3(at, 1, r, out);
}

/* Whether a point leg bends in a plane: its second and third axis are parallel. Otherwise its first two meet in the hip. */
static inline bool pki_leg_bends_in_plane(const pk_leg *leg)
{
  double c[3];
  pki_cross3(leg->axis[1], leg->axis[2], c);
  return pki_length3(c) <= 1e-9;
}

#endif
