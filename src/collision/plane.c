/* A half-space: d = n'(x - p). */
#include <math.h>

#include "base/error.h"
#include "collision/terrain.h"
#include "math/mat3.h"

pk_status pki_plane_init(pki_plane *p, const double point[3], const double normal[3], pk_error *err)
{
  pk_status status = pki_check_finite3(point, "point", err);
  if (status == PK_OK) {
    status = pki_check_finite3(normal, "normal", err);
  }
  if (status != PK_OK) {
    return status;
  }
  /* the largest entry first, so that no length overflows or vanishes */
  const double size = fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2])));
  if (size == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "normal"},
                    "normal is zero, expected a direction");
  }
  const double n[3] = {normal[0] / size, normal[1] / size, normal[2] / size};
  const double length = sqrt(pki_dot3(n, n));
  for (int k = 0; k < 3; k++) {
    p->point[k] = point[k], p->normal[k] = n[k] / length;
  }
  return PK_OK;
}

bool pki_plane_query(const pki_plane *p, const double point[3], double reach, pk_terrain_hit *hit)
{
  const double arm[3] = {point[0] - p->point[0], point[1] - p->point[1], point[2] - p->point[2]};
  hit->distance = pki_dot3(p->normal, arm);
  memcpy(hit->normal, p->normal, sizeof hit->normal);
  return hit->distance <= reach || hit->distance < 0;
}
