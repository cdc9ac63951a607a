/* The period of a rotation: what theory says, and how it is read from a simulation.
 *
 * angle'' = -k sin(angle) from the lowest point with rate w: angle'^2 = w^2 - 4 k sin^2(angle/2),
 * so that T = integral over one turn of d(angle)/angle' = (4/w) K(m), m = 4 k / w^2, with K the
 * complete elliptic integral of the first kind, K(m) = pi / (2 agm(1, sqrt(1 - m))). */
#include <math.h>

#include "study/pendulum/pendulum.h"

static const double pi = 3.141592653589793238463;

double pki_pendulum_period_agm(double k, double rate)
{
  double a = 1, b = sqrt(1 - 4 * k / (rate * rate));
  for (int i = 0; i < 8; i++) { /* digits double with each turn */
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * pi / (rate * a);
}

double pki_pendulum_period_quadrature(double k, double rate)
{
  /* The midpoint rule converges exponentially for a smooth periodic function. */
  enum { POINTS = 64 };
  double sum = 0;
  for (int i = 0; i < POINTS; i++) {
    const double angle = 2 * pi * (i + 0.5) / POINTS;
    sum += 1 / sqrt(rate * rate - 2 * k * (1 - cos(angle)));
  }
  return sum * 2 * pi / POINTS;
}

double pki_pendulum_crossing(const double start[3], const double end[3], double dt, double target)
{
  /* p(s) = c0 + c1 s + ... + c5 s^5 on s in [0, 1] with both ends' values, slopes and curvatures. */
  const double v0 = start[1] * dt, v1 = end[1] * dt, a0 = start[2] * dt * dt, a1 = end[2] * dt * dt;
  const double d = end[0] - start[0] - v0 - 0.5 * a0, e = v1 - v0 - a0, f = a1 - a0;
  const double c0 = start[0] - target, c1 = v0, c2 = 0.5 * a0;
  const double c3 = 10 * d - 4 * e + 0.5 * f, c4 = -15 * d + 7 * e - f, c5 = 6 * d - 3 * e + 0.5 * f;
  double s = c0 / (start[0] - end[0]); /* the straight line, then Newton */
  for (int i = 0; i < 8; i++) {
    const double p = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))));
    const double slope = c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)));
    s -= p / slope;
  }
  return s;
}
