/* What GJK, EPA, manifolds and sweeps ask of a convex shape at a pose: its core, and how far it is rounded.
 * A sphere is a point with a rounding, a capsule a segment with one; all others are their own core. */
#ifndef PKI_COLLISION_SHAPES_CONVEX_H
#define PKI_COLLISION_SHAPES_CONVEX_H

#include "collision/shapes/geometry.h"

typedef struct pki_convex {
  const pk_geometry *geometry; /* NULL: the hull of few points, */
  const double *points;        /* [npoint][3] in the pose's frame: a triangle, a prism */
  int npoint;
  double rounding; /* m */
  pk_pose pose;
} pki_convex;

pki_convex pki_convex_of(const pk_geometry *g, const pk_pose *pose);
pki_convex pki_convex_points(const double *points, int n, const pk_pose *pose);

/* The core's farthest point along a direction (world, any length but zero), world. Returns its vertex, -1 for smooth
 * shapes; `hint` is a vertex to begin at, -1: none. Big hulls are climbed along their edges. */
int pki_convex_support(const pki_convex *c, const double direction[3], int hint, double out[3]);

/* The same, and the name of the smooth piece of the core on which the point lies: a vertex; cylinders: the rim below 0 or
 * above 1; cones: the rim 0, the tip 1; ellipsoids: 0. */
int pki_convex_piece(const pki_convex *c, const double direction[3], int hint, double out[3]);

/* Whether a core has pieces on which the farthest point slides with the direction. */
bool pki_convex_is_round(const pki_convex *c);

/* The farthest point of one piece along a unit direction, and how it slides: H = {xx, xy, yy} of the second derivative of
 * the support function in the plane of u and v. Of a vertex *out stays as it is. False: the direction looks along
 * the axis of a rim. */
bool pki_convex_slide(const pki_convex *c, const double direction[3], const double u[3], const double v[3],
                      int piece, double out[3], double H[3]);

/* The part of the core that is farthest along a direction, within `tilt` (rad) of being flat there: a face (3 points or
 * more, counter-clockwise against the direction), an edge (2), a corner (1). World. The rims of cylinders and cones give
 * PKI_RIM points that are fixed in the body, and the farthest point of the rim when it leans. */
enum { PKI_FACE_MOST = 32, PKI_RIM = 8 };
typedef struct pki_face {
  int count;
  double point[PKI_FACE_MOST][3];
  int id[PKI_FACE_MOST]; /* names of the points in the shape */
  double normal[3];      /* outward, of a face; else the direction */
} pki_face;
void pki_convex_face(const pki_convex *c, const double direction[3], double tilt, pki_face *out);

#endif
