/* The sections of a scenario, each by its tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/files.h"
#include "step/world.h"

/* ---- who ---- */

/* A model may be just its name. */
static void read_model(const pki_node *node, pki_scenario_model *out, pki_problems *problems)
{
  pki_fields_preset(pki_scenario_model_fields, pki_scenario_model_field_count, out);
  out->node = node;
  if (node->kind == PKI_NODE_SCALAR) {
    pk_error err = {0};
    pki_problems_note(problems, pki_read_field(node, &pki_scenario_model_fields[0], out, &err), &err);
    return;
  }
  const pki_binding binding = {pki_scenario_model_fields, pki_scenario_model_field_count, out};
  const pk_status status = pki_read_map(node, &binding, 1, problems);
  const pki_node *quaternion = pki_node_find(node, "quaternion");
  if (status != PK_OK || quaternion == NULL) {
    return;
  }
  const double *q = out->quaternion;
  if (pki_node_find(node, "rpy") != NULL) {
    pki_problem(problems, quaternion, "quaternion and rpy both say how it is turned; give one");
  } else if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12)) {
    pki_problem(problems, quaternion, "quaternion is zero, expected (w, x, y, z) with a length");
  }
}

static void read_models(pki_scenario *s, const pki_node *root, pki_problems *problems)
{
  const pki_node *one = pki_node_find(root, "model"), *many = pki_node_find(root, "models");
  if (one == NULL && many == NULL) {
    const pki_node *objects = pki_node_find(root, "objects");
    if (objects == NULL) {
      pki_problem(
          problems, root,
          "the key \"model\" is missing (or \"models\", a list; or \"objects\"): who is in the world");
    } else if (objects->kind == PKI_NODE_LIST && objects->count == 0) {
      pki_problem(problems, objects,
                  "objects is an empty list and there is no model, expected one of either at least");
    }
    return;
  }
  if (one != NULL && many != NULL) {
    pki_problem(problems, many, "model and models are both there; give one");
    return;
  }
  if (many != NULL && pki_expect_kind(many, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  if (many != NULL && many->count == 0) {
    pki_problem(problems, many, "models is an empty list, expected one at least");
    return;
  }
  s->models = calloc(many != NULL ? (size_t)many->count : 1, sizeof *s->models);
  if (s->models == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = many != NULL ? many->first : one; n != NULL; n = many != NULL ? n->next : NULL) {
    pki_scenario_model *m = &s->models[s->nmodel++];
    read_model(n, m, problems);
    if (m->srdf[0] != '\0') {
      pki_scenario_hash_file(s, m->srdf);
    }
  }
}

/* A distance has a length, nothing else has one. */
static void read_constraints(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *entries = NULL;
  pki_read_entries(list, pki_constraint_fields, pki_constraint_field_count, sizeof *s->constraints, &entries,
                   &s->nconstraint, problems);
  s->constraints = entries;
  for (int i = 0; i < s->nconstraint; i++) {
    pki_scenario_constraint *c = &s->constraints[i];
    const pki_node *length = pki_node_find(c->node, "length");
    if (c->kind == PK_CONSTRAINT_DISTANCE && !(c->length > 0)) {
      pki_problem(problems, length != NULL ? length : c->node,
                  "a distance needs a length above 0 m; a ball holds two points together");
    } else if (c->kind != PK_CONSTRAINT_DISTANCE && (int)c->kind >= 0 && length != NULL) {
      pki_problem(problems, length, "a %s has no length; kind: distance has one",
                  pki_constraint_fields[0].words[c->kind]);
    }
  }
}

/* An entry that changes nothing was meant to. */
static void read_actuators(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *entries = NULL;
  pki_read_entries(list, pki_actuator_fields, pki_actuator_field_count, sizeof *s->actuators, &entries,
                   &s->nactuator, problems);
  s->actuators = entries;
  for (int i = 0; i < s->nactuator; i++) {
    const pki_node *node = s->actuators[i].node;
    if (node->kind == PKI_NODE_MAP && node->count == 1 && pki_node_find(node, "joints") != NULL) {
      pki_problem(problems, node,
                  "nothing is said of these joints, expected one of effort, velocity, damping, "
                  "friction, armature");
    }
  }
}

/* ---- the ground ---- */

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
    m->name = n->key;
    pki_fields_preset(pki_material_fields, pki_material_field_count, &m->material);
    const pki_binding binding = {pki_material_fields, pki_material_field_count, &m->material};
    pki_read_map(n, &binding, 1, problems);
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

/* ---- how ---- */

static void read_step(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  /* the preset comes first, wherever it stands; what is wrong with it is told below */
  int preset = PK_SIM_PRESET_DEFAULT;
  pki_read_field(pki_node_find(map, "preset"), pki_preset_fields, &preset, NULL);
  s->step = pk_sim_options_preset((pk_sim_preset)preset);
  const pki_binding bindings[] = {{pki_preset_fields, pki_preset_field_count, &preset},
                                  {pki_sim_fields, pki_sim_field_count, &s->step}};
  pki_read_map(map, bindings, 2, problems);
}

/* A controller's list of mappings, into the array among its options. */
static void read_controller_list(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  const pki_controller_list *l = s->controller->list;
  const pki_node *list = l != NULL ? pki_node_find(node, l->name) : NULL;
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  int *count = (int *)(void *)((char *)s->controller_options + l->count);
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    if (*count == l->most) {
      pki_problem(problems, n, "%s has more than %d entries", l->name, l->most);
      return;
    }
    void *entry = (char *)s->controller_options + l->offset + (size_t)(*count)++ * l->size;
    pki_fields_preset(l->fields, *l->nfield, entry);
    const pki_binding binding = {l->fields, *l->nfield, entry};
    pki_read_map(n, &binding, 1, problems);
  }
}

/* Other parts of a controller's table are lists of `most` names: pointers at their offset, NULL where none is given. One
 * such list is enough today. */
static void read_controller_names(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  for (int i = 0; i < s->controller->nfield; i++) {
    const pk_field *f = &s->controller->fields[i];
    const bool names = f->type == PK_FIELD_PART &&
                       (s->controller->list == NULL || strcmp(s->controller->list->name, f->name) != 0);
    const pki_node *list = names ? pki_node_find(node, f->name) : NULL;
    int count = 0;
    if (list == NULL || s->controller_names != NULL ||
        pki_read_names(list, (int)f->most, &s->controller_names, &count, problems) != PK_OK) {
      continue;
    }
    for (int k = 0; k < count; k++) {
      const char *name = s->controller_names[k];
      memcpy((char *)s->controller_options + f->offset + (size_t)k * sizeof name, &name, sizeof name);
    }
  }
}

/* A file among a controller's options is found from the scenario's folder, and is part of its hash. */
static void find_controller_file(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  const pk_field *f = pki_fields_find(s->controller->fields, s->controller->nfield, "file");
  char *file = f != NULL ? (char *)s->controller_options + f->offset : NULL, path[PKI_PATH_MAX];
  if (file == NULL || file[0] == '\0') {
    return;
  }
  pk_error err = {0};
  const pki_node *at = pki_node_find(node, "file");
  pk_status status = pki_scenario_find_file(s, at, file, path, &err);
  if (status == PK_OK && strlen(path) > (size_t)f->most) {
    status = pki_node_fail(at, &err, PK_ERROR_ARGUMENT, "the path is too long");
  }
  if (pki_problems_note(problems, status, &err) == PK_OK) {
    pki_scenario_hash_file(s, file);
    memcpy(file, path, strlen(path) + 1);
  }
}

/* A period that nobody gave is the default, or the whole number of steps below it. */
static void fit_period(pki_scenario *s)
{
  const pk_field *f = pki_fields_find(s->controller->fields, s->controller->nfield, "period");
  double *period = f != NULL ? (double *)(void *)((char *)s->controller_options + f->offset) : NULL;
  if (period != NULL && *period > 0 && s->step.dt > 0) {
    const double steps = *period / s->step.dt;
    *period = fabs(steps - round(steps)) <= 1e-6 * steps ? *period : fmax(floor(steps), 1) * s->step.dt;
  }
}

static void read_controller(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  if (node == NULL) {
    return;
  }
  const char *words[64];
  for (int i = 0; i < pki_controller_count; i++) {
    words[i] = pki_controllers[i].name;
  }
  pki_controller_name chosen = {""};
  int row = 0;
  pk_error err = {0};
  const pki_node *name = node->kind == PKI_NODE_MAP ? pki_node_find(node, "name") : node;
  if (name == NULL) {
    pki_problem(problems, node, "the key \"name\" is missing: a text, which one (pronk list controllers)");
    return;
  }
  pk_status status = pki_read_field(name, pki_controller_name_fields, &chosen, &err);
  if (status == PK_OK) {
    status = pki_read_choice(name, "controller", chosen.name, words, pki_controller_count, &row, &err);
  }
  if (pki_problems_note(problems, status, &err) != PK_OK) {
    return;
  }
  s->controller = &pki_controllers[row];
  s->controller_node = node;
  s->controller_options = calloc(1, s->controller->options_size);
  if (s->controller_options == NULL) {
    pki_problem_memory(problems);
    return;
  }
  pki_fields_preset(s->controller->fields, s->controller->nfield, s->controller_options);
  const pki_binding bindings[] = {{pki_controller_name_fields, pki_controller_name_field_count, &chosen},
                                  {s->controller->fields, s->controller->nfield, s->controller_options}};
  if (node != name) {
    pki_read_map(node, bindings, 2, problems);
    read_controller_names(s, node, problems);
    find_controller_file(s, node, problems);
    read_controller_list(s, node, problems);
  }
  if (node == name || pki_node_find(node, "period") == NULL) {
    fit_period(s);
  }
}

/* ---- what disturbs it, what is kept ---- */

static void read_pushes(pki_scenario *s, const pki_node *root, pki_problems *problems)
{
  void *pushes = NULL, *disturbs = NULL;
  pki_read_entries(pki_node_find(root, "push"), pki_scenario_push_fields, pki_scenario_push_field_count,
                   sizeof *s->pushes, &pushes, &s->npush, problems);
  s->pushes = pushes;
  pki_read_entries(pki_node_find(root, "disturb"), pki_disturb_fields, pki_disturb_field_count,
                   sizeof *s->disturbs, &disturbs, &s->ndisturb, problems);
  s->disturbs = disturbs;
  for (int i = 0; i < s->ndisturb; i++) {
    const pki_scenario_disturb *d = &s->disturbs[i];
    if (d->duration > d->every) {
      pki_problem(problems, pki_node_find(d->node, "for"),
                  "for is %g s, expected at most every, which is %g s: one push at a time", d->duration,
                  d->every);
    }
  }
}

static void read_record(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  pki_fields_preset(pki_record_fields, pki_record_field_count, &s->record);
  if (map == NULL) {
    return;
  }
  const pki_binding binding = {pki_record_fields, pki_record_field_count, &s->record};
  pki_read_map(map, &binding, 1, problems);
  pki_read_names(pki_node_find(map, "channels"), 0, &s->record_channels, &s->nrecord_channel, problems);
}

/* Names are looked up when there is a world. */
static void read_collide(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  const pki_binding binding = {pki_collide_fields, pki_collide_field_count, s};
  if (map != NULL && pki_read_map(map, &binding, 1, problems) == PK_OK) {
    s->collide = map;
  }
}

void pki_scenario_sections(pki_scenario *scenario, pki_problems *problems)
{
  pki_scenario *s = scenario;
  const pki_node *root = pki_document_root(s->document);
  const pki_binding binding = {pki_scenario_fields, pki_scenario_field_count, s};
  if (pki_expect_kind(root, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  pki_read_map(root, &binding, 1, problems);
  read_models(s, root, problems);
  pki_scenario_read_objects(s, pki_node_find(root, "objects"), problems);
  s->coordinates = pki_node_find(root, "coordinates");
  read_actuators(s, pki_node_find(root, "actuators"), problems);
  read_constraints(s, pki_node_find(root, "constraints"), problems);
  read_materials(s, pki_node_find(root, "materials"), problems);
  read_bodies(s, pki_node_find(root, "bodies"), problems);
  s->pairs = pki_node_find(root, "pairs");
  read_collide(s, pki_node_find(root, "collide"), problems);
  pki_scenario_terrain(s, pki_node_find(root, "terrain"), problems);
  read_step(s, pki_node_find(root, "step"), problems);
  read_controller(s, pki_node_find(root, "controller"), problems);
  read_pushes(s, root, problems);
  pki_scenario_read_vary(s, pki_node_find(root, "vary"), problems);
  read_record(s, pki_node_find(root, "record"), problems);
}
