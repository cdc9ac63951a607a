/* Between the files that let shapes touch surfaces (meshes and height fields):
 *
 *   surface.c           distances; which method a pair takes
 *   surface_search.c    the nearest triangles
 *   surface_convex.c    a convex shape on a surface
 *   surface_triangle.c  which normals a triangle owns, the points at its borders
 *   surface_mesh.c      a mesh on a mesh or a height field
 *   closed_triangle.c   a box and one triangle
 *
 * All of them work in the frame of the surface. */
#ifndef PKI_COLLISION_NARROW_SURFACE_H
#define PKI_COLLISION_NARROW_SURFACE_H

#include "collision/narrow/narrow.h"
#include "collision/shapes/trimesh.h"

enum { PKI_GATHER = 64 };

/* Points found so far; one that lies where another lies, with the same normal, is not taken again. */
typedef struct pki_gather {
  int count;
  double same; /* m: nearer points are one */
  pk_touch_point touch[PKI_GATHER];
} pki_gather;

void pki_gather_add(pki_gather *g, const pk_touch_point *t);

/* The deepest of n points; false: there are none. */
bool pki_touch_deepest(const pk_touch_point *touch, int n, pk_proximity *out);

/* A name from what a point is made of. */
unsigned pki_surface_name(unsigned kind, unsigned a, unsigned b, unsigned c);

/* Whether a surface encloses a volume: a closed mesh or a height field. */
static inline bool pki_surface_solid(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_HEIGHTS || (g->kind == PK_SHAPE_MESH && g->mesh->closed);
}

/* ---- surface_triangle.c ---- */

/* Of all directions those belong to a triangle in which the surface looks there: its normal; at a convex edge all up to
 * the neighbour's normal; at an open edge all outwards (`apart`: backwards too). Others are pulled back to the nearest.
 * True: m belongs to it, to a milliradian. `part` are the corners farthest along m. */
bool pki_triangle_owns(const pki_triangle *t, const double m[3], bool apart, double out[3], int part[3],
                       int *npart);

/* Whether no edge of the surface rises along m from corner k of a triangle: else m belongs to what lies higher. */
bool pki_vertex_stands_out(const pk_geometry *surface, const pki_triangle *t, int k, const double m[3]);

/* Whether the foot of a point lies on a triangle, `hair` m beside it included. */
bool pki_triangle_holds(const pki_triangle *t, const double p[3], double hair);

/* Whether a triangle answers for a point that is `gap` above its plane: it holds its foot; or the point is below the plane
 * and beyond a concave edge, where neither of the two triangles holds its foot. */
bool pki_triangle_bears(const pki_triangle *t, const double p[3], double gap, double hair);

/* Look at a triangle from its other side. */
void pki_triangle_turn(pki_triangle *t);

/* Where convex and open edges of a triangle pass below the face that a shape shows it. */
void pki_triangle_border(const pki_triangle *t, const pki_convex *shape, double margin, pki_gather *out);

/* ---- closed_triangle.c ---- */

/* APART: by more than the margin; MEET: they overlap, as *out tells, the box first; UNSURE: near each other, hardly
 * touching, or with more than one answer. */
typedef enum pki_axes_end { PKI_AXES_APART, PKI_AXES_MEET, PKI_AXES_UNSURE } pki_axes_end;
pki_axes_end pki_box_triangle(const pk_geometry *box, const pk_pose *pose, const pki_triangle *t,
                              double margin, pk_proximity *out);

/* ---- surface_search.c, in the frame of the surface ---- */

/* Of all triangles within reach, the nearest; with one that meets the search ends. */
typedef struct pki_nearest {
  bool found;
  double facing; /* cosine between the way from it and its normal */
  pk_proximity near;
} pki_nearest;
void pki_surface_search_convex(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                               double reach, pki_nearest *out);
void pki_surface_search_mesh(const pk_geometry *mesh, const pk_pose *pose, const pk_geometry *surface,
                             double reach, pki_nearest *out);

/* ---- touches, in the frame of the surface ---- */
int pki_surface_touch_convex(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                             double margin, pk_touch_point out[PK_TOUCH_MOST]);
/* The deepest of them, at less cost. False: none. */
bool pki_surface_depth_convex(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                              pk_proximity *out);
int pki_surface_touch_mesh(const pk_geometry *mesh, const pk_pose *pose, const pk_geometry *surface,
                           double margin, pk_touch_point out[PK_TOUCH_MOST]);

#endif
