#include "scenario/load_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/builder.h"
#include "model/named.h"

/* Names are looked up; paths (with a slash, or the ending of a robot's file) start at the scenario's folder. */
static bool resolve_model_path(const pki_scenario *s, const char *name, char out[PKI_PATH_MAX])
{
  static const char *const endings[] = {".urdf", ".xml", ".mjcf", ".pkm"};
  const char *dot = strrchr(name, '.');
  bool is_path = strchr(name, '/') != NULL;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    is_path |= dot != NULL && strcmp(dot, endings[i]) == 0;
  }
  return is_path ? pki_scenario_path(s, name, out) : snprintf(out, PKI_PATH_MAX, "%s", name) < PKI_PATH_MAX;
}

/* Folders that packages are searched in, from the scenario's own. */
typedef struct package_folders {
  const char **paths; /* [count] into `text` */
  char (*text)[PKI_PATH_MAX];
  int count;
} package_folders;

static void free_folders(package_folders *f)
{
  free((void *)f->paths);
  free(f->text);
}

static pk_status find_folders(const pki_scenario *s, const pki_scenario_model *m, package_folders *out,
                              pk_error *err)
{
  const pki_node *list = m->node->kind == PKI_NODE_MAP ? pki_node_find(m->node, "package_paths") : NULL;
  *out = (package_folders){0};
  if (list == NULL) {
    return PK_OK;
  }
  out->paths = calloc((size_t)list->count + 1, sizeof *out->paths);
  out->text = calloc((size_t)list->count + 1, sizeof *out->text);
  if (out->paths == NULL || out->text == NULL) {
    return pki_fail_memory(err, NULL);
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    char *path = out->text[out->count];
    if (!pki_scenario_path(s, n->text, path)) {
      return pki_node_fail(n, err, PK_ERROR_ARGUMENT, "the path is too long");
    }
    out->paths[out->count++] = path;
  }
  return PK_OK;
}

static pk_load_options options_of(const pki_scenario_model *m)
{
  pk_load_options options = pk_load_options_default();
  options.prefix = m->prefix;
  options.root = m->root;
  options.pose = pk_pose_from_xyz_rpy(m->position, m->rpy);
  options.load_meshes = m->meshes;
  options.collision_meshes = m->collision_meshes;
  options.strict = m->strict;
  options.balance_inertia = m->balance_inertia;
  const double *q = m->quaternion;
  if (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0) {
    pki_quat_to_mat3(q, options.pose.rot);
  }
  return options;
}

pk_status pki_scenario_add_model(const pki_scenario *scenario, const pki_scenario_model *model,
                                 pk_builder *builder, pk_error *err)
{
  char name[PKI_PATH_MAX], path[PKI_PATH_MAX];
  const pki_node *node =
      model->node->kind == PKI_NODE_MAP ? pki_node_find(model->node, "model") : model->node;
  pk_load_options options = options_of(model);
  package_folders folders;
  if (!resolve_model_path(scenario, model->model, name)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the path is too long");
  }
  pk_status status = find_folders(scenario, model, &folders, err);
  options.package_paths = folders.paths;
  options.npackage_paths = folders.count;
  status = status == PK_OK ? pki_builder_add_named(builder, name, &options, path, err) : status;
  free_folders(&folders);
  /* what is wrong inside a model's file stays there; a file that is not there is the scenario's mistake */
  return status == PK_OK || (err != NULL && err->line > 0) ? status
                                                           : pki_node_place(status, node, model->model, err);
}

int pki_builder_robots(const pk_builder *builder)
{
  return builder->nrobot;
}
