#include "cli/load_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/builder.h"
#include "model/convert/compiled.h"
#include "model/kind_words.h"
#include "model/named.h"

/* A word of an option, 0 when it is not given; false after a complaint. */
static bool read_word(const pki_args *args, const char *option, const char *what, const char *const *words,
                      int count, int *out)
{
  const char *word = pki_args_value(args, option);
  *out = word != NULL ? pki_args_choice(args, what, word, words, count) : 0;
  return *out >= 0;
}

/* Options of the command line for the loader; false after a complaint. */
static bool read_options(const pki_args *args, pk_load_options *options)
{
  int root, meshes;
  *options = pk_load_options_default();
  if (!read_word(args, "root", "root", pki_root_words, PK_ROOT_KIND_COUNT, &root) ||
      !read_word(args, "collision-meshes", "kind of collision mesh", pki_mesh_collision_words,
                 PK_MESH_COLLISION_COUNT, &meshes)) {
    return false;
  }
  options->root = (pk_root_kind)root;
  options->collision_meshes = (pk_mesh_collision)meshes;
  options->load_meshes = !pki_args_has(args, "no-meshes");
  options->strict = pki_args_has(args, "strict");
  options->balance_inertia = !pki_args_has(args, "no-balance");
  return true;
}

static pk_status add_model(const pki_args *args, pk_load_options options, const char *name, pki_loaded *out)
{
  const char **folders = calloc((size_t)args->ngiven + 1, sizeof *folders);
  if (folders == NULL) {
    return pki_fail_memory(&out->error, NULL);
  }
  options.package_paths = folders;
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, "package-path") == 0) {
      folders[options.npackage_paths++] = args->given[i].value;
    }
  }
  const pk_status status = pki_builder_add_named(out->builder, name, &options, out->path, &out->error);
  free(folders);
  return status;
}

/* A compiled file tells which model it was: this version should make the same of it. */
static void compare_hash(const pki_loaded *loaded)
{
  unsigned long long hash;
  if (pki_compiled_model_hash(loaded->path, &hash) && hash != pk_model_hash(loaded->model)) {
    pki_builder_warn(
        loaded->builder, 0, "other-model", PK_ERROR_MODEL, (pki_where){.file = loaded->path},
        "the file compiles to another model (%016llx) than when it was written (%016llx): another "
        "version of Pronk wrote it; convert the model again to be sure",
        pk_model_hash(loaded->model), hash);
  }
}

int pki_load(const pki_args *args, const char *name, pki_loaded *out)
{
  memset(out, 0, sizeof *out);
  pk_load_options options;
  if (!read_options(args, &options)) {
    return PKI_EXIT_USAGE;
  }
  pk_builder_create(&out->builder, NULL);
  if (out->builder == NULL) {
    pki_fail_memory(&out->error, NULL);
    return PKI_EXIT_FAILURE;
  }
  pk_status status = add_model(args, options, name, out);
  out->read = status == PK_OK;
  status = out->read ? pk_builder_compile(out->builder, &out->model, &out->error) : status;
  if (status == PK_OK && options.root == PK_ROOT_AUTO) {
    compare_hash(out);
  }
  return pki_exit_of_input(status);
}

/* A floating joint lets a robot move whose root link is the world. */
static bool hangs_on_floating_joint(const pk_model *m, const pk_model_robot *r)
{
  for (int b = r->body; b < r->body + r->nbody; b++) {
    if (m->body_parent[b] < 0 && m->body_motion[b] == PK_MOTION_FLOATING) {
      return true;
    }
  }
  return false;
}

void pki_print_root(const pk_model *model, int robot, const char *before)
{
  const pk_model_robot *r = &model->robots[robot];
  if (r->root_reason == PK_ROOT_REASON_GIVEN) {
    return;
  }
  printf("%sroot %s: %s; %s\n", before, pk_root_kind_name(r->root), pk_root_reason_text(r->root_reason),
         r->root == PK_ROOT_FREE             ? "--root fixed welds it to the world"
         : hangs_on_floating_joint(model, r) ? "a floating joint lets the rest move"
                                             : "--root free lets it move");
}

void pki_loaded_free(pki_loaded *loaded)
{
  pk_builder_destroy(loaded->builder);
  pk_model_destroy(loaded->model);
}
