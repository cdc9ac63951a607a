/* The largest error so far. What is not a number counts as the largest, and stays. */
#ifndef PK_TESTS_WORST_H
#define PK_TESTS_WORST_H

#include <math.h>

static inline double larger(double most, double error)
{
  return error > most || isnan(error) ? error : most;
}

#endif
