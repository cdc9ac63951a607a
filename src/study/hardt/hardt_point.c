/* The closed form beside the optimum: a point mass at constant speed in a single-foot amble.
 *
 * Each foot stands for half of the period T and moves by v T/2 below its hip. Touchdowns are RR, RF, LR, LF, a quarter of the cycle apart; so when
 * RR lands, v T/4 ahead of its hip, LF is below its own. About the edge from RR to LF the mass has
 *
 *   H = m v z e_y,   H_ref = m r r_h sqrt(2 g/(r + z)),   r_h its distance behind the edge,   r^2 = r_h^2 + z^2,
 *
 * and S_H = H - H_ref tells whether it rolls over that edge or falls back. */
#include <math.h>

#include "study/hardt/hardt.h"

const pki_hardt_numbers pki_hardt_readings[PKI_HARDT_READINGS] = {
    {"A", 2.0 / 3, 1.25, -0.082},
    {"B", 2.0 / 3, 0.625, 0.016},
    {"C", 1.0 / 3, 1.25, -0.036},
};

double pki_hardt_point(const pki_hardt_numbers *reading)
{
  static const double g = 9.81, mass = 1.6, z = 0.1, length = 0.13, width = 0.125;
  const double rear[2] = {-length / 2 + reading->speed * reading->period / 4, -width / 2};
  const double fore[2] = {length / 2, width / 2};
  const double size = hypot(fore[0] - rear[0], fore[1] - rear[1]);
  const double e[2] = {(fore[0] - rear[0]) / size, (fore[1] - rear[1]) / size};
  const double r_h = fore[0] * e[1] - fore[1] * e[0], r = hypot(r_h, z);
  const double H = mass * reading->speed * z * e[1], H_ref = mass * r * r_h * sqrt(2 * g / (r + z));
  return H - H_ref;
}
