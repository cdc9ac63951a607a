/* What a recording says about itself: notes, the scenario and its overrides, the models' files, the scene. */
#ifndef PKI_RUN_ABOUT_H
#define PKI_RUN_ABOUT_H

#include "run/channels.h"
#include "run/run.h"

typedef struct pki_about_source {
  const pki_watch *watch;
  const pki_run_result *result;
  const pki_run_options *options;
  const pki_channel_reader *reader; /* the channels */
} pki_about_source;

/* Begin a recording with it. */
pk_status pki_about_begin(const pki_about_source *source, pk_recorder *recorder, pk_error *err);

#endif
