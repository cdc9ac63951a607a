/* Signed distances of a closed mesh on a regular grid: exact at the nodes, trilinear in between. */
#ifndef PKI_COLLISION_SHAPES_VOLUME_H
#define PKI_COLLISION_SHAPES_VOLUME_H

#include "collision/shapes/trimesh.h"

typedef struct pki_volume {
  double origin[3], cell; /* m: the first node, the largest spacing */
  double step[3];         /* m, spacings along x, y, z: cell, or a little less */
  int n[3];               /* nodes along x, y, z */
  float *distance;        /* [n[2]][n[1]][n[0]] m, negative inside */
  double error; /* m: how far interpolated distances were off at the centres of cells near the surface */
} pki_volume;

enum { PKI_VOLUME_MAX_NODES = 1 << 24 };

/* The volume of a closed mesh with its nodes at most `cell` m apart, `margin` cells wider than the mesh on every side. Each side of
 * the box around the mesh is a whole number of steps: the distances to its faces are exact on them, up to their edges.
 * PK_ERROR_ARGUMENT: a mesh that is not closed, a cell that is no positive length, more than PKI_VOLUME_MAX_NODES. */
pk_status pki_volume_create(const pki_trimesh *t, double cell, int margin, pki_volume **out, pk_error *err);
void pki_volume_destroy(pki_volume *v); /* NULL is fine */

/* Distance and gradient (not normalised) at a point of the mesh's frame; false outside of the grid. Queries go by the
 * bounds below; this one tells the grid's error when it is made, and the tests. */
bool pki_volume_distance(const pki_volume *v, const double point[3], double *distance, double gradient[3]);

/* Bounds of the exact signed distance at any point: a distance changes by no more than the way. */
void pki_volume_bounds(const pki_volume *v, const double point[3], double *low, double *high);

/* Give a closed mesh of many triangles a coarse volume for bounds. False: no memory. */
bool pki_volume_attach(pki_trimesh *t);

#endif
