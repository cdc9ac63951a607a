/* Who is in the world: robots from files, and what they are computed in. */
#include <stdlib.h>

#include "model/kind_words.h"
#include "scenario/files.h"
#include "scenario/section.h"

#define MODEL(name) #name, offsetof(pki_scenario_model, name)
static const pk_field model_fields[] = {
    PKI_TEXT("model", pki_scenario_model, model, 1, "a model's name, or a path from the scenario's folder"),
    PKI_TEXT("prefix", pki_scenario_model, prefix, 0, "put before its link and joint names"),
    PKI_PART("package_paths", "folders to search for package:// names, paths from the scenario's folder"),
    {MODEL(meshes), PK_FIELD_BOOL, "", true, 0, 1, NULL, "false: open no mesh file and keep no mesh"},
    {MODEL(collision_meshes), PK_FIELD_ENUM, "", PK_MESH_COLLISION_HULL, 0, PK_MESH_COLLISION_COUNT - 1,
     pki_mesh_collision_words, "what meshes that collide become"},
    {MODEL(strict), PK_FIELD_BOOL, "", false, 0, 1, NULL, "every warning about its file is an error"},
    {MODEL(balance_inertia), PK_FIELD_BOOL, "", true, 0, 1, NULL,
     "moments of inertia that no body has are mended; false: they are an error"},
    {MODEL(root), PK_FIELD_ENUM, "", PK_ROOT_AUTO, 0, PK_ROOT_KIND_COUNT - 1, pki_root_words,
     "how its root meets the world"},
    {MODEL(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of its root"},
    {MODEL(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "roll, pitch, yaw of its root"},
    {MODEL(quaternion), PK_FIELD_VEC4, "", 0, -1e6, 1e6, NULL, "of its root (w, x, y, z), instead of rpy"},
    {MODEL(on_ground), PK_FIELD_BOOL, "", false, 0, 1, NULL,
     "move a free root up or down until the start pose just stands on the ground"},
    PKI_TEXT("pose", pki_scenario_model, pose, 0,
             "initial pose by name: a keyframe of its file, or a group_state of its SRDF file"),
    PKI_TEXT("motion", pki_scenario_model, motion, 0,
             "start in the first line of a motion, a path from the scenario's folder: trunk, joints and "
             "their rates"),
    PKI_PART("joints", "initial pose: a value for each joint that is named"),
    PKI_TEXT("srdf", pki_scenario_model, srdf, 0,
             "a path from the scenario's folder: pairs of its links that do not collide, and named poses"),
    PKI_PART("surfaces", "surfaces by link, for pairs; default: the ground's material alone decides"),
};
static const int model_field_count = PKI_COUNT(model_fields);

/* Texts; where the folders are is looked up when the file is read. */
static void check_package_paths(const pki_node *list, pki_problems *problems)
{
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    if (n->kind != PKI_NODE_SCALAR || pki_node_is_null(n) || n->text[0] == '\0') {
      pki_problem(problems, n, "this is %s, expected a folder", pki_node_what(n));
    }
  }
}

/* A model may be just its name. */
static void read_model(const pki_node *node, pki_scenario_model *out, pki_problems *problems)
{
  pki_fields_preset(model_fields, model_field_count, out);
  out->node = node;
  if (node->kind == PKI_NODE_SCALAR) {
    pk_error err = {0};
    pki_problems_note(problems, pki_read_field(node, &model_fields[0], out, &err), &err);
    return;
  }
  const pki_binding binding = {model_fields, model_field_count, out};
  const pk_status status = pki_read_map(node, &binding, 1, problems);
  const pki_node *quaternion = pki_node_find(node, "quaternion");
  check_package_paths(node->kind == PKI_NODE_MAP ? pki_node_find(node, "package_paths") : NULL, problems);
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

static void read_models(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  (void)node; /* model or models: one of them */
  const pki_node *root = pki_document_root(s->document);
  const pki_node *one = pki_node_find(root, "model"), *many = pki_node_find(root, "models");
  if (one == NULL && many == NULL) {
    const pki_node *objects = pki_node_find(root, "objects");
    if (objects == NULL) {
      pki_problem(
          problems, root,
          "the key \"model\" is missing (or \"models\", a list; or \"objects\"): what is in the world");
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
    if (m->motion[0] != '\0') {
      pki_scenario_hash_file(s, m->motion);
    }
  }
}

static void release_models(pki_scenario *s)
{
  free(s->models);
}

static void read_coordinates(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  (void)problems; /* joints are looked up when there is a model */
  s->coordinates = node;
}

static const pki_schema_table model_tables[] = {
    {"model", "`model`, and each entry of `models`", model_fields, &model_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_model = {.name = "model",
                                       .doc = "the robot: a name, a path or a mapping",
                                       .form = PKI_SECTION_IS_OWN,
                                       .tables = model_tables,
                                       .read = read_models,
                                       .release = release_models};

const pki_section pki_section_models = {
    .name = "models", .doc = "several of them, as a list", .form = PKI_SECTION_IS_OWN};

const pki_section pki_section_coordinates = {
    .name = "coordinates",
    .doc = "what the world is computed in: minimal, maximal, or a list of joints to cut",
    .form = PKI_SECTION_IS_OWN,
    .read = read_coordinates};
