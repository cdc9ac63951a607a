/* Shapes for the tests of geometries. */
#ifndef PK_TESTS_COLLISION_SHAPES_H
#define PK_TESTS_COLLISION_SHAPES_H

#include "collision/help.h"

#include "collision/shapes/convex.h"

static inline pk_geometry *made(const pk_geometry_desc *desc)
{
  pk_geometry *g;
  pk_error err;
  if (pk_geometry_create(desc, &g, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return g;
}

static inline pk_geometry *shape(pk_shape_kind kind, double x, double y, double z)
{
  return made(&(pk_geometry_desc){.kind = kind, .size = {x, y, z}});
}

/* The hull of points. */
static inline pk_geometry *convex_of(const double *points, int n)
{
  const pk_mesh cloud = {.name = "points", .nvertex = n, .vertex = points};
  return made(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &cloud});
}

static inline void random_direction(pki_random *rng, double out[3])
{
  double length;
  do {
    for (int k = 0; k < 3; k++) {
      out[k] = pki_random_normal(rng);
    }
    length = sqrt(pki_dot3(out, out));
  } while (length < 1e-3);
  for (int k = 0; k < 3; k++) {
    out[k] /= length;
  }
}

/* Points in a ball of radius 1, stretched. */
static inline void random_points(pki_random *rng, int n, const double stretch[3], double *out)
{
  for (int i = 0; i < n; i++) {
    random_direction(rng, out + 3 * i);
    const double r = cbrt(pki_random_unit(rng));
    for (int k = 0; k < 3; k++) {
      out[3 * i + k] *= r * stretch[k];
    }
  }
}

static const pk_shape_kind CONVEX_KINDS[] = {PK_SHAPE_SPHERE,   PK_SHAPE_BOX,       PK_SHAPE_CAPSULE,
                                             PK_SHAPE_CYLINDER, PK_SHAPE_ELLIPSOID, PK_SHAPE_CONE,
                                             PK_SHAPE_CONVEX};
enum { CONVEX_KIND_COUNT = sizeof CONVEX_KINDS / sizeof *CONVEX_KINDS };

/* A convex shape of a kind, sizes 0.2 to 2. */
static inline pk_geometry *random_shape(pki_random *rng, pk_shape_kind kind)
{
  const double x = pki_random_between(rng, 0.2, 2), y = pki_random_between(rng, 0.2, 2),
               z = pki_random_between(rng, 0.2, 2);
  if (kind != PK_SHAPE_CONVEX) {
    return shape(kind, x, y, z);
  }
  double points[3 * 60];
  random_points(rng, 60, V3(x, y, z), points);
  return convex_of(points, 60);
}

#endif
