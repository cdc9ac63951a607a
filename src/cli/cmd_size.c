/* pronk size: motors and gears for the motions of a robot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/size_words.h"
#include "cli/terminal.h"
#include "size/size_report.h"

const pki_option pki_options_size[] = {
    {"joints", 0, "PATTERN", "joints that have the same drive; may be repeated (default: each has its own)"},
    {"each", 0, NULL, "every joint of --joints has a drive of its own"},
    {"motors", 0, "PATTERN", "motors of `pronk list motors`, or a file; may be repeated (default: all)"},
    {"gears", 0, "A,B,...",
     "ratios for bare motors, or LOW:HIGH for the best between them (default: the motors' files)"},
    {"efficiency", 0, "E", "of these gears (default: 1)"},
    {"voltages", 0, "A,B,...", "V of the bus (default: the motors' files)"},
    {"weights", 0, "A,B,...", "shares of the motions in the working time (default: equal)"},
    {"by", 0, "WHAT",
     "what the best drive has least of: mass, energy, price, heat (default: mass and energy)"},
    {"rounds", 0, "N",
     "let the robot carry what was chosen and move again, up to N times, until the choice stays"},
    {"set", 0, "KEY=VALUE", "override a key of the study; may be repeated"},
    {"output", 'o', "DIR", "where the report and the lists go (default: out/NAME-size)"},
    {0},
};

/* ---- results ---- */

static cJSON *line_json(const pki_sizing *z, const pki_size_group *g, const pki_line_use *use)
{
  cJSON *o = cJSON_CreateObject();
  pki_json_number(o, "has", use->has);
  pki_json_number(o, "needs", use->needs);
  pki_json_number(o, "used", pki_line_used(use));
  if (!isnan(use->has)) {
    cJSON_AddStringToObject(o, "joint", g->joints[use->joint]);
    cJSON_AddStringToObject(o, "motion", use->motion >= 0 ? z->duty.motions[use->motion].name : "");
    pki_json_number(o, "time", use->time);
  }
  return o;
}

static cJSON *candidate_json(const pki_sizing *z, const pki_size_group *g, int index)
{
  const pki_drive_candidate *c = &g->candidates[index];
  const pki_demand *d = &c->demand;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "motor", c->drive.motor->id);
  pki_json_number(o, "ratio", c->drive.gear.ratio);
  pki_json_number(o, "voltage", c->drive.voltage > 0 ? c->drive.voltage : NAN);
  cJSON_AddBoolToObject(o, "fits", c->fits);
  cJSON_AddBoolToObject(o, "chosen", index == g->chosen);
  cJSON_AddBoolToObject(o, "front", c->front);
  cJSON_AddStringToObject(o, "reason", c->reason);
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"margin", c->margin},
                 {"score", c->score},
                 {"rms_torque", d->rms},
                 {"peak_torque", d->peak},
                 {"speed", d->speed},
                 {"winding", d->winding},
                 {"housing", d->housing},
                 {"heat", d->joule},
                 {"power", d->power},
                 {"largest_input", d->input},
                 {"armature", d->armature},
                 {"mass", d->mass},
                 {"price", d->price},
                 {"continuous_distance", d->distance[0]},
                 {"peak_distance", d->distance[1]},
                 {"voltage_distance", d->distance[2]}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    pki_json_number(o, numbers[i].name, numbers[i].value);
  }
  cJSON *lines = cJSON_AddObjectToObject(o, "lines");
  for (int i = 0; i < PKI_LINE_COUNT; i++) {
    cJSON_AddItemToObject(lines, pki_line_words[i], line_json(z, g, &d->lines[i]));
  }
  return o;
}

static cJSON *group_json(const pki_sizing *z, const pki_size_group *g)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "group", g->name);
  cJSON *joints = cJSON_AddArrayToObject(o, "joints"), *list = cJSON_AddArrayToObject(o, "candidates");
  for (int i = 0; i < g->njoint; i++) {
    cJSON_AddItemToArray(joints, cJSON_CreateString(g->joints[i]));
  }
  pki_json_number(o, "chosen", g->chosen >= 0 ? g->chosen : NAN);
  for (int i = 0; i < g->ncandidate; i++) {
    cJSON_AddItemToArray(list, candidate_json(z, g, i));
  }
  return o;
}

static void add_rounds(const pki_size_result *r, cJSON *o)
{
  cJSON *list = cJSON_AddArrayToObject(o, "rounds");
  for (int i = 0; i < r->nround; i++) {
    const pki_size_round *a = &r->rounds[i];
    cJSON *round = cJSON_CreateObject(), *drives = cJSON_CreateObject();
    pki_json_number(round, "carried", a->carried);
    pki_json_number(round, "added", a->added);
    pki_json_number(round, "mass", a->mass);
    pki_json_number(round, "power", a->power);
    pki_json_number(round, "largest_input", a->input);
    for (int k = 0; k < a->njoint; k++) {
      cJSON_AddStringToObject(drives, a->chosen[k].joint, a->chosen[k].drive);
    }
    cJSON_AddItemToObject(round, "drives", drives);
    cJSON_AddItemToArray(list, round);
  }
}

static void add_replaced(const pki_size_result *r, cJSON *o)
{
  cJSON *list = cJSON_AddArrayToObject(o, "replaced");
  for (int i = 0; i < r->nreplaced; i++) {
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "joint", r->replaced[i].joint);
    pki_json_number(one, "mass", r->replaced[i].mass);
    pki_json_number(one, "armature", r->replaced[i].armature);
    cJSON_AddStringToObject(one, "actuators", r->replaced[i].actuators);
    cJSON_AddItemToArray(list, one);
  }
}

static bool print_json(const pki_size_study *study, const pki_size_result *r, const char *folder)
{
  const pki_sizing *z = &r->sizing;
  const pki_size_supply *s = &z->supply;
  char path[PKI_PATH_MAX];
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "study", study->name);
  cJSON_AddBoolToObject(o, "complete", pki_sizing_is_complete(z));
  cJSON_AddBoolToObject(o, "agreed", r->agreed);
  pki_json_number(o, "swings", r->swings >= 0 ? r->swings : NAN);
  pki_json_number(o, "motion_seconds", r->motion_seconds);
  pki_json_number(o, "choice_seconds", r->choice_seconds);
  cJSON *supply = cJSON_AddObjectToObject(o, "supply"), *groups = cJSON_AddArrayToObject(o, "groups");
  pki_json_number(supply, "voltage", s->voltage > 0 ? s->voltage : NAN);
  pki_json_number(supply, "power", s->power);
  pki_json_number(supply, "largest_input", s->input);
  pki_json_number(supply, "current", s->current);
  pki_json_number(supply, "energy", s->energy);
  pki_json_number(supply, "mass", s->mass);
  pki_json_number(supply, "price", s->price);
  for (int i = 0; i < z->ngroup; i++) {
    cJSON_AddItemToArray(groups, group_json(z, &z->groups[i]));
  }
  add_rounds(r, o);
  add_replaced(r, o);
  cJSON_AddStringToObject(o, "folder", folder);
  cJSON_AddStringToObject(o, "report", pki_path_join(path, folder, "report.html") ? path : folder);
  return pki_json_print(o, true, "size");
}

static void print_table(pki_table *table)
{
  pki_text text = {0};
  pki_table_text(table, "  ", true, &text);
  pki_table_free(table);
  pki_print_clean(&text);
  printf("\n");
}

static bool print_text(const pki_size_study *study, const pki_size_result *r, const char *folder)
{
  const pki_palette p = pki_palette_for(stdout);
  const pki_sizing *z = &r->sizing;
  pki_table table;
  printf("%s%s%s%s%s\n\n", p.bold, study->name, p.plain, study->description[0] != '\0' ? ": " : "",
         study->description);
  pki_size_choice_table(z, &table);
  print_table(&table);
  for (int i = 0; i < z->ngroup; i++) {
    const pki_size_group *g = &z->groups[i];
    if (g->chosen < 0 && g->ncandidate > 0) {
      char words[160];
      pki_drive_words(&g->candidates[0].drive, words, sizeof words);
      printf("  %s: nearest is %s; %s\n\n", g->name, words, g->candidates[0].reason);
    }
  }
  pki_size_supply_table(z, &table);
  print_table(&table);
  if (r->nround > 1) {
    pki_size_round_table(r, &table);
    print_table(&table);
    if (r->nreplaced > 0) {
      printf("  The chosen drives replace, from round 1 on:\n\n");
      pki_size_replaced_table(r, &table);
      print_table(&table);
    }
    printf("  %s\n\n", r->agreed        ? "Choice and motion agree."
                       : r->swings >= 0 ? "The choice swings: choice and motion do not agree."
                                        : "Choice and motion do not agree yet.");
  }
  printf("Parts:      %s/parts.csv\nCandidates: %s/candidates.csv\nReport:     %s/report.html\n", folder,
         folder, folder);
  return true;
}

static pk_status write_files(const pki_size_study *study, const pki_size_result *r, const char *folder,
                             pk_error *err)
{
  char parts[PKI_PATH_MAX], candidates[PKI_PATH_MAX], report[PKI_PATH_MAX];
  if (!pki_path_join(parts, folder, "parts.csv") || !pki_path_join(candidates, folder, "candidates.csv") ||
      !pki_path_join(report, folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  pk_status status = pki_size_parts_save(&r->sizing, parts, err);
  status = status == PK_OK ? pki_size_candidates_save(&r->sizing, candidates, err) : status;
  return status == PK_OK ? pki_size_report_save(study, r, report, err) : status;
}

/* ---- running ---- */

/* What went wrong on the way to a choice: of the input, unless it was stopped or a motion failed. */
static int complain_all(pki_problems *problems)
{
  pki_problems_sort(problems);
  for (int i = 0; i < problems->count; i++) {
    pki_complain_error("size", &problems->errors[i]);
  }
  const pk_status status = problems->status;
  pki_problems_free(problems);
  return status == PK_ERROR_LIMIT ? PKI_EXIT_FAILURE : pki_exit_of_input(status);
}

static int finish(const pki_args *args, const pki_size_study *study, const pki_size_result *r,
                  const char *folder)
{
  pk_error err = {0};
  if (write_files(study, r, folder, &err) != PK_OK) {
    pki_complain_error("size", &err);
    return PKI_EXIT_FAILURE;
  }
  const bool printed = args->json ? print_json(study, r, folder) : print_text(study, r, folder);
  if (!pki_sizing_is_complete(&r->sizing)) {
    pki_complain("size", "not every group of joints has a drive that fits");
    return PKI_EXIT_FAILURE;
  }
  if (r->swings >= 0) {
    pki_complain("size",
                 "the choice swings: that of round %d has come back in round %d, and more rounds repeat it; "
                 "name one of the drives "
                 "between which it swings, or ask for more margin",
                 r->swings, r->nround - 1);
    return PKI_EXIT_FAILURE;
  }
  if (!r->agreed) {
    pki_complain("size", "after %d rounds the choice still changes the motion; more --rounds may settle it",
                 r->nround - 1);
    return PKI_EXIT_FAILURE;
  }
  return printed ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static int size_study(const pki_args *args, const pki_size_study *study)
{
  char made[PKI_PATH_MAX];
  const char *folder = pki_args_value(args, "output");
  pki_size_result result = {0};
  pki_problems problems = {0};
  pki_progress progress = pki_progress_start();
  pk_error err = {0};
  if (folder == NULL) {
    pki_default_folder(study->name, "-size", made);
    folder = made;
  }
  if (pki_folder_create(folder, &err) != PK_OK) {
    pki_complain_error("size", &err);
    return PKI_EXIT_FAILURE;
  }
  const pki_size_work_options options = {.folder = folder,
                                         .rounds = study->rounds,
                                         .stop = pki_interrupt_catch(),
                                         .progress = pki_progress_show,
                                         .user = &progress};
  pki_size_work(study, &options, &result, &problems);
  pki_progress_end(&progress);
  const int code = problems.status != PK_OK ? complain_all(&problems) : finish(args, study, &result, folder);
  pki_interrupt_release();
  pki_size_result_free(&result);
  return code;
}

/* Overrides of the command line, --rounds among them. */
static pki_size_study *load_study(const pki_args *args, int *code)
{
  pki_problems problems = {0};
  pki_size_study *study = NULL;
  char path[PKI_PATH_MAX], rounds[32];
  const char *list[256];
  pk_error err = {0};
  pki_sets sets;
  int count;
  *code = PKI_EXIT_USAGE;
  if (!pki_args_whole(args, "rounds", 0, 100, 0, &count) || !pki_sets_read(args, &sets)) {
    return NULL;
  }
  snprintf(rounds, sizeof rounds, "rounds=%d", count);
  int nset = sets.count < 255 ? sets.count : 255;
  for (int i = 0; i < nset; i++) {
    list[i] = sets.list[i];
  }
  if (pki_args_has(args, "rounds")) {
    list[nset++] = rounds;
  }
  if (pki_size_is_study(args)) {
    if (!pki_size_study_alone(args)) {
      pki_sets_free(&sets);
      return NULL;
    }
    if (pki_problems_note(&problems, pki_yaml_locate(&pki_size_kind, args->words[0], path, &err), &err) ==
        PK_OK) {
      pki_size_study_load(path, list, nset, &study, &problems);
    }
  } else {
    pki_text text = {0};
    if (pki_size_text(args, &text)) {
      pki_size_study_parse("command line", text.data, text.size, list, nset, &study, &problems);
    }
    pki_text_free(&text);
  }
  pki_sets_free(&sets);
  if (problems.status != PK_OK) {
    *code = complain_all(&problems);
  }
  return study;
}

int pki_command_size(const pki_args *args)
{
  int code;
  if (args->nword == 0) {
    pki_complain("size", "name a sizing study, or motions: recordings, motion.csv, gaits, scenarios");
    return PKI_EXIT_USAGE;
  }
  pki_size_study *study = load_study(args, &code);
  if (study != NULL) {
    code = size_study(args, study);
  }
  pki_size_study_destroy(study);
  return code;
}
