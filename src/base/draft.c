#define _POSIX_C_SOURCE 200809L
#include "base/draft.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

pk_status pki_draft_begin(pki_draft *draft, const char *path, pk_error *err)
{
  draft->path = path;
  /* the process number keeps two writers of the same file apart */
  const int n = snprintf(draft->name, sizeof draft->name, "%s.%ld.tmp", path, (long)getpid());
  if (n < 0 || (size_t)n >= sizeof draft->name) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "the path is too long");
  }
  return PK_OK;
}

pk_status pki_draft_keep(const pki_draft *draft, pk_error *err)
{
  return rename(draft->name, draft->path) == 0 ? PK_OK : pki_draft_drop(draft, errno, err);
}

pk_status pki_draft_drop(const pki_draft *draft, int why, pk_error *err)
{
  remove(draft->name);
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = draft->path}, "cannot be written: %s",
                  strerror(why));
}
