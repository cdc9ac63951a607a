#include "symbolic/emit/emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolic/emit/emit_plan.h"
#include "symbolic/graph/simplify.h"

enum { COLUMNS = 110 };

typedef struct writer {
  const pki_emit_plan *plan;
  const pki_function *f;
  const char *prefix;
  unsigned ports; /* of the signature */
  pki_text *text;
  pki_text line; /* an expression before it is broken into lines */
  bool raw;      /* names are not known yet: everything in place */
  int part;
  int *seen; /* [graph->count] the last part that read a value from scratch, counted from 1 */
} writer;

/* ---- names ---- */

void pki_emit_number(double value, pki_text *text)
{
  char number[64];
  if (!isfinite(value)) {
    pki_text_add(text, isnan(value) ? "(double)NAN" : value < 0 ? "-(double)INFINITY" : "(double)INFINITY");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(number, sizeof number, "%.*g", digits, value);
    if (strtod(number, NULL) == value) {
      break;
    }
  }
  /* a point in every locale, and a double where it could be an integer */
  char *comma = strchr(number, ',');
  if (comma != NULL) {
    *comma = '.';
  }
  pki_text_add(text, number);
  if (strpbrk(number, ".e") == NULL) {
    pki_text_add(text, ".0");
  }
}

/* An output that has the name of one of the ports gets another one. */
static void add_output_name(pki_text *text, const pki_function *f, unsigned ports, int output)
{
  bool taken = false;
  for (int i = 0; i < f->graph->nport; i++) {
    taken |= (ports >> i & 1) && strcmp(f->graph->ports[i].name, f->outputs[output].name) == 0;
  }
  pki_text_add(text, f->outputs[output].name);
  pki_text_add(text, taken ? "_out" : "");
}

/* ---- expressions ---- */

enum { SUM = 1, PRODUCT, SIGNED, LEAF }; /* how tightly an expression holds together */

static void put_expression(writer *w, pki_x x, int least, bool top);

static void put_leaf(writer *w, pki_x x)
{
  const pki_emit_plan *p = w->plan;
  const pki_graph_node *n = &w->f->graph->nodes[x];
  if (p->angles.of[x] >= 0) {
    pki_text_addf(&w->line, "%s[%d]", n->op == PKI_OP_SIN ? "sine" : "cosine", p->angles.of[x]);
  } else if (n->op == PKI_OP_INPUT) {
    pki_text_addf(&w->line, p->named[x] ? "%s_%d" : "%s[%d]", w->f->graph->ports[n->a].name, n->b);
  } else {
    pki_text_addf(&w->line, "t%d", p->name[x]);
  }
}

static void put_splat(writer *w, double value)
{
  pki_text_addf(&w->line, "%s_splat(", w->prefix);
  pki_emit_number(value, &w->line);
  pki_text_add(&w->line, ")");
}

/* A constant is a plain number beside a lane, and all lanes where it stands alone. */
static void put_operand(writer *w, pki_x x, int least, bool alone)
{
  const pki_graph_node *n = &w->f->graph->nodes[x];
  if (n->op != PKI_OP_CONST) {
    put_expression(w, x, least, false);
  } else if (alone) {
    put_splat(w, n->value);
  } else {
    pki_emit_number(n->value, &w->line);
  }
}

static void put_binary(writer *w, const pki_graph_node *n)
{
  const pki_graph_node *a = &w->f->graph->nodes[n->a], *b = &w->f->graph->nodes[n->b];
  const bool product = n->op == PKI_OP_MUL, both = a->op == PKI_OP_CONST && b->op == PKI_OP_CONST;
  put_operand(w, n->a, product ? PRODUCT : SUM, both);
  if (!product && b->op == PKI_OP_CONST && b->value < 0) { /* a + -2 reads a - 2 */
    pki_text_add(&w->line, n->op == PKI_OP_ADD ? " - " : " + ");
    pki_emit_number(-b->value, &w->line);
    return;
  }
  pki_text_add(&w->line, product ? " * " : n->op == PKI_OP_ADD ? " + " : " - ");
  put_operand(w, n->b, product ? SIGNED : PRODUCT, false);
}

static void put_call(writer *w, const char *name, pki_x a)
{
  pki_text_addf(&w->line, "%s_%s(", w->prefix, name);
  put_operand(w, a, SUM, true);
  pki_text_add(&w->line, ")");
}

/* Equal strength to the right would be another order of operations: b + c in a + (b + c) keeps its brackets. */
static void put_expression(writer *w, pki_x x, int least, bool top)
{
  const pki_graph_node *n = &w->f->graph->nodes[x];
  if ((w->plan->named[x] && !top && !w->raw) || w->plan->angles.of[x] >= 0) {
    put_leaf(w, x);
    return;
  }
  const bool sum = n->op == PKI_OP_ADD || n->op == PKI_OP_SUB;
  const int strength = sum                                          ? SUM
                       : n->op == PKI_OP_MUL || n->op == PKI_OP_INV ? PRODUCT
                       : n->op == PKI_OP_NEG                        ? SIGNED
                                                                    : LEAF;
  pki_text_add(&w->line, strength < least ? "(" : "");
  switch (n->op) {
  case PKI_OP_CONST: put_splat(w, n->value); break;
  case PKI_OP_INPUT: pki_text_addf(&w->line, "%s[%d]", w->f->graph->ports[n->a].name, n->b); break;
  case PKI_OP_NEG:
    pki_text_add(&w->line, "-");
    put_operand(w, n->a, LEAF, true);
    break;
  case PKI_OP_INV:
    pki_text_add(&w->line, "1.0 / ");
    put_operand(w, n->a, SIGNED, true);
    break;
  case PKI_OP_SQRT: put_call(w, "sqrt", n->a); break;
  case PKI_OP_SIN: put_call(w, "sin", n->a); break;
  case PKI_OP_COS: put_call(w, "cos", n->a); break;
  default: put_binary(w, n); break;
  }
  pki_text_add(&w->line, strength < least ? ")" : "");
}

/* ---- lines ---- */

/* The line, broken before operators where it is too long. */
static void flush_line(writer *w)
{
  const char *rest = w->line.data != NULL ? w->line.data : "";
  size_t room = COLUMNS - 2;
  pki_text_add(w->text, "  ");
  while (strlen(rest) > room) {
    const char *cut = NULL;
    for (const char *c = rest + 1; c[0] != '\0' && (cut == NULL || c < rest + room); c++) {
      if (c[0] == ' ' && c[1] != '\0' && strchr("+-*/", c[1]) != NULL && c[2] == ' ') {
        cut = c;
      }
    }
    if (cut == NULL) {
      break;
    }
    pki_text_add_bytes(w->text, rest, (size_t)(cut - rest));
    pki_text_add(w->text, "\n      ");
    rest = cut + 1;
    room = COLUMNS - 6;
  }
  pki_text_add(w->text, rest);
  pki_text_add(w->text, ";\n");
  w->text->failed |= w->line.failed;
  w->line.size = 0;
  if (w->line.data != NULL) {
    w->line.data[0] = '\0';
  }
}

/* Values of earlier parts that an expression reads. */
static void fetch_values(writer *w, pki_x x, bool top)
{
  const pki_emit_plan *p = w->plan;
  const pki_graph_node *n = &w->f->graph->nodes[x];
  if (p->angles.of[x] >= 0) {
    return;
  }
  if (p->named[x] && !top) {
    if (w->seen[x] != w->part + 1) {
      w->seen[x] = w->part + 1;
      pki_text_addf(&w->line, "const %s_r ", w->prefix);
      put_leaf(w, x);
      pki_text_addf(&w->line, " = scratch[%d]", p->slot[x]);
      flush_line(w);
    }
    return;
  }
  const int operands = pki_op_operands(n->op);
  if (operands > 0) {
    fetch_values(w, n->a, false);
  }
  if (operands > 1) {
    fetch_values(w, n->b, false);
  }
}

static void put_statement(writer *w, const pki_statement *s)
{
  const pki_emit_plan *p = w->plan;
  if (p->nparts > 1) {
    fetch_values(w, s->node, true);
  }
  if (s->output >= 0) {
    add_output_name(&w->line, w->f, w->ports, s->output);
    pki_text_addf(&w->line, "[%d] = ", s->entry);
    put_expression(w, s->node, SUM, true);
    flush_line(w);
    return;
  }
  w->seen[s->node] = w->part + 1;
  pki_text_addf(&w->line, "const %s_r ", w->prefix);
  put_leaf(w, s->node);
  pki_text_add(&w->line, " = ");
  put_expression(w, s->node, SUM, true);
  flush_line(w);
  for (int k = p->first[s->node]; k < p->first[s->node + 1]; k++) {
    int output, entry;
    pki_emit_entry(w->f, p->stores[k], &output, &entry);
    add_output_name(&w->line, w->f, w->ports, output);
    pki_text_addf(&w->line, "[%d] = ", entry);
    put_leaf(w, s->node);
    flush_line(w);
  }
  if (p->slot[s->node] >= 0) {
    pki_text_addf(&w->line, "scratch[%d] = ", p->slot[s->node]);
    put_leaf(w, s->node);
    flush_line(w);
  }
}

/* ---- functions ---- */

/* What a function takes: with types in its head, without where it is called. `type` is that of a
 * pointer, up to the name. */
static void add_arguments(pki_text *text, const pki_function *f, unsigned ports, const char *type,
                          pki_emit_part what)
{
  const char *comma = "";
  for (int i = 0; i < f->graph->nport; i++) {
    if (what.ports >> i & 1) {
      pki_text_addf(text, type != NULL ? "%sconst %s%s" : "%s%s%s", comma, type != NULL ? type : "",
                    f->graph->ports[i].name);
      comma = ", ";
    }
  }
  const bool inner[] = {what.sine, what.cosine};
  static const char *const names[] = {"sine", "cosine"};
  for (int i = 0; i < 2; i++) {
    if (inner[i]) {
      pki_text_addf(text, type != NULL ? "%sconst %s%s" : "%s%s%s", comma, type != NULL ? type : "",
                    names[i]);
      comma = ", ";
    }
  }
  for (int i = 0; i < f->noutput; i++) {
    if (what.outputs >> i & 1) {
      pki_text_addf(text, "%s%s", comma, type != NULL ? type : "");
      add_output_name(text, f, ports, i);
      comma = ", ";
    }
  }
  if (what.scratch) {
    pki_text_addf(text, "%s%sscratch", comma, type != NULL ? type : "");
    comma = ", ";
  }
  if (type != NULL && comma[0] == '\0') {
    pki_text_add(text, "void");
  }
}

/* The arrays that a caller gives. */
static pki_emit_part caller_interface(const pki_function *f)
{
  return (pki_emit_part){.outputs = (1u << f->noutput) - 1, .ports = pki_function_ports(f)};
}

static void add_comment(pki_text *text, const pki_function *f, pki_emit_part all)
{
  const pki_operations c = pki_function_count(f);
  pki_text_addf(text, "/* %s\n *\n", f->about);
  for (int i = 0; i < f->graph->nport; i++) {
    if (all.ports >> i & 1) {
      const pki_port *p = &f->graph->ports[i];
      pki_text_addf(text, " *   %s [%d]  %s\n", p->name, p->count, p->about);
    }
  }
  for (int i = 0; i < f->noutput; i++) {
    const pki_output *o = &f->outputs[i];
    pki_text_add(text, " *   ");
    add_output_name(text, f, all.ports, i);
    pki_text_addf(text, " [%d]  (out) %s", o->count, o->about);
    if (o->row != NULL) {
      pki_text_addf(text, "; the entries of a %d by %d matrix that are not always zero", o->rows, o->cols);
    } else if (o->rows > 0) {
      pki_text_addf(text, "; %d by %d, row by row", o->rows, o->cols);
    }
    pki_text_add(text, "\n");
  }
  pki_text_addf(text, " *\n * %d additions, %d multiplications, %d divisions, %d roots, %d angles. */\n",
                c.adds, c.muls, c.inverses, c.roots, c.sines);
}

static void put_part(writer *w, int part)
{
  const pki_emit_plan *p = w->plan;
  w->part = part;
  const int begin = part * p->part_size, end = begin + p->part_size;
  for (int i = begin; i < end && i < p->count; i++) {
    put_statement(w, &p->statements[i]);
  }
}

/* Angles are short sums of inputs: all of it in place. */
static void put_angles(writer *w)
{
  const pki_emit_plan *p = w->plan;
  if (p->angles.count == 0) {
    return;
  }
  char capitals[80];
  pki_capitals(w->prefix, capitals, sizeof capitals);
  pki_text_addf(w->text, "  %s_r ", w->prefix);
  static const char *const names[] = {"angle", "sine", "cosine"};
  for (int i = 0; i < 3; i++) {
    pki_text_addf(w->text, "%s%s[%s_ANGLES(%d)]", i > 0 ? ", " : "", names[i], capitals, p->angles.count);
  }
  pki_text_add(w->text, ";\n");
  w->raw = true;
  for (int i = 0; i < p->angles.count; i++) {
    pki_text_addf(&w->line, "angle[%d] = ", i);
    put_expression(w, p->angles.angle[i], SUM, true);
    flush_line(w);
  }
  w->raw = false;
  pki_text_addf(w->text, "  %s_sincos_all(%d, angle, sine, cosine);\n", w->prefix, p->angles.count);
}

static void put_parts(writer *w, const char *type)
{
  const pki_emit_plan *p = w->plan;
  for (int i = 0; i < p->nparts; i++) {
    pki_text_addf(w->text, "static __attribute__((noinline)) void %s_%s_part%d(", w->prefix, w->f->name,
                  i + 1);
    add_arguments(w->text, w->f, w->ports, type, p->parts[i]);
    pki_text_add(w->text, ")\n{\n");
    put_part(w, i);
    pki_text_add(w->text, "}\n\n");
  }
}

static void put_calls(writer *w)
{
  const pki_emit_plan *p = w->plan;
  if (p->nscratch > 0) {
    pki_text_addf(w->text, "  %s_r scratch[%d];\n", w->prefix, p->nscratch);
  }
  for (int i = 0; i < p->nparts; i++) {
    pki_text_addf(w->text, "  %s_%s_part%d(", w->prefix, w->f->name, i + 1);
    add_arguments(w->text, w->f, w->ports, NULL, p->parts[i]);
    pki_text_add(w->text, ");\n");
  }
}

/* Ports that belong to the signature and are not read, outputs without an entry. */
static void put_unread(pki_text *text, const pki_function *f, unsigned ports)
{
  pki_function without = *f;
  without.ports = 0;
  const unsigned unread = ports & ~pki_function_ports(&without);
  for (int i = 0; i < f->graph->nport; i++) {
    if (unread >> i & 1) {
      pki_text_addf(text, "  (void)%s;\n", f->graph->ports[i].name);
    }
  }
  for (int i = 0; i < f->noutput; i++) {
    if (f->outputs[i].count == 0) {
      pki_text_add(text, "  (void)");
      add_output_name(text, f, ports, i);
      pki_text_add(text, ";\n");
    }
  }
}

void pki_emit_function(const pki_function *f, const char *prefix, pki_text *text)
{
  pki_emit_plan plan;
  char type[80], capitals[80];
  snprintf(type, sizeof type, f->in_place ? "%s_a *" : "%s_a *restrict ", prefix);
  if (f->failed || pki_graph_failed(f->graph) || !pki_emit_plan_make(f, &plan)) {
    text->failed = true;
    return;
  }
  const pki_emit_part all = caller_interface(f);
  writer w = {.plan = &plan, .f = f, .prefix = prefix, .ports = all.ports, .text = text};
  w.seen = calloc((size_t)f->graph->count + 1, sizeof *w.seen);
  if (w.seen == NULL) {
    text->failed = true;
    pki_emit_plan_free(&plan);
    return;
  }
  if (plan.nparts > 1) {
    put_parts(&w, type);
  }
  add_comment(text, f, all);
  pki_text_addf(text, "void %s_FN(%s)(", pki_capitals(prefix, capitals, sizeof capitals), f->name);
  add_arguments(text, f, all.ports, type, all);
  pki_text_add(text, ")\n{\n");
  put_unread(text, f, all.ports);
  put_angles(&w);
  if (plan.nparts > 1) {
    put_calls(&w);
  } else {
    put_part(&w, 0);
  }
  pki_text_add(text, "}\n");
  free(w.seen);
  pki_text_free(&w.line);
  pki_emit_plan_free(&plan);
}

bool pki_emit_simplified(const pki_function *f, const char *prefix, pki_text *text)
{
  pki_graph *g = pki_graph_create(false);
  pki_function simple = {0};
  const bool good = g != NULL && pki_simplify(f, g, &simple);
  if (good) {
    pki_emit_function(&simple, prefix, text);
  }
  pki_function_free(&simple);
  pki_graph_destroy(g);
  return good && !text->failed;
}

void pki_emit_prototype(const pki_function *f, const char *prefix, pki_text *text)
{
  static const char *const endings[] = {"", "_x4", "_x8"};
  char type[80] = "double *";
  const pki_emit_part all = caller_interface(f);
  add_comment(text, f, all);
  for (int i = 0; i < 3; i++) {
    if (i > 0) {
      snprintf(type, sizeof type, "%s%s *", prefix, endings[i]);
    }
    pki_text_addf(text, "void %s_%s%s(", prefix, f->name, endings[i]);
    add_arguments(text, f, all.ports, type, all);
    pki_text_add(text, ");\n");
  }
}

bool pki_emit_measure(const pki_function *f, pki_emit_info *info)
{
  pki_emit_plan plan;
  if (!pki_emit_plan_make(f, &plan)) {
    return false;
  }
  *info = (pki_emit_info){.statements = plan.count,
                          .parts = plan.nparts,
                          .alive = plan.alive,
                          .angles = plan.angles.count,
                          .scratch = plan.nscratch};
  pki_emit_plan_free(&plan);
  return true;
}
