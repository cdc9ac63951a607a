/* A mesh cut into pieces that are nearly convex. */
#ifndef PKI_COLLISION_SHAPES_DECOMPOSE_H
#define PKI_COLLISION_SHAPES_DECOMPOSE_H

#include "collision/shapes/hull.h"

typedef struct pki_decomposition {
  pki_hull **hulls; /* [count] owned */
  int count;
  double error;     /* m, how far the surface lies outside of the hulls */
  double concavity; /* m, how deep it lies inside of them */
} pki_decomposition;

/* At most max_parts (2 or more) hulls of at most max_vertices; `size` is the mesh's. On failure nothing is left to free. */
pk_status pki_decompose(const pk_mesh *mesh, const pk_convex_options *options, double size,
                        pki_decomposition *out, pk_error *err);
void pki_decomposition_free(pki_decomposition *d);

#endif
