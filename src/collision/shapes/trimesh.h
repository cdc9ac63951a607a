/* Triangles of meshes and height fields, one by one. */
#ifndef PKI_COLLISION_SHAPES_TRIMESH_H
#define PKI_COLLISION_SHAPES_TRIMESH_H

#include "collision/shapes/geometry.h"

/* How the surface goes on behind an edge. */
typedef enum pki_edge_kind {
  PKI_EDGE_OPEN,    /* it ends */
  PKI_EDGE_CONVEX,  /* it bends away */
  PKI_EDGE_FLAT,    /* it goes on as it is */
  PKI_EDGE_CONCAVE, /* it bends towards the outside */
} pki_edge_kind;

typedef struct pki_triangle {
  double point[3][3];
  double normal[3];       /* outward, unit */
  pki_edge_kind edge[3];  /* from point k to point k+1 */
  double neighbour[3][3]; /* normals behind the edges; of open ones the triangle's own */
  int vertex[3], index;   /* names in the surface */
} pki_triangle;

/* Visit the triangles of a mesh or height field that may meet a box (own frame), in the order of their index; of a field
 * also those of its sides, down to below the box. The visitor returns false to stop. */
typedef bool (*pki_visit_triangle)(const pki_triangle *t, void *user);
void pki_triangles_near(const pk_geometry *g, const pki_aabb *box, pki_visit_triangle visit, void *user);

/* Triangles lie in the order of the tree's leaves; vertices in the order in which triangles first use them. */
struct pki_trimesh {
  int nvertex, ntriangle;
  double *vertex;   /* [nvertex][3] */
  int *triangle;    /* [ntriangle][3] */
  int *neighbour;   /* [ntriangle][3] the triangle behind edge k -> k+1; -1: none, or more than one */
  double *normal;   /* [ntriangle][3] */
  double *centroid; /* [ntriangle][3] m */
  double *area;     /* [ntriangle] m^2 */
  int *part;        /* [ntriangle] triangles that hang together by edges have the same number */
  /* bit k: no triangle before this one has corner k; bit 3 + k: none before has edge k; bit 6: none before is of its part */
  unsigned char *first_use; /* [ntriangle] */
  bool closed;              /* every edge is used as often one way as the other: it encloses a volume */
  bool convex;              /* closed, one part, and no edge bends inwards: a convex body, as its hull is */
  double size;              /* longest side of the box around it, m */
  /* a tree of boxes: node 0 is the root; children of an inner node are `first` and first + 1; a leaf holds `count`
   * triangles from `first` on */
  struct pki_tree_node {
    pki_aabb box;
    int first, count; /* count 0: an inner node */
  } * node;
  int nnode;
  struct pki_volume *volume; /* coarse signed distances (volume.h) of big closed meshes; NULL: none */
};

/* No tree is deeper, so a stack of this size serves every walk through it. */
enum { PKI_TREE_DEPTH = 80 };

/* Check and mend a mesh, find neighbours, build the tree. PK_ERROR_MESH: no triangles with an area, numbers that are
 * not finite or beyond 1e30, indices out of range, more than PKI_MESH_MAX_TRIANGLES. Mended (docs/formats/meshes.md):
 * vertices at one place become one; triangles without area and repeated ones are left out; neighbours are turned the
 * same way round; a closed part that is inside out is turned. */
pk_status pki_trimesh_create(const pk_mesh *mesh, pki_trimesh **out, pk_error *err);
void pki_trimesh_destroy(pki_trimesh *t);

/* The nearest point of the surface to a point (own frame): the triangle, -1: none within `reach`. */
int pki_trimesh_nearest(const pki_trimesh *t, const double point[3], double reach, double nearest[3]);

/* The same without a bound, given a triangle that may be near (-1: none), which makes it quicker and changes no bit of the
 * answer; *part says on which part of the triangle the nearest point lies, as pki_triangle_nearest does. */
int pki_trimesh_nearest_from(const pki_trimesh *t, const double point[3], int hint, double nearest[3],
                             int *part);

/* Whether a point is inside a closed mesh: the surface winds around it at least once. */
bool pki_trimesh_inside(const pki_trimesh *t, const double point[3]);

/* The first triangle that a ray meets, -1: none; *distance along the unit vector `along`. */
int pki_trimesh_ray(const pki_trimesh *t, const double from[3], const double along[3], double reach,
                    double *distance);

/* The triangle with its surroundings. */
void pki_trimesh_triangle(const pki_trimesh *t, int index, pki_triangle *out);

/* ---- single triangles and boxes ---- */

/* The point of a triangle nearest to p. Returns the part it lies on: k: corner k, 3 + k: edge k -> k+1, 6: the face. */
int pki_triangle_nearest(const double p[3], const double a[3], const double b[3], const double c[3],
                         const double normal[3], double out[3]);

/* Squared distance of a point from a box; 0 inside. */
static inline double pki_aabb_distance2(const pki_aabb *box, const double p[3])
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double below = box->min[k] - p[k], above = p[k] - box->max[k];
    const double d = below > 0 ? below : above > 0 ? above : 0;
    sum += d * d;
  }
  return sum;
}

/* ---- between the files of the mesh ---- */

/* trimesh_edges.c: neighbours, parts, orientation, closed. `sliver` marks triangles that will be left out: surfaces go on
 * behind them. False: no memory. */
bool pki_trimesh_join(pki_trimesh *t, const unsigned char *sliver);

/* trimesh_edges.c: whether n triangles use every edge as often one way as the other; -1: no memory. */
int pki_triangles_balanced(const int *triangle, int n, int nvertex);

/* trimesh_tree.c: the tree; triangles are sorted into its order; whether the mesh is convex. False: no memory. */
bool pki_trimesh_plant(pki_trimesh *t);

#endif
