/* Where a link is and how it moves: what a tracking system sees. */
#include <string.h>

#include "math/mat3.h"
#include "sense/sensing.h"

pk_pose pki_sensor_pose(const pk_sensor *s, const pk_sensing_input *in)
{
  const pk_pose link = pk_link_pose(in->workspace, s->link);
  pk_pose out;
  pki_mat3_apply(link.rot, in->frame->pos, out.pos);
  pki_mat3_mul(link.rot, in->frame->rot, out.rot);
  for (int i = 0; i < 3; i++) {
    out.pos[i] += link.pos[i];
  }
  return out;
}

void pki_sensor_velocity(const pk_sensor *s, const pk_sensing_input *in, double v[3], double w[3])
{
  const pk_pose link = pk_link_pose(in->workspace, s->link);
  double twist[6], at[3];
  pk_link_velocity(in->workspace, s->link, twist); /* link axes */
  pki_twist_at(twist, in->frame->pos, at);
  pki_mat3_apply(link.rot, at, v);
  pki_mat3_apply(link.rot, twist, w);
}

static void read_pose(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_pose pose = pki_sensor_pose(s, in);
  (void)memory;
  memcpy(values, pose.pos, sizeof pose.pos);
  pki_quat_from_mat3(pose.rot, values + 3);
}

static void read_velocity(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  double v[3], w[3];
  (void)memory;
  pki_sensor_velocity(s, in, v, w);
  memcpy(values, v, sizeof v);
  memcpy(values + 3, w, sizeof w);
  if (s->axes == PK_SENSOR_AXES_OWN) {
    const pk_pose pose = pki_sensor_pose(s, in);
    pki_mat3_apply_transposed(pose.rot, v, values);
    pki_mat3_apply_transposed(pose.rot, w, values + 3);
  }
}

static const char *const pose_columns[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const pose_units[] = {"m", "m", "m", "", "", "", ""};
static const char *const velocity_columns[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const velocity_units[] = {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"};

const pk_sensing_kind pki_sense_pose = {
    .name = "pose",
    .doc = "position and quaternion (w, x, y, z) of a place on a link, in the world",
    .values = 7,
    .columns = pose_columns,
    .units = pose_units,
    .linear = 3,
    .angular = 3,
    .attitude = true,
    .read = read_pose};

const pk_sensing_kind pki_sense_velocity = {
    .name = "velocity",
    .doc = "velocity of a place on a link and angular velocity, world axes or its own",
    .values = 6,
    .columns = velocity_columns,
    .units = velocity_units,
    .linear = 3,
    .angular = 3,
    .read = read_velocity};
