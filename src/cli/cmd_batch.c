/* pronk batch: a scenario in many worlds at once, each with numbers of its own. */
#include "run/run_batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/print_summary.h"
#include "cli/replaced.h"
#include "cli/sets.h"
#include "cli/terminal.h"

const pki_option pki_options_batch[] = {
    {"worlds", 'w', "N", "how many (default: 64)"},
    {"set", 0, "KEY=VALUE", "override a key of the scenario, as in step.dt=1.25e-3; may be repeated"},
    PKI_WORLD_OF_MODEL,
    PKI_MODEL_OPTIONS,
    {"duration", 0, "S", "simulated time, instead of the scenario's"},
    {"lanes", 0, "N", "worlds at once on vector lanes: 1, 4 or 8 (default: what suits the machine)"},
    {"threads", 0, "N", "default: one for each processor"},
    {"compiled", 0, NULL, "dynamics by the robot's own code, which the system's C compiler makes once"},
    {"output", 'o', "DIR", "where worlds.csv and report.html go (default: out/NAME-batch)"},
    {"no-output", 'n', NULL, "write no files"},
    {0},
};

enum { WORLDS = 64, SHOWN = 5 };

/* ---- what is printed ---- */

static cJSON *quantity_json(const pki_batch_result *r, pki_batch_quantity what)
{
  static const char *const names[] = {"least", "p5", "median", "p95", "most"};
  static const double parts[] = {0, 0.05, 0.5, 0.95, 1};
  int n;
  double *x = pki_batch_sorted(r, what, &n);
  cJSON *o = cJSON_CreateObject();
  for (int i = 0; i < 5; i++) {
    pki_json_number(o, names[i], x != NULL ? pki_quantile(x, n, parts[i]) : NAN);
  }
  free(x);
  return o;
}

static cJSON *batch_json(const pki_batch_result *r, const char *folder)
{
  const pki_scenario *s = r->world->scenario;
  cJSON *o = cJSON_CreateObject();
  int worst[SHOWN];
  cJSON_AddStringToObject(o, "scenario", s->name);
  cJSON_AddNumberToObject(o, "worlds", r->worlds);
  cJSON_AddNumberToObject(o, "duration", r->duration);
  cJSON_AddNumberToObject(o, "steps", (double)r->steps);
  pki_json_number(o, "steps_per_second", (double)r->steps / fmax(r->wall, 1e-9));
  cJSON_AddNumberToObject(o, "steps_alone", (double)r->alone);
  cJSON *left = cJSON_AddObjectToObject(o, "steps_alone_why");
  for (int i = PK_LANE_EXIT_NONE + 1; i < PK_LANE_EXIT_COUNT; i++) {
    cJSON_AddNumberToObject(left, pk_lane_exit_name((pk_lane_exit)i), (double)r->left[i]);
  }
  cJSON_AddNumberToObject(o, "impulses_alone", (double)r->impulses_alone);
  cJSON_AddNumberToObject(o, "shifted_steps", (double)r->shifted);
  cJSON_AddNumberToObject(o, "largest_shift", r->shift);
  cJSON_AddNumberToObject(o, "lanes", r->lanes);
  cJSON_AddNumberToObject(o, "threads", r->threads);
  const char *const dynamics = pki_world_dynamics(r->world);
  pki_json_dynamics(o, dynamics, r->world->not_compiled);
  cJSON_AddNumberToObject(o, "generic_worlds", strcmp(dynamics, "generic") == 0 ? r->worlds : 0);
  cJSON_AddNumberToObject(o, "world_bytes", (double)r->world_bytes);
  cJSON_AddNumberToObject(o, "fell", r->fell);
  cJSON_AddNumberToObject(o, "frozen", r->frozen);
  cJSON_AddNumberToObject(o, "uncertified_steps", (double)r->uncertified);
  cJSON_AddNumberToObject(o, "bound", r->bound);
  pki_json_number(o, "worst_residual", r->worst);
  cJSON_AddNumberToObject(o, "worst_world", r->worst_world);
  for (int i = 0; i < PKI_BATCH_RESIDUAL; i++) {
    cJSON_AddItemToObject(o, pki_batch_rows[i].key, quantity_json(r, (pki_batch_quantity)i));
  }
  cJSON *replay = cJSON_AddArrayToObject(o, "replay");
  const int n = pki_batch_worst(r, worst, SHOWN);
  for (int i = 0; i < n; i++) {
    pki_text line = {0};
    pki_batch_replay(r, worst[i], &line);
    cJSON_AddItemToArray(replay, cJSON_CreateString(line.data != NULL ? line.data : ""));
    pki_text_free(&line);
  }
  cJSON_AddBoolToObject(o, "interrupted", r->interrupted);
  if (folder != NULL) {
    char path[PKI_PATH_MAX];
    cJSON_AddStringToObject(o, "csv", pki_path_join(path, folder, "worlds.csv") ? path : folder);
    cJSON_AddStringToObject(o, "report", pki_path_join(path, folder, "report.html") ? path : folder);
  }
  return o;
}

static bool print_text(const pki_batch_result *r, const char *folder)
{
  const pki_palette p = pki_palette_for(stdout);
  const pki_scenario *s = r->world->scenario;
  int worst[SHOWN];
  pki_table table;
  pki_text text = {0};
  pki_batch_table(r, &table);
  pki_table_text(&table, "  ", true, &text);
  const bool good = !text.failed;
  if (!good) {
    pki_complain("batch", "out of memory");
  } else {
    const int n = pki_batch_worst(r, worst, SHOWN);
    printf("%s%s%s%s%s\n\n%s\nWorth a look:\n", p.bold, s->name, p.plain, s->description[0] ? ": " : "",
           s->description, text.data);
    for (int i = 0; i < n; i++) {
      pki_text line = {0};
      pki_batch_replay(r, worst[i], &line);
      printf("  %s %s# %s%s\n", line.data != NULL ? line.data : "", p.dim,
             pki_batch_ending(&r->of[worst[i]], "most tilted"), p.plain);
      pki_text_free(&line);
    }
    if (folder != NULL) {
      printf("\nWorlds: %s/worlds.csv\nReport: %s/report.html\n", folder, folder);
    }
  }
  pki_table_free(&table);
  pki_text_free(&text);
  return good;
}

/* Exit status, with a word on stderr about why it is not 0. That robots fall is a result, no failure. */
static int batch_exit_status(const pki_batch_result *r, bool certify)
{
  if (r->interrupted) {
    pki_complain("batch", "interrupted at %g s", r->duration);
    return PKI_EXIT_FAILURE;
  }
  if (r->frozen > 0) {
    pki_complain("batch", "%d world%s stopped early", r->frozen, r->frozen == 1 ? "" : "s");
    return PKI_EXIT_FAILURE;
  }
  if (certify && r->uncertified > 0) {
    pki_complain("batch", "%lld of %lld steps above the bound %g; the worst: %.3g in world %d",
                 r->uncertified, r->steps, r->bound, r->worst, r->worst_world);
    return PKI_EXIT_FAILURE;
  }
  return PKI_EXIT_OK;
}

/* ---- the command ---- */

static int run_worlds(const pki_args *args, pki_world *world, pki_batch_options *options)
{
  const pki_scenario *s = world->scenario;
  pki_progress progress = pki_progress_start();
  pki_batch_result result = {0};
  pk_error err = {0};
  options->progress = progress.shown ? pki_progress_show : NULL;
  options->user = &progress; /* cppcheck-suppress autoVariables */
  options->stop = pki_interrupt_catch();
  options->bound = s->certify;
  pk_status status = pki_batch_run(world, options, &result, &err);
  pki_interrupt_release();
  pki_progress_end(&progress);
  if (status == PK_OK && options->folder != NULL) {
    status = pki_batch_csv(&result, options->folder, &err);
    status = status == PK_OK ? pki_batch_report(&result, options->folder, &err) : status;
  }
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("batch", &err);
    code = status == PK_ERROR_ARGUMENT || status == PK_ERROR_UNSUPPORTED ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  } else {
    const bool printed = args->json ? pki_json_print(batch_json(&result, options->folder), true, "batch")
                                    : print_text(&result, options->folder);
    code = batch_exit_status(&result, s->certify > 0);
    code = printed ? code : PKI_EXIT_FAILURE;
  }
  pki_batch_result_free(&result);
  return code;
}

static bool read_options(const pki_args *args, pki_batch_options *o)
{
  double worlds, lanes, threads;
  *o = (pki_batch_options){.duration = -1, .folder = pki_args_value(args, "output")};
  if (!pki_one_world(args, "scenario (pronk list scenarios shows them)")) {
    return false;
  }
  if (!pki_args_number(args, "worlds", 1, 1e6, WORLDS, &worlds) ||
      !pki_args_number(args, "lanes", 0, 8, 0, &lanes) ||
      !pki_args_number(args, "threads", 0, 1024, 0, &threads) ||
      !pki_args_number(args, "duration", 0, 1e6, -1, &o->duration)) {
    return false;
  }
  if (worlds != floor(worlds) || threads != floor(threads) ||
      (lanes != 0 && lanes != 1 && lanes != 4 && lanes != 8)) {
    pki_complain("batch", worlds != floor(worlds)     ? "--worlds is no whole number"
                          : threads != floor(threads) ? "--threads is no whole number"
                                                      : "--lanes is neither 1, 4 nor 8");
    return false;
  }
  if (o->folder != NULL && pki_args_has(args, "no-output")) {
    pki_complain("batch", "--output and --no-output exclude each other");
    return false;
  }
  o->worlds = (int)worlds, o->lanes = (int)lanes, o->threads = (int)threads;
  return true;
}

int pki_command_batch(const pki_args *args)
{
  pki_batch_options options;
  char folder[PKI_PATH_MAX];
  if (!read_options(args, &options)) {
    return PKI_EXIT_USAGE;
  }
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pk_error err = {0};
  pk_status status = pki_load_scenario(args, &scenario, &err);
  if (status == PK_OK && scenario->world >= 0) {
    status = pki_fail(&err, PK_ERROR_ARGUMENT, (pki_where){.file = scenario->file, .field = "world"},
                      "a batch has all worlds: leave `world` out");
  }
  status = status == PK_OK ? pki_world_create(scenario, &world, &err) : status;
  if (status == PK_OK) {
    pki_warn_scenario("batch", scenario, &world, options.duration);
  }
  if (status == PK_OK && scenario->nvary == 0 && scenario->ndisturb == 0) {
    fprintf(stderr,
            "pronk batch: warning: the scenario has neither `vary` nor `disturb`: all worlds are the same\n");
  }
  int code;
  if (status != PK_OK) {
    pki_complain_error("batch", &err);
    code = pki_exit_of_input(status);
  } else {
    if (options.folder == NULL && !pki_args_has(args, "no-output")) {
      pki_default_folder(scenario->name, "-batch", folder);
      options.folder = folder;
    }
    if (options.folder != NULL) {
      pki_tell_replaced(args, options.folder, "worlds.csv");
    }
    pki_compile_world("batch", &world, options.lanes > 0 ? options.lanes : pki_best_lanes());
    code = run_worlds(args, &world, &options);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return code;
}
