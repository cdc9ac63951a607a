/* Distances: a ray along the sensor's x axis, and heights of the ground on a grid below a link. */
#include <math.h>

#include "sense/sensing.h"

static void read_ray(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_pose pose = pki_sensor_pose(s, in);
  const double along[3] = {pose.rot[0], pose.rot[3], pose.rot[6]};
  (void)memory;
  values[0] = in->ray(in->world, pose.pos, along, s->reach, in->model->links[s->link].body);
}

static int count_points(const pk_sensor *s)
{
  return s->points[0] * s->points[1];
}

/* The grid is level and turns with the sensor about the vertical alone. Along x first. */
static void read_heights(const pk_sensor *s, const pk_sensing_input *in, double *memory, double *values)
{
  const pk_pose pose = pki_sensor_pose(s, in);
  const double yaw = atan2(pose.rot[3], pose.rot[0]), c = cos(yaw), n = sin(yaw);
  const int nx = s->points[0], ny = s->points[1];
  (void)memory;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const double x = s->spacing * (i - 0.5 * (nx - 1)), y = s->spacing * (j - 0.5 * (ny - 1));
      const double place[2] = {pose.pos[0] + c * x - n * y, pose.pos[1] + n * x + c * y};
      double height;
      const bool found = in->ground(in->world, place, &height);
      values[j * nx + i] = found ? fmin(pose.pos[2] - height, s->reach) : s->reach;
    }
  }
}

const pk_sensing_kind pki_sense_ray = {.name = "ray",
                                       .doc = "distance along the sensor's x axis to what is there first",
                                       .values = 1,
                                       .unit = "m",
                                       .linear = 1,
                                       .read = read_ray};

const pk_sensing_kind pki_sense_height_scan = {
    .name = "height-scan",
    .doc = "depth of the ground below the sensor on a level grid around it, along x first",
    .width = count_points,
    .unit = "m",
    .linear = -1,
    .read = read_heights};
