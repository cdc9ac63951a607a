/* pronk tune: the numbers of a scenario for which a run is best. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/processors.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "tune/tune.h"

const pki_option pki_options_tune[] = {
    {"vary", 0, "KEY=LOW:HIGH",
     "a key and its bounds, behind them :log or :whole as a scale; may be repeated, up to 16 keys"},
    {"metric", 0, "METRIC", "what is minimised, behind it =WEIGHT; may be repeated: the weighted sum"},
    {"maximise", 0, NULL, "maximise it instead"},
    {"method", 0, "METHOD", "a global search, a local one, or GLOBAL+LOCAL (default: sobol+sbplx)"},
    {"evaluations", 0, "N", "points that are tried at most (default: 200)"},
    {"starts", 0, "N", "local searches, each from another of the best points (default: 2)"},
    {"worlds", 0, "N",
     "worlds of the scenario's `vary` that each point is averaged over (default: as it is)"},
    {"seed", 0, "N", "of the searches (default: 1)"},
    {"tolerance", 0, "SHARE", "of each range, at which local searches end (default: 1e-4)"},
    {"penalty", 0, "COST", "of a fall and of uncertified steps (default: 10 times the value as it is)"},
    {"set", 0, "KEY=VALUE", "override a key of the scenario in all runs; may be repeated"},
    PKI_MODEL_OPTIONS,
    PKI_WORLD_OF_MODEL,
    {"duration", 0, "S", "simulated time, instead of the scenario's"},
    {"threads", 0, "N", "runs at a time (default: as many as processors)"},
    {"output", 'o', "DIR", "where evaluations, best.yaml and the report go (default: out/NAME-tune)"},
    {"again", 0, NULL, "throw away what DIR has of it, and start afresh"},
    {0},
};

/* One tuning as it goes through this file. */
typedef struct job {
  const pki_args *args;
  pki_tune tune;
  pki_tune_result result;
  const char *folder;
  int threads;
} job;

/* ---- what is asked for ---- */

/* All values of an option, each given to `add`; false after a complaint. */
static bool read_each(job *j, const char *option, pk_status (*add)(job *j, const char *text, pk_error *err))
{
  int count;
  const char **values = pki_args_all(j->args, option, &count);
  pk_error err = {0};
  pk_status status = values != NULL ? PK_OK : pki_fail_memory(&err, NULL);
  for (int i = 0; i < count && status == PK_OK; i++) {
    status = add(j, values[i], &err);
  }
  free((void *)values);
  if (status != PK_OK) {
    pki_complain_error("tune", &err);
  }
  return status == PK_OK;
}

static pk_status add_parameter(job *j, const char *text, pk_error *err)
{
  return pki_tune_add_parameter(&j->tune, text, err);
}

static pk_status add_metric(job *j, const char *text, pk_error *err)
{
  return pki_objective_add(&j->tune.objective, text, err);
}

static bool read_numbers(job *j)
{
  const pki_args *a = j->args;
  pki_tune *t = &j->tune;
  t->objective.maximise = pki_args_has(a, "maximise");
  return pki_args_whole(a, "evaluations", 2, PKI_TUNE_EVALUATIONS, 200, &t->evaluations) &&
         pki_args_whole(a, "starts", 1, 1000, 2, &t->starts) &&
         pki_args_whole(a, "worlds", 1, 100000, 0, &t->worlds) &&
         pki_args_whole(a, "seed", 0, 1000000000, 1, &t->seed) &&
         pki_args_whole(a, "threads", 1, 1024, pki_count_processors(), &j->threads) &&
         pki_args_number(a, "tolerance", 1e-12, 1, 1e-4, &t->tolerance) &&
         pki_args_number(a, "penalty", 0, 1e300, -1, &t->objective.penalty) &&
         pki_args_number(a, "duration", 0, 1e9, -1, &t->duration);
}

/* Options that stand by themselves; false after a complaint. */
static bool read_options(job *j)
{
  pk_error err = {0};
  const char *method = pki_args_value(j->args, "method");
  if (!read_numbers(j) || !read_each(j, "vary", add_parameter) || !read_each(j, "metric", add_metric)) {
    return false;
  }
  if (pki_tune_set_method(&j->tune, method != NULL ? method : "sobol+sbplx", &err) != PK_OK) {
    pki_complain_error("tune", &err);
    return false;
  }
  if (j->tune.nparameter == 0) {
    pki_complain("tune", "nothing to tune: give a key of the scenario and its bounds, as --vary "
                         "controller.kp=10:1000:log");
    return false;
  }
  if (j->tune.objective.nterm == 0) {
    pki_complain("tune", "nothing to tune for: give a metric, as --metric tracking_error (pronk list "
                         "metrics)");
    return false;
  }
  if ((double)j->tune.evaluations * fmax(j->tune.worlds, 1) > 1e6) {
    pki_complain("tune", "%d evaluations in %d worlds are more than a million runs", j->tune.evaluations,
                 j->tune.worlds);
    return false;
  }
  return true;
}

/* ---- what is printed ---- */

static cJSON *evaluation_json(const job *j, const pki_evaluation *e)
{
  cJSON *o = cJSON_CreateObject(), *values = cJSON_AddObjectToObject(o, "values"),
        *metrics = cJSON_AddObjectToObject(o, "metrics");
  pki_json_number(o, "objective", e->objective);
  pki_json_number(o, "cost", e->cost);
  cJSON_AddBoolToObject(o, "good", pki_evaluation_is_good(e));
  cJSON_AddNumberToObject(o, "fell", e->fell);
  cJSON_AddNumberToObject(o, "uncertified", e->uncertified);
  cJSON_AddNumberToObject(o, "failed", e->failed);
  cJSON_AddNumberToObject(o, "refused", e->refused);
  for (int i = 0; i < j->tune.nparameter; i++) {
    pki_json_number(values, j->tune.parameters[i].key, e->value[i]);
  }
  for (int i = 0; i < pki_metric_count; i++) {
    pki_json_number(metrics, pki_metrics[i].name, e->metric[i]);
  }
  return o;
}

/* "key=value" of the best point, as --set takes them. */
static cJSON *sets_json(const job *j, const pki_evaluation *e)
{
  cJSON *sets = cJSON_CreateArray();
  for (int i = 0; i < j->tune.nparameter && !e->as_written; i++) {
    char number[PKI_TUNE_NUMBER], line[320];
    pki_tune_number(e->value[i], number);
    snprintf(line, sizeof line, "%s=%s", j->tune.parameters[i].key, number);
    cJSON_AddItemToArray(sets, cJSON_CreateString(line));
  }
  return sets;
}

static void add_path(cJSON *o, const char *name, const char *folder, const char *file)
{
  char path[PKI_PATH_MAX];
  cJSON_AddStringToObject(o, name, pki_path_join(path, folder, file) ? path : folder);
}

static cJSON *tune_json(const job *j)
{
  const pki_tune_result *r = &j->result;
  cJSON *o = cJSON_CreateObject();
  pki_text text = {0};
  pki_objective_text(&j->tune.objective, &text);
  cJSON_AddStringToObject(o, "scenario", j->tune.base->name);
  cJSON_AddStringToObject(o, "objective", text.data != NULL ? text.data : "");
  cJSON_AddBoolToObject(o, "maximise", j->tune.objective.maximise);
  cJSON_AddNumberToObject(o, "evaluations", r->count);
  cJSON_AddNumberToObject(o, "ran", (double)r->ran);
  cJSON_AddNumberToObject(o, "kept", (double)r->kept);
  cJSON_AddNumberToObject(o, "seconds", r->seconds);
  cJSON_AddBoolToObject(o, "interrupted", r->interrupted);
  if (r->count > 0) {
    cJSON_AddItemToObject(o, "as_written", evaluation_json(j, &r->list[0]));
  }
  if (r->best >= 0) {
    cJSON *best = evaluation_json(j, &r->list[r->best]);
    cJSON_AddItemToObject(best, "set", sets_json(j, &r->list[r->best]));
    cJSON_AddItemToObject(o, "best", best);
    add_path(o, "best_scenario", j->folder, "best.yaml");
  }
  add_path(o, "table", j->folder, "evaluations.csv");
  add_path(o, "report", j->folder, "report.html");
  pki_text_free(&text);
  return o;
}

static void print_value(const char *label, const pki_evaluation *e, const char *unit)
{
  printf("  %-12s", label);
  if (isnan(e->objective)) {
    printf("none: %s\n", e->message[0] != '\0' ? e->message : "a metric has no value");
    return;
  }
  printf("%.6g%s%s", e->objective, unit[0] != '\0' ? " " : "", unit);
  if (e->fell > 0) {
    printf(", fell");
  }
  if (e->uncertified > 0) {
    printf(", with uncertified steps");
  }
  if (e->failed + e->refused > 0) {
    printf(", in some worlds a step failed");
  }
  printf("\n");
}

static void print_text(const job *j)
{
  const pki_palette p = pki_palette_for(stdout);
  const pki_tune_result *r = &j->result;
  const char *unit = pki_objective_unit(&j->tune.objective);
  pki_text text = {0};
  pki_objective_text(&j->tune.objective, &text);
  printf("%s%s%s: %s %s\n\n", p.bold, j->tune.base->name, p.plain,
         j->tune.objective.maximise ? "most" : "least", text.data != NULL ? text.data : "");
  pki_text_free(&text);
  printf("  evaluations %d (%lld runs now in %.3g s, %lld were there)\n", r->count, r->ran, r->seconds,
         r->kept);
  if (r->count > 0) {
    print_value("as it is", &r->list[0], unit);
  }
  if (r->best >= 0) {
    const pki_evaluation *e = &r->list[r->best];
    print_value("best", e, unit);
    printf("\n");
    for (int i = 0; i < j->tune.nparameter && !e->as_written; i++) {
      char number[PKI_TUNE_NUMBER];
      pki_tune_number(e->value[i], number);
      printf("  --set %s=%s\n", j->tune.parameters[i].key, number);
    }
    printf("%s\nScenario: %s/best.yaml\n", e->as_written ? "  no better one was found\n" : "", j->folder);
  }
  printf("Table:    %s/evaluations.csv\nReport:   %s/report.html\n", j->folder, j->folder);
}

/* ---- running ---- */

static void note_to_user(void *user, const char *what)
{
  (void)user;
  pki_complain("tune", "note: %s", what);
}

static pk_status write_results(const job *j, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const pki_tune_result *r = &j->result;
  pk_status status = PK_OK;
  if (r->best >= 0 && pki_path_join(path, j->folder, "best.yaml")) {
    status = pki_tune_best(&j->tune, &r->list[r->best], path, err);
  }
  if (status == PK_OK && pki_path_join(path, j->folder, "evaluations.csv")) {
    status = pki_tune_csv(&j->tune, r, path, err);
  }
  if (status == PK_OK && pki_path_join(path, j->folder, "report.html")) {
    status = pki_tune_report(&j->tune, r, path, err);
  }
  return status;
}

/* Compile before there are threads; every run then finds the code in the cache. */
static void compile_base(const job *j)
{
  pki_world world = {0};
  if (j->tune.base->dynamics == PKI_DYNAMICS_COMPILED &&
      pki_world_create(j->tune.base, &world, NULL) == PK_OK) {
    pki_compile_world("tune", &world, 1);
    pki_world_free(&world);
  }
}

static int end_job(const job *j)
{
  const pki_tune_result *r = &j->result;
  bool printed = true;
  if (j->args->json) {
    printed = pki_json_print(tune_json(j), true, "tune");
  } else {
    print_text(j);
  }
  if (r->interrupted) {
    pki_complain("tune", "interrupted after %d of at most %d evaluations; the same command resumes", r->count,
                 j->tune.evaluations);
  } else if (r->best < 0) {
    pki_complain("tune", "no evaluation has a value; the first: %s",
                 r->count > 0 && r->list[0].message[0] != '\0' ? r->list[0].message
                                                               : "a metric has none in this scenario");
  }
  return printed && !r->interrupted && r->best >= 0 ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static int run_job(job *j)
{
  pk_error err = {0};
  pk_status status = pki_folder_create(j->folder, &err);
  pki_progress progress = pki_progress_start();
  const pki_tune_options options = {.folder = j->folder,
                                    .again = pki_args_has(j->args, "again"),
                                    .threads = j->threads,
                                    .stop = pki_interrupt_catch(),
                                    .progress = progress.shown ? pki_progress_show : NULL,
                                    .note = note_to_user,
                                    .user = &progress};
  status = status == PK_OK ? pki_tune_run(&j->tune, &options, &j->result, &err) : status;
  status = status == PK_OK ? write_results(j, &err) : status;
  pki_progress_end(&progress);
  pki_interrupt_release();
  if (status != PK_OK) {
    pki_complain_error("tune", &err);
    return status == PK_ERROR_ARGUMENT || status == PK_ERROR_SYNTAX ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  }
  return end_job(j);
}

int pki_command_tune(const pki_args *args)
{
  job j = {.args = args};
  pk_error err = {0};
  char folder[PKI_PATH_MAX];
  if (!pki_tune_has_nlopt()) {
    pki_complain("tune", "this pronk was built without NLopt: install it (Debian: libnlopt-dev) and build "
                         "again with -DPK_WITH_NLOPT=ON");
    return PKI_EXIT_USAGE;
  }
  if (!pki_one_world(args, "scenario") || !read_options(&j)) {
    return PKI_EXIT_USAGE;
  }
  pk_status status = pki_load_scenario(args, &j.tune.base, &err);
  status = status == PK_OK ? pki_tune_check(&j.tune, &err) : status;
  int code = pki_exit_of_input(status);
  if (status != PK_OK) {
    pki_complain_error("tune", &err);
  } else {
    pki_warn_scenario("tune", j.tune.base, NULL, -1);
    j.folder = pki_args_value(args, "output");
    if (j.folder == NULL) {
      pki_default_folder(j.tune.base->name, "-tune", folder);
      j.folder = folder;
    }
    compile_base(&j);
    code = run_job(&j);
  }
  pki_tune_result_free(&j.result);
  pki_tune_free(&j.tune);
  return code;
}
