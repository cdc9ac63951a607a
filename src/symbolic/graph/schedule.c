#include "symbolic/graph/schedule.h"

#include <stdlib.h>
#include <string.h>

/* ---- angles that are known at once ---- */

enum { LONGEST_ANGLE = 12 }; /* inputs and constants in a sum */

/* Terms of a sum of inputs with constants; 0: it is none, or too long. */
static void count_terms(const pki_graph *g, unsigned char *terms)
{
  for (int i = 0; i < g->count; i++) {
    const pki_graph_node *n = &g->nodes[i];
    int sum = 0;
    switch (n->op) {
    case PKI_OP_CONST:
    case PKI_OP_INPUT: sum = 1; break;
    case PKI_OP_NEG: sum = terms[n->a]; break;
    case PKI_OP_ADD:
    case PKI_OP_SUB: sum = terms[n->a] > 0 && terms[n->b] > 0 ? terms[n->a] + terms[n->b] : 0; break;
    case PKI_OP_MUL: sum = g->nodes[n->a].op == PKI_OP_CONST ? terms[n->b] : 0; break;
    default: break;
    }
    terms[i] = (unsigned char)(sum <= LONGEST_ANGLE ? sum : 0);
  }
}

/* Which inputs are part of x, a short sum. */
static void mark_inputs(const pki_graph *g, pki_x x, unsigned char *read)
{
  const pki_graph_node *n = &g->nodes[x];
  if (n->op == PKI_OP_INPUT) {
    read[x] = 1;
  }
  const int operands = pki_op_operands(n->op);
  if (operands > 0) {
    mark_inputs(g, n->a, read);
  }
  if (operands > 1) {
    mark_inputs(g, n->b, read);
  }
}

bool pki_angles_find(const pki_function *f, pki_angles *angles)
{
  const pki_graph *g = f->graph;
  const size_t count = (size_t)g->count + 1;
  unsigned char *used = malloc(count), *terms = malloc(count);
  int *of_argument = malloc(count * sizeof *of_argument);
  *angles = (pki_angles){
      .angle = malloc(count * sizeof(pki_x)), .of = malloc(count * sizeof(int)), .read = calloc(count, 1)};
  const bool good = used != NULL && terms != NULL && of_argument != NULL && angles->angle != NULL &&
                    angles->of != NULL && angles->read != NULL;
  if (good) {
    pki_function_used(f, used);
    count_terms(g, terms);
    memset(of_argument, -1, count * sizeof *of_argument);
  }
  for (int i = 0; good && i < g->count; i++) {
    const pki_graph_node *n = &g->nodes[i];
    angles->of[i] = -1;
    if (!used[i] || (n->op != PKI_OP_SIN && n->op != PKI_OP_COS) || terms[n->a] == 0) {
      continue;
    }
    if (of_argument[n->a] < 0) {
      of_argument[n->a] = angles->count;
      angles->angle[angles->count++] = n->a;
      mark_inputs(g, n->a, angles->read);
    }
    angles->of[i] = of_argument[n->a];
  }
  free(used);
  free(terms);
  free(of_argument);
  if (!good) {
    pki_angles_free(angles);
  }
  return good;
}

void pki_angles_free(pki_angles *angles)
{
  free(angles->angle);
  free(angles->of);
  free(angles->read);
  *angles = (pki_angles){0};
}

/* ---- uses ---- */

void pki_uses_count(const pki_function *f, const int *nodes, int n, int *uses)
{
  const pki_graph *g = f->graph;
  for (int i = 0; i < f->noutput; i++) {
    for (int k = 0; k < f->outputs[i].count; k++) {
      uses[f->outputs[i].values[k]]++;
    }
  }
  /* users come before operands */
  for (int i = nodes != NULL ? n - 1 : g->count - 1; i >= 0; i--) {
    const int x = nodes != NULL ? nodes[i] : i;
    const pki_graph_node *node = &g->nodes[x];
    const int operands = nodes != NULL || uses[x] > 0 ? pki_op_operands(node->op) : 0;
    if (operands > 0) {
      uses[node->a]++;
    }
    if (operands > 1) {
      uses[node->b]++;
    }
  }
}

/* ---- orders ---- */

typedef struct schedule {
  const pki_function *f;
  const pki_graph *g;
  const pki_angles *angles;
  unsigned char *wanted; /* [count] 1: has a place in the order */
  int *need;             /* [count] registers, Sethi-Ullman */
  int *stack;            /* [2 count + 2] */
  int *uses;             /* [count] */
} schedule;

/* Operands of a node that have a place in the order. */
static int operands_of(const schedule *s, int node, int operand[2])
{
  const pki_graph_node *n = &s->g->nodes[node];
  const int operands = pki_op_operands(n->op);
  int count = 0;
  if (operands > 0 && s->wanted[n->a]) {
    operand[count++] = n->a;
  }
  if (operands > 1 && s->wanted[n->b]) {
    operand[count++] = n->b;
  }
  return count;
}

/* Like pki_function_used, but not beyond angles, and without constants. */
static void mark_wanted(schedule *s)
{
  const pki_graph *g = s->g;
  memset(s->wanted, 0, (size_t)g->count);
  for (int i = 0; i < s->f->noutput; i++) {
    for (int k = 0; k < s->f->outputs[i].count; k++) {
      s->wanted[s->f->outputs[i].values[k]] = 1;
    }
  }
  for (int i = g->count - 1; i >= 0; i--) {
    const pki_graph_node *n = &g->nodes[i];
    s->wanted[i] = s->wanted[i] && n->op != PKI_OP_CONST && s->angles->of[i] < 0;
    const int operands = s->wanted[i] ? pki_op_operands(n->op) : 0;
    if (operands > 0) {
      s->wanted[n->a] = 1;
    }
    if (operands > 1) {
      s->wanted[n->b] = 1;
    }
  }
}

static void number_needs(schedule *s)
{
  for (int i = 0; i < s->g->count; i++) {
    int operand[2];
    const int operands = s->wanted[i] ? operands_of(s, i, operand) : 0;
    const int a = operands > 0 ? s->need[operand[0]] : 1, b = operands > 1 ? s->need[operand[1]] : 0;
    s->need[i] = a == b ? a + 1 : a > b ? a : b;
  }
}

/* Depth first below one node; `done` marks what has its place. */
static int place_below(schedule *s, int root, unsigned char *done, int *order, int n)
{
  int top = 0;
  s->stack[top++] = root;
  while (top > 0) {
    const int node = s->stack[top - 1];
    int operand[2];
    const int operands = operands_of(s, node, operand);
    const bool wait_a = operands > 0 && !done[operand[0]], wait_b = operands > 1 && !done[operand[1]];
    if (done[node] || (!wait_a && !wait_b)) {
      if (!done[node]) {
        order[n++] = node, done[node] = 1;
      }
      top--;
    } else if (wait_a && wait_b) {
      s->stack[top++] = operand[s->need[operand[1]] > s->need[operand[0]]];
    } else {
      s->stack[top++] = operand[wait_b];
    }
  }
  return n;
}

/* Inputs that angles and others read: before anything is stored. */
static int place_first(const schedule *s, unsigned char *done, int *order)
{
  int n = 0;
  for (int i = 0; i < s->g->count; i++) {
    if (s->wanted[i] && s->angles->read[i]) {
      order[n++] = i, done[i] = 1;
    }
  }
  return n;
}

static int order_depth_first(schedule *s, unsigned char *done, int *order)
{
  int n = place_first(s, done, order);
  for (int i = 0; i < s->f->noutput; i++) {
    for (int k = 0; k < s->f->outputs[i].count; k++) {
      const int root = s->f->outputs[i].values[k];
      n = s->wanted[root] ? place_below(s, root, done, order, n) : n;
    }
  }
  return n;
}

/* As the nodes were made, but inputs where they are first needed. */
static int order_as_made(schedule *s, unsigned char *done, int *order)
{
  int n = place_first(s, done, order);
  for (int i = 0; i < s->g->count; i++) {
    if (s->wanted[i] && s->g->nodes[i].op != PKI_OP_INPUT) {
      n = place_below(s, i, done, order, n);
    }
  }
  for (int i = 0; i < s->g->count; i++) {
    n = s->wanted[i] ? place_below(s, i, done, order, n) : n; /* inputs that are outputs */
  }
  return n;
}

/* The largest number of values that wait for a use. */
static int most_alive(schedule *s, const int *order, int n)
{
  int alive = 0, most = 0;
  memset(s->uses, 0, (size_t)s->g->count * sizeof *s->uses);
  for (int i = 0; i < n; i++) {
    int operand[2];
    for (int k = operands_of(s, order[i], operand) - 1; k >= 0; k--) {
      s->uses[operand[k]]++;
    }
  }
  for (int i = 0; i < n; i++) {
    int operand[2];
    for (int k = operands_of(s, order[i], operand) - 1; k >= 0; k--) {
      alive -= --s->uses[operand[k]] == 0;
    }
    alive += s->uses[order[i]] > 0;
    most = alive > most ? alive : most;
  }
  return most;
}

static void choose_order(schedule *s, unsigned char *done, int *other, int *order, int *n, int *alive)
{
  mark_wanted(s);
  number_needs(s);
  memset(done, 0, (size_t)s->g->count);
  *n = order_depth_first(s, done, order);
  *alive = most_alive(s, order, *n);
  memset(done, 0, (size_t)s->g->count);
  const int m = order_as_made(s, done, other), most = most_alive(s, other, m);
  if (most < *alive) {
    memcpy(order, other, (size_t)m * sizeof *order);
    *n = m, *alive = most;
  }
}

bool pki_schedule_after(const pki_function *f, const pki_angles *angles, int *order, int *n, int *alive)
{
  const size_t count = (size_t)f->graph->count;
  unsigned char *marks = malloc(2 * count + 1);
  int *numbers = malloc((5 * count + 2) * sizeof *numbers);
  const bool good = marks != NULL && numbers != NULL;
  if (good) {
    schedule s = {.f = f, .g = f->graph, .angles = angles};
    s.wanted = marks;
    s.need = numbers, s.uses = numbers + count, s.stack = numbers + 3 * count;
    choose_order(&s, marks + count, numbers + 2 * count, order, n, alive);
  }
  free(marks);
  free(numbers);
  return good;
}

bool pki_schedule(const pki_function *f, int *order, int *n, int *alive)
{
  pki_angles angles;
  if (!pki_angles_find(f, &angles)) {
    return false;
  }
  const bool good = pki_schedule_after(f, &angles, order, n, alive);
  pki_angles_free(&angles);
  return good;
}
