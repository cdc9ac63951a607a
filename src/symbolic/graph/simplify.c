/* Rounds over all clusters, from the operands to the outputs, until nothing is saved; the cheapest result is taken. */
#include "symbolic/graph/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "symbolic/graph/schedule.h"
#include "symbolic/graph/trig.h"

enum { ROUNDS = 4, WISHES = 3 };

/* A function with a graph of its own. */
typedef struct draft {
  pki_graph *g;
  pki_function f;
  pki_cost cost;
} draft;

/* What the user of a node makes of it. */
enum { ELSEWHERE, IN_SUM, IN_PRODUCT };

typedef struct round {
  const pki_graph *from;
  int n;
  int *uses;              /* [n] */
  pki_x *made;            /* [n] nodes of the new graph, -1: not yet, or inside a cluster */
  unsigned char *inner;   /* [n] inside of the cluster of its only user */
  unsigned char *context; /* [n] */
  unsigned char *angle;   /* [n] an angle, or part of one */
  int *stack;             /* [2n + 2] */
  signed char *signs;     /* [2n + 2] of the stack's nodes */
  pki_sum sum;
  pki_sines angles;
} round;

/* ---- uses and costs ---- */

static void count_uses(const pki_function *f, int nextra, const pki_x *extra, int *uses)
{
  memset(uses, 0, (size_t)f->graph->count * sizeof *uses);
  for (int k = 0; k < nextra; k++) {
    uses[extra[k]] += 2; /* stays a node */
  }
  pki_uses_count(f, NULL, 0, uses);
}

/* A product that only the sum above needs, perhaps with a sign. */
static bool fuses_with_sum(const pki_graph *g, const int *uses, pki_x x)
{
  if (g->nodes[x].op == PKI_OP_NEG && uses[x] == 1) {
    x = g->nodes[x].a;
  }
  return g->nodes[x].op == PKI_OP_MUL && uses[x] == 1;
}

bool pki_function_cost(const pki_function *f, pki_cost *cost)
{
  const pki_graph *g = f->graph;
  int *uses = malloc(((size_t)g->count + 1) * sizeof *uses);
  unsigned char *turned = calloc((size_t)g->count + 1, 1); /* angles that are counted */
  const bool ok = uses != NULL && turned != NULL;
  if (ok) {
    count_uses(f, 0, NULL, uses);
  }
  int operations = 0, fused = 0;
  for (int i = 0; i < g->count && ok; i++) {
    const pki_graph_node *n = &g->nodes[i];
    if (uses[i] == 0) {
      continue;
    }
    switch (n->op) {
    case PKI_OP_CONST:
    case PKI_OP_INPUT:
    case PKI_OP_NEG: break;
    case PKI_OP_SIN:
    case PKI_OP_COS:
      operations += turned[n->a] ? 0 : PKI_SINE_COST;
      turned[n->a] = 1;
      break;
    case PKI_OP_ADD:
    case PKI_OP_SUB:
      fused += fuses_with_sum(g, uses, n->a) || fuses_with_sum(g, uses, n->b);
      operations++;
      break;
    default: operations++; break;
    }
  }
  free(uses);
  free(turned);
  *cost = (pki_cost){operations, operations - fused};
  return ok;
}

static bool is_cheaper(pki_cost a, pki_cost b)
{
  return a.operations <= b.operations && a.instructions <= b.instructions &&
         a.operations + a.instructions < b.operations + b.instructions;
}

/* ---- copies ---- */

static bool take_ports(const pki_graph *from, pki_graph *to)
{
  for (int k = 0; k < from->nport; k++) {
    const pki_port *p = &from->ports[k];
    if (k == to->nport) {
      pki_graph_port(to, p->name, p->count, p->about);
    } else if (to->ports[k].count != p->count || strcmp(to->ports[k].name, p->name) != 0) {
      return false;
    }
  }
  return true;
}

/* The outputs of `in` with other nodes. */
static bool take_outputs(const pki_function *in, pki_graph *to, const pki_x *made, pki_function *out)
{
  pki_function_init(out, to, in->name, in->about);
  out->ports = in->ports;
  out->in_place = in->in_place;
  for (int i = 0; i < in->noutput; i++) {
    const pki_output *o = &in->outputs[i];
    pki_x *values = pki_function_add(out, o->name, o->count, o->about);
    if (values == NULL) {
      return false;
    }
    for (int k = 0; k < o->count; k++) {
      values[k] = made[o->values[k]];
    }
    pki_output *copy = &out->outputs[i];
    copy->rows = o->rows, copy->cols = o->cols;
    const size_t size = ((size_t)o->count + 1) * sizeof(int);
    copy->row = o->row != NULL ? calloc(1, size) : NULL;
    copy->col = o->col != NULL ? calloc(1, size) : NULL;
    if ((o->row != NULL && copy->row == NULL) || (o->col != NULL && copy->col == NULL)) {
      out->failed = true;
      return false;
    }
    if (o->row != NULL) {
      memcpy(copy->row, o->row, size - sizeof(int));
    }
    if (o->col != NULL) {
      memcpy(copy->col, o->col, size - sizeof(int));
    }
  }
  return !to->failed && !in->failed;
}

/* The function as it is, what it needs of it. */
static bool copy_to(const pki_function *in, pki_graph *to, pki_function *out)
{
  const pki_graph *from = in->graph;
  const int n = from->count;
  unsigned char *used = malloc((size_t)n + 1);
  pki_x *made = calloc((size_t)n + 1, sizeof *made);
  bool ok = used != NULL && made != NULL;
  if (ok) {
    pki_function_used(in, used);
    for (int i = 0; i < n; i++) {
      const pki_graph_node node = from->nodes[i];
      const int operands = pki_op_operands(node.op);
      if (used[i]) {
        made[i] =
            pki_rebuild_node(to, node, operands > 0 ? made[node.a] : -1, operands > 1 ? made[node.b] : -1);
      }
    }
    ok = take_outputs(in, to, made, out);
    for (int i = 0; i < n; i++) { /* the signature stays, whatever is read later */
      out->ports |= used[i] && from->nodes[i].op == PKI_OP_INPUT ? 1u << from->nodes[i].a : 0;
    }
  }
  free(used);
  free(made);
  return ok;
}

static void draft_free(draft *d)
{
  pki_function_free(&d->f);
  pki_graph_destroy(d->g);
  *d = (draft){0};
}

static bool draft_begin(draft *d, const pki_graph *ports)
{
  *d = (draft){.g = pki_graph_create(false)};
  return d->g != NULL && take_ports(ports, d->g);
}

/* ---- clusters ---- */

static void round_free(round *r)
{
  free(r->uses);
  free(r->made);
  free(r->inner);
  free(r->stack);
  free(r->angles.there);
  free(r->angles.wishes);
  pki_sum_free(&r->sum);
}

static bool round_begin(round *r, const pki_function *f, pki_graph *to)
{
  const size_t n = (size_t)f->graph->count;
  *r = (round){.from = f->graph, .n = (int)n, .sum = {.g = to}};
  r->uses = malloc((n + 1) * sizeof *r->uses);
  r->made = malloc((n + 1) * sizeof *r->made);
  r->stack = malloc((2 * n + 2) * sizeof *r->stack);
  r->inner = calloc(5 * (n + 1), 1);
  if (r->uses == NULL || r->made == NULL || r->stack == NULL || r->inner == NULL) {
    return false;
  }
  r->context = r->inner + n + 1;
  r->angle = r->context + n + 1;
  r->signs = (signed char *)(r->angle + n + 1);
  memset(r->made, -1, (n + 1) * sizeof *r->made);
  return true;
}

/* What a node's operands are part of. */
static int context_below(const round *r, int i)
{
  switch (r->from->nodes[i].op) {
  case PKI_OP_ADD:
  case PKI_OP_SUB: return IN_SUM;
  case PKI_OP_MUL: return IN_PRODUCT;
  case PKI_OP_NEG: return r->inner[i] ? r->context[i] : IN_SUM;
  default: return ELSEWHERE;
  }
}

/* Which nodes are inside of clusters, and which are parts of angles; users come before operands. */
static void find_clusters(round *r, int nextra, const pki_x *extra)
{
  for (int k = 0; k < nextra; k++) {
    r->angle[extra[k]] = 1;
  }
  for (int i = r->n - 1; i >= 0; i--) {
    if (r->uses[i] == 0) {
      continue;
    }
    const pki_graph_node *n = &r->from->nodes[i];
    const int in = r->context[i], op = n->op;
    const bool sum = op == PKI_OP_ADD || op == PKI_OP_SUB, any = op == PKI_OP_NEG || op == PKI_OP_MUL;
    r->inner[i] = r->uses[i] == 1 && ((sum && in == IN_SUM) || (any && in != ELSEWHERE));
    const int below = context_below(r, i), operands = pki_op_operands(op);
    const bool angle = r->angle[i] || op == PKI_OP_SIN || op == PKI_OP_COS;
    if (operands > 0) {
      r->context[n->a] = (unsigned char)below, r->angle[n->a] |= angle;
    }
    if (operands > 1) {
      r->context[n->b] = (unsigned char)below, r->angle[n->b] |= angle;
    }
  }
}

/* The product at x, times sign, as a term; the stack above `top` is free. */
static void add_product(round *r, int x, int sign, int top)
{
  const int bottom = top;
  pki_sum_open(&r->sum, sign);
  r->stack[top++] = x;
  while (top > bottom) {
    const int i = r->stack[--top];
    const pki_graph_node *n = &r->from->nodes[i];
    const bool inside = r->inner[i] || i == x;
    if (inside && n->op == PKI_OP_MUL) {
      r->stack[top++] = n->b;
      r->stack[top++] = n->a;
    } else if (inside && n->op == PKI_OP_NEG) {
      pki_sum_times(&r->sum, pki_const(r->sum.g, -1));
      r->stack[top++] = n->a;
    } else {
      pki_sum_times(&r->sum, r->made[i]);
    }
  }
  pki_sum_close(&r->sum);
}

/* The cluster of root x as a sum of products. */
static void flatten_cluster(round *r, int x)
{
  int top = 0;
  pki_sum_clear(&r->sum);
  r->signs[top] = 1, r->stack[top++] = x;
  while (top > 0) {
    const int i = r->stack[--top], sign = r->signs[top] < 0 ? -1 : 1;
    const pki_graph_node *n = &r->from->nodes[i];
    const bool inside = r->inner[i] || i == x;
    if (inside && n->op == PKI_OP_NEG) {
      r->signs[top] = (signed char)-sign, r->stack[top++] = n->a;
    } else if (inside && (n->op == PKI_OP_ADD || n->op == PKI_OP_SUB)) {
      r->signs[top] = (signed char)(n->op == PKI_OP_ADD ? sign : -sign), r->stack[top++] = n->b;
      r->signs[top] = (signed char)sign, r->stack[top++] = n->a;
    } else if (inside && n->op == PKI_OP_MUL) {
      add_product(r, i, sign, top);
    } else {
      pki_sum_open(&r->sum, sign);
      pki_sum_times(&r->sum, r->made[i]);
      pki_sum_close(&r->sum);
    }
  }
}

static void rebuild_cluster(round *r, int i)
{
  const pki_graph_node n = r->from->nodes[i];
  switch (n.op) {
  case PKI_OP_NEG:
  case PKI_OP_ADD:
  case PKI_OP_SUB:
  case PKI_OP_MUL:
    flatten_cluster(r, i);
    pki_sum_collect(&r->sum);
    pki_sum_trig(&r->sum, &r->angles);
    r->made[i] = pki_sum_build(&r->sum);
    break;
  default:
    r->made[i] = pki_rebuild_node(r->sum.g, n, pki_op_operands(n.op) > 0 ? r->made[n.a] : -1, -1);
    break;
  }
}

/* Angles first, so that it is known which sines are there. */
static bool make_all(round *r, int nextra, const pki_x *extra)
{
  pki_graph *g = r->sum.g;
  for (int i = 0; i < r->n; i++) {
    if (r->uses[i] > 0 && !r->inner[i] && r->angle[i]) {
      rebuild_cluster(r, i);
    }
  }
  if (!pki_sum_room(&r->sum, (void **)&r->angles.there, &r->angles.room, g->count, 1)) {
    return false;
  }
  memset(r->angles.there, 0, (size_t)r->angles.room);
  for (int i = 0; i < r->n; i++) {
    const int op = r->from->nodes[i].op;
    if (r->uses[i] > 0 && (op == PKI_OP_SIN || op == PKI_OP_COS)) {
      const pki_x angle = r->made[r->from->nodes[i].a];
      r->angles.there[g->nodes[angle].op == PKI_OP_NEG ? g->nodes[angle].a : angle] = 1;
    }
  }
  for (int k = 0; k < nextra; k++) {
    const pki_x angle = r->made[extra[k]];
    r->angles.there[g->nodes[angle].op == PKI_OP_NEG ? g->nodes[angle].a : angle] = 1;
  }
  for (int i = 0; i < r->n && !g->failed; i++) {
    if (r->uses[i] > 0 && !r->inner[i] && !r->angle[i]) {
      rebuild_cluster(r, i);
    }
  }
  return !g->failed;
}

/* One round: a draft of f in a new graph, in which sines of the extra angles may be used, and the wishes that are left
 * (nodes of the new graph; to be freed). */
static bool simplify_once(const pki_function *f, int nextra, const pki_x *extra, draft *d, pki_sines *wishes)
{
  round r = {0};
  bool ok = draft_begin(d, f->graph) && round_begin(&r, f, d->g);
  if (ok) {
    count_uses(f, nextra, extra, r.uses);
    find_clusters(&r, nextra, extra);
    ok = make_all(&r, nextra, extra) && take_outputs(f, d->g, r.made, &d->f) &&
         pki_function_cost(&d->f, &d->cost);
  }
  if (wishes != NULL) {
    *wishes = (pki_sines){.wishes = r.angles.wishes, .nwish = r.angles.nwish};
    r.angles.wishes = NULL;
  }
  round_free(&r);
  return ok;
}

/* ---- which new sines to make ---- */

static int compare_wishes(const void *a, const void *b)
{
  const pki_trig_saving *x = a, *y = b;
  return (x->angle > y->angle) - (x->angle < y->angle);
}

/* By angle: how often its sine or cosine is used, the larger. */
static int *angle_uses(const pki_function *f)
{
  const pki_graph *g = f->graph;
  int *uses = malloc(2 * ((size_t)g->count + 1) * sizeof *uses);
  if (uses != NULL) {
    int *most = uses + g->count;
    count_uses(f, 0, NULL, uses);
    memset(most, 0, (size_t)g->count * sizeof *most);
    for (int i = 0; i < g->count; i++) {
      const pki_graph_node *n = &g->nodes[i];
      if ((n->op == PKI_OP_SIN || n->op == PKI_OP_COS) && uses[i] > most[n->a]) {
        most[n->a] = uses[i];
      }
    }
    memmove(uses, most, (size_t)g->count * sizeof *uses);
  }
  return uses;
}

/* The angles whose sines save at least what they cost, when all their sites are taken together: an angle of which all
 * uses are there goes and gives its own cost back. How many; -1: out of memory. */
static int choose_angles(const pki_function *f, pki_sines *wishes, pki_x *granted)
{
  int *uses = angle_uses(f);
  if (uses == NULL) {
    return -1;
  }
  int n = 0;
  qsort(wishes->wishes, (size_t)wishes->nwish, sizeof *wishes->wishes, compare_wishes);
  for (int i = 0, j; i < wishes->nwish; i = j) {
    const pki_trig_saving *w = &wishes->wishes[i];
    int saved = 0;
    for (j = i; j < wishes->nwish && wishes->wishes[j].angle == w->angle; j++) {
      saved += wishes->wishes[j].saved;
    }
    saved += uses[w->a] > 0 && uses[w->a] <= j - i ? PKI_SINE_COST : 0;
    saved += w->a != w->b && uses[w->b] > 0 && uses[w->b] <= j - i ? PKI_SINE_COST : 0;
    if (saved > PKI_SINE_COST) { /* and one operation for the angle */
      granted[n++] = w->angle;
    }
  }
  free(uses);
  return n;
}

/* ---- all of it ---- */

static void keep_draft(draft *best, draft *d)
{
  draft_free(best);
  *best = *d;
  *d = (draft){0};
}

/* Rounds as long as they save something. */
static bool settle_down(draft *best)
{
  bool ok = true, better = true;
  for (int k = 0; k < ROUNDS && ok && better; k++) {
    draft next = {0};
    ok = simplify_once(&best->f, 0, NULL, &next, NULL);
    better = ok && is_cheaper(next.cost, best->cost);
    if (better) {
      keep_draft(best, &next);
    }
    draft_free(&next);
  }
  return ok;
}

/* A draft with new sines, when that pays; false: out of memory. */
static bool try_wishes(draft *best, bool *better)
{
  draft plain = {0}, with = {0};
  pki_sines wishes = {0};
  pki_x *granted = NULL;
  bool ok = simplify_once(&best->f, 0, NULL, &plain, &wishes);
  *better = false;
  if (ok && wishes.nwish > 0) {
    granted = malloc((size_t)wishes.nwish * sizeof *granted);
    const int n = granted != NULL ? choose_angles(&plain.f, &wishes, granted) : -1;
    ok = n >= 0 && (n == 0 || (simplify_once(&plain.f, n, granted, &with, NULL) && settle_down(&with)));
    *better = ok && n > 0 && is_cheaper(with.cost, best->cost);
  }
  if (*better) {
    keep_draft(best, &with);
  }
  free(granted);
  free(wishes.wishes);
  draft_free(&plain);
  draft_free(&with);
  return ok;
}

bool pki_simplify(const pki_function *in, pki_graph *to, pki_function *out)
{
  draft best = {0};
  *out = (pki_function){0};
  bool ok = take_ports(in->graph, to) && draft_begin(&best, in->graph) && copy_to(in, best.g, &best.f) &&
            pki_function_cost(&best.f, &best.cost) && settle_down(&best);
  bool better = ok;
  for (int k = 0; k < WISHES && ok && better; k++) {
    ok = try_wishes(&best, &better);
  }
  ok = ok && copy_to(&best.f, to, out);
  draft_free(&best);
  return ok;
}
