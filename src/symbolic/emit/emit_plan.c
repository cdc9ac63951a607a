#include "symbolic/emit/emit_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pki_emit_entry(const pki_function *f, int number, int *output, int *entry)
{
  int i = 0;
  while (number >= f->outputs[i].count) {
    number -= f->outputs[i++].count;
  }
  *output = i, *entry = number;
}

/* ---- uses ---- */

static int count_entries(const pki_function *f)
{
  int count = 0;
  for (int i = 0; i < f->noutput; i++) {
    count += f->outputs[i].count;
  }
  return count;
}

/* first, stores: the entries of outputs by node (counting sort). */
static void sort_stores(pki_emit_plan *p)
{
  const pki_function *f = p->f;
  const int count = f->graph->count;
  memset(p->first, 0, ((size_t)count + 2) * sizeof *p->first);
  for (int i = 0; i < f->noutput; i++) {
    for (int k = 0; k < f->outputs[i].count; k++) {
      p->first[f->outputs[i].values[k] + 2]++;
    }
  }
  for (int i = 2; i < count + 2; i++) {
    p->first[i] += p->first[i - 1];
  }
  for (int i = 0, number = 0; i < f->noutput; i++) {
    for (int k = 0; k < f->outputs[i].count; k++) {
      p->stores[p->first[f->outputs[i].values[k] + 1]++] = number++;
    }
  }
}

static int stores_of(const pki_emit_plan *p, pki_x x)
{
  return p->first[x + 1] - p->first[x];
}

/* ---- which nodes are named ---- */

static int count_digits(int n)
{
  return n < 10 ? 1 : 1 + count_digits(n / 10);
}

int pki_emit_leaf_width(const pki_emit_plan *p, pki_x x)
{
  const pki_graph *g = p->f->graph;
  const pki_graph_node *n = &g->nodes[x];
  if (n->op == PKI_OP_CONST) {
    return snprintf(NULL, 0, "%.15g", n->value);
  }
  if (n->op == PKI_OP_INPUT) {
    return (int)strlen(g->ports[n->a].name) + 2 + count_digits(n->b);
  }
  return p->angles.of[x] >= 0 ? 8 + count_digits(p->angles.of[x]) : 6;
}

static bool is_leaf(const pki_emit_plan *p, pki_x x)
{
  return p->named[x] || p->angles.of[x] >= 0 || pki_op_operands(p->f->graph->nodes[x].op) == 0;
}

static int width_of(const pki_emit_plan *p, const int *width, pki_x x)
{
  const pki_graph_node *n = &p->f->graph->nodes[x];
  const int operands = pki_op_operands(n->op);
  /* an operator with its blanks, perhaps brackets */
  const int within = (operands > 0 ? width[n->a] : 0) + (operands > 1 ? width[n->b] : 0);
  return is_leaf(p, x) ? pki_emit_leaf_width(p, x) : within + (n->op == PKI_OP_MUL ? 3 : 6);
}

/* The wider one of a node's operands that are not leaves; -1: there is none. */
static pki_x widest_operand(const pki_emit_plan *p, const int *width, pki_x x)
{
  const pki_graph_node *n = &p->f->graph->nodes[x];
  const int operands = pki_op_operands(n->op);
  const pki_x a = operands > 0 && !is_leaf(p, n->a) ? n->a : -1;
  const pki_x b = operands > 1 && !is_leaf(p, n->b) ? n->b : -1;
  return a < 0 ? b : b < 0 ? a : width[a] >= width[b] ? a : b;
}

/* Name operands until the expression is short. A product within a sum is not named itself, but its factors are, so that
 * it can be fused with the sum. */
static void shorten_expression(pki_emit_plan *p, int *width, pki_x x)
{
  const pki_graph *g = p->f->graph;
  const bool sum = g->nodes[x].op == PKI_OP_ADD || g->nodes[x].op == PKI_OP_SUB;
  for (width[x] = width_of(p, width, x); width[x] > PKI_EMIT_WIDTH; width[x] = width_of(p, width, x)) {
    pki_x product = widest_operand(p, width, x), part = product;
    if (part >= 0 && sum && g->nodes[part].op == PKI_OP_MUL) {
      part = widest_operand(p, width, part);
    }
    if (part < 0) {
      return;
    }
    p->named[part] = 1;
    width[part] = width_of(p, width, part);
    width[product] = width_of(p, width, product);
  }
}

/* How many sums could take a product in by a fused multiply-add: those whose other operand is no product. */
static void count_fusions(const pki_emit_plan *p, const int *order, int n, int *fusions)
{
  const pki_graph *g = p->f->graph;
  for (int i = 0; i < n; i++) {
    const pki_graph_node *node = &g->nodes[order[i]];
    if (node->op == PKI_OP_ADD || node->op == PKI_OP_SUB) {
      const bool a = g->nodes[node->a].op == PKI_OP_MUL, b = g->nodes[node->b].op == PKI_OP_MUL;
      fusions[node->a] += a && !b;
      fusions[node->b] += b && !a;
    }
  }
}

/* Written more than once without harm: a name, a constant, a sine; an input that has no name is read once. */
static bool is_cheap(const pki_emit_plan *p, pki_x x)
{
  return is_leaf(p, x) && (p->named[x] || p->f->graph->nodes[x].op != PKI_OP_INPUT);
}

/* A product of these that only sums use costs nothing when each of them takes it in: it is written in each. */
static bool is_cheap_to_repeat(const pki_emit_plan *p, const int *fusions, pki_x x)
{
  const pki_graph_node *n = &p->f->graph->nodes[x];
  return n->op == PKI_OP_MUL && fusions[x] == p->uses[x] && is_cheap(p, n->a) && is_cheap(p, n->b);
}

static void choose_names(pki_emit_plan *p, const int *fusions, int *width)
{
  const pki_graph *g = p->f->graph;
  for (int i = 0; i < g->count; i++) {
    p->named[i] = p->uses[i] > 1 && g->nodes[i].op != PKI_OP_CONST && p->angles.of[i] < 0 &&
                  !is_cheap_to_repeat(p, fusions, i);
    if (p->uses[i] > 0) {
      const unsigned char named = p->named[i];
      p->named[i] = 0;
      shorten_expression(p, width, i);
      p->named[i] = named;
    }
    width[i] = width_of(p, width, i);
  }
}

/* ---- statements and parts ---- */

static void list_statements(pki_emit_plan *p, const int *order, int n)
{
  const pki_function *f = p->f;
  int names = 0;
  for (int i = 0; i < n; i++) {
    const pki_x x = order[i];
    pki_statement s = {.node = x, .output = -1, .entry = -1};
    if (p->uses[x] == 1 && stores_of(p, x) == 1) {
      pki_emit_entry(f, p->stores[p->first[x]], &s.output, &s.entry);
      p->named[x] = 0;
    } else if (!p->named[x]) {
      continue;
    }
    p->name[x] = names += p->named[x] && f->graph->nodes[x].op != PKI_OP_INPUT;
    p->statements[p->count++] = s;
  }
  /* constants and early sines that are outputs */
  for (int i = 0; i < f->noutput; i++) {
    for (int k = 0; k < f->outputs[i].count; k++) {
      const pki_x x = f->outputs[i].values[k];
      if (f->graph->nodes[x].op == PKI_OP_CONST || p->angles.of[x] >= 0) {
        p->statements[p->count++] = (pki_statement){.node = x, .output = i, .entry = k};
      }
    }
  }
}

/* What the parts share is found by walking through the expressions. */
typedef struct walk {
  pki_emit_plan *p;
  int part;
  int *born, *last; /* parts in which a named node is computed, and last used */
} walk;

static void note_use(walk *w, pki_x x, bool top)
{
  pki_emit_plan *p = w->p;
  pki_emit_part *part = &p->parts[w->part];
  const pki_graph_node *n = &p->f->graph->nodes[x];
  if (p->angles.of[x] >= 0) {
    part->sine |= n->op == PKI_OP_SIN, part->cosine |= n->op == PKI_OP_COS;
  } else if (p->named[x] && !top) {
    w->last[x] = w->part;
    part->scratch |= w->born[x] < w->part;
  } else if (n->op == PKI_OP_INPUT) {
    part->ports |= 1u << n->a;
  } else {
    const int operands = pki_op_operands(n->op);
    if (operands > 0) {
      note_use(w, n->a, false);
    }
    if (operands > 1) {
      note_use(w, n->b, false);
    }
  }
}

static void note_statement(walk *w, const pki_statement *s)
{
  pki_emit_plan *p = w->p;
  note_use(w, s->node, true);
  if (s->output >= 0) {
    p->parts[w->part].outputs |= 1u << s->output;
    return;
  }
  w->born[s->node] = w->last[s->node] = w->part;
  for (int k = p->first[s->node]; k < p->first[s->node + 1]; k++) {
    int output, entry;
    pki_emit_entry(p->f, p->stores[k], &output, &entry);
    p->parts[w->part].outputs |= 1u << output;
  }
}

/* Places in scratch for what later parts read; a place is free again after the part of its last use. */
static void place_values(const walk *w, int *stack, int *next, int *leave)
{
  pki_emit_plan *p = w->p;
  int free_places = 0;
  for (int part = 0; part < p->nparts; part++) {
    leave[part] = -1;
  }
  for (int i = 0, part = 0; i < p->count; i++) {
    if (i == (part + 1) * p->part_size) {
      for (int place = leave[part]; place >= 0; place = next[place]) {
        stack[free_places++] = place;
      }
      part++;
    }
    const pki_x x = p->statements[i].node;
    if (p->statements[i].output < 0 && w->last[x] > part) {
      const int place = free_places > 0 ? stack[--free_places] : p->nscratch++;
      p->slot[x] = place;
      p->parts[part].scratch = true;
      next[place] = leave[w->last[x]], leave[w->last[x]] = place;
    }
  }
}

static bool split_parts(pki_emit_plan *p)
{
  const size_t count = (size_t)p->f->graph->count;
  p->nparts = p->count > PKI_EMIT_WHOLE ? (p->count + PKI_EMIT_PART - 1) / PKI_EMIT_PART : 1;
  p->part_size = (p->count + p->nparts - 1) / p->nparts;
  p->parts = calloc((size_t)p->nparts, sizeof *p->parts);
  int *numbers = calloc(4 * count + 1 + (size_t)p->nparts, sizeof *numbers);
  if (p->parts != NULL && numbers != NULL) {
    walk w = {.p = p, .born = numbers, .last = numbers + count};
    for (int i = 0; i < p->count; i++) {
      w.part = i / p->part_size;
      note_statement(&w, &p->statements[i]);
    }
    place_values(&w, numbers + 2 * count, numbers + 3 * count, numbers + 4 * count);
  }
  free(numbers);
  return p->parts != NULL && numbers != NULL;
}

/* ---- all of it ---- */

static bool make_emit_plan(pki_emit_plan *p, int *order, int *width, int *fusions)
{
  int n;
  if (!pki_schedule_after(p->f, &p->angles, order, &n, &p->alive)) {
    return false;
  }
  sort_stores(p);
  pki_uses_count(p->f, order, n, p->uses);
  count_fusions(p, order, n, fusions);
  choose_names(p, fusions, width);
  list_statements(p, order, n);
  return split_parts(p);
}

bool pki_emit_plan_make(const pki_function *f, pki_emit_plan *p)
{
  *p = (pki_emit_plan){.f = f, .nstore = count_entries(f)};
  const size_t count = (size_t)f->graph->count, all = count + (size_t)p->nstore + 2;
  if (!pki_angles_find(f, &p->angles)) {
    return false;
  }
  p->uses = calloc(count + 1, sizeof *p->uses);
  p->named = calloc(count + 1, 1);
  p->name = calloc(count + 1, sizeof *p->name);
  p->slot = malloc((count + 1) * sizeof *p->slot);
  p->first = malloc((count + 2) * sizeof *p->first);
  p->stores = malloc(all * sizeof *p->stores);
  p->statements = malloc(all * sizeof *p->statements);
  int *order = malloc((count + 1) * sizeof *order), *width = calloc(2 * count + 2, sizeof *width);
  bool good = p->uses != NULL && p->named != NULL && p->name != NULL && p->slot != NULL && p->first != NULL &&
              p->stores != NULL && p->statements != NULL && order != NULL && width != NULL;
  if (good) {
    memset(p->slot, -1, (count + 1) * sizeof *p->slot);
    good = make_emit_plan(p, order, width, width + count + 1);
  }
  free(order);
  free(width);
  if (!good) {
    pki_emit_plan_free(p);
  }
  return good;
}

void pki_emit_plan_free(pki_emit_plan *p)
{
  pki_angles_free(&p->angles);
  free(p->uses);
  free(p->named);
  free(p->name);
  free(p->slot);
  free(p->first);
  free(p->stores);
  free(p->statements);
  free(p->parts);
  *p = (pki_emit_plan){0};
}
