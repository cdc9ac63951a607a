/* Contact problems as text:
 *
 *   # a comment, to the end of the line
 *   DIM NC NNZ HASSOL               or:  rows DIM NC NB NX NNZ HASSOL
 *   i j w                           NNZ lines, counted from 0
 *   q                               one number for each row
 *   mu                              one for each contact
 *   lower upper                     NX and NX numbers, after `rows`
 *   r                               one for each row, with HASSOL = 1
 *
 * DIM is 3, or 2 for problems in the plane (embed.c). The second header is for problems with bilateral or box rows: who knows the first one only finds a
 * word where the dimension should be, and stops. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "contact/files/problem_file.h"
#include "contact/files/problem_reader.h"

/* ---- reading ---- */

/* What the header says. */
typedef struct header {
  long dim, ncontact, nbilateral, nbox, nnz, hassol;
} header;

static pk_status check_header(const pki_reader *r, const header *h)
{
  const long most = INT_MAX / 8;
  const struct {
    const char *what;
    long count;
  } counts[] = {{"contacts", h->ncontact},
                {"bilateral rows", h->nbilateral},
                {"box rows", h->nbox},
                {"entries", h->nnz}};
  if (h->dim != 2 && h->dim != 3) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_reader_here(r, "dim"),
                    "the contacts have dimension %ld; expected 2 or 3", h->dim);
  }
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    if (counts[i].count < 0 || counts[i].count > most) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_reader_here(r, "header"),
                      "there are %ld %s; expected 0 to %ld", counts[i].count, counts[i].what, most);
    }
  }
  if (h->hassol != 0 && h->hassol != 1) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, pki_reader_here(r, "header"), "hassol is %ld; expected 0 or 1",
                    h->hassol);
  }
  /* An entry takes at least 6 bytes ("0 0 1\n"), any other number 2, the last one less. */
  const long long size = (long long)h->dim * h->ncontact + h->nbilateral + h->nbox;
  const long long numbers = size * (1 + h->hassol) + h->ncontact + 2LL * h->nbox;
  const long long need = 6LL * h->nnz + 2 * numbers - 1, have = (long long)(r->end - r->at);
  if (need > have) {
    return pki_fail(
        r->err, PK_ERROR_SYNTAX, pki_reader_here(r, "header"),
        "%ld entries and %lld other numbers take at least %lld bytes, but only %lld follow; the file is "
        "truncated or its counts are wrong",
        h->nnz, numbers, need, have);
  }
  return PK_OK;
}

static pk_status read_header(pki_reader *r, header *h)
{
  static const char word[] = "rows";
  const size_t length = sizeof word - 1;
  pki_reader_skip(r, true);
  const bool rows =
      (size_t)(r->end - r->at) > length && memcmp(r->at, word, length) == 0 && pki_is_gap(r->at[length]);
  r->at += rows ? length : 0;
  *h = (header){0};
  struct {
    long *out;
    const char *what;
  } parts[] = {{&h->dim, "the dimension (2 or 3)"},
               {&h->ncontact, "the number of contacts"},
               {&h->nbilateral, "the number of bilateral rows"},
               {&h->nbox, "the number of box rows"},
               {&h->nnz, "the number of entries of W"},
               {&h->hassol, "hassol (0 or 1)"}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (!rows && (parts[i].out == &h->nbilateral || parts[i].out == &h->nbox)) {
      continue;
    }
    const pk_status status = pki_reader_int(r, false, "header", parts[i].what, parts[i].out);
    if (status != PK_OK) {
      return status;
    }
  }
  pki_reader_skip(r, false);
  if (r->at < r->end && *r->at != '\n') {
    return pki_reader_fail(r, "header", "the end of the header's line");
  }
  return check_header(r, h);
}

static pk_status read_body(pki_reader *r, const header *h, pki_contact_draft *d)
{
  const int n = d->dimension * d->ncontact + d->nbilateral + d->nbox;
  if (!pki_triplets_create(&d->W, n, n, (size_t)h->nnz)) {
    return pki_fail(r->err, PK_ERROR_MEMORY, pki_reader_here(r, "W"),
                    "there is not enough memory for %ld entries", h->nnz);
  }
  pk_status status = PK_OK;
  for (size_t e = 0; e < d->W.count && status == PK_OK; e++) {
    status = pki_reader_entry(r, "W", &d->W, e, (long)e);
  }
  status = status == PK_OK ? pki_reader_reals(r, "q", n, true, &d->q) : status;
  status = status == PK_OK ? pki_reader_reals(r, "mu", d->ncontact, true, &d->mu) : status;
  status = status == PK_OK ? pki_reader_reals(r, "lower", d->nbox, false, &d->lower) : status;
  status = status == PK_OK ? pki_reader_reals(r, "upper", d->nbox, false, &d->upper) : status;
  if (status == PK_OK && h->hassol) {
    status = pki_reader_reals(r, "solution", n, true, &d->solution);
  }
  if (status != PK_OK) {
    return status;
  }
  pki_reader_skip(r, true);
  return r->at < r->end ? pki_reader_fail(r, "", "the end of the file") : PK_OK;
}

pk_status pki_contact_read_text(const char *file, const char *data, size_t size, pki_contact_draft *out,
                                pk_error *err)
{
  pki_reader r = {.file = file, .at = data, .end = data + size, .line = 1, .err = err};
  header h;
  const pk_status status = read_header(&r, &h);
  if (status != PK_OK) {
    return status;
  }
  out->dimension = (int)h.dim;
  out->ncontact = (int)h.ncontact;
  out->nbilateral = (int)h.nbilateral;
  out->nbox = (int)h.nbox;
  return read_body(&r, &h, out);
}

/* ---- writing ---- */

static bool put_problem(FILE *out, const void *problem)
{
  const pk_contact_problem *p = problem;
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
      pki_put_real(out, *W++);
      fputc('\n', out);
    }
  }
  pki_put_reals(out, p->q, n);
  pki_put_reals(out, p->mu, p->ncontact);
  pki_put_reals(out, p->lower, p->nbox);
  pki_put_reals(out, p->upper, p->nbox);
  return !ferror(out);
}

pk_status pki_contact_write_text(const pk_contact_problem *p, const char *path, pk_error *err)
{
  return pki_file_put_stream(path, put_problem, p, err);
}
