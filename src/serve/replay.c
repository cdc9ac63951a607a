/* A recording that is played back. Poses are drawn between samples, everything else is that of the nearest one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folders.h"
#include "base/number.h"
#include "run/stability_replay.h"
#include "serve/source.h"
#include "serve/window.h"

enum { POSE = 7, POINTS = 2000, MOTORS_BYTES = 1 << 24 };

static const double picture = 1.0 / 60; /* s between pictures at speed 1 */
static const double instant = 1e-9;     /* s that are no difference */

typedef struct replay {
  pki_source source;
  char path[PKI_PATH_MAX];
  pk_recording *recording;
  double start, end;   /* s */
  pki_window *windows; /* [channels] */
  double *poses;       /* [7 nbody] between two samples */
  int solver[2]; /* columns of the residual and the number of contacts in the channel `solver`; -1: none */
  int solver_channel;
  int height; /* channel "trunk/...", whose third column it is; -1: none */
  pki_health health;
  pki_stability_replay stability; /* of the first robot */
  bool has_stability;
} replay;

/* ---- moving in time ---- */

static double clamp_time(const replay *r, double time)
{
  return fmax(r->start, fmin(r->end, time));
}

/* A recording that is still being written may have grown. */
static void reopen_if_grown(replay *r)
{
  pk_recording *fresh = NULL;
  double start, end;
  if (pk_recording_is_complete(r->recording) || pk_recording_open(r->path, &fresh, NULL) != PK_OK) {
    return;
  }
  pk_recording_span(fresh, &start, &end);
  int count = 0;
  pk_recording_channels(fresh, &count);
  if (count != r->source.catalog->count || !(end > r->end)) {
    pk_recording_close(fresh);
    return;
  }
  pk_recording_close(r->recording);
  r->recording = fresh;
  r->end = end;
  for (int i = 0; i < count; i++) {
    pki_window_free(&r->windows[i]);
  }
}

static pk_status replay_advance(pki_source *self, double span, bool *ended, pk_error *err)
{
  (void)err;
  replay *r = (replay *)self;
  const double next = r->source.time + span;
  if (next >= r->end - instant) {
    reopen_if_grown(r);
  }
  r->source.time = clamp_time(r, next);
  *ended = r->source.time >= r->end - instant;
  return PK_OK;
}

static double replay_span(const pki_source *self, double speed)
{
  (void)self;
  return speed > 0 ? speed * picture : picture;
}

/* To the next sample of the poses, or the last one before. */
static pk_status replay_step(pki_source *self, int count, bool *ended, pk_error *err)
{
  replay *r = (replay *)self;
  const int channel = r->source.catalog->bodies;
  for (int left = abs(count); left > 0; left--) {
    if (count > 0 && r->source.time >= r->end - instant) {
      reopen_if_grown(r);
    }
    pki_window *w = &r->windows[channel];
    const pk_status status = pki_window_move(w, r->recording, channel, r->source.time, err);
    if (status != PK_OK) {
      return status;
    }
    const pk_recording_series *s = &w->series;
    const int now = pki_series_before(s, r->source.time + instant);
    const bool between = now >= 0 && r->source.time > s->time[now] + instant;
    const int next = count > 0 ? now + 1 : now - (between ? 0 : 1);
    if (next < 0 || next >= s->n) {
      break;
    }
    r->source.time = s->time[next];
  }
  *ended = count > 0 && r->source.time >= r->end - instant;
  return PK_OK;
}

static bool replay_seek(pki_source *self, double time)
{
  replay *r = (replay *)self;
  if (time > r->end) {
    reopen_if_grown(r);
  }
  r->source.time = clamp_time(r, time);
  return r->source.time >= r->end - instant;
}

static pk_status replay_reset(pki_source *self, pk_error *err)
{
  (void)err;
  self->time = ((replay *)self)->start;
  return PK_OK;
}

/* ---- what is seen ---- */

/* Poses and places between two samples: linear, quaternions along the shorter way and of unit length again. */
static void blend_samples(const double *a, const double *b, double part, int count, bool poses, double *out)
{
  for (int i = 0; i < count; i++) {
    out[i] = a[i] + part * (b[i] - a[i]);
  }
  for (int i = 3; poses && i + 4 <= count; i += POSE) {
    const double dot = a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3];
    double length = 0;
    for (int k = i; k < i + 4; k++) {
      out[k] = a[k] + part * ((dot < 0 ? -b[k] : b[k]) - a[k]);
      length += out[k] * out[k];
    }
    for (int k = i; k < i + 4; k++) {
      out[k] = length > 0 ? out[k] / sqrt(length) : a[k];
    }
  }
}

/* The channel at the present time into the frame. */
static pk_status show_channel(replay *r, int channel, pki_frame *frame, pk_error *err)
{
  const pki_catalog *c = r->source.catalog;
  const double time = r->source.time;
  pki_window *w = &r->windows[channel];
  const pk_status status = pki_window_move(w, r->recording, channel, time, err);
  const pk_recording_series *s = &w->series;
  const int nearest = status == PK_OK ? pki_series_nearest(s, time) : -1;
  if (nearest < 0) {
    return status;
  }
  const int columns = c->channels[channel].columns, before = pki_series_before(s, time);
  pki_frame_put(frame, c, channel, s->values + (size_t)s->row[nearest] * (size_t)columns,
                s->row[nearest + 1] - s->row[nearest]);
  const bool moves = channel == c->bodies || channel == c->com;
  if (moves && before >= 0 && before + 1 < s->n && s->time[before + 1] > s->time[before]) {
    const double part = (time - s->time[before]) / (s->time[before + 1] - s->time[before]);
    blend_samples(s->values + (size_t)s->row[before] * (size_t)columns,
                  s->values + (size_t)s->row[before + 1] * (size_t)columns, part, columns,
                  channel == c->bodies, r->poses);
    pki_frame_put(frame, c, channel, r->poses, 1);
  }
  return PK_OK;
}

/* The stability of the first robot at the nearest sample. */
static void show_stability(replay *r, pki_frame *frame)
{
  pk_stability now;
  const int i = r->has_stability ? pki_series_nearest(&r->stability.q, r->source.time) : -1;
  const bool known = i >= 0 && fabs(r->stability.q.time[i] - r->source.time) < 0.5 &&
                     pki_stability_replay_at(&r->stability, i, &now, NULL) == PK_OK;
  pki_frame_put_stability(frame, known ? &now : NULL);
}

/* The number of samples before the one that is shown is not known without reading them all; its time is. */
static pk_status replay_show(pki_source *self, const bool *wanted, pki_frame *frame, pk_error *err)
{
  replay *r = (replay *)self;
  const pki_catalog *c = r->source.catalog;
  frame->ncontact = 0;
  frame->nface = c->pressure >= 0 ? 0 : -1;
  for (int i = 0; i < c->count; i++) {
    const bool health = i == r->solver_channel || i == r->height;
    if (wanted[i] || health || pki_catalog_is_drawn(c, i)) {
      const pk_status status = show_channel(r, i, frame, err);
      if (status != PK_OK) {
        return status;
      }
    }
  }
  r->health = (pki_health){NAN, frame->ncontact, NAN};
  if (r->solver_channel >= 0 && r->solver[0] >= 0) {
    r->health.residual = frame->values[c->offset[r->solver_channel] + r->solver[0]];
  }
  if (r->solver_channel >= 0 && r->solver[1] >= 0) {
    const float contacts = frame->values[c->offset[r->solver_channel] + r->solver[1]];
    r->health.contacts = contacts >= 0 && contacts < 1e6F ? (int)contacts : 0;
  }
  if (r->height >= 0) {
    r->health.height = frame->values[c->offset[r->height] + 2];
  }
  show_stability(r, frame);
  frame->step = floor((r->source.time - r->start) / picture + 0.5);
  return PK_OK;
}

static pki_health replay_health(pki_source *self)
{
  return ((replay *)self)->health;
}

/* Of each run of samples the lowest and the highest, so that peaks stay. */
static int thin_samples(const pk_recording_series *s, int columns, int column, int *keep)
{
  const int most = POINTS / 2, runs = s->n <= POINTS ? 0 : most;
  int n = 0;
  for (int i = 0; runs == 0 && i < s->n; i++) {
    keep[n++] = i;
  }
  for (int k = 0; k < runs; k++) {
    const int first = (int)((long long)k * s->n / runs), last = (int)((long long)(k + 1) * s->n / runs);
    int low = first, high = first;
    for (int i = first; i < last; i++) {
      const double v = s->values[(size_t)i * (size_t)columns + (size_t)column];
      low = v < s->values[(size_t)low * (size_t)columns + (size_t)column] ? i : low;
      high = v > s->values[(size_t)high * (size_t)columns + (size_t)column] ? i : high;
    }
    keep[n++] = low < high ? low : high;
    if (low != high) {
      keep[n++] = low < high ? high : low;
    }
  }
  return n;
}

static pk_status replay_series(pki_source *self, const pki_message_column *wanted, pki_text *out,
                               pk_error *err)
{
  const replay *r = (const replay *)self;
  int channel = -1;
  pk_status status = pki_catalog_find(r->source.catalog, wanted, &channel, err);
  if (status != PK_OK) {
    return status;
  }
  pk_recording_series s = {0};
  status = pk_recording_read(r->recording, channel, -INFINITY, INFINITY, &s, err);
  if (status != PK_OK) {
    return status;
  }
  int keep[POINTS];
  const int n = thin_samples(&s, s.columns, wanted->column, keep);
  pki_text_add(out, "{\"type\":\"series\",\"channel\":");
  pki_text_add_json_string(out, wanted->channel);
  pki_text_addf(out, ",\"column\":%d,\"time\":[", wanted->column);
  for (int i = 0; i < n; i++) {
    pki_text_add(out, i > 0 ? "," : "");
    pki_text_add_json_number(out, s.time[keep[i]]);
  }
  pki_text_add(out, "],\"values\":[");
  for (int i = 0; i < n; i++) {
    pki_text_add(out, i > 0 ? "," : "");
    pki_text_add_json_number(out, s.values[(size_t)keep[i] * (size_t)s.columns + (size_t)wanted->column]);
  }
  pki_text_add(out, "]}");
  pk_recording_series_free(&s);
  return PK_OK;
}

/* ---- begin, end ---- */

static pk_status replay_describe(const pki_source *self, pki_text *out, pk_error *err)
{
  (void)err;
  const replay *r = (const replay *)self;
  const char *name = pk_recording_note(r->recording, "scenario"), *dt = pk_recording_note(r->recording, "dt");
  const char *about = pk_recording_note(r->recording, "description");
  const pk_recorder_attachment *scene = pk_recording_attachment(r->recording, "scene.json");
  double step = NAN;
  if (dt != NULL && !pki_parse_real(&dt, dt + strlen(dt), &step)) {
    step = NAN;
  }
  pki_text_add(out, "\"name\":");
  pki_text_add_json_string(out, name != NULL ? name : "");
  pki_text_add(out, ",\"description\":");
  pki_text_add_json_string(out, about != NULL ? about : "");
  pki_text_add(out, ",\"start\":");
  pki_text_add_json_number(out, r->start);
  pki_text_add(out, ",\"duration\":");
  pki_text_add_json_number(out, r->end - r->start);
  pki_text_add(out, ",\"dt\":");
  pki_text_add_json_number(out, step);
  pki_text_addf(out, ",\"parameters\":[],\"scene\":%.*s", (int)scene->size, (const char *)scene->data);
  const pk_recorder_attachment *motors = pk_recording_attachment(r->recording, "actuators.json");
  const bool known = motors != NULL && motors->size > 0 && motors->size <= MOTORS_BYTES;
  pki_text_addf(out, ",\"motors\":%.*s", known ? (int)motors->size : 2,
                known ? (const char *)motors->data : "[]");
  return PK_OK;
}

static void replay_destroy(pki_source *self)
{
  replay *r = (replay *)self;
  for (int i = 0; r->windows != NULL && i < r->source.catalog->count; i++) {
    pki_window_free(&r->windows[i]);
  }
  pki_stability_replay_free(&r->stability);
  free(r->windows);
  free(r->poses);
  pki_catalog_destroy(r->source.catalog);
  if (r->recording != NULL) {
    pk_recording_close(r->recording);
  }
  free(r);
}

static const pki_source_kind replay_kind = {.mode = "replay",
                                            .advance = replay_advance,
                                            .span = replay_span,
                                            .step = replay_step,
                                            .reset = replay_reset,
                                            .seek = replay_seek,
                                            .series = replay_series,
                                            .show = replay_show,
                                            .health = replay_health,
                                            .describe = replay_describe,
                                            .destroy = replay_destroy};

/* What the status line shows. */
static void find_health(replay *r)
{
  const pki_catalog *c = r->source.catalog;
  r->solver_channel = r->height = r->solver[0] = r->solver[1] = -1;
  for (int i = 0; i < c->count; i++) {
    const pk_recorder_channel *channel = &c->channels[i];
    if (strcmp(channel->name, "solver") == 0 && !channel->table) {
      r->solver_channel = i;
      for (int k = 0; k < channel->columns; k++) {
        r->solver[0] = strcmp(channel->column[k], "residual") == 0 ? k : r->solver[0];
        r->solver[1] = strcmp(channel->column[k], "contacts") == 0 ? k : r->solver[1];
      }
    } else if (strncmp(channel->name, "trunk/", 6) == 0 && r->height < 0 && !channel->table &&
               channel->columns >= 3) {
      r->height = i;
    }
  }
}

/* Everything that a viewer needs is there. */
static pk_status check_replay(const replay *r, const char *path, pk_error *err)
{
  const pk_recorder_attachment *scene = pk_recording_attachment(r->recording, "scene.json");
  const pki_where where = {.file = path};
  if (scene == NULL || scene->size == 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "has no scene.json: it was not recorded by `pronk run`");
  }
  if (r->source.catalog->bodies < 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "has no channel \"bodies\": it was not recorded by `pronk run`, or without "
                    "record.view_rate, or record.channels leaves it out (add bodies there)");
  }
  if (scene->size > ((size_t)1 << 30)) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "its scene.json is larger than 1 GiB");
  }
  if (isnan(r->start) || isnan(r->end)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "has no samples (yet)");
  }
  return PK_OK;
}

/* Where the recording has states, contacts and a scenario whose robots are still the same, and its states are few enough to be
 * held at once. */
static void open_stability(replay *r)
{
  const double most = 2e7; /* numbers */
  const int q = pk_recording_find(r->recording, "state/q");
  const char *dt = pk_recording_note(r->recording, "dt");
  double step = 0;
  if (q < 0 || dt == NULL || !pki_parse_real(&dt, dt + strlen(dt), &step) || !(step > 0) ||
      (r->end - r->start) / step * 2 * r->source.catalog->channels[q].columns > most) {
    return;
  }
  pki_stability_replay *s = &r->stability;
  r->has_stability = pki_stability_replay_open(r->recording, NULL, s, NULL) == PK_OK &&
                     s->world.model_robot[s->scenario->nmodel] > 0;
  s->options.measures = PKI_FRAME_MEASURES;
}

pk_status pki_replay_create(const char *path, pki_source **out, pk_error *err)
{
  *out = NULL;
  replay *r = calloc(1, sizeof *r);
  if (r == NULL) {
    return pki_fail_memory(err, "the viewer");
  }
  r->source.kind = &replay_kind;
  snprintf(r->path, sizeof r->path, "%s", path);
  pk_status status = pk_recording_open(path, &r->recording, err);
  if (status == PK_OK) {
    int count = 0;
    const pk_recorder_channel *channels = pk_recording_channels(r->recording, &count);
    status = pki_catalog_create(channels, count, &r->source.catalog, err);
  }
  if (status == PK_OK) {
    const pki_catalog *c = r->source.catalog;
    r->windows = calloc((size_t)c->count + 1, sizeof *r->windows);
    const size_t columns = c->bodies >= 0 ? (size_t)c->channels[c->bodies].columns : 0;
    const size_t others = c->com >= 0 ? (size_t)c->channels[c->com].columns : 0;
    r->poses = calloc(columns + others + 1, sizeof *r->poses);
    pk_recording_span(r->recording, &r->start, &r->end);
    find_health(r);
    status = r->windows != NULL && r->poses != NULL ? check_replay(r, path, err)
                                                    : pki_fail_memory(err, "the viewer");
  }
  if (status != PK_OK) {
    replay_destroy(&r->source);
    return status;
  }
  open_stability(r);
  r->source.time = r->start;
  *out = &r->source;
  return PK_OK;
}

void pki_replay_span(const pki_source *source, double *start, double *end)
{
  const replay *r = (const replay *)source;
  *start = r->start;
  *end = r->end;
}
