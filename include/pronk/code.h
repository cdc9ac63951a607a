/* pk_code: a model's own code. C source of its dynamics is generated with the lengths and axes of the robot
 * in it, compiled by the system's C compiler, kept in a cache, loaded, and used in place of the generic
 * kernels.
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
 * Results are those of the generic kernels up to rounding, and the same to the bit for all lanes, threads and
 * neighbours. Lengths, gravity and damping are constants of the code; inertias are not, so that worlds that
 * were given their own (pk_sim_set_inertia) run on it, too. docs/compiled.md tells more.
 *
 * The cache is a folder of the user's alone. Files in it are named by a hash of all that they depend on: the
 * source, the compiler and its version, flags, the processor, Pronk's version. What is loaded is checked
 * before against a hash that was written with it; a file that is not what was written, or that others could
 * write, is compiled anew. What was not used for PK_CODE_DAYS days goes when something new comes.
 *
 * Threads: code never changes after it was opened, and may be shared by sims, batches and workspaces in all
 * threads. Programs may open code at the same time. */
#ifndef PRONK_CODE_H
#define PRONK_CODE_H

#include <stdbool.h>

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PK_CODE_DAYS = 90 };

typedef struct pk_code_options {
  /* Lane counts besides one that code is made for, added up: 4, 8 or 12; 0: one lane alone. Default 0. */
  int lanes;
  /* Compile even what is in the cache. Default false. */
  bool force;
  /* Of the cache; NULL: $PRONK_CACHE, else $XDG_CACHE_HOME/pronk, else ~/.cache/pronk. Default NULL. */
  const char *folder;
  /* gcc or clang, a name or a path, words after it are arguments; NULL: $PRONK_CC, else the first that is
   * there of $CC, clang, cc, gcc. Default NULL. */
  const char *compiler;
  /* Called before a compiler starts, which takes some time; NULL: none. Default NULL. */
  void (*compiling)(void *user, int lanes);
  /* Handed to `compiling`. */
  void *user;
} pk_code_options;

/* Defaults, and the first option that is out of its range by name. */
PK_API pk_code_options pk_code_options_default(void);
PK_API pk_status pk_code_options_validate(const pk_code_options *options, pk_error *err);

/* Where code came from. */
typedef struct pk_code_info {
  /* Of the code for one lane: the hash of all that its results depend on. */
  char key[65];
  /* Of the file for the most lanes. */
  char path[4096];
  /* The most lanes that it has code for. */
  int lanes;
  /* How many functions that file has. */
  int functions;
  /* Nothing had to be compiled. */
  bool cached;
  /* s, to write the source. */
  double generate_seconds;
  /* s, to compile it; 0: it was in the cache. */
  double compile_seconds;
  /* Path and version of the compiler. */
  char compiler[512];
  /* What was wrong with the cache, and mended; "": nothing. */
  char warning[640];
} pk_code_info;

/* The code of a model. PK_ERROR_UNSUPPORTED: there is no compiler, or the model is of a kind that no code is
 * written for (cut joints, loops, more than 200 velocities): the generic kernels know them all.
 * PK_ERROR_FILE: the cache cannot be used, or the compiler failed; the message has what it said. options
 * NULL: the defaults. */
PK_API pk_status pk_code_open(const pk_model *model, const pk_code_options *options, pk_code **out,
                              pk_error *err);

/* Unload it; NULL is fine. */
PK_API void pk_code_close(pk_code *code);

PK_API const pk_code_info *pk_code_get_info(const pk_code *code);

#ifdef __cplusplus
}
#endif
#endif
