/* pronk floquet: whether the gait of a scenario is stable, by the multipliers of its stride map. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "batch/batch.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "run/floquet_run.h"

const pki_option pki_options_floquet[] = {
    {"period", 0, "S", "time of a stride, a whole number of steps (default: found from the motion)"},
    {"settle", 0, "S", "simulated time in which the motion must come to repeat (default: 60)"},
    {"repeat", 0, "X", "change from stride to stride at which it repeats (default: 1e-9)"},
    {"strides", 0, "N", "strides to look ahead for what controllers remember: 1, 2, 4, 6 or 8 (default: 4)"},
    {"step", 0, "X", "largest change of differences, rad and m; rates by 4.5/s (default: 1e-3)"},
    {"levels", 0, "N", "changes that are tried, each half of the last (default: 6)"},
    {"most", 0, "N", "multipliers that are printed (default: 10)"},
    {"set", 0, "KEY=VALUE", "override a key of the scenario; may be repeated"},
    PKI_MODEL_OPTIONS,
    PKI_WORLD_OF_MODEL,
    {"threads", 0, "N", "threads (default: as many as processors)"},
    {"output", 'o', "DIR", "where the report goes (default: out/NAME-floquet)"},
    {0},
};

static bool read_floquet_options(const pki_args *args, pki_floquet_options *o, int *most)
{
  if (!pki_args_number(args, "period", 1e-9, 1e6, 0, &o->period) ||
      !pki_args_number(args, "settle", 1e-3, 1e6, 60, &o->settle) ||
      !pki_args_number(args, "repeat", 0, 1, 1e-9, &o->repeat) ||
      !pki_args_whole(args, "strides", 1, 8, 4, &o->strides) ||
      !pki_args_number(args, "step", 1e-9, 1, 1e-3, &o->step) ||
      !pki_args_whole(args, "levels", 2, 16, 6, &o->levels) ||
      !pki_args_whole(args, "most", 1, 1000, 10, most) ||
      !pki_args_whole(args, "threads", 1, 1024, 0, &o->threads)) {
    return false;
  }
  if (o->strides > 1 && o->strides % 2 != 0) {
    pki_complain("floquet", "--strides is %d, expected 1 or an even number", o->strides);
    return false;
  }
  return true;
}

/* ---- what is printed ---- */

static cJSON *floquet_json(const pki_scenario *s, const pki_floquet_result *r, const char *report)
{
  const pk_floquet *f = &r->floquet;
  cJSON *o = cJSON_CreateObject(), *rows = NULL, *decay = NULL;
  cJSON_AddStringToObject(o, "scenario", s->name);
  cJSON_AddStringToObject(o, "verdict", pk_stability_verdict_name(f->verdict));
  pki_json_number(o, "radius", f->radius);
  pki_json_number(o, "radius_error", f->radius_error);
  pki_json_number(o, "period", r->period);
  cJSON_AddNumberToObject(o, "steps", r->steps);
  cJSON_AddBoolToObject(o, "period_found", r->found);
  pki_json_number(o, "settled", r->settled);
  pki_json_number(o, "residual", r->residual);
  cJSON_AddNumberToObject(o, "directions", f->n);
  cJSON_AddNumberToObject(o, "neutral", f->nneutral);
  pki_json_number(o, "memory", f->memory);
  pki_json_number(o, "memory_error", f->memory_error);
  cJSON_AddNumberToObject(o, "order", f->order);
  rows = cJSON_AddArrayToObject(o, "multipliers");
  for (int k = 0; k < f->count; k++) {
    const pk_multiplier *m = &f->multipliers[k];
    cJSON *row = cJSON_CreateObject();
    pki_json_number(row, "re", m->re);
    pki_json_number(row, "im", m->im);
    pki_json_number(row, "modulus", m->modulus);
    pki_json_number(row, "error", m->error);
    pki_json_number(row, "condition", m->condition);
    cJSON_AddBoolToObject(row, "neutral", m->neutral);
    cJSON_AddItemToArray(rows, row);
  }
  decay = cJSON_AddArrayToObject(o, "decay");
  for (int i = 0; i < PKI_DECAY_SIZES; i++) {
    cJSON *row = cJSON_CreateObject();
    pki_json_number(row, "size", r->decay[i].size);
    pki_json_number(row, "rate", r->decay[i].rate);
    cJSON_AddItemToArray(decay, row);
  }
  cJSON_AddStringToObject(o, "report", report);
  return o;
}

static void print_floquet(const pki_scenario *s, const pki_floquet_result *r, int most, const char *report)
{
  const pki_palette p = pki_palette_for(stdout);
  pki_table table;
  pki_text text = {0};
  pki_floquet_facts(r, &table);
  pki_table_text(&table, "  ", false, &text);
  pki_table_free(&table);
  pki_text_add(&text, "\n");
  pki_floquet_table(r, most, &table);
  pki_table_text(&table, "  ", true, &text);
  pki_table_free(&table);
  printf("%s%s%s\n\n%s", p.bold, s->name, p.plain, text.data != NULL ? text.data : "");
  if (r->floquet.count > most) {
    printf("  and %d smaller ones\n", r->floquet.count - most);
  }
  printf("\nReport: %s\n", report);
  pki_text_free(&text);
}

/* ---- the command ---- */

static int end_floquet(const pki_args *args, const pki_scenario *s, const pki_floquet_result *r, int most,
                       const char *path)
{
  bool printed = true;
  if (args->json) {
    printed = pki_json_print(floquet_json(s, r, path), true, "floquet");
  } else {
    print_floquet(s, r, most, path);
  }
  const double rate = r->decay[0].rate, radius = r->floquet.radius;
  if (r->floquet.verdict != PK_STABILITY_VERDICT_UNDECIDED &&
      fabs(rate - radius) > 0.2 * fmax(rate, radius) + r->floquet.radius_error) {
    pki_complain("floquet",
                 "note: random errors change by a factor of %.3g a stride, the largest multiplier is %.3g: "
                 "the motion does not "
                 "repeat well enough, or is too rough for differences (--step, --repeat)",
                 rate, radius);
  }
  if (r->pushes) {
    pki_complain("floquet", "note: the scenario has pushes, which did not act");
  }
  return printed ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static int analyse_world(const pki_args *args, pki_world *world, const pki_floquet_options *options, int most,
                         const char *folder)
{
  pki_floquet_options o = *options;
  pki_floquet_result result = {0};
  pk_error err = {0};
  char path[PKI_PATH_MAX] = "";
  pki_progress progress = pki_progress_start();
  o.progress = progress.shown ? pki_progress_show : NULL;
  o.user = &progress;
  o.stop = pki_interrupt_catch();
  pki_compile_world("floquet", world, pki_best_lanes());
  pk_status status = pki_folder_create(folder, &err);
  status = status == PK_OK ? pki_floquet_run(world, &o, &result, &err) : status;
  if (status == PK_OK && !result.interrupted && pki_path_join(path, folder, "report.html")) {
    status = pki_floquet_report(world->scenario, &result, path, &err);
  }
  pki_progress_end(&progress);
  pki_interrupt_release();
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("floquet", &err);
    code = status == PK_ERROR_ARGUMENT || status == PK_ERROR_UNSUPPORTED ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  } else if (result.interrupted) {
    pki_complain("floquet", "interrupted");
  } else {
    code = end_floquet(args, world->scenario, &result, most, path);
  }
  pki_floquet_result_free(&result);
  return code;
}

int pki_command_floquet(const pki_args *args)
{
  pki_floquet_options o = {0};
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pk_error err = {0};
  char made[PKI_PATH_MAX];
  int most = 0;
  if (!pki_one_world(args, "scenario") || !read_floquet_options(args, &o, &most)) {
    return PKI_EXIT_USAGE;
  }
  pk_status status = pki_load_scenario(args, &scenario, &err);
  status = status == PK_OK ? pki_world_create(scenario, &world, &err) : status;
  int code = pki_exit_of_input(status);
  if (status != PK_OK) {
    pki_complain_error("floquet", &err);
  } else {
    const char *folder = pki_args_value(args, "output");
    if (folder == NULL) {
      pki_default_folder(scenario->name, "-floquet", made);
      folder = made;
    }
    code = analyse_world(args, &world, &o, most, folder);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return code;
}
