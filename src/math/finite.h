/* Whether numbers are finite. */
#ifndef PKI_MATH_FINITE_H
#define PKI_MATH_FINITE_H

#include <math.h>
#include <stdbool.h>

/* None of the values is infinite or NaN. Without a branch in the loop, so that long arrays are checked in vectors. */
static inline bool pki_all_finite(const double *values, int count)
{
  bool finite = true;
  for (int i = 0; i < count; i++) {
    finite &= isfinite(values[i]) != 0;
  }
  return finite;
}

#endif
