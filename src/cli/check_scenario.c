/* pronk check for scenarios: read it, make its world, tell what was understood. */
#include <stdio.h>

#include "cli/check.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "scenario/scenario.h"

static bool print_json(const char *path, const pki_scenario *s, const pki_world *w, const pk_error *err)
{
  const bool ok = w->sim != NULL;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddBoolToObject(o, "ok", ok);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors");
  cJSON_AddArrayToObject(o, "warnings");
  if (!ok) {
    cJSON_AddItemToArray(errors, pki_json_error(err));
  } else {
    cJSON_AddStringToObject(o, "scenario", s->name);
    cJSON_AddNumberToObject(o, "dof", w->model->nu);
    cJSON_AddNumberToObject(o, "bodies", w->model->nbody);
    pki_json_number(o, "mass", w->model->mass);
    pki_json_number(o, "dt", s->step.dt);
    pki_json_number(o, "duration", s->duration);
    cJSON_AddStringToObject(o, "controller", s->controller != NULL ? s->controller->name : "");
  }
  return pki_json_print(o, false, "check");
}

static void print_text(const char *path, const pki_scenario *s, const pki_world *w, const pk_error *err)
{
  const pki_palette p = pki_palette_for(stdout);
  if (w->sim == NULL) {
    pki_check_remark(err, true, path);
    printf("%s: %snot ok%s, 1 error\n", path, p.red, p.plain);
    return;
  }
  printf("%s: %sok%s\n  %s%s%s\n", path, p.green, p.plain, s->name, s->description[0] ? ": " : "",
         s->description);
  for (int i = 0; i < w->model->nrobot; i++) {
    const pk_model_robot *r = &w->model->robots[i];
    printf("  %s: %s root, %d degree%s of freedom, %.4g kg\n", r->name, pk_root_kind_name(r->root), r->nu,
           r->nu == 1 ? "" : "s", r->mass);
  }
  printf("  %g s in steps of %g s, controller %s, %d push%s, %s\n", s->duration, s->step.dt,
         s->controller != NULL ? s->controller->name : "none", s->npush, s->npush == 1 ? "" : "es",
         s->terrain != NULL ? "with ground" : "without ground");
}

int pki_check_scenario(const pki_args *args, const char *name)
{
  char path[PKI_PATH_MAX];
  pki_scenario *s = NULL;
  pki_world w = {0};
  pk_error err = {0};
  pk_status status = pki_scenario_locate(name, path, &err);
  if (status != PK_OK) {
    snprintf(path, sizeof path, "%s", name);
  }
  status = status == PK_OK ? pki_scenario_load(path, NULL, 0, &s, &err) : status;
  status = status == PK_OK ? pki_world_create(s, &w, &err) : status;
  int code = status == PK_OK ? PKI_EXIT_OK : status == PK_ERROR_MEMORY ? PKI_EXIT_FAILURE : PKI_EXIT_USAGE;
  if (!args->json) {
    print_text(path, s, &w, &err);
  } else if (!print_json(path, s, &w, &err)) {
    code = PKI_EXIT_FAILURE;
  }
  pki_world_free(&w);
  pki_scenario_destroy(s);
  return code;
}
