/* In which order a function's nodes are computed.
 *
 * Compilers keep what is written far apart in registers or spill it, so an order that keeps few values alive is worth
 * having. Sethi and Ullman (1970) number a tree's nodes by the registers that they need,
 *
 *   need(leaf) = 1,   need(op(a, b)) = need(a) = need(b) ? need(a) + 1 : max(need(a), need(b)),
 *
 * and compute the operand that needs more first, which is best for trees. Here equal expressions are shared, so it is a
 * rule of thumb: a shared node is computed where it is first needed. That order and the one in which the nodes were made
 * are both tried; the one that keeps fewer alive is taken.
 *
 * Constants have no place in the order, nor do early angles: sines and cosines of an input, or of a short sum of inputs with
 * constants, which are computed together before everything else. */
#ifndef PKI_SYMBOLIC_GRAPH_SCHEDULE_H
#define PKI_SYMBOLIC_GRAPH_SCHEDULE_H

#include <stdbool.h>

#include "symbolic/graph/graph.h"

/* How often nodes are used: by outputs, and as operands. The operands of the n listed nodes count; nodes NULL: of all that are
 * used. Adds to uses [graph->count], in which the caller may have marked more. */
void pki_uses_count(const pki_function *f, const int *nodes, int n, int *uses);

/* Angles whose sines and cosines are computed first. */
typedef struct pki_angles {
  int count;
  pki_x *angle;        /* [count] the arguments, as they come in the graph */
  int *of;             /* [graph->count] of a sine or cosine node: which angle; -1: none of these */
  unsigned char *read; /* [graph->count] 1: an input that the angles read */
} pki_angles;

/* Out of memory: false. */
bool pki_angles_find(const pki_function *f, pki_angles *angles);
void pki_angles_free(pki_angles *angles);

/* The nodes that a function needs, operands before results: order [graph->count], of which *n are used; *alive: the
 * largest number of values that wait for a later use. Inputs that both angles and others read come first. Linear in the
 * number of nodes; out of memory: false. */
bool pki_schedule(const pki_function *f, int *order, int *n, int *alive);

/* The same with angles that are known. */
bool pki_schedule_after(const pki_function *f, const pki_angles *angles, int *order, int *n, int *alive);

#endif
