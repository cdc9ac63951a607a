/* SRDF: what a planner's file says about a robot's collisions. */
#ifndef PKI_MODEL_SRDF_H
#define PKI_MODEL_SRDF_H

#include <stddef.h>

#include "pronk/status.h"

/* <disable_collisions link1= link2=> */
typedef struct pki_srdf_pair {
  char *link[2]; /* as written, without a prefix */
  int line;
} pki_srdf_pair;

typedef struct pki_srdf {
  char *robot; /* its name; "" when there is none */
  pki_srdf_pair *pairs;
  int npair;
} pki_srdf;

/* From bytes or a file; everything but the robot's name and disabled pairs is passed over. The first thing wrong is in
 * `err`, with file and line. */
pk_status pki_srdf_parse(const char *text, size_t size, const char *file, pki_srdf **out, pk_error *err);
pk_status pki_srdf_load(const char *path, pki_srdf **out, pk_error *err);
void pki_srdf_destroy(pki_srdf *srdf); /* NULL is fine */

#endif
