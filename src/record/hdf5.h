/* Putting things into HDF5 files: what exports of recordings and tables of sweeps share. No file holds the time of day, so
 * that the same content gives the same bytes. */
#ifndef PKI_RECORD_HDF5_H
#define PKI_RECORD_HDF5_H

#include "base/hdf5_file.h"

#ifdef PKI_HAVE_HDF5

/* Texts of any length, UTF-8; close it. */
hid_t pki_hdf5_text_type(void);

/* An attribute of `count` texts, or of one alone (count < 0). */
bool pki_hdf5_put_texts(hid_t object, const char *name, const char *const *texts, int count);
bool pki_hdf5_put_text(hid_t object, const char *name, const char *text);

/* An attribute that is one number. */
bool pki_hdf5_put_number(hid_t object, const char *name, hid_t type, const void *value);

/* The groups on the way to a name, each once; `name` itself is made when it ends with a slash. */
bool pki_hdf5_make_groups(hid_t place, const char *name);

/* A data set, compressed where that is built in; -1: it failed. Close it. */
hid_t pki_hdf5_put_data(hid_t place, const char *name, hid_t type, int rank, const hsize_t *size,
                        const void *values);

#endif
#endif
