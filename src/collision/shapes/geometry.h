/* Shapes made ready to collide. One file each:
 *
 *   geometry.c  making, checking, bounds
 *   shape_inertia.c   mass properties
 *   hull.c      convex polytopes; quickhull.c: hulls of points, by qhull; hull_few.c: with few vertices
 *   convex_parts.c    what a mesh becomes when only convex shapes are to collide; decompose.c: its parts
 *   convex.c    what a convex shape answers: the farthest point, the farthest face
 *   shape_point.c     signed distance of a point
 *   shape_ray.c       rays
 *   closed.c    pairs that have a closed form; closed_box.c: boxes
 *   gjk.c       distance of convex pairs; epa.c: their depth; support_newton.c, polish.c: to the last digit
 *   walk.c      distance of polytopes from feature to feature
 *   trimesh.c   triangle meshes: checks, neighbours, their tree
 *   surface.c   convex shapes against triangles of meshes and height fields; mesh against mesh
 *   volume.c    signed distances of a mesh on a grid
 *   manifold.c  the points at which a pair touches; manifold_plane.c: with a half-space
 *   narrow.c    which of these a pair needs
 *   advance.c   the first touch of two shapes in motion
 *
 * docs/theory/collision.md has the reasoning. */
#ifndef PKI_COLLISION_SHAPES_GEOMETRY_H
#define PKI_COLLISION_SHAPES_GEOMETRY_H

#include <stdbool.h>

#include "pronk/collision.h"

typedef struct pki_aabb {
  double min[3], max[3];
} pki_aabb;

/* Boxes that touch overlap. */
static inline bool pki_aabb_overlap(const pki_aabb *a, const pki_aabb *b)
{
  return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) &
         (b->min[1] <= a->max[1]) & (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
}

/* The box around two. */
static inline pki_aabb pki_aabb_join(const pki_aabb *a, const pki_aabb *b)
{
  pki_aabb out;
  for (int k = 0; k < 3; k++) {
    out.min[k] = a->min[k] < b->min[k] ? a->min[k] : b->min[k];
    out.max[k] = a->max[k] > b->max[k] ? a->max[k] : b->max[k];
  }
  return out;
}

/* Half its surface. */
static inline double pki_aabb_area(const pki_aabb *a)
{
  const double x = a->max[0] - a->min[0], y = a->max[1] - a->min[1], z = a->max[2] - a->min[2];
  return x * y + y * z + z * x;
}

/* A convex polytope. Faces are merged polygons; edges know both of their faces. */
typedef struct pki_hull {
  int nvertex, nface, nedge;
  double *vertex;    /* [nvertex][3] */
  double *plane;     /* [nface][4] outward unit normal n and d: n'x <= d inside */
  int *face_start;   /* [nface+1] into loop and loop_edge */
  int *loop;         /* vertices around each face, counter-clockwise seen from outside */
  int *loop_edge;    /* the edge from each of them to the next */
  int *edge;         /* [nedge][4] vertices a, b; the faces left and right of a -> b seen from outside */
  int *vertex_start; /* [nvertex+1] into vertex_edge */
  int *vertex_edge;  /* edges around each vertex */
} pki_hull;

typedef struct pki_trimesh pki_trimesh; /* trimesh.h */
typedef struct pki_heights pki_heights; /* heights.h */

struct pk_geometry {
  pk_shape_kind kind;
  double size[3]; /* as described */
  double half[3]; /* box: half lengths; ellipsoid: half axes; cylinder, cone: radius, radius, half length */
  double radius;  /* sphere, capsule, cylinder, cone */
  double half_length;      /* capsule, cylinder, cone: along z */
  pki_aabb box;            /* around it, own frame; infinite where it is */
  double centre[3], bound; /* a ball around it; bound INFINITY: plane, heights */
  double inner;         /* radius of a ball inside it: INFINITY for planes and height fields, 0 for meshes */
  pki_hull *hull;       /* box, convex, mesh (unless flat or big, see geometry.c); else NULL */
  pki_trimesh *mesh;    /* PK_SHAPE_MESH */
  pki_trimesh *facets;  /* faces of a primitive that compliant surfaces need; NULL: none were asked for */
  pki_heights *heights; /* PK_SHAPE_HEIGHTS */
};

/* Whether a shape is convex and bounded: everything but planes, meshes and height fields. */
static inline bool pki_is_convex(const pk_geometry *g)
{
  return g->kind != PK_SHAPE_PLANE && g->kind != PK_SHAPE_MESH && g->kind != PK_SHAPE_HEIGHTS;
}

/* A box around a geometry at a pose. */
void pki_geometry_bounds(const pk_geometry *g, const pk_pose *pose, pki_aabb *out);

/* Mass properties of a solid of mass `mass` (kg) and even density, in the geometry's frame; PK_ERROR_UNSUPPORTED for
 * planes and height fields, PK_ERROR_MESH for a mesh that encloses no volume. */
pk_status pki_geometry_inertia(const pk_geometry *g, double mass, pk_inertia *out, pk_error *err);

/* ---- hull.c ---- */

/* The hull of n points [n][3]. PK_ERROR_MESH when they lie in a plane (to 1e-9 of their extent). */
pk_status pki_hull_create(const double *points, int n, pki_hull **out, pk_error *err);
pki_hull *pki_hull_box(const double half[3]); /* NULL: no memory. Vertex c: sign of x, y, z by bits 0, 1, 2 */
void pki_hull_destroy(pki_hull *hull);

/* The farthest vertex along a direction of the hull's frame; `hint` is where a climb begins, -1: anywhere. The answer does
 * not depend on it but for directions along which vertices are equally far to rounding. */
int pki_hull_support(const pki_hull *hull, const double direction[3], int hint);

/* The centre of the volume. */
void pki_hull_centroid(const pki_hull *hull, double out[3]);

/* ---- shape_point.c ---- */

/* Signed distance of a point in the geometry's frame, and the outward normal there: point - distance normal lies on the
 * surface. False when it is farther than `reach`; inside always true. A mesh that encloses no volume has no inside. */
bool pki_geometry_point(const pk_geometry *g, const double point[3], double reach, double *distance,
                        double normal[3]);

/* ---- shape_ray.c ---- */

/* A ray in the geometry's frame, `along` unit; distance and normal of the first hit. */
bool pki_geometry_ray_local(const pk_geometry *g, const double from[3], const double along[3], double reach,
                            double *distance, double normal[3]);

/* Two tangents to a unit normal, so that normal, t1, t2 are orthonormal and right-handed. They turn
 * smoothly with the normal except where it looks down steeply (z = -0.9). */
void pki_tangents(const double normal[3], double t1[3], double t2[3]);

#endif
