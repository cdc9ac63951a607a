/* pronk sweep: one scenario under very many settings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/interrupt.h"
#include "cli/join_ranks.h"
#include "cli/print_json.h"
#include "cli/processors.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "report/table.h"
#include "sweep/sweep_report.h"
#include "sweep/sweep_table.h"
#include "sweep/sweep_work.h"

const pki_option pki_options_sweep[] = {
    {"set", 0, "KEY=VALUE", "override a key of the scenario in all samples; may be repeated"},
    PKI_MODEL_OPTIONS,
    {"threads", 0, "N", "samples at a time (default: as many as processors; one for each process of mpirun)"},
    {"output", 'o', "DIR", "where samples, tables and the report go (default: out/NAME-sweep)"},
    {"again", 0, NULL, "throw away what DIR has of it, and start afresh"},
    {"plan", 0, NULL, "tell what would run, and run nothing"},
    {0},
};

/* One sweep as it goes through this file. */
typedef struct job {
  const pki_args *args;
  pki_sweep sweep;
  pki_store_head head;
  pki_store store;
  pki_samples samples;
  pki_work_result work;
  pki_ranks comm;
  const char *folder;
  int threads;
  bool agreed; /* all ranks know that it is over */
} job;

/* ---- what is printed ---- */

/* The command that runs a sample, for cJSON. */
static void add_command(cJSON *row, const pki_sweep *s, long long index)
{
  pki_sweep_point point;
  pki_text text = {0};
  pki_sweep_sample(s, index, &point);
  pki_sweep_command(s, &point, &text);
  cJSON_AddStringToObject(row, "command", text.failed || text.data == NULL ? "" : text.data);
  pki_text_free(&text);
}

static cJSON *worst_json(const job *j)
{
  cJSON *rows = cJSON_CreateArray();
  for (int i = 0; i < j->samples.nworst; i++) {
    const pki_record *r = &j->samples.record[j->samples.worst[i]];
    char name[64];
    cJSON *row = cJSON_CreateObject();
    pki_replay_folder(r->index, name);
    cJSON_AddNumberToObject(row, "sample", (double)r->index);
    cJSON_AddStringToObject(row, "outcome", pki_outcome_words[r->outcome]);
    for (int k = 0; k < pki_metric_count; k++) {
      pki_json_number(row, pki_metrics[k].name, r->metric[k]);
    }
    cJSON_AddStringToObject(row, "folder", name);
    add_command(row, &j->sweep, r->index);
    cJSON_AddItemToArray(rows, row);
  }
  return rows;
}

static cJSON *sweep_json(const job *j)
{
  cJSON *o = cJSON_CreateObject();
  char path[PKI_PATH_MAX];
  cJSON_AddStringToObject(o, "sweep", j->sweep.name);
  cJSON_AddStringToObject(o, "scenario", j->sweep.scenario);
  cJSON_AddNumberToObject(o, "samples", (double)j->sweep.count);
  cJSON_AddNumberToObject(o, "kept", (double)j->work.kept);
  cJSON_AddNumberToObject(o, "ran", (double)j->work.ran);
  cJSON_AddNumberToObject(o, "seconds", j->work.seconds);
  cJSON_AddNumberToObject(o, "fell", (double)j->samples.fell);
  cJSON_AddNumberToObject(o, "failed", (double)j->samples.failed);
  cJSON_AddNumberToObject(o, "refused", (double)j->samples.refused);
  cJSON_AddNumberToObject(o, "uncertified", (double)j->samples.uncertified);
  cJSON_AddItemToObject(o, "worst", worst_json(j));
  cJSON_AddStringToObject(o, "table", pki_path_join(path, j->folder, "results.csv") ? path : j->folder);
  cJSON_AddStringToObject(o, "report", pki_path_join(path, j->folder, "report.html") ? path : j->folder);
  return o;
}

static void print_text(const job *j)
{
  const pki_palette p = pki_palette_for(stdout);
  const pki_samples *s = &j->samples;
  double computing = 0;
  for (int i = 0; i < s->count; i++) {
    computing += s->record[i].wall;
  }
  printf("%s%s%s%s%s\n\n", p.bold, j->sweep.name, p.plain, j->sweep.description[0] ? ": " : "",
         j->sweep.description);
  printf("  samples    %d (%lld ran now in %.3g s", s->count, j->work.ran, j->work.seconds);
  if (j->work.kept > 0) {
    printf(", %lld were there", j->work.kept);
  }
  printf("; %.3g s of computing in all)\n  fell       %lld (%.3g %%)\n", computing, s->fell,
         s->count > 0 ? 100.0 * (double)s->fell / s->count : 0);
  if (s->failed + s->refused > 0) {
    printf("  failed     %lld, refused %lld\n", s->failed, s->refused);
  }
  printf("  uncertified steps in %lld sample%s\n", s->uncertified, s->uncertified == 1 ? "" : "s");
  printf("\nTable:  %s/results.csv%s\nReport: %s/report.html\n", j->folder,
         pki_sweep_has_hdf5() ? " and results.h5" : "", j->folder);
}

/* What would run. */
static int print_plan(const job *j)
{
  const pki_sweep *s = &j->sweep;
  if (j->args->json) {
    cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "parameters");
    cJSON_AddStringToObject(o, "sweep", s->name);
    cJSON_AddNumberToObject(o, "samples", (double)s->count);
    for (int i = 0; i < s->nparameter; i++) {
      cJSON *row = cJSON_CreateObject();
      cJSON_AddStringToObject(row, "name", s->parameters[i].name);
      cJSON_AddNumberToObject(row, "values", s->parameters[i].count);
      cJSON_AddItemToArray(rows, row);
    }
    return pki_json_print(o, true, "sweep") ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
  }
  pki_text text = {0};
  pki_text_addf(&text, "%s: %lld sample%s of %s\n\n", s->name, s->count, s->count == 1 ? "" : "s",
                s->scenario);
  const long long shown[3] = {0, s->count / 2, s->count - 1};
  for (int i = 0; i < 3; i++) {
    pki_sweep_point point;
    if (i > 0 && shown[i] == shown[i - 1]) {
      continue;
    }
    pki_sweep_sample(s, shown[i], &point);
    pki_text_addf(&text, "sample %lld\n  ", shown[i]);
    pki_sweep_command(s, &point, &text);
    pki_text_add(&text, "\n");
  }
  const bool good = !text.failed;
  fputs(good ? text.data : "", stdout);
  pki_text_free(&text);
  return good ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

/* ---- rank 0 ---- */

/* Tables, replays, report. */
static pk_status write_sweep_results(job *j, const atomic_int *stop, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_status status = pki_samples_read(&j->sweep, &j->store, &j->samples, err);
  if (status == PK_OK && pki_path_join(path, j->folder, "results.csv")) {
    status = pki_sweep_csv(&j->sweep, &j->store, path, err);
  }
  if (status == PK_OK && pki_sweep_has_hdf5() && pki_path_join(path, j->folder, "results.h5")) {
    status = pki_sweep_hdf5(&j->sweep, &j->store, path, err);
  }
  status = status == PK_OK ? pki_sweep_replay(&j->samples, j->folder, stop, err) : status;
  return status == PK_OK ? pki_sweep_report(&j->samples, j->folder, err) : status;
}

/* The exit status, with a word on stderr about why it is not 0. */
static int sweep_exit_status(const job *j)
{
  const pki_samples *s = &j->samples;
  if (s->failed + s->refused == 0) {
    return PKI_EXIT_OK;
  }
  for (int i = 0; i < s->count; i++) {
    if (s->record[i].outcome != PKI_OUTCOME_RAN) {
      pki_complain("sweep", "%lld sample%s failed, %lld %s refused; the first, sample %lld: %s", s->failed,
                   s->failed == 1 ? "" : "s", s->refused, s->refused == 1 ? "was" : "were",
                   s->record[i].index, s->record[i].message);
      break;
    }
  }
  return PKI_EXIT_FAILURE;
}

static int run_rank_zero(job *j)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pk_status status = pki_folder_create(j->folder, &err);
  if (status == PK_OK && !pki_path_join(path, j->folder, "samples.pronk")) {
    status = pki_fail(&err, PK_ERROR_FILE, (pki_where){.file = j->folder}, "the folder's name is too long");
  }
  status = status == PK_OK ? pki_store_open(path, &j->head, pki_args_has(j->args, "again"), &j->store, &err)
                           : status;
  if (status != PK_OK) {
    pki_complain_error("sweep", &err);
    return status == PK_ERROR_ARGUMENT || status == PK_ERROR_SYNTAX ? PKI_EXIT_USAGE : PKI_EXIT_FAILURE;
  }
  if (j->store.damaged > 0) {
    pki_complain("sweep", "note: %lld damaged records in %s; their samples run again", j->store.damaged,
                 path);
  }
  pki_progress progress = pki_progress_start();
  const pki_work_options options = {.threads = j->threads,
                                    .stop = pki_interrupt_catch(),
                                    .progress = progress.shown ? pki_progress_show : NULL,
                                    .user = &progress,
                                    .comm = j->comm.size > 1 ? &j->comm : NULL};
  status = pki_work_lead(&j->sweep, &j->head, &j->store, &options, &j->work, &err);
  j->agreed = status == PK_OK;
  const bool all = j->store.finished == j->store.samples;
  status = status == PK_OK && all ? write_sweep_results(j, options.stop, &err) : status;
  pki_progress_end(&progress);
  const bool stopped = *options.stop != 0;
  pki_interrupt_release();
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("sweep", &err);
  } else if (!all || stopped) {
    pki_complain("sweep", "interrupted with %lld of %lld samples finished; the same command resumes",
                 j->store.finished, j->store.samples);
  } else {
    bool printed = true;
    if (j->args->json) {
      printed = pki_json_print(sweep_json(j), true, "sweep");
    } else {
      print_text(j);
    }
    code = printed ? sweep_exit_status(j) : PKI_EXIT_FAILURE;
  }
  pki_store_close(&j->store);
  pki_samples_free(&j->samples);
  return code;
}

/* ---- the command ---- */

/* Which rank it is that complains. */
static void complain_with_rank(const job *j, const pk_error *err)
{
  if (j->comm.size > 1) {
    char line[1024];
    pki_error_line(err, line, sizeof line);
    pki_complain("sweep", "rank %d: %s", j->comm.rank, line);
  } else {
    pki_complain_error("sweep", err);
  }
}

static int run_other_rank(job *j)
{
  pk_error err = {0};
  const pki_work_options options = {.threads = j->threads, .stop = pki_interrupt_catch(), .comm = &j->comm};
  const pk_status status = pki_work_follow(&j->sweep, &j->head, &options, &err);
  pki_interrupt_release();
  j->agreed = status == PK_OK;
  if (status != PK_OK) {
    complain_with_rank(j, &err);
  }
  return status == PK_OK ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static pk_status load_sweep(const pki_args *args, pki_sweep *out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_sets sets;
  if (!pki_sets_read(args, &sets)) {
    return pki_fail_memory(err, NULL);
  }
  pk_status status = pki_yaml_locate(&pki_sweep_kind, args->words[0], path, err);
  status = status == PK_OK ? pki_sweep_load(path, sets.list, sets.count, out, err) : status;
  pki_sets_free(&sets);
  return status;
}

/* Code of the scenario as it is written, once, before all threads ask for it; a word where it cannot be had. */
static void compile_base(const job *j)
{
  pki_world world = {0};
  if (j->sweep.base->dynamics == PKI_DYNAMICS_COMPILED &&
      pki_world_create(j->sweep.base, &world, NULL) == PK_OK) {
    pki_compile_world("sweep", &world, 1);
    pki_world_free(&world);
  }
}

static int run_job(job *j)
{
  pk_error err = {0};
  char folder[PKI_PATH_MAX];
  const pk_status status = load_sweep(j->args, &j->sweep, &err);
  if (status != PK_OK) {
    complain_with_rank(j, &err);
    return pki_exit_of_input(status);
  }
  if (j->comm.rank == 0) {
    pki_warn_scenario("sweep", j->sweep.base, NULL, -1);
  }
  j->folder = pki_args_value(j->args, "output");
  if (j->folder == NULL) {
    pki_default_folder(j->sweep.name, "-sweep", folder);
    j->folder = folder;
  }
  int code;
  if (pki_args_has(j->args, "plan")) {
    code = j->comm.rank == 0 ? print_plan(j) : PKI_EXIT_OK;
    j->agreed = true;
  } else {
    compile_base(j);
    pki_store_head_of(&j->sweep, &j->head);
    code = j->comm.rank == 0 ? run_rank_zero(j) : run_other_rank(j);
  }
  pki_sweep_free(&j->sweep);
  return code;
}

int pki_command_sweep(const pki_args *args)
{
  double threads;
  if (args->nword != 1) {
    pki_complain("sweep", "name one sweep (pronk list sweeps shows them), or its YAML file");
    return PKI_EXIT_USAGE;
  }
  if (!pki_args_number(args, "threads", 1, 1024, 0, &threads)) {
    return PKI_EXIT_USAGE;
  }
  if (threads != floor(threads)) {
    pki_complain("sweep", "--threads is %g, expected a whole number", threads);
    return PKI_EXIT_USAGE;
  }
  job j = {.args = args};
  if (!pki_ranks_begin("sweep", &j.comm)) {
    return PKI_EXIT_FAILURE;
  }
  j.threads = threads > 0 ? (int)threads : j.comm.size > 1 ? 1 : pki_count_processors();
  const int code = run_job(&j);
  pki_ranks_end(&j.comm, j.agreed);
  return code;
}
