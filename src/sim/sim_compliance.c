/* Which surfaces and materials give way, and what a sim tells of them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/memory.h"
#include "step/soft.h"

static pk_status check_number(int value, int count, const char *what, pk_error *err)
{
  return value >= 0 && value < count ? PK_OK
                                     : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = what},
                                                "%s is %d, expected 0 to %d", what, value, count - 1);
}

/* The sim's compliances, made when there are none yet. */
static pk_status begin_change(pk_sim *sim, const pk_compliance *c, pk_error *err)
{
  if (c != NULL) {
    const pk_status status = pk_compliance_check(c, err);
    if (status != PK_OK) {
      return status;
    }
  }
  if (sim->scene.soft == NULL) {
    sim->scene.soft = calloc(1, sizeof *sim->scene.soft);
  }
  return sim->scene.soft != NULL ? PK_OK : pki_fail_memory(err, "compliances");
}

/* Memory for what has changed; impulses of before mean nothing now. */
static pk_status end_change(pk_sim *sim, pk_error *err)
{
  pki_memory_forget_impulses(sim);
  return pki_soft_plan(sim, err);
}

pk_status pk_sim_set_surface_compliance(pk_sim *sim, int surface, const pk_compliance *compliance,
                                        pk_error *err)
{
  pk_status status = check_number(surface, PKI_SURFACE_MAX, "surface", err);
  status = status == PK_OK ? begin_change(sim, compliance, err) : status;
  if (status != PK_OK) {
    return status;
  }
  struct pki_soft *s = sim->scene.soft;
  s->soft_surface[surface] = compliance != NULL;
  s->surface[surface] = compliance != NULL ? *compliance : (pk_compliance){0};
  return end_change(sim, err);
}

pk_status pk_sim_set_material_compliance(pk_sim *sim, int material, const pk_compliance *compliance,
                                         pk_error *err)
{
  pk_status status = check_number(material, PKI_MATERIAL_MAX, "material", err);
  status = status == PK_OK ? begin_change(sim, compliance, err) : status;
  if (status != PK_OK) {
    return status;
  }
  struct pki_soft *s = sim->scene.soft;
  s->soft_material[material] = compliance != NULL;
  s->material[material] = compliance != NULL ? *compliance : (pk_compliance){0};
  return end_change(sim, err);
}

static pk_status set_rule(pk_sim *sim, pki_soft_rule rule, const pk_compliance *compliance, pk_error *err)
{
  const pk_status status = begin_change(sim, compliance, err);
  if (status != PK_OK) {
    return status;
  }
  struct pki_soft *s = sim->scene.soft;
  int at = 0;
  while (at < s->nrule && (s->rules[at].surface != rule.surface || s->rules[at].material != rule.material ||
                           s->rules[at].with != rule.with)) {
    at++;
  }
  if (at == PKI_PAIR_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "pair"},
                    "there are %d pairs with a compliance already, which is the most", PKI_PAIR_MAX);
  }
  rule.hard = compliance == NULL;
  rule.both = compliance != NULL ? *compliance : (pk_compliance){0};
  s->nrule += at == s->nrule;
  s->rules[at] = rule;
  return end_change(sim, err);
}

pk_status pk_sim_set_pair_compliance(pk_sim *sim, int surface, int material, const pk_compliance *compliance,
                                     pk_error *err)
{
  pk_status status = check_number(surface, PKI_SURFACE_MAX, "surface", err);
  status = status == PK_OK ? check_number(material, PKI_MATERIAL_MAX, "material", err) : status;
  const pki_soft_rule rule = {.surface = surface, .material = material, .with = -1};
  return status == PK_OK ? set_rule(sim, rule, compliance, err) : status;
}

pk_status pk_sim_set_surface_pair_compliance(pk_sim *sim, int surface_a, int surface_b,
                                             const pk_compliance *compliance, pk_error *err)
{
  pk_status status = check_number(surface_a, PKI_SURFACE_MAX, "surface_a", err);
  status = status == PK_OK ? check_number(surface_b, PKI_SURFACE_MAX, "surface_b", err) : status;
  const bool ordered = surface_a < surface_b;
  const pki_soft_rule rule = {
      .surface = ordered ? surface_a : surface_b, .material = -1, .with = ordered ? surface_b : surface_a};
  return status == PK_OK ? set_rule(sim, rule, compliance, err) : status;
}

pk_status pk_sim_check_compliance(pk_sim *sim, pk_error *err)
{
  return pki_soft_check(sim, err);
}

pk_status pki_sim_soft_like(pk_sim *sim, const pk_sim *other, pk_error *err)
{
  const struct pki_soft *from = other->scene.soft;
  if (from == NULL) {
    pki_soft_free(sim);
    return PK_OK;
  }
  const pk_status status = begin_change(sim, NULL, err);
  if (status != PK_OK) {
    return status;
  }
  struct pki_soft *to = sim->scene.soft;
  memcpy(to->surface, from->surface, sizeof to->surface);
  memcpy(to->material, from->material, sizeof to->material);
  memcpy(to->soft_surface, from->soft_surface, sizeof to->soft_surface);
  memcpy(to->soft_material, from->soft_material, sizeof to->soft_material);
  memcpy(to->rules, from->rules, sizeof to->rules);
  to->nrule = from->nrule;
  return end_change(sim, err);
}

bool pki_sim_soft_as(const pk_sim *sim, const pk_sim *other)
{
  const struct pki_soft *a = sim->scene.soft, *b = other->scene.soft;
  if (a == NULL || b == NULL) {
    return a == b;
  }
  return memcmp(a->surface, b->surface, sizeof a->surface) == 0 &&
         memcmp(a->material, b->material, sizeof a->material) == 0 &&
         memcmp(a->soft_surface, b->soft_surface, sizeof a->soft_surface) == 0 &&
         memcmp(a->soft_material, b->soft_material, sizeof a->soft_material) == 0 && a->nrule == b->nrule &&
         memcmp(a->rules, b->rules, (size_t)a->nrule * sizeof *a->rules) == 0;
}

double pk_sim_elastic_energy(pk_sim *sim)
{
  return pki_soft_energy(sim);
}
