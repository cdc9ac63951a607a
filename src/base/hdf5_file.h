/* What readers and writers of HDF5 files share.
 *
 * Files are put together in memory and then written like any other file. libhdf5 keeps a file that it cannot finish, on
 * a disk that is full, open until the program ends, and then fails for good; a file in memory it can always close. */
#ifndef PKI_BASE_HDF5_FILE_H
#define PKI_BASE_HDF5_FILE_H

#ifdef PKI_HAVE_HDF5

#include <stdbool.h>

#include <hdf5.h>

#include "base/draft.h"

/* A new file in memory; NULL: it failed. `modern`: in the format of HDF5 1.8, whose attributes may be long, and without
 * the time of day; else as every HDF5 reads it. */
typedef struct pki_hdf5 pki_hdf5;
pki_hdf5 *pki_hdf5_create(bool modern);
hid_t pki_hdf5_file(const pki_hdf5 *h);

/* Close and free it; if it is `good` it becomes the draft's file, else the draft is dropped. NULL is a file that could not
 * be made. */
pk_status pki_hdf5_finish(pki_hdf5 *h, bool good, pki_draft *draft, pk_error *err);

/* HDF5 prints its errors unless told not to, for the whole process: switched off and back on. */
typedef struct pki_hdf5_silence {
  H5E_auto2_t print;
  void *data;
} pki_hdf5_silence;

static inline pki_hdf5_silence pki_hdf5_silence_begin(void)
{
  pki_hdf5_silence s = {0};
  H5Eget_auto2(H5E_DEFAULT, &s.print, &s.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return s;
}

static inline void pki_hdf5_silence_end(pki_hdf5_silence s)
{
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, s.print, s.data);
}

#endif
#endif
