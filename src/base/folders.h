/* Folders of things that a user names: models, scenarios. */
#ifndef PKI_BASE_FOLDERS_H
#define PKI_BASE_FOLDERS_H

#include <stdbool.h>

#include "base/error.h"

enum { PKI_PATH_MAX = 4096, PKI_FOLDERS_MAX = 5 };

typedef struct pki_folders {
  int count;
  char path[PKI_FOLDERS_MAX][PKI_PATH_MAX];
} pki_folders;

/* Those folders of `kind` ("models") that exist, in the order in which they are searched: ./KIND, when `here` allows
 * it; the folder that the environment variable `chosen` names; beside the running program (../KIND,
 * ../share/pronk/KIND); the installed share/pronk/KIND. */
void pki_folders_find(const char *kind, const char *chosen, bool here, pki_folders *out);

/* Make a new folder for `what` ("the run"), NAME-XXXXXX with other letters each time: in `place`, NULL: in
 * TMPDIR, or /tmp where that is not set. The caller removes it; on failure `out` is "". */
pk_status pki_temporary_folder(const char *place, const char *name, const char *what, char out[PKI_PATH_MAX],
                               pk_error *err);

/* first/second, false when it does not fit. */
bool pki_path_join(char out[PKI_PATH_MAX], const char *first, const char *second);

#endif
