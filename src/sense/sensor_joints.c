/* Encoders and torque sensors without errors: what joints have, free roots left out. */
#include <string.h>

#include "sense/sensors.h"

/* The numbers of x that belong to no free root: each robot's contiguous range, without the root at its start. */
static int read_joints(const pk_observation *seen, const double *x, bool coordinates, double *out)
{
  int count = 0;
  for (int i = 0; i < seen->model->nrobot; i++) {
    const pk_model_robot *r = &seen->model->robots[i];
    const int root = r->root != PK_ROOT_FREE ? 0 : coordinates ? PKI_ROOT_Q : PKI_ROOT_U;
    const int first = (coordinates ? r->q : r->u) + root, n = (coordinates ? r->nq : r->nu) - root;
    if (out != NULL && n > 0) {
      memcpy(out + count, x + first, (size_t)n * sizeof *out);
    }
    count += n;
  }
  return count;
}

static int read_position(const pk_observation *seen, double *out)
{
  return read_joints(seen, seen->q, true, out);
}

static int read_velocity(const pk_observation *seen, double *out)
{
  return read_joints(seen, seen->u, false, out);
}

static int read_force(const pk_observation *seen, double *out)
{
  return read_joints(seen, seen->tau, false, out);
}

const pki_sensor_row pki_sensor_joint_position = {.name = "joint_position",
                                                  .doc = "angles and travels of joints: q",
                                                  .unit = "rad, m",
                                                  .width = "joint coordinates",
                                                  .read = read_position};

const pki_sensor_row pki_sensor_joint_velocity = {.name = "joint_velocity",
                                                  .doc = "speeds of joints: u",
                                                  .unit = "rad/s, m/s",
                                                  .width = "joint velocities",
                                                  .read = read_velocity};

const pki_sensor_row pki_sensor_joint_force = {.name = "joint_force",
                                               .doc = "what commands gave in the last step: tau",
                                               .unit = "N m, N",
                                               .width = "joint velocities",
                                               .read = read_force};
