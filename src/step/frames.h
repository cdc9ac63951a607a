/* Points and directions between the world and the frame of a body; body -1 is the world. */
#ifndef PKI_STEP_FRAMES_H
#define PKI_STEP_FRAMES_H

#include <string.h>

#include "dynamics/kernels.h"
#include "math/mat3.h"

static inline void pki_direction_to_body(const pki_work *w, int body, const double direction[3],
                                         double out[3])
{
  if (body < 0) {
    memcpy(out, direction, 3 * sizeof *out);
    return;
  }
  pki_mat3_apply_transposed(w->pose + 12 * ((size_t)body + 1), direction, out);
}

static inline void pki_direction_to_world(const pki_work *w, int body, const double local[3], double out[3])
{
  if (body < 0) {
    memcpy(out, local, 3 * sizeof *out);
    return;
  }
  pki_mat3_apply(w->pose + 12 * ((size_t)body + 1), local, out);
}

static inline void pki_point_to_body(const pki_work *w, int body, const double point[3], double out[3])
{
  double arm[3];
  for (int k = 0; k < 3; k++) {
    arm[k] = point[k] - (body < 0 ? 0 : w->origin[3 * ((size_t)body + 1) + (size_t)k]);
  }
  pki_direction_to_body(w, body, arm, out);
}

static inline void pki_point_to_world(const pki_work *w, int body, const double local[3], double out[3])
{
  pki_direction_to_world(w, body, local, out);
  for (int k = 0; k < 3 && body >= 0; k++) {
    out[k] += w->origin[3 * ((size_t)body + 1) + (size_t)k];
  }
}

#endif
