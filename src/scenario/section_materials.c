/* What the ground is made of, and what robots and objects do to each other. */
#include <stdlib.h>

#include "scenario/section.h"
#include "step/world.h"

static const pk_field soft_fields[] = {
    PKI_TEXT("compliance", pki_scenario_material, compliance, 0,
             "a name from compliance: how it gives way; default: it is hard"),
};
static const int soft_field_count = PKI_COUNT(soft_fields);

static void read_materials(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  if (map->count > PKI_MATERIAL_MAX) {
    pki_problem(problems, map, "%d materials, expected at most %d", map->count, PKI_MATERIAL_MAX);
    return;
  }
  s->materials = calloc((size_t)map->count + 1, sizeof *s->materials);
  if (s->materials == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    pki_scenario_material *m = &s->materials[s->nmaterial++];
    m->name = n->key, m->node = n;
    pki_fields_preset(pki_material_fields, pki_material_field_count, &m->material);
    const pki_binding bindings[] = {{pki_material_fields, pki_material_field_count, &m->material},
                                    {soft_fields, soft_field_count, m}};
    pki_read_map(n, bindings, 2, problems);
  }
}

static void read_bodies(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  const pki_binding binding = {pki_material_fields, pki_material_field_count, &s->bodies};
  s->bodies = pk_material_default();
  if (map != NULL) {
    pki_read_map(map, &binding, 1, problems);
  }
}

static void release_materials(pki_scenario *s)
{
  free(s->materials);
}

static void set_bodies(pki_world *w, pki_problems *problems)
{
  pk_error err = {0};
  pki_problems_note(problems, pk_sim_set_body_material(w->sim, &w->scenario->bodies, &err), &err);
}

static const pki_schema_table materials_tables[] = {
    {"material", "each entry of `materials`", pki_material_fields, &pki_material_field_count},
    {"material", "how it gives way", soft_fields, &soft_field_count},
    {NULL, NULL, NULL, NULL}};
static const pki_schema_table bodies_tables[] = {
    {"bodies", "the keys of a material", pki_material_fields, &pki_material_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_materials = {.name = "materials",
                                           .doc = "materials of the ground by name",
                                           .form = PKI_SECTION_IS_OWN,
                                           .tables = materials_tables,
                                           .read = read_materials,
                                           .release = release_materials};

const pki_section pki_section_bodies = {
    .name = "bodies",
    .doc = "what robots and objects do to each other where no pair says more: a material",
    .form = PKI_SECTION_IS_MAPPING,
    .tables = bodies_tables,
    .read = read_bodies,
    .set = set_bodies};
