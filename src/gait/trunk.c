/* The virtual model of the trunk: springs and dampers towards where it should be, above the ground that the feet
 * have felt. */
#include <math.h>
#include <string.h>

#include "gait/locomotion.h"
#include "math/mat3.h"

/* Gains by unit of mass and moment: 1/s^2 and 1/s. */
static const double height_k = 150, height_d = 22;
static const double place_k = 30, place_d = 10; /* standing */
static const double speed_d = 4;                /* trotting */
static const double tilt_k = 250, tilt_d = 28, yaw_k = 100, yaw_d = 18;
static const double pull = 1, pull_most = 0.05; /* 1/s, m: a trot is drawn to where it should be */

/* Least squares z = a + b x + c y through the last points of contact; about their mean, so that the system is
 * 2 x 2. Three feet on a line leave the slope as it is. */
void pki_ground_fit(pki_walk *w)
{
  double mean[3] = {0, 0, 0}, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (int i = 0; i < PKI_LEGS; i++) {
    for (int k = 0; k < 3; k++) {
      mean[k] += w->feet[i].ground[k] / PKI_LEGS;
    }
  }
  for (int i = 0; i < PKI_LEGS; i++) {
    const double x = w->feet[i].ground[0] - mean[0], y = w->feet[i].ground[1] - mean[1];
    const double z = w->feet[i].ground[2] - mean[2];
    xx += x * x, xy += x * y, yy += y * y, xz += x * z, yz += y * z;
  }
  const double det = xx * yy - xy * xy;
  double slope[2] = {w->plane[1], w->plane[2]};
  if (det > 1e-6) {
    slope[0] = (yy * xz - xy * yz) / det;
    slope[1] = (xx * yz - xy * xz) / det;
  }
  w->plane[1] = fmax(-1, fmin(1, slope[0]));
  w->plane[2] = fmax(-1, fmin(1, slope[1]));
  w->plane[0] = mean[2] - w->plane[1] * mean[0] - w->plane[2] * mean[1];
  const double scale = 1 / sqrt(1 + w->plane[1] * w->plane[1] + w->plane[2] * w->plane[2]);
  w->normal[0] = -w->plane[1] * scale, w->normal[1] = -w->plane[2] * scale, w->normal[2] = scale;
}

static double wrap(double angle)
{
  return angle - 6.283185307179586 * round(angle / 6.283185307179586);
}

/* Columns x, y, z of the wanted attitude: z is `up`, x looks along the yaw. */
static void attitude(const double up[3], double yaw, double R[9])
{
  const double left[3] = {-sin(yaw), cos(yaw), 0};
  double x[3], y[3];
  pki_cross3(left, up, x);
  const double size = sqrt(pki_dot3(x, x));
  for (int k = 0; k < 3; k++) {
    x[k] /= size;
  }
  pki_cross3(up, x, y);
  for (int k = 0; k < 3; k++) {
    R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = up[k];
  }
}

/* The rotation vector from R to `wanted`, in the axes of R: of the matrix R' wanted. */
static void turn_between(const double R[9], const double wanted[9], double out[3])
{
  double D[9], Rt[9], q[4];
  pki_mat3_transpose(R, Rt);
  pki_mat3_mul(Rt, wanted, D);
  pki_quat_from_mat3(D, q);
  const double size = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double scale = size > 1e-12 ? 2 * atan2(size, q[0]) / size : 2;
  for (int k = 0; k < 3; k++) {
    out[k] = scale * q[1 + k];
  }
}

/* A standing trunk belongs above the middle of its feet; a trotting one where its wanted speed has brought it, but not
 * farther from where it is than a leash. */
static void horizontal(const pki_locomotion *c, pki_walk *w, double speed[2])
{
  const double cosine = cos(w->heading), sine = sin(w->heading);
  speed[0] = cosine * w->speed[0] - sine * w->speed[1];
  speed[1] = sine * w->speed[0] + cosine * w->speed[1];
  if (!w->walking) {
    for (int k = 0; k < 2; k++) {
      double mean = 0;
      for (int i = 0; i < PKI_LEGS; i++) {
        mean += w->feet[i].ground[k] / PKI_LEGS;
      }
      w->place[k] = w->com[k];
      w->acc[k] = place_k * (mean - w->com[k]) - place_d * w->com_vel[k];
    }
    return;
  }
  double lean[2], rate[2];
  pki_sway_at(c, w, 0, lean, rate);
  for (int k = 0; k < 2; k++) {
    const double middle = w->com[k] - lean[k];
    w->place[k] += w->period * speed[k];
    const double ahead = fmax(-pull_most, fmin(pull_most, w->place[k] - middle));
    w->place[k] = middle + ahead;
    speed[k] += pull * ahead;
    w->acc[k] = speed_d * (speed[k] - w->com_vel[k]);
  }
}

void pki_trunk_refer(const pki_locomotion *c, pki_walk *w)
{
  const pk_locomotion_options *o = &c->options;
  horizontal(c, w, w->velocity);
  /* above the ground by the legs' height */
  const double ground = w->plane[0] + w->plane[1] * w->pos[0] + w->plane[2] * w->pos[1];
  const double climb = w->plane[1] * w->vel[0] + w->plane[2] * w->vel[1];
  const double height = c->height + c->legs[0].radius;
  w->acc[2] = height_k * (ground + height - w->pos[2]) + height_d * (climb - w->vel[2]);
  /* upright, and along the yaw, which has a leash too */
  static const double level[3] = {0, 0, 1};
  const double off =
      w->walking ? wrap(w->yaw + w->period * w->speed[2] - w->heading) : wrap(w->yaw - w->heading);
  w->yaw = w->heading + fmax(-0.2, fmin(0.2, off));
  double wanted[9], *error = w->turn;
  attitude(o->attitude == PK_ATTITUDE_SLOPE ? w->normal : level, w->yaw, wanted);
  turn_between(w->R, wanted, error);
  const double spin[3] = {w->R[6] * w->speed[2], w->R[7] * w->speed[2], w->R[8] * w->speed[2]};
  for (int k = 0; k < 3; k++) {
    w->acc[3 + k] = (k < 2 ? tilt_k : yaw_k) * error[k] + (k < 2 ? tilt_d : yaw_d) * (spin[k] - w->omega[k]);
  }
}
