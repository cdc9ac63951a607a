/* Heights from text and from raw numbers. No count is believed before as many bytes are there. */
#include "collision/shapes/heights_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "collision/shapes/heights.h"

/* ---- options ---- */

const char *const pki_heights_format_words[PK_HEIGHTS_FORMAT_COUNT] = {"auto", "png", "text", "float32",
                                                                       "uint16"};
#define OPTION(name) #name, offsetof(pk_heights_options, name)
const pk_field pki_heights_file_fields[] = {
    {OPTION(format), PK_FIELD_ENUM, "", PK_HEIGHTS_AUTO, 0, PK_HEIGHTS_FORMAT_COUNT - 1,
     pki_heights_format_words, "of the file; auto: by the ending of its name"},
    {OPTION(cell), PK_FIELD_REAL, "m", NAN, 1e-6, 1e6, NULL, "distance between heights, along x and y"},
    {OPTION(scale), PK_FIELD_REAL, "m", 1, -1e6, 1e6, NULL,
     "of a file: white above black (png), 65535 above 0 (uint16); a factor of text and float32"},
    {OPTION(nx), PK_FIELD_INT, "", 0, 0, 0.5 * PKI_HEIGHTS_MOST, NULL,
     "heights along x: of functions, float32 and uint16"},
    {OPTION(ny), PK_FIELD_INT, "", 0, 0, 0.5 * PKI_HEIGHTS_MOST, NULL,
     "heights along y: of functions, float32 and uint16"},
};
const int pki_heights_file_field_count = (int)(sizeof pki_heights_file_fields / sizeof(pk_field));

pk_heights_options pk_heights_options_default(void)
{
  pk_heights_options o;
  pki_fields_default(pki_heights_file_fields, pki_heights_file_field_count, &o, sizeof o);
  return o;
}

void pk_heights_free(pk_heights *h)
{
  free(h->z);
  *h = (pk_heights){0};
}

static pki_where in_file(const char *file)
{
  return (pki_where){.file = file};
}

pk_status pki_heights_room(const char *file, long long nx, long long ny, pk_heights *out, pk_error *err)
{
  if (nx < 2 || ny < 2) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){file, 0, nx < 2 ? "nx" : "ny"},
                    "the field has %lld x %lld heights, expected at least 2 x 2", nx, ny);
  }
  if (nx > PKI_HEIGHTS_MOST / ny) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){file, 0, "nx"},
                    "the field has %lld x %lld heights, at most %d are possible", nx, ny, PKI_HEIGHTS_MOST);
  }
  out->z = malloc((size_t)nx * (size_t)ny * sizeof *out->z);
  if (out->z == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, in_file(file), "no memory for %lld x %lld heights", nx, ny);
  }
  out->nx = (int)nx, out->ny = (int)ny;
  return PK_OK;
}

/* ---- raw numbers ---- */

static pk_status read_raw(const char *file, const unsigned char *bytes, size_t size,
                          const pk_heights_options *o, bool real, pk_heights *out, pk_error *err)
{
  const size_t width = real ? 4 : 2;
  if (o->nx == 0 || o->ny == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){file, 0, o->nx == 0 ? "nx" : "ny"},
                    "a %s file tells nothing of its shape: nx and ny are needed",
                    pki_heights_format_words[real ? PK_HEIGHTS_FLOAT32 : PK_HEIGHTS_UINT16]);
  }
  const long long expected = (long long)o->nx * o->ny;
  if (size != (unsigned long long)expected * width) {
    return pki_fail(err, PK_ERROR_SYNTAX, in_file(file),
                    "the file has %zu bytes, expected %lld: %d x %d numbers of %zu", size,
                    expected * (long long)width, o->nx, o->ny, width);
  }
  const pk_status status = pki_heights_room(file, o->nx, o->ny, out, err);
  for (size_t e = 0; status == PK_OK && e < (size_t)expected; e++, bytes += width) {
    if (real) {
      const uint32_t word =
          (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
      float value;
      memcpy(&value, &word, sizeof value);
      out->z[e] = (double)value;
    } else {
      out->z[e] = (bytes[0] | bytes[1] << 8) / 65535.0;
    }
  }
  return status;
}

/* ---- text ---- */

typedef struct reader {
  const char *file, *at, *end;
  int line;
  size_t room;
  pk_heights *out;
  pk_error *err;
} reader;

static bool is_gap(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

static pk_status fail_word(const reader *r)
{
  int n = 0;
  while (r->at + n < r->end && n < 24 && (unsigned char)r->at[n] > ' ' && !is_gap(r->at[n])) {
    n++;
  }
  return pki_fail(r->err, PK_ERROR_SYNTAX, (pki_where){r->file, r->line, ""},
                  "found \"%.*s\", expected a height", n, r->at);
}

static pk_status append_height(reader *r, size_t count, double value)
{
  if (count == r->room) {
    if (count >= PKI_HEIGHTS_MOST) {
      return pki_fail(r->err, PK_ERROR_LIMIT, (pki_where){r->file, r->line, ""},
                      "the file has more than %d heights", PKI_HEIGHTS_MOST);
    }
    const size_t room = count > 0 ? 2 * count : 256;
    double *z = realloc(r->out->z, room * sizeof *z);
    if (z == NULL) {
      return pki_fail(r->err, PK_ERROR_MEMORY, in_file(r->file), "no memory for %zu heights", room);
    }
    r->out->z = z, r->room = room;
  }
  r->out->z[count] = value;
  return PK_OK;
}

/* One line: its numbers go to the end of the heights, how many there are to *nx. */
static pk_status read_row(reader *r, size_t count, size_t *nx)
{
  pk_status status = PK_OK;
  *nx = 0;
  while (r->at < r->end && *r->at != '\n' && *r->at != '#' && status == PK_OK) {
    const char *const start = r->at;
    double value;
    if (is_gap(*r->at)) {
      r->at++;
    } else if (!pki_parse_real(&r->at, r->end, &value) ||
               (r->at < r->end && !is_gap(*r->at) && *r->at != '\n' && *r->at != '#')) {
      r->at = start;
      status = fail_word(r);
    } else {
      status = append_height(r, count + (*nx)++, value);
    }
  }
  while (r->at < r->end && *r->at != '\n') {
    r->at++;
  }
  r->at += r->at < r->end;
  return status;
}

static pk_status read_text(const char *file, const char *text, size_t size, pk_heights *out, pk_error *err)
{
  reader r = {.file = file, .at = text, .end = text + size, .line = 1, .out = out, .err = err};
  size_t nx = 0, ny = 0;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    r.at += 3; /* a mark of the encoding */
  }
  for (; r.at < r.end; r.line += r.line < INT_MAX) {
    size_t row;
    const pk_status status = read_row(&r, nx * ny, &row);
    if (status != PK_OK) {
      return status;
    }
    if (row > 0 && ny > 0 && row != nx) {
      return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){file, r.line, ""},
                      "this row has %zu heights, the first one has %zu", row, nx);
    }
    nx = row > 0 ? row : nx;
    ny += row > 0;
  }
  if (nx < 2 || ny < 2) {
    return pki_fail(err, PK_ERROR_SYNTAX, in_file(file),
                    "the file has %zu rows of %zu heights, expected two rows of two at least", ny, nx);
  }
  out->nx = (int)nx, out->ny = (int)ny;
  return PK_OK;
}

/* ---- any of them ---- */

/* What the name's ending says. */
static pk_heights_format format_of(const char *file)
{
  static const struct {
    const char *ending;
    pk_heights_format format;
  } endings[] = {{".png", PK_HEIGHTS_PNG},     {".PNG", PK_HEIGHTS_PNG},    {".csv", PK_HEIGHTS_TEXT},
                 {".txt", PK_HEIGHTS_TEXT},    {".CSV", PK_HEIGHTS_TEXT},   {".TXT", PK_HEIGHTS_TEXT},
                 {".f32", PK_HEIGHTS_FLOAT32}, {".u16", PK_HEIGHTS_UINT16}, {".r16", PK_HEIGHTS_UINT16}};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    if (pki_ends_with(file, endings[i].ending)) {
      return endings[i].format;
    }
  }
  return PK_HEIGHTS_AUTO;
}

static pk_status read_any(const char *file, const void *data, size_t size, const pk_heights_options *o,
                          pk_heights *out, pk_error *err)
{
  switch (o->format == PK_HEIGHTS_AUTO ? format_of(file) : o->format) {
  case PK_HEIGHTS_PNG: return pki_heights_read_png(file, data, size, out, err);
  case PK_HEIGHTS_TEXT: return read_text(file, data, size, out, err);
  case PK_HEIGHTS_FLOAT32: return read_raw(file, data, size, o, true, out, err);
  case PK_HEIGHTS_UINT16: return read_raw(file, data, size, o, false, out, err);
  default:
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){file, 0, "format"},
                    "the name tells no format; expected .png, .csv, .txt, .f32, .u16, .r16, or a format "
                    "that is given");
  }
}

/* Counts as expected, values as heights. */
static pk_status check_heights(const char *file, const pk_heights_options *o, pk_heights *out, pk_error *err)
{
  if ((o->nx != 0 && o->nx != out->nx) || (o->ny != 0 && o->ny != out->ny)) {
    return pki_fail(err, PK_ERROR_ARGUMENT,
                    (pki_where){file, 0, o->nx != 0 && o->nx != out->nx ? "nx" : "ny"},
                    "the file has %d x %d heights, expected %d x %d", out->nx, out->ny,
                    o->nx != 0 ? o->nx : out->nx, o->ny != 0 ? o->ny : out->ny);
  }
  out->cell = o->cell;
  const size_t nx = (size_t)out->nx, count = nx * (size_t)out->ny;
  for (size_t e = 0; e < count; e++) {
    const double z = o->scale * out->z[e];
    if (!(fabs(z) <= PKI_HEIGHTS_FAR)) {
      return pki_fail(err, PK_ERROR_SYNTAX, in_file(file),
                      "height %zu of row %zu is %g m, expected a number of %g m at most", e % nx, e / nx, z,
                      PKI_HEIGHTS_FAR);
    }
    out->z[e] = z;
  }
  return PK_OK;
}

pk_status pki_heights_parse(const char *file, const void *data, size_t size,
                            const pk_heights_options *options, pk_heights *out, pk_error *err)
{
  *out = (pk_heights){0};
  pk_status status = pki_fields_validate(pki_heights_file_fields, pki_heights_file_field_count, options, err);
  if (status != PK_OK) {
    return status;
  }
  status = read_any(file, data, size, options, out, err);
  status = status == PK_OK ? check_heights(file, options, out, err) : status;
  if (status != PK_OK) {
    pk_heights_free(out);
  }
  return status;
}

pk_status pk_heights_load(const char *path, const pk_heights_options *options, pk_heights *out, pk_error *err)
{
  *out = (pk_heights){0};
  size_t size = 0;
  char *data = pki_file_read(path, PKI_HEIGHTS_FILE_BYTES, &size);
  if (data == NULL) {
    return errno == EFBIG
               ? pki_fail(err, PK_ERROR_LIMIT, in_file(path), "the file has %zu bytes, at most %d are read",
                          size, PKI_HEIGHTS_FILE_BYTES)
               : pki_fail(err, PK_ERROR_FILE, in_file(path), "cannot read the heights: %s", strerror(errno));
  }
  const pk_status status = pki_heights_parse(path, data, size, options, out, err);
  free(data);
  return status;
}
