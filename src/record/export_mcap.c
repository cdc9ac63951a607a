/* A part of a recording as a recording, or a whole one out of what a killed run left. */
#include <math.h>
#include <stdlib.h>

#include "base/draft.h"
#include "record/export.h"
#include "record/recording.h"

enum { WINDOW = 10 }; /* s of all channels that are held at once */

/* Merge the series of one window by time; channels of the same time in their order. */
static pk_status merge_window(pki_export *what, const pk_recording_series *series, int *next,
                              pk_recorder *out)
{
  pk_status status = PK_OK;
  while (status == PK_OK) {
    int first = -1;
    for (int i = 0; i < what->nchannel; i++) {
      if (next[i] < series[i].n && (first < 0 || series[i].time[next[i]] < series[first].time[next[first]])) {
        first = i;
      }
    }
    if (first < 0) {
      break;
    }
    const pk_recording_series *s = &series[first];
    const int k = next[first]++;
    status = out->write(out, first, s->time[k], s->values + (size_t)s->row[k] * (size_t)s->columns,
                        s->row[k + 1] - s->row[k]);
    what->samples++;
  }
  return status;
}

/* The samples with from <= time < to, or <= to for the last window. */
static pk_status copy_window(pki_export *what, double from, double to, pk_recorder *out, pk_error *err)
{
  const size_t count = (size_t)what->nchannel;
  pk_recording_series *series = calloc(count + 1, sizeof *series);
  int *next = calloc(count + 1, sizeof *next);
  if (series == NULL || next == NULL) {
    free(series);
    free(next);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "not enough memory for the samples");
  }
  pk_status status = PK_OK;
  for (int i = 0; i < what->nchannel && status == PK_OK; i++) {
    status = pk_recording_read(what->recording, pki_export_channel(what, i), from, to, &series[i], err);
  }
  if (status == PK_OK) {
    merge_window(what, series, next, out); /* a failure shows at the end */
  }
  for (int i = 0; i < what->nchannel; i++) {
    pk_recording_series_free(&series[i]);
  }
  free(series);
  free(next);
  return status;
}

static pk_status copy_samples(pki_export *what, pk_recorder *out, pk_error *err)
{
  double start, end;
  pk_recording_span(what->recording, &start, &end);
  const double from = fmax(what->from, start), to = fmin(what->to, end);
  /* nothing in it, or nothing of that time; and no more windows than a file of any times is worth */
  const double window = fmax(WINDOW, (to - from) / 10000);
  pk_status status = PK_OK;
  for (double at = from; !isnan(start) && at <= to && status == PK_OK; at += window) {
    const bool last = at + window > to;
    status = copy_window(what, at, last ? to : nextafter(at + window, 0), out, err);
  }
  return status;
}

static pk_status copy_all(pki_export *what, pk_recorder *out, pk_error *err)
{
  int count;
  const pk_recorder_channel *all = pk_recording_channels(what->recording, &count);
  pk_recorder_channel *channels = calloc((size_t)what->nchannel + 1, sizeof *channels);
  if (channels == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "not enough memory for the channels");
  }
  for (int i = 0; i < what->nchannel; i++) {
    channels[i] = all[pki_export_channel(what, i)];
  }
  pk_status status = out->begin(out, pk_recording_get_about(what->recording), channels, what->nchannel, err);
  if (status == PK_OK) {
    status = copy_samples(what, out, err);
  }
  if (status == PK_OK) {
    status = out->end(out, err);
  }
  free(channels);
  return status;
}

pk_status pki_export_mcap(pki_export *what, const char *path, pk_error *err)
{
  pki_draft draft;
  pk_recorder *out = NULL;
  what->samples = 0;
  pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_recording_create_on(draft.fd, path, &out, err);
  if (status == PK_OK) {
    status = copy_all(what, out, err);
    out->destroy(out);
  }
  if (status == PK_OK) {
    return pki_draft_keep(&draft, err);
  }
  pki_draft_drop(&draft); /* the message is already there */
  return status;
}
