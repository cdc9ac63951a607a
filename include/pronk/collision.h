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
 * docs/theory/collision.md tells how they are answered, and how exactly.
 *
 * Threads: queries of geometries may run at the same time. Those of a sim are functions on the sim: sim.h. */
#ifndef PRONK_COLLISION_H
#define PRONK_COLLISION_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shape made ready: hulls and trees built. */
typedef struct pk_geometry pk_geometry;

typedef struct pk_geometry_desc {
  /* Which of the shapes. */
  pk_shape_kind kind;
  /* m, as pk_shape_kind says. */
  double size[3];
  /* Of PK_SHAPE_MESH and PK_SHAPE_CONVEX; copied. */
  const pk_mesh *mesh;
  /* Heights along x, of PK_SHAPE_HEIGHTS. */
  int nx;
  /* Heights along y, of PK_SHAPE_HEIGHTS. */
  int ny;
  /* m, from one height to the next, of PK_SHAPE_HEIGHTS. */
  double cell;
  /* [ny][nx] m, of PK_SHAPE_HEIGHTS; copied. Index 0, 0 lies at the frame's origin. */
  const double *heights;
} pk_geometry_desc;

/* Make a geometry; docs/formats/meshes.md says which meshes are refused and which are mended. */
PK_API pk_status pk_geometry_create(const pk_geometry_desc *desc, pk_geometry **out, pk_error *err);
/* NULL is fine */
PK_API void pk_geometry_destroy(pk_geometry *g);

/* How a mesh is made convex. Start from pk_convex_options_default(). */
typedef struct pk_convex_options {
  /* Most parts; 1: the hull of the whole. Default 1. */
  int max_parts;
  /* Of the mesh's size: a part whose surface lies deeper than this in its hull is cut in two. Default 0.02. */
  double concavity;
  /* Most vertices of a hull, 8 or more. Default 128. */
  int max_vertices;
  /* Of the mesh's size: a hull takes vertices until all others lie within this of its planes. Default 1e-3. */
  double tolerance;
} pk_convex_options;

/* One hull with at most 128 vertices, as loaders make it of a mesh that collides. */
PK_API pk_convex_options pk_convex_options_default(void);

/* Convex meshes that stand for another. */
typedef struct pk_convex_parts {
  /* How many. */
  int count;
  /* [count] vertices and triangles of their hulls; the vertices of a single part are some of the mesh's. */
  const pk_mesh *parts;
  /* m, of the mesh: from its vertex of least x to the one farthest from there. */
  double size;
  /* m: no vertex of the mesh lies farther outside of the parts. */
  double error;
  /* m: the surface that can be seen from outside lies no deeper in the hull of its part, at the places where it
   * was looked at; 0 for a single part. */
  double concavity;
} pk_convex_parts;

/* The convex hull of a mesh's vertices with a bounded number of vertices, or the hulls of its parts
 * (docs/formats/meshes.md says how both are found); options NULL: the defaults. PK_ERROR_MESH: the mesh has no
 * volume. */
PK_API pk_status pk_mesh_convex_parts(const pk_mesh *mesh, const pk_convex_options *options,
                                      pk_convex_parts **out, pk_error *err);
/* NULL is fine */
PK_API void pk_convex_parts_destroy(pk_convex_parts *parts);

/* The nearest points of two shapes, or the shortest way out where they overlap. */
typedef struct pk_proximity {
  /* m; negative: how deep they overlap. */
  double distance;
  /* Unit, from the second shape to the first, world axes. */
  double normal[3];
  /* m, world: on the first and on the second shape; point[0] = point[1] + distance normal. */
  double point[2][3];
} pk_proximity;

/* True when the shapes are within `reach` (m, may be INFINITY) or overlap. A pose that is not finite is near
 * nothing. Overlaps of meshes that are not convex, height fields and half-spaces among each other are
 * measured locally: the deepest point of one in the other (docs/theory/collision.md). */
PK_API bool pk_geometry_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                                 const pk_pose *pose_b, double reach, pk_proximity *out);

/* One of the points at which two shapes touch. */
typedef struct pk_touch_point {
  /* m, world: on the first and on the second shape. */
  double point[2][3];
  /* Unit, from the second shape to the first, world axes. */
  double normal[3];
  /* m; negative: they overlap. */
  double gap;
  /* Names the point from call to call while the same parts touch. */
  unsigned id;
} pk_touch_point;

enum { PK_TOUCH_MOST = 8 };

/* The points at which shapes nearer than `margin` (m) touch, well spread: the four corners of a box on a
 * plane. How many comes back.
 *
 *   pk_touch_point touch[PK_TOUCH_MOST];
 *   const int count = pk_geometry_touch(box, &box_pose, plane, &plane_pose, 0.01, touch);
 *   for (int i = 0; i < count; i++) {
 *     printf("point %u: %g m\n", touch[i].id, touch[i].gap);
 *   } */
PK_API int pk_geometry_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                             const pk_pose *pose_b, double margin, pk_touch_point out[PK_TOUCH_MOST]);

/* Where a ray meets a surface first. */
typedef struct pk_ray_hit {
  /* m along the ray; 0 when it begins inside. */
  double distance;
  /* Of the surface, unit, world axes. */
  double normal[3];
  /* Index into the model's shapes; -1: the ground (or a geometry by itself). */
  int shape;
  /* That carries the shape; -1: the ground. */
  int link;
  /* Index of the ground's solid; -1: a shape of the model. */
  int solid;
} pk_ray_hit;

/* From `from` along `along` (any length but zero) up to `reach` (m); false: nothing there.
 *
 *   pk_ray_hit hit;
 *   const double from[3] = {0, 0, 2}, down[3] = {0, 0, -1};
 *   if (pk_geometry_ray(box, &box_pose, from, down, 10, &hit)) {
 *     printf("its top is at %g m\n", from[2] - hit.distance);
 *   } */
PK_API bool pk_geometry_ray(const pk_geometry *g, const pk_pose *pose, const double from[3],
                            const double along[3], double reach, pk_ray_hit *out);

/* ---- a world as it stands: shapes at the configuration of pk_sim_q ---- */

/* After the state was written by hand the first of these queries brings the shapes there, and with them
 * pk_sim_workspace. Before the first step and between steps, from one thread. */

/* The nearest points of two collision shapes of the model (indices into its shapes). False too when one of
 * them does not collide: a visual one, a mesh that was not read. */
PK_API bool pk_sim_distance(pk_sim *sim, int shape_a, int shape_b, double reach, pk_proximity *out);

/* What a ray sees: shapes of the model and the ground; `skip_body` (-1: none) is transparent, so that a
 * robot's scanner does not see the body that carries it. */
PK_API bool pk_sim_ray(pk_sim *sim, const double from[3], const double along[3], double reach, int skip_body,
                       pk_ray_hit *out);

/* Shapes (the model's index) and solids of the ground (-1 - index) that a geometry at a pose overlaps, at
 * most `most` into `out`; returns how many there are. */
PK_API int pk_sim_overlap(pk_sim *sim, const pk_geometry *g, const pk_pose *pose, int *out, int most);

/* ---- which pairs collide ---- */

/* Everything collides with everything but: shapes of one body; links that a joint joins; what is fixed in the
 * world among itself; links of one robot that overlap at the start; links of one robot whose meshes overlap in the
 * model's initial pose or in nearly all poses that the joint limits allow (docs/collision.md). Links that are named here or in an SRDF
 * file do as they are told, whatever else says otherwise; only parts of one body never collide. A reset keeps
 * all of this. */

/* Whether two links collide from now on. */
PK_API pk_status pk_sim_set_collision(pk_sim *sim, int link_a, int link_b, bool on, pk_error *err);

/* The groups that a shape is in, and the groups that it collides with, one bit each: two shapes collide when
 * each is in a group of the other's mask, and the groups of the model's shapes (pk_shape_desc) allow it. At first 1 and all. The ground is in all groups and meets all: a
 * mask of 0 falls through. */
PK_API pk_status pk_sim_set_group(pk_sim *sim, int shape, unsigned group, unsigned mask, pk_error *err);

/* Switch off the pairs that <disable_collisions> of an SRDF file names (docs/formats/srdf.md); `prefix`
 * stands before the names of the robot's links in the model, NULL: none. When a link is not there nothing is
 * switched. */
PK_API pk_status pk_sim_load_srdf(pk_sim *sim, const char *path, const char *prefix, pk_error *err);

/* Ground, materials, surfaces, pairs and who collides, as another sim of the same model has them; contacts
 * are forgotten. */
PK_API pk_status pk_sim_set_like(pk_sim *sim, const pk_sim *other, pk_error *err);

/* Why two links of one robot do not collide. */
typedef enum pk_exclusion_reason {
  /* pk_sim_set_collision or an SRDF file says so */
  PK_EXCLUSION_REASON_NAMED,
  /* a joint joins them */
  PK_EXCLUSION_REASON_JOINED,
  /* they overlap at the start: pk_sim_release_overlaps */
  PK_EXCLUSION_REASON_START,
  /* their meshes overlap in the model's initial pose */
  PK_EXCLUSION_REASON_NEUTRAL,
  /* their meshes overlap in nearly all poses within the joint limits */
  PK_EXCLUSION_REASON_ALWAYS,
  PK_EXCLUSION_REASON_COUNT
} pk_exclusion_reason;

/* "named", "joined", "start", "neutral", "always". */
PK_API const char *pk_exclusion_reason_name(pk_exclusion_reason reason);

typedef struct pk_sim_exclusion {
  /* The two links, the smaller index first. */
  int link[2];
  /* Why they do not collide. */
  pk_exclusion_reason reason;
} pk_sim_exclusion;

/* Pairs of links of one robot, both with shapes that collide, that do not collide with each other though their
 * bodies move against each other; without self_collision, too. At most `most` into `out`, sorted by links; returns how many
 * there are.
 *
 *   pk_sim_exclusion out[64];
 *   const int count = pk_sim_exclusions(sim, out, 64);
 *   for (int i = 0; i < count && i < 64; i++) {
 *     printf("%s\n", pk_exclusion_reason_name(out[i].reason));
 *   } */
PK_API int pk_sim_exclusions(const pk_sim *sim, pk_sim_exclusion *out, int most);

/* Links of one robot that overlap. */
typedef struct pk_sim_overlap_pair {
  /* The two links. */
  int link[2];
  /* m, how deep they overlap. */
  double depth;
} pk_sim_overlap_pair;

/* Look which links of each robot overlap by more than a millionth of the robot's size in the configuration as
 * it stands, and let these pairs not collide; what an earlier call released collides again. A new world has
 * done this at the model's initial pose: call it after another start pose was set. Returns how many there
 * are, at most `most` of them in `out`; -1: no memory. */
PK_API int pk_sim_release_overlaps(pk_sim *sim, pk_sim_overlap_pair *out, int most);

#ifdef __cplusplus
}
#endif
#endif
