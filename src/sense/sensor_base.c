/* Where trunks are and how they move: what an ideal tracking system sees of free roots. */
#include <string.h>

#include "sense/sensors.h"

static int read_roots(const pk_observation *seen, bool coordinates, double *out)
{
  const int each = coordinates ? PKI_ROOT_Q : PKI_ROOT_U;
  int count = 0;
  for (int i = 0; i < seen->model->nrobot; i++) {
    const pk_model_robot *r = &seen->model->robots[i];
    if (r->root != PK_ROOT_FREE) {
      continue;
    }
    if (out != NULL) {
      memcpy(out + count, coordinates ? seen->q + r->q : seen->u + r->u, (size_t)each * sizeof *out);
    }
    count += each;
  }
  return count;
}

static int read_pose(const pk_observation *seen, double *out)
{
  return read_roots(seen, true, out);
}

static int read_twist(const pk_observation *seen, double *out)
{
  return read_roots(seen, false, out);
}

const pki_sensor_row pki_sensor_base_pose = {.name = "base_pose",
                                             .doc = "position and quaternion (w, x, y, z) in the world: q",
                                             .unit = "m, 1",
                                             .width = "7 for each free root",
                                             .read = read_pose};

const pki_sensor_row pki_sensor_base_twist = {.name = "base_twist",
                                              .doc = "velocity in the world, angular velocity in the body: u",
                                              .unit = "m/s, rad/s",
                                              .width = "6 for each free root",
                                              .read = read_twist};
