/* Polytopes as quickhull.c hands them to hull.c. */
#ifndef PKI_COLLISION_SHAPES_HULL_H
#define PKI_COLLISION_SHAPES_HULL_H

#include "collision/shapes/geometry.h"

/* Polygons that should close to a convex polytope. */
typedef struct pki_polygons {
  int nvertex, nface;
  const double *vertex; /* [nvertex][3] */
  const int *start;     /* [nface+1] into loop */
  const int *loop;      /* vertices, counter-clockwise seen from outside */
  const double *normal; /* [nface][3] proposed outward normals, any length; NULL: none */
} pki_polygons;

/* Edges, neighbours and planes. NULL when it is not convex to the tolerance (m), when an edge has not two faces, the
 * edges of a vertex are not one round, or Euler's V - E + F = 2 fails; *memory is false when there was none. */
pki_hull *pki_hull_assemble(const pki_polygons *p, double tolerance, bool *memory);

#endif
