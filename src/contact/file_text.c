/* Contact problems as text:
 *
 *   # a comment, to the end of the line
 *   3 NC NNZ HASSOL                 or:  rows 3 NC NB NX NNZ HASSOL
 *   i j w                           NNZ lines, counted from 0
 *   q                               one number for each row
 *   mu                              one for each contact
 *   lower upper                     NX and NX numbers, after `rows`
 *   r                               one for each row, with HASSOL = 1
 *
 * The second header is for problems with bilateral or box rows: who knows the first one only finds a
 * word where the dimension should be, and stops. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "contact/file.h"

/* ---- reading ---- */

typedef struct reader {
  const char *file;
  const char *at, *end;
  int line;
  pk_error *err;
} reader;

static pki_where here(const reader *r, const char *field)
{
  return (pki_where){.file = r->file, .line = r->line, .field = field};
}

static bool is_gap(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Move past gaps and comments; with `lines` false, not past the end of the line. */
static void skip_gap(reader *r, bool lines)
{
  while (r->at < r->end && (is_gap(*r->at) || *r->at == '#')) {
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

static quoted quote(const reader *r)
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

static pk_status fail_found(const reader *r, const char *field, const char *expected)
{
  return pki_fail(r->err, PK_ERROR_SYNTAX, here(r, field), "found '%s' where %s was expected", quote(r).text,
                  expected);
}

/* A number ends at a gap, a comment or the end. */
static bool at_number_end(const char *at, const char *end)
{
  return at == end || is_gap(*at) || *at == '#';
}

static pk_status take_int(reader *r, bool lines, const char *field, const char *what, long *out)
{
  skip_gap(r, lines);
  const char *at = r->at;
  if (at == r->end || !pki_parse_int(&at, r->end, out) || !at_number_end(at, r->end)) {
    return fail_found(r, field, what);
  }
  r->at = at;
  return PK_OK;
}

static pk_status take_real(reader *r, bool lines, bool finite, const char *field, double *out)
{
  skip_gap(r, lines);
  const char *at = r->at;
  if (at == r->end || *at == '\n' || !pki_parse_real(&at, r->end, out) || !at_number_end(at, r->end)) {
    return fail_found(r, field, "a number");
  }
  if (isnan(*out) || (finite && isinf(*out))) {
    return fail_found(r, field, finite ? "a finite number" : "a number or inf");
  }
  r->at = at;
  return PK_OK;
}

/* What the header says. */
typedef struct header {
  long dim, ncontact, nbilateral, nbox, nnz, hassol;
} header;

static pk_status check_header(const reader *r, const header *h)
{
  const long most = INT_MAX / 8;
  const struct {
    const char *what;
    long count;
  } counts[] = {{"contacts", h->ncontact},
                {"bilateral rows", h->nbilateral},
                {"box rows", h->nbox},
                {"entries", h->nnz}};
  if (h->dim != 3) {
    return pki_fail(r->err, h->dim == 2 ? PK_ERROR_UNSUPPORTED : PK_ERROR_SYNTAX, here(r, "dim"),
                    "the contacts have dimension %ld; only dimension 3 is offered", h->dim);
  }
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    if (counts[i].count < 0 || counts[i].count > most) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, here(r, "header"), "there are %ld %s; expected 0 to %ld",
                      counts[i].count, counts[i].what, most);
    }
  }
  if (h->hassol != 0 && h->hassol != 1) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, here(r, "header"), "hassol is %ld; expected 0 or 1", h->hassol);
  }
  /* An entry takes at least 6 bytes ("0 0 1\n"), any other number 2, the last one less. */
  const long long size = 3LL * h->ncontact + h->nbilateral + h->nbox;
  const long long numbers = size * (1 + h->hassol) + h->ncontact + 2LL * h->nbox;
  const long long need = 6LL * h->nnz + 2 * numbers - 1, have = (long long)(r->end - r->at);
  if (need > have) {
    return pki_fail(
        r->err, PK_ERROR_SYNTAX, here(r, "header"),
        "%ld entries and %lld other numbers take at least %lld bytes, but only %lld follow; the file is "
        "truncated or its counts are wrong",
        h->nnz, numbers, need, have);
  }
  return PK_OK;
}

static pk_status read_header(reader *r, header *h)
{
  static const char word[] = "rows";
  const size_t length = sizeof word - 1;
  skip_gap(r, true);
  const bool rows =
      (size_t)(r->end - r->at) > length && memcmp(r->at, word, length) == 0 && is_gap(r->at[length]);
  r->at += rows ? length : 0;
  *h = (header){0};
  struct {
    long *out;
    const char *what;
  } parts[] = {{&h->dim, "the dimension (3)"},
               {&h->ncontact, "the number of contacts"},
               {&h->nbilateral, "the number of bilateral rows"},
               {&h->nbox, "the number of box rows"},
               {&h->nnz, "the number of entries of W"},
               {&h->hassol, "hassol (0 or 1)"}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (!rows && (parts[i].out == &h->nbilateral || parts[i].out == &h->nbox)) {
      continue;
    }
    const pk_status status = take_int(r, false, "header", parts[i].what, parts[i].out);
    if (status != PK_OK) {
      return status;
    }
  }
  skip_gap(r, false);
  if (r->at < r->end && *r->at != '\n') {
    return fail_found(r, "header", "the end of the header's line");
  }
  return check_header(r, h);
}

/* One line `i j w`. */
static pk_status read_entry(reader *r, pki_triplets *W, size_t e)
{
  skip_gap(r, true);
  int *const places[2] = {&W->row[e], &W->col[e]};
  static const char *const names[2] = {"row", "column"};
  for (int k = 0; k < 2; k++) {
    long index = 0;
    const pk_status status = take_int(r, false, "W", k == 0 ? "a row index" : "a column index", &index);
    if (status != PK_OK) {
      return status;
    }
    if (index < 0 || index >= W->nrow) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, here(r, "W"), "entry %zu of W has %s %ld; expected 0 to %d", e,
                      names[k], index, W->nrow - 1);
    }
    *places[k] = (int)index;
  }
  const pk_status status = take_real(r, false, true, "W", &W->value[e]);
  if (status != PK_OK) {
    return status;
  }
  skip_gap(r, false);
  return r->at < r->end && *r->at != '\n' ? fail_found(r, "W", "the end of the line") : PK_OK;
}

/* `count` numbers into a new array, however they are spread over lines. */
static pk_status read_reals(reader *r, const char *field, int count, bool finite, double **out)
{
  *out = calloc(count > 0 ? (size_t)count : 1, sizeof **out);
  if (*out == NULL) {
    return pki_fail(r->err, PK_ERROR_MEMORY, here(r, field), "there is not enough memory for %d numbers",
                    count);
  }
  for (int i = 0; i < count; i++) {
    const pk_status status = take_real(r, true, finite, field, &(*out)[i]);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

static pk_status read_body(reader *r, const header *h, pki_contact_draft *d)
{
  const int n = 3 * d->ncontact + d->nbilateral + d->nbox;
  if (!pki_triplets_create(&d->W, n, n, (size_t)h->nnz)) {
    return pki_fail(r->err, PK_ERROR_MEMORY, here(r, "W"), "there is not enough memory for %ld entries",
                    h->nnz);
  }
  pk_status status = PK_OK;
  for (size_t e = 0; e < d->W.count && status == PK_OK; e++) {
    status = read_entry(r, &d->W, e);
  }
  status = status == PK_OK ? read_reals(r, "q", n, true, &d->q) : status;
  status = status == PK_OK ? read_reals(r, "mu", d->ncontact, true, &d->mu) : status;
  status = status == PK_OK ? read_reals(r, "lower", d->nbox, false, &d->lower) : status;
  status = status == PK_OK ? read_reals(r, "upper", d->nbox, false, &d->upper) : status;
  if (status == PK_OK && h->hassol) {
    status = read_reals(r, "solution", n, true, &d->solution);
  }
  if (status != PK_OK) {
    return status;
  }
  skip_gap(r, true);
  return r->at < r->end ? fail_found(r, "", "the end of the file") : PK_OK;
}

pk_status pki_contact_read_text(const char *file, const char *data, size_t size, pki_contact_draft *out,
                                pk_error *err)
{
  reader r = {.file = file, .at = data, .end = data + size, .line = 1, .err = err};
  header h;
  const pk_status status = read_header(&r, &h);
  if (status != PK_OK) {
    return status;
  }
  out->ncontact = (int)h.ncontact;
  out->nbilateral = (int)h.nbilateral;
  out->nbox = (int)h.nbox;
  return read_body(&r, &h, out);
}

/* ---- writing ---- */

/* A number as it is read back, with a full stop whatever the locale says. */
static void put_real(FILE *out, double value)
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
static void put_reals(FILE *out, const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    put_real(out, values[i]);
    fputc(i + 1 < count ? ' ' : '\n', out);
  }
}

static void put_problem(FILE *out, const pk_contact_problem *p)
{
  const int n = pk_contact_size(p);
  const bool rows = p->nbilateral > 0 || p->nbox > 0;
  const long long nnz = p->W_col ? p->W_row[n] : (long long)n * n;
  fprintf(out, "# contact problem u = W r + q, normal first, written by pronk %s\n", pk_version());
  if (rows) {
    fprintf(out, "rows 3 %d %d %d %lld 0\n", p->ncontact, p->nbilateral, p->nbox, nnz);
  } else {
    fprintf(out, "3 %d %lld 0\n", p->ncontact, nnz);
  }
  const double *W = p->W;
  for (int i = 0; i < n; i++) {
    const int from = p->W_col ? p->W_row[i] : 0, to = p->W_col ? p->W_row[i + 1] : n;
    for (int e = from; e < to; e++) {
      fprintf(out, "%d %d ", i, p->W_col ? p->W_col[e] : e);
      put_real(out, *W++);
      fputc('\n', out);
    }
  }
  put_reals(out, p->q, n);
  put_reals(out, p->mu, p->ncontact);
  put_reals(out, p->lower, p->nbox);
  put_reals(out, p->upper, p->nbox);
}

pk_status pki_contact_write_text(const pk_contact_problem *p, const char *path, const char *name,
                                 pk_error *err)
{
  FILE *out = fopen(path, "wb");
  bool good = out != NULL;
  int why = errno;
  if (good) {
    put_problem(out, p);
    good = !ferror(out);
    why = errno;
    if (fclose(out) != 0) {
      why = good ? errno : why;
      good = false;
    }
  }
  return good ? PK_OK
              : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = name}, "cannot be written: %s",
                         strerror(why));
}
