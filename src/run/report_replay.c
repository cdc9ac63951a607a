/* The replay: the scene, the poses of its bodies at a rate that the eye asks for, and the viewer's script that draws
 * them. Everything stands inside of the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folders.h"
#include "record/scene.h"
#include "run/report_data.h"

enum { FRAMES = 1500, RATE = 30, SCRIPT_MAX = 16 << 20 };

/* Samples that become frames: at most RATE in a second and FRAMES in all, the last one included. Returns how many. */
static int choose_frames(const double *time, int n, int *chosen)
{
  const double span = n > 0 ? time[n - 1] - time[0] : 0;
  const double every = fmax(1.0 / RATE, span / (FRAMES - 2));
  int count = 0;
  double due = -INFINITY;
  for (int i = 0; i < n && count < FRAMES; i++) {
    if (time[i] >= due - 1e-9 || i == n - 1) {
      chosen[count++] = i;
      due = time[i] + every;
    }
  }
  return count;
}

/* The last sample not after `time`, searched from `at` on. */
static int sample_at(const pk_recording_series *series, double time, int at)
{
  while (at + 1 < series->n && series->time[at + 1] <= time + 1e-9) {
    at++;
  }
  return at;
}

/* Rows that the chosen times have together: a sample can stand for several of them. */
static size_t count_rows(const pk_recording_series *series, const double *time, int n)
{
  size_t rows = 0;
  for (int i = 0, at = 0; i < n && series->n > 0; i++) {
    at = sample_at(series, time[i], at);
    rows += (size_t)(series->row[at + 1] - series->row[at]);
  }
  return rows;
}

/* Rows of a channel at the chosen times: the last sample not after each of them. */
static void add_contacts(const pki_report_source *s, const double *time, int n, pki_text *out, pk_error *err)
{
  /* from x y z, n, f and friction of a row */
  static const int take[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11};
  pk_recording_series series = {0};
  const int channel = pk_recording_find(s->recording, "contacts");
  int count = 0;
  const pk_recorder_channel *channels = pk_recording_channels(s->recording, &count);
  if (channel < 0 || channels[channel].columns < 12 ||
      pk_recording_read(s->recording, channel, -INFINITY, INFINITY, &series, err) != PK_OK) {
    return;
  }
  double *values = malloc((10 * count_rows(&series, time, n) + 1) * sizeof *values);
  pki_text_add(out, ",\"contacts\":{\"offset\":[0");
  size_t rows = 0;
  for (int i = 0, at = 0; i < n && values != NULL; i++) {
    at = sample_at(&series, time[i], at);
    for (int r = series.n > 0 ? series.row[at] : 0; series.n > 0 && r < series.row[at + 1]; r++) {
      for (int k = 0; k < 10; k++) {
        values[10 * rows + (size_t)k] = series.values[(size_t)r * (size_t)series.columns + (size_t)take[k]];
      }
      rows++;
    }
    pki_text_addf(out, ",%zu", rows);
  }
  pki_text_add(out, "],\"values\":");
  if (values == NULL || pki_text_add_floats(out, values, 10 * rows, err) != PK_OK) {
    out->failed = true;
  }
  pki_text_add(out, "}");
  free(values);
  pk_recording_series_free(&series);
}

/* Columns of a channel at the chosen samples, as base64. */
static void add_rows(const pki_curves *c, const int *chosen, int n, int columns, pki_text *out, pk_error *err)
{
  double *values = malloc(((size_t)n * (size_t)columns + 1) * sizeof *values);
  for (int i = 0; i < n && values != NULL; i++) {
    for (int k = 0; k < columns; k++) {
      values[(size_t)i * (size_t)columns + (size_t)k] = pki_curve(c, k)[chosen[i]];
    }
  }
  if (values == NULL || pki_text_add_floats(out, values, (size_t)n * (size_t)columns, err) != PK_OK) {
    out->failed = true;
  }
  free(values);
}

/* Values of a channel at the chosen times, for colours: the last sample not after each of them. False: there are none. */
static bool add_channel(const pki_report_source *s, const char *name, const double *time, int n, bool first,
                        pki_text *out, pk_error *err)
{
  pki_curves c = {0};
  const size_t size =
      pki_curves_read(s->recording, name, &c, err) == PK_OK && c.n > 0 ? (size_t)n * (size_t)c.columns : 0;
  double *values = malloc((size + 1) * sizeof *values);
  if (size > 0 && values != NULL) {
    for (int i = 0, at = 0; i < n; i++) {
      while (at + 1 < c.n && c.time[at + 1] <= time[i] + 1e-9) {
        at++;
      }
      for (int k = 0; k < c.columns; k++) {
        values[(size_t)i * (size_t)c.columns + (size_t)k] = pki_curve(&c, k)[at];
      }
    }
    pki_text_add(out, first ? "{\"name\":" : ",{\"name\":");
    pki_text_add_json_string(out, name);
    pki_text_add(out, ",\"columns\":[");
    for (int k = 0; k < c.columns; k++) {
      pki_text_add(out, k > 0 ? "," : "");
      pki_text_add_json_string(out, c.channel->column[k]);
    }
    pki_text_add(out, "],\"values\":");
    out->failed = pki_text_add_floats(out, values, size, err) != PK_OK || out->failed;
    pki_text_add(out, "}");
  }
  out->failed = out->failed || values == NULL;
  const bool added = size > 0 && values != NULL;
  free(values);
  pki_curves_free(&c);
  return added;
}

/* What bodies have their colours by: torques of joints, temperatures, and the limits of motors. */
static void add_colours(const pki_report_source *s, const double *time, int n, pki_text *out, pk_error *err)
{
  const pk_recorder_attachment *motors = pk_recording_attachment(s->recording, "actuators.json");
  const bool known = motors != NULL && motors->size > 0;
  pki_text_add(out, ",\"motors\":");
  pki_text_add_bytes(out, known ? motors->data : "[]", known ? motors->size : 2);
  pki_text_add(out, ",\"channels\":[");
  const bool loads = add_channel(s, "joints/force", time, n, true, out, err);
  add_channel(s, "actuators/temperature", time, n, !loads, out, err);
  pki_text_add(out, "]");
}

/* {"time":[..],"pose":"..","contacts":{..},"motors":[..],"channels":[..],"com":".."} */
static void add_data(const pki_report_source *s, const pki_curves *bodies, pki_text *out, pk_error *err)
{
  int *chosen = malloc(FRAMES * sizeof *chosen);
  double *time = malloc(FRAMES * sizeof *time);
  pki_curves com = {0};
  if (chosen == NULL || time == NULL) {
    out->failed = true;
  } else {
    const int n = choose_frames(bodies->time, bodies->n, chosen);
    pki_text_add(out, "{\"time\":[");
    for (int i = 0; i < n; i++) {
      time[i] = bodies->time[chosen[i]];
      pki_text_addf(out, i > 0 ? ",%.6g" : "%.6g", time[i]);
    }
    pki_text_add(out, "],\"pose\":");
    add_rows(bodies, chosen, n, bodies->columns, out, err);
    add_contacts(s, time, n, out, err);
    add_colours(s, time, n, out, err);
    /* the same rate as bodies, unless the recording has another */
    if (pki_curves_read(s->recording, "com", &com, err) == PK_OK && com.n == bodies->n && com.columns >= 3) {
      pki_text_add(out, ",\"com\":");
      add_rows(&com, chosen, n, 3, out, err);
    }
    pki_text_add(out, "}");
  }
  pki_curves_free(&com);
  free(chosen);
  free(time);
}

/* The viewer's script for reports, for free(); NULL: it is not there. */
static char *read_script(size_t *size)
{
  pki_folders folders;
  pki_folders_find("viewer/dist", "PRONK_VIEWER", false, &folders);
  for (int i = 0; i < folders.count; i++) {
    char path[PKI_PATH_MAX];
    char *script =
        pki_path_join(path, folders.path[i], "replay.js") ? pki_file_read(path, SCRIPT_MAX, size) : NULL;
    if (script != NULL) {
      return script;
    }
  }
  return NULL;
}

static const char start[] =
    "(function(){var box=document.getElementById('replay-view');\n"
    "function json(id){return JSON.parse(document.getElementById(id).textContent)}\n"
    "try{PronkReplay.mount(box,json('replay-scene'),json('replay-data'))}\n"
    "catch(e){box.classList.remove('replay');box.textContent='The replay could not be shown: '+e.message}\n"
    "})();\n";

pk_status pki_report_replay(const pki_report_source *s, pk_error *err)
{
  const pk_recorder_attachment *scene = pk_recording_attachment(s->recording, "scene.json");
  pki_curves bodies;
  const pk_status status = pki_curves_read(s->recording, "bodies", &bodies, err);
  if (status == PK_OK && scene != NULL && bodies.n > 0 && bodies.columns % 7 == 0) {
    pki_report_section(s->report, "replay", "Replay");
    size_t size = 0;
    char *script = read_script(&size);
    if (script == NULL) {
      pki_report_markup(s->report,
                        "<p class=\"note\">No 3D replay: the viewer is not built. <code>make viewer</code> "
                        "builds it where Node.js is installed; <code>PRONK_VIEWER</code> may name a "
                        "folder that holds its <code>replay.js</code>.</p>\n");
    } else {
      pki_text data = {0};
      add_data(s, &bodies, &data, err);
      pki_report_markup(s->report, "<div class=\"replay\" id=\"replay-view\"><noscript>The 3D replay needs "
                                   "scripts; everything else is here.</noscript></div>\n");
      pki_report_json(s->report, "replay-scene", scene->data, scene->size);
      pki_report_json(s->report, "replay-data", data.data != NULL ? data.data : "", data.size);
      pki_report_script(s->report, script, size);
      pki_report_script(s->report, start, strlen(start));
      s->report->html.failed = s->report->html.failed || data.failed;
      pki_text_free(&data);
    }
    free(script);
  }
  if (status == PK_OK && scene != NULL && bodies.channel == NULL) {
    pki_report_section(s->report, "replay", "Replay");
    pki_report_markup(s->report, "<p class=\"note\">No 3D replay: the recording has no channel "
                                 "<code>bodies</code>; the scenario's <code>record.channels</code> leaves it "
                                 "out.</p>\n");
  }
  pki_curves_free(&bodies);
  return status;
}
