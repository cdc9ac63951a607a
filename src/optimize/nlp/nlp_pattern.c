/* Patterns: entries of all instances, sorted, each place once. */
#include <stdlib.h>
#include <string.h>

#include "optimize/nlp/pattern.h"

/* ---- sorting ---- */

/* Entries of all instances as they come, and to which place each belongs. */
typedef struct gathered {
  size_t count;
  int *block;     /* memory of all arrays */
  int *row, *col; /* [count] */
  int *order, *other;
  int *first; /* [max(rows, cols) + 1] */
} gathered;

static bool gathered_begin(gathered *e, size_t room, int largest)
{
  *e = (gathered){.block = malloc((4 * room + (size_t)largest + 2) * sizeof(int))};
  if (e->block != NULL) {
    e->row = e->block, e->col = e->row + room, e->order = e->col + room, e->other = e->order + room;
    e->first = e->other + room;
  }
  return e->block != NULL;
}

static void gathered_end(gathered *e)
{
  free(e->block);
}

/* A stable counting sort of `from` by one of the keys. */
static void sort_by(const gathered *e, const int *key, int keys, const int *from, int *to)
{
  const size_t count = e->count;
  int *const first = e->first;
  memset(first, 0, ((size_t)keys + 1) * sizeof *first);
  for (size_t i = 0; i < count; i++) {
    first[key[i] + 1]++;
  }
  for (int k = 0; k < keys; k++) {
    first[k + 1] += first[k];
  }
  for (size_t i = 0; i < count; i++) {
    to[first[key[from[i]]]++] = from[i];
  }
}

/* Each place once, and the place of each entry into `place`. False: out of memory. */
static bool merge_entries(gathered *e, int rows, int cols, pki_nlp_places *out, int *place)
{
  for (size_t i = 0; i < e->count; i++) {
    e->other[i] = (int)i;
  }
  sort_by(e, e->col, cols, e->other, e->order);
  sort_by(e, e->row, rows, e->order, e->other);
  out->row = malloc((e->count + 1) * sizeof *out->row);
  out->col = malloc((e->count + 1) * sizeof *out->col);
  if (out->row == NULL || out->col == NULL) {
    return false;
  }
  for (size_t i = 0; i < e->count; i++) {
    const int x = e->other[i];
    const int last = out->count - 1;
    if (last < 0 || out->row[last] != e->row[x] || out->col[last] != e->col[x]) {
      out->row[out->count] = e->row[x], out->col[out->count] = e->col[x];
      out->count++;
    }
    place[x] = out->count - 1;
  }
  return true;
}

/* ---- the Jacobian ---- */

static size_t jacobian_size(const pki_nlp_term *t)
{
  const int *i, *j;
  return (size_t)t->count * (size_t)pki_nlp_function_jacobian(t->function, &i, &j);
}

static size_t hessian_size(const pki_nlp_term *t)
{
  const int *j, *k;
  return (size_t)t->count * (size_t)pki_nlp_function_hessian(t->function, &j, &k);
}

/* Row and column of an entry of an instance. */
static void jacobian_entry(const pki_nlp_term *t, int instance, int i, int j, int *row, int *col)
{
  *row = t->out[instance * pki_nlp_function_results(t->function) + i];
  *col = t->in[instance * pki_nlp_function_inputs(t->function) + j];
}

static void gather_jacobian(const pki_nlp *nlp, gathered *e)
{
  for (int t = 0; t < nlp->nterm; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const int *i, *j;
    const int n = pki_nlp_function_jacobian(term->function, &i, &j);
    for (int instance = 0; instance < term->count; instance++) {
      for (int k = 0; k < n; k++) {
        int row, col;
        jacobian_entry(term, instance, i[k], j[k], &row, &col);
        if (row >= 0) {
          e->row[e->count] = row, e->col[e->count++] = col;
        }
      }
    }
  }
}

/* In the same order as above: entries that have a row take the next place. */
static void place_jacobian(const pki_nlp *nlp, struct pki_nlp_pattern *p, const int *place)
{
  const int gradient = p->jacobian.count, unused = p->jacobian.count + nlp->nx;
  for (int t = 0; t < nlp->nterm; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const int *i, *j;
    const int n = pki_nlp_function_jacobian(term->function, &i, &j);
    int *slot = p->slots[t].jacobian;
    for (int instance = 0; instance < term->count; instance++) {
      for (int k = 0; k < n; k++) {
        int row, col;
        jacobian_entry(term, instance, i[k], j[k], &row, &col);
        *slot++ = row >= 0 ? *place++ : row == PKI_NLP_OBJECTIVE ? gradient + col : unused;
      }
    }
  }
}

static bool make_jacobian(const pki_nlp *nlp, struct pki_nlp_pattern *p)
{
  size_t room = 0;
  bool good = true;
  for (int t = 0; t < nlp->nterm; t++) {
    const size_t size = jacobian_size(&nlp->terms[t]);
    room += size;
    p->slots[t].jacobian = malloc((size + 1) * sizeof(int));
    good = good && p->slots[t].jacobian != NULL;
  }
  gathered e;
  int *place = malloc((room + 1) * sizeof *place);
  good = gathered_begin(&e, room, nlp->nx > nlp->ng ? nlp->nx : nlp->ng) && good && place != NULL;
  if (good) {
    gather_jacobian(nlp, &e);
    good = merge_entries(&e, nlp->ng, nlp->nx, &p->jacobian, place);
  }
  if (good) {
    place_jacobian(nlp, p, place);
  }
  free(place);
  gathered_end(&e);
  return good;
}

/* ---- the Hessian ---- */

static bool gather_hessian(const pki_nlp *nlp, struct pki_nlp_pattern *p, gathered *e)
{
  for (int t = 0; t < nlp->nterm; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    pki_nlp_slots *slots = &p->slots[t];
    const int nw = pki_nlp_function_inputs(term->function);
    const int *j, *k;
    const int n = pki_nlp_function_hessian(term->function, &j, &k);
    for (int instance = 0; instance < term->count; instance++) {
      const int *in = term->in + (size_t)instance * (size_t)nw;
      for (int i = 0; i < n; i++) {
        const int a = in[j[i]], b = in[k[i]];
        e->row[e->count] = a > b ? a : b, e->col[e->count++] = a > b ? b : a;
        slots->nagain += a == b && j[i] != k[i];
      }
    }
    slots->again = malloc(((size_t)slots->nagain + 1) * sizeof *slots->again);
    if (slots->again == NULL) {
      return false;
    }
  }
  return true;
}

static void list_again(const pki_nlp_term *term, pki_nlp_slots *slots)
{
  const int nw = pki_nlp_function_inputs(term->function);
  const int *j, *k;
  const int n = pki_nlp_function_hessian(term->function, &j, &k);
  int count = 0;
  for (int instance = 0; instance < term->count && count < slots->nagain; instance++) {
    const int *in = term->in + (size_t)instance * (size_t)nw;
    for (int i = 0; i < n; i++) {
      if (j[i] != k[i] && in[j[i]] == in[k[i]]) {
        slots->again[count++] = instance * n + i;
      }
    }
  }
}

static bool make_hessian(const pki_nlp *nlp, struct pki_nlp_pattern *p)
{
  size_t room = 0;
  for (int t = 0; t < nlp->nterm; t++) {
    room += hessian_size(&nlp->terms[t]);
  }
  gathered e;
  int *place = malloc((room + 1) * sizeof *place);
  bool good = gathered_begin(&e, room, nlp->nx) && place != NULL && gather_hessian(nlp, p, &e) &&
              merge_entries(&e, nlp->nx, nlp->nx, &p->hessian, place);
  const int *from = place;
  for (int t = 0; t < nlp->nterm && good; t++) {
    const size_t size = hessian_size(&nlp->terms[t]);
    p->slots[t].hessian = malloc((size + 1) * sizeof(int));
    good = p->slots[t].hessian != NULL;
    if (good) {
      memcpy(p->slots[t].hessian, from, size * sizeof(int));
      list_again(&nlp->terms[t], &p->slots[t]);
      from += size;
    }
  }
  free(place);
  gathered_end(&e);
  return good;
}

/* ---- the whole ---- */

static bool make_room(const pki_nlp *nlp, struct pki_nlp_pattern *p)
{
  size_t w = 0, mu = 0, results = 0, point = (size_t)nlp->nx;
  for (int t = 0; t < nlp->nterm; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const size_t count = (size_t)term->count, y = count * (size_t)pki_nlp_function_results(term->function);
    const size_t ws = count * (size_t)pki_nlp_function_inputs(term->function);
    const size_t jacobian = jacobian_size(term), hessian = hessian_size(term);
    w = ws > w ? ws : w;
    mu = y > mu ? y : mu;
    results = y > results ? y : results;
    results = jacobian > results ? jacobian : results;
    results = hessian > results ? hessian : results;
    point += count * (size_t)pki_nlp_function_parameters(term->function);
  }
  p->npoint = (int)point;
  p->w = malloc((w + 1) * sizeof(double));
  p->mu = malloc((mu + 1) * sizeof(double));
  p->results = malloc((results + 1) * sizeof(double));
  p->value.point = malloc((point + 1) * sizeof(double));
  p->value.values = malloc(((size_t)nlp->ng + 2) * sizeof(double));
  p->derivative.point = malloc((point + 1) * sizeof(double));
  p->derivative.values = malloc(((size_t)p->jacobian.count + (size_t)nlp->nx + 2) * sizeof(double));
  return p->w != NULL && p->mu != NULL && p->results != NULL && p->value.point != NULL &&
         p->value.values != NULL && p->derivative.point != NULL && p->derivative.values != NULL;
}

/* Every instance reads variables and adds to rows that there are. */
static pk_status check_terms(const pki_nlp *nlp, pk_error *err)
{
  for (int t = 0; t < nlp->nterm; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const pki_where where = {.field = pki_nlp_function_name(term->function)};
    for (int k = 0; k < term->count * pki_nlp_function_inputs(term->function); k++) {
      if (term->in[k] < 0 || term->in[k] >= nlp->nx) {
        return pki_fail(err, PK_ERROR_ARGUMENT, where, "reads variable %d; there are %d", term->in[k],
                        nlp->nx);
      }
    }
    for (int k = 0; k < term->count * pki_nlp_function_results(term->function); k++) {
      if (term->out[k] < PKI_NLP_NOWHERE || term->out[k] >= nlp->ng) {
        return pki_fail(err, PK_ERROR_ARGUMENT, where, "adds to row %d; there are %d", term->out[k], nlp->ng);
      }
    }
  }
  return PK_OK;
}

pk_status pki_nlp_finish(pki_nlp *nlp, pk_error *err)
{
  if (nlp->failed) {
    return pki_fail_memory(err, "a nonlinear program");
  }
  const pk_status status = check_terms(nlp, err);
  if (status != PK_OK) {
    return status;
  }
  pki_nlp_pattern_destroy(nlp->pattern, nlp->nterm);
  struct pki_nlp_pattern *p = nlp->pattern = calloc(1, sizeof *p);
  if (p != NULL) {
    p->slots = calloc((size_t)nlp->nterm + 1, sizeof *p->slots);
  }
  if (p == NULL || p->slots == NULL || !make_jacobian(nlp, p) || !make_hessian(nlp, p) ||
      !make_room(nlp, p)) {
    pki_nlp_pattern_destroy(p, nlp->nterm);
    nlp->pattern = NULL;
    return pki_fail_memory(err, "the patterns of a nonlinear program");
  }
  return PK_OK;
}

void pki_nlp_pattern_destroy(struct pki_nlp_pattern *pattern, int nterm)
{
  if (pattern == NULL) {
    return;
  }
  for (int t = 0; pattern->slots != NULL && t < nterm; t++) {
    free(pattern->slots[t].jacobian);
    free(pattern->slots[t].hessian);
    free(pattern->slots[t].again);
  }
  free(pattern->slots);
  free(pattern->jacobian.row);
  free(pattern->jacobian.col);
  free(pattern->hessian.row);
  free(pattern->hessian.col);
  free(pattern->value.point);
  free(pattern->value.values);
  free(pattern->derivative.point);
  free(pattern->derivative.values);
  free(pattern->w);
  free(pattern->mu);
  free(pattern->results);
  free(pattern);
}
