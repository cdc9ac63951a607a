/* From what a user calls a model to the file that describes it. */
#ifndef PKI_MODEL_LOCATE_H
#define PKI_MODEL_LOCATE_H

#include "base/error.h"
#include "base/folders.h"

/* The file of `name`, which is a file, a folder with a URDF file (or one of another format under the folder's own
 * name) in it, or the name of a model in one of the models folders. Where a name is looked up, in this order: as a path;
 * ./models; the folder PRONK_MODELS names; beside the running program (../models,
 * ../share/pronk/models); the installed share/pronk/models. An unknown name gets the
 * nearest one. */
pk_status pki_model_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err);

/* A model in a models folder. */
typedef struct pki_model_entry {
  char name[64];
  char path[PKI_PATH_MAX]; /* of its file */
} pki_model_entry;

/* All models by name, those of earlier folders first when names meet. Returns an array for
 * free(), NULL when there are none or memory is out. */
pki_model_entry *pki_model_list(int *count);

#endif
