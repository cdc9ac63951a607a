/* pk_code: a model's own code. C source of its dynamics is generated with the lengths and axes of the robot in it, compiled by the
 * system's C compiler, kept in a cache, loaded, and used in place of the generic kernels.
 *
 *   pk_code_options o = pk_code_options_default();
 *   o.lanes = 4;                                      also for batches of four lanes
 *   pk_code *code;
 *   if (pk_code_open(model, &o, &code, &err) == PK_OK) {
 *     sim_options.code = code;                        sims and batches
 *     pk_workspace_use(workspace, code, &err);        single calls
 *   }
 *   ...
 *   pk_code_close(code);                              after all that use it
 *
 * Results are those of the generic kernels up to rounding, and the same to the bit for all lanes, threads and neighbours.
 * Lengths, gravity and damping are constants of the code; inertias are not, so that worlds that were given their own
 * (pk_sim_set_inertia) run on it, too. docs/compiled.md tells more.
 *
 * The cache is a folder of the user's alone. Files in it are named by a hash of all that they depend on: the source, the
 * compiler and its version, flags, the processor, Pronk's version. What is loaded is checked before against a hash that was
 * written with it; a file that is not what was written, or that others could write, is compiled anew. What was not used for
 * PK_CODE_DAYS days goes when something new comes. */
#ifndef PRONK_CODE_H
#define PRONK_CODE_H

#include <stdbool.h>

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PK_CODE_DAYS = 90 };

typedef struct pk_code_options {
  int lanes;  /* lane counts besides one, added up: 4, 8 or 12; 0: one alone; 0 */
  bool force; /* compile even what is in the cache; false */
  const char
      *folder; /* of the cache; NULL: $PRONK_CACHE, else $XDG_CACHE_HOME/pronk, else ~/.cache/pronk; NULL */
  const char *
      compiler; /* gcc or clang, a name or a path, words after it are arguments; NULL: $PRONK_CC, else the first
                           that is there of $CC, clang, cc, gcc; NULL */
  void (*compiling)(void *user,
                    int lanes); /* called before a compiler starts, which takes its time; NULL: nobody */
  void *user;
} pk_code_options;

/* Defaults, and the first option that is out of its range by name. */
PK_API pk_code_options pk_code_options_default(void);
PK_API pk_status pk_code_options_validate(const pk_code_options *options, pk_error *err);

/* Where code came from. */
typedef struct pk_code_info {
  char key[65];            /* of the code for one lane: the hash of all that its results depend on */
  char path[4096];         /* of the file for the most lanes */
  int lanes;               /* these */
  int functions;           /* how many of them it has */
  bool cached;             /* nothing had to be compiled */
  double generate_seconds; /* s, to write the source */
  double compile_seconds;  /* s, 0: nothing was */
  char compiler[512];      /* its path and version */
  char warning[640];       /* what was wrong with the cache, and mended; "": nothing */
} pk_code_info;

/* The code of a model. PK_ERROR_UNSUPPORTED: there is no compiler, or the model is of a kind that no code is written for
 * (cut joints, loops, more than 200 velocities): the generic kernels know them all. PK_ERROR_FILE: the cache cannot be used, or the compiler failed;
 * the message has what it said. options NULL: the defaults. */
PK_API pk_status pk_code_open(const pk_model *model, const pk_code_options *options, pk_code **out,
                              pk_error *err);

/* Unload it; NULL is fine. */
PK_API void pk_code_close(pk_code *code);

PK_API const pk_code_info *pk_code_get_info(const pk_code *code);

#ifdef __cplusplus
}
#endif
#endif
