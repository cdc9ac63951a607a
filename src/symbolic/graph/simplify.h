/* The same function with fewer operations.
 *
 * A cluster is a tree of sums, products and signs whose inner nodes have one user each; what has more users is computed
 * once and stays a node, an atom of the clusters above it. Every cluster is brought into a normal form,
 *
 *   sum_i  factor_i * atom * atom * ...      atoms ascending, like terms collected (sum.h)
 *
 * goes through the rules of sines and cosines (trig.h), gets its common factors taken out, and is written as binary nodes
 * again. Costs are instructions in which a b + c is one: M - 1 - min(P, n - 1) for n terms of together M factors of which
 * P are products. A rule applies where neither this nor the number of operations rises.
 *
 * A sine of an angle that had none costs PKI_SINE_COST operations, unless another angle's sine goes: sites that would
 * like one are added up over the whole function first. */
#ifndef PKI_SYMBOLIC_GRAPH_SIMPLIFY_H
#define PKI_SYMBOLIC_GRAPH_SIMPLIFY_H

#include "symbolic/graph/graph.h"

enum { PKI_SINE_COST = 12 };

/* What a function costs: all operations, and instructions with multiply-adds fused; both with PKI_SINE_COST for each
 * angle. False: out of memory. */
typedef struct pki_cost {
  int operations, instructions;
} pki_cost;

bool pki_function_cost(const pki_function *f, pki_cost *cost);

/* The outputs of `in` as nodes of the graph `to`, whose ports are those of in's graph (none yet: they are copied; a graph
 * with other ports is refused). Dead code stays behind. Values agree up to rounding; the operations
 * never rise, nor the instructions unless in's graph is a plain one, in which equal products are made twice. `out` is to
 * be freed with pki_function_free, also after false (out of memory, other ports). */
bool pki_simplify(const pki_function *in, pki_graph *to, pki_function *out);

#endif
