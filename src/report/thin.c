#include "report/thin.h"

#include <math.h>
#include <stdbool.h>

static int add_once(int index, int *keep, int count)
{
  if (count == 0 || keep[count - 1] < index) {
    keep[count++] = index;
  }
  return count;
}

int pki_thin_columns(const double *x, const double *y, int n, int *keep)
{
  int count = 0;
  for (int first = 0, next; first < n; first = next) {
    int low = first, high = first;
    for (next = first + 1; next < n && floor(x[next]) == floor(x[first]); next++) {
      low = y[next] < y[low] ? next : low;
      high = y[next] > y[high] ? next : high;
    }
    count = add_once(first, keep, count);
    count = add_once(low < high ? low : high, keep, count);
    count = add_once(low < high ? high : low, keep, count);
    count = add_once(next - 1, keep, count);
  }
  return count;
}

/* From a point that is kept, the directions that pass all points since within the tolerance are a cone (Sklansky and
 * Gonzalez 1980). A point outside of it, or one that turns back, makes its predecessor the next one to keep. */
typedef struct cone {
  double middle, low, high; /* directions: low and high relative to the middle, rad */
  double farthest;          /* that any point was away */
  bool open;                /* it has directions at all */
} cone;

/* Whether the point at (dx, dy) from the last kept one still fits; the cone then narrows. */
static bool narrow_cone(cone *c, double dx, double dy, double tolerance)
{
  const double distance = hypot(dx, dy);
  if (distance <= tolerance) { /* any direction passes it */
    return c->farthest <= tolerance;
  }
  const double half = asin(fmin(1, tolerance / distance)), direction = atan2(dy, dx);
  if (!c->open) {
    *c = (cone){direction, -half, half, distance, true};
    return true;
  }
  const double turn = remainder(direction - c->middle, 2 * acos(-1.0));
  if (distance < c->farthest - tolerance || turn < c->low || turn > c->high) {
    return false;
  }
  c->low = fmax(c->low, turn - half);
  c->high = fmin(c->high, turn + half);
  c->farthest = fmax(c->farthest, distance);
  return true;
}

int pki_thin_path(const double *x, const double *y, int n, double tolerance, int *keep)
{
  int count = 0;
  if (n > 0) {
    keep[count++] = 0;
  }
  cone c = {0};
  for (int i = 1; i < n; i++) {
    const int last = keep[count - 1];
    if (!narrow_cone(&c, x[i] - x[last], y[i] - y[last], tolerance)) {
      keep[count++] = i - 1;
      c = (cone){0};
      narrow_cone(&c, x[i] - x[i - 1], y[i] - y[i - 1], tolerance);
    }
  }
  return n > 1 ? add_once(n - 1, keep, count) : count;
}
