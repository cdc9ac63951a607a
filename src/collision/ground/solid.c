/* One solid of the ground near a point. Planes and boxes are done here in the world's frame:
 *
 *   plane  d = n'(x - p)
 *   box    in its own axes, with e_k = |x_k| - half_k,
 *            outside  d = |max(e, 0)|, along the same vector;
 *            inside   d = max e_k, along the axis of the largest.
 *          Where faces tie, the one that looks up most wins: a point on an upper edge stands on top. */
#include <math.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "math/mat3.h"

static bool plane_query(const pk_pose *pose, const double point[3], double reach, pk_terrain_hit *hit)
{
  const double *const p = pose->pos, *const R = pose->rot;
  const double arm[3] = {point[0] - p[0], point[1] - p[1], point[2] - p[2]};
  hit->normal[0] = R[2], hit->normal[1] = R[5], hit->normal[2] = R[8];
  hit->distance = pki_dot3(hit->normal, arm);
  return hit->distance <= reach || hit->distance < 0;
}

/* The nearest of a box's six faces, seen from inside. */
static void nearest_face(const double half[3], const double R[9], const double x[3], pk_terrain_hit *hit)
{
  double up = 0;
  hit->distance = -INFINITY;
  for (int k = 0; k < 3; k++) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      const double e = sign * x[k] - half[k], z = sign * R[6 + k];
      if (e > hit->distance || (e == hit->distance && z > up)) {
        hit->distance = e, up = z;
        for (int i = 0; i < 3; i++) {
          hit->normal[i] = sign * R[3 * i + k];
        }
      }
    }
  }
}

/* `x` in the box's axes. */
static bool box_query(const double half[3], const double R[9], const double x[3], double reach,
                      pk_terrain_hit *hit)
{
  double out[3], most = 0;
  for (int k = 0; k < 3; k++) {
    out[k] = fmax(fabs(x[k]) - half[k], 0);
    most = fmax(most, out[k]);
  }
  if (most == 0) {
    nearest_face(half, R, x, hit);
    return hit->distance <= reach || hit->distance < 0;
  }
  /* divided by the largest first: one face gives its distance and normal without rounding */
  for (int k = 0; k < 3; k++) {
    out[k] = copysign(out[k] / most, x[k]);
  }
  const double length = sqrt(pki_dot3(out, out));
  hit->distance = most * length;
  pki_mat3_apply(R, out, hit->normal);
  for (int k = 0; k < 3; k++) {
    hit->normal[k] /= length;
  }
  return hit->distance <= reach;
}

bool pki_solid_query(const pki_solid *s, const double point[3], double reach, pk_terrain_hit *hit)
{
  const pk_geometry *const g = s->geometry;
  const double *const R = s->pose.rot, *const p = s->pose.pos;
  hit->material = s->material;
  if (g->kind == PK_SHAPE_PLANE) {
    return plane_query(&s->pose, point, reach, hit);
  }
  double x[3] = {point[0] - p[0], point[1] - p[1], point[2] - p[2]};
  pki_mat3_apply_transposed(R, x, x);
  /* out of reach of the ball around it */
  const double arm[3] = {x[0] - g->centre[0], x[1] - g->centre[1], x[2] - g->centre[2]};
  const double far = reach + g->bound;
  if (pki_dot3(arm, arm) > far * far * (1 + 1e-12) && reach >= 0) {
    return false;
  }
  if (g->kind == PK_SHAPE_BOX) {
    return box_query(g->half, R, x, reach, hit);
  }
  if (!pki_geometry_point(g, x, reach, &hit->distance, hit->normal)) {
    return false;
  }
  pki_mat3_apply(R, hit->normal, hit->normal);
  return true;
}
