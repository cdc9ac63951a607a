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

/* Four of n points that span a volume, and the extent (m); an error when a coordinate is not finite or there is no
 * volume. */
pk_status pki_hull_span(const double *points, int n, int corner[4], double *extent, pk_error *err);

/* The convex hull of some of n points, at most `most` (8 or more): points are taken until all others lie within `tolerance`
 * (m) of the planes around, or `most` are taken. *error (m): none lies farther outside. hull_few.c says how they are
 * chosen. */
pk_status pki_hull_few(const double *points, int n, int most, double tolerance, pki_hull **out, double *error,
                       pk_error *err);

#endif
