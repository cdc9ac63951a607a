/* pronk study: run studies, print what they found. */
#include "study/study_verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print_json.h"
#include "cli/terminal.h"

const pki_option pki_options_study[] = {{"output", 'o', "DIR", "folder for reports (default: out)"},
                                        {"quick", 0, NULL, "leave out what takes long"},
                                        {"spoil", 0, "ID", "judge this row with a value out of its bounds"},
                                        {0}};

static cJSON *row_json(const pki_study_row *row)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "id", row->id);
  cJSON_AddStringToObject(o, "what", row->what);
  pki_json_number(o, "paper", row->paper);
  pki_json_number(o, "measured", row->measured);
  cJSON_AddStringToObject(o, "unit", row->unit);
  cJSON_AddStringToObject(o, "note", row->note);
  cJSON_AddStringToObject(o, "section", row->section);
  /* null: nothing to hold, or left out */
  const bool judged = row->verdict == PKI_VERDICT_HOLDS || row->verdict == PKI_VERDICT_MISSES;
  cJSON_AddItemToObject(o, "ok",
                        judged ? cJSON_CreateBool(row->verdict == PKI_VERDICT_HOLDS) : cJSON_CreateNull());
  cJSON_AddStringToObject(o, "verdict", pki_verdict_name(row->verdict));
  cJSON_AddStringToObject(o, "tolerance", row->tolerance);
  cJSON_AddStringToObject(o, "why", row->why);
  return o;
}

static cJSON *study_json(const pki_study *study, const pki_study_result *result)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "study", study->name);
  cJSON_AddStringToObject(o, "source", study->source);
  cJSON *rows = cJSON_AddArrayToObject(o, "rows");
  for (int i = 0; i < result->nrow; i++) {
    cJSON_AddItemToArray(rows, row_json(&result->rows[i]));
  }
  cJSON_AddStringToObject(o, "report", result->report);
  return o;
}

/* Rows that fail a study, each in one line. */
static void print_failures(const pki_study_result *result, const pki_palette *p)
{
  for (int i = 0; i < result->nrow; i++) {
    const pki_study_row *row = &result->rows[i];
    if (row->verdict == PKI_VERDICT_MISSES) {
      printf("%smisses:%s %s: paper %g, measured %g %s (%s)\n", p->red, p->plain, row->what, row->paper,
             row->measured, row->unit, row->tolerance);
    } else if (row->verdict == PKI_VERDICT_NONE && !isnan(row->paper) && row->why[0] == '\0') {
      printf("%snot judged:%s %s: paper %g, measured %g %s\n", p->red, p->plain, row->what, row->paper,
             row->measured, row->unit);
    }
  }
}

static void print_text(const pki_study *study, const pki_study_result *result)
{
  const pki_palette p = pki_palette_for(stdout);
  printf("%s%s%s: %s\n%s%s%s\n\n%s\n", p.bold, study->name, p.plain, study->doc, p.dim, study->source,
         p.plain, result->summary.data != NULL ? result->summary.data : "");
  print_failures(result, &p);
  const int held = pki_study_count(result, PKI_VERDICT_HOLDS),
            misses = pki_study_count(result, PKI_VERDICT_MISSES),
            left_out = pki_study_count(result, PKI_VERDICT_LEFT_OUT);
  printf("%s%d of %d%s values that the study is held to are met.", pki_study_passes(result) ? p.green : p.red,
         held, held + misses, p.plain);
  if (left_out > 0) {
    printf(" %d more were left out; the report says why.", left_out);
  }
  printf(" Report: %s\n", result->report);
}

/* What run_one and run_all do with studies. */
typedef struct study_command {
  const char *folder, *spoil; /* spoil NULL: nothing */
  bool quick, spoilt;         /* spoilt: a row of that id was found */
} study_command;

/* A row is spoilt on purpose before the studies are told. */
static void spoil_row(study_command *c, pki_study_result *result)
{
  if (c->spoil != NULL) {
    c->spoilt |= pki_study_spoil(result, c->spoil);
  }
}

/* One study into its folder; JSON goes to `json` when it is not NULL. */
static int run_one(const pki_study *study, study_command *c, cJSON **json)
{
  char path[4096];
  pk_error err = {0};
  const int n = snprintf(path, sizeof path, "%s/%s", c->folder, study->name);
  if (n < 0 || (size_t)n >= sizeof path - 64) {
    pki_complain("study", "the folder's name is too long");
    return PKI_EXIT_USAGE;
  }
  pki_progress progress = pki_progress_start();
  const pki_study_options options = {
      .folder = path, .quick = c->quick, .progress = pki_progress_show, .user = &progress};
  pki_study_result result = {0};
  const pk_status status = study->run(&options, &result, &err);
  pki_progress_end(&progress);
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    err.status = status;
    pki_complain_error("study", &err);
  } else {
    spoil_row(c, &result);
    code = pki_study_passes(&result) ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
    if (json != NULL) {
      *json = study_json(study, &result);
    } else {
      print_text(study, &result);
    }
  }
  pki_study_free(&result);
  return code;
}

/* All studies, one after another; with --json an array. */
static int run_all(const pki_args *args, study_command *c)
{
  int count, worst = PKI_EXIT_OK;
  const pki_study *const *studies = pki_studies(&count);
  cJSON *all = args->json ? cJSON_CreateArray() : NULL;
  for (int i = 0; i < count; i++) {
    cJSON *json = NULL;
    const int code = run_one(studies[i], c, args->json ? &json : NULL);
    worst = code != PKI_EXIT_OK ? code : worst;
    cJSON_AddItemToArray(all, json);
  }
  if (args->json && !pki_json_print(all, true, "study")) {
    return PKI_EXIT_FAILURE;
  }
  return worst;
}

static int run_named(const pki_args *args, study_command *c)
{
  enum { MOST = 32 };
  const char *words[MOST];
  int count;
  const pki_study *const *studies = pki_studies(&count);
  for (int i = 0; i < count && i < MOST; i++) {
    words[i] = studies[i]->name;
  }
  const int chosen = pki_args_choice(args, "study", args->words[0], words, count < MOST ? count : MOST);
  if (chosen < 0) {
    return PKI_EXIT_USAGE;
  }
  cJSON *json = NULL;
  const int code = run_one(studies[chosen], c, args->json ? &json : NULL);
  return json != NULL && !pki_json_print(json, true, "study") ? PKI_EXIT_FAILURE : code;
}

int pki_command_study(const pki_args *args)
{
  if (args->nword != 1) {
    pki_complain("study", "name one study, or all (pronk list studies shows them)");
    return PKI_EXIT_USAGE;
  }
  const char *folder = pki_args_value(args, "output");
  study_command c = {.folder = folder != NULL ? folder : "out",
                     .spoil = pki_args_value(args, "spoil"),
                     .quick = pki_args_has(args, "quick")};
  const int code = strcmp(args->words[0], "all") == 0 ? run_all(args, &c) : run_named(args, &c);
  if (c.spoil != NULL && !c.spoilt && code != PKI_EXIT_USAGE) {
    pki_complain("study", "--spoil %s: no row of this id is held (--json shows the ids)", c.spoil);
    return PKI_EXIT_USAGE;
  }
  return code;
}
