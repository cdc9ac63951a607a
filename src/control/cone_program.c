/* What of cone programs does not depend on the lane type: sizes, variants, the judge of results. */
#include "control/cone_program.h"

#include <math.h>
#include <string.h>

#include "control/cone_work.h"
#include "dynamics/kernels.h"
#include "math/variants.h"

PKI_DECLARE_VARIANTS(pki_cone_kernels, cone_kernels)

static const pki_cone_kernels *const variants[] = {PKI_VARIANTS(cone_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

const pki_cone_kernels *pki_cone_kernels_find(const char *isa, int lanes)
{
  const pki_cone_kernels *found = NULL;
  for (int i = 0; i < VARIANT_COUNT && pki_kernels_find(isa, lanes) != NULL; i++) {
    found = variants[i]->lanes == lanes && strcmp(variants[i]->isa, isa) == 0 ? variants[i] : found;
  }
  return found;
}

const pki_cone_kernels *pki_cone_kernels_get(int lanes)
{
  return pki_cone_kernels_find(pki_kernels_get(lanes)->isa, lanes);
}

size_t pki_cone_program_size(int boxes, int cones, int lanes)
{
  return pki_cone_work_reals(boxes, cones) * (size_t)lanes * sizeof(double);
}

/* P of one truncated cone, in place. */
static void project_force(double mu, double limit, double f[3])
{
  const double size = hypot(f[1], f[2]);
  if (size <= mu * f[0] && f[0] <= limit) {
    return;
  }
  /* on the ray of the cone's side beside which f lies, between its apex and its top; inside the disc of the top as it is */
  const double ray = mu * f[0] < size ? (f[0] + mu * size) / (1 + mu * mu) : f[0];
  const double normal = fmax(0, fmin(limit, ray)), along = fmin(size, mu * normal);
  const double turn = size > 0 ? along / size : 0;
  f[0] = normal, f[1] *= turn, f[2] *= turn;
}

/* Component i of H x + g. */
static double slope_at(const pki_cone_program *p, int lanes, int lane, const double *x, int i)
{
  const int n = p->boxes + 3 * p->cones;
  double sum = p->g[i * lanes + lane];
  for (int k = 0; k < n; k++) {
    const int at = k >= i ? i * n + k : k * n + i;
    sum += p->H[at * lanes + lane] * x[k * lanes + lane];
  }
  return sum;
}

double pki_cone_program_residual(const pki_cone_program *p, int lanes, int lane, const double *x)
{
  const int n = p->boxes + 3 * p->cones;
  double worst = 0, size = 0;
  for (int b = 0; b < p->boxes + p->cones; b++) {
    const bool box = b < p->boxes;
    const int first = box ? b : p->boxes + 3 * (b - p->boxes), width = box ? 1 : 3;
    double to[3], scale = 0;
    for (int k = first; k < first + width; k++) {
      scale = fmax(scale, p->H[(k * n + k) * lanes + lane]);
    }
    for (int k = 0; k < width; k++) {
      to[k] = x[(first + k) * lanes + lane] - slope_at(p, lanes, lane, x, first + k) / scale;
    }
    if (box) {
      to[0] = fmin(fmax(to[0], p->lower[b * lanes + lane]), p->upper[b * lanes + lane]);
    } else {
      const int cone = b - p->boxes;
      project_force(p->friction[cone * lanes + lane], p->limit[cone * lanes + lane], to);
    }
    const double root = sqrt(scale);
    for (int k = 0; k < width; k++) {
      const int at = (first + k) * lanes + lane;
      const double off = root * fabs(x[at] - to[k]);
      worst = off > worst || isnan(off) ? off : worst;
      size = fmax(size, fmax(root * fabs(x[at]), fabs(p->g[at]) / root));
    }
  }
  return size > 0 ? worst / size : worst;
}
