/* Costs of a gait from samples: each counts for the time that it stands for. */
#include <math.h>

#include "pronk/energy.h"

void pk_effort_add(pk_effort *e, const pk_effort_joint *joints, int n, const double *force,
                   const double *rate, double weight, double v, double dt)
{
  double heat = 0, power = 0;
  for (int i = 0; i < n; i++) {
    power += fabs(force[i] * rate[i]);
    if (joints != NULL && joints[i].constant > 0) {
      const double current = force[i] / (joints[i].gear * joints[i].constant);
      heat += joints[i].resistance * current * current;
    }
  }
  e->time += dt;
  e->distance += v * dt;
  e->joule += heat * dt;
  e->work += power * dt;
  if (fabs(v) > e->slowest) {
    e->specific_resistance += power / (weight * fabs(v)) * dt;
  } else {
    e->still += dt;
  }
}

double pk_effort_joule_per_metre(const pk_effort *e)
{
  return e->distance != 0 ? e->joule / fabs(e->distance) : NAN;
}

double pk_effort_mean_resistance(const pk_effort *e)
{
  return e->time > e->still ? e->specific_resistance / (e->time - e->still) : NAN;
}
