#include "contact/files/problem_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* ---- reading ---- */

pki_where pki_reader_here(const pki_reader *r, const char *field)
{
  return (pki_where){.file = r->file, .line = r->line, .field = field};
}

bool pki_is_gap(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Move past gaps and comments; with `lines` false, not past the end of the line. */
void pki_reader_skip(pki_reader *r, bool lines)
{
  while (r->at < r->end && (pki_is_gap(*r->at) || *r->at == '#')) {
    if (*r->at == '\n') {
      if (!lines) {
        return;
      }
      r->line++;
    } else if (*r->at == '#') {
      const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
      r->at = stop ? stop : r->end;
      continue;
    }
    r->at++;
  }
}

/* The word at the cursor as messages quote it. */
typedef struct quoted {
  char text[32];
} quoted;

static quoted quote_word(const pki_reader *r)
{
  quoted q = {"the end of the file"};
  size_t n = 0;
  if (r->at < r->end && *r->at == '\n') {
    return (quoted){"the end of the line"};
  }
  for (const char *p = r->at; p < r->end && n + 1 < sizeof q.text && (unsigned char)*p > ' '; p++) {
    q.text[n++] = *p < 127 ? *p : '?';
    q.text[n] = '\0';
  }
  if (n == 0 && r->at < r->end) {
    snprintf(q.text, sizeof q.text, "byte 0x%02x", (unsigned)(unsigned char)*r->at);
  }
  return q;
}

pk_status pki_reader_fail(const pki_reader *r, const char *field, const char *expected)
{
  return pki_fail(r->err, PK_ERROR_SYNTAX, pki_reader_here(r, field), "found '%s' where %s was expected",
                  quote_word(r).text, expected);
}

/* A number ends at a gap, a comment or the end. */
static bool at_number_end(const char *at, const char *end)
{
  return at == end || pki_is_gap(*at) || *at == '#';
}

pk_status pki_reader_int(pki_reader *r, bool lines, const char *field, const char *what, long *out)
{
  pki_reader_skip(r, lines);
  const char *at = r->at;
  if (at == r->end || !pki_parse_int(&at, r->end, out) || !at_number_end(at, r->end)) {
    return pki_reader_fail(r, field, what);
  }
  r->at = at;
  return PK_OK;
}

pk_status pki_reader_real(pki_reader *r, bool lines, bool finite, const char *field, double *out)
{
  pki_reader_skip(r, lines);
  const char *at = r->at;
  if (at == r->end || *at == '\n' || !pki_parse_real(&at, r->end, out) || !at_number_end(at, r->end)) {
    return pki_reader_fail(r, field, "a number");
  }
  if (isnan(*out) || (finite && isinf(*out))) {
    return pki_reader_fail(r, field, finite ? "a finite number" : "a number or inf");
  }
  r->at = at;
  return PK_OK;
}

/* One line `i j w`. */
pk_status pki_reader_entry(pki_reader *r, const char *name, pki_triplets *W, size_t e, long number)
{
  pki_reader_skip(r, true);
  int *const places[2] = {&W->row[e], &W->col[e]};
  static const char *const names[2] = {"row", "column"};
  for (int k = 0; k < 2; k++) {
    long index = 0;
    const pk_status status =
        pki_reader_int(r, false, name, k == 0 ? "a row index" : "a column index", &index);
    if (status != PK_OK) {
      return status;
    }
    if (index < 0 || index >= W->nrow) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_reader_here(r, name),
                      "entry %ld of %s has %s %ld; expected 0 to %d", number, name, names[k], index,
                      W->nrow - 1);
    }
    *places[k] = (int)index;
  }
  const pk_status status = pki_reader_real(r, false, true, name, &W->value[e]);
  if (status != PK_OK) {
    return status;
  }
  pki_reader_skip(r, false);
  return r->at < r->end && *r->at != '\n' ? pki_reader_fail(r, name, "the end of the line") : PK_OK;
}

/* `count` numbers into a new array, however they are spread over lines. */
pk_status pki_reader_reals(pki_reader *r, const char *field, int count, bool finite, double **out)
{
  *out = calloc(count > 0 ? (size_t)count : 1, sizeof **out);
  if (*out == NULL) {
    return pki_fail(r->err, PK_ERROR_MEMORY, pki_reader_here(r, field),
                    "there is not enough memory for %d numbers", count);
  }
  for (int i = 0; i < count; i++) {
    const pk_status status = pki_reader_real(r, true, finite, field, &(*out)[i]);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* ---- writing ---- */

/* A number as it is read back, with a full stop whatever the locale says. */
void pki_put_real(FILE *out, double value)
{
  char text[64], clean[64];
  size_t n = 0;
  snprintf(text, sizeof text, "%.17g", value);
  for (const char *c = text; *c != '\0'; c++) {
    const bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == '-' || *c == '+';
    if (plain || n == 0 || clean[n - 1] != '.') {
      clean[n++] = plain ? *c : '.';
    }
  }
  clean[n] = '\0';
  fputs(clean, out);
}

/* Numbers on one line; none: no line. */
void pki_put_reals(FILE *out, const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    pki_put_real(out, values[i]);
    fputc(i + 1 < count ? ' ' : '\n', out);
  }
}
