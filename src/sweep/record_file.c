#define _GNU_SOURCE /* flock beside C17 */
#include "sweep/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

static pk_status fail_file(const char *path, const char *what, int why, pk_error *err)
{
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "%s: %s", what, strerror(why));
}

static off_t place_of(const pki_record_file *f, long long record)
{
  return (off_t)f->head_size + (off_t)record * (off_t)f->each;
}

/* Go on behind the last whole record. */
static pk_status truncate_file(pki_record_file *f, off_t size, pk_error *err)
{
  return ftruncate(f->fd, size) == 0 && lseek(f->fd, size, SEEK_SET) == size
             ? PK_OK
             : fail_file(f->path, "cannot be cut to size", errno, err);
}

static pk_status begin_file(pki_record_file *f, const pki_record_opening *o, pk_error *err)
{
  const pk_status status = truncate_file(f, 0, err);
  return status != PK_OK ? status
         : pki_write_all(f->fd, o->head, o->head_size) && fsync(f->fd) == 0
             ? PK_OK
             : fail_file(f->path, "cannot be written", errno, err);
}

/* Show the owner all whole records. */
static pk_status read_records(pki_record_file *f, const pki_record_opening *o, off_t size, pk_error *err)
{
  enum { AT_ONCE = 256 };
  const long long whole = (long long)((size - (off_t)f->head_size) / (off_t)f->each);
  unsigned char *bytes = malloc(AT_ONCE * f->each);
  if (bytes == NULL || whole > INT32_MAX - 1) {
    free(bytes);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = f->path}, "out of memory for %lld records",
                    whole);
  }
  pk_status status = PK_OK;
  for (long long i = 0; i < whole && status == PK_OK; i += AT_ONCE) {
    const size_t n = whole - i < AT_ONCE ? (size_t)(whole - i) : AT_ONCE;
    if (pread(f->fd, bytes, n * f->each, place_of(f, i)) != (ssize_t)(n * f->each)) {
      status = fail_file(f->path, "cannot be read", errno, err);
    }
    for (size_t k = 0; k < n && status == PK_OK; k++) {
      status = o->found(o->user, i + (long long)k, bytes + k * f->each, err);
    }
  }
  f->records = whole;
  free(bytes);
  return status;
}

/* What is in a file that was there. */
static pk_status read_existing_file(pki_record_file *f, const pki_record_opening *o, off_t size,
                                    pk_error *err)
{
  const size_t known = (size_t)size < o->head_size ? (size_t)size : o->head_size;
  unsigned char *bytes = calloc(1, o->head_size);
  pk_status status = PK_OK;
  if (bytes == NULL) {
    return pki_fail_memory(err, "a file's head");
  }
  if (pread(f->fd, bytes, known, 0) != (ssize_t)known) {
    status = fail_file(f->path, "cannot be read", errno, err);
  } else if (known < o->head_size &&
             memcmp(bytes, o->head, known < PKI_RECORD_MAGIC ? known : PKI_RECORD_MAGIC) == 0) {
    status = begin_file(f, o, err); /* killed while the head was written: there are no records */
  } else {
    status = o->fits(o->user, bytes, f->path, err);
    status = status == PK_OK ? read_records(f, o, size, err) : status;
    status = status == PK_OK ? truncate_file(f, place_of(f, f->records), err) : status;
  }
  free(bytes);
  return status;
}

/* Some network file systems have no locks: there the user sees to it that one process is at work. */
static pk_status lock_file(pki_record_file *f, pk_error *err)
{
  if (flock(f->fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK) {
    return PK_OK;
  }
  if (errno == EWOULDBLOCK) {
    return pki_fail(
        err, PK_ERROR_FILE, (pki_where){.file = f->path},
        "another process is at work in this folder: wait for it, end it, or give another --output");
  }
  return fail_file(f->path, "cannot be locked", errno, err);
}

pk_status pki_record_file_open(const char *path, const pki_record_opening *opening, pki_record_file *out,
                               pk_error *err)
{
  const pki_record_opening *o = opening;
  *out = (pki_record_file){
      .fd = -1, .noun = o->noun, .head_size = o->head_size, .each = o->each, .flushed = pki_clock()};
  if (snprintf(out->path, sizeof out->path, "%s", path) >= PKI_PATH_MAX) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "the path is too long");
  }
  out->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct stat info;
  pk_status status = out->fd >= 0 ? lock_file(out, err) : fail_file(path, "cannot be opened", errno, err);
  if (status == PK_OK && (fstat(out->fd, &info) != 0 || !S_ISREG(info.st_mode))) {
    status = pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "is no regular file");
  }
  if (status == PK_OK) {
    status = o->again || info.st_size == 0 ? begin_file(out, o, err)
                                           : read_existing_file(out, o, info.st_size, err);
  }
  if (status != PK_OK) {
    pki_record_file_close(out);
  }
  return status;
}

void pki_record_file_close(pki_record_file *file)
{
  if (file->fd >= 0) {
    close(file->fd);
  }
  file->fd = -1;
}

pk_status pki_record_file_add(pki_record_file *file, const unsigned char *bytes, pk_error *err)
{
  if (!pki_write_all(file->fd, bytes, file->each)) {
    const int why = errno;
    pk_error ignored;
    char what[80];
    /* what was written of it would be in the way */
    (void)truncate_file(file, place_of(file, file->records), &ignored);
    snprintf(what, sizeof what, "%s cannot be written", file->noun);
    return fail_file(file->path, what, why, err);
  }
  file->records++;
  file->dirty = true;
  return PK_OK;
}

pk_status pki_record_file_flush(pki_record_file *file, bool now, pk_error *err)
{
  const double time = pki_clock();
  if (!file->dirty || (!now && time - file->flushed < 1)) {
    return PK_OK;
  }
  file->flushed = time;
  file->dirty = false;
  return fsync(file->fd) == 0 ? PK_OK : fail_file(file->path, "cannot be flushed", errno, err);
}

bool pki_record_file_get(const pki_record_file *file, long long record, unsigned char *out)
{
  return record >= 0 && record < file->records &&
         pread(file->fd, out, file->each, place_of(file, record)) == (ssize_t)file->each;
}
