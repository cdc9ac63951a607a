/* Files that appear whole: each is written as a draft beside its place and then renamed, so that a reader sees all or
 * nothing, and a writer that fails leaves what was there before.
 *
 *   X               the file
 *   X.pronk-1.tmp   its draft; another writer of the same file at the same time takes X.pronk-2.tmp
 *
 * A draft is locked while its process is at work. The lock goes with the process, however it ends, so that the next
 * writer of X knows a draft that was left behind and removes it.
 *
 * This is also the one place that decides what may be written to: a regular file or a name that is free. A link to a
 * regular file is followed: the link stays, and the file that it leads to is replaced. Devices, FIFOs, sockets, folders
 * and links that lead nowhere are refused. */
#ifndef PKI_BASE_DRAFT_H
#define PKI_BASE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/folders.h"

/* May `path` be written to? `target` becomes the file that it leads to. */
pk_status pki_target_find(const char *path, char target[PKI_PATH_MAX], pk_error *err);

/* All of a file at once. */
pk_status pki_file_write(const char *path, const void *data, size_t size, pk_error *err);

/* A file by way of a stream: `put` returns false with errno when it fails; errors of the stream itself are noticed
 * here. */
typedef bool (*pki_file_put)(FILE *out, const void *what);
pk_status pki_file_put_stream(const char *path, pki_file_put put, const void *what, pk_error *err);

/* For callers that write in another way:
 *
 *   pki_draft draft;
 *   if (pki_draft_begin(&draft, path, err) == PK_OK) {
 *     ... write to draft.fd ...
 *     status = good ? pki_draft_keep(&draft, err) : pki_draft_fail(&draft, errno, err);
 *   } */
typedef struct pki_draft {
  /* the file as the caller calls it, for messages */
  const char *path;
  /* the file that the draft will replace */
  char target[PKI_PATH_MAX];
  /* where the draft is until then: the target and ".pronk-N.tmp" */
  char name[PKI_PATH_MAX + 24];
  /* the draft, open for writing, empty, locked */
  int fd;
} pki_draft;

pk_status pki_draft_begin(pki_draft *draft, const char *path, pk_error *err);

/* To its place; a draft that fails is removed. */
pk_status pki_draft_keep(pki_draft *draft, pk_error *err);

/* Away with it. */
void pki_draft_drop(pki_draft *draft);

/* The same with the message "cannot be written" and the reason, an errno. */
pk_status pki_draft_fail(pki_draft *draft, int why, pk_error *err);

#endif
