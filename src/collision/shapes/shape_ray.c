/* Rays. Where a ray enters a convex shape, the surface looks against it; there is one such place, or none. Round shapes are
 * first mapped to unit ones: an affine map keeps a ray a ray and its parameter what it is. */
#include <math.h>
#include <string.h>

#include "collision/shapes/geometry.h"
#include "collision/shapes/heights.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

/* Parts of one surface overlap by this part of their size: no ray slips between them. */
static const double LAP = 1e-12;

typedef struct hit {
  double t, normal[3]; /* t INFINITY: none so far; the normal of any length */
} hit;

/* Keep an entry that comes before what was found: not behind the start by more than a hair. */
static void offer_hit(hit *best, double t, double hair, double x, double y, double z)
{
  if (t >= -hair && t < best->t) {
    *best = (hit){fmax(t, 0), {x, y, z}};
  }
}

/* Into a ball (n = 3) or a mantle around z (n = 2): back from the place nearest to the middle, from which all is small. */
static bool enter_round(const double *p, const double *d, int n, double radius, double *t)
{
  double speed = 0, along = 0, aside = 0;
  for (int k = 0; k < n; k++) {
    speed += d[k] * d[k], along += p[k] * d[k];
  }
  if (!(speed > 0)) {
    return false;
  }
  const double closest = -along / speed;
  for (int k = 0; k < n; k++) {
    const double q = p[k] + closest * d[k];
    aside += q * q;
  }
  const double left = radius * radius - aside;
  *t = closest - sqrt(fmax(left, 0) / speed);
  return left >= 0;
}

static void ball_ray(const double p[3], const double d[3], double z, double radius, double hair, hit *best)
{
  const double q[3] = {p[0], p[1], p[2] - z};
  double t;
  if (enter_round(q, d, 3, radius, &t)) {
    offer_hit(best, t, hair, q[0] + t * d[0], q[1] + t * d[1], q[2] + t * d[2]);
  }
}

/* The mantle of radius r around z between two heights. */
static void mantle_ray(const double p[3], const double d[3], double r, double half, double hair, hit *best)
{
  double t;
  if (enter_round(p, d, 2, r, &t) && fabs(p[2] + t * d[2]) <= half + LAP * (half + r)) {
    offer_hit(best, t, hair, p[0] + t * d[0], p[1] + t * d[1], 0);
  }
}

/* A disc of radius r at height z that looks up (1) or down (-1). */
static void disc_ray(const double p[3], const double d[3], double r, double z, double up, double hair,
                     hit *best)
{
  if (up * d[2] < 0) {
    const double t = (z - p[2]) / d[2], x = p[0] + t * d[0], y = p[1] + t * d[1];
    if (x * x + y * y <= r * r * (1 + LAP)) {
      offer_hit(best, t, hair, 0, 0, up);
    }
  }
}

static void box_ray(const pk_geometry *g, const double p[3], const double d[3], double hair, hit *best)
{
  double enter = -INFINITY, leave = INFINITY;
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (fabs(p[k]) > g->half[k]) {
        return;
      }
      continue;
    }
    const double s = d[k] > 0 ? 1 : -1, in = (-s * g->half[k] - p[k]) / d[k],
                 out = (s * g->half[k] - p[k]) / d[k];
    if (in > enter) {
      enter = in, axis = k;
    }
    leave = fmin(leave, out);
  }
  if (enter <= leave) {
    double n[3] = {0, 0, 0};
    n[axis] = d[axis] > 0 ? -1 : 1;
    offer_hit(best, enter, hair, n[0], n[1], n[2]);
  }
}

static void hull_ray(const pk_geometry *g, const double p[3], const double d[3], double hair, hit *best)
{
  const pki_hull *h = g->hull;
  double enter = -INFINITY, leave = INFINITY;
  int face = 0;
  for (int f = 0; f < h->nface; f++) {
    const double *n = h->plane + 4 * f, speed = pki_dot3(n, d), above = pki_dot3(n, p) - n[3];
    if (speed < 0 && above > enter * -speed) {
      enter = above / -speed, face = f;
    } else if (speed > 0 && -above < leave * speed) {
      leave = -above / speed;
    } else if (speed == 0 && above > 0) {
      return;
    }
  }
  if (enter <= leave) {
    const double *n = h->plane + 4 * face;
    offer_hit(best, enter, hair, n[0], n[1], n[2]);
  }
}

/* Unit cone: in there rho^2 - w^2 is negative, with w = (1 - z) / 2 the way down from the tip, 0 to 1. The quadratic is
 * taken from the place nearest to the tip, where its coefficients are small with what they tell apart. */
static void cone_ray(const double p[3], const double d[3], double hair, hit *best)
{
  const double v[3] = {p[0], p[1], 0.5 * (1 - p[2])}, e[3] = {d[0], d[1], -0.5 * d[2]};
  const double closest = -pki_dot3(v, e) / pki_dot3(e, e);
  const double q[3] = {v[0] + closest * e[0], v[1] + closest * e[1], v[2] + closest * e[2]};
  const double a = e[0] * e[0] + e[1] * e[1] - e[2] * e[2], b = q[0] * e[0] + q[1] * e[1] - q[2] * e[2],
               c = q[0] * q[0] + q[1] * q[1] - q[2] * q[2];
  const double D = b * b - a * c;
  disc_ray(p, d, 1, -1, -1, hair, best);
  if (!(D >= 0)) {
    return;
  }
  /* both roots, from the larger sum; the mirrored cone above the tip is left out by its height */
  const double sum = -(b + copysign(sqrt(D), b));
  const double roots[2] = {a != 0 ? sum / a : INFINITY, sum != 0 ? c / sum : 0};
  for (int k = 0; k < 2; k++) {
    const double t = roots[k], x = q[0] + t * e[0], y = q[1] + t * e[1], w = q[2] + t * e[2];
    if (isfinite(t) && w >= -LAP && w <= 1 + LAP) {
      const double rho = hypot(x, y), n[3] = {x, y, 0.5 * rho};
      if (rho > 0 ? pki_dot3(n, d) < 0 : d[2] < 0) {
        offer_hit(best, closest + t, hair, n[0], n[1], rho > 0 ? n[2] : 1);
      }
    }
  }
}

/* Into the unit shape and, the normal, out of it: n = S^-1 n'. */
static void scaled_ray(const pk_geometry *g, const double from[3], const double along[3], double hair,
                       hit *best)
{
  const double *s = g->half;
  double p[3], d[3];
  for (int k = 0; k < 3; k++) {
    p[k] = from[k] / s[k], d[k] = along[k] / s[k];
  }
  if (g->kind == PK_SHAPE_ELLIPSOID) {
    ball_ray(p, d, 0, 1, hair, best);
  } else if (g->kind == PK_SHAPE_CYLINDER) {
    mantle_ray(p, d, 1, 1, hair, best);
    disc_ray(p, d, 1, 1, 1, hair, best);
    disc_ray(p, d, 1, -1, -1, hair, best);
  } else {
    cone_ray(p, d, hair, best);
  }
  const double least =
      fmin(s[0], fmin(s[1], s[2])); /* a common factor keeps the numbers of the size of one */
  for (int k = 0; k < 3; k++) {
    best->normal[k] *= least / s[k];
  }
}

static void convex_ray(const pk_geometry *g, const double p[3], const double d[3], hit *best)
{
  const double hair = 1e-13 * g->bound;
  switch (g->kind) {
  case PK_SHAPE_SPHERE: ball_ray(p, d, 0, g->radius, hair, best); break;
  case PK_SHAPE_CAPSULE:
    mantle_ray(p, d, g->radius, g->half_length, hair, best);
    ball_ray(p, d, g->half_length, g->radius, hair, best);
    ball_ray(p, d, -g->half_length, g->radius, hair, best);
    break;
  case PK_SHAPE_BOX: box_ray(g, p, d, hair, best); break;
  case PK_SHAPE_CONVEX: hull_ray(g, p, d, hair, best); break;
  default: scaled_ray(g, p, d, hair, best); break;
  }
}

static bool mesh_ray(const pk_geometry *g, const double from[3], const double along[3], double reach,
                     hit *best)
{
  const int i = pki_trimesh_ray(g->mesh, from, along, reach, &best->t);
  if (i < 0) {
    return false;
  }
  /* seen from behind, a sheet looks back */
  const double *n = g->mesh->normal + 3 * i, side = pki_dot3(n, along) > 0 ? -1 : 1;
  for (int k = 0; k < 3; k++) {
    best->normal[k] = side * n[k];
  }
  return true;
}

static bool begins_inside(const pk_geometry *g, const double from[3])
{
  double distance, normal[3];
  for (int k = 0; k < 3; k++) {
    if (!(from[k] >= g->box.min[k] && from[k] <= g->box.max[k])) {
      return false;
    }
  }
  if (g->kind == PK_SHAPE_MESH) {
    return g->mesh->closed && pki_trimesh_inside(g->mesh, from);
  }
  return pki_geometry_point(g, from, 0, &distance, normal) && distance < 0;
}

/* Forward to the ball around the shape, so that far starts do not round the roots; false when it is missed. */
static bool approach_bounding_ball(const pk_geometry *g, const double from[3], const double along[3],
                                   double reach, double p[3], double *ahead)
{
  const double arm[3] = {g->centre[0] - from[0], g->centre[1] - from[1], g->centre[2] - from[2]};
  const double closest = pki_dot3(arm, along);
  *ahead = fmax(0, closest - 1.01 * g->bound);
  double miss[3];
  for (int k = 0; k < 3; k++) {
    miss[k] = arm[k] - closest * along[k];
    p[k] = from[k] + *ahead * along[k];
  }
  const double size = g->bound * (1 + 1e-9) + 1e-15 * fabs(closest);
  return *ahead <= reach && closest >= -size && pki_dot3(miss, miss) <= size * size;
}

bool pki_geometry_ray_local(const pk_geometry *g, const double from[3], const double along[3], double reach,
                            double *distance, double normal[3])
{
  if (!isfinite(from[0]) || !isfinite(from[1]) || !isfinite(from[2]) || !(reach >= 0)) {
    return false;
  }
  if (g->kind == PK_SHAPE_HEIGHTS) { /* which looks itself whether it begins inside */
    return pki_heights_ray(g->heights, from, along, reach, distance, normal);
  }
  if (begins_inside(g, from)) {
    *distance = 0;
    for (int k = 0; k < 3; k++) {
      normal[k] = -along[k];
    }
    return true;
  }
  hit best = {.t = INFINITY};
  double p[3], ahead = 0;
  if (g->kind == PK_SHAPE_PLANE) {
    if (along[2] < 0) {
      best = (hit){from[2] / -along[2], {0, 0, 1}};
    }
  } else if (!approach_bounding_ball(g, from, along, reach, p, &ahead)) {
    return false;
  } else if (g->kind == PK_SHAPE_MESH) {
    ahead = 0;
    if (!mesh_ray(g, from, along, reach, &best)) {
      return false;
    }
  } else {
    convex_ray(g, p, along, &best);
  }
  const double t = ahead + best.t, length = sqrt(pki_dot3(best.normal, best.normal));
  if (!(t <= reach) || !isfinite(t) || !(length > 0)) {
    return false;
  }
  *distance = t;
  for (int k = 0; k < 3; k++) {
    normal[k] = best.normal[k] / length;
  }
  return true;
}

bool pk_geometry_ray(const pk_geometry *g, const pk_pose *pose, const double from[3], const double along[3],
                     double reach, pk_ray_hit *out)
{
  const double most = fmax(fabs(along[0]), fmax(fabs(along[1]), fabs(along[2])));
  if (!(most > 0) || !isfinite(along[0]) || !isfinite(along[1]) || !isfinite(along[2])) {
    return false;
  }
  double d[3] = {along[0] / most, along[1] / most, along[2] / most}, arm[3], start[3], normal[3];
  const double length = sqrt(pki_dot3(d, d));
  for (int k = 0; k < 3; k++) {
    d[k] /= length, arm[k] = from[k] - pose->pos[k];
  }
  pki_mat3_apply_transposed(pose->rot, arm, start);
  pki_mat3_apply_transposed(pose->rot, d, d);
  if (!isfinite(d[0]) || !isfinite(d[1]) || !isfinite(d[2])) {
    return false;
  }
  *out = (pk_ray_hit){.shape = -1, .link = -1, .solid = -1};
  if (!pki_geometry_ray_local(g, start, d, reach, &out->distance, normal)) {
    return false;
  }
  pki_mat3_apply(pose->rot, normal, out->normal);
  return true;
}
