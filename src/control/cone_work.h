/* Scratch of a cone program on lanes. Counts are of lane numbers; this header is also read without lanes. */
#ifndef PKI_CONTROL_CONE_WORK_H
#define PKI_CONTROL_CONE_WORK_H

#include <stddef.h>

enum {
  PKI_CONE_VECTORS = 10, /* of n numbers */
  PKI_CONE_BOUNDS = 2,   /* of each box: lower, upper */
  PKI_CONE_SHAPES = 2,   /* of each cone: friction, limit */
  PKI_CONE_AXES = 4,     /* of each cone: tangent (2), inclination (2) */
};

/* Rows of matrices begin at whole cache lines. */
static inline size_t pki_cone_pitch(int n)
{
  return ((size_t)n + 7) / 8 * 8;
}

static inline size_t pki_cone_work_reals(int boxes, int cones)
{
  const int n = boxes + 3 * cones;
  const size_t pitch = pki_cone_pitch(n);
  return 2 * pitch * (size_t)n + PKI_CONE_VECTORS * pitch + PKI_CONE_BOUNDS * pki_cone_pitch(boxes) +
         (PKI_CONE_SHAPES + PKI_CONE_AXES) * pki_cone_pitch(cones);
}

#endif
