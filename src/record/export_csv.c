#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/draft.h"
#include "base/text.h"
#include "record/export.h"

enum { PIECE = 1 << 20 }; /* bytes that are written at once */

pki_export pki_export_all(const pk_recording *recording)
{
  pki_export what = {.recording = recording, .from = -(double)INFINITY, .to = (double)INFINITY};
  pk_recording_channels(recording, &what.nchannel);
  return what;
}

int pki_export_channel(const pki_export *what, int i)
{
  return what->channels != NULL ? what->channels[i] : i;
}

void pki_export_csv_name(const char *channel, char *out, size_t size)
{
  snprintf(out, size, "%s.csv", channel);
  for (char *slash = out; (slash = strchr(slash, '/')) != NULL;) {
    *slash = '.'; /* which no channel's name has */
  }
}

/* A name and its unit as one field, in quotes where it needs them (RFC 4180). */
static void add_head(pki_text *out, const char *name, const char *unit)
{
  const bool quoted = strpbrk(name, ",\"\n\r") != NULL || strpbrk(unit, ",\"\n\r") != NULL;
  const char *const parts[] = {name, unit[0] ? " [" : "", unit, unit[0] ? "]" : ""};
  pki_text_add(out, quoted ? ",\"" : ",");
  for (int i = 0; i < 4; i++) {
    for (const char *s = parts[i]; *s != '\0'; s++) {
      pki_text_add_bytes(out, s, 1);
      if (*s == '"') {
        pki_text_add(out, "\"");
      }
    }
  }
  pki_text_add(out, quoted ? "\"" : "");
}

/* The shortest of 15, 16 and 17 digits that reads back as the same number. */
static void add_number(pki_text *out, double value)
{
  char text[32];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    double back = 0;
    if (!isfinite(value) || (sscanf(text, "%lf", &back) == 1 && back == value)) {
      break;
    }
  }
  pki_text_add(out, text);
}

static void add_row(pki_text *out, double time, int row, const double *values, int columns)
{
  pki_text_addf(out, "%.9f", time);
  if (row >= 0) {
    pki_text_addf(out, ",%d", row);
  }
  for (int k = 0; k < columns; k++) {
    pki_text_add(out, ",");
    add_number(out, values[k]);
  }
  pki_text_add(out, "\n");
}

/* What is in the text goes out once it is long enough. */
static bool put_csv_text(FILE *file, pki_text *text, size_t least)
{
  bool good = !text->failed;
  errno = good ? errno : ENOMEM;
  if (good && text->size > least) {
    good = fwrite(text->data, 1, text->size, file) == text->size;
    text->size = 0;
  }
  return good;
}

/* A channel and its samples. */
typedef struct written {
  const pk_recorder_channel *channel;
  const pk_recording_series *series;
} written;

static bool put_series(FILE *file, const void *what)
{
  const pk_recorder_channel *c = ((const written *)what)->channel;
  const pk_recording_series *s = ((const written *)what)->series;
  pki_text text = {0};
  pki_text_add(&text, "time [s]");
  if (c->table) {
    pki_text_add(&text, ",row");
  }
  for (int k = 0; k < c->columns; k++) {
    add_head(&text, c->column[k], c->unit[k]);
  }
  pki_text_add(&text, "\n");
  bool good = true;
  for (int i = 0; i < s->n && good; i++) {
    for (int row = s->row[i]; row < s->row[i + 1]; row++) {
      add_row(&text, s->time[i], c->table ? row - s->row[i] : -1,
              s->values + (size_t)row * (size_t)s->columns, s->columns);
    }
    good = put_csv_text(file, &text, PIECE);
  }
  good = good && put_csv_text(file, &text, 0);
  pki_text_free(&text);
  return good;
}

static pk_status save_series(const pk_recorder_channel *c, const pk_recording_series *s, const char *path,
                             pk_error *err)
{
  return pki_file_put_stream(path, put_series, &(written){c, s}, err);
}

pk_status pki_export_csv(pki_export *what, const char *folder, pk_error *err)
{
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(what->recording, &count);
  pk_status status = pki_folder_create(folder, err);
  what->samples = 0;
  for (int i = 0; i < what->nchannel && status == PK_OK; i++) {
    const pk_recorder_channel *c = &channels[pki_export_channel(what, i)];
    pk_recording_series s;
    char name[512], path[4096];
    pki_export_csv_name(c->name, name, sizeof name);
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof path) {
      return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the path is too long");
    }
    status = pk_recording_read(what->recording, pki_export_channel(what, i), what->from, what->to, &s, err);
    if (status == PK_OK) {
      what->samples += s.n;
      status = save_series(c, &s, path, err);
      pk_recording_series_free(&s);
    }
  }
  return status;
}
