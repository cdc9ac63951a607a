/* From a graph to a tape: the order of its nodes, signs and products taken into the steps that use them, registers. */
#include "optimize/nlp/tape.h"

#include <stdlib.h>
#include <string.h>

#include "symbolic/graph/schedule.h"

enum { ZERO = 0, ONE = 1 }; /* constants of every tape */

/* What is known of nodes while a tape is made; arrays are [graph->count] unless they say otherwise. */
typedef struct recorder {
  pki_graph *g;
  pki_tape *tape;
  int *order; /* nodes in the order in which they are computed */
  int n;
  int *base;            /* the node whose value a node has, */
  int *minus;           /* 1: with the opposite sign */
  int *uses;            /* of a base, by operations and results */
  int *same, *opposite; /* of these, results of the same and of the opposite sign */
  int *last;            /* place in the order of a base's last use */
  int *inside;          /* 1: a product that is part of its only user */
  int *sine, *cosine;   /* of an angle: its sine and cosine nodes that are wanted, 0: none */
  int *where;           /* a base's register, -1: not computed */
  int *against;         /* the register of its opposite, -1: none */
  int *spare;           /* temporaries that are free, the last one first */
  int nspare, nresult;  /* results that have a register */
  int unread;           /* a register for what nobody wants */
  int room_steps, room_runs;
  bool failed; /* out of memory */
} recorder;

/* A register with a sign. */
typedef struct operand {
  int where, minus;
} operand;

static const operand zero = {ZERO, 0}, one = {ONE, 0};

/* ---- growing lists ---- */

static bool has_room(recorder *r, void **list, int count, int *room, size_t size)
{
  if (count < *room) {
    return true;
  }
  const int more = *room < 64 ? 64 : 2 * *room;
  void *larger = realloc(*list, (size_t)more * size);
  if (larger == NULL) {
    r->failed = true;
    return false;
  }
  *list = larger, *room = more;
  return true;
}

static void begin_run(recorder *r)
{
  pki_tape *t = r->tape;
  if (has_room(r, (void **)&t->runs, t->nrun, &r->room_runs, sizeof *t->runs)) {
    t->runs[t->nrun++] = (pki_tape_run){.op = PKI_TAPE_END};
  }
}

static void end_run(recorder *r, int op, int d, int e, int a)
{
  pki_tape *t = r->tape;
  pki_tape_run *run = &t->runs[t->nrun - 1];
  run->op = op, run->d = (uint32_t)d, run->e = (uint32_t)e, run->a = (uint32_t)a;
  begin_run(r);
}

/* d = a b + c */
static void add_step(recorder *r, int d, operand a, operand b, operand c)
{
  pki_tape *t = r->tape;
  if (has_room(r, (void **)&t->steps, t->nstep, &r->room_steps, sizeof *t->steps)) {
    t->steps[t->nstep++] = (pki_tape_step){.d = (uint32_t)d,
                                           .a = (uint32_t)a.where | (a.minus != b.minus ? PKI_TAPE_MINUS : 0),
                                           .b = (uint32_t)b.where,
                                           .c = (uint32_t)c.where | (c.minus ? PKI_TAPE_MINUS : 0)};
    t->runs[t->nrun - 1].steps++;
  }
}

/* ---- what nodes are ---- */

static bool is_computed(const recorder *r, pki_x x)
{
  return r->g->nodes[x].op > PKI_OP_INPUT;
}

/* A negation is its operand's register with a sign. */
static void find_bases(recorder *r)
{
  for (int i = 0; i < r->g->count; i++) {
    const pki_graph_node *n = &r->g->nodes[i];
    const bool negation = n->op == PKI_OP_NEG;
    r->base[i] = negation ? r->base[n->a] : i;
    r->minus[i] = negation ? !r->minus[n->a] : 0;
    r->where[i] = -1;
  }
}

static void count_uses(recorder *r, int count, const pki_x *values)
{
  for (int i = 0; i < count; i++) {
    const pki_x x = r->base[values[i]];
    r->uses[x]++;
    (r->minus[values[i]] ? r->opposite : r->same)[x]++;
  }
  for (int i = 0; i < r->n; i++) {
    const pki_graph_node *n = &r->g->nodes[r->order[i]];
    const int operands = n->op == PKI_OP_NEG ? 0 : pki_op_operands(n->op);
    if (operands > 0) {
      r->uses[r->base[n->a]]++;
    }
    if (operands > 1) {
      r->uses[r->base[n->b]]++;
    }
    if (n->op == PKI_OP_SIN) {
      r->sine[n->a] = r->order[i];
    } else if (n->op == PKI_OP_COS) {
      r->cosine[n->a] = r->order[i];
    }
  }
}

static bool is_lone_product(const recorder *r, pki_x x)
{
  return r->g->nodes[x].op == PKI_OP_MUL && r->uses[x] == 1;
}

/* Of a sum: the operand that is a product of its own, -1: none. Operands are bases. */
static pki_x product_of(const recorder *r, pki_x a, pki_x b)
{
  return is_lone_product(r, b) ? b : is_lone_product(r, a) ? a : -1;
}

/* Which products go into sums, and where each base is used last. */
static void find_last_uses(recorder *r)
{
  for (int i = 0; i < r->n; i++) {
    const pki_graph_node *n = &r->g->nodes[r->order[i]];
    const int operands = n->op == PKI_OP_NEG ? 0 : pki_op_operands(n->op);
    const pki_x a = operands > 0 ? r->base[n->a] : -1, b = operands > 1 ? r->base[n->b] : -1;
    if (a >= 0) {
      r->last[a] = i;
    }
    if (b >= 0) {
      r->last[b] = i;
    }
    const bool sum = n->op == PKI_OP_ADD || n->op == PKI_OP_SUB;
    const pki_x product = sum ? product_of(r, a, b) : -1;
    if (product >= 0) {
      const pki_graph_node *p = &r->g->nodes[product];
      r->inside[product] = 1;
      r->last[r->base[p->a]] = r->last[r->base[p->b]] = i;
    }
  }
}

/* ---- registers ---- */

/* Constants come first, 0 and 1 before all others. */
static bool number_constants(recorder *r)
{
  pki_tape *t = r->tape;
  t->constants = malloc(((size_t)r->g->count + 2) * sizeof *t->constants);
  if (t->constants == NULL) {
    return false;
  }
  t->constants[ZERO] = 0, t->constants[ONE] = 1;
  t->nconstant = 2;
  for (int i = 0; i < r->g->count; i++) {
    const pki_graph_node *n = &r->g->nodes[i];
    if (n->op != PKI_OP_CONST || r->uses[i] == 0) {
      continue;
    }
    if (n->value == 0 || n->value == 1) {
      r->where[i] = n->value == 1 ? ONE : ZERO;
    } else {
      r->where[i] = t->nconstant;
      t->constants[t->nconstant++] = n->value;
    }
  }
  return true;
}

static void number_inputs(recorder *r)
{
  int first[PKI_PORTS] = {0};
  pki_tape *t = r->tape;
  t->ninput = 0;
  for (int p = 0; p < r->g->nport; p++) {
    first[p] = t->ninput;
    t->ninput += r->g->ports[p].count;
  }
  for (int i = 0; i < r->g->count; i++) {
    const pki_graph_node *n = &r->g->nodes[i];
    if (n->op == PKI_OP_INPUT) {
      r->where[i] = t->nconstant + first[n->a] + n->b;
    }
  }
}

static int new_result(recorder *r)
{
  return r->tape->nconstant + r->tape->ninput + r->nresult++;
}

/* A register for a base's value. */
static int new_register(recorder *r, pki_x x)
{
  if (r->same[x] > 0) {
    return new_result(r);
  }
  return r->nspare > 0 ? r->spare[--r->nspare] : r->tape->nregister++;
}

/* After place i of the order: whoever is not needed any more leaves its register. */
static void release_register(recorder *r, int i, pki_x x)
{
  if (is_computed(r, x) && r->last[x] == i && r->same[x] == 0 && r->where[x] >= 0) {
    r->spare[r->nspare++] = r->where[x];
    r->last[x] = -1;
  }
}

/* ---- steps ---- */

static operand operand_of(const recorder *r, pki_x x)
{
  return (operand){r->where[r->base[x]], r->minus[x]};
}

static operand with_sign(operand x, int minus)
{
  return (operand){x.where, x.minus != minus};
}

/* A base whose opposite alone is wanted is computed as that. */
static bool is_opposite_only(const recorder *r, pki_x x)
{
  return r->opposite[x] > 0 && r->opposite[x] == r->uses[x];
}

/* The opposite of a base for results, where it is wanted and not there. */
static void add_opposite(recorder *r, pki_x x)
{
  if (r->opposite[x] > 0 && r->against[x] < 0) {
    r->against[x] = new_result(r);
    add_step(r, r->against[x], (operand){r->where[x], 1}, one, zero);
  }
}

/* Sums, differences and products. */
static void add_arithmetic(recorder *r, int i)
{
  const pki_x x = r->order[i];
  const pki_graph_node *n = &r->g->nodes[x];
  const pki_x a = r->base[n->a], b = r->base[n->b];
  const int flip = is_opposite_only(r, x);
  operand left = operand_of(r, n->a), right = one, addend = zero;
  pki_x freed[3] = {a, b, -1};
  if (n->op == PKI_OP_MUL) {
    right = operand_of(r, n->b);
  } else {
    const int minus = n->op == PKI_OP_SUB;
    const pki_x product = product_of(r, a, b);
    addend = with_sign(operand_of(r, n->b), minus);
    if (product >= 0) {
      const pki_graph_node *p = &r->g->nodes[product];
      const bool second = product == b;
      addend = second ? operand_of(r, n->a) : addend;
      left = with_sign(operand_of(r, p->a), second ? r->minus[n->b] != minus : r->minus[n->a]);
      right = operand_of(r, p->b);
      freed[0] = second ? a : b, freed[1] = r->base[p->a], freed[2] = r->base[p->b];
    }
  }
  for (int k = 0; k < 3; k++) {
    if (freed[k] >= 0) {
      release_register(r, i, freed[k]);
    }
  }
  if (flip) {
    r->against[x] = new_result(r);
    add_step(r, r->against[x], with_sign(left, 1), right, with_sign(addend, 1));
  } else {
    r->where[x] = new_register(r, x);
    add_step(r, r->where[x], left, right, addend);
    add_opposite(r, x);
  }
}

/* A register that holds an operand without a sign: its own, or a temporary, *spare, to be given back. */
static int plain_register(recorder *r, operand x, int *spare)
{
  *spare = -1;
  if (!x.minus) {
    return x.where;
  }
  *spare = r->nspare > 0 ? r->spare[--r->nspare] : r->tape->nregister++;
  add_step(r, *spare, x, one, zero);
  return *spare;
}

static int angle_register(recorder *r, pki_x x)
{
  if (x == 0) {
    return r->unread;
  }
  return r->where[x] = new_register(r, x);
}

/* What ends a run. The operand keeps its register until the results have theirs. */
static void add_special(recorder *r, int i)
{
  const pki_x x = r->order[i];
  const pki_graph_node *n = &r->g->nodes[x];
  int spare;
  const int a = plain_register(r, operand_of(r, n->a), &spare);
  if (n->op == PKI_OP_SIN || n->op == PKI_OP_COS) {
    const pki_x sine = r->sine[n->a], cosine = r->cosine[n->a];
    const int d = angle_register(r, sine), e = angle_register(r, cosine);
    end_run(r, PKI_TAPE_SINCOS, d, e, a);
    for (int k = 0; k < 2; k++) {
      const pki_x other = k == 0 ? sine : cosine;
      if (other > 0) {
        add_opposite(r, other);
      }
    }
  } else {
    r->where[x] = new_register(r, x);
    end_run(r, n->op == PKI_OP_INV ? PKI_TAPE_INVERSE : PKI_TAPE_ROOT, r->where[x], r->unread, a);
    add_opposite(r, x);
  }
  if (spare >= 0) {
    r->spare[r->nspare++] = spare;
  }
}

static void add_node(recorder *r, int i)
{
  const pki_x x = r->order[i];
  const pki_graph_node *n = &r->g->nodes[x];
  switch (n->op) {
  case PKI_OP_NEG: break;
  case PKI_OP_CONST:
  case PKI_OP_INPUT: add_opposite(r, x); break;
  case PKI_OP_ADD:
  case PKI_OP_SUB:
  case PKI_OP_MUL:
    if (!r->inside[x]) {
      add_arithmetic(r, i);
    }
    break;
  default:
    if (r->where[x] < 0) { /* a cosine may have come with its sine */
      add_special(r, i);
    }
    release_register(r, i, r->base[n->a]);
    break;
  }
}

/* ---- the whole ---- */

static bool record_nodes(recorder *r, int count, const pki_x *values)
{
  pki_tape *t = r->tape;
  find_bases(r);
  count_uses(r, count, values);
  find_last_uses(r);
  if (!number_constants(r)) {
    return false;
  }
  number_inputs(r);
  t->nregister = t->nconstant + t->ninput + count;
  r->unread = t->nregister++;
  begin_run(r);
  for (int i = 0; i < r->g->count && !r->failed; i++) {
    if (r->g->nodes[i].op == PKI_OP_CONST) {
      add_opposite(r, i);
    }
  }
  for (int i = 0; i < r->n && !r->failed; i++) {
    add_node(r, i);
  }
  t->results = malloc(((size_t)count + 1) * sizeof *t->results);
  if (r->failed || t->results == NULL) {
    return false;
  }
  t->nresult = count;
  for (int i = 0; i < count; i++) {
    const pki_x x = r->base[values[i]];
    t->results[i] = (uint32_t)(r->minus[values[i]] ? r->against[x] : r->where[x]);
  }
  return true;
}

/* All nodes that the values need have a place in the order, sines of inputs too. */
static bool order_nodes(recorder *r, int count, const pki_x *values)
{
  pki_function f;
  pki_function_init(&f, r->g, "tape", "");
  pki_x *list = pki_function_add(&f, "y", count, "");
  const size_t nodes = (size_t)r->g->count + 1;
  pki_angles none = {.of = malloc(nodes * sizeof(int)), .read = calloc(nodes, 1)};
  int alive;
  bool good = list != NULL && none.of != NULL && none.read != NULL;
  if (good) {
    memcpy(list, values, (size_t)count * sizeof *list);
    memset(none.of, -1, nodes * sizeof(int));
    good = pki_schedule_after(&f, &none, r->order, &r->n, &alive);
  }
  pki_angles_free(&none);
  pki_function_free(&f);
  return good;
}

bool pki_tape_create(pki_graph *g, int count, const pki_x *values, pki_tape *out)
{
  enum { ARRAYS = 13 };
  *out = (pki_tape){0};
  recorder r = {.g = g, .tape = out};
  const size_t nodes = (size_t)g->count + 1;
  int *numbers = calloc(ARRAYS * nodes, sizeof *numbers);
  if (numbers == NULL) {
    return false;
  }
  int **const arrays[ARRAYS] = {&r.order, &r.base,   &r.minus, &r.uses,   &r.same,  &r.opposite, &r.against,
                                &r.last,  &r.inside, &r.sine,  &r.cosine, &r.where, &r.spare};
  for (int k = 0; k < ARRAYS; k++) {
    *arrays[k] = numbers + (size_t)k * nodes;
  }
  memset(r.against, -1, nodes * sizeof *r.against);
  const bool good = order_nodes(&r, count, values) && record_nodes(&r, count, values);
  free(numbers);
  if (!good) {
    pki_tape_free(out);
  }
  return good;
}

void pki_tape_free(pki_tape *tape)
{
  free(tape->runs);
  free(tape->steps);
  free(tape->constants);
  free(tape->results);
  *tape = (pki_tape){0};
}

int pki_tape_operations(const pki_tape *tape)
{
  return tape->nstep + (tape->nrun > 0 ? tape->nrun - 1 : 0);
}
