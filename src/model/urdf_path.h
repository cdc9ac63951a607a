/* Where the meshes of a URDF lie. A file name is looked up in few, known places, and what is
 * found must lie (symbolic links followed) inside an allowed folder:
 *   - the package that holds the URDF: the nearest folder above it with a package.xml, or,
 *     lacking that, the parent of the URDF's folder;
 *   - the folders that the user names as package paths;
 *   - a package found for a package:// name. */
#ifndef PKI_MODEL_URDF_PATH_H
#define PKI_MODEL_URDF_PATH_H

#include "base/error.h"
#include "pronk/builder.h"

typedef struct pki_urdf_folders {
  char *folder;  /* of the URDF, canonical; NULL: unknown */
  char *package; /* canonical; NULL with folder */
  char **extra;  /* the user's package paths, canonical; NULL where there is no such folder */
  const char *const *extra_names; /* as the user wrote them */
  int nextra;
} pki_urdf_folders;

/* False when out of memory. `file` NULL: relative names cannot be resolved. */
bool pki_urdf_folders_init(pki_urdf_folders *folders, const char *file, const pk_load_options *options);
void pki_urdf_folders_free(pki_urdf_folders *folders);

/* The file that `uri` names, to be freed; NULL with the reason in `err` (status, message). */
char *pki_urdf_resolve(const pki_urdf_folders *folders, const char *uri, pk_error *err);

#endif
