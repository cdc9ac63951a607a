/* What is wrong with a scenario, all of it: readers go on after an error with the next key or entry. A function that
 * takes problems notes its own, and returns the status of the first. */
#ifndef PKI_SCENARIO_PROBLEMS_H
#define PKI_SCENARIO_PROBLEMS_H

#include "base/error.h"

enum { PKI_PROBLEMS_MAX = 100 };

/* Start from zero. */
typedef struct pki_problems {
  pk_status status; /* of the first one; PK_OK: none */
  pk_error *errors; /* [count], in the order in which they were found */
  int count, left_out, room;
  /* Collects remarks on what is allowed and has a better form; NULL: they are dropped. */
  struct pki_problems *remarks;
} pki_problems;

/* A failure of `status`, told by `err`; PK_OK is none. Returns `status`. */
pk_status pki_problems_note(pki_problems *problems, pk_status status, const pk_error *err);

/* The first status and, where err is not NULL, its message; everything is freed. */
pk_status pki_problems_first(pki_problems *problems, pk_error *err);

/* How many there are, those left out included. */
int pki_problems_total(const pki_problems *problems);

void pki_problems_free(pki_problems *problems);

/* By their lines, for people. */
void pki_problems_sort(pki_problems *problems);

#endif
