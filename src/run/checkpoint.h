/* The file of a checkpoint: a run at one step, to resume from. docs/formats/checkpoint.md describes it. */
#ifndef PKI_RUN_CHECKPOINT_H
#define PKI_RUN_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct pki_checkpoint {
  char version[32], isa[16],
      compiler[48]; /* of the program that wrote it: bits are equal only within one build */
  uint32_t code;    /* of compiled dynamics (pki_world_code); 0: generic */
  uint64_t model_hash, scenario_hash;
  uint64_t steps;
  double time;       /* s */
  uint64_t position; /* bytes of the recording that belong to it (pk_recording_resume) */
  void *sim;         /* [sim_size] pk_sim_get_state */
  size_t sim_size;
  void *run; /* [run_size] what the run has added up */
  size_t run_size;
} pki_checkpoint;

/* Fill in version, isa and compiler of this program. */
void pki_checkpoint_stamp(pki_checkpoint *checkpoint);

/* Under a temporary name, flushed to the disk, then renamed: there is always a whole one. */
pk_status pki_checkpoint_save(const char *path, const pki_checkpoint *checkpoint, pk_error *err);

/* Everything is checked before it is believed. Free what was loaded; after a failure there is nothing to free, and doing
 * it does no harm. */
pk_status pki_checkpoint_load(const char *path, pki_checkpoint *out, pk_error *err);
void pki_checkpoint_free(pki_checkpoint *checkpoint);

/* The same from bytes; `path` is for messages. */
pk_status pki_checkpoint_parse(const char *path, const void *bytes, size_t size, pki_checkpoint *out,
                               pk_error *err);

/* Whether this program, this model and this scenario can resume from it; else what differs, and what to do. */
pk_status pki_checkpoint_fits(const pki_checkpoint *checkpoint, unsigned long long model_hash,
                              uint64_t scenario_hash, pk_error *err);

#endif
