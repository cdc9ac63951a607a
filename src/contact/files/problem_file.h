/* What the readers and writers of contact problems share.
 *
 *   bytes ---> problem_text.c ----------------.
 *                                           >--> pki_contact_draft ---> embed.c ---> problem_file.c ---> pk_contact_file
 *   HDF5 ----> problem_fclib.c --> condense.c -'
 *
 * Memory is bounded by a multiple of the file's size: no reader believes a declared count before it
 * has seen that as many bytes are there. */
#ifndef PKI_CONTACT_FILES_PROBLEM_FILE_H
#define PKI_CONTACT_FILES_PROBLEM_FILE_H

#include "base/error.h"
#include "pronk/contact_file.h"

/* A sparse matrix as a list of entries in any order; those at the same place add up. */
typedef struct pki_triplets {
  int nrow, ncol;
  size_t count;
  int *row, *col; /* [count] from 0, inside the matrix */
  double *value;  /* [count] */
} pki_triplets;

/* Room for `count` entries; false when there is no memory. */
bool pki_triplets_create(pki_triplets *t, int nrow, int ncol, size_t count);
void pki_triplets_free(pki_triplets *t);

/* A problem as a file tells it, each array an allocation of its own. Start from {0}. */
typedef struct pki_contact_draft {
  int dimension; /* of the contacts: 3, or 2 until it is embedded */
  int ncontact, nbilateral, nbox;
  pki_triplets W;
  double *q;             /* [size] */
  double *mu;            /* [ncontact] */
  double *lower, *upper; /* [nbox] */
  double *solution;      /* [size], NULL: none */
} pki_contact_draft;

void pki_contact_draft_free(pki_contact_draft *draft);

/* A draft of dimension 2 becomes one of dimension 3 (embed.c); others stay. */
pk_status pki_contact_embed(const char *file, pki_contact_draft *draft, pk_error *err);

enum { PKI_CONTACT_MAX_BYTES = 1 << 30 };

/* Read text from memory; `file` is for messages. */
pk_status pki_contact_parse(const char *file, const char *data, size_t size, pk_contact_file **out,
                            pk_error *err);

/* Readers fill a draft, which the caller frees. */
pk_status pki_contact_read_text(const char *file, const char *data, size_t size, pki_contact_draft *out,
                                pk_error *err);
pk_status pki_contact_read_fclib(const char *path, size_t bytes, pki_contact_draft *out, pk_error *err);
pk_status pki_contact_write_text(const pk_contact_problem *p, const char *path, pk_error *err);
pk_status pki_contact_write_fclib(const pk_contact_problem *p, const char *path, pk_error *err);

/* The readers and writers of FCLIB files in builds without HDF5. */
static inline pk_status pki_contact_fail_no_hdf5(const char *path, pk_error *err)
{
  return pki_fail(
      err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
      "this pronk was built without HDF5; install libhdf5-dev (Debian) and build with PK_WITH_HDF5=ON, or "
      "use the text format .fc");
}

/* A problem with its bodies:
 *   M v = H r + G l + f,  u = H' v + w,  0 = G' v + b */
typedef struct pki_contact_global {
  pki_triplets M, H, G; /* [nv][nv], [nv][3 nc], [nv][nb] */
  double *f, *w, *b;    /* [nv], [3 nc], [nb] */
} pki_contact_global;

/* The same problem without bodies: out->W = J' inv(M) J and out->q = J' inv(M) f + (w, b), J = [H G].
 * Sets nothing else in `out`. */
pk_status pki_contact_condense(const pki_contact_global *global, const char *file, pki_contact_draft *out,
                               pk_error *err);

/* Order the entries of a list by `key` (each 0 .. nkey-1), ties in their order; `start` [nkey+1] gets
 * where each key begins, `order` [count] the entries. `from` is an order to begin with, NULL: as they are. */
void pki_sort_by_key(const int *key, size_t count, int nkey, const size_t *from, size_t *start,
                     size_t *order);

#endif
