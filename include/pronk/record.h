/* Recordings: named, timed channels of numbers, where they go and how they are read back.
 *
 * A recorder is a sink: the caller that runs a world begins it with a description and a list of channels,
 * writes samples in the order of their times, and ends it. The file that pk_recording_create writes is one;
 * docs/formats/recording.md describes it (MCAP, which Foxglove and PlotJuggler open). It can be read while it
 * is written, and after its writer was killed.
 *
 *   pk_recorder *file = NULL;
 *   pk_recording_create("run.mcap", NULL, &file, &err);
 *   file->begin(file, &about, channels, count, &err);
 *   file->write(file, 0, time, values, 1);
 *   file->end(file, &err);
 *   file->destroy(file);
 *
 *   pk_recording *r = NULL;
 *   pk_recording_open("run.mcap", &r, &err);
 *   pk_recording_series s;
 *   pk_recording_read(r, pk_recording_find(r, "joints/force"), -INFINITY, INFINITY, &s, &err);
 *   ... s.values[i * columns + k] at s.time[i] ...
 *   pk_recording_series_free(&s);
 *   pk_recording_close(r);
 *
 * Threads: a recorder belongs to one thread at a time, and different ones may be used at the same time. A
 * recording that is open may be read by several threads. */
#ifndef PRONK_RECORD_H
#define PRONK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a channel holds. A sample is one row of values, or in a table any number of rows. */
typedef struct pk_recorder_channel {
  /* "joints/force": parts of letters, digits and '_' between slashes. */
  const char *name;
  /* One line. */
  const char *doc;
  /* Values in a row, 1 or more. */
  int columns;
  /* [columns] their names, "LF_HAA". */
  const char *const *column;
  /* [columns] "N m"; "" where there is none. */
  const char *const *unit;
  /* Any number of rows in a sample, none included. */
  bool table;
} pk_recorder_channel;

/* A word about the recording: version, scenario, model_hash, ... */
typedef struct pk_recorder_note {
  /* "version", "scenario", "model_hash", ... */
  const char *key;
  /* Its text. */
  const char *value;
} pk_recorder_note;

/* A file that travels inside: the scenario, the scene. */
typedef struct pk_recorder_attachment {
  /* "scenario.yaml". */
  const char *name;
  /* "application/yaml". */
  const char *media_type;
  /* [size] its bytes. */
  const void *data;
  /* How many. */
  size_t size;
} pk_recorder_attachment;

typedef struct pk_recording_about {
  /* [nnote] words about the recording. */
  const pk_recorder_note *notes;
  /* How many. */
  int nnote;
  /* [nattachment] files that travel inside. */
  const pk_recorder_attachment *attachments;
  /* How many. */
  int nattachment;
} pk_recording_about;

typedef struct pk_recorder pk_recorder;

/* A sink. Times are in s from the start of the run and never go back; write may defer a failure to end. */
struct pk_recorder {
  pk_status (*begin)(pk_recorder *self, const pk_recording_about *about, const pk_recorder_channel *channels,
                     int count, pk_error *err);
  /* `rows` rows of the channel's columns; 1 unless it is a table. */
  pk_status (*write)(pk_recorder *self, int channel, double time, const double *values, int rows);
  /* Everything so far is where a kill of the process does not reach it; *position: bytes, for
   * pk_recording_resume. NULL: the sink knows no such thing. */
  pk_status (*mark)(pk_recorder *self, uint64_t *position, pk_error *err);
  /* the first failure of all, if there was one */
  pk_status (*end)(pk_recorder *self, pk_error *err);
  /* ended or not; NULL is not allowed */
  void (*destroy)(pk_recorder *self);
};

typedef enum pk_recording_compression {
  PK_RECORDING_COMPRESSION_NONE,
  PK_RECORDING_COMPRESSION_LZ4,
  PK_RECORDING_COMPRESSION_ZSTD,
  PK_RECORDING_COMPRESSION_COUNT
} pk_recording_compression;

typedef struct pk_recording_options {
  /* Default PK_RECORDING_COMPRESSION_LZ4 where it was built in, else ZSTD, else NONE. */
  pk_recording_compression compression;
  /* s of the run in one chunk, of which a kill can cost three. Default 0.25. */
  double chunk;
  /* Compress and write beside the run; the bytes are the same. Default true. */
  bool thread;
} pk_recording_options;

PK_API pk_recording_options pk_recording_options_default(void);

/* A sink that writes a file, a new one or in place of a regular one; links to it are followed. Devices, FIFOs
 * and folders are refused. options NULL: the defaults. */
PK_API pk_status pk_recording_create(const char *path, const pk_recording_options *options, pk_recorder **out,
                                     pk_error *err);

/* Go on with a file whose first `position` bytes (of a mark) stand; begin must be given the same channels
 * (its notes and attachments stay those of the file), and drops what comes after. What stands is checked, and
 * a damaged file is refused with the byte and left as it is (PK_ERROR_SYNTAX). The file that results is the
 * one that an uninterrupted run with the same options and marks writes. */
PK_API pk_status pk_recording_resume(const char *path, uint64_t position, const pk_recording_options *options,
                                     pk_recorder **out, pk_error *err);

typedef struct pk_recording pk_recording;

/* A file that was ended, cut off, or is being written; what is damaged at its end is left out. Any MCAP file
 * opens; channels that pronk did not write are not listed. */
PK_API pk_status pk_recording_open(const char *path, pk_recording **out, pk_error *err);
PK_API void pk_recording_close(pk_recording *recording);

/* Whether it was ended. */
PK_API bool pk_recording_is_complete(const pk_recording *recording);

/* s, times of its first and last sample; NAN when it is empty. */
PK_API void pk_recording_span(const pk_recording *recording, double *start, double *end);

/* All channels; and the index of the one of that name, -1: there is none. */
PK_API const pk_recorder_channel *pk_recording_channels(const pk_recording *recording, int *count);
PK_API int pk_recording_find(const pk_recording *recording, const char *name);

/* Notes and attachments: all of them, and those of one key or name, NULL: there is none. */
PK_API const pk_recording_about *pk_recording_get_about(const pk_recording *recording);
PK_API const char *pk_recording_note(const pk_recording *recording, const char *key);
PK_API const pk_recorder_attachment *pk_recording_attachment(const pk_recording *recording, const char *name);

/* Samples of one channel. */
typedef struct pk_recording_series {
  /* How many samples. */
  int n;
  /* Values in a row. */
  int columns;
  /* [n] s; owned, as all arrays here: pk_recording_series_free. */
  double *time;
  /* [n+1] sample i has the rows row[i] .. row[i+1]-1. */
  int *row;
  /* [row[n]][columns]. */
  double *values;
} pk_recording_series;

/* Those with from <= time <= to. */
PK_API pk_status pk_recording_read(const pk_recording *recording, int channel, double from, double to,
                                   pk_recording_series *out, pk_error *err);
PK_API void pk_recording_series_free(pk_recording_series *series);

#ifdef __cplusplus
}
#endif
#endif
