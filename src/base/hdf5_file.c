#include "base/hdf5_file.h"

#ifdef PKI_HAVE_HDF5

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"

enum { GROWTH = 1 << 20 }; /* bytes by which a file in memory grows */

/* ---- the memory of a file ---- */

/* libhdf5 tells what it does with the memory of a file. When the file is closed, and so finished, the memory is not
 * freed but kept here. */
struct pki_hdf5 {
  hid_t file;
  unsigned char *image; /* once the file is closed */
};

static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *user)
{
  (void)op, (void)user;
  return malloc(size);
}

static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *user)
{
  (void)op, (void)user;
  return memcpy(to, from, size);
}

static void *image_realloc(void *image, size_t size, H5FD_file_image_op_t op, void *user)
{
  (void)op, (void)user;
  return realloc(image, size);
}

static herr_t image_free(void *image, H5FD_file_image_op_t op, void *user)
{
  if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
    ((pki_hdf5 *)user)->image = image;
  } else {
    free(image);
  }
  return 0;
}

/* Property lists share the one object. */
static void *user_copy(void *user)
{
  return user;
}

static herr_t user_free(void *user)
{
  (void)user;
  return 0;
}

/* ---- files ---- */

pki_hdf5 *pki_hdf5_create(bool modern)
{
  pki_hdf5 *h = calloc(1, sizeof *h);
  if (h == NULL) {
    return NULL;
  }
  H5FD_file_image_callbacks_t memory = {image_malloc, image_copy, image_realloc, image_free, user_copy,
                                        user_free,    h};
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), made = H5Pcreate(H5P_FILE_CREATE);
  bool good = H5Pset_fapl_core(access, GROWTH, 0) >= 0 && H5Pset_file_image_callbacks(access, &memory) >= 0;
  if (modern) {
    good = good && H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0 &&
           H5Pset_obj_track_times(made, 0) >= 0;
  }
  /* there is no file behind it: the name only tells open files apart, and no two objects have one address */
  char name[64];
  snprintf(name, sizeof name, "pronk-%p.h5", (void *)h);
  h->file = good ? H5Fcreate(name, H5F_ACC_TRUNC, made, access) : H5I_INVALID_HID;
  H5Pclose(made);
  H5Pclose(access);
  if (h->file < 0) {
    free(h);
    return NULL;
  }
  return h;
}

hid_t pki_hdf5_file(const pki_hdf5 *h)
{
  return h->file;
}

/* How much of the memory is the file: its superblock tells, in a place that depends on the superblock's version. */
static size_t image_size(const unsigned char *image)
{
  return (size_t)pki_take_bytes(image + (image[8] < 2 ? 40 : 28), 8);
}

/* Close the file and write what it was; 0 or an errno. */
static int write_file(pki_hdf5 *h, bool good, int fd)
{
  const bool closed = H5Fclose(h->file) >= 0;
  int why = closed && good && h->image != NULL ? 0 : ENOMEM;
  if (why == 0 && !pki_write_all(fd, h->image, image_size(h->image))) {
    why = errno;
  }
  /* what libhdf5 could not close it may still use */
  if (closed) {
    free(h->image);
    free(h);
  }
  return why;
}

pk_status pki_hdf5_finish(pki_hdf5 *h, bool good, pki_draft *draft, pk_error *err)
{
  /* nothing but memory can be missing before it is written */
  const int why = h != NULL ? write_file(h, good, draft->fd) : ENOMEM;
  if (why == ENOMEM) {
    pki_draft_drop(draft);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = draft->path},
                    "not enough memory: an HDF5 file is put together in memory before it is written");
  }
  return why == 0 ? pki_draft_keep(draft, err) : pki_draft_fail(draft, why, err);
}

#endif
