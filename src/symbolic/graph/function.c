/* Functions: outputs, what they need, what it costs, and their values. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "symbolic/graph/graph.h"

void pki_function_init(pki_function *f, pki_graph *g, const char *name, const char *about)
{
  *f = (pki_function){.graph = g};
  strncpy(f->name, name, sizeof f->name - 1);
  strncpy(f->about, about, sizeof f->about - 1);
}

void pki_function_read(pki_function *f, const char *name, int count, const char *about, pki_x *to)
{
  const int port = pki_graph_port(f->graph, name, count, about);
  f->ports |= 1u << port;
  for (int i = 0; i < count; i++) {
    to[i] = pki_input(f->graph, port, i);
  }
}

static pki_output *next_output(pki_function *f, const char *name, int count, const char *about)
{
  if (f->noutput == PKI_OUTPUTS) {
    f->failed = true;
    return NULL;
  }
  pki_output *o = &f->outputs[f->noutput];
  o->values = calloc((size_t)(count > 0 ? count : 1), sizeof *o->values);
  if (o->values == NULL) {
    f->failed = true;
    return NULL;
  }
  strncpy(o->name, name, sizeof o->name - 1);
  strncpy(o->about, about, sizeof o->about - 1);
  o->count = count;
  f->noutput++;
  return o;
}

pki_x *pki_function_add(pki_function *f, const char *name, int count, const char *about)
{
  pki_output *o = next_output(f, name, count, about);
  return o != NULL ? o->values : NULL;
}

void pki_function_add_sparse(pki_function *f, const char *name, int rows, int cols, const pki_x *dense,
                             const char *about)
{
  int count = 0;
  for (int e = 0; e < rows * cols; e++) {
    count += !pki_is_const(f->graph, dense[e], 0);
  }
  pki_output *o = next_output(f, name, count, about);
  if (o == NULL) {
    return;
  }
  o->rows = rows, o->cols = cols;
  o->row = calloc((size_t)count + 1, sizeof *o->row);
  o->col = calloc((size_t)count + 1, sizeof *o->col);
  if (o->row == NULL || o->col == NULL) {
    f->failed = true;
    return;
  }
  for (int e = 0, k = 0; e < rows * cols; e++) {
    if (!pki_is_const(f->graph, dense[e], 0)) {
      o->values[k] = dense[e], o->row[k] = e / cols, o->col[k] = e % cols;
      k++;
    }
  }
}

void pki_function_free(pki_function *f)
{
  for (int i = 0; i < f->noutput; i++) {
    free(f->outputs[i].values);
    free(f->outputs[i].row);
    free(f->outputs[i].col);
  }
  *f = (pki_function){0};
}

void pki_function_used(const pki_function *f, unsigned char *used)
{
  const pki_graph *g = f->graph;
  memset(used, 0, (size_t)g->count);
  for (int i = 0; i < f->noutput; i++) {
    for (int k = 0; k < f->outputs[i].count; k++) {
      used[f->outputs[i].values[k]] = 1;
    }
  }
  /* operands come before results */
  for (int i = g->count - 1; i >= 0; i--) {
    const pki_graph_node *n = &g->nodes[i];
    const int operands = used[i] ? pki_op_operands(n->op) : 0;
    if (operands > 0) {
      used[n->a] = 1;
    }
    if (operands > 1) {
      used[n->b] = 1;
    }
  }
}

unsigned pki_function_ports(const pki_function *f)
{
  const pki_graph *g = f->graph;
  unsigned ports = f->ports;
  unsigned char *used = malloc((size_t)g->count + 1);
  if (used != NULL) {
    pki_function_used(f, used);
  }
  for (int i = 0; i < g->count && used != NULL; i++) {
    ports |= used[i] && g->nodes[i].op == PKI_OP_INPUT ? 1u << g->nodes[i].a : 0;
  }
  free(used);
  return ports;
}

int pki_count_all(pki_operations c)
{
  return c.adds + c.muls + c.inverses + c.roots;
}

pki_operations pki_function_count(const pki_function *f)
{
  const pki_graph *g = f->graph;
  pki_operations c = {0};
  unsigned char *used = malloc(2 * (size_t)g->count + 1);
  if (used == NULL) {
    return c;
  }
  unsigned char *turned = used + g->count;
  memset(turned, 0, (size_t)g->count);
  pki_function_used(f, used);
  for (int i = 0; i < g->count; i++) {
    const pki_graph_node *n = &g->nodes[i];
    if (!used[i]) {
      continue;
    }
    switch (n->op) {
    case PKI_OP_INPUT: c.ports++; break;
    case PKI_OP_ADD:
    case PKI_OP_SUB: c.adds++; break;
    case PKI_OP_MUL: c.muls++; break;
    case PKI_OP_INV: c.inverses++; break;
    case PKI_OP_SQRT: c.roots++; break;
    case PKI_OP_SIN:
    case PKI_OP_COS:
      c.sines += !turned[n->a];
      turned[n->a] = 1;
      break;
    default: break;
    }
  }
  free(used);
  return c;
}

/* A node's value from its operands'. Of real numbers it is real, and rounded as such. */
static double _Complex value_of(const pki_graph_node *n, const double _Complex *v,
                                const double _Complex *const *ports)
{
  const int operands = pki_op_operands(n->op);
  const double _Complex a = operands > 0 ? v[n->a] : 0, b = operands > 1 ? v[n->b] : 0;
  const bool real = cimag(a) == 0 && cimag(b) == 0;
  switch (n->op) {
  case PKI_OP_CONST: return n->value;
  case PKI_OP_INPUT: return ports[n->a][n->b];
  case PKI_OP_NEG: return -a;
  case PKI_OP_ADD: return a + b;
  case PKI_OP_SUB: return a - b;
  case PKI_OP_MUL: return real ? creal(a) * creal(b) : a * b;
  case PKI_OP_INV: return real ? 1 / creal(a) : 1 / a;
  case PKI_OP_SQRT: return real ? sqrt(creal(a)) : csqrt(a);
  case PKI_OP_SIN: return real ? sin(creal(a)) : csin(a);
  default: return real ? cos(creal(a)) : ccos(a);
  }
}

bool pki_function_evaluate_complex(const pki_function *f, const double _Complex *const *ports,
                                   double _Complex *out)
{
  const pki_graph *g = f->graph;
  unsigned char *used = malloc((size_t)g->count + 1);
  double _Complex *v = malloc(((size_t)g->count + 1) * sizeof *v);
  const bool good = used != NULL && v != NULL;
  if (good) {
    pki_function_used(f, used);
  }
  for (int i = 0; i < g->count && good; i++) {
    v[i] = used[i] ? value_of(&g->nodes[i], v, ports) : 0;
  }
  for (int i = 0; i < f->noutput && good; i++) {
    for (int k = 0; k < f->outputs[i].count; k++) {
      *out++ = v[f->outputs[i].values[k]];
    }
  }
  free(used);
  free(v);
  return good;
}

bool pki_function_evaluate(const pki_function *f, const double *const *ports, double *out)
{
  const pki_graph *g = f->graph;
  const unsigned read = pki_function_ports(f);
  size_t count = 0, at = 0;
  for (int i = 0; i < g->nport; i++) {
    count += read >> i & 1 ? (size_t)g->ports[i].count : 0;
  }
  for (int i = 0; i < f->noutput; i++) {
    count += (size_t)f->outputs[i].count;
  }
  double _Complex *numbers = malloc((count + 1) * sizeof *numbers);
  const double _Complex *inputs[PKI_PORTS] = {NULL};
  for (int i = 0; i < g->nport && numbers != NULL; i++) {
    inputs[i] = numbers + at;
    for (int k = 0; read >> i & 1 && k < g->ports[i].count; k++) {
      numbers[at++] = ports[i][k];
    }
  }
  const bool good = numbers != NULL && pki_function_evaluate_complex(f, inputs, numbers + at);
  for (; at < count && good; at++) {
    *out++ = creal(numbers[at]);
  }
  free(numbers);
  return good;
}
