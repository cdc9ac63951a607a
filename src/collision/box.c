/* A solid box: in its own axes, with e_k = |x_k| - half_k,
 *   outside  d = |max(e, 0)|, along the same vector;
 *   inside   d = max e_k, along the axis of the largest.
 * Where faces tie, the one that looks up most wins: a point on an upper edge stands on top. */
#include <math.h>

#include "base/error.h"
#include "collision/terrain.h"
#include "math/mat3.h"

/* Rows of a rotation are orthonormal and right-handed. */
static bool is_rotation(const double R[9])
{
  double z[3];
  pki_cross3(R, R + 3, z);
  const double error[6] = {pki_dot3(R, R) - 1, pki_dot3(R + 3, R + 3) - 1,
                           pki_dot3(R, R + 3), z[0] - R[6],
                           z[1] - R[7],        z[2] - R[8]};
  for (int k = 0; k < 6; k++) {
    if (!(fabs(error[k]) <= 1e-9)) {
      return false;
    }
  }
  return true;
}

pk_status pki_box_init(pki_box *b, const pk_pose *pose, const double size[3], pk_error *err)
{
  const pk_status status = pki_check_finite3(pose->pos, "pose", err);
  if (status != PK_OK) {
    return status;
  }
  if (!is_rotation(pose->rot)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "pose"},
                    "the box's rotation is not orthonormal and right-handed");
  }
  for (int k = 0; k < 3; k++) {
    if (!(size[k] > 0) || !isfinite(size[k])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "size"},
                      "size[%d] is %g m, expected a positive length", k, size[k]);
    }
  }
  b->pose = *pose;
  for (int k = 0; k < 3; k++) {
    b->half[k] = 0.5 * size[k];
  }
  b->radius = hypot(hypot(b->half[0], b->half[1]), b->half[2]);
  return PK_OK;
}

/* The nearest of the six faces, seen from inside. */
static void nearest_face(const pki_box *b, const double x[3], pk_terrain_hit *hit)
{
  const double *const R = b->pose.rot;
  double up = 0;
  hit->distance = -INFINITY;
  for (int k = 0; k < 3; k++) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      const double e = sign * x[k] - b->half[k], z = sign * R[6 + k];
      if (e > hit->distance || (e == hit->distance && z > up)) {
        hit->distance = e, up = z;
        for (int i = 0; i < 3; i++) {
          hit->normal[i] = sign * R[3 * i + k];
        }
      }
    }
  }
}

bool pki_box_query(const pki_box *b, const double point[3], double reach, pk_terrain_hit *hit)
{
  double x[3] = {point[0] - b->pose.pos[0], point[1] - b->pose.pos[1], point[2] - b->pose.pos[2]};
  /* out of reach of the sphere around it */
  const double far = reach + b->radius;
  if (pki_dot3(x, x) > far * far * (1 + 1e-12) && reach >= 0) {
    return false;
  }
  pki_mat3_apply_transposed(b->pose.rot, x, x);
  double out[3], most = 0;
  for (int k = 0; k < 3; k++) {
    out[k] = fmax(fabs(x[k]) - b->half[k], 0);
    most = fmax(most, out[k]);
  }
  if (most == 0) {
    nearest_face(b, x, hit);
    return hit->distance <= reach || hit->distance < 0;
  }
  /* divided by the largest first: one face gives its distance and normal without rounding */
  for (int k = 0; k < 3; k++) {
    out[k] = copysign(out[k] / most, x[k]);
  }
  const double length = sqrt(pki_dot3(out, out));
  hit->distance = most * length;
  pki_mat3_apply(b->pose.rot, out, hit->normal);
  for (int k = 0; k < 3; k++) {
    hit->normal[k] /= length;
  }
  return hit->distance <= reach;
}
