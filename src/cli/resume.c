#include "cli/resume.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "run/run_output.h"

/* A number among the recording's notes, `otherwise` when there is none. */
static double noted_number(const pk_recording *r, const char *key, double otherwise)
{
  const char *text = pk_recording_note(r, key), *const end = text != NULL ? text + strlen(text) : NULL;
  double value;
  return text != NULL && pki_parse_real(&text, end, &value) && text == end ? value : otherwise;
}

/* The lines of overrides.txt, cut in place. */
static int split_lines(char *text, const char **lines)
{
  int count = 0;
  for (char *at = text; *at != '\0';) {
    char *end = strchr(at, '\n');
    lines[count++] = at;
    if (end == NULL) {
      break;
    }
    *end = '\0';
    at = end + 1;
  }
  return count;
}

static pk_status parse_recorded_scenario(const pk_recording *r, pki_scenario **scenario, pk_error *err)
{
  const pk_recorder_attachment *text = pk_recording_attachment(r, "scenario.yaml");
  const pk_recorder_attachment *overrides = pk_recording_attachment(r, "overrides.txt");
  const char *file = pk_recording_note(r, "file");
  if (text == NULL || file == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){0},
                    "the recording holds no scenario; name it: pronk run SCENARIO --resume DIR");
  }
  const size_t size = overrides != NULL ? overrides->size : 0;
  char *lines = calloc(size + 1, 1);
  const char **sets = calloc(size + 1, sizeof *sets); /* there are no more lines than bytes */
  if (lines == NULL || sets == NULL) {
    free(lines);
    free((void *)sets);
    return pki_fail_memory(err, NULL);
  }
  if (size > 0) {
    memcpy(lines, overrides->data, size);
  }
  const pk_status status =
      pki_scenario_parse(file, text->data, text->size, sets, split_lines(lines, sets), scenario, err);
  free(lines);
  free((void *)sets);
  return status;
}

pk_status pki_resume_scenario(const char *folder, pki_scenario **scenario, pki_run_options *options,
                              pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_recording *recording = NULL;
  if (!pki_path_join(path, folder, PKI_RECORDING_FILE)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  pk_status status = pk_recording_open(path, &recording, err);
  status = status == PK_OK ? parse_recorded_scenario(recording, scenario, err) : status;
  if (status == PK_OK) {
    const char *certify = pk_recording_note(recording, "certify");
    options->certify = options->certify || (certify != NULL && strcmp(certify, "yes") == 0);
    options->duration = options->duration >= 0 ? options->duration : noted_number(recording, "duration", -1);
    options->bound = options->bound > 0 ? options->bound : noted_number(recording, "bound", 0);
    options->checkpoint_every = options->checkpoint_every > 0
                                    ? options->checkpoint_every
                                    : noted_number(recording, "checkpoint_every", 0);
  }
  pk_recording_close(recording);
  return status;
}
