#define _DEFAULT_SOURCE /* flock, realpath */
#include "base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { DRAFTS = 16 }; /* of one file at the same time */

/* ---- what may be written to ---- */

static const char *kind_of(mode_t mode)
{
  switch (mode & S_IFMT) {
  case S_IFDIR: return "a folder";
  case S_IFCHR:
  case S_IFBLK: return "a device";
  case S_IFIFO: return "a FIFO";
  case S_IFSOCK: return "a socket";
  default: return "no regular file";
  }
}

static pk_status refuse_write(const char *path, int why, pk_error *err)
{
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "cannot be written: %s", strerror(why));
}

/* The file behind a link. */
static pk_status follow_link(const char *path, char target[PKI_PATH_MAX], pk_error *err)
{
  char *whole = realpath(path, NULL);
  const size_t size = whole != NULL ? strlen(whole) + 1 : 0;
  const int why = whole != NULL ? ENAMETOOLONG : errno;
  if (whole != NULL && size <= PKI_PATH_MAX) {
    memcpy(target, whole, size);
  }
  free(whole);
  return size > 0 && size <= PKI_PATH_MAX ? PK_OK : refuse_write(path, why, err);
}

pk_status pki_target_find(const char *path, char target[PKI_PATH_MAX], pk_error *err)
{
  const pki_where where = {.file = path};
  struct stat own, behind;
  const size_t size = strlen(path) + 1;
  if (size > PKI_PATH_MAX) {
    return pki_fail(err, PK_ERROR_FILE, where, "the path is too long");
  }
  memcpy(target, path, size);
  if (lstat(path, &own) != 0) {
    return errno == ENOENT ? PK_OK : refuse_write(path, errno, err);
  }
  if (stat(path, &behind) != 0) {
    return pki_fail(err, PK_ERROR_FILE, where, "cannot be written: it is a link that leads nowhere: %s",
                    strerror(errno));
  }
  if (!S_ISREG(behind.st_mode)) {
    return pki_fail(err, PK_ERROR_FILE, where,
                    "cannot be written: it is %s, expected a regular file or a name that is free",
                    kind_of(behind.st_mode));
  }
  return S_ISLNK(own.st_mode) ? follow_link(path, target, err) : PK_OK;
}

/* ---- drafts ---- */

/* Does the name still lead to the open file? */
static bool is_named(int fd, const char *name)
{
  struct stat open_file, named;
  return fstat(fd, &open_file) == 0 && lstat(name, &named) == 0 && open_file.st_dev == named.st_dev &&
         open_file.st_ino == named.st_ino && S_ISREG(open_file.st_mode);
}

/* Remove a draft whose process has ended. Whoever holds the lock of a file and finds it under the name of a draft may
 * take the name away: a process at work would hold the lock itself. */
static void remove_abandoned(const char *name)
{
  /* O_NONBLOCK: never wait for the other end of a FIFO of that name */
  const int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, name)) {
    unlink(name);
  }
  if (fd >= 0) {
    close(fd);
  }
}

/* A new file with its lock; -1 with errno, EEXIST: the name is taken. */
static int create_locked(const char *name)
{
  for (int tries = 0;; tries++) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
      return -1;
    }
    /* a file system without locks keeps drafts of dead processes; writing works */
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    /* a file system whose numbers of files change is believed in the end */
    if (locked && (is_named(fd, name) || tries == 100)) {
      return fd;
    }
    /* another process took it for abandoned before it was locked: once more */
    close(fd);
  }
}

static void name_draft(pki_draft *draft, int number)
{
  snprintf(draft->name, sizeof draft->name, "%s.pronk-%d.tmp", draft->target, number);
}

pk_status pki_draft_begin(pki_draft *draft, const char *path, pk_error *err)
{
  *draft = (pki_draft){.path = path, .fd = -1};
  const pk_status status = pki_target_find(path, draft->target, err);
  if (status != PK_OK) {
    return status;
  }
  for (int number = 1; number <= DRAFTS; number++) {
    name_draft(draft, number);
    remove_abandoned(draft->name);
  }
  for (int number = 1; number <= DRAFTS && draft->fd < 0; number++) {
    name_draft(draft, number);
    draft->fd = create_locked(draft->name);
    if (draft->fd < 0 && errno != EEXIST) {
      return refuse_write(path, errno, err);
    }
  }
  return draft->fd >= 0
             ? PK_OK
             : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path},
                        "cannot be written: %d drafts of it, up to %s, are there; remove those that no "
                        "program is writing",
                        DRAFTS, draft->name);
}

pk_status pki_draft_keep(pki_draft *draft, pk_error *err)
{
  /* some file systems tell that the disk is full at a close; closing a copy keeps the lock until the file is in place */
  const int copy = dup(draft->fd);
  if (copy < 0 || close(copy) != 0 || rename(draft->name, draft->target) != 0) {
    return pki_draft_fail(draft, errno, err);
  }
  close(draft->fd);
  draft->fd = -1;
  return PK_OK;
}

void pki_draft_drop(pki_draft *draft)
{
  unlink(draft->name);
  close(draft->fd);
  draft->fd = -1;
}

pk_status pki_draft_fail(pki_draft *draft, int why, pk_error *err)
{
  pki_draft_drop(draft);
  return refuse_write(draft->path, why, err);
}

/* ---- whole files ---- */

pk_status pki_file_write(const char *path, const void *data, size_t size, pk_error *err)
{
  pki_draft draft;
  const pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  return pki_write_all(draft.fd, data, size) ? pki_draft_keep(&draft, err)
                                             : pki_draft_fail(&draft, errno, err);
}

pk_status pki_file_put_stream(const char *path, pki_file_put put, const void *what, pk_error *err)
{
  pki_draft draft;
  const pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  const int copy = dup(draft.fd);
  FILE *out = copy >= 0 ? fdopen(copy, "wb") : NULL;
  if (out == NULL) {
    const int why = errno;
    if (copy >= 0) {
      close(copy);
    }
    return pki_draft_fail(&draft, why, err);
  }
  errno = EIO; /* should a stream fail without a reason */
  bool good = put(out, what) && !ferror(out);
  int why = errno;
  if (fclose(out) != 0) {
    why = good ? errno : why;
    good = false;
  }
  return good ? pki_draft_keep(&draft, err) : pki_draft_fail(&draft, why, err);
}
