#include "cli/load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/chain.h"

/* Options of the command line for the loader; -1 after a complaint. */
static int read_root(const pki_args *args)
{
  const char *word = pki_args_value(args, "root");
  if (word == NULL) {
    return PK_ROOT_AUTO;
  }
  const char *words[PK_ROOT_KIND_COUNT];
  for (int i = 0; i < PK_ROOT_KIND_COUNT; i++) {
    words[i] = pk_root_kind_name((pk_root_kind)i);
  }
  return pki_args_choice(args, "root", word, words, PK_ROOT_KIND_COUNT);
}

/* chain:N */
static pk_status add_chain(pk_builder *b, const char *name, pk_root_kind root, pk_error *err)
{
  const pki_where where = {.file = name};
  const char *text = name + strlen("chain:");
  char *end;
  const long links = strtol(text, &end, 10);
  const int most = pki_chain_limit(root);
  if (end == text || *end != '\0' || links < 1 || links > most) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "a chain has 1 to %d links, as in chain:10", most);
  }
  pk_chain_options options = pk_chain_options_default();
  options.links = (int)links;
  if (root != PK_ROOT_AUTO) {
    options.root = root;
  }
  return pk_builder_add_chain(b, &options, err);
}

static pk_status add_file(pk_builder *b, const pki_args *args, pk_root_kind root, const char *name,
                          pki_loaded *out)
{
  pk_status status = pki_model_locate(name, out->path, &out->error);
  if (status != PK_OK) {
    snprintf(out->path, sizeof out->path, "%s", name);
    return status;
  }
  const char **folders = calloc((size_t)args->ngiven + 1, sizeof *folders);
  if (folders == NULL) {
    return pki_fail(&out->error, PK_ERROR_MEMORY, (pki_where){0}, "out of memory");
  }
  pk_urdf_options options = pk_urdf_options_default();
  options.root = root;
  options.load_meshes = !pki_args_has(args, "no-meshes");
  options.package_paths = folders;
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, "package-path") == 0) {
      folders[options.npackage_paths++] = args->given[i].value;
    }
  }
  status = pk_builder_add_urdf(b, out->path, &options, &out->error);
  free(folders);
  return status;
}

int pki_load(const pki_args *args, const char *name, pki_loaded *out)
{
  memset(out, 0, sizeof *out);
  const int root = read_root(args);
  if (root < 0) {
    return PKI_EXIT_USAGE;
  }
  out->builder = pk_builder_create();
  if (out->builder == NULL) {
    pki_fail(&out->error, PK_ERROR_MEMORY, (pki_where){0}, "out of memory");
    return PKI_EXIT_FAILURE;
  }
  pk_status status;
  if (strncmp(name, "chain:", strlen("chain:")) == 0) {
    snprintf(out->path, sizeof out->path, "%s", name);
    status = add_chain(out->builder, name, (pk_root_kind)root, &out->error);
  } else {
    status = add_file(out->builder, args, (pk_root_kind)root, name, out);
  }
  out->read = status == PK_OK;
  status = out->read ? pk_builder_compile(out->builder, &out->model, &out->error) : status;
  return status == PK_OK ? PKI_EXIT_OK : status == PK_ERROR_MEMORY ? PKI_EXIT_FAILURE : PKI_EXIT_USAGE;
}

void pki_loaded_free(pki_loaded *loaded)
{
  pk_builder_destroy(loaded->builder);
  pk_model_destroy(loaded->model);
}
