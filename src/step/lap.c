/* How long the parts of a step take. */
#include <time.h>

#include "step/world.h"

void pki_lap(pk_sim *sim, pk_step_part part, pk_step_info *info)
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
