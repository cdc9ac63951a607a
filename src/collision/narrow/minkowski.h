/* The difference A - B of two convex cores: their nearest points are its nearest point to the origin, their depth is
 * the way from the origin to its border. Shared by gjk.c, epa.c,
 * support_newton.c and polish.c. */
#ifndef PKI_COLLISION_NARROW_MINKOWSKI_H
#define PKI_COLLISION_NARROW_MINKOWSKI_H

#include "collision/narrow/narrow.h"
#include "math/mat3.h"

/* Both cores in a frame at the centre of A, axes of the world, so that shapes far from the world's origin keep their
 * digits. */
typedef struct pki_difference {
  pki_convex a, b;
  double origin[3]; /* of that frame, world */
  double apart[3];  /* centre of A - centre of B */
  int hint[2];      /* vertices found last */
} pki_difference;

/* A point of A - B, the points of A and B that make it and the pieces they lie on. */
typedef struct pki_corner {
  double w[3], a[3], b[3];
  int piece[2];
} pki_corner;

typedef enum pki_gjk_end { PKI_GJK_FAR, PKI_GJK_APART, PKI_GJK_MEET } pki_gjk_end;

/* Where GJK ended. */
typedef struct pki_gjk_result {
  double v[3]; /* the nearest point of A - B to the origin */
  double distance;
  double a[3], b[3]; /* the points that make it */
  double scale;      /* m, size of the numbers that went in: rounding errors are measured by it */
  int steps;
  int ncorner; /* 4: they surround the origin */
  pki_corner corner[4];
} pki_gjk_result;

/* A direction in which h(n), the largest n'x over A - B, is least for all directions around: of cores apart it is minus
 * their distance, of cores that overlap a depth. */
typedef struct pki_least {
  double normal[3], h;
  double a[3], b[3]; /* points of the cores with a - b = h n */
  bool whole;        /* all corners that were given lie on the pieces that hold it */
} pki_least;

void pki_difference_make(const pki_convex *a, const pki_convex *b, pki_difference *out);

/* The point of A - B that is farthest along a unit vector. */
void pki_difference_support(pki_difference *d, const double along[3], pki_corner *out);

/* From the direction `start` (any length but zero). PKI_GJK_FAR: farther than `reach` (m, of the cores); PKI_GJK_MEET:
 * they overlap or touch to rounding. */
pki_gjk_end pki_gjk_run(pki_difference *d, const double start[3], double reach, pki_gjk_result *out);

/* epa.c: depth of cores that meet, in the frame of `d`; `met` tells where GJK saw them meet. */
void pki_epa_run(pki_difference *d, const pki_gjk_result *met, pk_proximity *out);

/* support_newton.c: the least h that few corners lead to, from a direction near it. False: they lead to none, or another part of
 * A - B reaches farther there. */
bool pki_least_find(pki_difference *d, const pki_corner *const corner[], int count, const double start[3],
                    double scale, pki_least *out);

/* polish.c: an answer from an outward normal of A - B, the depth along it and a point of each core near the deepest. */
void pki_depth_answer(const double outward[3], double depth, const double a[3], const double b[3],
                      pk_proximity *out);

/* polish.c: make a depth that is nearly right right; never deeper than it was. */
void pki_depth_polish(pki_difference *d, double scale, pk_proximity *io);

/* A unit vector across a unit vector, always the same. */
static inline void pki_across3(const double n[3], double out[3])
{
  const int least =
      fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
  double axis[3] = {0};
  axis[least] = 1;
  pki_cross3(n, axis, out);
  const double length = pki_length3(out);
  for (int k = 0; k < 3; k++) {
    out[k] /= length;
  }
}

#endif
