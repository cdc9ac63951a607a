#include "scenario/push_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/words.h"

enum { MOST_BYTES = 64 << 20, COLUMNS = 6 };

static const char *const column_words[COLUMNS] = {"fx", "fy", "fz", "tx", "ty", "tz"};

typedef struct reader {
  pki_words words;
  int room;
  int count, column[COLUMNS]; /* columns of the file, and where they belong */
  pki_push_table *out;
  pk_error *err;
} reader;

/* "time" and names of columns. */
static pk_status read_head(reader *r, char word[PKI_WORD_MAX])
{
  if (strcmp(word, "time") != 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                    "found \"%.40s\", expected \"time\" and some of fx, fy, fz, tx, ty, tz", word);
  }
  while (pki_words_next(&r->words, word) > 0) {
    int column = 0;
    while (column < COLUMNS && strcmp(word, column_words[column]) != 0) {
      column++;
    }
    for (int k = 0; k < r->count; k++) {
      column = r->column[k] == column ? COLUMNS + 1 : column;
    }
    if (column >= COLUMNS) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                      "%s \"%.40s\", expected some of fx, fy, fz, tx, ty, tz",
                      column > COLUMNS ? "a second column" : "a column", word);
    }
    r->column[r->count++] = column;
  }
  return r->count > 0 ? PK_OK
                      : pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                                 "no column follows \"time\", expected some of fx, fy, fz, tx, ty, tz");
}

static pk_status read_number(const reader *r, const char *word, double *out)
{
  const char *at = word, *const end = word + strlen(word);
  return pki_parse_real(&at, end, out) && at == end && isfinite(*out)
             ? PK_OK
             : pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                        "found \"%.40s\", expected a number", word);
}

static bool grow_array(void **array, size_t bytes)
{
  void *const more = realloc(*array, bytes);
  if (more == NULL) {
    return false;
  }
  *array = more;
  return true;
}

/* Room for one more row. */
static bool grow(reader *r)
{
  pki_push_table *t = r->out;
  if (t->rows < r->room) {
    return true;
  }
  const int room = r->room == 0 ? 64 : 2 * r->room;
  const bool good = grow_array((void **)&t->time, (size_t)room * sizeof *t->time) &&
                    grow_array((void **)&t->wrench, (size_t)room * sizeof *t->wrench);
  r->room = good ? room : r->room;
  return good;
}

static pk_status read_row(reader *r, char word[PKI_WORD_MAX])
{
  pki_push_table *t = r->out;
  double time;
  pk_status status = read_number(r, word, &time);
  if (status != PK_OK) {
    return status;
  }
  if (!(time >= 0) || (t->rows > 0 && !(time > t->time[t->rows - 1]))) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words), "the time is %g s, expected %s",
                    time, t->rows > 0 ? "more than in the line before" : "zero or more");
  }
  if (!grow(r)) {
    return pki_fail_memory(r->err, "a table of forces");
  }
  t->time[t->rows] = time;
  memset(t->wrench[t->rows], 0, sizeof t->wrench[t->rows]);
  int n = 0;
  while (status == PK_OK && pki_words_next(&r->words, word) > 0) {
    double value = 0;
    status = read_number(r, word, &value);
    if (n < r->count) {
      t->wrench[t->rows][r->column[n]] = value;
    }
    n++;
  }
  if (status == PK_OK && n != r->count) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                    "%d values, expected %d: one for each column", n, r->count);
  }
  t->rows++;
  return status;
}

static pk_status parse_table(reader *r)
{
  pk_status status = PK_OK;
  while (r->words.at < r->words.end && status == PK_OK) {
    char word[PKI_WORD_MAX];
    if (pki_words_next(&r->words, word) > 0) {
      status = r->count == 0 ? read_head(r, word) : read_row(r, word);
    }
    if (status == PK_OK) {
      pki_words_end_line(&r->words);
    }
  }
  return status != PK_OK || r->out->rows > 1
             ? status
             : pki_fail(r->err, PK_ERROR_SYNTAX, pki_words_place(&r->words),
                        "the file has %d lines with a time, expected two at least", r->out->rows);
}

pk_status pki_push_table_load(const char *path, pki_push_table *out, pk_error *err)
{
  size_t size = 0;
  *out = (pki_push_table){0};
  char *text = pki_file_read(path, MOST_BYTES, &size);
  if (text == NULL) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.field = "file"}, "\"%.200s\" cannot be read: %s", path,
                    strerror(errno));
  }
  reader r = {.words = {path, text, text + size, 1}, .out = out, .err = err};
  const pk_status status = parse_table(&r);
  free(text);
  return status;
}

void pki_push_table_free(pki_push_table *t)
{
  free(t->time), free(t->wrench);
  *t = (pki_push_table){0};
}

void pki_push_table_at(const pki_push_table *t, double time, double wrench[6])
{
  memset(wrench, 0, 6 * sizeof *wrench);
  if (t->rows == 0 || time < t->time[0] || time > t->time[t->rows - 1]) {
    return;
  }
  int low = 0, high = t->rows - 1; /* time[low] <= time <= time[high] */
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    *(t->time[middle] <= time ? &low : &high) = middle;
  }
  const double share = (time - t->time[low]) / (t->time[high] - t->time[low]);
  for (int k = 0; k < 6; k++) {
    wrench[k] = (1 - share) * t->wrench[low][k] + share * t->wrench[high][k];
  }
}
