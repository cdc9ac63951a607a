/* SRDF: what a planner's file says about a robot's collisions, and its named poses. */
#ifndef PKI_MODEL_SRDF_H
#define PKI_MODEL_SRDF_H

#include <stddef.h>

#include "pronk/status.h"

/* <disable_collisions link1= link2=> */
typedef struct pki_srdf_pair {
  char *link[2]; /* as written, without a prefix */
  int line;
} pki_srdf_pair;

/* <joint name= value=> in a <group_state name=>: one joint of a named pose. */
typedef struct pki_srdf_value {
  char *state, *joint; /* as written, without a prefix */
  double value[7];     /* rad or m; as many as the joint has coordinates */
  int count, line;
} pki_srdf_value;

typedef struct pki_srdf {
  char *robot; /* its name; "" when there is none */
  pki_srdf_pair *pairs;
  int npair;
  pki_srdf_value *values; /* of all states, in the file's order */
  int nvalue;
} pki_srdf;

/* From bytes or a file; everything but the robot's name, disabled pairs and group states is passed over. The first thing wrong is in
 * `err`, with file and line. */
pk_status pki_srdf_parse(const char *text, size_t size, const char *file, pki_srdf **out, pk_error *err);
pk_status pki_srdf_load(const char *path, pki_srdf **out, pk_error *err);
void pki_srdf_destroy(pki_srdf *srdf); /* NULL is fine */

#endif
