/* A small recording whose every number is known: rows, a table, and a channel that is sampled rarely. */
#ifndef PK_TESTS_RECORDING_H
#define PK_TESTS_RECORDING_H

#include "pronk/record.h"

enum { SAMPLE_CHANNELS = 3, SAMPLE_RARE = 16 };

extern const pk_recorder_channel sample_channels[SAMPLE_CHANNELS];
extern const pk_recording_about sample_about;

/* A new folder for files, and its end. */
char *sample_folder(void);
void sample_folder_remove(char *folder);

/* The samples of the steps from .. to-1, 1 ms each. */
void sample_write(pk_recorder *file, int from, int to);

/* A whole recording of that many steps with a mark after each `mark` steps (0: none). */
void sample_record(const char *path, const pk_recording_options *options, int steps, int mark);

/* The recording holds the steps from .. to-1 and nothing else. */
void sample_check(const pk_recording *recording, int from, int to);

/* Steps that stand in the recording, each sample checked. */
int sample_count(const pk_recording *recording);

/* All bytes of a file; free() them. */
char *sample_bytes(const char *path, size_t *size);
void sample_save(const char *path, const void *data, size_t size);

#endif
