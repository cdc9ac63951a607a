#define _XOPEN_SOURCE 700
#include "base/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

bool pki_path_join(char out[PKI_PATH_MAX], const char *first, const char *second)
{
  const size_t size = strlen(first);
  const bool slash = size > 0 && first[size - 1] == '/';
  const int n = snprintf(out, PKI_PATH_MAX, "%s%s%s", first, slash ? "" : "/", second);
  return n > 0 && n < PKI_PATH_MAX;
}

pk_status pki_temporary_folder(const char *place, const char *name, const char *what, char out[PKI_PATH_MAX],
                               pk_error *err)
{
  const char *chosen = getenv("TMPDIR");
  const char *in = place != NULL ? place : chosen != NULL && chosen[0] != '\0' ? chosen : "/tmp";
  snprintf(out, PKI_PATH_MAX, "%.4000s/%.60s-XXXXXX", in, name);
  if (mkdtemp(out) != NULL) {
    return PK_OK;
  }
  out[0] = '\0';
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = in},
                  "no folder for %s can be made in it: %s; TMPDIR chooses another place", what,
                  strerror(errno));
}

/* Folders that might exist, "" where there is none. */
static void find_candidates(const char *kind, const char *chosen, bool here, char candidate[][PKI_PATH_MAX])
{
  char beside[64], shared[64];
  snprintf(beside, sizeof beside, "../%s", kind);
  snprintf(shared, sizeof shared, "../share/pronk/%s", kind);
  snprintf(candidate[0], PKI_PATH_MAX, "%s", here ? kind : "");
  const char *named = getenv(chosen);
  snprintf(candidate[1], PKI_PATH_MAX, "%s", named != NULL ? named : "");
  char program[PKI_PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  if (size > 0) {
    program[size] = '\0';
    *strrchr(program, '/') = '\0';
    if (!pki_path_join(candidate[2], program, beside) || !pki_path_join(candidate[3], program, shared)) {
      candidate[2][0] = candidate[3][0] = '\0';
    }
  }
#ifdef PKI_SHARE_FOLDER
  if (!pki_path_join(candidate[4], PKI_SHARE_FOLDER, kind)) {
    candidate[4][0] = '\0';
  }
#endif
}

void pki_folders_find(const char *kind, const char *chosen, bool here, pki_folders *out)
{
  out->count = 0;
  char candidate[PKI_FOLDERS_MAX][PKI_PATH_MAX] = {""};
  find_candidates(kind, chosen, here, candidate);
  for (int i = 0; i < PKI_FOLDERS_MAX; i++) {
    if (candidate[i][0] != '\0' && pki_is_folder(candidate[i])) {
      /* short and without "..", because users read these paths; ./models stays as it is */
      char *full = i == 0 ? NULL : realpath(candidate[i], NULL);
      const bool fits = full != NULL && strlen(full) < PKI_PATH_MAX;
      memcpy(out->path[out->count++], fits ? full : candidate[i], fits ? strlen(full) + 1 : PKI_PATH_MAX);
      free(full);
    }
  }
}
