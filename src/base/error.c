#include "base/error.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *pk_status_text(pk_status status)
{
#define PK_STATUS_TEXT(name, text) text,
  static const char *const texts[] = {PK_STATUS_LIST(PK_STATUS_TEXT)};
#undef PK_STATUS_TEXT
  return (unsigned)status < PK_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *pk_version(void)
{
  return PK_VERSION_STRING;
}

/* The end of a full buffer of UTF-8 becomes "...". */
static void put_dots(char *out, size_t size)
{
  size_t end = size - 4;
  while (end > 0 && ((unsigned char)out[end] & 0xc0) == 0x80) { /* no half of a letter */
    end--;
  }
  memcpy(out + end, "...", 4);
}

void pki_copy_cut(char *out, size_t size, const char *text)
{
  if (snprintf(out, size, "%s", text) >= (int)size) {
    put_dots(out, size);
  }
}

void pki_join_words(const char *const *words, int count, char *out, size_t size)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < count; i++) {
    if (used + strlen(words[i]) + 8 >= size) {
      snprintf(out + used, size - used, "%s...", i > 0 ? ", " : "");
      return;
    }
    used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", words[i]);
  }
}

pk_status pki_fail_list(pk_error *err, pk_status status, pki_where where, const char *format, va_list args)
{
  if (err == NULL) {
    return status;
  }
  err->status = status;
  err->line = where.line;
  snprintf(err->file, sizeof err->file, "%s", where.file ? where.file : "");
  snprintf(err->field, sizeof err->field, "%s", where.field ? where.field : "");
  const int size = vsnprintf(err->message, sizeof err->message, format, args);
  if (size >= (int)sizeof err->message) {
    put_dots(err->message, sizeof err->message);
  }
  return status;
}

pk_status pki_fail(pk_error *err, pk_status status, pki_where where, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  pki_fail_list(err, status, where, format, args);
  va_end(args);
  return status;
}

void pki_error_line(const pk_error *err, char *out, size_t size)
{
  char line[32] = "";
  if (err->line > 0) {
    snprintf(line, sizeof line, ":%d", err->line);
  }
  snprintf(out, size, "%.200s%s%s%.60s%s%s", err->file, line, err->file[0] != '\0' ? ": " : "", err->field,
           err->field[0] != '\0' ? ": " : "",
           err->message[0] != '\0' ? err->message : pk_status_text(err->status));
}

enum { WORD_MAX = 64 };

static int smaller_int(int a, int b)
{
  return a < b ? a : b;
}

int pki_word_distance(const char *a, const char *b)
{
  const size_t na = strlen(a), nb = strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) {
    return INT_MAX;
  }
  /* rows[0]: the letters of `a` up to this one; rows[1], rows[2]: up to the one and the two before */
  int rows[3][WORD_MAX + 1] = {{0}};
  for (size_t i = 0; i <= na; i++) {
    memmove(rows + 1, rows, 2 * sizeof *rows);
    rows[0][0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      rows[0][j] = i == 0 ? (int)j : smaller_int(rows[1][j], rows[0][j - 1]) + 1;
      if (i > 0) {
        const int ai = tolower((unsigned char)a[i - 1]), bj = tolower((unsigned char)b[j - 1]);
        rows[0][j] = smaller_int(rows[0][j], rows[1][j - 1] + (ai != bj));
        if (i > 1 && j > 1 && ai == tolower((unsigned char)b[j - 2]) &&
            bj == tolower((unsigned char)a[i - 2])) {
          rows[0][j] = smaller_int(rows[0][j], rows[2][j - 2] + 1);
        }
      }
    }
  }
  return rows[0][nb];
}

const char *pki_nearest_word(const char *word, const char *const *words, int count)
{
  const char *nearest = NULL;
  int fewest = (int)strlen(word) / 2 + 1;
  for (int i = 0; i < count; i++) {
    const int distance = pki_word_distance(word, words[i]);
    if (distance < fewest) {
      fewest = distance;
      nearest = words[i];
    }
  }
  return nearest;
}
