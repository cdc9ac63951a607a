/* pronk run: simulate a scenario, say how it went. */
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/terminal.h"

const pki_option pki_options_run[] = {
    {"set", 0, "KEY=VALUE", "override a key of the scenario, as in step.dt=1.25e-3; may be repeated"},
    {"certify", 0, "[BOUND]", "fail when a step's relative residual is above it (default: the tolerance)"},
    {"duration", 0, "S", "simulated time, instead of the scenario's"},
    {"output", 'o', "DIR", "write summary.json, states.csv and report.html there"},
    {0},
};

/* A number of the command line; false after a complaint. */
static bool read_number(const char *option, const char *text, double least, double most, double *out)
{
  const char *cursor = text, *const end = text + strlen(text);
  if (pki_parse_real(&cursor, end, out) && cursor == end && *out >= least && *out <= most) {
    return true;
  }
  pki_complain("run", "--%s is '%s', expected a number from %g to %g", option, text, least, most);
  return false;
}

/* ---- what is printed ---- */

static void add_certificate(cJSON *o, const pki_run_result *r)
{
  pki_json_number(o, "worst_residual", r->worst_residual);
  pki_json_number(o, "worst_residual_speed", r->worst_speed);
  cJSON_AddNumberToObject(o, "worst_step", (double)r->worst_step);
  pki_json_number(o, "worst_time", r->worst_time);
  cJSON_AddStringToObject(o, "worst_solver", r->worst_step > 0 ? pk_solver_name(r->worst_solver) : "");
  pki_json_number(o, "bound", r->bound);
  cJSON_AddNumberToObject(o, "uncertified_steps", (double)r->uncertified);
  cJSON_AddBoolToObject(o, "certified", r->uncertified == 0);
  cJSON_AddNumberToObject(o, "shifted_steps", (double)r->shifted);
  cJSON_AddNumberToObject(o, "stabilisation", r->stabilisation);
}

static void add_peaks(cJSON *o, const pki_run_result *r)
{
  cJSON *peaks = cJSON_AddObjectToObject(o, "peak_torques");
  for (int k = 0; k < r->ndof; k++) {
    const int joint = r->model->dof_joint[k];
    if (joint >= 0) {
      const pk_model_joint *j = &r->model->joints[joint];
      char name[256];
      snprintf(name, sizeof name, j->nu == 1 ? "%s" : "%s.%d", j->name, k - j->u);
      pki_json_number(peaks, name, r->peak[k]);
    }
  }
}

static cJSON *result_json(const pki_scenario *s, const pki_run_result *r)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "scenario", s->name);
  cJSON_AddStringToObject(o, "file", s->file);
  pki_json_number(o, "duration", r->duration);
  cJSON_AddNumberToObject(o, "steps", (double)r->steps);
  pki_json_number(o, "dt", s->step.dt);
  pki_json_number(o, "real_time_factor", r->real_time_factor);
  pki_json_number(o, "wall", r->wall);
  cJSON_AddBoolToObject(o, "fell", r->fell);
  cJSON_AddItemToObject(o, "fell_at", r->fell ? cJSON_CreateNumber(r->fell_at) : cJSON_CreateNull());
  pki_json_number(o, "distance", r->distance);
  pki_json_number(o, "path", r->path);
  pki_json_number(o, "mean_speed", r->duration > 0 ? r->distance / r->duration : 0);
  pki_json_number(o, "height", r->height);
  pki_json_number(o, "height_min", r->height_min);
  pki_json_number(o, "height_max", r->height_max);
  pki_json_number(o, "tilt_max", r->tilt_max);
  add_certificate(o, r);
  pki_json_number(o, "energy_in", r->energy_in);
  pki_json_number(o, "positive_work", r->positive_work);
  pki_json_number(o, "contacts_mean", r->mean_contacts);
  cJSON_AddNumberToObject(o, "contacts_max", r->most_contacts);
  pki_json_number(o, "penetration", r->penetration);
  add_peaks(o, r);
  cJSON_AddStringToObject(o, "status", pk_status_text(r->status));
  cJSON_AddStringToObject(o, "stopped", r->stopped);
  return o;
}

/* summary.json beside what the run has written. */
static bool save_summary(const char *folder, const pki_scenario *s, const pki_run_result *r)
{
  char path[PKI_PATH_MAX];
  cJSON *json = result_json(s, r);
  char *printed = cJSON_Print(json);
  cJSON_Delete(json);
  pki_text text = {0};
  pk_error err = {.message = "out of memory"};
  pki_text_addf(&text, "%s\n", printed != NULL ? printed : "");
  const bool good = printed != NULL && pki_path_join(path, folder, "summary.json") &&
                    pki_text_save(&text, path, &err) == PK_OK;
  if (!good) {
    pki_complain_error("run", &err);
  }
  cJSON_free(printed);
  pki_text_free(&text);
  return good;
}

static bool print_text(const pki_scenario *s, const pki_run_result *r, const char *folder)
{
  const pki_palette p = pki_palette_for(stdout);
  pki_table table;
  pki_text text = {0};
  pki_run_table(r, &table);
  pki_table_text(&table, "  ", true, &text);
  if (text.failed) {
    pki_complain("run", "out of memory");
  } else {
    printf("%s%s%s%s%s\n\n%s", p.bold, s->name, p.plain, s->description[0] ? ": " : "", s->description,
           text.data);
    if (folder != NULL) {
      printf("\nReport: %s/report.html\n", folder);
    }
  }
  const bool good = !text.failed;
  pki_table_free(&table);
  pki_text_free(&text);
  return good;
}

/* ---- the command ---- */

/* Exit status of a run, with a word on stderr about why it is not 0. */
static int judge(const pki_run_result *r, bool certify)
{
  if (r->stopped[0] != '\0') {
    pki_complain("run", "stopped early: %s", r->stopped);
    return PKI_EXIT_FAILURE;
  }
  if (certify && r->uncertified > 0) {
    pki_complain("run", "%lld of %lld steps above the bound %g; the worst: %.3g in step %lld at %g s, by %s",
                 r->uncertified, r->steps, r->bound, r->worst_residual, r->worst_step, r->worst_time,
                 pk_solver_name(r->worst_solver));
    return PKI_EXIT_FAILURE;
  }
  return PKI_EXIT_OK;
}

static int run_world(const pki_args *args, pki_world *world, pki_run_options *options, bool certify)
{
  pki_progress progress = pki_progress_start();
  pki_run_result result;
  pk_error err = {0};
  options->progress = pki_progress_show;
  options->user = &progress; /* cppcheck-suppress autoVariables */
  const pk_status status = pki_run(world, options, &result, &err);
  pki_progress_end(&progress);
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("run", &err);
  } else {
    const pki_scenario *s = world->scenario;
    const bool saved = options->folder == NULL || save_summary(options->folder, s, &result);
    const bool printed = args->json ? pki_json_print(result_json(s, &result), true, "run")
                                    : print_text(s, &result, options->folder);
    code = judge(&result, certify);
    code = saved && printed ? code : PKI_EXIT_FAILURE;
  }
  pki_run_result_free(&result);
  return code;
}

/* The scenario with its overrides, and its world. */
static pk_status load(const pki_args *args, pki_scenario **scenario, pki_world *world, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const char **sets = calloc((size_t)args->ngiven + 1, sizeof *sets);
  if (sets == NULL) {
    err->status = PK_ERROR_MEMORY;
    return PK_ERROR_MEMORY;
  }
  int nset = 0;
  for (int i = 0; i < args->ngiven; i++) {
    if (strcmp(args->given[i].name, "set") == 0) {
      sets[nset++] = args->given[i].value;
    }
  }
  pk_status status = pki_scenario_locate(args->words[0], path, err);
  status = status == PK_OK ? pki_scenario_load(path, sets, nset, scenario, err) : status;
  free(sets);
  return status == PK_OK ? pki_world_create(*scenario, world, err) : status;
}

int pki_command_run(const pki_args *args)
{
  if (args->nword != 1) {
    pki_complain("run", "name one scenario (pronk list scenarios shows them)");
    return PKI_EXIT_USAGE;
  }
  pki_run_options options = {.duration = -1, .folder = pki_args_value(args, "output")};
  const char *duration = pki_args_value(args, "duration"), *bound = pki_args_value(args, "certify");
  if ((duration != NULL && !read_number("duration", duration, 0, 1e6, &options.duration)) ||
      (bound != NULL && !read_number("certify", bound, 1e-15, 1, &options.bound))) {
    return PKI_EXIT_USAGE;
  }
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pk_error err = {0};
  const pk_status status = load(args, &scenario, &world, &err);
  int code;
  if (status != PK_OK) {
    pki_complain_error("run", &err);
    code = status == PK_ERROR_MEMORY ? PKI_EXIT_FAILURE : PKI_EXIT_USAGE;
  } else {
    options.bound = options.bound > 0 ? options.bound : scenario->certify;
    code = run_world(args, &world, &options, pki_args_has(args, "certify") || scenario->certify > 0);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return code;
}
