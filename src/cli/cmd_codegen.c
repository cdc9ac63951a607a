/* pronk codegen: a model's dynamics as C code of its own. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/load_model.h"
#include "cli/print_json.h"
#include "symbolic/code/codegen.h"

const pki_option pki_options_codegen[] = {
    {"output", 'o', "DIR", "where the files go (default: out/MODEL-code)"},
    {"name", 0, "PREFIX", "of the files, and what functions' names begin with (default: the robot's name)"},
    {"functions", 0, "LIST", "which ones, by comma: aba,crba (default: all)"},
    {"parameters", 0, "LIST",
     "what stays an input, by comma: inertia, position, gravity, armature (default: nothing)"},
    {"states", 0, "N", "that the self-test compares, 1 to 64 (default: 4)"},
    PKI_LOAD_OPTIONS,
    {0}};

/* An option's text into a field of the options; false after a complaint. */
static bool take_text_option(const pki_args *args, const char *name, char *to, size_t size)
{
  const char *value = pki_args_value(args, name);
  if (value != NULL && (size_t)snprintf(to, size, "%s", value) >= size) {
    pki_complain("codegen", "--%s is longer than %zu letters", name, size - 1);
    return false;
  }
  return true;
}

static bool take_states(const pki_args *args, pk_codegen_options *o)
{
  const char *value = pki_args_value(args, "states");
  pk_error err;
  int count;
  const pk_field *fields = pki_codegen_fields(&count);
  if (value != NULL && pki_fields_parse(fields, count, o, "states", value, &err) != PK_OK) {
    pki_complain_error("codegen", &err);
    return false;
  }
  return true;
}

static int print_json(const pk_codegen_info *info, const char *folder, double seconds)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "folder", folder);
  cJSON_AddStringToObject(o, "name", info->name);
  pki_json_number(o, "seconds", seconds);
  cJSON *files = cJSON_AddArrayToObject(o, "files"), *functions = cJSON_AddArrayToObject(o, "functions");
  for (int i = 0; i < info->nfile; i++) {
    cJSON_AddItemToArray(files, cJSON_CreateString(info->files[i]));
  }
  for (int i = 0; i < info->nfunction; i++) {
    const pk_codegen_function *f = &info->functions[i];
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", f->name);
    cJSON_AddNumberToObject(row, "operations_before", f->before);
    cJSON_AddNumberToObject(row, "operations", f->after);
    cJSON_AddNumberToObject(row, "statements", f->statements);
    cJSON_AddItemToArray(functions, row);
  }
  return pki_json_print(o, true, "codegen") ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static int print_text(const pk_codegen_info *info, const char *folder, double seconds)
{
  printf("%-18s %12s %12s\n", "function", "operations", "as written");
  for (int i = 0; i < info->nfunction; i++) {
    const pk_codegen_function *f = &info->functions[i];
    printf("%-18s %12d %12d\n", f->name, f->after, f->before);
  }
  printf("%d files in %s, %.2f s; README.md there tells how to build them\n", info->nfile, folder, seconds);
  return PKI_EXIT_OK;
}

static int generate_code(const pki_args *args, const pki_loaded *loaded)
{
  pk_codegen_options o = pk_codegen_options_default();
  char folder[PKI_PATH_MAX];
  const char *given = pki_args_value(args, "output");
  if (!take_states(args, &o) || !take_text_option(args, "name", o.name, sizeof o.name) ||
      !take_text_option(args, "functions", o.functions, sizeof o.functions) ||
      !take_text_option(args, "parameters", o.parameters, sizeof o.parameters)) {
    return PKI_EXIT_USAGE;
  }
  if (given == NULL) {
    pki_default_folder(loaded->model->nrobot > 0 ? loaded->model->robots[0].name : "robot", "-code", folder);
  } else if (given[0] == '\0' || snprintf(folder, sizeof folder, "%s", given) >= (int)sizeof folder) {
    pki_complain("codegen", "the path of the output is too long, or empty");
    return PKI_EXIT_USAGE;
  }
  pk_codegen_info info;
  pk_error err;
  const double start = pki_clock();
  const pk_status status = pk_codegen_write(loaded->model, &o, folder, &info, &err);
  const double seconds = pki_clock() - start;
  if (status != PK_OK) {
    pki_complain_error("codegen", &err);
    return status == PK_ERROR_MEMORY || status == PK_ERROR_FILE ? PKI_EXIT_FAILURE : PKI_EXIT_USAGE;
  }
  return args->json ? print_json(&info, folder, seconds) : print_text(&info, folder, seconds);
}

int pki_command_codegen(const pki_args *args)
{
  if (args->nword != 1) {
    pki_complain("codegen",
                 args->nword == 0 ? "name a model (pronk list models shows some)" : "one model at a time");
    return PKI_EXIT_USAGE;
  }
  pki_loaded loaded;
  int code = pki_load(args, args->words[0], &loaded);
  if (code == PKI_EXIT_OK) {
    code = generate_code(args, &loaded);
  } else if (loaded.error.message[0] != '\0') {
    pki_complain_error("codegen", &loaded.error);
  }
  pki_loaded_free(&loaded);
  return code;
}
