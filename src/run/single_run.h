/* A scenario with its overrides, run once: read, made a world, run, and away with it. What many runs of one scenario
 * (run/compare.h, sweep/) have in common. */
#ifndef PKI_RUN_SINGLE_RUN_H
#define PKI_RUN_SINGLE_RUN_H

#include "run/run.h"

typedef struct pki_single_run {
  const char *file; /* the scenario */
  const char *text; /* what is in the file, `size` bytes; NULL: it is read */
  size_t size;
  const char *const *sets; /* [nset] */
  int nset;
  pki_run_options options; /* bound 0: the scenario's certify, if it has one */
  /* The world is there and has not moved. */
  void (*made)(void *user, const pki_world *world);
  /* It ran, and its world is still there. */
  void (*ran)(void *user, const pki_world *world, const pki_run_result *result);
  void *user; /* NULL is fine where a function is not wanted */
} pki_single_run;

/* PK_OK when it ran, to the end or not. *refused tells that its scenario could not be read or makes no world. */
pk_status pki_run_single(const pki_single_run *run_once, bool *refused, pk_error *err);

#endif
