/* The ground: what robots stand on. A terrain is a union of solids: half-spaces, boxes, height fields, meshes
 * and any other shape, fixed in the world. It answers one question: where is the surface nearest to a point.
 *
 *   pk_terrain *t;
 *   pk_terrain_create(&t, &err);
 *   pk_terrain_add_plane(t, (double[3]){0, 0, 0}, (double[3]){0, 0, 1}, 0, &err);
 *
 * Threads: queries, and sims that stand on it, may share a terrain in all threads while nothing is added to
 * it. */
#ifndef PRONK_TERRAIN_H
#define PRONK_TERRAIN_H

#include "builder.h"
#include "heights.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PK_TERRAIN_MATERIALS = 65536, /* materials are counted from 0 and are fewer than this */
};

typedef struct pk_terrain pk_terrain;
typedef struct pk_geometry_desc pk_geometry_desc; /* collision.h */

/* An empty one. */
PK_API pk_status pk_terrain_create(pk_terrain **out, pk_error *err);
PK_API void pk_terrain_destroy(pk_terrain *t);

/* The half-space below a plane through `point` with outward `normal` (any length but zero). `material`
 * is an index that the user gives meaning to (friction pairs), 0 to PK_TERRAIN_MATERIALS - 1. */
PK_API pk_status pk_terrain_add_plane(pk_terrain *t, const double point[3], const double normal[3],
                                      int material, pk_error *err);

/* A solid box: `size` full lengths, m; `pose` of its centre. */
PK_API pk_status pk_terrain_add_box(pk_terrain *t, const pk_pose *pose, const double size[3], int material,
                                    pk_error *err);

/* `count` steps, each `depth` long (x), `height` high and `width` wide (y), going up along x from `start`,
 * the middle of the foot of the first riser. */
PK_API pk_status pk_terrain_add_stairs(pk_terrain *t, const double start[3], double depth, double height,
                                       double width, int count, int material, pk_error *err);

/* Solid below a surface of heights z [ny][nx] (m) at spacing `cell` (m), two triangles for each cell;
 * `origin` is the corner of index 0, 0. Outside the field there is nothing. heights.h has heights from files
 * and functions. */
PK_API pk_status pk_terrain_add_heights(pk_terrain *t, const double origin[3], int nx, int ny, double cell,
                                        const double *heights, int material, pk_error *err);

/* A triangle mesh, copied, with its frame at `pose`. A closed one is solid; one with holes or borders is a
 * shell without thickness, whose outside is where its triangles turn counter-clockwise. */
PK_API pk_status pk_terrain_add_mesh(pk_terrain *t, const pk_pose *pose, const pk_mesh *mesh, int material,
                                     pk_error *err);

/* Any shape: a sphere, a cylinder, the hull of a mesh, a height field that is turned. */
PK_API pk_status pk_terrain_add_geometry(pk_terrain *t, const pk_pose *pose, const pk_geometry_desc *desc,
                                         int material, pk_error *err);

/* The surface point nearest to a point. */
typedef struct pk_terrain_hit {
  /* m; negative inside; INFINITY when nothing is within `reach`. */
  double distance;
  /* Unit, out of the terrain, world axes. */
  double normal[3];
  /* Of the solid; -1: nothing was found. */
  int material;
} pk_terrain_hit;

/* The nearest surface within `reach` of `point` (m); points inside are always found, the solid with the
 * deepest penetration first. */
PK_API pk_terrain_hit pk_terrain_query(const pk_terrain *t, const double point[3], double reach);

#ifdef __cplusplus
}
#endif
#endif
