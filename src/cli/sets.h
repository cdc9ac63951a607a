/* Overrides of a scenario's keys from the command line: --set as it is written, and options that stand for keys of all its
 * models. */
#ifndef PKI_CLI_SETS_H
#define PKI_CLI_SETS_H

#include "cli/cli.h"

/* Options that are keys of a scenario's models: they override these keys of all models. */
#define PKI_MODEL_OPTIONS \
  {"package-path", 0, "DIR", "a folder to search for package:// names of its models; may be repeated"}, \
      {"no-meshes", 0, NULL, "do not open mesh files"}, \
      {"collision-meshes", 0, "WHAT", "what meshes that collide become: hull, triangles, parts"}, \
      {"strict", 0, NULL, "every warning about a model's file is an error"}, \
      {"no-balance", 0, NULL, "moments of inertia that no body has are an error"}, \
      {"root", 0, "KIND", "how the roots meet the world: auto, free, fixed, chain"}, \
      {"srdf", 0, "FILE", "an SRDF file of its models: pairs that do not collide, named poses"}, \
  { \
    "pose", 0, "NAME", "start pose: a keyframe of the model's file, or a group_state of its SRDF file" \
  }

/* For commands that make a world: a robot's file in a scenario's place. */
#define PKI_WORLD_OF_MODEL \
  { \
    "model", 0, "FILE", "a robot alone on a plane, held in its start pose; needs no SCENARIO" \
  }

typedef struct pki_sets {
  const char **list; /* [count] "a.b=c" */
  int count;
  char **made; /* [nmade] those that options stand for */
  int nmade;
} pki_sets;

/* All overrides, in this order: options, then --set, so that the latter can change more. False after a complaint: no memory. */
bool pki_sets_read(const pki_args *args, pki_sets *out);
void pki_sets_free(pki_sets *sets);

/* An option of the command line that overrides something; NULL: there is none. */
const char *pki_sets_option(const pki_args *args);

/* A path from here as one that holds everywhere; for free(). NULL: no memory. */
char *pki_absolute_path(const char *path);

#endif
