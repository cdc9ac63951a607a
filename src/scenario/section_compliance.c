/* Surfaces that give way, by name, for materials, links and objects. */
#include <stdlib.h>
#include <string.h>

#include "contact/compliant/compliance_law.h"
#include "scenario/section.h"
#include "step/world.h"

static void read_compliances(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  s->compliance_node = map;
  s->compliances = calloc((size_t)map->count + 1, sizeof *s->compliances);
  if (s->compliances == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    pki_scenario_compliance *c = &s->compliances[s->ncompliance++];
    pk_error err = {0};
    c->name = n->key;
    c->compliance = pk_compliance_default();
    if (strcmp(n->key, PKI_COMPLIANCE_HARD) == 0) {
      pki_problem(problems, n, "the name \"%s\" is taken: it is what pairs that do not give way have",
                  n->key);
      continue;
    }
    const pki_binding binding = {pki_compliance_fields, pki_compliance_field_count, &c->compliance};
    if (pki_read_map(n, &binding, 1, problems) == PK_OK) {
      pki_problems_note(problems, pki_node_place(pk_compliance_check(&c->compliance, &err), n, "", &err),
                        &err);
    }
  }
}

static void release_compliances(pki_scenario *s)
{
  free(s->compliances);
}

pk_status pki_scenario_find_compliance(const pki_scenario *s, const pki_node *node, const char *name,
                                       const pk_compliance **out, pk_error *err)
{
  const char **words = calloc((size_t)s->ncompliance + 1, sizeof *words);
  int at = 0;
  if (words == NULL) {
    return pki_node_fail(node, err, PK_ERROR_MEMORY, "no memory for names");
  }
  for (int i = 0; i < s->ncompliance; i++) {
    words[i] = s->compliances[i].name;
  }
  const pk_status status = pki_read_choice(node, "compliance", name, words, s->ncompliance, &at, err);
  free(words);
  *out = status == PK_OK ? &s->compliances[at].compliance : NULL;
  return status;
}

/* Materials are told before there is ground: steppers that know no other contact take it then. */
static void set_materials(pki_world *w, pki_problems *problems)
{
  const pki_scenario *s = w->scenario;
  for (int i = 0; i < s->nmaterial; i++) {
    const pki_scenario_material *m = &s->materials[i];
    const pk_compliance *of = NULL;
    pk_error err = {0};
    if (m->compliance[0] == '\0') {
      continue;
    }
    const pki_node *node = pki_node_find(m->node, "compliance");
    pk_status status = pki_scenario_find_compliance(s, node, m->compliance, &of, &err);
    if (status == PK_OK) {
      status = pki_node_place(pk_sim_set_material_compliance(w->sim, i, of, &err), node, "", &err);
    }
    pki_problems_note(problems, status, &err);
  }
}

/* All is said: whether there are laws for the shapes that meet. */
static void check_compliances(pki_world *w, pki_problems *problems)
{
  pk_error err = {0};
  const pk_status status = pk_sim_check_compliance(w->sim, &err);
  pki_problems_note(problems, pki_node_place(status, w->scenario->compliance_node, "", &err), &err);
}

static const pki_schema_table compliance_tables[] = {
    {"compliance", "each entry of `compliance`", pki_compliance_fields, &pki_compliance_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_compliance = {.name = "compliance",
                                            .doc = "surfaces that give way, by name",
                                            .form = PKI_SECTION_IS_OWN,
                                            .tables = compliance_tables,
                                            .read = read_compliances,
                                            .release = release_compliances,
                                            .set = set_materials,
                                            .start = check_compliances};
