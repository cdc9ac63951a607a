/* Linear complementarity problems as text:
 *
 *   # a comment, to the end of the line
 *   lcp N NNZ HASBOUNDS HASFINDEX HASSOL
 *   i j m                           NNZ lines, counted from 0; what is not named is 0
 *   q                               one number for each row
 *   lower upper                     N and N numbers, with HASBOUNDS = 1
 *   findex                          N integers, with HASFINDEX = 1
 *   z                               N numbers, with HASSOL = 1 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "base/file.h"
#include "contact/files/problem_reader.h"
#include "contact/lcp/lcp.h"

struct pk_lcp_file {
  pk_lcp problem;
  double *M, *q, *lower, *upper, *solution;
  int *findex;
};

void pk_lcp_file_destroy(pk_lcp_file *file)
{
  if (file != NULL) {
    free(file->M);
    free(file->q);
    free(file->lower);
    free(file->upper);
    free(file->solution);
    free(file->findex);
    free(file);
  }
}

const pk_lcp *pk_lcp_file_problem(const pk_lcp_file *file)
{
  return &file->problem;
}

const double *pk_lcp_file_solution(const pk_lcp_file *file)
{
  return file->solution;
}

/* ---- reading ---- */

typedef struct header {
  long n, nnz, hasbounds, hasfindex, hassol;
  int bounds_line, findex_line; /* where they begin */
} header;

static pk_status check_header(const pki_reader *r, const header *h)
{
  const struct {
    const char *what;
    long value;
  } flags[] = {{"hasbounds", h->hasbounds}, {"hasfindex", h->hasfindex}, {"hassol", h->hassol}};
  const pki_where where = pki_reader_here(r, "header");
  if (h->n < 0 || h->nnz < 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, where, "there are %ld rows and %ld entries; expected 0 or more",
                    h->n, h->nnz);
  }
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    if (flags[i].value != 0 && flags[i].value != 1) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, where, "%s is %ld; expected 0 or 1", flags[i].what,
                      flags[i].value);
    }
  }
  if (h->hasfindex && !h->hasbounds) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, where, "there is findex without bounds; expected hasbounds 1");
  }
  if (h->n > PKI_LCP_MAX) {
    return pki_fail(r->err, PK_ERROR_LIMIT, where, "there are %ld rows; at most %d are read", h->n,
                    (int)PKI_LCP_MAX);
  }
  /* An entry takes at least 6 bytes ("0 0 1\n"), any other number 2, the last one less. */
  const long long numbers = h->n * (1LL + 2 * h->hasbounds + h->hasfindex + h->hassol);
  const long long have = (long long)(r->end - r->at);
  if (h->nnz > have / 6 + 1 || 6LL * h->nnz + 2 * numbers - 1 > have) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, where,
                    "%ld entries and %lld other numbers do not fit the %lld bytes that follow; the file is "
                    "truncated or its counts are wrong",
                    h->nnz, numbers, have);
  }
  return PK_OK;
}

static pk_status read_header(pki_reader *r, header *h)
{
  static const char word[] = "lcp";
  const size_t length = sizeof word - 1;
  pki_reader_skip(r, true);
  if ((size_t)(r->end - r->at) <= length || memcmp(r->at, word, length) != 0 || !pki_is_gap(r->at[length])) {
    return pki_reader_fail(r, "header", "the word lcp");
  }
  r->at += length;
  *h = (header){0};
  const struct {
    long *out;
    const char *what;
  } parts[] = {{&h->n, "the number of rows"},
               {&h->nnz, "the number of entries of M"},
               {&h->hasbounds, "hasbounds (0 or 1)"},
               {&h->hasfindex, "hasfindex (0 or 1)"},
               {&h->hassol, "hassol (0 or 1)"}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    const pk_status status = pki_reader_int(r, false, "header", parts[i].what, parts[i].out);
    if (status != PK_OK) {
      return status;
    }
  }
  pki_reader_skip(r, false);
  return r->at < r->end && *r->at != '\n' ? pki_reader_fail(r, "header", "the end of the header's line")
                                          : check_header(r, h);
}

static pk_status fail_memory(const pki_reader *r)
{
  return pki_fail(r->err, PK_ERROR_MEMORY, (pki_where){.file = r->file},
                  "there is not enough memory for this problem");
}

/* M, dense; entries at the same place add up. */
static pk_status read_matrix(pki_reader *r, const header *h, pk_lcp_file *file)
{
  const size_t n = (size_t)h->n;
  pki_triplets entry; /* one at a time */
  file->M = calloc(n * n + 1, sizeof *file->M);
  if (!pki_triplets_create(&entry, (int)h->n, (int)h->n, 1) || file->M == NULL) {
    pki_triplets_free(&entry);
    return fail_memory(r);
  }
  pk_status status = PK_OK;
  for (long e = 0; e < h->nnz && status == PK_OK; e++) {
    status = pki_reader_entry(r, "M", &entry, 0, e);
    if (status == PK_OK) {
      file->M[(size_t)entry.row[0] * n + (size_t)entry.col[0]] += entry.value[0];
    }
  }
  pki_triplets_free(&entry);
  return status;
}

static pk_status read_findex(pki_reader *r, int n, int **out)
{
  *out = calloc((size_t)n + 1, sizeof **out);
  if (*out == NULL) {
    return fail_memory(r);
  }
  pk_status status = PK_OK;
  for (int i = 0; i < n && status == PK_OK; i++) {
    long value = 0;
    status = pki_reader_int(r, true, "findex", "a row index or -1", &value);
    if (status == PK_OK && (value < -1 || value >= n)) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, pki_reader_here(r, "findex"),
                      "findex[%d] is %ld; expected -1 to %d", i, value, n - 1);
    }
    (*out)[i] = (int)value;
  }
  return status;
}

static pk_status read_body(pki_reader *r, header *h, pk_lcp_file *file)
{
  const int n = (int)h->n;
  pk_status status = read_matrix(r, h, file);
  status = status == PK_OK ? pki_reader_reals(r, "q", n, true, &file->q) : status;
  pki_reader_skip(r, true);
  h->bounds_line = r->line;
  if (status == PK_OK && h->hasbounds) {
    status = pki_reader_reals(r, "lower", n, false, &file->lower);
    status = status == PK_OK ? pki_reader_reals(r, "upper", n, false, &file->upper) : status;
  }
  if (status == PK_OK && h->hasfindex) {
    pki_reader_skip(r, true);
    h->findex_line = r->line;
    status = read_findex(r, n, &file->findex);
  }
  if (status == PK_OK && h->hassol) {
    status = pki_reader_reals(r, "solution", n, true, &file->solution);
  }
  if (status != PK_OK) {
    return status;
  }
  pki_reader_skip(r, true);
  return r->at < r->end ? pki_reader_fail(r, "", "the end of the file") : PK_OK;
}

/* What the problem's own checks find wrong is wrong with the file. */
static pk_status check_problem(const pki_reader *r, const header *h, const pk_lcp *p)
{
  const pk_status status = pk_lcp_validate(p, r->err);
  if (status != PK_OK && r->err != NULL) {
    r->err->status = PK_ERROR_SYNTAX;
    snprintf(r->err->file, sizeof r->err->file, "%s", r->file);
    r->err->line = strcmp(r->err->field, "findex") == 0 ? h->findex_line : h->bounds_line;
  }
  return status == PK_OK ? PK_OK : PK_ERROR_SYNTAX;
}

pk_status pki_lcp_parse(const char *file, const char *data, size_t size, pk_lcp_file **out, pk_error *err)
{
  pki_reader r = {.file = file, .at = data, .end = data + size, .line = 1, .err = err};
  pk_lcp_file *made = calloc(1, sizeof *made);
  header h;
  *out = NULL;
  pk_status status = made != NULL ? read_header(&r, &h) : fail_memory(&r);
  status = status == PK_OK ? read_body(&r, &h, made) : status;
  if (status == PK_OK) {
    made->problem = (pk_lcp){.n = (int)h.n,
                             .M = made->M,
                             .q = made->q,
                             .lower = made->lower,
                             .upper = made->upper,
                             .findex = made->findex};
    status = check_problem(&r, &h, &made->problem);
  }
  if (status != PK_OK) {
    pk_lcp_file_destroy(made);
    return status;
  }
  *out = made;
  return PK_OK;
}

pk_status pk_lcp_load(const char *path, pk_lcp_file **out, pk_error *err)
{
  size_t size = 0;
  *out = NULL;
  char *data = pki_file_read(path, PKI_CONTACT_MAX_BYTES, &size);
  if (data == NULL) {
    const bool large = errno == EFBIG;
    return pki_fail(err, large ? PK_ERROR_LIMIT : PK_ERROR_FILE, (pki_where){.file = path},
                    "the file cannot be read: %s", strerror(errno));
  }
  const pk_status status = pki_lcp_parse(path, data, size, out, err);
  free(data);
  return status;
}

/* ---- writing ---- */

typedef struct written {
  const pk_lcp *p;
  const double *solution;
} written;

static bool put_problem(FILE *out, const void *what)
{
  const written *x = what;
  const pk_lcp *p = x->p;
  const size_t places = (size_t)p->n * (size_t)p->n;
  size_t nnz = 0;
  for (size_t e = 0; e < places; e++) {
    nnz += p->M[e] != 0;
  }
  fprintf(out, "# linear complementarity problem w = M z + q, written by pronk %s\n", pk_version());
  fprintf(out, "lcp %d %zu %d %d %d\n", p->n, nnz, p->lower != NULL, p->findex != NULL, x->solution != NULL);
  for (size_t e = 0; e < places; e++) {
    if (p->M[e] != 0) {
      fprintf(out, "%zu %zu ", e / (size_t)p->n, e % (size_t)p->n);
      pki_put_real(out, p->M[e]);
      fputc('\n', out);
    }
  }
  pki_put_reals(out, p->q, p->n);
  if (p->lower != NULL) {
    pki_put_reals(out, p->lower, p->n);
    pki_put_reals(out, p->upper, p->n);
  }
  for (int i = 0; i < p->n && p->findex != NULL; i++) {
    fprintf(out, "%d%c", p->findex[i], i + 1 < p->n ? ' ' : '\n');
  }
  if (x->solution != NULL) {
    pki_put_reals(out, x->solution, p->n);
  }
  return !ferror(out);
}

pk_status pk_lcp_save(const pk_lcp *problem, const double *solution, const char *path, pk_error *err)
{
  const pk_status status = pk_lcp_validate(problem, err);
  return status == PK_OK ? pki_file_put_stream(path, put_problem, &(written){problem, solution}, err)
                         : status;
}
