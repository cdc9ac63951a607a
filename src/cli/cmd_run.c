/* pronk run: simulate a scenario, say how it went. */
#define _POSIX_C_SOURCE 200809L
#include "run/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/cmd_export.h"
#include "cli/interrupt.h"
#include "cli/print_summary.h"
#include "cli/replaced.h"
#include "cli/resume.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "step/world.h"

const pki_option pki_options_run[] = {
    {"set", 0, "KEY=VALUE", "override a key of the scenario, as in step.dt=1.25e-3; may be repeated"},
    PKI_WORLD_OF_MODEL,
    PKI_MODEL_OPTIONS,
    {"certify", 0, "[BOUND]", "fail when a step's relative residual is above it (default: the tolerance)"},
    {"duration", 0, "S", "simulated time, instead of the scenario's"},
    {"compiled", 0, NULL, "dynamics by the robot's own code, which the system's C compiler makes once"},
    {"output", 'o', "DIR", "where run.mcap, summary.json and report.html go (default: out/NAME)"},
    {"no-output", 'n', NULL, "write no files"},
    {"checkpoint-every", 0, "S", "a checkpoint every S of simulated time, to resume from"},
    {"export", 0, "FORMAT", "write the recording as hdf5 or csv too; may be repeated"},
    {"resume", 0, "DIR", "resume the run in DIR from its checkpoint; needs no SCENARIO"},
    {0},
};

/* ---- what is printed ---- */

static bool print_text(const pki_scenario *s, const pki_run_result *r, const pki_run_options *o)
{
  const pki_palette p = pki_palette_for(stdout);
  pki_table table;
  pki_text text = {0};
  pki_run_table(r, &table);
  pki_table_text(&table, "  ", true, &text);
  if (text.failed) {
    pki_complain("run", "out of memory");
  } else {
    printf("%s%s%s%s%s\n", p.bold, s->name, p.plain, s->description[0] ? ": " : "", s->description);
    for (int i = 0; i < s->nset; i++) {
      printf("%s  with %s%s\n", p.dim, s->sets[i], p.plain);
    }
    printf("\n%s", text.data);
    const bool records = s->record.rate > 0 || s->record.view_rate > 0;
    if (o->folder != NULL && records) {
      printf("\nRecording: %s/run.mcap (pronk view, pronk export)\nReport:    %s/report.html\n", o->folder,
             o->folder);
    }
  }
  const bool good = !text.failed;
  pki_table_free(&table);
  pki_text_free(&text);
  return good;
}

/* ---- the command ---- */

/* The recording in every format that was asked for; with no folder the words alone are checked. False after a
 * complaint. */
static bool export_all(const pki_args *args, const char *folder)
{
  bool good = true;
  for (int i = 0; i < args->ngiven && good; i++) {
    if (strcmp(args->given[i].name, "export") != 0) {
      continue;
    }
    char path[PKI_PATH_MAX];
    pk_error err = {0};
    const int format = pki_export_format(args, args->given[i].value);
    good = format >= 0;
    if (good && folder != NULL && pki_path_join(path, folder, "run.mcap") &&
        pki_export_beside(path, format, &err) != PK_OK) {
      pki_complain_error("run", &err);
      good = false;
    }
  }
  return good;
}

/* Exit status of a run, with a word on stderr about why it is not 0. */
static int run_exit_status(const pki_scenario *s, const pki_run_result *r, const pki_run_options *o)
{
  if (r->interrupted && o->folder != NULL) {
    const bool recorded =
        s->record.rate > 0 || s->record.view_rate > 0; /* then the scenario is in the folder */
    pki_complain("run", "%s; `pronk run %s%s--resume %s` resumes it", r->stopped, recorded ? "" : s->file,
                 recorded ? "" : " ", o->folder);
    return PKI_EXIT_FAILURE;
  }
  if (r->stopped[0] != '\0') {
    pki_complain("run", "stopped early: %s", r->stopped);
    return PKI_EXIT_FAILURE;
  }
  if (o->certify && pki_run_on_springs(r)) {
    pki_complain(
        "run", "contacts of the law %s are springs, which nothing certifies; step.law=hard has certificates",
        pki_laws[s->step.law]->name);
    return PKI_EXIT_FAILURE;
  }
  if (o->certify && !pki_run_solves_contact(r)) {
    pki_complain("run",
                 "the stepper %s solves no contact, so that nothing is certified; moreau and euler have "
                 "certificates",
                 pki_steppers[s->step.stepper]->name);
    return PKI_EXIT_FAILURE;
  }
  if (o->certify && r->uncertified > 0) {
    char hint[96] = "";
    if (r->bound < s->step.tolerance) {
      snprintf(hint, sizeof hint, "; the solver stops at step.tolerance=%g", s->step.tolerance);
    }
    pki_complain("run",
                 "%lld of %lld steps above the bound %g; the worst: %.3g in step %lld at %g s, by %s%s",
                 r->uncertified, r->steps, r->bound, r->worst_residual, r->worst_step, r->worst_time,
                 pki_run_worst_solver(r), hint);
    return PKI_EXIT_FAILURE;
  }
  return PKI_EXIT_OK;
}

static int run_world(const pki_args *args, pki_world *world, pki_run_options *options)
{
  pki_progress progress = pki_progress_start();
  pki_run_result result;
  pk_error err = {0};
  options->progress = progress.shown ? pki_progress_show : NULL;
  options->user = &progress; /* cppcheck-suppress autoVariables */
  options->stop = pki_interrupt_catch();
  const pk_status status = pki_run(world, options, &result, &err);
  pki_interrupt_release();
  pki_progress_end(&progress);
  /* what was asked for does not fit, or the machine did not do it */
  int code = status == PK_ERROR_ARGUMENT || status == PK_ERROR_SYNTAX ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("run", &err);
  } else {
    const pki_scenario *s = world->scenario;
    const bool saved = options->folder == NULL || pki_run_save_json(options->folder, s, &result, "run");
    const bool printed =
        args->json ? pki_json_print(pki_run_json(s, &result), true, "run") : print_text(s, &result, options);
    code = run_exit_status(s, &result, options);
    if (result.fell && pki_args_has(args, "model")) {
      pki_complain("run", "it fell: perhaps it cannot stand in this pose; --pose NAME starts in another, and "
                          "so does a scenario "
                          "with `joints`");
    }
    const bool exported = options->folder == NULL || export_all(args, options->folder);
    code = saved && printed && exported ? code : PKI_EXIT_FAILURE;
  }
  pki_run_result_free(&result);
  return code;
}

static bool read_options(const pki_args *args, pki_run_options *o)
{
  const char *every = pki_args_value(args, "checkpoint-every"), *resume = pki_args_value(args, "resume");
  *o = (pki_run_options){
      .duration = -1, .certify = pki_args_has(args, "certify"), .folder = pki_args_value(args, "output")};
  if (!pki_args_number(args, "duration", 0, 1e6, -1, &o->duration) ||
      !pki_args_number(args, "certify", 1e-15, 1, 0, &o->bound) ||
      !pki_args_number(args, "checkpoint-every", 1e-6, 1e6, 0, &o->checkpoint_every)) {
    return false;
  }
  const bool nothing = pki_args_has(args, "no-output");
  if (!export_all(args, NULL)) {
    return false;
  }
  if ((args->nword > 0 || resume == NULL || pki_args_has(args, "model")) &&
      !pki_one_world(args, "scenario (pronk list scenarios shows them)")) {
    return false;
  }
  if ((resume != NULL || nothing || every != NULL) &&
      (o->folder != NULL ? resume != NULL || nothing : resume != NULL && nothing)) {
    pki_complain("run", "--output, --no-output and --resume exclude each other");
    return false;
  }
  const char *change =
      resume != NULL && args->nword == 0 && !pki_args_has(args, "model") ? pki_sets_option(args) : NULL;
  if (change != NULL) {
    pki_complain("run", "--resume continues the run's own scenario: --%s cannot change it", change);
    return false;
  }
  if (nothing && (every != NULL || pki_args_has(args, "export"))) {
    pki_complain("run", "--no-output writes no files: --checkpoint-every and --export need a folder");
    return false;
  }
  o->resume = resume != NULL;
  o->folder = resume != NULL ? resume : o->folder;
  return true;
}

int pki_command_run(const pki_args *args)
{
  pki_run_options options;
  char folder[PKI_PATH_MAX];
  if (!read_options(args, &options)) {
    return PKI_EXIT_USAGE;
  }
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pk_error err = {0};
  const bool named = args->nword == 1 || pki_args_has(args, "model");
  pk_status status = named ? pki_load_scenario(args, &scenario, &err)
                           : pki_resume_scenario(options.folder, &scenario, &options, &err);
  status = status == PK_OK ? pki_world_create(scenario, &world, &err) : status;
  int code;
  if (status != PK_OK) {
    pki_complain_error("run", &err);
    code = pki_exit_of_input(status);
  } else {
    if (options.folder == NULL && !pki_args_has(args, "no-output")) {
      pki_default_folder(scenario->name, "", folder);
      options.folder = folder;
    }
    if (options.folder != NULL && !options.resume) {
      pki_tell_replaced(args, options.folder, "run.mcap");
    }
    pki_warn_scenario("run", scenario, &world, options.duration);
    pki_compile_world("run", &world, 1);
    options.bound = options.bound > 0 ? options.bound : scenario->certify;
    options.certify = options.certify || scenario->certify > 0;
    code = run_world(args, &world, &options);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return code;
}
