/* Surfaces of robots, and what they do on the ground. Names become the numbers that pk_sim_set_surface takes, in the
 * order in which they are met; 0 is what no link was given. */
#include <stdio.h>
#include <string.h>

#include "scenario/scenario.h"
#include "step/sim.h"

typedef struct surfaces {
  const char *names[PKI_SURFACE_MAX];
  int count;
} surfaces;

/* The number of a surface's name; -1: no room. */
static int number_of(surfaces *all, const char *name)
{
  int i = 0;
  while (i < all->count && strcmp(all->names[i], name) != 0) {
    i++;
  }
  if (i == all->count) {
    if (all->count + 1 >= PKI_SURFACE_MAX) {
      return -1;
    }
    all->names[all->count++] = name;
  }
  return i + 1;
}

static pk_status set_link(pk_sim *sim, const char *prefix, const pki_node *node, surfaces *all, pk_error *err)
{
  const pk_model *m = pk_sim_model(sim);
  char name[256];
  snprintf(name, sizeof name, "%s%.180s", prefix, node->key);
  const int link = pk_model_find_link(m, name);
  if (link < 0) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "there is no link \"%s\"", name);
  }
  if (node->kind != PKI_NODE_SCALAR || pki_node_is_null(node)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %s, expected the name of a surface", node->key,
                         pki_node_what(node));
  }
  const int surface = number_of(all, node->text);
  if (surface < 0) {
    return pki_node_fail(node, err, PK_ERROR_LIMIT, "more than %d surfaces", PKI_SURFACE_MAX - 1);
  }
  int found = 0;
  pk_status status = PK_OK;
  for (int i = 0; i < m->nshape && status == PK_OK; i++) {
    if (m->shapes[i].link == link && !m->shapes[i].visual) {
      found++;
      status = pk_sim_set_surface(sim, i, surface, err);
    }
  }
  if (status == PK_OK && found == 0) {
    status = pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the link \"%s\" has no collision shape", name);
  }
  return status;
}

static void set_pair(const pki_scenario *s, pk_sim *sim, const pki_node *node, const surfaces *all,
                     pki_problems *problems)
{
  pki_scenario_pair pair = {.law = pk_material_default()};
  const pki_binding bindings[] = {{pki_pair_fields, pki_pair_field_count, &pair},
                                  {pki_material_fields, pki_material_field_count, &pair.law}};
  int surface = 0, material = 0;
  pk_error err = {0};
  if (pki_read_map(node, bindings, 2, problems) != PK_OK) {
    return;
  }
  pk_status status = pki_read_choice(pki_node_find(node, "surface"), "surface", pair.surface, all->names,
                                     all->count, &surface, &err);
  if (status == PK_OK) {
    const pki_node *named = pki_node_find(node, "material");
    status = pki_scenario_find_material(s, named, pair.material, &material, &err);
  }
  if (status == PK_OK) {
    status = pki_node_place(pk_sim_set_pair(sim, surface + 1, material, &pair.law, &err), node, "", &err);
  }
  pki_problems_note(problems, status, &err);
}

static void set_links(const pki_scenario_model *model, pk_sim *sim, surfaces *all, pki_problems *problems)
{
  const pki_node *map = model->node->kind == PKI_NODE_MAP ? pki_node_find(model->node, "surfaces") : NULL;
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    pk_error err = {0};
    pki_problems_note(problems, set_link(sim, model->prefix, n, all, &err), &err);
  }
}

void pki_scenario_surfaces(const pki_scenario *scenario, pk_sim *sim, pki_problems *problems)
{
  surfaces all = {.count = 0};
  for (int i = 0; i < scenario->nmodel; i++) {
    set_links(&scenario->models[i], sim, &all, problems);
  }
  if (scenario->pairs == NULL || pki_expect_kind(scenario->pairs, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = scenario->pairs->first; n != NULL; n = n->next) {
    set_pair(scenario, sim, n, &all, problems);
  }
}
