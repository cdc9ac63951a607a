/* The area in which the pressure of a robot on its soles can be: the convex hull of some points, seen from above. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gait/biped.h"

enum { MOST_POINTS = 16 };

/* Twice the area of the triangle o, a, b; positive counterclockwise. */
static double turn_of(const double o[2], const double a[2], const double b[2])
{
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/* Corners of the hull, counterclockwise (Andrew 1979); how many. */
static int find_hull(int count, double (*points)[2], double (*hull)[2])
{
  for (int i = 1; i < count; i++) { /* by x, then by y */
    const double x = points[i][0], y = points[i][1];
    int k = i;
    for (; k > 0 && (points[k - 1][0] > x || (points[k - 1][0] == x && points[k - 1][1] > y)); k--) {
      memcpy(points[k], points[k - 1], sizeof points[k]);
    }
    points[k][0] = x, points[k][1] = y;
  }
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    const int first = n;
    for (int e = 0; e < count; e++) {
      const double *p = points[pass == 0 ? e : count - 1 - e];
      while (n >= first + 2 && turn_of(hull[n - 2], hull[n - 1], p) <= 0) {
        n--;
      }
      memcpy(hull[n++], p, sizeof hull[0]);
    }
    n--; /* the last point begins the other side */
  }
  return n > 0 ? n : 1;
}

/* The nearest point of the segment a b to p. */
static void nearest_on_segment(const double a[2], const double b[2], const double p[2], double out[2])
{
  const double d[2] = {b[0] - a[0], b[1] - a[1]}, size = d[0] * d[0] + d[1] * d[1];
  const double along = size > 0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / size : 0;
  const double s = fmin(fmax(along, 0), 1);
  out[0] = a[0] + s * d[0], out[1] = a[1] + s * d[1];
}

void pki_support_clamp(int count, const double (*points)[2], const double p[2], double out[2])
{
  double sorted[MOST_POINTS][2], hull[2 * MOST_POINTS + 2][2];
  PK_ASSERT(count <= MOST_POINTS);
  memcpy(sorted, points, (size_t)count * sizeof sorted[0]);
  const int n = find_hull(count, sorted, hull);
  const double at[2] = {p[0], p[1]};
  bool inside = n > 2;
  double best = INFINITY;
  for (int i = 0; i < n; i++) {
    const double *a = hull[i], *b = hull[(i + 1) % n];
    double near[2];
    inside = inside && turn_of(a, b, at) >= 0;
    nearest_on_segment(a, b, at, near);
    const double far = hypot(near[0] - at[0], near[1] - at[1]);
    if (far < best) {
      best = far;
      memcpy(out, near, sizeof near);
    }
  }
  if (inside) {
    memcpy(out, at, sizeof at);
  }
}
