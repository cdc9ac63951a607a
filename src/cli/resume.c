#include "cli/resume.h"

#include <string.h>

#include "base/number.h"
#include "run/recorded_scenario.h"
#include "run/run_output.h"

/* A number among the recording's notes, `otherwise` when there is none. */
static double noted_number(const pk_recording *r, const char *key, double otherwise)
{
  const char *text = pk_recording_note(r, key), *const end = text != NULL ? text + strlen(text) : NULL;
  double value;
  return text != NULL && pki_parse_real(&text, end, &value) && text == end ? value : otherwise;
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
  status = status == PK_OK
               ? pki_recorded_scenario(recording, "name it: pronk run SCENARIO --resume DIR", scenario, err)
               : status;
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
