#include "step/world.h"

#include <time.h>

#include "model/motion.h"

int pki_body_of_velocity(const pk_model *m, int k)
{
  int i = 0;
  while (k < m->body_u[i] || k >= m->body_u[i] + pki_motion_nu(m->body_motion[i])) {
    i++;
  }
  return i;
}

void pki_lap(pk_sim *sim, pk_part part, pk_step_info *info)
{
  if (sim->options.timing) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    const double t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (info != NULL) {
      info->seconds[part] += t - sim->lap;
    }
    sim->lap = t;
  }
}
