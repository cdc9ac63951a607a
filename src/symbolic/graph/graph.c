/* Nodes: made once, in normal form. */
#include "symbolic/graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pki_graph *pki_graph_create(bool plain)
{
  pki_graph *g = calloc(1, sizeof *g);
  if (g != NULL) {
    g->plain = plain;
    pki_const(g, 0); /* node 0, which failures give */
  }
  if (g != NULL && g->failed) {
    pki_graph_destroy(g);
    return NULL;
  }
  return g;
}

void pki_graph_destroy(pki_graph *g)
{
  if (g != NULL) {
    free(g->nodes);
    free(g->table);
    free(g);
  }
}

bool pki_graph_failed(const pki_graph *g)
{
  return g->failed;
}

int pki_graph_port(pki_graph *g, const char *name, int count, const char *about)
{
  if (g->nport == PKI_PORTS) {
    g->failed = true;
    return 0;
  }
  pki_port *p = &g->ports[g->nport];
  strncpy(p->name, name, sizeof p->name - 1);
  strncpy(p->about, about, sizeof p->about - 1);
  p->count = count;
  return g->nport++;
}

/* ---- the table of nodes ---- */

static unsigned slot_of(const pki_graph *g, const pki_graph_node *n)
{
  uint64_t bits;
  memcpy(&bits, &n->value, sizeof bits);
  uint64_t h = bits ^ ((uint64_t)(uint32_t)n->a << 32 | (uint32_t)n->b) * UINT64_C(0x9e3779b97f4a7c15) ^
               (uint64_t)n->op * UINT64_C(0xd6e8feb86659fd93);
  h ^= h >> 32;
  h *= UINT64_C(0xd6e8feb86659fd93);
  h ^= h >> 29;
  return (unsigned)h & (unsigned)(g->slots - 1);
}

static bool same_node(const pki_graph_node *a, const pki_graph_node *b)
{
  return a->op == b->op && a->a == b->a && a->b == b->b && memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

static bool grow_nodes(pki_graph *g)
{
  const int capacity = g->capacity > 0 ? 2 * g->capacity : 1024;
  pki_graph_node *nodes = realloc(g->nodes, (size_t)capacity * sizeof *nodes);
  if (nodes == NULL) {
    g->failed = true;
    return false;
  }
  g->nodes = nodes, g->capacity = capacity;
  return true;
}

/* Constants and inputs are shared in plain graphs, too; what is not shared is not in the table. */
static bool is_shared(const pki_graph *g, int op)
{
  return !g->plain || op <= PKI_OP_INPUT;
}

static bool grow_table(pki_graph *g)
{
  const int slots = g->slots > 0 ? 2 * g->slots : 4096;
  int *table = malloc((size_t)slots * sizeof *table);
  if (table == NULL) {
    g->failed = true;
    return false;
  }
  free(g->table);
  g->table = table, g->slots = slots;
  memset(table, -1, (size_t)slots * sizeof *table);
  for (int i = 0; i < g->count; i++) {
    if (!is_shared(g, g->nodes[i].op)) {
      continue;
    }
    unsigned s = slot_of(g, &g->nodes[i]);
    while (table[s] >= 0) {
      s = (s + 1) & (unsigned)(slots - 1);
    }
    table[s] = i;
  }
  return true;
}

/* The node that is like this one, made when there is none. */
static pki_x node_of(pki_graph *g, pki_graph_node n)
{
  if (g->failed || (2 * g->count >= g->slots && !grow_table(g)) ||
      (g->count == g->capacity && !grow_nodes(g))) {
    return 0;
  }
  if (is_shared(g, n.op)) {
    unsigned s = slot_of(g, &n);
    while (g->table[s] >= 0) {
      if (same_node(&g->nodes[g->table[s]], &n)) {
        return g->table[s];
      }
      s = (s + 1) & (unsigned)(g->slots - 1);
    }
    g->table[s] = g->count;
  }
  g->nodes[g->count] = n;
  return g->count++;
}

static pki_x unary_node(pki_graph *g, int op, pki_x a)
{
  return node_of(g, (pki_graph_node){.op = op, .a = a, .b = -1});
}

static pki_x binary_node(pki_graph *g, int op, pki_x a, pki_x b)
{
  return node_of(g, (pki_graph_node){.op = op, .a = a, .b = b});
}

pki_x pki_const(pki_graph *g, double value)
{
  return node_of(g, (pki_graph_node){.op = PKI_OP_CONST, .a = -1, .b = -1, .value = value == 0 ? 0 : value});
}

pki_x pki_input(pki_graph *g, int port, int index)
{
  return node_of(g, (pki_graph_node){.op = PKI_OP_INPUT, .a = port, .b = index});
}

/* ---- looking at nodes ---- */

static int op_of(const pki_graph *g, pki_x x)
{
  return g->nodes[x].op;
}

static bool is_constant(const pki_graph *g, pki_x x, double *value)
{
  *value = g->nodes[x].value;
  return op_of(g, x) == PKI_OP_CONST;
}

bool pki_is_const(const pki_graph *g, pki_x x, double value)
{
  return op_of(g, x) == PKI_OP_CONST && g->nodes[x].value == value;
}

int pki_op_operands(int op)
{
  switch (op) {
  case PKI_OP_CONST:
  case PKI_OP_INPUT: return 0;
  case PKI_OP_ADD:
  case PKI_OP_SUB:
  case PKI_OP_MUL: return 2;
  default: return 1;
  }
}

/* x without its sign, which goes into *sign. */
static pki_x strip_sign(const pki_graph *g, pki_x x, int *sign)
{
  if (op_of(g, x) == PKI_OP_NEG) {
    *sign = -*sign;
    return g->nodes[x].a;
  }
  return x;
}

/* x as factor * rest. */
static pki_x rest_of(const pki_graph *g, pki_x x, double *factor)
{
  if (op_of(g, x) == PKI_OP_MUL && is_constant(g, g->nodes[x].a, factor)) {
    return g->nodes[x].b;
  }
  *factor = 1;
  return x;
}

static pki_x signed_as(pki_graph *g, int sign, pki_x x)
{
  return sign < 0 ? pki_neg(g, x) : x;
}

/* x = f(a)^2 for f sin or cos: a, else -1. */
static pki_x squared_angle(const pki_graph *g, pki_x x, int f)
{
  const pki_graph_node *n = &g->nodes[x];
  return n->op == PKI_OP_MUL && n->a == n->b && op_of(g, n->a) == f ? g->nodes[n->a].a : -1;
}

/* ---- operations in normal form ---- */

pki_x pki_neg(pki_graph *g, pki_x a)
{
  double v;
  if (g->plain) {
    return unary_node(g, PKI_OP_NEG, a);
  }
  if (is_constant(g, a, &v)) {
    return pki_const(g, -v);
  }
  return op_of(g, a) == PKI_OP_NEG ? g->nodes[a].a : unary_node(g, PKI_OP_NEG, a);
}

/* sign_a a + sign_b b for a, b without signs. */
static pki_x signed_sum(pki_graph *g, int sign_a, pki_x a, int sign_b, pki_x b)
{
  double fa, fb;
  const pki_x ra = rest_of(g, a, &fa), rb = rest_of(g, b, &fb);
  if (ra == rb) {
    return pki_times(g, pki_const(g, sign_a * fa + sign_b * fb), ra);
  }
  const pki_x sin_a = squared_angle(g, a, PKI_OP_SIN), cos_a = squared_angle(g, a, PKI_OP_COS);
  if (sign_a == sign_b && ((sin_a >= 0 && sin_a == squared_angle(g, b, PKI_OP_COS)) ||
                           (cos_a >= 0 && cos_a == squared_angle(g, b, PKI_OP_SIN)))) {
    return pki_const(g, sign_a);
  }
  const pki_x low = a < b ? a : b, high = a < b ? b : a;
  const int sign_low = a < b ? sign_a : sign_b;
  return signed_as(g, sign_low, binary_node(g, sign_a == sign_b ? PKI_OP_ADD : PKI_OP_SUB, low, high));
}

static pki_x add_signed(pki_graph *g, pki_x a, int sign_b, pki_x b)
{
  double va, vb;
  if (g->plain) {
    return binary_node(g, sign_b > 0 ? PKI_OP_ADD : PKI_OP_SUB, a, b);
  }
  const bool ca = is_constant(g, a, &va), cb = is_constant(g, b, &vb);
  if (ca && cb) {
    return pki_const(g, va + sign_b * vb);
  }
  if (ca && va == 0) {
    return signed_as(g, sign_b, b);
  }
  if (cb && vb == 0) {
    return a;
  }
  int sign_a = 1;
  const pki_x x = strip_sign(g, a, &sign_a), y = strip_sign(g, b, &sign_b);
  return signed_sum(g, sign_a, x, sign_b, y);
}

pki_x pki_plus(pki_graph *g, pki_x a, pki_x b)
{
  return add_signed(g, a, 1, b);
}

pki_x pki_minus(pki_graph *g, pki_x a, pki_x b)
{
  return add_signed(g, a, -1, b);
}

/* factor * x */
static pki_x scaled_node(pki_graph *g, double factor, pki_x x)
{
  double own;
  if (factor == 0) {
    return pki_const(g, 0);
  }
  if (op_of(g, x) == PKI_OP_NEG) {
    return scaled_node(g, -factor, g->nodes[x].a);
  }
  const pki_x rest = rest_of(g, x, &own);
  const double all = factor * own, size = fabs(all);
  const pki_x made = size == 1 ? rest : binary_node(g, PKI_OP_MUL, pki_const(g, size), rest);
  return signed_as(g, all < 0 ? -1 : 1, made);
}

pki_x pki_times(pki_graph *g, pki_x a, pki_x b)
{
  double va, vb;
  if (g->plain) {
    return binary_node(g, PKI_OP_MUL, a, b);
  }
  const bool ca = is_constant(g, a, &va), cb = is_constant(g, b, &vb);
  if (ca && cb) {
    return pki_const(g, va * vb);
  }
  if (ca || cb) {
    return ca ? scaled_node(g, va, b) : scaled_node(g, vb, a);
  }
  int sign = 1;
  const pki_x x = strip_sign(g, a, &sign), y = strip_sign(g, b, &sign);
  if ((op_of(g, x) == PKI_OP_INV && g->nodes[x].a == y) ||
      (op_of(g, y) == PKI_OP_INV && g->nodes[y].a == x)) {
    return pki_const(g, sign);
  }
  return signed_as(g, sign, x < y ? binary_node(g, PKI_OP_MUL, x, y) : binary_node(g, PKI_OP_MUL, y, x));
}

pki_x pki_inverse(pki_graph *g, pki_x a)
{
  double v;
  if (g->plain) {
    return unary_node(g, PKI_OP_INV, a);
  }
  if (is_constant(g, a, &v) && v != 0) {
    return pki_const(g, 1 / v);
  }
  int sign = 1;
  const pki_x x = strip_sign(g, a, &sign);
  return signed_as(g, sign, op_of(g, x) == PKI_OP_INV ? g->nodes[x].a : unary_node(g, PKI_OP_INV, x));
}

pki_x pki_root(pki_graph *g, pki_x a)
{
  double v;
  return !g->plain && is_constant(g, a, &v) && v >= 0 ? pki_const(g, sqrt(v)) : unary_node(g, PKI_OP_SQRT, a);
}

pki_x pki_sine(pki_graph *g, pki_x a)
{
  double v;
  if (!g->plain && is_constant(g, a, &v)) {
    return pki_const(g, sin(v));
  }
  int sign = 1;
  const pki_x x = g->plain ? a : strip_sign(g, a, &sign);
  return signed_as(g, sign, unary_node(g, PKI_OP_SIN, x));
}

pki_x pki_cosine(pki_graph *g, pki_x a)
{
  double v;
  if (!g->plain && is_constant(g, a, &v)) {
    return pki_const(g, cos(v));
  }
  int sign = 1;
  return unary_node(g, PKI_OP_COS, g->plain ? a : strip_sign(g, a, &sign));
}

pki_x pki_rebuild_node(pki_graph *g, pki_graph_node node, pki_x a, pki_x b)
{
  switch (node.op) {
  case PKI_OP_CONST: return pki_const(g, node.value);
  case PKI_OP_INPUT: return pki_input(g, node.a, node.b);
  case PKI_OP_NEG: return pki_neg(g, a);
  case PKI_OP_ADD: return pki_plus(g, a, b);
  case PKI_OP_SUB: return pki_minus(g, a, b);
  case PKI_OP_MUL: return pki_times(g, a, b);
  case PKI_OP_INV: return pki_inverse(g, a);
  case PKI_OP_SQRT: return pki_root(g, a);
  case PKI_OP_SIN: return pki_sine(g, a);
  default: return pki_cosine(g, a);
  }
}
