/* A model as the user names it, compiled, with all remarks about it. */
#ifndef PKI_CLI_LOAD_MODEL_H
#define PKI_CLI_LOAD_MODEL_H

#include "cli/cli.h"
#include "model/locate.h"
#include "pronk/model.h"

typedef struct pki_loaded {
  char path[PKI_PATH_MAX]; /* of the file, or the name of a generated model */
  pk_builder *builder;     /* holds the remarks */
  pk_model *model;         /* NULL when there were errors */
  pk_error error;          /* the first one */
  bool read;               /* the file itself was in order, so masses and the tree were checked */
} pki_loaded;

/* Options of every command that loads a model. */
#define PKI_LOAD_OPTIONS \
  {"root", 0, "KIND", "how the root meets the world: auto, free, fixed, chain"}, \
      {"package-path", 0, "DIR", "a folder to search for package:// names; may be repeated"}, \
      {"collision-meshes", 0, "WHAT", "what meshes that collide become: hull, triangles, parts"}, \
      {"no-meshes", 0, NULL, "do not open mesh files"}, {"strict", 0, NULL, "every warning is an error"}, \
  { \
    "no-balance", 0, NULL, "moments of inertia that no body has are an error" \
  }

/* PKI_EXIT_OK when there is a model; PKI_EXIT_USAGE when there is none (error says why, and
 * nothing has been printed unless an option was wrong: then error.message is empty). */
int pki_load(const pki_args *args, const char *name, pki_loaded *out);

/* "root fixed: it has nothing to stand or roll on; --root free lets it move", after `before`; nothing where it was asked for. */
void pki_print_root(const pk_model *model, int robot, const char *before);

/* What a robot is called by the path of its file or folder. */
void pki_model_called(const char *word, char name[60]);
void pki_loaded_free(pki_loaded *loaded);

#endif
