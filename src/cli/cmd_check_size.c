/* pronk check for sizing studies: what can be said before their motions are there. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd_check.h"
#include "cli/sets.h"
#include "size/size_study.h"

static bool print_json(const char *path, const pki_size_study *s, const pki_problems *problems)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddBoolToObject(o, "ok", s != NULL);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors");
  cJSON_AddArrayToObject(o, "warnings");
  for (int i = 0; i < problems->count; i++) {
    cJSON_AddItemToArray(errors, pki_json_error(&problems->errors[i]));
  }
  if (s != NULL) {
    cJSON_AddStringToObject(o, "sizing", s->name);
    cJSON_AddNumberToObject(o, "motions", s->nmotion);
    cJSON_AddNumberToObject(o, "drives", s->ndrive);
  }
  return pki_json_print(o, false, "check");
}

int pki_check_size(const pki_args *args, const char *name)
{
  char path[PKI_PATH_MAX];
  pki_problems problems = {0};
  pki_size_study *study = NULL;
  pk_error err = {0};
  pki_sets sets;
  if (!pki_sets_read(args, &sets)) {
    return PKI_EXIT_FAILURE;
  }
  snprintf(path, sizeof path, "%s", name);
  if (pki_problems_note(&problems, pki_yaml_locate(&pki_size_kind, name, path, &err), &err) == PK_OK) {
    pki_size_study_load(path, sets.list, sets.count, &study, &problems);
  }
  pki_problems_sort(&problems);
  int code = pki_exit_of_input(problems.status);
  if (args->json) {
    code = print_json(path, study, &problems) ? code : PKI_EXIT_FAILURE;
  } else if (study != NULL) {
    printf("%s: ok\n  %s: %s\n  %d motion%s, %d group%s of drives\n", path, study->name, study->description,
           study->nmotion, study->nmotion == 1 ? "" : "s", study->ndrive, study->ndrive == 1 ? "" : "s");
  } else {
    for (int i = 0; i < problems.count; i++) {
      pki_check_remark(&problems.errors[i], true, path);
    }
  }
  pki_problems_free(&problems);
  pki_sets_free(&sets);
  pki_size_study_destroy(study);
  return code;
}
