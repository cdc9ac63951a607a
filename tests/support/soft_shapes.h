/* Meshes for tests of compliant surfaces: a ball, a brick, a foot. Closed, counter-clockwise seen from outside. */
#ifndef PK_TESTS_SOFT_SHAPES_H
#define PK_TESTS_SOFT_SHAPES_H

#include "pronk/collision.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Owns its arrays. */
typedef struct soft_mesh {
  int nvertex, ntriangle;
  double *vertex; /* [nvertex][3] */
  int *triangle;  /* [ntriangle][3] */
} soft_mesh;

/* An icosahedron whose triangles were cut in four `levels` times: 20 4^levels faces with corners on the sphere. */
soft_mesh soft_ball(double radius, int levels);

/* A brick with `cells` squares along its longest side, each cut in two. */
soft_mesh soft_brick(const double half[3], int cells);

/* A foot of 512 faces: an egg-shaped sole 0.19 m long and 0.1 m wide at z = 0, with rounded rim, 0.05 m high. */
soft_mesh soft_foot(void);

void soft_mesh_free(soft_mesh *mesh);

/* The geometry of a mesh; NULL: refused. */
pk_geometry *soft_geometry(const soft_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
