#include "serve/window.h"

#include <math.h>

static const double margin = 1, ahead = 4; /* s */

pk_status pki_window_move(pki_window *window, const pk_recording *recording, int channel, double time,
                          pk_error *err)
{
  if (window->read && time >= window->from + margin && time <= window->to - margin) {
    return PK_OK;
  }
  pki_window_free(window);
  double from = time - 2 * margin, to = time + ahead;
  pk_status status = pk_recording_read(recording, channel, from, to, &window->series, err);
  if (status == PK_OK && window->series.n == 0) { /* samples are farther apart than that */
    pk_recording_series_free(&window->series);
    from = -INFINITY;
    to = INFINITY;
    status = pk_recording_read(recording, channel, from, to, &window->series, err);
  }
  window->read = status == PK_OK;
  window->from = from;
  window->to = to;
  return status;
}

void pki_window_free(pki_window *window)
{
  if (window->read) {
    pk_recording_series_free(&window->series);
  }
  *window = (pki_window){0};
}

int pki_series_before(const pk_recording_series *series, double time)
{
  int low = -1, high = series->n; /* time[low] <= time < time[high] */
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    *(series->time[middle] <= time ? &low : &high) = middle;
  }
  return low;
}

int pki_series_nearest(const pk_recording_series *series, double time)
{
  const int before = pki_series_before(series, time);
  if (before < 0 || before + 1 >= series->n) {
    return before < 0 && series->n > 0 ? 0 : before;
  }
  return series->time[before + 1] - time < time - series->time[before] ? before + 1 : before;
}
