/* Pairs of links of one robot that do not collide, for people and programs. */
#ifndef PKI_CLI_EXCLUSIONS_H
#define PKI_CLI_EXCLUSIONS_H

#include <cjson/cJSON.h>

#include "pronk/collision.h"

/* How many of each reason, and all of them. */
typedef struct pki_exclusions {
  int count, of[PK_EXCLUSION_REASON_COUNT];
  pk_sim_exclusion *pairs; /* [count] owned */
} pki_exclusions;

/* Of a model at its initial pose; none where a shape cannot collide or there is no memory. */
pki_exclusions pki_exclusions_find(const pk_model *model);
void pki_exclusions_free(pki_exclusions *e);

/* Those that overlap by design, by name; all by their numbers in one line; all as a list "exclusions". */
void pki_exclusions_print(const pki_exclusions *e, const pk_model *model);
void pki_exclusions_print_total(const pki_exclusions *e);
void pki_exclusions_add(const pki_exclusions *e, const pk_model *model, cJSON *to);

#endif
