/* Surfaces of robots, and what they do on the ground and to each other. Names become the numbers that pk_sim_set_surface takes, in the
 * order in which they are met; 0 is what no link was given. */
#include <stdio.h>
#include <string.h>

#include "scenario/section.h"
#include "step/world.h"

typedef struct surfaces {
  const char *names[PKI_SURFACE_MAX];
  int count;
} surfaces;

static const pk_field pair_fields[] = {
    PKI_TEXT("surface", pki_scenario_pair, surface, 1, "of a robot: a name from a model's surfaces"),
    PKI_TEXT("material", pki_scenario_pair, material, 0,
             "of the ground: a name from materials; this or with"),
    PKI_TEXT("with", pki_scenario_pair, with, 0,
             "another surface, or the same: a name from a model's surfaces"),
    PKI_TEXT("compliance", pki_scenario_pair, compliance, 0,
             "a name from compliance for both, or hard; default: what the surfaces have"),
};
static const int pair_field_count = PKI_COUNT(pair_fields);

/* A link's surface that gives way. */
typedef struct soft_surface {
  char surface[64], compliance[64]; /* surface "": of the compliance's name */
} soft_surface;

static const pk_field surface_fields[] = {
    PKI_TEXT("surface", soft_surface, surface, 0, "its name, for pairs; default: that of its compliance"),
    PKI_TEXT("compliance", soft_surface, compliance, 1, "a name from compliance: how it gives way"),
};
static const int surface_field_count = PKI_COUNT(surface_fields);

/* The number of a surface's name; -1: no room. */
static int surface_number(surfaces *all, const char *name)
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

/* The surface of all collision shapes from link `first` on, `count` links, by its number. How many shapes there were comes back. */
static int set_shapes(pk_sim *sim, int first, int count, int surface, pk_status *status, pk_error *err)
{
  const pk_model *m = pk_sim_model(sim);
  int found = 0;
  for (int i = 0; i < m->nshape && *status == PK_OK; i++) {
    if (m->shapes[i].link >= first && m->shapes[i].link < first + count && !m->shapes[i].visual) {
      found++;
      *status = pk_sim_set_surface(sim, i, surface, err);
    }
  }
  return found;
}

/* A surface by its name, and how it gives way where that is said (`compliance` not ""); `node` is where. Its number, -1: an error. */
static int name_surface(const pki_scenario *s, pk_sim *sim, const pki_node *node, const char *name,
                        const char *compliance, surfaces *all, pk_error *err)
{
  const int surface = surface_number(all, name);
  const pk_compliance *of = NULL;
  if (surface < 0) {
    pki_node_fail(node, err, PK_ERROR_LIMIT, "more than %d surfaces", PKI_SURFACE_MAX - 1);
    return -1;
  }
  if (compliance[0] == '\0') {
    return surface;
  }
  pk_status status = pki_scenario_find_compliance(s, node, compliance, &of, err);
  if (status == PK_OK) {
    status = pki_node_place(pk_sim_set_surface_compliance(sim, surface, of, err), node, "", err);
  }
  return status == PK_OK ? surface : -1;
}

/* The name of a surface that was read as `surface`, "" for that of its compliance: as the scenario's own text, which lives as long as
 * it does. */
static const char *lasting_name(const pki_scenario *s, const pki_node *node, const char *surface,
                                const char *compliance)
{
  if (surface[0] != '\0') {
    return pki_node_find(node, "surface")->text;
  }
  for (int i = 0; i < s->ncompliance; i++) {
    if (strcmp(s->compliances[i].name, compliance) == 0) {
      return s->compliances[i].name;
    }
  }
  return "";
}

static pk_status set_link(const pki_scenario *s, pk_sim *sim, const char *prefix, const pki_node *node,
                          surfaces *all, pki_problems *problems, pk_error *err)
{
  char name[256];
  snprintf(name, sizeof name, "%s%.180s", prefix, node->key);
  const int link = pk_model_find_link(pk_sim_model(sim), name);
  if (link < 0) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "there is no link \"%s\"", name);
  }
  soft_surface soft = {"", ""};
  if (node->kind == PKI_NODE_MAP) {
    const pki_binding binding = {surface_fields, surface_field_count, &soft};
    if (pki_read_map(node, &binding, 1, problems) != PK_OK) {
      return PK_OK; /* told already */
    }
  } else if (node->kind != PKI_NODE_SCALAR || pki_node_is_null(node)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %s, expected the name of a surface", node->key,
                         pki_node_what(node));
  }
  const char *own =
      node->kind == PKI_NODE_MAP ? lasting_name(s, node, soft.surface, soft.compliance) : node->text;
  const pki_node *at = node->kind == PKI_NODE_MAP ? pki_node_find(node, "compliance") : node;
  const int surface = name_surface(s, sim, at, own, soft.compliance, all, err);
  pk_status status = surface >= 0 ? PK_OK : PK_ERROR_ARGUMENT;
  const int found = set_shapes(sim, link, 1, surface, &status, err);
  if (status == PK_OK && found == 0) {
    status = pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the link \"%s\" has no collision shape", name);
  }
  return status;
}

/* A surface on a material of the ground. */
static pk_status set_material(const pki_scenario *s, pk_sim *sim, const pki_node *node, int surface,
                              const pki_scenario_pair *pair, pk_error *err)
{
  int material = 0;
  const pk_status status =
      pki_scenario_find_material(s, pki_node_find(node, "material"), pair->material, &material, err);
  return status == PK_OK
             ? pki_node_place(pk_sim_set_pair(sim, surface, material, &pair->law, err), node, "", err)
             : status;
}

/* A surface on another one. */
static pk_status set_with(pk_sim *sim, const pki_node *node, int surface, const pki_scenario_pair *pair,
                          const surfaces *all, pk_error *err)
{
  int with = 0;
  const pk_status status =
      pki_read_choice(pki_node_find(node, "with"), "surface", pair->with, all->names, all->count, &with, err);
  return status == PK_OK
             ? pki_node_place(pk_sim_set_surface_pair(sim, surface, with + 1, &pair->law, err), node, "", err)
             : status;
}

/* How a pair gives way, whatever its surfaces have. */
static pk_status set_pair_compliance(const pki_scenario *s, pk_sim *sim, const pki_node *node, int surface,
                                     const pki_scenario_pair *pair, const surfaces *all, pk_error *err)
{
  const pki_node *at = pki_node_find(node, "compliance");
  const pk_compliance *of = NULL;
  int material = 0, with = 0;
  pk_status status = strcmp(pair->compliance, PKI_COMPLIANCE_HARD) == 0
                         ? PK_OK
                         : pki_scenario_find_compliance(s, at, pair->compliance, &of, err);
  if (status != PK_OK) {
    return status;
  }
  if (pair->with[0] != '\0') {
    status = pki_read_choice(pki_node_find(node, "with"), "surface", pair->with, all->names, all->count,
                             &with, err);
    return status == PK_OK
               ? pki_node_place(pk_sim_set_surface_pair_compliance(sim, surface, with + 1, of, err), at, "",
                                err)
               : status;
  }
  status = pki_scenario_find_material(s, pki_node_find(node, "material"), pair->material, &material, err);
  return status == PK_OK
             ? pki_node_place(pk_sim_set_pair_compliance(sim, surface, material, of, err), at, "", err)
             : status;
}

static void set_pair(const pki_scenario *s, pk_sim *sim, const pki_node *node, const surfaces *all,
                     pki_problems *problems)
{
  pki_scenario_pair pair = {.law = pk_material_default()};
  const pki_binding bindings[] = {{pair_fields, pair_field_count, &pair},
                                  {pki_material_fields, pki_material_field_count, &pair.law}};
  int surface = 0;
  pk_error err = {0};
  if (pki_read_map(node, bindings, 2, problems) != PK_OK) {
    return;
  }
  pk_status status = pki_read_choice(pki_node_find(node, "surface"), "surface", pair.surface, all->names,
                                     all->count, &surface, &err);
  if (status == PK_OK && (pair.material[0] != '\0') == (pair.with[0] != '\0')) {
    status = pki_node_fail(
        node, &err, PK_ERROR_ARGUMENT,
        "this pair has %s, expected one of \"material\" (of the ground) and \"with\" (a surface)",
        pair.with[0] != '\0' ? "both \"material\" and \"with\"" : "neither");
  }
  if (status == PK_OK) {
    status = pair.with[0] != '\0' ? set_with(sim, node, surface + 1, &pair, all, &err)
                                  : set_material(s, sim, node, surface + 1, &pair, &err);
  }
  if (status == PK_OK && pair.compliance[0] != '\0') {
    status = set_pair_compliance(s, sim, node, surface + 1, &pair, all, &err);
  }
  pki_problems_note(problems, status, &err);
}

static void set_links(const pki_scenario *s, const pki_scenario_model *model, pk_sim *sim, surfaces *all,
                      pki_problems *problems)
{
  const pki_node *map = model->node->kind == PKI_NODE_MAP ? pki_node_find(model->node, "surfaces") : NULL;
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    pk_error err = {0};
    pki_problems_note(problems, set_link(s, sim, model->prefix, n, all, problems, &err), &err);
  }
}

/* Objects have one link each, after those of the models; `robot` is the first. */
static void set_objects(const pki_scenario *s, pk_sim *sim, int robot, surfaces *all, pki_problems *problems)
{
  const pk_model *m = pk_sim_model(sim);
  for (int i = 0; i < s->nobject; i++) {
    const int count = pki_object_number(&s->objects[i]);
    const pki_scenario_object *o = &s->objects[i];
    if (o->surface[0] != '\0' || o->compliance[0] != '\0') {
      pk_error err = {0};
      const pki_node *soft = pki_node_find(o->node, "compliance");
      const pki_node *node = soft != NULL ? soft : pki_node_find(o->node, "surface");
      const char *name = lasting_name(s, o->node, o->surface, o->compliance);
      const int surface = name_surface(s, sim, node, name, o->compliance, all, &err);
      pk_status status = surface >= 0 ? PK_OK : PK_ERROR_ARGUMENT;
      set_shapes(sim, m->robots[robot].root_link, count, surface, &status, &err);
      pki_problems_note(problems, status, &err);
    }
    robot += count;
  }
}

static void set_surfaces(pki_world *world, pki_problems *problems)
{
  const pki_scenario *scenario = world->scenario;
  pk_sim *sim = world->sim;
  surfaces all = {.count = 0};
  for (int i = 0; i < scenario->nmodel; i++) {
    set_links(scenario, &scenario->models[i], sim, &all, problems);
  }
  set_objects(scenario, sim, world->model_robot[scenario->nmodel], &all, problems);
  if (scenario->pairs == NULL || pki_expect_kind(scenario->pairs, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = scenario->pairs->first; n != NULL; n = n->next) {
    set_pair(scenario, sim, n, &all, problems);
  }
}

/* Names are looked up when there is a world. */
static void read_pairs(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  (void)problems;
  s->pairs = node;
}

static const pki_schema_table pairs_tables[] = {
    {"pair", "each entry of `pairs`, with the keys of a material", pair_fields, &pair_field_count},
    {"pair", "its material", pki_material_fields, &pki_material_field_count},
    {"surface", "a link of a model's `surfaces` that gives way", surface_fields, &surface_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_pairs = {
    .name = "pairs",
    .doc = "what surfaces of robots do on materials of the ground and to each other: a list",
    .form = PKI_SECTION_IS_LIST,
    .tables = pairs_tables,
    .read = read_pairs,
    .set = set_surfaces};
