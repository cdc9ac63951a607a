/* Rays against a height field: a walk from cell to cell (Amanatides and Woo, "A fast voxel traversal algorithm for ray
 * tracing", Eurographics 1987).
 *
 * Along the ray the clearance c(t) = z(t) - surface(x(t), y(t)) is linear within each triangle and continuous where they
 * meet. It is positive where the ray comes in over the border, so the first hit is where it first reaches zero. A
 * clearance that rounding has brought below zero at a border counts as a hit there: no ray slips between cells. */
#include "collision/shapes/heights.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

typedef struct ray {
  const pki_heights *h;
  double from[3], along[3];
  double begin, end; /* where it is over the field, below its top and within reach */
  int side;          /* axis of the side through which it comes in, -1: it begins over the field */
} ray;

/* Clip to lower <= x_axis <= upper; false: nothing is left. */
static bool clip_ray(ray *r, int axis, double lower, double upper)
{
  const double x = r->from[axis], d = r->along[axis];
  if (d == 0) {
    return x >= lower && x <= upper;
  }
  const double a = (lower - x) / d, b = (upper - x) / d;
  const double in = fmin(a, b), out = fmax(a, b);
  if (in > r->begin) {
    r->begin = in, r->side = axis;
  }
  r->end = fmin(r->end, out);
  return r->begin <= r->end;
}

/* How high the ray is at t over the plane of a triangle. */
static double ray_clearance(const ray *r, double t, int i, int j, bool upper)
{
  const pki_heights *const h = r->h;
  const double u = (r->from[0] + t * r->along[0]) / h->cell - i,
               v = (r->from[1] + t * r->along[1]) / h->cell - j;
  const double z00 = pki_height(h, i, j), z11 = pki_height(h, i + 1, j + 1);
  const double z = upper ? pki_height(h, i, j + 1) : pki_height(h, i + 1, j);
  const double surface = upper ? z00 + v * (z - z00) + u * (z11 - z) : z00 + u * (z - z00) + v * (z11 - z);
  return r->from[2] + t * r->along[2] - surface;
}

/* The first t in [a, b] at which the ray is on a triangle's plane or below it. */
static bool ray_meets_triangle(const ray *r, double a, double b, int i, int j, bool upper, double *t,
                               double normal[3])
{
  const double high = ray_clearance(r, a, i, j, upper);
  pki_heights_normal(r->h, i, j, upper, normal);
  if (high <= 0) {
    *t = a;
    return true;
  }
  /* normal'along is the change of the distance from the plane, which is normal_z times the clearance */
  const double rate = pki_dot3(normal, r->along);
  *t = rate < 0 ? a - high * normal[2] / rate : INFINITY;
  return *t <= b;
}

/* The two triangles of a cell, in the order in which the ray comes to them between a and b. */
static bool meet_cell(const ray *r, double a, double b, int i, int j, double *t, double normal[3])
{
  /* y - x within the cell: above the diagonal it is positive */
  const double cell = r->h->cell;
  const double above = (r->from[1] - j * cell) - (r->from[0] - i * cell), rate = r->along[1] - r->along[0];
  const double cross = rate != 0 ? -above / rate : INFINITY;
  if (cross > a && cross < b) {
    const bool first = rate < 0;
    return ray_meets_triangle(r, a, cross, i, j, first, t, normal) ||
           ray_meets_triangle(r, cross, b, i, j, !first, t, normal);
  }
  /* on one side of the diagonal only: the side of its middle, or of its start when it has no end */
  const double middle = isfinite(b) ? 0.5 * (a + b) : a;
  return ray_meets_triangle(r, a, b, i, j, above + middle * rate > 0, t, normal);
}

/* Where the ray leaves a cell along one axis. */
static double cell_exit(const ray *r, int axis, int i)
{
  const double d = r->along[axis];
  return d == 0 ? INFINITY : ((d > 0 ? i + 1 : i) * r->h->cell - r->from[axis]) / d;
}

/* From cell to cell; each step goes on by one along one axis. */
static bool walk_cells(const ray *r, double *t, double normal[3])
{
  const pki_heights *const h = r->h;
  double a = r->begin;
  int i = pki_heights_cell(r->from[0] + a * r->along[0], h->cell, h->nx);
  int j = pki_heights_cell(r->from[1] + a * r->along[1], h->cell, h->ny);
  const int most = h->nx + h->ny;
  for (int step = 0; step < most; step++) {
    const double tx = cell_exit(r, 0, i), ty = cell_exit(r, 1, j);
    const double b = fmax(fmin(fmin(tx, ty), r->end), a);
    if (meet_cell(r, a, b, i, j, t, normal)) {
      return true;
    }
    if (tx <= ty) {
      i += r->along[0] > 0 ? 1 : -1;
    } else {
      j += r->along[1] > 0 ? 1 : -1;
    }
    if (b >= r->end || i < 0 || j < 0 || i > h->nx - 2 || j > h->ny - 2) {
      return false;
    }
    a = b;
  }
  return false;
}

bool pki_heights_ray(const pki_heights *h, const double from[3], const double along[3], double reach,
                     double *distance, double normal[3])
{
  ray r = {.h = h, .end = reach, .side = -1};
  memcpy(r.from, from, sizeof r.from);
  memcpy(r.along, along, sizeof r.along);
  if (!clip_ray(&r, 0, 0, (h->nx - 1) * h->cell) || !clip_ray(&r, 1, 0, (h->ny - 1) * h->cell)) {
    return false;
  }
  const double border = r.begin;
  const double x = from[0] + border * along[0], y = from[1] + border * along[1],
               z = from[2] + border * along[2];
  if (z <= pki_heights_surface(h, fmin(fmax(x, 0), (h->nx - 1) * h->cell),
                               fmin(fmax(y, 0), (h->ny - 1) * h->cell))) {
    /* below the surface: through a side, or inside from the beginning */
    *distance = border;
    if (r.side < 0) {
      normal[0] = -along[0], normal[1] = -along[1], normal[2] = -along[2];
      return true;
    }
    normal[0] = normal[1] = normal[2] = 0;
    normal[r.side] = along[r.side] > 0 ? -1 : 1;
    return true;
  }
  return clip_ray(&r, 2, -INFINITY, h->top) && walk_cells(&r, distance, normal);
}
