/* Derivatives of expressions, as expressions of the same graph.
 *
 * Forward: every node's rate follows from its operands' rates,
 *
 *   (a + b)' = a' + b'    (a b)' = a' b + a b'    (1/a)' = -a' / a^2    (sqrt a)' = a' / (2 sqrt a)
 *   (sin a)' = a' cos a   (cos a)' = -a' sin a
 *
 * for one direction of the inputs at a time. Reverse: every node hands its weight, the derivative of the result by that
 * node, on to its operands by the same partial derivatives; one pass gives the derivatives by all inputs. Both visit only
 * nodes that lie between the inputs and the values; what is zero by structure makes no node. 1/a^2 and 1/(2 sqrt a) are
 * made from the node itself and so are shared by all directions.
 *
 * All functions give false when they run out of memory. */
#ifndef PKI_SYMBOLIC_GRAPH_DIFFERENTIATE_H
#define PKI_SYMBOLIC_GRAPH_DIFFERENTIATE_H

#include "symbolic/graph/graph.h"

/* out[i] = derivative of values[i] along the direction in which node inputs[k] (a PKI_OP_INPUT node) changes at rate
 * seeds[k]; an input that is there twice changes at the sum of its rates. */
bool pki_tangent(pki_graph *g, int count, const pki_x *values, int ninput, const pki_x *inputs,
                 const pki_x *seeds, pki_x *out);

/* out[k] = d(sum_i weights[i] values[i]) / d inputs[k] */
bool pki_gradient(pki_graph *g, int count, const pki_x *values, const pki_x *weights, int ninput,
                  const pki_x *inputs, pki_x *out);

/* out [count][ninput] = d values[i] / d inputs[k]: forward or reverse, whichever has fewer passes. The inputs differ. */
bool pki_jacobian(pki_graph *g, int count, const pki_x *values, int ninput, const pki_x *inputs, pki_x *out);

/* out [count][ninput]: 1 where values[i] depends on inputs[k], else 0 */
bool pki_sparsity(const pki_graph *g, int count, const pki_x *values, int ninput, const pki_x *inputs,
                  unsigned char *out);

/* out [ninput][ninput], symmetric: d^2 value / d inputs[j] d inputs[k], forward over reverse. The inputs differ. */
bool pki_hessian(pki_graph *g, pki_x value, int ninput, const pki_x *inputs, pki_x *out);

#endif
