/* Sizes of elementary motions. */
#ifndef PKI_MODEL_MOTION_H
#define PKI_MODEL_MOTION_H

#include "pronk/model.h"

/* Coordinates in q of one motion. */
static inline int pki_motion_nq(int motion)
{
  return motion == PK_MOTION_FLOATING ? 7 : motion == PK_MOTION_SPHERICAL ? 4 : 1;
}

/* Coordinates in u of one motion. */
static inline int pki_motion_nu(int motion)
{
  return motion == PK_MOTION_FLOATING ? 6 : motion == PK_MOTION_SPHERICAL ? 3 : 1;
}

#endif
