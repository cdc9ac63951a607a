/* The options of compliant surfaces, and what those of two surfaces come to. */
#include <math.h>

#include "contact/compliant/compliance_law.h"

static const char *const friction_words[] = {"stribeck", "convex", "hollars"};

#define OPTION(name) #name, offsetof(pk_compliance, name)
const pk_field pki_compliance_fields[] = {
    {OPTION(law), PK_FIELD_ROW, "", PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, 0, 0, pki_compliance_laws,
     "how the surface gives way"},
    {OPTION(stiffness), PK_FIELD_REAL, "Pa", 1e7, 1e-9, 1e13, NULL,
     "pressure for each strain of the layer (elastic-foundation), plane-strain modulus (hertz); of "
     "elastic-mesh "
     "pressure for each depth, N/m^3"},
    {OPTION(layer), PK_FIELD_REAL, "m", 0.005, 0, 1e9, NULL,
     "thickness of the elastic layer (elastic-foundation); 0: that of the other surface"},
    {OPTION(dissipation), PK_FIELD_REAL, "s/m", 0.5, 0, 1e9, NULL,
     "of Hunt and Crossley: forces are those of springs times 1 + c times the speed of approach"},
    {OPTION(friction), PK_FIELD_ENUM, "", PK_COMPLIANCE_FRICTION_STRIBECK, 0,
     PK_COMPLIANCE_FRICTION_COUNT - 1, friction_words, "how friction depends on the slip"},
    {OPTION(static_friction), PK_FIELD_REAL, "", 0.8, 0, 1e6, NULL, "coefficient before the slip"},
    {OPTION(dynamic_friction), PK_FIELD_REAL, "", 0.8, 0, 1e6, NULL, "coefficient while slipping"},
    {OPTION(viscous_friction), PK_FIELD_REAL, "s/m", 0, 0, 1e6, NULL,
     "times the slip it is added to the coefficient"},
    {OPTION(transition_speed), PK_FIELD_REAL, "m/s", 0.01, 1e-9, 1e3, NULL,
     "slip at which friction is at its largest (stribeck, hollars)"},
    {OPTION(creep_speed), PK_FIELD_REAL, "m/s", 1e-4, 1e-9, 1e3, NULL,
     "slip at which friction has reached 0.71 of its largest (convex)"},
};
const int pki_compliance_field_count = sizeof pki_compliance_fields / sizeof pki_compliance_fields[0];

pk_compliance pk_compliance_default(void)
{
  pk_compliance out;
  pki_fields_default(pki_compliance_fields, pki_compliance_field_count, &out, sizeof out);
  return out;
}

/* N/m^3, pressure for each depth of springs on faces: beyond it the Newton rounds of steps of 2 ms have been seen not to
 * converge, at 5e11 on a walking robot. */
static const double stiffest = 2e11;

/* Springs on faces that are nearly hard are no task for a step that resolves them. Against a rigid surface they are hardest; a
 * layer that the other surface gives is not known here. */
static pk_status check_stiffness(const pk_compliance *c, pk_error *err)
{
  const pki_compliance_law_row *law = pki_compliance_laws[c->law];
  const pki_soft_side own = {.surface = c}, rigid = {.surface = NULL};
  pki_foundation springs = {.stiffness = {0, 0}};
  if (law->blend != NULL) {
    law->blend(&own, &rigid, &springs);
  }
  const double K = springs.stiffness[0];
  if (isinf(K) || K <= stiffest * (1 + 1e-9)) {
    return PK_OK;
  }
  return pki_fail(
      err, PK_ERROR_ARGUMENT, (pki_where){.field = "stiffness"},
      "pressure for each depth is %.4g N/m^3 (stiffness %g, layer %g m), expected at most %g: steps "
      "would not resolve it; use hard contact, without a compliance",
      K, c->stiffness, c->layer, stiffest);
}

pk_status pk_compliance_check(const pk_compliance *compliance, pk_error *err)
{
  const pk_status status =
      pki_fields_validate(pki_compliance_fields, pki_compliance_field_count, compliance, err);
  if (status != PK_OK) {
    return status;
  }
  if (compliance->friction != PK_COMPLIANCE_FRICTION_CONVEX &&
      compliance->static_friction < compliance->dynamic_friction) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "static_friction"},
                    "static_friction is %g, expected at least dynamic_friction, %g",
                    compliance->static_friction, compliance->dynamic_friction);
  }
  return check_stiffness(compliance, err);
}

const pki_compliance_law_row *pki_compliance_law_of(const pki_soft_side *a, const pki_soft_side *b)
{
  return pki_compliance_laws[a->surface != NULL ? a->surface->law : b->surface->law];
}

void pki_compliance_alone(const pk_compliance *surface, pki_patch_law *out)
{
  *out = (pki_patch_law){.dissipation = surface->dissipation,
                         .friction = surface->friction,
                         .mu_static = surface->static_friction,
                         .mu_dynamic = surface->dynamic_friction,
                         .mu_viscous = surface->viscous_friction,
                         .transition = surface->transition_speed,
                         .creep = surface->creep_speed};
}

static double harmonic(double m, double n)
{
  return m * n > 0 ? 2 * m * n / (m + n) : 0;
}

void pki_compliance_mix(const pk_compliance *one, const pk_compliance *two, const double share[2],
                        pki_patch_law *out)
{
  if (one == NULL || two == NULL) {
    pki_compliance_alone(one != NULL ? one : two, out);
    return;
  }
  *out = (pki_patch_law){.dissipation = one->dissipation * share[0] + two->dissipation * share[1],
                         .friction = one->friction,
                         .mu_static = harmonic(one->static_friction, two->static_friction),
                         .mu_dynamic = harmonic(one->dynamic_friction, two->dynamic_friction),
                         .mu_viscous = harmonic(one->viscous_friction, two->viscous_friction),
                         .transition = fmax(one->transition_speed, two->transition_speed),
                         .creep = fmax(one->creep_speed, two->creep_speed)};
}
