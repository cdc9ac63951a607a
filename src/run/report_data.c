#include "run/report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/json.h"

/* ---- channels ---- */

pk_status pki_curves_read(const pk_recording *recording, const char *name, pki_curves *out, pk_error *err)
{
  *out = (pki_curves){0};
  const int index = pk_recording_find(recording, name);
  int count = 0;
  const pk_recorder_channel *channels = pk_recording_channels(recording, &count);
  if (index < 0 || index >= count || channels[index].table) {
    return PK_OK;
  }
  pk_recording_series series;
  const pk_status status = pk_recording_read(recording, index, -INFINITY, INFINITY, &series, err);
  if (status != PK_OK) {
    return status;
  }
  const size_t n = (size_t)series.n, columns = (size_t)series.columns;
  out->values = malloc((n * columns + 1) * sizeof *out->values);
  if (out->values == NULL) {
    pk_recording_series_free(&series);
    return pki_fail_memory(err, "the report");
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < columns; k++) {
      out->values[k * n + i] = series.values[i * columns + k];
    }
  }
  out->n = series.n;
  out->columns = series.columns;
  out->channel = &channels[index];
  out->time = series.time; /* taken over */
  series.time = NULL;
  pk_recording_series_free(&series);
  return PK_OK;
}

void pki_curves_free(pki_curves *c)
{
  free(c->time);
  free(c->values);
  *c = (pki_curves){0};
}

bool pki_curve_moves(const pki_curves *c, int k)
{
  const double *v = pki_curve(c, k);
  for (int i = 1; i < c->n; i++) {
    if (v[i] != v[0]) {
      return true;
    }
  }
  return false;
}

int pki_curves_first(const pki_curves *c)
{
  for (int k = 0; k < c->columns && c->n > 0; k++) {
    if (pki_curve(c, k)[0] != 0) {
      return 0;
    }
  }
  return c->n > 1 && c->time[0] == 0;
}

int pki_curves_find(const pki_curves *c, const char *column)
{
  for (int k = 0; k < c->columns && c->channel != NULL; k++) {
    if (strcmp(c->channel->column[k], column) == 0) {
      return k;
    }
  }
  return -1;
}

/* ---- joints ---- */

/* A column of a channel by its number in the scene; -1 when the recording has no such column. */
static int column_of(const pk_recording *recording, const char *channel, double number)
{
  int count = 0;
  const pk_recorder_channel *channels = pk_recording_channels(recording, &count);
  const int index = pk_recording_find(recording, channel);
  return index >= 0 && number >= 0 && number < channels[index].columns ? (int)number : -1;
}

static double limit_of(pki_json joint, const char *name, double none)
{
  const double value = pki_json_real(pki_json_member(joint, name));
  return isfinite(value) ? value : none;
}

static pk_status read_joints(pki_report_source *s, pk_error *err)
{
  const pk_recorder_attachment *scene = pk_recording_attachment(s->recording, "scene.json");
  const pki_json list =
      scene != NULL ? pki_json_member(pki_json_begin(scene->data, scene->size), "joints") : (pki_json){0};
  int room = 0;
  for (pki_json item = {0}; pki_json_next(list, &item);) {
    if (s->njoint == room) {
      room = room > 0 ? 2 * room : 32;
      pki_report_joint *more = realloc(s->joints, (size_t)room * sizeof *more);
      if (more == NULL) {
        return pki_fail_memory(err, "the report");
      }
      s->joints = more;
    }
    pki_report_joint *j = &s->joints[s->njoint++];
    char unit[8];
    pki_json_text(pki_json_member(item, "name"), j->name, sizeof j->name);
    pki_json_text(pki_json_member(item, "unit"), unit, sizeof unit);
    j->length = strcmp(unit, "m") == 0;
    j->force = column_of(s->recording, "joints/force", pki_json_real(pki_json_member(item, "column")));
    j->q = column_of(s->recording, "state/q", pki_json_real(pki_json_member(item, "q")));
    j->u = column_of(s->recording, "state/u", pki_json_real(pki_json_member(item, "u")));
    j->lower = limit_of(item, "lower", -INFINITY);
    j->upper = limit_of(item, "upper", INFINITY);
    j->effort = limit_of(item, "effort", INFINITY);
    j->velocity = limit_of(item, "velocity", INFINITY);
  }
  return PK_OK;
}

/* ---- a run ---- */

pk_status pki_report_open(const pk_recording *recording, pki_report *report, pki_report_source *out,
                          pk_error *err)
{
  *out = (pki_report_source){.recording = recording, .report = report};
  pk_recording_span(recording, &out->from, &out->to);
  if (!isfinite(out->from) || !isfinite(out->to)) {
    out->from = out->to = 0;
  }
  out->time = (pki_svg_axis){.label = "time", .unit = "s", .least = out->from, .most = out->to};
  return read_joints(out, err);
}

void pki_report_close(pki_report_source *s)
{
  free(s->joints);
  *s = (pki_report_source){0};
}
