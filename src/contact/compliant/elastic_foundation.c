/* Elastic layers in series, as Simbody's CompliantContactSubsystem has them ("Simbody Theory Manual", 2012; the law of Zobova
 * et al. 2016, equations 6 and 7). Each surface j is a rigid body with a thin elastic layer of thickness h_j and stiffness
 * k_j (pressure for each strain), springs that do not know of each other: K_j = k_j/h_j is its pressure for each depth.
 * Of a depth g at a face the first layer takes s_1 g, the second s_2 g. Their pressures are equal, so that
 *
 *   K_1 s_1 = K_2 s_2,  s_1 + s_2 = 1   ->   s_1 = K_2/(K_1 + K_2),  K = K_1 K_2/(K_1 + K_2)
 *
 * Damping of each layer in proportion to its share: c = c_1 s_1 + c_2 s_2. The force acts where the layers meet, s_1 g from
 * the undeformed face. Friction coefficients are harmonic means. A rigid surface has s = 0.
 *
 * Where two meshes meet, the faces of each feel the whole depth, so that both together would press twice. Each face counts
 * with its area times (S/2)/S_m: S_m is the area of all candidate faces of its mesh, S the mean of both. */
#include <math.h>

#include "contact/compliant/compliance_law.h"

/* N/m^3; a rigid surface: INFINITY. */
static double layer_stiffness(const pk_compliance *surface, const pk_compliance *other)
{
  if (surface == NULL) {
    return INFINITY;
  }
  const double h = surface->layer > 0 || other == NULL ? surface->layer : other->layer;
  return surface->stiffness / h;
}

/* The part of the depth that each layer takes. */
static void share_depth(const pki_soft_side *a, const pki_soft_side *b, double K[2], double share[2])
{
  K[0] = layer_stiffness(a->surface, b->surface), K[1] = layer_stiffness(b->surface, a->surface);
  share[0] = a->surface == NULL ? 0 : b->surface == NULL ? 1 : K[1] / (K[0] + K[1]);
  share[1] = 1 - share[0];
}

static void blend_layers(const pki_soft_side *a, const pki_soft_side *b, pki_foundation *out)
{
  double K[2];
  share_depth(a, b, K, out->share);
  out->stiffness[0] = out->stiffness[1] = a->surface != NULL ? K[0] * out->share[0] : K[1] * out->share[1];
  out->evens_areas = true;
}

static void rub_layers(const pki_soft_side *a, const pki_soft_side *b, pki_patch_law out[2])
{
  double K[2], share[2];
  share_depth(a, b, K, share);
  pki_compliance_mix(a->surface, b->surface, share, &out[0]);
  out[1] = out[0];
}

static pk_status check_layers(const pki_soft_side *a, const pki_soft_side *b, pk_error *err)
{
  const double of_a = a->surface != NULL ? a->surface->layer : 0,
               of_b = b->surface != NULL ? b->surface->layer : 0;
  if (!(of_a > 0 || of_b > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "layer"},
                    "layer is 0 on both surfaces, expected a thickness in m on one of them at least");
  }
  return PK_OK;
}

const pki_compliance_law_row pki_compliance_law_elastic_foundation = {
    .name = "elastic-foundation",
    .doc = "an elastic layer on each surface, in series; pressure at each face of meshes",
    .supports = check_layers,
    .blend = blend_layers,
    .rub = rub_layers,
};
