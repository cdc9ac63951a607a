/* Two triangles in space (Moeller, "A fast triangle-triangle intersection test", 1997): each must have corners on both
 * sides of the other's plane; then both cut the line in which the planes meet, and the intervals there are compared. */
#include <math.h>

#include "contact/compliant/patch_faces.h"
#include "math/mat3.h"

/* Heights of b's corners over the plane of a; corners within rounding of the plane are on it. False: all lie on one side. */
static bool heights_over(const double a[3][3], const double normal[3], const double b[3][3], double height[3])
{
  for (int k = 0; k < 3; k++) {
    const double away[3] = {b[k][0] - a[0][0], b[k][1] - a[0][1], b[k][2] - a[0][2]};
    const double far = fabs(away[0]) + fabs(away[1]) + fabs(away[2]), over = pki_dot3(normal, away);
    height[k] = fabs(over) <= 1e-15 * far ? 0 : over;
  }
  return !(height[0] > 0 && height[1] > 0 && height[2] > 0) &&
         !(height[0] < 0 && height[1] < 0 && height[2] < 0);
}

/* Where a triangle, given the heights of its corners over the other's plane and their places along the common line, cuts it. */
static void cut_line(const double place[3], const double height[3], double out[2])
{
  int n = 0;
  double at[6];
  for (int k = 0; k < 3; k++) {
    const int next = (k + 1) % 3;
    if (height[k] == 0) {
      at[n++] = place[k];
    }
    if (height[k] * height[next] < 0 || (height[k] < 0) != (height[next] < 0)) {
      if (height[k] != 0 && height[next] != 0) {
        at[n++] = place[k] + (place[next] - place[k]) * (height[k] / (height[k] - height[next]));
      }
    }
  }
  out[0] = INFINITY, out[1] = -INFINITY;
  for (int i = 0; i < n; i++) {
    out[0] = fmin(out[0], at[i]), out[1] = fmax(out[1], at[i]);
  }
}

/* Whether a separating line along an edge of `a` keeps b away, in the plane of axes x and y. */
static bool edge_separates(const double a[3][3], const double b[3][3], int x, int y)
{
  for (int k = 0; k < 3; k++) {
    const double *p = a[k], *q = a[(k + 1) % 3], *far = a[(k + 2) % 3];
    const double n[2] = {q[y] - p[y], p[x] - q[x]};
    const double inner = n[0] * (far[x] - p[x]) + n[1] * (far[y] - p[y]);
    double least = INFINITY;
    for (int c = 0; c < 3; c++) {
      const double side = n[0] * (b[c][x] - p[x]) + n[1] * (b[c][y] - p[y]);
      least = fmin(least, inner > 0 ? -side : side);
    }
    if (least > 0) {
      return true;
    }
  }
  return false;
}

bool pki_triangles_overlap(const double a[3][3], const double n[3], const double b[3][3], const double m[3])
{
  double over_a[3], over_b[3], line[3];
  if (!heights_over(a, n, b, over_a) || !heights_over(b, m, a, over_b)) {
    return false;
  }
  if (over_a[0] == 0 && over_a[1] == 0 &&
      over_a[2] == 0) { /* in one plane: seen along its normal's longest axis */
    int z = 0;
    for (int k = 1; k < 3; k++) {
      z = fabs(n[k]) > fabs(n[z]) ? k : z;
    }
    const int x = (z + 1) % 3, y = (z + 2) % 3;
    return !edge_separates(a, b, x, y) && !edge_separates(b, a, x, y);
  }
  pki_cross3(n, m, line);
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    axis = fabs(line[k]) > fabs(line[axis]) ? k : axis;
  }
  const double place_a[3] = {a[0][axis], a[1][axis], a[2][axis]},
               place_b[3] = {b[0][axis], b[1][axis], b[2][axis]};
  double p[2], q[2];
  cut_line(place_a, over_b, p);
  cut_line(place_b, over_a, q);
  return p[0] <= q[1] && q[0] <= p[1];
}
