/* What the reader and the writer of HDF5 files share. */
#ifndef PKI_CONTACT_FILES_PROBLEM_HDF5_H
#define PKI_CONTACT_FILES_PROBLEM_HDF5_H

#include "contact/files/problem_file.h"

#ifdef PKI_HAVE_HDF5

#include <hdf5.h>

/* HDF5 prints its errors unless told not to, for the whole process: switched off and back on. */
typedef struct silence {
  H5E_auto2_t print;
  void *data;
} silence;

static inline silence silence_begin(void)
{
  silence s = {0};
  H5Eget_auto2(H5E_DEFAULT, &s.print, &s.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return s;
}

static inline void silence_end(silence s)
{
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, s.print, s.data);
}

#else

static inline pk_status pki_fail_no_hdf5(const char *path, pk_error *err)
{
  return pki_fail(
      err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
      "this pronk was built without HDF5; install libhdf5-dev (Debian) and build with PK_WITH_HDF5=ON, or "
      "use the text format .fc");
}

#endif
#endif
