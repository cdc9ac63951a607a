/* A sum of products of nodes, its atoms: the form in which pki_simplify sees a cluster of operations. */
#ifndef PKI_SYMBOLIC_GRAPH_SUM_H
#define PKI_SYMBOLIC_GRAPH_SUM_H

#include "symbolic/graph/graph.h"

typedef struct pki_term {
  double factor;
  int first, count; /* atoms in the pool, ascending; a power is an atom several times */
  int view, nview;  /* the same with products that hold sines taken apart (trig.h): factor * scale * view */
  double scale;
  uint64_t hash; /* of the view */
  bool dead;
} pki_term;

typedef struct pki_item { /* of a sum while it is built: +- product of atoms, constants among them */
  int sign, first, count;
} pki_item;

typedef struct pki_key { /* of a term while terms are sorted */
  const pki_x *atoms;
  pki_x single; /* instead of atoms when there is one: extra * single is the atom */
  double extra;
  int count, term;
} pki_key;

typedef struct pki_spot { /* where an atom is, while common factors are sought */
  pki_x atom;
  int item;
} pki_spot;

typedef struct pki_sum {
  pki_graph *g;
  pki_term *terms;
  pki_x *pool;
  pki_item *items;
  pki_key *keys;
  pki_spot *places;
  int *table; /* of terms by views */
  int n, npool, nitem;
  int term_room, pool_room, item_room, key_room, place_room, table_room;
} pki_sum;

/* An array that holds at least n; false: out of memory, which the graph remembers. */
bool pki_sum_room(pki_sum *s, void **array, int *room, int n, size_t size);
void pki_sum_free(pki_sum *s);

/* Begin a term, multiply it by nodes, put it into normal form. Without memory nothing happens (the graph has failed). */
void pki_sum_clear(pki_sum *s);
void pki_sum_open(pki_sum *s, double factor);
void pki_sum_times(pki_sum *s, pki_x x);
void pki_sum_close(pki_sum *s);

/* Collect like terms; they are then in order, by their last atoms. */
void pki_sum_collect(pki_sum *s);

/* a = b up to rounding. */
bool pki_near(double a, double b);

/* What a sum costs: M - 1 operations, M - 1 - min(P, n - 1) instructions. */
typedef struct pki_tally {
  int n, M, P; /* terms, factors, products */
} pki_tally;

void pki_tally_add(pki_tally *t, int factors, int sign);
int pki_tally_operations(pki_tally t);
int pki_tally_instructions(pki_tally t);
int pki_term_factors(const pki_term *t);

/* The sum as a node, common factors taken out where that saves instructions (factor.c). */
pki_x pki_sum_build(pki_sum *s);

#endif
