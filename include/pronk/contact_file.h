/* Contact problems in files. The kind follows from the ending of the file's name:
 *
 *   .fc           text, readable by eye
 *   .hdf5, .h5    FCLIB's layout, the collections of the field; needs a build with HDF5
 *
 * docs/formats/contact.md describes both.
 *
 * Threads: functions on .fc files may run at the same time, and a file that was loaded may be read by several
 * threads. HDF5 itself may be used by one thread at a time in the whole program, so .hdf5 and .h5 files are
 * loaded and saved by one thread at a time. */
#ifndef PRONK_CONTACT_FILE_H
#define PRONK_CONTACT_FILE_H

#include "contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A problem and the memory that it lives in. */
typedef struct pk_contact_file pk_contact_file;

/* Read and validate a problem. FCLIB's global problems are condensed to contact level. Problems in the plane
 * (dimension 2: a normal and one tangent) are embedded: each contact gets a second tangent that nothing is coupled
 * with, so that its impulse and velocity are zero in every solution. */
PK_API pk_status pk_contact_load(const char *path, pk_contact_file **out, pk_error *err);

/* NULL is fine. */
PK_API void pk_contact_file_destroy(pk_contact_file *file);

/* The problem, alive as long as the file is. */
PK_API const pk_contact_problem *pk_contact_file_problem(const pk_contact_file *file);

/* Of the contacts as the file has them: 3, or 2 for a problem in the plane. */
PK_API int pk_contact_file_dimension(const pk_contact_file *file);

/* [size] impulses stored with the problem, N s; NULL when there are none (always in FCLIB's layout). */
PK_API const double *pk_contact_file_solution(const pk_contact_file *file);

/* Write to a temporary name beside `path`, then rename: a reader sees all or nothing. Numbers are
 * read back as they were, to the bit. FCLIB's layout has no box rows. */
PK_API pk_status pk_contact_save(const pk_contact_problem *problem, const char *path, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
