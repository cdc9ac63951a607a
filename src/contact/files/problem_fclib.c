/* FCLIB's layout in HDF5 files (frictionalcontactlibrary.github.io):
 *
 *   fclib_local/   W [V R] spacedim vectors/{q mu [s]}      u = W r + V l + q,  0 = V' r + R l + s
 *   fclib_global/  M H [G] spacedim vectors/{f w mu [b]}    M v = H r + G l + f,  u = H' v + w,  0 = G' v + b
 *
 * A matrix is a group with m rows, n columns, and nz: 0 or more entries (column p, row i, value x), or -1:
 * compressed columns, or -2: compressed rows (p where each begins, i the other index). As CSparse has it,
 * entries at the same place add up. Multipliers l are bilateral rows here.
 *
 * Pronk's own addition: fclib_local/VT, the couplings of bilateral rows with contacts where they are not
 * V' to the last bit. */
#include "contact/files/problem_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hdf5_file.h"

#ifndef PKI_HAVE_HDF5

pk_status pki_contact_read_fclib(const char *path, size_t bytes, pki_contact_draft *out, pk_error *err)
{
  (void)bytes, (void)out;
  return pki_contact_fail_no_hdf5(path, err);
}

#else

/* Of one dataset: as many as the largest file holds. What is packed may hold no more. */
enum { MAX_NUMBERS = PKI_CONTACT_MAX_BYTES / 8 };

/* An open file, and how large it is. */
typedef struct reader {
  hid_t file;
  const char *path;
  size_t bytes;
  pk_error *err;
} reader;

/* The name of a dataset: "fclib_local/W/p". */
typedef struct full_name {
  char text[64];
} full_name;

static full_name join_names(const char *group, const char *part)
{
  full_name n;
  snprintf(n.text, sizeof n.text, "%s/%s", group, part);
  return n;
}

static pki_where field_location(const reader *r, const char *field)
{
  return (pki_where){.file = r->path, .field = field};
}

static pk_status fail_memory(const reader *r, const char *field)
{
  return pki_fail(r->err, PK_ERROR_MEMORY, field_location(r, field), "there is not enough memory for it");
}

/* Is there an object of this name, in this very file? Links that lead elsewhere do not count. */
static bool is_there(const reader *r, const char *path)
{
  /* one part of the name after another */
  const char *end = path;
  do {
    char part[64];
    end = strchr(end + 1, '/');
    snprintf(part, sizeof part, "%.*s", end ? (int)(end - path) : (int)strlen(path), path);
    H5L_info_t info;
    if (H5Lexists(r->file, part, H5P_DEFAULT) <= 0 || H5Lget_info(r->file, part, &info, H5P_DEFAULT) < 0 ||
        info.type != H5L_TYPE_HARD) {
      return false;
    }
  } while (end != NULL);
  return true;
}

/* What an open dataset must be before memory is asked for. */
static pk_status check_dataset(const reader *r, const char *field, hid_t set, bool whole, size_t *count)
{
  const hid_t type = H5Dget_type(set), space = H5Dget_space(set), made = H5Dget_create_plist(set);
  const H5T_class_t class = H5Tget_class(type);
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  const hsize_t stored = H5Dget_storage_size(set);
  const bool elsewhere = H5Pget_external_count(made) > 0 || H5Pget_layout(made) == H5D_VIRTUAL;
  H5Tclose(type);
  H5Sclose(space);
  H5Pclose(made);
  if (class != H5T_INTEGER && (whole || class != H5T_FLOAT)) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field), "it does not hold %snumbers",
                    whole ? "whole " : "");
  }
  if (elsewhere) {
    return pki_fail(r->err, PK_ERROR_UNSUPPORTED, field_location(r, field),
                    "its numbers are in another file");
  }
  /* Deflate packs a thousand to one at best; what was never written takes no bytes at all. */
  const double most = 1032.0 * (double)stored;
  if (points < 0 || points > MAX_NUMBERS || stored > r->bytes || (double)points > most) {
    return pki_fail(
        r->err, PK_ERROR_SYNTAX, field_location(r, field),
        "it declares %lld numbers in %llu bytes, which do not fit a file of %zu bytes; it is damaged",
        (long long)points, (unsigned long long)stored, r->bytes);
  }
  *count = (size_t)points;
  return PK_OK;
}

/* A dataset as int (`whole`) or double; the caller frees it. */
static pk_status read_dataset(const reader *r, const char *field, bool whole, void **out, size_t *count)
{
  if (!is_there(r, field)) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field), "it is missing");
  }
  const hid_t set = H5Dopen2(r->file, field, H5P_DEFAULT);
  if (set < 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field), "it is no dataset, or damaged");
  }
  pk_status status = check_dataset(r, field, set, whole, count);
  if (status == PK_OK) {
    *out = calloc(*count + 1, whole ? sizeof(int) : sizeof(double));
    status = *out ? PK_OK : fail_memory(r, field);
  }
  const hid_t type = whole ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
  if (status == PK_OK && *count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0) {
    status = pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field),
                      "its %zu numbers cannot be read; the file is damaged", *count);
  }
  H5Dclose(set);
  return status;
}

static pk_status read_int(const reader *r, const char *field, int *out)
{
  void *values = NULL;
  size_t count = 0;
  pk_status status = read_dataset(r, field, true, &values, &count);
  if (status == PK_OK && count != 1) {
    status = pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field), "it has %zu numbers, expected one",
                      count);
  }
  *out = status == PK_OK && values != NULL ? *(int *)values : 0;
  free(values);
  return status;
}

/* `count` finite numbers. */
static pk_status read_vector(const reader *r, const char *field, int count, double **out)
{
  size_t found = 0;
  void *values = NULL;
  pk_status status = read_dataset(r, field, false, &values, &found);
  *out = values;
  if (status == PK_OK && found != (size_t)count) {
    status = pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field), "it has %zu numbers, expected %d",
                      found, count);
  }
  for (size_t i = 0; i < found && status == PK_OK; i++) {
    if (!isfinite((*out)[i])) {
      status = pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field),
                        "number %zu is %g, expected a finite number", i, (*out)[i]);
    }
  }
  return status;
}

/* The parts of a matrix as they are stored. */
typedef struct stored {
  int m, n, nz;
  int *p, *i;
  double *x;
  size_t np, ni, nx;
} stored;

static void stored_free(stored *s)
{
  free(s->p);
  free(s->i);
  free(s->x);
}

static pk_status read_stored(const reader *r, const char *group, stored *s)
{
  pk_status status = read_int(r, join_names(group, "m").text, &s->m);
  status = status == PK_OK ? read_int(r, join_names(group, "n").text, &s->n) : status;
  status = status == PK_OK ? read_int(r, join_names(group, "nz").text, &s->nz) : status;
  void *p = NULL, *i = NULL, *x = NULL;
  status = status == PK_OK ? read_dataset(r, join_names(group, "p").text, true, &p, &s->np) : status;
  status = status == PK_OK ? read_dataset(r, join_names(group, "i").text, true, &i, &s->ni) : status;
  status = status == PK_OK ? read_dataset(r, join_names(group, "x").text, false, &x, &s->nx) : status;
  s->p = p, s->i = i, s->x = x;
  if (status == PK_OK && (s->m < 0 || s->m > MAX_NUMBERS || s->n < 0 || s->n > MAX_NUMBERS || s->nz < -2)) {
    status = pki_fail(
        r->err, PK_ERROR_SYNTAX, field_location(r, group),
        "m = %d, n = %d, nz = %d; expected sizes of 0 to %d, and nz = -2 (rows), -1 (columns) or 0 or more "
        "(entries)",
        s->m, s->n, s->nz, (int)MAX_NUMBERS);
  }
  return status;
}

/* How many entries there are; their arrays are long enough, p ascends from 0. */
static pk_status count_entries(const reader *r, const char *group, const stored *s, size_t *count)
{
  *count = s->nz >= 0 ? (size_t)s->nz : 0;
  if (s->nz < 0) {
    const size_t lines = (size_t)(s->nz == -1 ? s->n : s->m);
    if (s->np != lines + 1) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, join_names(group, "p").text),
                      "it has %zu numbers, expected %zu", s->np, lines + 1);
    }
    for (size_t l = 0; l <= lines; l++) {
      if (s->p[l] < (l > 0 ? s->p[l - 1] : 0) || (l == 0 && s->p[0] != 0)) {
        return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, join_names(group, "p").text),
                        "number %zu is %d; expected numbers that begin at 0 and never fall", l, s->p[l]);
      }
    }
    *count = (size_t)s->p[lines];
  }
  const struct {
    const char *part;
    size_t have;
  } arrays[] = {{"p", s->nz >= 0 ? s->np : *count}, {"i", s->ni}, {"x", s->nx}};
  for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
    if (arrays[a].have < *count) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, join_names(group, arrays[a].part).text),
                      "it has %zu numbers, but the matrix has %zu entries", arrays[a].have, *count);
    }
  }
  return PK_OK;
}

static pk_status check_entries(const reader *r, const char *group, const pki_triplets *t)
{
  for (size_t e = 0; e < t->count; e++) {
    if (t->row[e] < 0 || t->row[e] >= t->nrow || t->col[e] < 0 || t->col[e] >= t->ncol) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, group),
                      "entry %zu is at row %d, column %d; the matrix is %d by %d", e, t->row[e], t->col[e],
                      t->nrow, t->ncol);
    }
    if (!isfinite(t->value[e])) {
      return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, join_names(group, "x").text),
                      "number %zu is %g, expected a finite number", e, t->value[e]);
    }
  }
  return PK_OK;
}

static void fill_entries(const stored *s, pki_triplets *t)
{
  int line = 0;
  for (size_t e = 0; e < t->count; e++) {
    while (s->nz < 0 && (size_t)s->p[line + 1] <= e) {
      line++;
    }
    const int other = s->nz >= 0 ? s->p[e] : line;
    t->row[e] = s->nz == -2 ? other : s->i[e];
    t->col[e] = s->nz == -2 ? s->i[e] : other;
    t->value[e] = s->x[e];
  }
}

static pk_status read_matrix(const reader *r, const char *group, pki_triplets *out)
{
  stored s = {0};
  size_t count = 0;
  pk_status status = read_stored(r, group, &s);
  status = status == PK_OK ? count_entries(r, group, &s, &count) : status;
  if (status == PK_OK && !pki_triplets_create(out, s.m, s.n, count)) {
    status = fail_memory(r, group);
  }
  if (status == PK_OK) {
    fill_entries(&s, out);
    status = check_entries(r, group, out);
  }
  stored_free(&s);
  return status;
}

static pk_status check_shape(const reader *r, const char *group, const pki_triplets *t, int nrow, int ncol)
{
  return t->nrow == nrow && t->ncol == ncol
             ? PK_OK
             : pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, group),
                        "it is %d by %d, expected %d by %d", t->nrow, t->ncol, nrow, ncol);
}

/* Dimension 2 or 3, and rows that are a multiple of it. */
static pk_status check_dimension(const reader *r, const char *field, int rows, pki_contact_draft *out)
{
  int dim = 0;
  const pk_status status = read_int(r, field, &dim);
  if (status != PK_OK) {
    return status;
  }
  if (dim != 2 && dim != 3) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field),
                    "the contacts have dimension %d; expected 2 or 3", dim);
  }
  if (rows % dim != 0) {
    return pki_fail(r->err, PK_ERROR_SYNTAX, field_location(r, field),
                    "there are %d rows of contacts, expected a multiple of %d", rows, dim);
  }
  out->dimension = dim;
  out->ncontact = rows / dim;
  return PK_OK;
}

/* ---- fclib_local ---- */

/* Put a block into W, moved to (row, col), or its transpose. */
static void place_block(const pki_triplets *block, int row, int col, bool transposed, pki_triplets *W)
{
  for (size_t e = 0; e < block->count; e++) {
    W->row[W->count] = row + (transposed ? block->col[e] : block->row[e]);
    W->col[W->count] = col + (transposed ? block->row[e] : block->col[e]);
    W->value[W->count++] = block->value[e];
  }
}

/* The blocks beside W: V and R, and V' where it is not that to the bit. */
enum { V, R, VT, BLOCKS };

/* [W V; V' R] and [q s]; false when there is no memory. */
static bool join_blocks(const pki_triplets *blocks, const double *s, pki_contact_draft *out)
{
  const int n = out->W.nrow, nb = blocks[R].nrow;
  const bool own = blocks[VT].row != NULL;
  const pki_triplets *lower = own ? &blocks[VT] : &blocks[V];
  double *q = realloc(out->q, ((size_t)n + (size_t)nb + 1) * sizeof *q);
  if (q == NULL) {
    return false;
  }
  out->q = q;
  memcpy(q + n, s, (size_t)nb * sizeof *s);
  pki_triplets all;
  const size_t count = out->W.count + blocks[R].count + blocks[V].count + lower->count;
  if (!pki_triplets_create(&all, n + nb, n + nb, count)) {
    pki_triplets_free(&all);
    return false;
  }
  all.count = 0;
  place_block(&out->W, 0, 0, false, &all);
  place_block(&blocks[V], 0, n, false, &all);
  place_block(lower, n, 0, !own, &all);
  place_block(&blocks[R], n, n, false, &all);
  pki_triplets_free(&out->W);
  out->W = all;
  out->nbilateral = nb;
  return true;
}

static pk_status read_bilateral(const reader *r, pki_contact_draft *out)
{
  static const char *const groups[BLOCKS] = {"fclib_local/V", "fclib_local/R", "fclib_local/VT"};
  pki_triplets blocks[BLOCKS] = {{0}};
  const bool has_VT = is_there(r, groups[VT]);
  pk_status status = PK_OK;
  for (int b = 0; b < BLOCKS && status == PK_OK; b++) {
    status = b != VT || has_VT ? read_matrix(r, groups[b], &blocks[b]) : PK_OK;
  }
  const int n = out->W.nrow, nb = blocks[R].nrow;
  status = status == PK_OK ? check_shape(r, groups[R], &blocks[R], nb, nb) : status;
  status = status == PK_OK ? check_shape(r, groups[V], &blocks[V], n, nb) : status;
  status = status == PK_OK && has_VT ? check_shape(r, groups[VT], &blocks[VT], nb, n) : status;
  double *s = NULL;
  status = status == PK_OK ? read_vector(r, "fclib_local/vectors/s", nb, &s) : status;
  if (status == PK_OK && !join_blocks(blocks, s, out)) {
    status = fail_memory(r, "fclib_local");
  }
  free(s);
  for (int b = 0; b < BLOCKS; b++) {
    pki_triplets_free(&blocks[b]);
  }
  return status;
}

static pk_status read_local(const reader *r, pki_contact_draft *out)
{
  pk_status status = read_matrix(r, "fclib_local/W", &out->W);
  const int n = out->W.nrow;
  status = status == PK_OK ? check_shape(r, "fclib_local/W", &out->W, n, n) : status;
  status = status == PK_OK ? check_dimension(r, "fclib_local/spacedim", n, out) : status;
  status = status == PK_OK ? read_vector(r, "fclib_local/vectors/q", n, &out->q) : status;
  status = status == PK_OK ? read_vector(r, "fclib_local/vectors/mu", out->ncontact, &out->mu) : status;
  if (status == PK_OK && (is_there(r, "fclib_local/V") || is_there(r, "fclib_local/R"))) {
    status = read_bilateral(r, out);
  }
  return status;
}

/* ---- fclib_global ---- */

static pk_status read_bodies(const reader *r, pki_contact_global *g, pki_contact_draft *out)
{
  pk_status status = read_matrix(r, "fclib_global/M", &g->M);
  const int nv = g->M.nrow;
  status = status == PK_OK ? check_shape(r, "fclib_global/M", &g->M, nv, nv) : status;
  status = status == PK_OK ? read_vector(r, "fclib_global/vectors/f", nv, &g->f) : status;
  status = status == PK_OK ? read_matrix(r, "fclib_global/H", &g->H) : status;
  status = status == PK_OK ? check_shape(r, "fclib_global/H", &g->H, nv, g->H.ncol) : status;
  status = status == PK_OK ? read_vector(r, "fclib_global/vectors/w", g->H.ncol, &g->w) : status;
  status = status == PK_OK ? check_dimension(r, "fclib_global/spacedim", g->H.ncol, out) : status;
  status = status == PK_OK ? read_vector(r, "fclib_global/vectors/mu", out->ncontact, &out->mu) : status;
  if (status == PK_OK && is_there(r, "fclib_global/G")) {
    status = read_matrix(r, "fclib_global/G", &g->G);
    status = status == PK_OK ? check_shape(r, "fclib_global/G", &g->G, nv, g->G.ncol) : status;
    status = status == PK_OK ? read_vector(r, "fclib_global/vectors/b", g->G.ncol, &g->b) : status;
    out->nbilateral = g->G.ncol;
  }
  return status;
}

static pk_status read_global(const reader *r, pki_contact_draft *out)
{
  pki_contact_global g = {0};
  pk_status status = read_bodies(r, &g, out);
  status = status == PK_OK ? pki_contact_condense(&g, r->path, out, r->err) : status;
  pki_triplets_free(&g.M);
  pki_triplets_free(&g.H);
  pki_triplets_free(&g.G);
  free(g.f);
  free(g.w);
  free(g.b);
  return status;
}

pk_status pki_contact_read_fclib(const char *path, size_t bytes, pki_contact_draft *out, pk_error *err)
{
  const pki_hdf5_silence s = pki_hdf5_silence_begin();
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const reader r = {.file = file, .path = path, .bytes = bytes, .err = err};
  pk_status status;
  if (file < 0) {
    status = pki_fail(err, PK_ERROR_SYNTAX, field_location(&r, ""), "this is no HDF5 file, or it is damaged");
  } else if (is_there(&r, "fclib_local")) {
    status = read_local(&r, out);
  } else if (is_there(&r, "fclib_global")) {
    status = read_global(&r, out);
  } else {
    status = pki_fail(err, PK_ERROR_SYNTAX, field_location(&r, ""),
                      "there is no contact problem in it; expected a group fclib_local or fclib_global");
  }
  if (file >= 0) {
    H5Fclose(file);
  }
  pki_hdf5_silence_end(s);
  return status;
}

#endif
