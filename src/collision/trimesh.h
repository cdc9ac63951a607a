/* Triangles of meshes and height fields, one by one. */
#ifndef PKI_COLLISION_TRIMESH_H
#define PKI_COLLISION_TRIMESH_H

#include "collision/geometry.h"

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

/* Visit the triangles of a mesh or height field that may meet a box (own frame), in the order of their index. The visitor
 * returns false to stop. */
typedef bool (*pki_visit_triangle)(const pki_triangle *t, void *user);
void pki_triangles_near(const pk_geometry *g, const pki_aabb *box, pki_visit_triangle visit, void *user);

struct pki_trimesh {
  int nvertex, ntriangle;
  double *vertex; /* [nvertex][3] */
  int *triangle;  /* [ntriangle][3] */
  int *neighbour; /* [ntriangle][3] the triangle behind edge k -> k+1; -1: none */
  double *normal; /* [ntriangle][3] */
  bool closed;    /* every edge has two triangles: it encloses a volume */
  /* a tree of boxes: node 0 is the root; children of an inner node are `first` and first + 1; a leaf holds `count`
   * triangles from order[first] on */
  struct pki_tree_node {
    pki_aabb box;
    int first, count; /* count 0: an inner node */
  } * node;
  int nnode;
  int *order; /* [ntriangle] */
};

/* Check and mend a mesh, find neighbours, build the tree. PK_ERROR_MODEL: no triangles with an area, numbers that are
 * not finite, more than PKI_MESH_MAX_TRIANGLES. Mended: triangles without area and repeated ones are left out; a closed
 * mesh that is inside out is turned. */
pk_status pki_trimesh_create(const pk_mesh *mesh, pki_trimesh **out, pk_error *err);
void pki_trimesh_destroy(pki_trimesh *t);

/* The nearest point of the surface to a point (own frame): the triangle, -1: none within `reach`. */
int pki_trimesh_nearest(const pki_trimesh *t, const double point[3], double reach, double nearest[3]);

/* Whether a point is inside a closed mesh. */
bool pki_trimesh_inside(const pki_trimesh *t, const double point[3]);

/* The first triangle that a ray meets, -1: none; *distance along the unit vector `along`. */
int pki_trimesh_ray(const pki_trimesh *t, const double from[3], const double along[3], double reach,
                    double *distance);

#endif
