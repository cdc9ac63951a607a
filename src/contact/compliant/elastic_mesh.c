/* Springs on the faces of a mesh, as Simbody's ElasticFoundationForce has them (Blankevoort et al., "Articular contact in a
 * three-dimensional model of the knee", 1991; Bei and Fregly 2004): each face of a mesh has a spring of its own surface's constants,
 * whatever it meets. `stiffness` is pressure for each depth, N/m^3, and `layer` is not used. Forces act at the nearest
 * point of the other surface. Where two meshes meet, the faces of both press with half their area, each with its own
 * constants. A rigid mesh has no springs, and leaves the other's with their full area. */
#include "contact/compliant/compliance_law.h"

static void blend_springs(const pki_soft_side *a, const pki_soft_side *b, pki_foundation *out)
{
  /* a primitive has no faces of its own: those of a rigid mesh that it meets have its constants */
  *out = (pki_foundation){.share = {1, 1}};
  out->stiffness[0] = a->surface != NULL ? a->surface->stiffness : b->surface->stiffness;
  out->stiffness[1] = b->surface != NULL ? b->surface->stiffness : a->surface->stiffness;
  out->area_part[0] = a->surface == NULL ? 0 : b->surface == NULL ? 1 : 0.5;
  out->area_part[1] = 1 - out->area_part[0];
}

static void rub_springs(const pki_soft_side *a, const pki_soft_side *b, pki_patch_law out[2])
{
  pki_compliance_alone(a->surface != NULL ? a->surface : b->surface, &out[0]);
  pki_compliance_alone(b->surface != NULL ? b->surface : a->surface, &out[1]);
}

const pki_compliance_law_row pki_compliance_law_elastic_mesh = {
    .name = "elastic-mesh",
    .doc = "springs on the faces of a mesh alone, whatever it meets",
    .blend = blend_springs,
    .rub = rub_springs,
    .keeps_pulled = true,
};
