/* pronk convert: a model in another format. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/load_model.h"
#include "cli/print_json.h"
#include "model/convert/compiled.h"

const pki_option pki_options_convert[] = {
    {"to", 0, "FORMAT", "urdf, mjcf or compiled (default: by the ending .urdf, .xml or .pkm)"},
    {"mujoco", 0, "2|3", "the MuJoCo that reads the MJCF; 2: efforts become motors (default: 3)"},
    PKI_LOAD_OPTIONS,
    {0}};

/* The format by --to or the ending; -1 after a complaint. */
static int choose_format(const pki_args *args, const char *path)
{
  static const char *const endings[][2] = {
      {".urdf", "urdf"}, {".xml", "mjcf"}, {".mjcf", "mjcf"}, {".pkm", "compiled"}};
  const char *words[PK_MODEL_FORMAT_COUNT];
  for (int i = 0; i < PK_MODEL_FORMAT_COUNT; i++) {
    words[i] = pk_model_format_name((pk_model_format)i);
  }
  const char *word = pki_args_value(args, "to");
  for (size_t i = 0; word == NULL && i < sizeof endings / sizeof endings[0]; i++) {
    word = pki_ends_with(path, endings[i][0]) ? endings[i][1] : NULL;
  }
  if (word == NULL) {
    pki_complain("convert", "%s has no ending that tells its format (.urdf, .xml, .pkm): give --to", path);
    return -1;
  }
  return pki_args_choice(args, "format", word, words, PK_MODEL_FORMAT_COUNT);
}

static const char *plural(int count)
{
  return count == 1 ? "" : "s";
}

static void print_text(const pki_loaded *loaded, const char *path, pk_model_format format, int nmesh)
{
  const pk_model *m = loaded->model;
  printf("%s: %s, %d robot%s, %d link%s, %d moving joint%s, %d shape%s", path, pk_model_format_name(format),
         m->nrobot, plural(m->nrobot), m->nlink, plural(m->nlink), m->njoint, plural(m->njoint), m->nshape,
         plural(m->nshape));
  if (nmesh > 0) {
    printf(", %d mesh file%s in meshes beside it", nmesh, plural(nmesh));
  }
  printf("\n");
}

static int print_json(const pki_loaded *loaded, const char *path, pk_model_format format, int nmesh, int from)
{
  const pk_model *m = loaded->model;
  char hash[32];
  int count;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(loaded->builder, &count);
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddStringToObject(o, "format", pk_model_format_name(format));
  cJSON_AddNumberToObject(o, "robots", m->nrobot);
  cJSON_AddNumberToObject(o, "links", m->nlink);
  cJSON_AddNumberToObject(o, "joints", m->njoint);
  cJSON_AddNumberToObject(o, "shapes", m->nshape);
  cJSON_AddNumberToObject(o, "mesh_files", nmesh);
  snprintf(hash, sizeof hash, "%016llx", pk_model_hash(m));
  cJSON_AddStringToObject(o, "model_hash", hash);
  cJSON *losses = cJSON_AddArrayToObject(o, "losses");
  for (int i = from; i < count; i++) {
    cJSON_AddItemToArray(losses, cJSON_CreateString(all[i].error.message));
  }
  return pki_json_print(o, true, "convert") ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

/* Everything after the first `from` remarks is a loss. */
static void print_losses(const pki_loaded *loaded, int from)
{
  int count;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(loaded->builder, &count);
  for (int i = from; i < count; i++) {
    fprintf(stderr, "pronk convert: %s: lost: %s\n", all[i].is_error ? "error" : "warning",
            all[i].error.message);
  }
}

static int write_model(const pki_args *args, const pki_loaded *loaded, pk_model_format format)
{
  const char *path = args->words[1];
  pk_write_options options = pk_write_options_default();
  double mujoco;
  if (!pki_args_number(args, "mujoco", 2, 3, options.mujoco, &mujoco)) {
    return PKI_EXIT_USAGE;
  }
  options.mujoco = mujoco < 3 ? 2 : 3;
  options.strict = pki_args_has(args, "strict");
  int from, nmesh;
  pk_builder_diagnostics(loaded->builder, &from);
  pk_error err;
  const pk_status status =
      pki_builder_write_model(loaded->builder, loaded->model, path, format, &options, &nmesh, &err);
  if (!args->json || status != PK_OK) {
    print_losses(loaded, from);
  }
  if (status != PK_OK) {
    int now;
    pk_builder_diagnostics(loaded->builder, &now);
    if (now > from && options.strict) {
      pki_complain("convert", "nothing was written: without --strict what is lost is a warning");
    } else {
      pki_complain_error("convert", &err);
    }
    return status == PK_ERROR_FILE || status == PK_ERROR_MEMORY ? PKI_EXIT_FAILURE : PKI_EXIT_USAGE;
  }
  if (args->json) {
    return print_json(loaded, path, format, nmesh, from);
  }
  print_text(loaded, path, format, nmesh);
  return PKI_EXIT_OK;
}

int pki_command_convert(const pki_args *args)
{
  if (args->nword != 2) {
    pki_complain("convert", "give a model and the file to write: pronk convert starleth starleth.xml");
    return PKI_EXIT_USAGE;
  }
  const int format = choose_format(args, args->words[1]);
  if (format < 0) {
    return PKI_EXIT_USAGE;
  }
  pki_loaded loaded;
  int code = pki_load(args, args->words[0], &loaded);
  if (code == PKI_EXIT_OK) {
    code = write_model(args, &loaded, (pk_model_format)format);
  } else if (loaded.error.message[0] != '\0') {
    pki_complain_error("convert", &loaded.error);
  }
  pki_loaded_free(&loaded);
  return code;
}
