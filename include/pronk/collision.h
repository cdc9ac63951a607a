/* Shapes and where they touch: closest points, rays, overlaps, of single shapes and of a whole world.
 *
 *   pk_geometry *ball, *box;
 *   pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_SPHERE, .size = {0.1}}, &ball, &err);
 *   pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_BOX, .size = {1, 1, 1}}, &box, &err);
 *   pk_proximity near;
 *   if (pk_geometry_distance(ball, &ball_pose, box, &box_pose, INFINITY, &near)) {
 *     printf("%g m apart\n", near.distance);
 *   }
 *
 * A geometry is immutable and may be shared between threads. Queries allocate nothing.
 * docs/theory/collision.md tells how they are answered, and how exactly. */
#ifndef PRONK_COLLISION_H
#define PRONK_COLLISION_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shape made ready: hulls and trees built. */
typedef struct pk_geometry pk_geometry;

typedef struct pk_geometry_desc {
  pk_shape_kind kind;
  double size[3];        /* as pk_shape_kind says */
  const pk_mesh *mesh;   /* of PK_SHAPE_MESH and PK_SHAPE_CONVEX; copied */
  int nx, ny;            /* of PK_SHAPE_HEIGHTS: */
  double cell;           /* m, spacing */
  const double *heights; /* [ny][nx] m; copied. Index 0, 0 lies at the frame's origin */
} pk_geometry_desc;

/* Make a geometry; docs/formats/meshes.md says which meshes are refused and which are mended. */
PK_API pk_status pk_geometry_create(const pk_geometry_desc *desc, pk_geometry **out, pk_error *err);
PK_API void pk_geometry_destroy(pk_geometry *g); /* NULL is fine */

/* The nearest points of two shapes, or the shortest way out where they overlap. */
typedef struct pk_proximity {
  double distance;    /* m; negative: how deep they overlap */
  double normal[3];   /* unit, from the second shape to the first, world */
  double point[2][3]; /* on the first and on the second: point[0] = point[1] + distance normal, world */
} pk_proximity;

/* True when the shapes are within `reach` (m, may be INFINITY) or overlap. A pose that is not finite is near nothing.
 * Overlaps of meshes that are not convex, height fields and half-spaces among each other are measured locally: the
 * deepest point of one in the other (docs/theory/collision.md). */
PK_API bool pk_geometry_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                                 const pk_pose *pose_b, double reach, pk_proximity *out);

/* One of the points at which two shapes touch. */
typedef struct pk_touch {
  double point[2][3]; /* on the first and on the second shape, world */
  double normal[3];   /* from the second to the first, unit */
  double gap;         /* m, negative: overlap */
  unsigned id;        /* names the point from call to call while the same parts touch */
} pk_touch;

enum { PK_TOUCH_MOST = 8 };

/* The points at which shapes nearer than `margin` (m) touch, well spread: the four corners of a box on a plane. How many
 * comes back. */
PK_API int pk_geometry_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                             const pk_pose *pose_b, double margin, pk_touch out[PK_TOUCH_MOST]);

/* Where a ray meets a surface first. */
typedef struct pk_ray_hit {
  double distance;  /* m along the ray; 0 when it begins inside */
  double normal[3]; /* of the surface, unit, world */
  int shape;        /* the model's, -1: the ground's (or a geometry's alone) */
  int link;         /* -1: the ground */
  int solid;        /* of the ground, -1: a shape of the model */
} pk_ray_hit;

/* From `from` along `along` (any length but zero) up to `reach` (m); false: nothing there. */
PK_API bool pk_geometry_ray(const pk_geometry *g, const pk_pose *pose, const double from[3],
                            const double along[3], double reach, pk_ray_hit *out);

/* ---- a world as it stands: shapes at the configuration of pk_sim_q ---- */

/* After the state was written by hand the first of these queries brings the shapes there. */

/* The nearest points of two collision shapes of the model (indices into its shapes). */
PK_API bool pk_sim_distance(pk_sim *sim, int shape_a, int shape_b, double reach, pk_proximity *out);

/* What a ray sees: shapes of the model and the ground; `skip_body` (-1: none) is transparent, so that a robot's
 * scanner does not see the body that carries it. */
PK_API bool pk_sim_ray(pk_sim *sim, const double from[3], const double along[3], double reach, int skip_body,
                       pk_ray_hit *out);

/* Shapes (the model's index) and solids of the ground (-1 - index) that a geometry at a pose overlaps, at most `most` into
 * `out`; how many there are comes back. */
PK_API int pk_sim_overlap(pk_sim *sim, const pk_geometry *g, const pk_pose *pose, int *out, int most);

#ifdef __cplusplus
}
#endif
#endif
