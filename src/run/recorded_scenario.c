#include "run/recorded_scenario.h"

#include <stdlib.h>
#include <string.h>

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

pk_status pki_recorded_scenario(const pk_recording *r, const char *instead, pki_scenario **scenario,
                                pk_error *err)
{
  const pk_recorder_attachment *text = pk_recording_attachment(r, "scenario.yaml");
  const pk_recorder_attachment *overrides = pk_recording_attachment(r, "overrides.txt");
  const char *file = pk_recording_note(r, "file");
  if (text == NULL || file == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){0}, "the recording holds no scenario; %s", instead);
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
