#define _XOPEN_SOURCE 700 /* nftw */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pki_is_file(const char *path)
{
  struct stat info;
  return path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool pki_is_folder(const char *path)
{
  struct stat info;
  return path != NULL && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* 0, or what is wrong with an open file. */
static int check_open(int fd, size_t most, size_t *size)
{
  struct stat info;
  if (fstat(fd, &info) != 0) {
    return errno;
  }
  if (!S_ISREG(info.st_mode)) {
    return S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
  }
  if ((uintmax_t)info.st_size > SIZE_MAX - 1) {
    return EFBIG;
  }
  *size = (size_t)info.st_size;
  return *size > most ? EFBIG : 0;
}

/* 0, or why not all of it came. */
static int read_bytes(int fd, char *data, size_t size)
{
  for (size_t done = 0; done < size;) {
    const ssize_t n = read(fd, data + done, size - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return n < 0 ? errno : EIO; /* it became shorter meanwhile */
    }
    done += (size_t)n;
  }
  data[size] = '\0';
  return 0;
}

char *pki_file_read(const char *path, size_t most, size_t *size)
{
  *size = 0;
  /* O_NONBLOCK: opening a pipe must not wait for someone to write to it */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return NULL;
  }
  int cause = check_open(fd, most, size);
  char *data = cause == 0 ? malloc(*size + 1) : NULL;
  if (cause == 0) {
    cause = data != NULL ? read_bytes(fd, data, *size) : ENOMEM;
  }
  close(fd);
  if (cause != 0) {
    free(data);
    data = NULL;
    errno = cause;
  }
  return data;
}

const char *pki_read_cause(int cause, const char *if_folder)
{
  switch (cause) {
  case ENOENT: return "cannot read the file: there is no such file";
  case EISDIR: return if_folder;
  case ESPIPE: return "cannot read the file: it is a device or a pipe";
  case EACCES: return "cannot read the file: no permission";
  default: return "cannot read the file: reading failed";
  }
}

bool pki_write_all(int fd, const void *data, size_t size)
{
  const char *at = data;
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(fd, at + done, size - done);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      errno = n < 0 ? errno : EIO; /* a file that takes nothing never will */
      return false;
    }
    done += (size_t)n;
  }
  return true;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
  (void)info, (void)kind, (void)where;
  return remove(path);
}

bool pki_folder_remove(const char *path)
{
  return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT;
}

void pki_file_stem(const char *path, char *out, size_t size)
{
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  const size_t whole = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
  const size_t length = whole < size ? whole : size - 1;
  memcpy(out, name, length);
  out[length] = '\0';
}

bool pki_ends_with(const char *name, const char *ending)
{
  const size_t n = strlen(name), m = strlen(ending);
  return n > m && strcmp(name + n - m, ending) == 0;
}
