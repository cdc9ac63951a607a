/* How far the first robot is from tipping over: the margins of all stability measures, from what the observation shows. */
#include <stddef.h>

#include "pronk/stability.h"
#include "sense/sensors.h"

static int read_stability(const pk_observation *seen, double *out)
{
  if (seen->model->nrobot == 0) {
    return 0;
  }
  pk_stability now;
  if (out != NULL) {
    /* what cannot be measured is NAN */
    (void)pk_observation_stability(seen, 0, NULL, NULL, &now, NULL);
  }
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT && out != NULL; i++) {
    out[i] = pk_stability_margin(&now, (pk_stability_measure)i);
  }
  return PK_STABILITY_MEASURE_COUNT;
}

const pki_sensor_row pki_sensor_stability = {
    .name = "stability",
    .doc = "margins of the stability measures of the first robot (pronk list measures)",
    .unit = "m, kg m^2/s, J, N m rad, N",
    .width = "one for each measure",
    .read = read_stability};
