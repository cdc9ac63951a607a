/* A few seconds of one channel of a recording, read again when the time leaves them: long recordings of many robots need
 * not fit into memory. */
#ifndef PKI_SERVE_WINDOW_H
#define PKI_SERVE_WINDOW_H

#include "pronk/record.h"

/* Start from {0}. */
typedef struct pki_window {
  pk_recording_series series;
  double from, to; /* s, what was read */
  bool read;
} pki_window;

/* Have the samples around `time`, a second to both sides at least. */
pk_status pki_window_move(pki_window *window, const pk_recording *recording, int channel, double time,
                          pk_error *err);
void pki_window_free(pki_window *window);

/* The sample nearest to a time, and the last one that is not after it; -1: there is none. */
int pki_series_nearest(const pk_recording_series *series, double time);
int pki_series_before(const pk_recording_series *series, double time);

#endif
