/* The clock of a world. */
#include "sense/sensors.h"

static int read_time(const pk_observation *seen, double *out)
{
  if (out != NULL) {
    out[0] = seen->time;
  }
  return 1;
}

const pki_sensor_row pki_sensor_time = {
    .name = "time", .doc = "since the start of the run", .unit = "s", .width = "1", .read = read_time};
