/* pronk compare: the same run under several settings, side by side. */
#include "run/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/print_summary.h"
#include "cli/replaced.h"
#include "cli/sets.h"
#include "cli/terminal.h"

const pki_option pki_options_compare[] = {
    {"vary", 0, "KEY=A,B,...", "values of a key of the scenario; may be repeated, then all combinations run"},
    {"set", 0, "KEY=VALUE", "override a key for all of them; may be repeated"},
    PKI_MODEL_OPTIONS,
    {"duration", 0, "S", "simulated time, instead of the scenario's"},
    {"output", 'o', "DIR", "where the report and a folder for each variant go (default: out/NAME-compare)"},
    {0},
};

enum { MANY = 32 };

/* What the runs tell on the way. */
typedef struct watcher {
  pki_progress progress;
  cJSON *rows; /* of --json; NULL: not wanted */
} watcher;

static void show_compare_progress(void *user, double fraction, const char *what)
{
  pki_progress_show(&((watcher *)user)->progress, fraction, what);
}

/* summary.json beside the recording, and the row of --json. */
static bool save_variant_summary(void *user, int index, const char *folder, const pki_scenario *scenario,
                                 const pki_run_result *result)
{
  watcher *w = user;
  if (w->rows != NULL) {
    cJSON *row = pki_run_json(scenario, result);
    cJSON_AddNumberToObject(row, "index", index);
    cJSON_AddStringToObject(row, "folder", folder);
    cJSON_AddItemToArray(w->rows, row);
  }
  return pki_run_save_json(folder, scenario, result, "compare");
}

/* ---- what is printed ---- */

/* Rows in the order of the variants, each with its settings and what was wrong with it. */
static cJSON *comparison_json(const pki_comparison *c, const char *folder, cJSON *ran)
{
  cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "rows");
  cJSON_AddStringToObject(o, "scenario", c->name);
  for (int i = 0; i < c->count; i++) {
    const pki_variant *v = &c->variants[i];
    cJSON *row = v->ran ? cJSON_DetachItemFromArray(ran, 0) : cJSON_CreateObject();
    row = row != NULL ? row : cJSON_CreateObject();
    cJSON_AddStringToObject(row, "variant", v->name);
    cJSON *set = cJSON_AddObjectToObject(row, "set");
    for (int k = 0; k < c->nvary; k++) {
      cJSON_AddStringToObject(set, c->vary[k].key, c->vary[k].values[v->choice[k]]);
    }
    cJSON_AddBoolToObject(row, "ran", v->ran);
    cJSON_AddStringToObject(row, "message", v->message);
    if (v->ran) {
      pki_json_number(row, "peak_torque", v->peak);
    }
    cJSON_AddItemToArray(rows, row);
  }
  char path[PKI_PATH_MAX];
  cJSON_AddStringToObject(o, "report", pki_path_join(path, folder, "report.html") ? path : folder);
  return o;
}

static bool print_text(const pki_comparison *c, const char *folder)
{
  const pki_palette p = pki_palette_for(stdout);
  pki_table table;
  pki_text text = {0};
  pki_compare_table(c, false, &table);
  pki_table_text(&table, "  ", true, &text);
  if (text.failed) {
    pki_complain("compare", "out of memory");
  } else {
    printf("%s%s%s: %d variant%s\n\n%s\nReport: %s/report.html\n", p.bold, c->name, p.plain, c->count,
           c->count == 1 ? "" : "s", text.data, folder);
  }
  const bool good = !text.failed;
  pki_table_free(&table);
  pki_text_free(&text);
  return good;
}

/* ---- the command ---- */

/* out/NAME-compare, NAME from the scenario's file. */
static void default_folder(const char *path, char out[PKI_PATH_MAX])
{
  char name[201];
  pki_file_stem(path, name, sizeof name);
  snprintf(out, PKI_PATH_MAX, "out/%s-compare", name);
}

static int run_all(const pki_args *args, pki_compare_options *options)
{
  pki_comparison c = {0};
  pk_error err = {0};
  const pk_status planned = pki_compare_plan(options, &c, &err);
  if (planned != PK_OK) {
    pki_complain_error("compare", &err);
    pki_comparison_free(&c);
    return pki_exit_of_input(planned);
  }
  if (c.count > MANY) {
    fprintf(stderr, "pronk compare: note: %d combinations\n", c.count);
  }
  watcher w = {.progress = pki_progress_start(), .rows = args->json ? cJSON_CreateArray() : NULL};
  options->progress = w.progress.shown ? show_compare_progress : NULL;
  options->finished = save_variant_summary;
  options->user = &w; /* cppcheck-suppress autoVariables */
  options->stop = pki_interrupt_catch();
  const pk_status status = pki_compare_run(options, &c, &err);
  pki_interrupt_release();
  pki_progress_end(&w.progress);
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("compare", &err);
    code = c.refused == c.count && status != PK_ERROR_MEMORY ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  } else {
    const bool printed = args->json
                             ? pki_json_print(comparison_json(&c, options->folder, w.rows), true, "compare")
                             : print_text(&c, options->folder);
    for (int i = 0; i < c.count; i++) {
      if (c.variants[i].message[0] != '\0') {
        pki_complain("compare", "%s: %s", c.variants[i].name, c.variants[i].message);
      }
      if (c.variants[i].warning[0] != '\0') {
        pki_complain("compare", "%s: warning: %s", c.variants[i].name, c.variants[i].warning);
      }
    }
    code = printed && c.bad == 0 ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
  }
  cJSON_Delete(w.rows);
  pki_comparison_free(&c);
  return code;
}

int pki_command_compare(const pki_args *args)
{
  char path[PKI_PATH_MAX], folder[PKI_PATH_MAX];
  pk_error err = {0};
  pki_compare_options options = {.folder = pki_args_value(args, "output")};
  if (args->nword != 1 || !pki_args_has(args, "vary")) {
    pki_complain("compare", "name one scenario and what varies, as in pronk compare starleth-trot --vary "
                            "controller.forward=0.1,0.2,0.3");
    return PKI_EXIT_USAGE;
  }
  if (!pki_args_number(args, "duration", 0, 1e6, -1, &options.duration)) {
    return PKI_EXIT_USAGE;
  }
  if (pki_scenario_locate(args->words[0], path, &err) != PK_OK) {
    pki_complain_error("compare", &err);
    return PKI_EXIT_USAGE;
  }
  if (options.folder == NULL) {
    default_folder(path, folder);
    options.folder = folder;
  }
  const char **vary = pki_args_all(args, "vary", &options.nvary);
  int code = PKI_EXIT_FAILURE;
  pki_sets sets = {0};
  if (vary == NULL) {
    pki_complain("compare", "out of memory");
  } else if (pki_sets_read(args, &sets)) {
    pki_tell_replaced(args, options.folder, "report.html");
    options.scenario = path;
    options.sets = sets.list;
    options.nset = sets.count;
    options.vary = vary;
    code = run_all(args, &options);
  }
  pki_sets_free(&sets);
  free((void *)vary);
  return code;
}
