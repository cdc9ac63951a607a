#define _GNU_SOURCE
#include "symbolic/code/code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "pronk/code.h"

enum { KEY = 64, LARGEST = 256 << 20 };

/* ---- the folder ---- */

static const char *environment_variable(const char *name)
{
  const char *value = getenv(name);
  return value != NULL && *value != '\0' ? value : NULL;
}

static bool choose_path(const char *path, char out[PKI_PATH_MAX])
{
  char caches[PKI_PATH_MAX];
  const char *chosen = path != NULL ? path : environment_variable("PRONK_CACHE");
  if (chosen != NULL) {
    return snprintf(out, PKI_PATH_MAX, "%s", chosen) < PKI_PATH_MAX;
  }
  if (environment_variable("XDG_CACHE_HOME") != NULL) {
    return pki_path_join(out, environment_variable("XDG_CACHE_HOME"), "pronk");
  }
  return environment_variable("HOME") != NULL &&
         pki_path_join(caches, environment_variable("HOME"), ".cache") && pki_path_join(out, caches, "pronk");
}

/* The folder and those above it, itself for nobody else. */
static pk_status make_folder(const char *path, pk_error *err)
{
  char above[PKI_PATH_MAX];
  snprintf(above, sizeof above, "%s", path);
  char *slash = strrchr(above, '/');
  if (slash != NULL && slash != above) {
    *slash = '\0';
    const pk_status status = pki_folder_create(above, err);
    if (status != PK_OK) {
      return status;
    }
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST
             ? PK_OK
             : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "cannot create the cache folder: %s",
                        strerror(errno));
}

pk_status pki_cache_open(const char *path, pki_cache *out, pk_error *err)
{
  *out = (pki_cache){.folder = -1, .lock = -1};
  if (!choose_path(path, out->path)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){0},
                    "there is no cache folder: name one in PRONK_CACHE, or set HOME");
  }
  const pki_where where = {.file = out->path};
  const pk_status status = make_folder(out->path, err);
  if (status != PK_OK) {
    return status;
  }
  struct stat info;
  out->folder = open(out->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (out->folder < 0 || fstat(out->folder, &info) != 0) {
    const int why = errno;
    pki_cache_close(out);
    return pki_fail(err, PK_ERROR_FILE, where, "the cache folder cannot be opened: %s", strerror(why));
  }
  if (info.st_uid == geteuid() && (info.st_mode & 022) == 0) {
    return PK_OK;
  }
  pki_cache_close(out);
  return info.st_uid != geteuid()
             ? pki_fail(err, PK_ERROR_FILE, where,
                        "the cache folder belongs to another user: name one of your own in PRONK_CACHE")
             : pki_fail(err, PK_ERROR_FILE, where,
                        "others may write into the cache folder (mode %03o): chmod 700, or name another one "
                        "in PRONK_CACHE",
                        (unsigned)info.st_mode & 0777);
}

void pki_cache_close(pki_cache *cache)
{
  pki_cache_unlock(cache);
  if (cache->folder >= 0) {
    close(cache->folder);
    cache->folder = -1;
  }
}

void pki_cache_lock(pki_cache *cache, const char *key)
{
  const char name[] = {'l', 'o', 'c', 'k', '-', key[0], '\0'};
  cache->lock = openat(cache->folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  /* a file system without locks has to do without: what is renamed last stays */
  while (cache->lock >= 0 && flock(cache->lock, LOCK_EX) != 0 && errno == EINTR) {}
}

void pki_cache_unlock(pki_cache *cache)
{
  if (cache->lock >= 0) {
    close(cache->lock);
    cache->lock = -1;
  }
}

/* ---- files ---- */

static void file_name(const char *key, const char *ending, char out[KEY + 16])
{
  snprintf(out, KEY + 16, "%.*s%s", KEY, key, ending);
}

bool pki_cache_name(const pki_cache *cache, const char *key, char out[PKI_PATH_MAX])
{
  char name[KEY + 16];
  file_name(key, ".so", name);
  return pki_path_join(out, cache->path, name);
}

/* All bytes of an open file. */
static bool read_all(int fd, size_t size, pki_text *out)
{
  char part[65536];
  for (size_t left = size; left > 0;) {
    const ssize_t n = read(fd, part, left < sizeof part ? left : sizeof part);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return false;
    }
    pki_text_add_bytes(out, part, (size_t)n);
    left -= (size_t)n;
  }
  return !out->failed;
}

/* A file of ours that nobody else could have written, into `out`; it counts as used today. False with `why`, which is empty
 * when there is no file. */
static bool read_safely(int folder, const char *name, pki_text *out, char *why, size_t size)
{
  struct stat info;
  why[0] = '\0';
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    if (errno != ENOENT) {
      snprintf(why, size, "%s%s",
               errno == ELOOP ? "is a link" : "cannot be opened: ", errno == ELOOP ? "" : strerror(errno));
    }
    return false;
  }
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    snprintf(why, size, "is no regular file");
  } else if (info.st_uid != geteuid()) {
    snprintf(why, size, "belongs to another user");
  } else if ((info.st_mode & 022) != 0) {
    snprintf(why, size, "can be written by others (mode %03o)", (unsigned)info.st_mode & 0777);
  } else if (info.st_size > LARGEST || !read_all(fd, (size_t)info.st_size, out)) {
    snprintf(why, size, "cannot be read");
  }
  if (why[0] == '\0') {
    (void)futimens(fd, NULL);
  }
  close(fd);
  return why[0] == '\0';
}

bool pki_cache_read(const pki_cache *cache, const char *key, pki_text *out, char *why, size_t size)
{
  char name[KEY + 16], hash[KEY + 1];
  pki_text written = {0};
  file_name(key, ".so", name);
  bool good = read_safely(cache->folder, name, out, why, size);
  if (good) {
    file_name(key, ".sha256", name);
    char fault[80];
    good = read_safely(cache->folder, name, &written, fault, sizeof fault);
    if (!good) {
      /* the fault is that of the other file, and is told as such */
      snprintf(why, size, fault[0] != '\0' ? "has beside it a .sha256 that %s" : "has no hash beside it%s",
               fault);
    }
  }
  if (good) {
    pki_sha256_hex(out->data, out->size, hash);
    good = written.size >= KEY && memcmp(written.data, hash, KEY) == 0;
    if (!good) {
      snprintf(why, size, "is not what was written: its hash is another one");
    }
  }
  pki_text_free(&written);
  if (!good) {
    pki_text_free(out);
    *out = (pki_text){0};
  }
  return good;
}

/* ---- new files ---- */

enum { WITHIN = 300 }; /* bytes of a path by way of the open folder: names have 255 at most */

/* Something in the folder that was checked, wherever its path leads now; for this process alone. */
static void path_within(const pki_cache *cache, const char *name, char out[WITHIN])
{
  snprintf(out, WITHIN, "/proc/self/fd/%d/%s", cache->folder, name);
}

static pk_status cannot_write(const pki_cache *cache, pk_error *err)
{
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = cache->path},
                  "the cache folder cannot be written: %s", strerror(errno));
}

pk_status pki_cache_begin(const pki_cache *cache, pki_cache_build *out, pk_error *err)
{
  char path[WITHIN];
  *out = (pki_cache_build){.folder = -1};
  path_within(cache, "build-XXXXXX", path);
  if (mkdtemp(path) == NULL) {
    return cannot_write(cache, err);
  }
  snprintf(out->name, sizeof out->name, "%s", strrchr(path, '/') + 1);
  out->folder = openat(cache->folder, out->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (out->folder < 0) {
    const pk_status status = cannot_write(cache, err);
    pki_folder_remove(path);
    return status;
  }
  return PK_OK;
}

void pki_cache_end(const pki_cache *cache, pki_cache_build *build)
{
  char path[WITHIN];
  path_within(cache, build->name, path);
  close(build->folder);
  build->folder = -1;
  pki_folder_remove(path);
}

static bool is_key(const char *name)
{
  return strspn(name, "0123456789abcdef") == KEY;
}

/* Files that nobody has used for PK_CODE_DAYS, and what builds that broke off have left a day ago. */
static void remove_old(const pki_cache *cache)
{
  const time_t now = time(NULL), day = 24 * 3600;
  const int fd = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
    struct stat info;
    char path[WITHIN];
    if (fstatat(fd, e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (is_key(e->d_name) && info.st_mtime < now - PK_CODE_DAYS * day) {
      unlinkat(fd, e->d_name, 0);
    } else if (strncmp(e->d_name, "build-", 6) == 0 && info.st_mtime < now - day) {
      path_within(cache, e->d_name, path);
      pki_folder_remove(path);
    }
  }
  if (list != NULL) {
    closedir(list);
  } else if (fd >= 0) {
    close(fd);
  }
}

/* A small file of ours beside another one, under its final name with another ending. */
static bool write_hash(const pki_cache *cache, const char *key, const char *hash)
{
  char name[KEY + 16], draft[KEY + 16];
  file_name(key, ".sha256", name);
  file_name(key, ".tmp", draft);
  unlinkat(cache->folder, draft, 0);
  const int fd = openat(cache->folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = fd >= 0 && pki_write_all(fd, hash, KEY) && pki_write_all(fd, "\n", 1);
  good = fd >= 0 && close(fd) == 0 && good;
  return good && renameat(cache->folder, draft, cache->folder, name) == 0;
}

pk_status pki_cache_keep(const pki_cache *cache, const char *key, const pki_cache_build *build, pki_text *out,
                         pk_error *err)
{
  char name[KEY + 16], hash[KEY + 1], why[128] = "";
  file_name(key, ".so", name);
  /* a linker makes a program that all may run: not here */
  if (fchmodat(build->folder, PKI_CACHE_FILE, 0600, 0) != 0 ||
      !read_safely(build->folder, PKI_CACHE_FILE, out, why, sizeof why)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = cache->path}, "what the C compiler wrote %s",
                    why[0] != '\0' ? why : "is not there");
  }
  pki_sha256_hex(out->data, out->size, hash);
  if (!write_hash(cache, key, hash) || renameat(build->folder, PKI_CACHE_FILE, cache->folder, name) != 0) {
    return cannot_write(cache, err);
  }
  remove_old(cache);
  return PK_OK;
}
