/* Functions of a program: a graph of their own, derivatives in it, a tape for each. */
#include <stdlib.h>
#include <string.h>

#include "optimize/nlp/function.h"
#include "optimize/nlp/tape.h"
#include "symbolic/graph/differentiate.h"
#include "symbolic/graph/simplify.h"

/* Which entries of a matrix there are. */
typedef struct entry_list {
  int count;
  int *row, *col; /* [count] */
} entry_list;

struct pki_nlp_function {
  char *name;
  int nw, np, ny;
  pki_tape value, jacobian, hessian;
  entry_list jacobian_entries, hessian_entries;
};

/* Ports of a function's own graph. */
enum { PORT_W, PORT_P, PORT_MU };

/* ---- a graph of its own ---- */

/* While a function is made. */
typedef struct draft {
  pki_graph *g;           /* its own: ports w, p, mu */
  pki_x *w, *mu, *values; /* [nw], [ny], [ny] nodes of it */
  pki_x *matrix;          /* [max(nw, ny)][nw] derivatives */
} draft;

static void draft_free(draft *d)
{
  free(d->w);
  free(d->mu);
  free(d->values);
  free(d->matrix);
  pki_graph_destroy(d->g);
}

static void add_ports(const pki_nlp_function *f, pki_graph *g)
{
  pki_graph_port(g, "w", f->nw, "variables");
  pki_graph_port(g, "p", f->np, "parameters");
  pki_graph_port(g, "mu", f->ny, "weights of the results");
}

/* The number of the first node that is neither among the inputs nor the parameters, -1: none; places go to `place` (one of w, or nw + one
 * of p, for each input node). */
static int number_inputs(const pki_graph *g, const pki_nlp_function *f, const pki_x *inputs,
                         const pki_x *parameters, const unsigned char *used, int *place)
{
  memset(place, -1, (size_t)g->count * sizeof *place);
  for (int k = 0; k < f->nw; k++) {
    place[inputs[k]] = k;
  }
  for (int k = 0; k < f->np; k++) {
    place[parameters[k]] = f->nw + k;
  }
  for (int i = 0; i < g->count; i++) {
    if (used[i] && g->nodes[i].op == PKI_OP_INPUT && place[i] < 0) {
      return i;
    }
  }
  return -1;
}

/* The nodes that are used, again in another graph; `as` [g->count]: what they are there. */
static void copy_nodes(const pki_graph *g, const pki_nlp_function *f, const unsigned char *used,
                       const int *place, pki_graph *to, pki_x *as)
{
  for (int i = 0; i < g->count; i++) {
    const pki_graph_node n = g->nodes[i];
    if (!used[i]) {
      continue;
    }
    const int operands = pki_op_operands(n.op);
    if (n.op == PKI_OP_INPUT) {
      const bool variable = place[i] < f->nw;
      as[i] = pki_input(to, variable ? PORT_W : PORT_P, variable ? place[i] : place[i] - f->nw);
    } else if (n.op == PKI_OP_CONST) {
      as[i] = pki_const(to, n.value);
    } else {
      as[i] = pki_rebuild_node(to, n, operands > 0 ? as[n.a] : -1, operands > 1 ? as[n.b] : -1);
    }
  }
}

/* The values in a graph of their own. */
static pk_status copy_values(pki_graph *g, const pki_nlp_function *f, const pki_x *inputs,
                             const pki_x *parameters, const pki_x *values, pki_function *out, pk_error *err)
{
  const size_t count = (size_t)g->count + 1;
  unsigned char *used = malloc(count);
  int *place = malloc(2 * count * sizeof *place);
  pki_function from = {.graph = g, .noutput = 1};
  from.outputs[0].count = f->ny;
  from.outputs[0].values = (pki_x *)(void *)values;
  pki_x *y = pki_function_add(out, "y", f->ny, "results");
  pk_status status = PK_OK;
  if (used == NULL || place == NULL || y == NULL) {
    status = pki_fail_memory(err, "a function of a nonlinear program");
  } else {
    pki_function_used(&from, used);
    const int stray = number_inputs(g, f, inputs, parameters, used, place);
    if (stray >= 0) {
      const pki_graph_node *n = &g->nodes[stray];
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = f->name},
                        "reads %s[%d], which is neither an input nor a parameter", g->ports[n->a].name, n->b);
    }
  }
  if (status == PK_OK) {
    pki_x *as = place + count;
    copy_nodes(g, f, used, place, out->graph, as);
    for (int i = 0; i < f->ny; i++) {
      y[i] = as[values[i]];
    }
  }
  free(used);
  free(place);
  return status;
}

/* The function's graph: the values, simplified. */
static pk_status draft_begin(draft *d, pki_graph *g, const pki_nlp_function *f, const pki_x *inputs,
                             const pki_x *parameters, const pki_x *values, pk_error *err)
{
  pki_graph *plain = pki_graph_create(false);
  d->g = pki_graph_create(false);
  const size_t nw = (size_t)f->nw, ny = (size_t)f->ny;
  d->w = malloc((nw + 1) * sizeof *d->w);
  d->mu = malloc((ny + 1) * sizeof *d->mu);
  d->values = malloc((ny + 1) * sizeof *d->values);
  d->matrix = malloc(((nw > ny ? nw : ny) * nw + 1) * sizeof *d->matrix);
  pk_status status = PK_OK;
  pki_function copy = {0}, simple = {0};
  if (plain == NULL || d->g == NULL || d->w == NULL || d->mu == NULL || d->values == NULL ||
      d->matrix == NULL) {
    status = pki_fail_memory(err, "a function of a nonlinear program");
  } else {
    add_ports(f, plain);
    pki_function_init(&copy, plain, "nlp", "");
    status = copy_values(g, f, inputs, parameters, values, &copy, err);
  }
  if (status == PK_OK && (!pki_simplify(&copy, d->g, &simple) || pki_graph_failed(d->g))) {
    status = pki_fail_memory(err, "a function of a nonlinear program");
  }
  if (status == PK_OK) {
    memcpy(d->values, simple.outputs[0].values, ny * sizeof *d->values);
    for (int k = 0; k < f->nw; k++) {
      d->w[k] = pki_input(d->g, PORT_W, k);
    }
    for (int k = 0; k < f->ny; k++) {
      d->mu[k] = pki_input(d->g, PORT_MU, k);
    }
  }
  pki_function_free(&copy);
  pki_function_free(&simple);
  pki_graph_destroy(plain);
  return status;
}

/* ---- derivatives ---- */

/* A tape of the entries of a matrix [rows][cols] that are not always zero; `lower`: of its lower triangle. */
static bool record_matrix(draft *d, int rows, int cols, bool lower, entry_list *list, pki_tape *tape)
{
  size_t count = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < (lower ? i + 1 : cols); j++) {
      count += !pki_is_const(d->g, d->matrix[(size_t)i * (size_t)cols + (size_t)j], 0);
    }
  }
  list->row = malloc((count + 1) * sizeof *list->row);
  list->col = malloc((count + 1) * sizeof *list->col);
  pki_x *nodes = malloc((count + 1) * sizeof *nodes);
  bool good = list->row != NULL && list->col != NULL && nodes != NULL;
  for (int i = 0; good && i < rows; i++) {
    for (int j = 0; j < (lower ? i + 1 : cols); j++) {
      const pki_x x = d->matrix[(size_t)i * (size_t)cols + (size_t)j];
      if (!pki_is_const(d->g, x, 0)) {
        list->row[list->count] = i, list->col[list->count] = j;
        nodes[list->count++] = x;
      }
    }
  }
  good = good && pki_tape_create(d->g, list->count, nodes, tape);
  free(nodes);
  return good;
}

/* Second derivatives of sum_i mu_i y_i: its gradient in reverse, then a rate of that for each variable, forward. Row j of the matrix has
 * what is below its diagonal. */
static bool differentiate_twice(draft *d, const pki_nlp_function *f)
{
  const size_t n = (size_t)f->nw;
  const pki_x one = pki_const(d->g, 1);
  pki_x *slopes = malloc((2 * n + 1) * sizeof *slopes);
  if (slopes == NULL) {
    return false;
  }
  pki_x *column = slopes + n;
  bool good = pki_gradient(d->g, f->ny, d->values, d->mu, f->nw, d->w, slopes);
  for (int k = 0; k < f->nw && good; k++) {
    good = pki_tangent(d->g, f->nw - k, slopes + k, 1, &d->w[k], &one, column);
    for (int j = k; j < f->nw; j++) {
      d->matrix[(size_t)j * n + (size_t)k] = column[j - k];
    }
  }
  free(slopes);
  return good;
}

static bool record_tapes(pki_nlp_function *f, draft *d)
{
  return pki_tape_create(d->g, f->ny, d->values, &f->value) &&
         pki_jacobian(d->g, f->ny, d->values, f->nw, d->w, d->matrix) &&
         record_matrix(d, f->ny, f->nw, false, &f->jacobian_entries, &f->jacobian) &&
         differentiate_twice(d, f) &&
         record_matrix(d, f->nw, f->nw, true, &f->hessian_entries, &f->hessian) && !pki_graph_failed(d->g);
}

/* ---- life ---- */

pk_status pki_nlp_function_create(pki_graph *g, const char *name, int nw, const pki_x *inputs, int np,
                                  const pki_x *parameters, int ny, const pki_x *values,
                                  pki_nlp_function **out, pk_error *err)
{
  *out = NULL;
  pki_nlp_function *f = calloc(1, sizeof *f);
  char *copy = malloc(strlen(name) + 1);
  if (f == NULL || copy == NULL || pki_graph_failed(g)) {
    free(f);
    free(copy);
    return pki_fail_memory(err, "a function of a nonlinear program");
  }
  strcpy(copy, name);
  f->name = copy, f->nw = nw, f->np = np, f->ny = ny;
  draft d = {0};
  pk_status status = draft_begin(&d, g, f, inputs, parameters, values, err);
  if (status == PK_OK && !record_tapes(f, &d)) {
    status = pki_fail_memory(err, "the derivatives of a function of a nonlinear program");
  }
  draft_free(&d);
  if (status != PK_OK) {
    pki_nlp_function_destroy(f);
    return status;
  }
  *out = f;
  return PK_OK;
}

void pki_nlp_function_destroy(pki_nlp_function *f)
{
  if (f == NULL) {
    return;
  }
  pki_tape_free(&f->value);
  pki_tape_free(&f->jacobian);
  pki_tape_free(&f->hessian);
  free(f->jacobian_entries.row);
  free(f->jacobian_entries.col);
  free(f->hessian_entries.row);
  free(f->hessian_entries.col);
  free(f->name);
  free(f);
}

/* ---- what there is ---- */

const char *pki_nlp_function_name(const pki_nlp_function *f)
{
  return f->name;
}

int pki_nlp_function_inputs(const pki_nlp_function *f)
{
  return f->nw;
}

int pki_nlp_function_parameters(const pki_nlp_function *f)
{
  return f->np;
}

int pki_nlp_function_results(const pki_nlp_function *f)
{
  return f->ny;
}

pki_nlp_cost pki_nlp_function_cost(const pki_nlp_function *f)
{
  return (pki_nlp_cost){.value = pki_tape_operations(&f->value),
                        .jacobian = pki_tape_operations(&f->jacobian),
                        .hessian = pki_tape_operations(&f->hessian)};
}

int pki_nlp_function_jacobian(const pki_nlp_function *f, const int **i, const int **j)
{
  *i = f->jacobian_entries.row, *j = f->jacobian_entries.col;
  return f->jacobian_entries.count;
}

int pki_nlp_function_hessian(const pki_nlp_function *f, const int **j, const int **k)
{
  *j = f->hessian_entries.row, *k = f->hessian_entries.col;
  return f->hessian_entries.count;
}

/* ---- values ---- */

static bool evaluate(const pki_nlp_function *f, const pki_tape *tape, int count, const double *w,
                     const double *p, const double *mu, double *out)
{
  const int sizes[3] = {f->nw, f->np, f->ny};
  const double *const in[3] = {w, p, mu};
  return pki_tape_evaluate(tape, count, 3, sizes, in, out);
}

bool pki_nlp_function_value(const pki_nlp_function *f, int count, const double *w, const double *p, double *y)
{
  return evaluate(f, &f->value, count, w, p, NULL, y);
}

bool pki_nlp_function_jacobian_values(const pki_nlp_function *f, int count, const double *w, const double *p,
                                      double *entries)
{
  return evaluate(f, &f->jacobian, count, w, p, NULL, entries);
}

bool pki_nlp_function_hessian_values(const pki_nlp_function *f, int count, const double *w, const double *p,
                                     const double *mu, double *entries)
{
  return evaluate(f, &f->hessian, count, w, p, mu, entries);
}

/* ---- at complex numbers ---- */

static bool evaluate_complex(const pki_nlp_function *f, const pki_tape *tape, const double _Complex *w,
                             const double *p, double _Complex *out)
{
  double _Complex *in = calloc((size_t)f->nw + (size_t)f->np + (size_t)f->ny + 1, sizeof *in);
  if (in == NULL) {
    return false;
  }
  for (int k = 0; k < f->nw; k++) {
    in[k] = w[k];
  }
  for (int k = 0; k < f->np; k++) {
    in[f->nw + k] = p[k];
  }
  const bool good = pki_tape_evaluate_complex(tape, in, out);
  free(in);
  return good;
}

bool pki_nlp_function_value_complex(const pki_nlp_function *f, const double _Complex *w, const double *p,
                                    double _Complex *y)
{
  return evaluate_complex(f, &f->value, w, p, y);
}

bool pki_nlp_function_jacobian_complex(const pki_nlp_function *f, const double _Complex *w, const double *p,
                                       double _Complex *entries)
{
  return evaluate_complex(f, &f->jacobian, w, p, entries);
}
