/* From rest to rest. */
#ifndef PKI_MATH_SMOOTH_STEP_H
#define PKI_MATH_SMOOTH_STEP_H

/* 10 s^3 - 15 s^4 + 6 s^5: goes from 0 to 1 as s does, with no rate and no acceleration at either end. */
static inline double pki_smooth_step(double s)
{
  return s * s * s * (10 + s * (6 * s - 15));
}

#endif
