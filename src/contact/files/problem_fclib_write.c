/* Contact problems in FCLIB's layout (problem_fclib.c tells it), as local problems by compressed rows. */
#include "contact/files/problem_file.h"

#include <stdlib.h>

#include "base/hdf5_file.h"
#include "contact/problem/problem.h"

#ifndef PKI_HAVE_HDF5

pk_status pki_contact_write_fclib(const pk_contact_problem *p, const char *path, pk_error *err)
{
  (void)p;
  return pki_contact_fail_no_hdf5(path, err);
}

#else

/* Part of W: rows and columns from, to. */
typedef struct block {
  int row, row_end, col, col_end;
} block;

static bool put_dataset(hid_t group, const char *field, hid_t type, const void *values, size_t count)
{
  const hsize_t size = count;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t set = H5Dcreate2(group, field, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool good =
      set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  if (set >= 0) {
    H5Dclose(set);
  }
  H5Sclose(space);
  return good;
}

static bool put_int(hid_t group, const char *field, int value)
{
  return put_dataset(group, field, H5T_NATIVE_INT, &value, 1);
}

/* A block of W by rows; p [rows+1], i and x as long as its entries. Returns how many. */
static int cut_block(const pk_contact_problem *p, block b, int *first, int *i, double *x)
{
  const int n = pk_contact_size(p);
  int count = 0;
  for (int row = b.row; row < b.row_end; row++) {
    first[row - b.row] = count;
    const size_t from = p->W_col ? (size_t)p->W_row[row] : (size_t)row * (size_t)n;
    const size_t to = p->W_col ? (size_t)p->W_row[row + 1] : from + (size_t)n;
    for (size_t e = from; e < to; e++) {
      const int col = p->W_col ? p->W_col[e] : (int)(e - from);
      if (col >= b.col && col < b.col_end) {
        i[count] = col - b.col;
        x[count++] = p->W[e];
      }
    }
  }
  first[b.row_end - b.row] = count;
  return count;
}

static bool put_block(hid_t parent, const char *field, const pk_contact_problem *p, block b)
{
  const int n = pk_contact_size(p), rows = b.row_end - b.row;
  const size_t most = p->W_col ? (size_t)p->W_row[n] : (size_t)n * (size_t)n;
  int *first = calloc((size_t)rows + 1, sizeof *first), *i = calloc(most + 1, sizeof *i);
  double *x = calloc(most + 1, sizeof *x);
  const hid_t group = H5Gcreate2(parent, field, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = first && i && x && group >= 0;
  if (good) {
    const int count = cut_block(p, b, first, i, x);
    good = put_int(group, "nzmax", count) && put_int(group, "m", rows) &&
           put_int(group, "n", b.col_end - b.col) && put_int(group, "nz", -2) &&
           put_dataset(group, "p", H5T_NATIVE_INT, first, (size_t)rows + 1) &&
           put_dataset(group, "i", H5T_NATIVE_INT, i, (size_t)count) &&
           put_dataset(group, "x", H5T_NATIVE_DOUBLE, x, (size_t)count);
  }
  if (group >= 0) {
    H5Gclose(group);
  }
  free(first);
  free(i);
  free(x);
  return good;
}

/* Is the coupling of contacts with bilateral rows the same both ways, to the bit? */
static bool is_mutual(const pk_contact_problem *p)
{
  const int nc = 3 * p->ncontact;
  for (int i = 0; i < nc; i++) {
    for (int j = nc; j < nc + p->nbilateral; j++) {
      if (pki_entry(p, i, j) != pki_entry(p, j, i)) {
        return false;
      }
    }
  }
  return true;
}

static bool put_problem(hid_t file, const pk_contact_problem *p)
{
  const int nc = 3 * p->ncontact, nb = p->nbilateral;
  const hid_t local = H5Gcreate2(file, "fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t vectors = H5Gcreate2(file, "fclib_local/vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = local >= 0 && vectors >= 0 && put_int(local, "spacedim", 3) &&
              put_block(local, "W", p, (block){0, nc, 0, nc}) &&
              put_dataset(vectors, "q", H5T_NATIVE_DOUBLE, p->q, (size_t)nc) &&
              put_dataset(vectors, "mu", H5T_NATIVE_DOUBLE, p->mu, (size_t)p->ncontact);
  if (good && nb > 0) {
    good = put_block(local, "V", p, (block){0, nc, nc, nc + nb}) &&
           put_block(local, "R", p, (block){nc, nc + nb, nc, nc + nb}) &&
           (is_mutual(p) || put_block(local, "VT", p, (block){nc, nc + nb, 0, nc})) &&
           put_dataset(vectors, "s", H5T_NATIVE_DOUBLE, p->q + nc, (size_t)nb);
  }
  if (vectors >= 0) {
    H5Gclose(vectors);
  }
  if (local >= 0) {
    H5Gclose(local);
  }
  return good;
}

pk_status pki_contact_write_fclib(const pk_contact_problem *p, const char *path, pk_error *err)
{
  if (p->nbox > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                    "the problem has %d box rows, which FCLIB's layout lacks; save it as .fc", p->nbox);
  }
  pki_draft draft;
  pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  const pki_hdf5_silence s = pki_hdf5_silence_begin();
  pki_hdf5 *file = pki_hdf5_create(false);
  const bool good = file != NULL && put_problem(pki_hdf5_file(file), p);
  status = pki_hdf5_finish(file, good, &draft, err);
  pki_hdf5_silence_end(s);
  return status;
}

#endif
