/* Sums of stability measures over a motion. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

void pk_stability_add(pk_stability_sum *sum, const pk_stability *stability, double time, double dt)
{
  double off[3];
  pki_sub3(stability->gcom, stability->fri, off);
  const double apart = pki_dot3(off, off); /* both are on the ground */
  sum->time += dt;
  if (isfinite(apart)) {
    sum->supported += dt;
    sum->js1 += apart * dt;
  }
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    const double margin = pk_stability_margin(stability, (pk_stability_measure)i);
    if (isnan(margin)) {
      continue;
    }
    if (sum->counted[i] == 0 || margin < sum->least[i]) {
      sum->least[i] = margin;
      sum->least_at[i] = time;
    }
    sum->counted[i] += dt;
    if (isfinite(margin)) {
      sum->integral[i] += margin * dt;
      sum->finite[i] += dt;
    }
  }
}

double pk_stability_mean_js1(const pk_stability_sum *sum)
{
  return sum->supported > 0 ? sum->js1 / sum->supported : NAN;
}

double pk_stability_js2(const pk_stability_sum *sum)
{
  return -pk_stability_least(sum, PK_STABILITY_S_H);
}

double pk_stability_least(const pk_stability_sum *sum, pk_stability_measure measure)
{
  return sum->counted[measure] > 0 ? sum->least[measure] : NAN;
}

double pk_stability_mean(const pk_stability_sum *sum, pk_stability_measure measure)
{
  return sum->finite[measure] > 0 ? sum->integral[measure] / sum->finite[measure] : NAN;
}
