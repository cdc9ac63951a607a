/* Footsteps of a biped. */
#include "gait/footstep.h"

#include <math.h>

void pki_footstep_between(const double a[2], const double b[2], double yaw, double out[2])
{
  const double x = b[0] - a[0], y = b[1] - a[1], s = sin(yaw), c = cos(yaw);
  out[0] = c * x + s * y, out[1] = -s * x + c * y;
}

void pki_footstep_beside(const double a[2], double ahead, double left, double yaw, double out[2])
{
  const double s = sin(yaw), c = cos(yaw), x = a[0], y = a[1];
  out[0] = x + c * ahead - s * left, out[1] = y + s * ahead + c * left;
}

double pki_nearest_angle(double angle, double near)
{
  return near + remainder(angle - near, 2 * acos(-1.0));
}

pki_footstep pki_footstep_next(const pki_footstep *stand, int foot, const pki_stride_goal *goal,
                               const pki_step_limits *limits)
{
  const double side = -pki_foot_side(foot); /* of the foot that steps */
  pki_footstep to;
  double middle[2], seen[2];
  const double turn =
      fmin(fmax(pki_nearest_angle(goal->yaw, stand->yaw) - stand->yaw, -limits->turn), limits->turn);
  to.yaw = stand->yaw + turn;
  pki_footstep_beside(stand->at, 0, side * 0.5 * goal->width, stand->yaw, middle);
  const double left = side * goal->left > 0 ? 2 * goal->left : 0;
  pki_footstep_beside(middle, goal->ahead, left, stand->yaw + 0.5 * turn, middle);
  pki_footstep_beside(middle, 0, side * 0.5 * goal->width, to.yaw, to.at);
  /* within reach */
  pki_footstep_between(stand->at, to.at, stand->yaw, seen);
  const double ahead = fmin(fmax(seen[0], -limits->back), limits->ahead),
               wide = fmin(fmax(side * seen[1], limits->narrow), limits->wide);
  pki_footstep_beside(stand->at, ahead, side * wide, stand->yaw, to.at);
  return to;
}
