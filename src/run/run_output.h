/* What a run keeps in its folder: run.mcap, and a checkpoint to resume from. */
#ifndef PKI_RUN_RUN_OUTPUT_H
#define PKI_RUN_RUN_OUTPUT_H

#include "run/channels.h"
#include "run/run.h"

#define PKI_RECORDING_FILE "run.mcap"
#define PKI_CHECKPOINT_FILE "checkpoint.pronk"

/* Start from {0}. */
typedef struct pki_run_output {
  pki_watch *watch;
  pki_run_result *result;
  const pki_run_options *options;
  char recording[PKI_PATH_MAX], checkpoint[PKI_PATH_MAX];
  pki_channel_reader *reader;
  pk_recorder *recorder;           /* NULL: nothing is recorded */
  long long every, view_every;     /* steps between samples; 0: none */
  long long checkpoint_every;      /* steps; 0: none */
  long long sampled, view_sampled; /* steps at the last sample; -1: none yet */
  bool failed;
  pk_error error; /* the first failure, when it is known why */
  void *state;    /* room for a checkpoint's bytes */
} pki_run_output;

/* Make the folder, begin the recording with a sample of the start; or resume from the checkpoint, which brings back the
 * world, the watch and the result. steps: how long the run is to be. */
pk_status pki_run_output_begin(pki_run_output *keep, pki_watch *watch, pki_run_result *result,
                               const pki_run_options *options, long long steps, pk_error *err);

/* After a step: samples that are due, a checkpoint that is due. What cannot be written is remembered: keep->failed. */
void pki_run_output_step(pki_run_output *keep);

/* The last sample, the end of the file. `resumable`: a checkpoint of where it ended, so that it can go on. The first
 * failure of all comes back. */
pk_status pki_run_output_end(pki_run_output *keep, bool resumable, pk_error *err);
void pki_run_output_free(pki_run_output *keep);

#endif
