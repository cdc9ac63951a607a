/* pronk export: a recording as HDF5, CSV, or a part of it as MCAP. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/pattern.h"
#include "cli/cli.h"
#include "cli/cmd_export.h"
#include "cli/cmd_view.h"
#include "cli/print_json.h"
#include "record/export.h"
#include "record/recording_read.h"
#include "run/run_report.h"

const pki_option pki_options_export[] = {
    {"output", 'o', "PATH", "file, or for csv folder (default: beside the recording)"},
    {"format", 0, "NAME", "hdf5, csv, mcap or html, the report (default: by the ending of PATH, else hdf5)"},
    {"channels", 0, "LIST",
     "only these and what is below them, by comma, '*' for any letters: joints/force,trunk"},
    {"from", 0, "S", "only from this time on"},
    {"to", 0, "S", "only up to this time"},
    {0}};

enum { HDF5, CSV, MCAP, HTML, FORMATS };

static const double MOST = 1e9; /* s */

/* The report of a run, of the whole recording. */
static pk_status export_html(pki_export *what, const char *path, pk_error *err)
{
  return pki_report_run(what->recording, NULL, path, err);
}

static const struct {
  const char *name, *ending; /* of the path that is chosen when none is given */
  pk_status (*run)(pki_export *what, const char *path, pk_error *err);
} formats[FORMATS] = {{"hdf5", ".h5", pki_export_hdf5},
                      {"csv", "-csv", pki_export_csv},
                      {"mcap", "-copy.mcap", pki_export_mcap},
                      {"html", "-report.html", export_html}};

/* The format that was asked for, or the one that the output's name tells; -1 after a complaint. */
static int choose_format(const pki_args *args)
{
  const char *word = pki_args_value(args, "format"), *path = pki_args_value(args, "output");
  if (word != NULL) {
    return pki_export_format(args, word);
  }
  if (path != NULL && (pki_ends_with(path, ".h5") || pki_ends_with(path, ".hdf5"))) {
    return HDF5;
  }
  if (path != NULL && pki_ends_with(path, ".mcap")) {
    return MCAP;
  }
  if (path != NULL && pki_ends_with(path, ".html")) {
    return HTML;
  }
  if (path != NULL) {
    return CSV;
  }
  return pki_export_has_hdf5() ? HDF5 : CSV;
}

/* Where to: as given, or run.mcap -> run.h5, run-csv, run-copy.mcap. */
static bool choose_path(const char *given, const char *recording, int format, char path[PKI_PATH_MAX])
{
  const int stem = (int)(strlen(recording) - (pki_ends_with(recording, ".mcap") ? strlen(".mcap") : 0));
  const int n = given != NULL
                    ? snprintf(path, PKI_PATH_MAX, "%s", given)
                    : snprintf(path, PKI_PATH_MAX, "%.*s%s", stem, recording, formats[format].ending);
  if (n < 1 || n >= PKI_PATH_MAX) {
    pki_complain("export", "the path of the output is too long, or empty");
    return false;
  }
  struct stat from, to;
  if (stat(recording, &from) == 0 && stat(path, &to) == 0 && from.st_dev == to.st_dev &&
      from.st_ino == to.st_ino) {
    pki_complain("export", "%s is the recording itself: choose another output", path);
    return false;
  }
  return true;
}

/* The channel nearest to a name that none has, or the name above several: "trunk" of "trunk/starleth". */
static void complain_channel(const pk_recording *r, const char *name)
{
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(r, &count);
  const char **words = calloc(2 * (size_t)count + 1, sizeof *words);
  char(*above)[128] = calloc((size_t)count + 1, sizeof *above);
  const char *near = NULL;
  if (words != NULL && above != NULL) {
    for (int i = 0; i < count; i++) {
      snprintf(above[i], sizeof above[i], "%.*s", (int)strcspn(channels[i].name, "/"), channels[i].name);
      words[i] = channels[i].name;
      words[count + i] = above[i];
    }
    near = pki_nearest_word(name, words, 2 * count);
  }
  pki_complain("export", "there is no channel '%s'%s%s%s (pronk info lists them)", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  free(above);
  free(words);
}

/* The channels that a list of names and patterns covers, each once, in the recording's order; false after a
 * complaint. */
static bool choose_channels(const pk_recording *r, const char *list, int *out, int *nout)
{
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(r, &count);
  *nout = 0;
  for (int i = 0; i < count; i++) {
    out[i] = list == NULL;
  }
  for (const char *s = list; s != NULL && *s != '\0';) {
    char name[256];
    const size_t n = strcspn(s, ",");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), s);
    bool found = false;
    for (int i = 0; i < count; i++) {
      const bool covered = pki_pattern_covers(name, channels[i].name);
      out[i] = out[i] || covered;
      found = found || covered;
    }
    if (!found) {
      complain_channel(r, name);
      return false;
    }
    s += n + (s[n] == ',');
  }
  for (int i = 0; i < count; i++) {
    if (out[i]) {
      out[(*nout)++] = i;
    }
  }
  if (*nout == 0) {
    pki_complain("export", "the recording has no channel to export");
  }
  return *nout > 0;
}

/* The times of --from and --to; a stretch that the recording does not reach is a mistake, not an empty file. */
static bool choose_times(const pki_args *args, const pk_recording *r, double *from, double *to)
{
  double start, end;
  pk_recording_span(r, &start, &end);
  if (!pki_args_number(args, "from", 0, MOST, *from, from) ||
      !pki_args_number(args, "to", 0, MOST, *to, to)) {
    return false;
  }
  if (*from > *to) {
    pki_complain("export", "--from is %g s, after --to, which is %g s", *from, *to);
    return false;
  }
  if (*from > end || *to < start) { /* not so when there are no samples at all */
    pki_complain("export", "%s is %g s, but the recording goes from %.9g to %.9g s",
                 *from > end ? "--from" : "--to", *from > end ? *from : *to, start, end);
    return false;
  }
  return true;
}

/* The files that were made. */
static void add_files(const pki_export *what, int format, const char *path, cJSON *files)
{
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(what->recording, &count);
  for (int i = 0; i < what->nchannel && format == CSV; i++) {
    char name[512], file[PKI_PATH_MAX];
    pki_export_csv_name(channels[pki_export_channel(what, i)].name, name, sizeof name);
    if (pki_path_join(file, path, name)) {
      cJSON_AddItemToArray(files, cJSON_CreateString(file));
    }
  }
  if (format != CSV) {
    cJSON_AddItemToArray(files, cJSON_CreateString(path));
  }
}

static int report_export(const pki_args *args, const pki_export *what, int format, const char *path)
{
  const bool complete = pk_recording_is_complete(what->recording);
  if (!args->json && format == HTML) {
    printf("%s\n", path);
    return PKI_EXIT_OK;
  }
  if (!args->json) {
    printf("%s: %d channel%s, %d sample%s%s\n", path, what->nchannel, what->nchannel == 1 ? "" : "s",
           what->samples, what->samples == 1 ? "" : "s",
           complete ? "" : " (the recording was cut off: what there is of it)");
    if (what->recording->damaged > 0) {
      printf("%d damaged part%s left out\n", what->recording->damaged,
             what->recording->damaged == 1 ? " was" : "s were");
    }
    return PKI_EXIT_OK;
  }
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "recording", what->recording->path);
  cJSON_AddStringToObject(o, "format", formats[format].name);
  add_files(what, format, path, cJSON_AddArrayToObject(o, "files"));
  cJSON_AddNumberToObject(o, "channels", what->nchannel);
  cJSON_AddNumberToObject(o, "samples", what->samples);
  cJSON_AddBoolToObject(o, "complete", complete);
  cJSON_AddNumberToObject(o, "damaged", what->recording->damaged);
  return pki_json_print(o, true, "export") ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static int export_recording(const pki_args *args, pk_recording *r, int format, const char *path)
{
  pki_export what = pki_export_all(r);
  int *channels = calloc((size_t)what.nchannel + 1, sizeof *channels);
  if (channels == NULL) {
    pki_complain("export", "out of memory");
    return PKI_EXIT_FAILURE;
  }
  what.channels = channels;
  int code = PKI_EXIT_USAGE;
  if (choose_channels(r, pki_args_value(args, "channels"), channels, &what.nchannel) &&
      choose_times(args, r, &what.from, &what.to)) {
    pk_error err = {0};
    if (formats[format].run(&what, path, &err) == PK_OK) {
      code = report_export(args, &what, format, path);
    } else {
      pki_complain_error("export", &err);
      code = PKI_EXIT_FAILURE;
    }
  }
  free(channels);
  return code;
}

int pki_export_format(const pki_args *args, const char *word)
{
  const char *words[FORMATS];
  for (int i = 0; i < FORMATS; i++) {
    words[i] = formats[i].name;
  }
  return pki_args_choice(args, "format", word, words, FORMATS);
}

pk_status pki_export_beside(const char *recording, int format, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_recording *r = NULL;
  if (!choose_path(NULL, recording, format, path)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = recording},
                    "has no room for an export beside it");
  }
  pk_status status = pk_recording_open(recording, &r, err);
  if (status == PK_OK) {
    pki_export what = pki_export_all(r);
    status = formats[format].run(&what, path, err);
  }
  pk_recording_close(r);
  return status;
}

int pki_command_export(const pki_args *args)
{
  if (args->nword != 1) {
    pki_complain("export", args->nword == 0 ? "name a recording: run.mcap, or the folder of a run"
                                            : "one recording at a time");
    return PKI_EXIT_USAGE;
  }
  char recording[PKI_PATH_MAX], path[PKI_PATH_MAX];
  if (!pki_view_recording(args->words[0], recording)) {
    snprintf(recording, sizeof recording, "%s", args->words[0]);
  }
  const int format = choose_format(args);
  if (format < 0 || !choose_path(pki_args_value(args, "output"), recording, format, path)) {
    return PKI_EXIT_USAGE;
  }
  pk_error err = {0};
  pk_recording *r;
  /* a copy is made of what is sound, whatever the summary says */
  if (pki_recording_open(recording, format == MCAP, &r, &err) != PK_OK) {
    pki_complain_error("export", &err);
    return PKI_EXIT_USAGE;
  }
  const int code = export_recording(args, r, format, path);
  pk_recording_close(r);
  return code;
}
