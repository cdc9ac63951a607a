/* pronk check for sweeps: a YAML file that names a scenario. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "scenario/yaml_file.h"
#include "sweep/sweep.h"

bool pki_is_sweep_file(const char *name)
{
  static const char *const own[] = {"scenario"};
  return pki_yaml_has_key(name, own, 1);
}

static bool print_json(const char *path, const pki_sweep *s, bool ok, const pk_error *err)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddBoolToObject(o, "ok", ok);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors");
  cJSON_AddArrayToObject(o, "warnings");
  if (ok) {
    cJSON_AddStringToObject(o, "sweep", s->name);
    cJSON_AddStringToObject(o, "scenario", s->scenario);
    cJSON_AddNumberToObject(o, "samples", (double)s->count);
  } else {
    cJSON_AddItemToArray(errors, pki_json_error(err));
  }
  return pki_json_print(o, false, "check");
}

int pki_check_sweep(const pki_args *args, const char *name)
{
  pki_sweep s = {0};
  pk_error err = {0};
  pki_sets sets;
  if (!pki_sets_read(args, &sets)) {
    return PKI_EXIT_FAILURE;
  }
  const pk_status status = pki_sweep_load(name, sets.list, sets.count, &s, &err);
  const bool ok = status == PK_OK;
  int code = pki_exit_of_input(status);
  if (args->json) {
    code = print_json(name, &s, ok, &err) ? code : PKI_EXIT_FAILURE;
  } else if (ok) {
    printf("%s: ok\n  %s: %s\n  %lld sample%s of %s, %d parameter%s\n", name, s.name, s.description, s.count,
           s.count == 1 ? "" : "s", s.scenario, s.nparameter, s.nparameter == 1 ? "" : "s");
  } else {
    pki_check_remark(&err, true, name);
  }
  pki_sets_free(&sets);
  pki_sweep_free(&s);
  return code;
}
