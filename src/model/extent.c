#include "model/extent.h"

#include <math.h>
#include <stddef.h>

#include "math/mat3.h"

void pki_shape_reach(pk_shape_kind kind, const double size[3], const double *R, double reach[3])
{
  const double *d = size;
  for (int i = 0; i < 3; i++) {
    const double x = fabs(R[3 * i]), y = fabs(R[3 * i + 1]), z = fabs(R[3 * i + 2]);
    const double across = sqrt(fmax(0, 1 - z * z));
    switch (kind) {
    case PK_SHAPE_SPHERE: reach[i] = d[0]; break;
    case PK_SHAPE_BOX: reach[i] = 0.5 * (d[0] * x + d[1] * y + d[2] * z); break;
    case PK_SHAPE_CYLINDER:
    case PK_SHAPE_CONE: reach[i] = d[0] * across + 0.5 * d[1] * z; break;
    case PK_SHAPE_CAPSULE: reach[i] = d[0] + 0.5 * d[1] * z; break;
    case PK_SHAPE_ELLIPSOID:
      reach[i] = sqrt(d[0] * x * d[0] * x + d[1] * y * d[1] * y + d[2] * z * d[2] * z);
      break;
    default: reach[i] = 0; break;
    }
  }
}

void pki_shape_heights(pk_shape_kind kind, const double size[3], const pk_mesh *mesh, const pk_pose *pose,
                       double *low, double *high)
{
  double reach[3];
  pki_shape_reach(kind, size, pose->rot, reach);
  *low = pose->pos[2] - reach[2];
  *high = pose->pos[2] + reach[2];
  for (int v = 0; mesh != NULL && v < mesh->nvertex; v++) {
    const double z = pose->pos[2] + pki_dot3(pose->rot + 6, mesh->vertex + 3 * (size_t)v);
    *low = v == 0 ? z : fmin(*low, z);
    *high = v == 0 ? z : fmax(*high, z);
  }
}
