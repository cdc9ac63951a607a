/* Derivatives: one list of the nodes between inputs and values, walked up (rates) or down (weights). */
#include "symbolic/graph/differentiate.h"

#include <stdlib.h>
#include <string.h>

enum { NEEDED = 1, REACHED = 2 };

/* The nodes that values need and inputs reach, operands first. */
typedef struct sweep {
  int n;                /* nodes up to the last value */
  unsigned char *marks; /* [n] NEEDED by a value, REACHED by an input */
  pki_x *d;             /* [n] a node's rate or weight, -1: zero */
  int *list;            /* [nlist] */
  int nlist;
} sweep;

static void sweep_end(sweep *s)
{
  free(s->marks);
  free(s->d);
  free(s->list);
}

/* Operands of node i, -1 where it has none. */
static void node_operands(const pki_graph *g, int i, pki_x *a, pki_x *b)
{
  const int n = pki_op_operands(g->nodes[i].op);
  *a = n > 0 ? g->nodes[i].a : -1;
  *b = n > 1 ? g->nodes[i].b : -1;
}

static int nodes_up_to(int count, const pki_x *values)
{
  int n = 0;
  for (int i = 0; i < count; i++) {
    n = values[i] >= n ? values[i] + 1 : n;
  }
  return n;
}

/* What the values need, from the last node down. */
static void mark_needed(const pki_graph *g, sweep *s, int count, const pki_x *values)
{
  for (int i = 0; i < count; i++) {
    s->marks[values[i]] = NEEDED;
  }
  for (int i = s->n - 1; i >= 0; i--) {
    pki_x a, b;
    node_operands(g, i, &a, &b);
    if (s->marks[i] && a >= 0) {
      s->marks[a] = NEEDED;
    }
    if (s->marks[i] && b >= 0) {
      s->marks[b] = NEEDED;
    }
  }
}

static bool sweep_begin(sweep *s, const pki_graph *g, int count, const pki_x *values, int ninput,
                        const pki_x *inputs)
{
  *s = (sweep){.n = nodes_up_to(count, values)};
  s->marks = calloc((size_t)s->n + 1, 1);
  s->d = malloc(((size_t)s->n + 1) * sizeof *s->d);
  s->list = malloc(((size_t)s->n + 1) * sizeof *s->list);
  if (s->marks == NULL || s->d == NULL || s->list == NULL) {
    sweep_end(s);
    return false;
  }
  memset(s->d, -1, ((size_t)s->n + 1) * sizeof *s->d);
  mark_needed(g, s, count, values);
  for (int k = 0; k < ninput; k++) {
    if (inputs[k] < s->n) {
      s->marks[inputs[k]] |= REACHED;
    }
  }
  for (int i = 0; i < s->n; i++) {
    pki_x a, b;
    node_operands(g, i, &a, &b);
    if ((a >= 0 && s->marks[a] & REACHED) || (b >= 0 && s->marks[b] & REACHED)) {
      s->marks[i] |= REACHED;
    }
    if (s->marks[i] == (NEEDED | REACHED)) {
      s->list[s->nlist++] = i;
    }
  }
  return true;
}

static bool is_active_node(const sweep *s, pki_x x)
{
  return x < s->n && s->marks[x] == (NEEDED | REACHED);
}

/* d node i / d a for its only operand a. */
static pki_x node_slope(pki_graph *g, int i)
{
  const pki_graph_node n = g->nodes[i];
  switch (n.op) {
  case PKI_OP_NEG: return pki_const(g, -1);
  case PKI_OP_INV: return pki_neg(g, pki_times(g, i, i));
  case PKI_OP_SQRT: return pki_times(g, pki_const(g, 0.5), pki_inverse(g, i));
  case PKI_OP_SIN: return pki_cosine(g, n.a);
  default: return pki_neg(g, pki_sine(g, n.a)); /* of a cosine */
  }
}

/* x + y where -1 is zero. */
static pki_x plus_or_zero(pki_graph *g, pki_x x, pki_x y)
{
  return x < 0 ? y : y < 0 ? x : pki_plus(g, x, y);
}

static pki_x minus_or_zero(pki_graph *g, pki_x x, pki_x y)
{
  return y < 0 ? x : x < 0 ? pki_neg(g, y) : pki_minus(g, x, y);
}

static pki_x times_or_zero(pki_graph *g, pki_x x, pki_x y)
{
  return x < 0 ? -1 : pki_times(g, x, y);
}

static pki_x no_zero(const pki_graph *g, pki_x x)
{
  return x >= 0 && pki_is_const(g, x, 0) ? -1 : x;
}

/* ---- forward ---- */

/* The rate of node i from the rates of its operands. */
static pki_x node_rate(pki_graph *g, const sweep *s, int i)
{
  const pki_graph_node n = g->nodes[i];
  pki_x a, b;
  node_operands(g, i, &a, &b);
  const pki_x da = a >= 0 ? s->d[a] : -1, db = b >= 0 ? s->d[b] : -1;
  if (da < 0 && db < 0) {
    return -1;
  }
  switch (n.op) {
  case PKI_OP_NEG: return pki_neg(g, da);
  case PKI_OP_ADD: return plus_or_zero(g, da, db);
  case PKI_OP_SUB: return minus_or_zero(g, da, db);
  case PKI_OP_MUL: return plus_or_zero(g, times_or_zero(g, da, b), times_or_zero(g, db, a));
  default: return pki_times(g, node_slope(g, i), da);
  }
}

/* Rates of all nodes from those of the inputs, which are in place. */
static void forward_sweep(pki_graph *g, sweep *s)
{
  for (int k = 0; k < s->nlist; k++) {
    const int i = s->list[k];
    if (g->nodes[i].op != PKI_OP_INPUT) {
      s->d[i] = no_zero(g, node_rate(g, s, i));
    }
  }
}

static pki_x derivative_of(pki_graph *g, const sweep *s, pki_x x)
{
  return x < s->n && s->d[x] >= 0 ? s->d[x] : pki_const(g, 0);
}

bool pki_tangent(pki_graph *g, int count, const pki_x *values, int ninput, const pki_x *inputs,
                 const pki_x *seeds, pki_x *out)
{
  sweep s;
  if (!sweep_begin(&s, g, count, values, ninput, inputs)) {
    g->failed = true;
    return false;
  }
  for (int k = 0; k < ninput; k++) {
    if (is_active_node(&s, inputs[k])) {
      s.d[inputs[k]] = no_zero(g, plus_or_zero(g, s.d[inputs[k]], seeds[k]));
    }
  }
  forward_sweep(g, &s);
  for (int i = 0; i < count; i++) {
    out[i] = derivative_of(g, &s, values[i]);
  }
  sweep_end(&s);
  return !g->failed;
}

/* ---- reverse ---- */

static void hand_on(pki_graph *g, sweep *s, pki_x to, pki_x weight)
{
  s->d[to] = no_zero(g, plus_or_zero(g, s->d[to], weight));
}

/* Node i hands its weight on to its operands. */
static void hand_down(pki_graph *g, sweep *s, int i)
{
  const pki_graph_node n = g->nodes[i];
  const pki_x w = s->d[i];
  pki_x a, b;
  node_operands(g, i, &a, &b);
  const bool to_a = a >= 0 && is_active_node(s, a), to_b = b >= 0 && is_active_node(s, b);
  switch (n.op) {
  case PKI_OP_CONST:
  case PKI_OP_INPUT: break;
  case PKI_OP_ADD:
  case PKI_OP_SUB:
  case PKI_OP_MUL:
    if (to_a) {
      hand_on(g, s, a, n.op == PKI_OP_MUL ? pki_times(g, w, b) : w);
    }
    if (to_b) {
      hand_on(g, s, b, n.op == PKI_OP_MUL ? pki_times(g, w, a) : n.op == PKI_OP_SUB ? pki_neg(g, w) : w);
    }
    break;
  case PKI_OP_NEG: hand_on(g, s, a, pki_neg(g, w)); break;
  default: hand_on(g, s, a, pki_times(g, node_slope(g, i), w)); break;
  }
}

static void reverse_sweep(pki_graph *g, sweep *s)
{
  for (int k = s->nlist - 1; k >= 0; k--) {
    if (s->d[s->list[k]] >= 0) {
      hand_down(g, s, s->list[k]);
    }
  }
}

bool pki_gradient(pki_graph *g, int count, const pki_x *values, const pki_x *weights, int ninput,
                  const pki_x *inputs, pki_x *out)
{
  sweep s;
  if (!sweep_begin(&s, g, count, values, ninput, inputs)) {
    g->failed = true;
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (is_active_node(&s, values[i])) {
      hand_on(g, &s, values[i], weights[i]);
    }
  }
  reverse_sweep(g, &s);
  for (int k = 0; k < ninput; k++) {
    out[k] = derivative_of(g, &s, inputs[k]);
  }
  sweep_end(&s);
  return !g->failed;
}

/* ---- many at once ---- */

static void forget_derivatives(sweep *s)
{
  for (int k = 0; k < s->nlist; k++) {
    s->d[s->list[k]] = -1;
  }
}

bool pki_jacobian(pki_graph *g, int count, const pki_x *values, int ninput, const pki_x *inputs, pki_x *out)
{
  sweep s;
  if (!sweep_begin(&s, g, count, values, ninput, inputs)) {
    g->failed = true;
    return false;
  }
  const bool forward = ninput <= count;
  const pki_x one = pki_const(g, 1);
  for (int pass = 0; pass < (forward ? ninput : count); pass++) {
    const pki_x from = forward ? inputs[pass] : values[pass];
    forget_derivatives(&s);
    if (is_active_node(&s, from)) {
      s.d[from] = one;
      (forward ? forward_sweep : reverse_sweep)(g, &s);
    }
    for (int i = 0; forward && i < count; i++) {
      out[(size_t)i * (size_t)ninput + (size_t)pass] = derivative_of(g, &s, values[i]);
    }
    for (int k = 0; !forward && k < ninput; k++) {
      out[(size_t)pass * (size_t)ninput + (size_t)k] = derivative_of(g, &s, inputs[k]);
    }
  }
  sweep_end(&s);
  return !g->failed;
}

bool pki_sparsity(const pki_graph *g, int count, const pki_x *values, int ninput, const pki_x *inputs,
                  unsigned char *out)
{
  /* 64 inputs at a time, a bit each */
  const int n = nodes_up_to(count, values);
  uint64_t *bits = malloc(((size_t)n + 1) * sizeof *bits);
  if (bits == NULL) {
    return false;
  }
  for (int first = 0; first < ninput; first += 64) {
    const int many = ninput - first < 64 ? ninput - first : 64;
    memset(bits, 0, ((size_t)n + 1) * sizeof *bits);
    for (int k = 0; k < many; k++) {
      if (inputs[first + k] < n) {
        bits[inputs[first + k]] |= UINT64_C(1) << k;
      }
    }
    for (int i = 0; i < n; i++) {
      pki_x a, b;
      node_operands(g, i, &a, &b);
      bits[i] |= (a >= 0 ? bits[a] : 0) | (b >= 0 ? bits[b] : 0);
    }
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < many; k++) {
        out[(size_t)i * (size_t)ninput + (size_t)(first + k)] = bits[values[i]] >> k & 1;
      }
    }
  }
  free(bits);
  return true;
}

bool pki_hessian(pki_graph *g, pki_x value, int ninput, const pki_x *inputs, pki_x *out)
{
  const size_t n = (size_t)ninput;
  const pki_x one = pki_const(g, 1);
  pki_x *slopes = malloc((2 * n + 1) * sizeof *slopes);
  if (slopes == NULL) {
    g->failed = true;
    return false;
  }
  pki_x *column = slopes + n;
  pki_gradient(g, 1, &value, &one, ninput, inputs, slopes);
  /* rates of the slopes j >= k along input k */
  for (int k = 0; k < ninput && !g->failed; k++) {
    pki_tangent(g, ninput - k, slopes + k, 1, &inputs[k], &one, column);
    for (int j = k; j < ninput; j++) {
      out[(size_t)j * n + (size_t)k] = out[(size_t)k * n + (size_t)j] = column[j - k];
    }
  }
  free(slopes);
  return !g->failed;
}
