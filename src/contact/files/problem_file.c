/* open, fstat and read, for what C alone cannot tell: whether a path is a regular file. */
#define _POSIX_C_SOURCE 200809L
#include "contact/files/problem_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

/* One block of memory: this, then the arrays. */
struct pk_contact_file {
  pk_contact_problem problem;
  const double *solution;
  int dimension; /* of the contacts as the file has them */
};

/* ---- drafts ---- */

bool pki_triplets_create(pki_triplets *t, int nrow, int ncol, size_t count)
{
  const size_t room = count > 0 ? count : 1;
  *t = (pki_triplets){.nrow = nrow, .ncol = ncol, .count = count};
  t->row = calloc(room, sizeof *t->row);
  t->col = calloc(room, sizeof *t->col);
  t->value = calloc(room, sizeof *t->value);
  return t->row != NULL && t->col != NULL && t->value != NULL;
}

void pki_triplets_free(pki_triplets *t)
{
  free(t->row);
  free(t->col);
  free(t->value);
  *t = (pki_triplets){0};
}

void pki_contact_draft_free(pki_contact_draft *draft)
{
  pki_triplets_free(&draft->W);
  free(draft->q);
  free(draft->mu);
  free(draft->lower);
  free(draft->upper);
  free(draft->solution);
  *draft = (pki_contact_draft){0};
}

void pki_sort_by_key(const int *key, size_t count, int nkey, const size_t *from, size_t *start, size_t *order)
{
  memset(start, 0, ((size_t)nkey + 1) * sizeof *start);
  for (size_t e = 0; e < count; e++) {
    start[key[e] + 1]++;
  }
  for (int k = 0; k < nkey; k++) {
    start[k + 1] += start[k];
  }
  for (size_t e = 0; e < count; e++) {
    const size_t at = from ? from[e] : e;
    order[start[key[at]]++] = at;
  }
  /* each start has moved to the next key's */
  for (int k = nkey; k > 0; k--) {
    start[k] = start[k - 1];
  }
  start[0] = 0;
}

/* ---- from a draft to a file ---- */

/* Entries by row, then by column. */
typedef struct sorted {
  size_t *start, *order, *scratch;
  size_t nplace; /* different places */
} sorted;

static void sorted_free(sorted *s)
{
  free(s->start);
  free(s->order);
  free(s->scratch);
}

static bool sort_entries(const pki_triplets *W, sorted *s)
{
  const size_t room = W->count + 1;
  *s = (sorted){.start = calloc((size_t)W->nrow + 1, sizeof *s->start),
                .order = calloc(room, sizeof *s->order),
                .scratch = calloc(room, sizeof *s->scratch)};
  if (s->start == NULL || s->order == NULL || s->scratch == NULL) {
    return false;
  }
  pki_sort_by_key(W->col, W->count, W->ncol, NULL, s->start, s->scratch);
  pki_sort_by_key(W->row, W->count, W->nrow, s->scratch, s->start, s->order);
  for (size_t e = 0; e < W->count; e++) {
    const size_t a = s->order[e], b = e > 0 ? s->order[e - 1] : 0;
    s->nplace += e == 0 || W->row[a] != W->row[b] || W->col[a] != W->col[b];
  }
  return true;
}

/* W in rows, entries at the same place summed; columns are left out where every place is filled. */
static void fill_rows(const pki_triplets *W, const sorted *s, int *W_row, int *W_col, double *values)
{
  int at = -1, last = -1;
  for (int i = 0; i < W->nrow; i++) {
    W_row[i] = at + 1;
    last = -1;
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
      const size_t entry = s->order[e];
      if (W->col[entry] == last) {
        values[at] += W->value[entry];
        continue;
      }
      last = W->col[entry];
      values[++at] = W->value[entry];
      if (W_col != NULL) {
        W_col[at] = last;
      }
    }
  }
  W_row[W->nrow] = at + 1;
}

static double *copy_reals(pki_arena *arena, const double *from, int count)
{
  double *to = pki_arena_take(arena, (size_t)count, sizeof *to);
  if (to != NULL && count > 0) {
    memcpy(to, from, (size_t)count * sizeof *to);
  }
  return to;
}

/* Lay the file out; with an arena that counts, only its size comes of it. */
static pk_contact_file *carve_contact_file(pki_arena *arena, const pki_contact_draft *d, const sorted *s)
{
  const int n = d->W.nrow;
  const bool dense = s->nplace == (size_t)n * (size_t)n;
  pk_contact_file *file = pki_arena_take(arena, 1, sizeof *file);
  int *W_row = pki_arena_take(arena, (size_t)n + 1, sizeof *W_row);
  int *W_col = dense ? NULL : pki_arena_take(arena, s->nplace, sizeof *W_col);
  double *W = pki_arena_take(arena, s->nplace, sizeof *W);
  const double *q = copy_reals(arena, d->q, n), *mu = copy_reals(arena, d->mu, d->ncontact);
  const double *lower = copy_reals(arena, d->lower, d->nbox), *upper = copy_reals(arena, d->upper, d->nbox);
  const double *solution = d->solution ? copy_reals(arena, d->solution, n) : NULL;
  if (file != NULL) {
    fill_rows(&d->W, s, W_row, W_col, W);
    file->problem = (pk_contact_problem){.ncontact = d->ncontact,
                                         .nbilateral = d->nbilateral,
                                         .nbox = d->nbox,
                                         .W_row = W_row,
                                         .W_col = W_col,
                                         .W = W,
                                         .q = q,
                                         .mu = mu,
                                         .lower = lower,
                                         .upper = upper};
    file->solution = solution;
  }
  return file;
}

/* What the problem's own checks find wrong is wrong with the file. */
static pk_status check_problem(const pk_contact_problem *p, const char *path, pk_error *err)
{
  for (int i = 0; i < p->nbox; i++) {
    if (p->lower[i] == INFINITY || p->upper[i] == -INFINITY) {
      return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = path, .field = "lower"},
                      "box %d is %g to %g, which no impulse satisfies", i, p->lower[i], p->upper[i]);
    }
  }
  const pk_status status = pk_contact_validate(p, err);
  if (status != PK_OK && err != NULL) {
    err->status = PK_ERROR_SYNTAX;
    snprintf(err->file, sizeof err->file, "%s", path);
  }
  return status == PK_OK ? PK_OK : PK_ERROR_SYNTAX;
}

static pk_status fail_memory(const char *path, pk_error *err)
{
  return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = path},
                  "there is not enough memory for this problem");
}

static pk_status finish_contact_file(pki_contact_draft *d, const char *path, pk_contact_file **out,
                                     pk_error *err)
{
  sorted s;
  pk_contact_file *file = NULL;
  const int dimension = d->dimension;
  const pk_status embedded = pki_contact_embed(path, d, err);
  if (embedded != PK_OK) {
    return embedded;
  }
  if (sort_entries(&d->W, &s)) {
    pki_arena counted = pki_arena_over(NULL, 0);
    carve_contact_file(&counted, d, &s);
    void *memory = counted.overflow ? NULL : pki_aligned_alloc(counted.used);
    pki_arena arena = pki_arena_over(memory, counted.used);
    file = memory ? carve_contact_file(&arena, d, &s) : NULL;
    PK_ASSERT(memory == NULL || arena.used == counted.used);
  }
  sorted_free(&s);
  if (file == NULL) {
    return fail_memory(path, err);
  }
  file->dimension = dimension;
  const pk_status status = check_problem(&file->problem, path, err);
  if (status != PK_OK) {
    pk_contact_file_destroy(file);
    return status;
  }
  *out = file;
  return PK_OK;
}

pk_status pki_contact_parse(const char *file, const char *data, size_t size, pk_contact_file **out,
                            pk_error *err)
{
  *out = NULL;
  pki_contact_draft draft = {0};
  pk_status status = pki_contact_read_text(file, data, size, &draft, err);
  status = status == PK_OK ? finish_contact_file(&draft, file, out, err) : status;
  pki_contact_draft_free(&draft);
  return status;
}

/* ---- kinds ---- */

typedef enum file_kind { KIND_TEXT, KIND_FCLIB } file_kind;

static pk_status find_kind(const char *path, file_kind *kind, pk_error *err)
{
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash : path, '.');
  const char *ending = dot ? dot + 1 : "";
  const bool text = strcasecmp(ending, "fc") == 0;
  *kind = text ? KIND_TEXT : KIND_FCLIB;
  if (text || strcasecmp(ending, "hdf5") == 0 || strcasecmp(ending, "h5") == 0) {
    return PK_OK;
  }
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                  "the name %s%.16s%s; expected a contact problem: .fc (text), .hdf5 or .h5 (FCLIB); .lcp is "
                  "for complementarity problems",
                  dot ? "ends in '" : "has no ending", dot ? dot : "", dot ? "'" : "");
}

/* ---- reading ---- */

/* A regular file of a size that is read. */
static pk_status check_file(int fd, const char *path, size_t *size, pk_error *err)
{
  struct stat about;
  const pki_where where = {.file = path};
  if (fstat(fd, &about) != 0) {
    return pki_fail(err, PK_ERROR_FILE, where, "the file cannot be read: %s", strerror(errno));
  }
  if (!S_ISREG(about.st_mode)) {
    return pki_fail(err, PK_ERROR_FILE, where, "this is a %s; expected a contact problem",
                    S_ISDIR(about.st_mode) ? "directory" : "device or a pipe");
  }
  if (about.st_size > PKI_CONTACT_MAX_BYTES) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "the file has %lld bytes; at most %d are read",
                    (long long)about.st_size, (int)PKI_CONTACT_MAX_BYTES);
  }
  *size = (size_t)about.st_size;
  return PK_OK;
}

static pk_status load_text(int fd, const char *path, size_t size, pk_contact_file **out, pk_error *err)
{
  char *data = malloc(size + 1);
  if (data == NULL) {
    return fail_memory(path, err);
  }
  size_t done = 0;
  while (done < size) {
    const ssize_t n = read(fd, data + done, size - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      free(data);
      return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path},
                      "only %zu of %zu bytes could be read: %s", done, size,
                      n < 0 ? strerror(errno) : "the file became shorter");
    }
    done += (size_t)n;
  }
  const pk_status status = pki_contact_parse(path, data, size, out, err);
  free(data);
  return status;
}

static pk_status load_fclib(const char *path, size_t size, pk_contact_file **out, pk_error *err)
{
  pki_contact_draft draft = {0};
  pk_status status = pki_contact_read_fclib(path, size, &draft, err);
  status = status == PK_OK ? finish_contact_file(&draft, path, out, err) : status;
  pki_contact_draft_free(&draft);
  return status;
}

pk_status pk_contact_load(const char *path, pk_contact_file **out, pk_error *err)
{
  *out = NULL;
  file_kind kind;
  size_t size = 0;
  pk_status status = find_kind(path, &kind, err);
  if (status != PK_OK) {
    return status;
  }
  /* O_NONBLOCK: opening a pipe must not wait for someone to write to it. */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "the file cannot be opened: %s",
                    strerror(errno));
  }
  status = check_file(fd, path, &size, err);
  if (status == PK_OK) {
    status = kind == KIND_TEXT ? load_text(fd, path, size, out, err) : load_fclib(path, size, out, err);
  }
  close(fd);
  return status;
}

void pk_contact_file_destroy(pk_contact_file *file)
{
  pki_aligned_free(file);
}

const pk_contact_problem *pk_contact_file_problem(const pk_contact_file *file)
{
  return &file->problem;
}

int pk_contact_file_dimension(const pk_contact_file *file)
{
  return file->dimension;
}

const double *pk_contact_file_solution(const pk_contact_file *file)
{
  return file->solution;
}

/* ---- writing ---- */

pk_status pk_contact_save(const pk_contact_problem *problem, const char *path, pk_error *err)
{
  file_kind kind;
  pk_status status = find_kind(path, &kind, err);
  status = status == PK_OK ? pk_contact_validate(problem, err) : status;
  if (status != PK_OK) {
    return status;
  }
  return kind == KIND_TEXT ? pki_contact_write_text(problem, path, err)
                           : pki_contact_write_fclib(problem, path, err);
}
