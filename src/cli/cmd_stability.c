/* pronk stability: how far a recorded robot was from tipping over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd_view.h"
#include "cli/print_json.h"
#include "cli/print_summary.h"
#include "cli/terminal.h"
#include "report/table.h"
#include "run/stability_replay.h"

const pki_option pki_options_stability[] = {
    {"output", 'o', "DIR", "where stability.csv and report.html go (default: out/NAME-stability)"},
    {"robot", 0, "NAME", "which robot of the world (default: the first)"},
    {"set", 0, "KEY=VALUE",
     "an option of the measures: tip_speed, tip_direction, least_force, friction_sides; may be repeated"},
    {"from", 0, "S", "only from this time on"},
    {"to", 0, "S", "only up to this time"},
    {0}};

/* --set of the command line into the options of the measures. */
static bool set_options(const pki_args *args, pk_stability_options *options)
{
  int count = 0;
  const char **sets = pki_args_all(args, "set", &count);
  bool good = sets != NULL;
  for (int i = 0; i < count && good; i++) {
    const char *equals = strchr(sets[i], '=');
    char key[64];
    pk_error err = {0};
    if (equals == NULL || (size_t)(equals - sets[i]) >= sizeof key) {
      pki_complain("stability", "--set takes KEY=VALUE, got '%s'", sets[i]);
      good = false;
      break;
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - sets[i]), sets[i]);
    if (pki_fields_parse(pki_stability_fields, pki_stability_scenario_fields, options, key, equals + 1,
                         &err) != PK_OK) {
      pki_complain_error("stability", &err);
      good = false;
    }
  }
  free((void *)sets);
  return good;
}

static cJSON *track_json(const pki_stability_replay *replay, const pki_stability_track *t, const char *folder)
{
  cJSON *o = cJSON_CreateObject();
  char path[PKI_PATH_MAX];
  cJSON_AddStringToObject(o, "robot", replay->world.model->robots[replay->robot].name);
  cJSON_AddNumberToObject(o, "samples", t->n);
  pki_json_stability(o, &t->sum);
  cJSON_AddStringToObject(o, "report", pki_path_join(path, folder, "report.html") ? path : folder);
  return o;
}

static bool print_text(const pki_stability_replay *replay, const pki_stability_track *t, const char *folder)
{
  const pki_palette p = pki_palette_for(stdout);
  pki_table table;
  pki_text text = {0};
  pki_stability_table(t, &table);
  pki_table_text(&table, "  ", true, &text);
  const bool good = !table.failed && !text.failed;
  if (good) {
    printf("%s%s%s: %d samples, %.6g s, of it %.6g s with support\n\n", p.bold,
           replay->world.model->robots[replay->robot].name, p.plain, t->n, t->sum.time, t->sum.supported);
    pki_print_clean(&text);
    if (!pki_stability_replay_is_dense(replay)) {
      printf("\nSamples are more than a step apart: the FRI is taken as the ZMP.\n");
    }
    printf("\nValues:  %s/stability.csv\nReport:  %s/report.html\n", folder, folder);
  } else {
    pki_complain("stability", "out of memory");
    pki_text_free(&text);
  }
  pki_table_free(&table);
  return good;
}

/* Both files into the folder. */
static pk_status write_files(const pki_stability_replay *replay, const pki_stability_track *t,
                             const char *name, const char *folder, pk_error *err)
{
  char csv[PKI_PATH_MAX], report[PKI_PATH_MAX], title[160];
  if (!pki_path_join(csv, folder, "stability.csv") || !pki_path_join(report, folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  snprintf(title, sizeof title, "Stability of %.128s", name);
  pk_status status = pki_folder_create(folder, err);
  status = status == PK_OK ? pki_stability_csv(t, csv, err) : status;
  return status == PK_OK ? pki_stability_report(replay, t, title, report, err) : status;
}

static int measure_recording(const pki_args *args, const pk_recording *recording)
{
  pki_stability_replay replay;
  pki_stability_track track = {0};
  pk_error err = {0};
  double from, to;
  if (!pki_args_number(args, "from", -1e9, 1e9, -1e9, &from) ||
      !pki_args_number(args, "to", -1e9, 1e9, 1e9, &to)) {
    return PKI_EXIT_USAGE;
  }
  const pk_status opened = pki_stability_replay_open(recording, pki_args_value(args, "robot"), &replay, &err);
  int code = pki_exit_of_input(opened);
  if (opened != PK_OK) {
    pki_complain_error("stability", &err);
  } else if (!set_options(args, &replay.options)) {
    code = PKI_EXIT_USAGE;
  } else {
    const char *noted = pk_recording_note(recording, "scenario"), *name = noted != NULL ? noted : "recording";
    char folder[PKI_PATH_MAX];
    const char *given = pki_args_value(args, "output");
    pki_default_folder(name, "-stability", folder);
    if (given != NULL) {
      snprintf(folder, sizeof folder, "%s", given);
    }
    pk_status status = pki_stability_track_compute(&replay, from, to, &track, &err);
    status = status == PK_OK ? write_files(&replay, &track, name, folder, &err) : status;
    const bool printed = status == PK_OK &&
                         (args->json ? pki_json_print(track_json(&replay, &track, folder), true, "stability")
                                     : print_text(&replay, &track, folder));
    if (status != PK_OK) {
      pki_complain_error("stability", &err);
    }
    code = printed ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
  }
  pki_stability_track_free(&track);
  pki_stability_replay_free(&replay);
  return code;
}

int pki_command_stability(const pki_args *args)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pk_recording *recording;
  if (args->nword != 1) {
    pki_complain("stability", args->nword == 0 ? "name a recording: run.mcap, or the folder of a run"
                                               : "one recording at a time");
    return PKI_EXIT_USAGE;
  }
  if (!pki_view_recording(args->words[0], path)) {
    snprintf(path, sizeof path, "%s", args->words[0]);
  }
  if (pk_recording_open(path, &recording, &err) != PK_OK) {
    pki_complain_error("stability", &err);
    return PKI_EXIT_USAGE;
  }
  const int code = measure_recording(args, recording);
  pk_recording_close(recording);
  return code;
}
