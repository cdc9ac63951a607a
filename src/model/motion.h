/* Sizes of elementary motions, and places in the elimination plan. */
#ifndef PKI_MODEL_MOTION_H
#define PKI_MODEL_MOTION_H

#include "pronk/model.h"

/* Coordinates in q of one motion. */
static inline int pki_motion_nq(int motion)
{
  return motion == PK_MOTION_FLOATING ? 7 : motion == PK_MOTION_SPHERICAL ? 4 : 1;
}

/* Where the quaternion begins among the q of one motion, and so how many coordinates before it simply add up; -1: it
 * has none. */
static inline int pki_motion_quaternion(int motion)
{
  return motion == PK_MOTION_FLOATING ? 3 : motion == PK_MOTION_SPHERICAL ? 0 : -1;
}

/* Coordinates in u of one motion. */
static inline int pki_motion_nu(int motion)
{
  return motion == PK_MOTION_FLOATING ? 6 : motion == PK_MOTION_SPHERICAL ? 3 : 1;
}

/* Where a row-compressed triangle keeps the pair (a, b), which must be in it. */
static inline int pki_plan_find(const int *M_row, const int *M_col, int a, int b)
{
  const int row = a > b ? a : b, col = a > b ? b : a;
  int low = M_row[row], high = M_row[row + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (M_col[middle] < col) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

#endif
