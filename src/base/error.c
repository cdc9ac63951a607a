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

pk_status pki_fail(pk_error *err, pk_status status, pki_where where, const char *format, ...)
{
  if (err == NULL) {
    return status;
  }
  err->status = status;
  err->line = where.line;
  snprintf(err->file, sizeof err->file, "%s", where.file ? where.file : "");
  snprintf(err->field, sizeof err->field, "%s", where.field ? where.field : "");
  va_list args;
  va_start(args, format);
  vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  return status;
}

enum { WORD_MAX = 64 };

/* Levenshtein distance, case ignored; words longer than WORD_MAX are near to nothing. */
static int edit_distance(const char *a, const char *b)
{
  const size_t na = strlen(a), nb = strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) {
    return INT_MAX;
  }
  int row[WORD_MAX + 1];
  for (size_t j = 0; j <= nb; j++) {
    row[j] = (int)j;
  }
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
      int best = diagonal + !same;
      best = best < row[j] + 1 ? best : row[j] + 1;
      best = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[nb];
}

const char *pki_nearest_word(const char *word, const char *const *words, int count)
{
  const char *nearest = NULL;
  int least = (int)strlen(word) / 2 + 1;
  for (int i = 0; i < count; i++) {
    const int distance = edit_distance(word, words[i]);
    if (distance < least) {
      least = distance;
      nearest = words[i];
    }
  }
  return nearest;
}
