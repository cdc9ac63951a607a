/* Is an answer about two convex shapes right? Decided without knowing how it was found, from supports and inside tests
 * that are written a second time here.
 *
 * With h(n) the largest n'x over A - B, the signed distance is the largest -h(-n) over unit n.
 *
 * Apart: the points lie in A and in B, so their distance is too large if anything; -h(-n) of the answer's normal is too
 * small if anything. Where both agree the answer is proven, and the normal to sqrt(2 gap/distance).
 *
 * Overlapping: h(-n) of the answer's normal is too deep if anything. That no other way out is shorter is proven by
 * branch and bound over the sphere of directions: all n of a spherical triangle n1, n2, n3 have h(n) >= min n_i'w for
 * any w in A - B with n_i'w >= 0, because n is a sum of n_i with weights that sum to one or more. */
#ifndef PK_TESTS_CERTIFY_H
#define PK_TESTS_CERTIFY_H

#include <stdbool.h>

#include "base/random.h"
#include "pronk/collision.h"

enum { CERTIFY_POINTS = 12, CERTIFY_PLANES = 64 };

/* A convex shape as the test knows it. */
typedef struct certify_shape {
  pk_geometry_desc desc;
  pk_mesh mesh;
  double points[3 * CERTIFY_POINTS]; /* of PK_SHAPE_CONVEX */
  int npoint;
  double planes[4 * CERTIFY_PLANES]; /* its faces n, d: n'x <= d inside */
  int nplane;
  pk_pose pose;
  double size; /* m, radius of a ball around it */
} certify_shape;

/* A random shape of a kind with sizes between `least` and `most`. */
void certify_random(pki_random *rng, pk_shape_kind kind, double least, double most, certify_shape *out);

/* One whose sizes, turns and place are round numbers of `unit` (m): faces that lie in each other, axes that meet, shapes
 * that touch or coincide. */
void certify_aligned(pki_random *rng, pk_shape_kind kind, double unit, certify_shape *out);

/* The library's geometry for it; NULL: not made. */
pk_geometry *certify_geometry(certify_shape *s);

/* Its farthest point along a direction, world. */
void certify_support(const certify_shape *s, const double direction[3], double out[3]);

/* How far a point (world) is outside at most, 0 inside. */
double certify_outside(const certify_shape *s, const double point[3]);

/* h(n) of A - B. */
double certify_width(const certify_shape *a, const certify_shape *b, const double n[3]);

typedef struct certificate {
  double consistency; /* |point[0] - point[1] - distance normal| */
  double outside;     /* the farther of the points outside its shape */
  double gap;         /* of distance and -h(-normal) */
  double better;      /* of depths: how much less deep another direction is, 0: none */
  bool decided;       /* false: the search for one ran out of cells */
  int cells;
} certificate;

/* `tolerance` (m): depths that are less deep by no more are not searched for. 0: no search. */
certificate certify(const certify_shape *a, const certify_shape *b, const pk_proximity *p, double tolerance);

#endif
