/* Expressions as a graph: what this robot's own code is made from.
 *
 * A node is an operation on earlier nodes; equal nodes are one (hash-consing), so a subexpression that is met twice is
 * computed once. Nodes are made by the functions below, which bring what they make into a normal form on the way:
 *
 *   constants are folded, 0 and 1 vanish                      x + 0, 1 x, 0 x, x - x, x / x
 *   sums and products have their operands in one order        b + a = a + b
 *   a sign stands outside                                     a (-b) = -(a b), b - a = -(a - b) for one of the orders
 *   a factor stands in front, factors of the same thing meet  2 (3 x) = 6 x, 2 x + x = 3 x
 *   sin(-x) = -sin x, cos(-x) = cos x, sin^2 x + cos^2 x = 1
 *
 * What needs to see more than a node and its operands is done by pki_simplify (simplify.h). A `plain` graph does nothing of
 * this: its operations are those of the numeric algorithm, one for one, and can be counted.
 *
 * Nodes are numbered as they are made, operands before results. Whatever runs out of memory is remembered: check
 * pki_graph_failed once at the end; until then every function may be called. */
#ifndef PKI_SYMBOLIC_GRAPH_GRAPH_H
#define PKI_SYMBOLIC_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t pki_x; /* a node */

typedef enum pki_op {
  PKI_OP_CONST,
  PKI_OP_INPUT,
  PKI_OP_NEG,
  PKI_OP_ADD,
  PKI_OP_SUB,
  PKI_OP_MUL,
  PKI_OP_INV, /* 1 / a */
  PKI_OP_SQRT,
  PKI_OP_SIN,
  PKI_OP_COS,
  PKI_OP_COUNT
} pki_op;

typedef struct pki_graph_node {
  int op;       /* pki_op */
  pki_x a, b;   /* operands, -1: none; of an input: its port, and which of the port's numbers */
  double value; /* of a constant */
} pki_graph_node;

/* An array of numbers that comes from outside. */
typedef struct pki_port {
  char name[32];
  char about[160]; /* meaning and unit */
  int count;
} pki_port;

enum { PKI_PORTS = 16 };

typedef struct pki_graph {
  pki_graph_node *nodes;
  int count, capacity;
  int *table; /* of nodes by what they are, open addressing; -1: free */
  int slots;  /* a power of two */
  pki_port ports[PKI_PORTS];
  int nport;
  bool plain, failed;
} pki_graph;

pki_graph *pki_graph_create(bool plain);
void pki_graph_destroy(pki_graph *g); /* NULL is fine */
bool pki_graph_failed(const pki_graph *g);

/* A new array of inputs; its number. */
int pki_graph_port(pki_graph *g, const char *name, int count, const char *about);
pki_x pki_input(pki_graph *g, int port, int index);

pki_x pki_const(pki_graph *g, double value);
pki_x pki_neg(pki_graph *g, pki_x a);
pki_x pki_plus(pki_graph *g, pki_x a, pki_x b);
pki_x pki_minus(pki_graph *g, pki_x a, pki_x b);
pki_x pki_times(pki_graph *g, pki_x a, pki_x b);
pki_x pki_inverse(pki_graph *g, pki_x a);
pki_x pki_root(pki_graph *g, pki_x a);
pki_x pki_sine(pki_graph *g, pki_x a);
pki_x pki_cosine(pki_graph *g, pki_x a);

/* The same operation on other operands; inputs and constants come back as they are. */
pki_x pki_rebuild_node(pki_graph *g, pki_graph_node node, pki_x a, pki_x b);

int pki_op_operands(int op); /* 0, 1, 2 */
bool pki_is_const(const pki_graph *g, pki_x x, double value);

/* What one function computes: arrays of nodes of one graph, by name. */
typedef struct pki_output {
  char name[32];
  char about[160];
  int count;
  pki_x *values; /* [count] */
  /* of a matrix of which only these entries are given, in this order: the others are always zero */
  int rows, cols; /* 0: a plain array */
  int *row, *col; /* [count] NULL: all, row by row */
} pki_output;

enum { PKI_OUTPUTS = 12 };

typedef struct pki_function {
  char name[40];
  char about[240];
  pki_graph *graph; /* not owned */
  unsigned ports; /* those of its signature, as bits, read or not; whatever else it reads comes in addition */
  pki_output outputs[PKI_OUTPUTS];
  int noutput;
  bool
      in_place; /* an output may be an input's array, when each of its entries depends on the same entry of the input */
  bool failed; /* out of memory */
} pki_function;

/* Begin a function; add outputs; free what it holds (the graph stays). */
void pki_function_init(pki_function *f, pki_graph *g, const char *name, const char *about);
pki_x *pki_function_add(pki_function *f, const char *name, int count,
                        const char *about); /* zeros; NULL: failed */
void pki_function_free(pki_function *f);

/* A new port of its signature; its inputs go to `to` [count]. */
void pki_function_read(pki_function *f, const char *name, int count, const char *about, pki_x *to);

/* A matrix [rows][cols] of nodes of which only entries that are not the constant zero are given. */
void pki_function_add_sparse(pki_function *f, const char *name, int rows, int cols, const pki_x *dense,
                             const char *about);

/* The ports of its signature: those that were asked for and those that it reads, as bits. Out of memory: those that were
 * asked for. */
unsigned pki_function_ports(const pki_function *f);

/* Which nodes a function needs: 1 in used [graph->count], 0 elsewhere. */
void pki_function_used(const pki_function *f, unsigned char *used);

/* How many operations a function takes. */
typedef struct pki_operations {
  int adds, muls, inverses, roots, sines; /* sines: different angles; negations are free */
  int ports;                              /* inputs that are read */
} pki_operations;

pki_operations pki_function_count(const pki_function *f);
int pki_count_all(pki_operations c); /* adds, muls, inverses, roots */

/* The values of a function's outputs, one after the other, from ports' values; out of memory: false. Complex numbers
 * serve derivatives by a complex step. */
bool pki_function_evaluate(const pki_function *f, const double *const *ports, double *out);
bool pki_function_evaluate_complex(const pki_function *f, const double _Complex *const *ports,
                                   double _Complex *out);

#endif
