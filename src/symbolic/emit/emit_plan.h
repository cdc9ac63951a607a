/* What a function's code looks like before it is text: which nodes are temporaries, which statements there are, how they
 * are split into parts, and which values go from part to part. */
#ifndef PKI_SYMBOLIC_EMIT_EMIT_PLAN_H
#define PKI_SYMBOLIC_EMIT_EMIT_PLAN_H

#include "symbolic/graph/schedule.h"

enum {
  PKI_EMIT_WIDTH = 160,  /* characters of an expression; more: some of it becomes a temporary */
  PKI_EMIT_WHOLE = 4000, /* statements of a function that is not split */
  PKI_EMIT_PART = 600    /* statements of a part: compilers' time is linear up to about there */
};

/* A value that is computed: where it goes. */
typedef struct pki_statement {
  pki_x node;
  int output, entry; /* -1: a temporary; else it is stored there and nothing else uses it */
} pki_statement;

/* What a part reads and writes. */
typedef struct pki_emit_part {
  unsigned ports, outputs; /* bits */
  bool sine, cosine, scratch;
} pki_emit_part;

typedef struct pki_emit_plan {
  const pki_function *f;
  pki_angles angles;
  int alive;
  int *uses;            /* [graph->count] by other nodes and outputs */
  unsigned char *named; /* [graph->count] 1: has a statement of its own, others write its name */
  int *name;            /* [graph->count] number of the temporary */
  int *slot;            /* [graph->count] place in scratch; -1: stays within its part */
  int *first;  /* [graph->count + 1] its entries of outputs: stores[first[i]] to stores[first[i + 1] - 1] */
  int *stores; /* as numbers of entries, outputs one after the other */
  pki_statement *statements;
  int count, nstore;
  int nscratch;
  pki_emit_part *parts;
  int nparts, part_size; /* statements [p part_size, (p + 1) part_size) are part p */
} pki_emit_plan;

bool pki_emit_plan_make(const pki_function *f, pki_emit_plan *plan);
void pki_emit_plan_free(pki_emit_plan *plan);

/* How many characters a number, an input and a named node take. */
int pki_emit_leaf_width(const pki_emit_plan *plan, pki_x x);

/* Which output, and which of its entries, a number of an entry means. */
void pki_emit_entry(const pki_function *f, int number, int *output, int *entry);

#endif
