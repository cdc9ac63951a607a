#include "support/cone_programs.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { MOST = 96, LANES = PKI_CONE_PROGRAM_LANES };

cone_programs make_cone_programs(int boxes, int cones, int lanes)
{
  const int n = boxes + 3 * cones;
  const size_t w = sizeof(double) * LANES;
  cone_programs p = {.boxes = boxes, .cones = cones, .n = n, .lanes = lanes};
  p.H = pki_aligned_alloc((size_t)(n * n) * w);
  p.g = pki_aligned_alloc((size_t)n * w), p.x = pki_aligned_alloc((size_t)n * w);
  p.lower = pki_aligned_alloc((size_t)(boxes + 1) * w), p.upper = pki_aligned_alloc((size_t)(boxes + 1) * w);
  p.friction = pki_aligned_alloc((size_t)(cones + 1) * w),
  p.limit = pki_aligned_alloc((size_t)(cones + 1) * w);
  p.memory = pki_aligned_alloc(pki_cone_program_size(boxes, cones, LANES));
  memset(p.memory, 0x7f, pki_cone_program_size(boxes, cones, LANES));
  return p;
}

void free_cone_programs(cone_programs *p)
{
  void *const all[] = {p->H, p->g, p->x, p->lower, p->upper, p->friction, p->limit, p->memory};
  for (int i = 0; i < 8; i++) {
    pki_aligned_free(all[i]);
  }
}

pki_cone_program view_cone_programs(const cone_programs *p)
{
  return (pki_cone_program){.boxes = p->boxes,
                            .cones = p->cones,
                            .H = p->H,
                            .g = p->g,
                            .lower = p->lower,
                            .upper = p->upper,
                            .friction = p->friction,
                            .limit = p->limit};
}

/* H = Q diag(10^0 .. 10^-digits) Q', Q by reflections; then rows and columns times 10^-spread .. 1. */
static void draw_matrix(pki_random *r, int n, double digits, double spread, double *H)
{
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int i = 0; i < n; i++) {
    H[i * n + i] = pow(10, -(i == 0 ? 0 : i == 1 ? digits : pki_random_between(r, 0, digits)));
  }
  for (int k = 0; k < 4; k++) {
    double v[MOST], Hv[MOST], vv = 0, vHv = 0;
    for (int i = 0; i < n; i++) {
      v[i] = pki_random_normal(r);
      vv += v[i] * v[i];
    }
    for (int i = 0; i < n; i++) {
      Hv[i] = 0;
      for (int j = 0; j < n; j++) {
        Hv[i] += H[i * n + j] * v[j];
      }
      vHv += v[i] * Hv[i];
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        H[i * n + j] += -2 / vv * (v[i] * Hv[j] + Hv[i] * v[j]) + 4 * vHv / (vv * vv) * v[i] * v[j];
      }
    }
  }
  double scale[MOST];
  for (int i = 0; i < n; i++) {
    scale[i] = pow(10, -pki_random_between(r, 0, spread));
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      H[i * n + j] *= scale[i] * scale[j];
    }
  }
}

void draw_cone_program(pki_random *r, cone_programs *p, int l, double digits)
{
  static double H[MOST * MOST];
  const int n = p->n, lanes = p->lanes;
  const double tight = pow(10, pki_random_between(r, -2, 1));
  draw_matrix(r, n, digits, pki_random_between(r, 0, 1), H);
  double wanted[MOST];
  for (int i = 0; i < n; i++) {
    wanted[i] = pki_random_normal(r);
  }
  for (int i = 0; i < n; i++) {
    double g = 0;
    for (int j = 0; j < n; j++) {
      p->H[(i * n + j) * lanes + l] = j >= i ? H[i * n + j] : NAN;
      g -= H[i * n + j] * wanted[j];
    }
    p->g[i * lanes + l] = g + (pki_random_unit(r) < 0.3 ? 0.1 * pki_random_normal(r) * H[i * n + i] : 0);
    p->x[i * lanes + l] = NAN;
  }
  for (int i = 0; i < p->boxes; i++) {
    const double kind = pki_random_unit(r), at = pki_random_normal(r);
    p->lower[i * lanes + l] = kind < 0.15 ? -INFINITY : at - tight * pki_random_unit(r);
    p->upper[i * lanes + l] = kind > 0.85  ? INFINITY
                              : kind > 0.8 ? fmax(at - tight, p->lower[i * lanes + l])
                                           : at + tight;
    if (kind > 0.4 && kind < 0.45) {
      p->upper[i * lanes + l] = p->lower[i * lanes + l];
    }
  }
  for (int i = 0; i < p->cones; i++) {
    const double kind = pki_random_unit(r);
    p->friction[i * lanes + l] = kind < 0.1 ? 0 : pki_random_between(r, 0.1, 1.5);
    p->limit[i * lanes + l] = kind > 0.9 ? 0 : kind > 0.5 ? INFINITY : tight * pki_random_unit(r);
  }
}
