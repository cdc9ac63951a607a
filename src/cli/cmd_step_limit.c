/* pronk step-limit: the largest stable step of a scenario. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "tune/step_limit.h"

const pki_option pki_options_step_limit[] = {
    {"from", 0, "S", "the first step (default: 1e-3)"},
    {"cap", 0, "S", "the largest step that is tried (default: 0.1)"},
    {"tolerance", 0, "SHARE", "of the step, at which halving ends (default: 0.01)"},
    {"reference", 0, "S", "step of the reference run (default: half of the first)"},
    {"factor", 0, "X", "on the reference's joint speeds; its square on kinetic energies (default: 3)"},
    {"error", 0, "RAD", "largest mean tracking error (default: any)"},
    {"set", 0, "KEY=VALUE", "override a key of the scenario; may be repeated"},
    PKI_MODEL_OPTIONS,
    PKI_WORLD_OF_MODEL,
    {"duration", 0, "S", "simulated time, instead of the scenario's"},
    {"output", 'o', "DIR", "where the report goes (default: out/NAME-step-limit)"},
    {0},
};

/* What is told on the way. */
typedef struct teller {
  pki_progress progress;
  bool json;
} teller;

static void show_progress(void *user, double fraction, const char *what)
{
  pki_progress_show(&((teller *)user)->progress, fraction, what);
}

enum { COLUMNS = 8 };
static const int widths[COLUMNS] = {10, 10, 15, 14, 15, 10, 12, 16};

static void print_cells(const char *const *cells)
{
  for (int i = 0; i < COLUMNS; i++) {
    printf("%*s", i == 0 ? widths[i] : widths[i] + 1, cells[i]);
  }
  printf("\n");
  fflush(stdout);
}

/* A row as soon as it is there. */
static void print_trial(void *user, const pki_step_trial *trial)
{
  teller *t = user;
  char text[COLUMNS][64];
  const char *cells[COLUMNS];
  if (t->json) {
    return;
  }
  pki_step_limit_cells(trial, text);
  for (int i = 0; i < COLUMNS; i++) {
    cells[i] = text[i];
  }
  pki_progress_end(&t->progress);
  print_cells(cells);
}

/* ---- JSON ---- */

static cJSON *limit_json(const pki_scenario *s, const pki_step_limit *l, const char *report)
{
  cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "runs");
  cJSON_AddStringToObject(o, "scenario", s->name);
  cJSON_AddItemToObject(o, "stable", l->stable > 0 ? cJSON_CreateNumber(l->stable) : cJSON_CreateNull());
  pki_json_number(o, "unstable", l->unstable);
  cJSON_AddBoolToObject(o, "period_follows_step", l->follows_step);
  cJSON_AddBoolToObject(o, "interrupted", l->interrupted);
  cJSON_AddStringToObject(o, "report", report);
  for (int i = 0; i < l->count; i++) {
    const pki_step_trial *t = &l->trials[i];
    cJSON *row = cJSON_CreateObject();
    pki_json_number(row, "dt", t->dt);
    cJSON_AddBoolToObject(row, "reference", t->reference);
    cJSON_AddBoolToObject(row, "stable", t->verdict == PKI_STABLE);
    cJSON_AddStringToObject(row, "verdict", pki_instability_words[t->verdict]);
    pki_json_number(row, "tracking_error", t->error);
    pki_json_number(row, "tracking_error_max", t->error_most);
    pki_json_number(row, "joint_speed", t->speed);
    pki_json_number(row, "kinetic_energy", t->kinetic);
    pki_json_number(row, "slip_distance", t->slip);
    cJSON_AddNumberToObject(row, "uncertified", (double)t->uncertified);
    cJSON_AddNumberToObject(row, "steps", (double)t->steps);
    pki_json_number(row, "duration", t->duration);
    pki_json_number(row, "wall", t->wall);
    cJSON_AddStringToObject(row, "message", t->message);
    cJSON_AddItemToArray(rows, row);
  }
  return o;
}

/* ---- the command ---- */

static bool read_limit_options(const pki_args *args, pki_step_limit_options *o)
{
  if (!pki_args_number(args, "from", 1e-9, 10, 1e-3, &o->from) ||
      !pki_args_number(args, "cap", 1e-9, 10, fmax(0.1, o->from), &o->cap) ||
      !pki_args_number(args, "tolerance", 1e-9, 1, 0.01, &o->tolerance) ||
      !pki_args_number(args, "reference", 1e-9, 10, 0, &o->reference) ||
      !pki_args_number(args, "factor", 1, 1e9, 3, &o->factor) ||
      !pki_args_number(args, "error", 0, INFINITY, INFINITY, &o->error) ||
      !pki_args_number(args, "duration", 0, 1e9, -1, &o->duration)) {
    return false;
  }
  if (o->cap < o->from) {
    pki_complain("step-limit", "--cap is %g s, expected no less than --from, %g s", o->cap, o->from);
    return false;
  }
  if (o->reference > o->from) {
    pki_complain("step-limit", "--reference is %g s, expected no more than --from, %g s", o->reference,
                 o->from);
    return false;
  }
  return true;
}

static void print_result(const pki_step_limit *l, const char *folder)
{
  if (l->stable > 0 && isinf(l->unstable)) {
    printf("\nStable up to the cap, %.6g s\n", l->stable);
  } else if (l->stable > 0) {
    printf("\nLargest stable step: %.6g s (unstable at %.6g s)\n", l->stable, l->unstable);
  } else if (!l->interrupted) {
    printf("\nNo stable step: the first is unstable\n");
  }
  if (l->count > 0) {
    printf("Report: %s/report.html\n", folder);
  }
}

/* The search, the report, what is printed. */
static int find_limit(const pki_args *args, const pki_scenario *s, const pki_step_limit_options *options,
                      const char *folder)
{
  pki_step_limit_options o = *options;
  pk_error err = {0};
  char path[PKI_PATH_MAX] = "";
  teller t = {.progress = pki_progress_start(), .json = args->json};
  pki_step_limit *limit = calloc(1, sizeof *limit);
  pk_status status = limit != NULL ? pki_folder_create(folder, &err) : pki_fail_memory(&err, NULL);
  if (!args->json && status == PK_OK) {
    printf("%s\n\n", s->name);
    print_cells((const char *const[]){"step (ms)", "verdict", "tracking error", "largest speed",
                                      "kinetic energy", "slip (mm)", "uncertified", "real-time factor"});
  }
  o.progress = t.progress.shown ? show_progress : NULL;
  o.tried = print_trial;
  o.user = &t;
  o.stop = pki_interrupt_catch();
  status = status == PK_OK ? pki_step_limit_find(s, &o, limit, &err) : status;
  pki_progress_end(&t.progress);
  pki_interrupt_release();
  if (status == PK_OK && limit->count > 0 && pki_path_join(path, folder, "report.html")) {
    status = pki_step_limit_report(s, &o, limit, path, &err);
  }
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("step-limit", &err);
    code = status == PK_ERROR_ARGUMENT ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  } else {
    bool printed = true;
    if (args->json) {
      printed = pki_json_print(limit_json(s, limit, path), true, "step-limit");
    } else {
      print_result(limit, folder);
    }
    if (limit->follows_step) {
      pki_complain("step-limit",
                   "note: the scenario gives its controller a period; here it acted in each step");
    }
    if (limit->interrupted) {
      pki_complain("step-limit", "interrupted after %d runs", limit->count);
    }
    code = printed && limit->stable > 0 && !limit->interrupted ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
  }
  free(limit);
  return code;
}

int pki_command_step_limit(const pki_args *args)
{
  pki_step_limit_options o = {0};
  pki_scenario *scenario = NULL;
  pk_error err = {0};
  char made[PKI_PATH_MAX];
  if (!pki_one_world(args, "scenario") || !read_limit_options(args, &o)) {
    return PKI_EXIT_USAGE;
  }
  const pk_status status = pki_load_scenario(args, &scenario, &err);
  if (status != PK_OK) {
    pki_complain_error("step-limit", &err);
    return pki_exit_of_input(status);
  }
  pki_warn_scenario("step-limit", scenario, NULL, -1);
  const char *folder = pki_args_value(args, "output");
  if (folder == NULL) {
    pki_default_folder(scenario->name, "-step-limit", made);
    folder = made;
  }
  const int code = find_limit(args, scenario, &o, folder);
  pki_scenario_destroy(scenario);
  return code;
}
