/* Inside of a recording that is read: where its samples are. */
#ifndef PKI_RECORD_RECORDING_READ_H
#define PKI_RECORD_RECORDING_READ_H

#include <pthread.h>

#include "record/mcap_read.h"
#include "record/recording.h"

/* Samples that lie together: a chunk, or messages outside of chunks. */
typedef struct pki_block {
  uint64_t offset, length; /* in the file, with heads */
  uint64_t start, end;     /* times, ns */
  uint64_t channels;       /* bit id % 64 of each channel that may be in it */
  bool chunk;
} pki_block;

/* A channel that pronk wrote. */
typedef struct pki_track {
  uint16_t id;
  uint64_t count; /* samples */
} pki_track;

/* Chunks that were expanded already, so that a second channel costs no second time. */
typedef struct pki_chunk_cache {
  pthread_mutex_t lock;
  size_t held;       /* bytes */
  pki_text chunks[]; /* [nblock] data NULL: not held; once set it stays */
} pki_chunk_cache;

struct pk_recording {
  char *path;
  int fd;
  uint64_t size;
  bool complete;  /* it was ended */
  bool scanned;   /* its records were read one by one: there is no summary, or it is not to be trusted */
  int damaged;    /* chunks and attachments that were left out of a scan */
  uint64_t sound; /* bytes from the start without fault at a scan's end */
  pk_recorder_channel *channels; /* [count], as tracks */
  pki_track *tracks;
  int count, capacity;
  pki_block *blocks; /* in the file's order */
  int nblock, block_capacity;
  pk_recording_about about;
  pk_recorder_note *notes;
  pk_recorder_attachment *attachments;
  size_t attached; /* bytes of all */
  pki_chunk_cache *cache;
  pk_error error; /* why opening stops: memory, a codec that is missing */
};

/* Open with or without the help of a summary. `scan`: look at every record, as after a crash. */
pk_status pki_recording_open(const char *path, bool scan, pk_recording **out, pk_error *err);

/* --- recording_scan.c: find what is in the file; false: an error stopped it (recording->error) --- */
bool pki_recording_summary(pk_recording *r, pki_mcap_file *file, bool *usable);
bool pki_recording_scan(pk_recording *r, pki_mcap_file *file);
void pki_recording_forget(pk_recording *r); /* all that was found */

#endif
