/* The cache of compiled robots: a folder of the user's alone, KEY.so and beside it KEY.sha256, the hash of its bytes.
 *
 * The folder must belong to the user and be closed to the writing of others. A file is read when it is a regular file (no
 * link), belongs to the user, others may not write it, and its bytes have the hash; the bytes that were hashed
 * are the ones that are used. New files are made in a folder within, which has another name each time, and renamed. All of it goes
 * by the open folder that was checked, never by its path again, which may lead elsewhere by then. One
 * of 16 locks, by key, is held from the look to the end of writing, so that two processes neither compile the same thing
 * twice nor see half of it. */
#ifndef PKI_SYMBOLIC_CODE_CODE_CACHE_H
#define PKI_SYMBOLIC_CODE_CODE_CACHE_H

#include "base/folders.h"
#include "base/text.h"

typedef struct pki_cache {
  char path[PKI_PATH_MAX];
  int folder, lock; /* open files, -1: none */
} pki_cache;

/* Open it, made when it is not there. path NULL: $PRONK_CACHE, else $XDG_CACHE_HOME/pronk, else ~/.cache/pronk. */
pk_status pki_cache_open(const char *path, pki_cache *out, pk_error *err);
void pki_cache_close(pki_cache *cache);

/* From here on no other process reads or writes this key. */
void pki_cache_lock(pki_cache *cache, const char *key);
void pki_cache_unlock(pki_cache *cache);

/* The file's name. */
bool pki_cache_name(const pki_cache *cache, const char *key, char out[PKI_PATH_MAX]);

/* Its bytes; free them with pki_text_free. False: it is not there, or something is wrong with it, which `why` then tells. */
bool pki_cache_read(const pki_cache *cache, const char *key, pki_text *out, char *why, size_t size);

/* A folder within, in which the file PKI_CACHE_FILE is to be made. */
#define PKI_CACHE_FILE "robot.so"

typedef struct pki_cache_build {
  char name[16];
  int folder; /* open */
} pki_cache_build;

pk_status pki_cache_begin(const pki_cache *cache, pki_cache_build *out, pk_error *err);

/* The file from there to its place, and its bytes. What was not used for long goes, and what builds that broke off have
 * left a day ago. */
pk_status pki_cache_keep(const pki_cache *cache, const char *key, const pki_cache_build *build, pki_text *out,
                         pk_error *err);

/* Remove that folder. */
void pki_cache_end(const pki_cache *cache, pki_cache_build *build);

#endif
