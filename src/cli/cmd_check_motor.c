/* pronk check for motors: a YAML file with the key `kind`, or motors/NAME. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "scenario/motor_line.h"

/* Everything that is wrong with the file of that name; the status of the first. */
static pk_status read_motor(const char *name, pki_motor_entry *m, pki_problems *problems)
{
  pk_error err = {0};
  char path[PKI_PATH_MAX];
  const pk_status status = pki_motor_locate(name, path, &err);
  if (status != PK_OK) {
    return pki_problems_note(problems, status, &err);
  }
  pki_motor_read(path, m, problems);
  pki_problems_sort(problems);
  return problems->status;
}

static bool print_json(const char *name, const pki_motor_entry *m, const pki_problems *problems)
{
  const bool ok = problems->status == PK_OK;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", ok ? m->path : name);
  cJSON_AddBoolToObject(o, "ok", ok);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors");
  cJSON_AddArrayToObject(o, "warnings");
  for (int i = 0; i < problems->count; i++) {
    cJSON_AddItemToArray(errors, pki_json_error(&problems->errors[i]));
  }
  if (ok) {
    cJSON_AddStringToObject(o, "motor", m->name);
    cJSON_AddStringToObject(o, "kind", pki_motor_kind_words[m->kind]);
  }
  return pki_json_print(o, false, "check");
}

static void print_text(const char *name, const pki_motor_entry *m, const pki_problems *problems)
{
  for (int i = 0; i < problems->count; i++) {
    pki_check_remark(&problems->errors[i], true, name);
  }
  if (problems->status != PK_OK) {
    const int total = pki_problems_total(problems);
    printf("%s: not ok, %d error%s\n", name, total, total == 1 ? "" : "s");
    return;
  }
  const pki_motor_line line = pki_motor_line_of(m);
  pki_text text = {0};
  pki_text_addf(&text, "%s: ok\n  %s, of %s: kind %s", m->path, m->name, m->maker,
                pki_motor_kind_words[m->kind]);
  if (!isnan(line.peak_torque)) {
    pki_text_addf(&text, ", largest torque %.4g N m", line.peak_torque);
  }
  if (!isnan(line.no_load_speed)) {
    pki_text_addf(&text, ", speed at no load %.4g rad/s", line.no_load_speed);
  }
  pki_text_add(&text, "\n");
  pki_print_clean(&text);
}

int pki_check_motor(const pki_args *args, const char *name)
{
  pki_motor_entry motor;
  pki_problems problems = {0};
  const pk_status status = read_motor(name, &motor, &problems);
  int code = pki_exit_of_input(status);
  if (!args->json) {
    print_text(name, &motor, &problems);
  } else if (!print_json(name, &motor, &problems)) {
    code = PKI_EXIT_FAILURE;
  }
  pki_problems_free(&problems);
  return code;
}
