/* Loads from a table of comma-separated values. Lines that begin with # are comments; the first other line names the columns. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "size/duty_source.h"

enum { COLUMNS = 1024, BYTES = 1 << 28 };

typedef enum column_kind { OTHER, TIME, SPEED, TORQUE, ACCELERATION } column_kind;

/* What a column holds, and of which joint. */
typedef struct column {
  column_kind kind;
  int joint;
} column;

typedef struct table {
  const char *path;
  const char *at, *end; /* what is left of the text */
  int line;
  column columns[COLUMNS];
  int count;
  char joints[COLUMNS][PKI_DUTY_NAME];
  int njoint;
  bool accelerations; /* of all joints */
} table;

/* The next line that is no comment and not empty; false: there are no more. */
static bool next_line(table *t, const char **line, const char **stop)
{
  while (t->at < t->end) {
    const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
    *line = t->at;
    *stop = newline != NULL ? newline : t->end;
    t->at = newline != NULL ? newline + 1 : t->end;
    t->line++;
    const char *first = *line;
    while (first < *stop && (*first == ' ' || *first == '\t' || *first == '\r')) {
      first++;
    }
    if (first < *stop && *first != '#') {
      return true;
    }
  }
  return false;
}

static int joint_index(table *t, const char *name)
{
  for (int i = 0; i < t->njoint; i++) {
    if (strcmp(t->joints[i], name) == 0) {
      return i;
    }
  }
  snprintf(t->joints[t->njoint], PKI_DUTY_NAME, "%s", name);
  return t->njoint++;
}

static column column_of(table *t, const char *word)
{
  static const struct {
    const char *head;
    column_kind kind;
  } kinds[] = {{"u:", SPEED}, {"tau:", TORQUE}, {"a:", ACCELERATION}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const size_t size = strlen(kinds[i].head);
    if (strncmp(word, kinds[i].head, size) == 0) {
      return (column){kinds[i].kind, joint_index(t, word + size)};
    }
  }
  return (column){strcmp(word, "time") == 0 ? TIME : OTHER, 0};
}

static pki_where place_of(const table *t)
{
  return (pki_where){.file = t->path, .line = t->line};
}

/* Joints have a speed and a torque, each once. */
static pk_status check_columns(table *t, pk_error *err)
{
  static const char *const heads[] = {[SPEED] = "u", [TORQUE] = "tau", [ACCELERATION] = "a"};
  int found[COLUMNS] = {0}, times = 0, whole = 0;
  for (int i = 0; i < t->count; i++) {
    const column *c = &t->columns[i];
    times += c->kind == TIME;
    if (c->kind >= SPEED && (found[c->joint] & 1 << c->kind) != 0) {
      return pki_fail(err, PK_ERROR_SYNTAX, place_of(t), "the column %s:%s is there twice", heads[c->kind],
                      t->joints[c->joint]);
    }
    found[c->joint] |= c->kind >= SPEED ? 1 << c->kind : 0;
  }
  t->accelerations = true;
  for (int k = 0; k < t->njoint; k++) {
    const bool both = (found[k] & 1 << SPEED) != 0 && (found[k] & 1 << TORQUE) != 0;
    if (!both) {
      return pki_fail(err, PK_ERROR_SYNTAX, place_of(t), "the joint %s has no column %s:%s", t->joints[k],
                      (found[k] & 1 << SPEED) == 0 ? "u" : "tau", t->joints[k]);
    }
    t->accelerations &= (found[k] & 1 << ACCELERATION) != 0;
    whole++;
  }
  if (times != 1 || whole == 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, place_of(t),
                    times != 1 ? "expected one column \"time\", found %d"
                               : "found %d joints, expected columns "
                                 "u:JOINT and tau:JOINT",
                    times != 1 ? times : whole);
  }
  return PK_OK;
}

/* Spreadsheets write a byte order mark, and with some languages semicolons. */
static pk_status read_head(table *t, pk_error *err)
{
  static const char mark[] = "\xEF\xBB\xBF";
  const char *line, *stop;
  if (t->end - t->at >= 3 && memcmp(t->at, mark, 3) == 0) {
    t->at += 3;
  }
  if (!next_line(t, &line, &stop)) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = t->path}, "the file has no columns");
  }
  if (memchr(line, ',', (size_t)(stop - line)) == NULL && memchr(line, ';', (size_t)(stop - line)) != NULL) {
    return pki_fail(err, PK_ERROR_SYNTAX, place_of(t),
                    "columns are separated by semicolons, expected commas, and points in numbers");
  }
  for (const char *at = line; at <= stop;) {
    const char *comma = memchr(at, ',', (size_t)(stop - at));
    const char *tail = comma != NULL ? comma : stop;
    const char *last = tail;
    char word[PKI_DUTY_NAME + 8];
    while (at < last && *at == ' ') {
      at++;
    }
    while (last > at && (last[-1] == ' ' || last[-1] == '\r')) {
      last--;
    }
    if (t->count == COLUMNS || last - at >= (long)sizeof word - 8) {
      return pki_fail(err, PK_ERROR_LIMIT, place_of(t),
                      "more than %d columns, or a name of more than %d bytes", COLUMNS, PKI_DUTY_NAME - 1);
    }
    snprintf(word, sizeof word, "%.*s", (int)(last - at), at);
    t->columns[t->count++] = column_of(t, word);
    at = tail + 1;
  }
  return check_columns(t, err);
}

/* Blanks, also that before the end of a line from elsewhere. */
static const char *skip_blanks(const char *at, const char *stop)
{
  while (at < stop && (*at == ' ' || *at == '\t' || *at == '\r')) {
    at++;
  }
  return at;
}

/* A number with nothing but blanks beside it. */
static bool read_cell(const char *at, const char *tail, double *value)
{
  at = skip_blanks(at, tail);
  return at < tail && pki_parse_real(&at, tail, value) && isfinite(*value) && skip_blanks(at, tail) == tail;
}

/* One line into sample i. */
static pk_status read_row(const table *t, const char *line, const char *stop, int i, pki_duty_motion *m,
                          pk_error *err)
{
  const char *at = line;
  for (int k = 0; k < t->count; k++) {
    const column *c = &t->columns[k];
    const char *comma = at <= stop ? memchr(at, ',', (size_t)(stop - at)) : NULL;
    const char *tail = comma != NULL ? comma : stop;
    double value = 0;
    if (at > stop || (c->kind != OTHER && !read_cell(at, tail, &value))) {
      return pki_fail(err, PK_ERROR_SYNTAX, place_of(t), "column %d of %d is no number", k + 1, t->count);
    }
    double *const to[] = {NULL, &m->time[i], &m->joints[c->joint].speed[i], &m->joints[c->joint].torque[i],
                          &m->joints[c->joint].acceleration[i]};
    if (c->kind != OTHER) {
      *to[c->kind] = value;
    }
    at = tail + 1;
  }
  if (at <= stop) {
    return pki_fail(err, PK_ERROR_SYNTAX, place_of(t), "more values than columns, which are %d", t->count);
  }
  if (i > 0 && m->time[i] < m->time[i - 1]) {
    return pki_fail(err, PK_ERROR_SYNTAX, place_of(t),
                    "time is %g s after %g s, expected times that do not fall", m->time[i], m->time[i - 1]);
  }
  return PK_OK;
}

static int count_rows(table t)
{
  const char *line, *stop;
  int rows = 0;
  while (next_line(&t, &line, &stop)) {
    rows++;
  }
  return rows;
}

static pk_status read_rows(table *t, const pki_duty_window *window, pki_duty_motion *out, pk_error *err)
{
  const char *line, *stop;
  pk_status status = pki_duty_motion_create(count_rows(*t), t->njoint, out, err);
  int kept = 0;
  double first = NAN, last = NAN;
  for (int k = 0; status == PK_OK && k < t->njoint; k++) {
    memcpy(out->joints[k].name, t->joints[k], sizeof t->joints[k]);
  }
  while (status == PK_OK && next_line(t, &line, &stop)) {
    status = read_row(t, line, stop, kept, out, err);
    last = out->time[kept];
    first = isnan(first) ? last : first;
    kept += out->time[kept] >= window->from && out->time[kept] <= window->to;
  }
  out->n = status == PK_OK ? kept : out->n;
  if (status == PK_OK && (kept < 2 || !(pki_duty_motion_length(out) > 0))) {
    status =
        pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = t->path},
                 "%d samples between %g and %g s, expected two times or more; the table goes from %g to %g s",
                 kept, window->from, window->to, first, last);
  }
  return status;
}

pk_status pki_duty_read_table(const char *path, const pki_duty_window *window, pki_duty_motion *out,
                              pk_error *err)
{
  size_t size;
  char *text = pki_file_read(path, BYTES, &size);
  *out = (pki_duty_motion){0};
  if (text == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "%s",
                    pki_read_cause(errno, "this is a folder, expected a table"));
  }
  table *t = calloc(1, sizeof *t);
  pk_status status = t != NULL ? PK_OK : pki_fail_memory(err, "a table of loads");
  if (t != NULL) {
    t->path = path, t->at = text, t->end = text + size;
    status = read_head(t, err);
    status = status == PK_OK ? read_rows(t, window, out, err) : status;
  }
  if (status == PK_OK) {
    pki_duty_motion_spans(out);
    if (!t->accelerations) {
      pki_duty_motion_differentiate(out, window->window);
    }
    for (int k = 0; k < out->njoint && window->armature > 0; k++) {
      for (int i = 0; i < out->n; i++) {
        out->joints[k].torque[i] -= window->armature * out->joints[k].acceleration[i];
      }
    }
  }
  free(t);
  free(text);
  return status;
}
