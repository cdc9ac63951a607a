/* Inertial measurement unit: accelerometer and gyroscope.
 *
 * An accelerometer feels all but gravity, the specific force. Over a step in which the velocity of its point goes from v_S to v_E
 * it is
 *
 *   f = R' ((v_E - v_S) / dt - g)
 *
 * with the lever arm, since v is that of the point, and with contacts and impacts, since v_E is what they left. At an impact it grows as
 * dt shrinks: what a part shows of it is a matter of its bandwidth. */
#include <string.h>

#include "math/mat3.h"
#include "sense/sensing.h"

static void read_imu(const pk_sensor *s, const pk_sensing_input *in, double *before, double *values)
{
  const pk_pose pose = pki_sensor_pose(s, in);
  double v[3], w[3], felt[3];
  pki_sensor_velocity(s, in, v, w);
  for (int i = 0; i < 3; i++) {
    felt[i] = (in->anew ? 0 : (v[i] - before[i]) / in->dt) - in->model->gravity[i];
  }
  memcpy(before, v, sizeof v);
  pki_mat3_apply_transposed(pose.rot, felt, values);
  pki_mat3_apply_transposed(pose.rot, w, values + 3);
}

static const char *const columns[] = {"ax", "ay", "az", "wx", "wy", "wz"};
static const char *const units[] = {"m/s^2", "m/s^2", "m/s^2", "rad/s", "rad/s", "rad/s"};

const pk_sensing_kind pki_sense_imu = {
    .name = "imu",
    .doc = "specific force at a place on a link, gravity among it, and angular velocity, its own axes",
    .values = 6,
    .columns = columns,
    .units = units,
    .linear = 3,
    .angular = 3,
    .memory = 3,
    .always = true,
    .read = read_imu};
