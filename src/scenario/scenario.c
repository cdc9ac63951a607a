#include "scenario/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "step/sim.h"

static pk_status fail_memory(pk_error *err)
{
  return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the scenario");
}

/* ---- parts ---- */

/* A model may be just its name. */
static pk_status read_model(const pki_node *node, pki_scenario_model *out, pk_error *err)
{
  pki_fields_preset(pki_scenario_model_fields, pki_scenario_model_field_count, out);
  out->node = node;
  if (node->kind == PKI_NODE_SCALAR) {
    return pki_read_field(node, &pki_scenario_model_fields[0], out, err);
  }
  const pki_binding binding = {pki_scenario_model_fields, pki_scenario_model_field_count, out};
  const pk_status status = pki_read_map(node, &binding, 1, err);
  const pki_node *quaternion = pki_node_find(node, "quaternion");
  if (status != PK_OK || quaternion == NULL) {
    return status;
  }
  const double *q = out->quaternion;
  if (pki_node_find(node, "rpy") != NULL) {
    return pki_node_fail(quaternion, err, PK_ERROR_ARGUMENT,
                         "quaternion and rpy both say how it is turned; give one");
  }
  if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12)) {
    return pki_node_fail(quaternion, err, PK_ERROR_ARGUMENT,
                         "quaternion is zero, expected (w, x, y, z) with a length");
  }
  return PK_OK;
}

static pk_status read_models(pki_scenario *s, const pki_node *root, pk_error *err)
{
  const pki_node *one = pki_node_find(root, "model"), *many = pki_node_find(root, "models");
  if ((one == NULL) == (many == NULL)) {
    return pki_node_fail(many != NULL ? many : root, err, PK_ERROR_ARGUMENT,
                         many != NULL
                             ? "model and models are both there; give one"
                             : "the key \"model\" is missing (or \"models\", a list): who is in the world");
  }
  pk_status status = many != NULL ? pki_read_kind(many, PKI_NODE_LIST, err) : PK_OK;
  if (status == PK_OK && many != NULL && many->count == 0) {
    status = pki_node_fail(many, err, PK_ERROR_ARGUMENT, "models is an empty list, expected one at least");
  }
  if (status != PK_OK) {
    return status;
  }
  s->models = calloc(many != NULL ? (size_t)many->count : 1, sizeof *s->models);
  if (s->models == NULL) {
    return fail_memory(err);
  }
  for (const pki_node *n = many != NULL ? many->first : one; n != NULL && status == PK_OK;
       n = many != NULL ? n->next : NULL) {
    status = read_model(n, &s->models[s->nmodel++], err);
  }
  return status;
}

static pk_status read_materials(pki_scenario *s, const pki_node *map, pk_error *err)
{
  if (map == NULL) {
    return PK_OK;
  }
  pk_status status = pki_read_kind(map, PKI_NODE_MAP, err);
  if (status == PK_OK && map->count > PKI_MATERIAL_MAX) {
    status = pki_node_fail(map, err, PK_ERROR_LIMIT, "%d materials, expected at most %d", map->count,
                           PKI_MATERIAL_MAX);
  }
  if (status != PK_OK) {
    return status;
  }
  s->materials = calloc((size_t)map->count + 1, sizeof *s->materials);
  if (s->materials == NULL) {
    return fail_memory(err);
  }
  for (const pki_node *n = map->first; n != NULL && status == PK_OK; n = n->next) {
    pki_scenario_material *m = &s->materials[s->nmaterial++];
    m->name = n->key;
    pki_fields_preset(pki_material_fields, pki_material_field_count, &m->material);
    const pki_binding binding = {pki_material_fields, pki_material_field_count, &m->material};
    status = pki_read_map(n, &binding, 1, err);
  }
  return status;
}

static pk_status read_step(pki_scenario *s, const pki_node *map, pk_error *err)
{
  if (map == NULL) {
    return PK_OK;
  }
  int preset = PK_PRESET_DEFAULT;
  pk_status status = pki_read_kind(map, PKI_NODE_MAP, err);
  status = status == PK_OK ? pki_read_field(pki_node_find(map, "preset"), pki_preset_fields, &preset, err)
                           : status;
  if (status != PK_OK) {
    return status;
  }
  s->step = pk_sim_options_preset((pk_preset)preset);
  const pki_binding bindings[] = {{pki_preset_fields, pki_preset_field_count, &preset},
                                  {pki_sim_fields, pki_sim_field_count, &s->step}};
  return pki_read_map(map, bindings, 2, err);
}

static pk_status read_controller(pki_scenario *s, const pki_node *node, pk_error *err)
{
  if (node == NULL) {
    return PK_OK;
  }
  const char *words[64];
  for (int i = 0; i < pki_controller_count; i++) {
    words[i] = pki_controllers[i].name;
  }
  pki_controller_name chosen = {""};
  int row = 0;
  const pki_node *name = node->kind == PKI_NODE_MAP ? pki_node_find(node, "name") : node;
  if (name == NULL) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT,
                         "the key \"name\" is missing: a text, which one (pronk list controllers)");
  }
  pk_status status = pki_read_field(name, pki_controller_name_fields, &chosen, err);
  if (status == PK_OK) {
    status = pki_read_choice(name, "controller", chosen.name, words, pki_controller_count, &row, err);
  }
  if (status != PK_OK) {
    return status;
  }
  s->controller = &pki_controllers[row];
  s->controller_node = node;
  s->controller_options = calloc(1, s->controller->options_size);
  if (s->controller_options == NULL) {
    return fail_memory(err);
  }
  pki_fields_preset(s->controller->fields, s->controller->nfield, s->controller_options);
  const pki_binding bindings[] = {{pki_controller_name_fields, pki_controller_name_field_count, &chosen},
                                  {s->controller->fields, s->controller->nfield, s->controller_options}};
  return node == name ? PK_OK : pki_read_map(node, bindings, 2, err);
}

static pk_status read_pushes(pki_scenario *s, const pki_node *list, pk_error *err)
{
  if (list == NULL) {
    return PK_OK;
  }
  pk_status status = pki_read_kind(list, PKI_NODE_LIST, err);
  if (status != PK_OK) {
    return status;
  }
  s->pushes = calloc((size_t)list->count + 1, sizeof *s->pushes);
  if (s->pushes == NULL) {
    return fail_memory(err);
  }
  for (const pki_node *n = list->first; n != NULL && status == PK_OK; n = n->next) {
    pki_scenario_push *p = &s->pushes[s->npush++];
    pki_fields_preset(pki_scenario_push_fields, pki_scenario_push_field_count, p);
    p->node = n;
    const pki_binding binding = {pki_scenario_push_fields, pki_scenario_push_field_count, p};
    status = pki_read_map(n, &binding, 1, err);
  }
  return status;
}

/* ---- the whole ---- */

/* "dir/trot.yaml" is called "trot". */
static void name_by_file(pki_scenario *s)
{
  const char *slash = strrchr(s->file, '/'), *start = slash != NULL ? slash + 1 : s->file;
  const char *dot = strrchr(start, '.');
  const int size = dot != NULL && dot > start ? (int)(dot - start) : (int)strlen(start);
  snprintf(s->name, sizeof s->name, "%.*s", size, start);
}

static pk_status read_scenario(pki_scenario *s, pk_error *err)
{
  const pki_node *root = pki_document_root(s->document);
  const pki_binding binding = {pki_scenario_fields, pki_scenario_field_count, s};
  pki_fields_preset(pki_scenario_fields, pki_scenario_field_count, s);
  s->gravity[2] = -9.81;
  s->step = pk_sim_options_default();
  name_by_file(s);
  pk_status status = pki_read_map(root, &binding, 1, err);
  status = status == PK_OK ? read_models(s, root, err) : status;
  s->coordinates = pki_node_find(root, "coordinates");
  status = status == PK_OK ? read_materials(s, pki_node_find(root, "materials"), err) : status;
  s->pairs = pki_node_find(root, "pairs");
  const pki_node *terrain = pki_node_find(root, "terrain");
  status = status == PK_OK ? pki_scenario_terrain(s, terrain, &s->terrain, err) : status;
  status = status == PK_OK ? read_step(s, pki_node_find(root, "step"), err) : status;
  status = status == PK_OK ? read_controller(s, pki_node_find(root, "controller"), err) : status;
  return status == PK_OK ? read_pushes(s, pki_node_find(root, "push"), err) : status;
}

pk_status pki_scenario_parse(const char *file, const char *text, size_t size, const char *const *sets,
                             int nset, pki_scenario **out, pk_error *err)
{
  *out = NULL;
  pki_scenario *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return fail_memory(err);
  }
  snprintf(s->file, sizeof s->file, "%s", file);
  pk_status status = pki_document_parse(file, text, size, &s->document, err);
  for (int i = 0; i < nset && status == PK_OK; i++) {
    status = pki_document_set(s->document, sets[i], err);
  }
  status = status == PK_OK ? read_scenario(s, err) : status;
  if (status != PK_OK) {
    pki_scenario_destroy(s);
    return status;
  }
  *out = s;
  return PK_OK;
}

pk_status pki_scenario_load(const char *path, const char *const *sets, int nset, pki_scenario **out,
                            pk_error *err)
{
  *out = NULL;
  size_t size = 0;
  char *text = pki_file_read(path, PKI_YAML_BYTES, &size);
  if (text == NULL) {
    const int cause = errno;
    const pki_where where = {.file = path};
    if (cause == EFBIG) {
      return pki_fail(err, PK_ERROR_LIMIT, where, "larger than the limit of %d MiB", PKI_YAML_BYTES >> 20);
    }
    return pki_fail(err, PK_ERROR_FILE, where, "cannot be read: %s", strerror(cause));
  }
  const pk_status status = pki_scenario_parse(path, text, size, sets, nset, out, err);
  free(text);
  return status;
}

void pki_scenario_destroy(pki_scenario *scenario)
{
  if (scenario == NULL) {
    return;
  }
  free(scenario->models);
  free(scenario->materials);
  free(scenario->pushes);
  free(scenario->controller_options);
  pk_terrain_destroy(scenario->terrain);
  pki_document_destroy(scenario->document);
  free(scenario);
}
