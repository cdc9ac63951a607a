/* Building a program: variables, rows, instances of functions. */
#include "optimize/nlp/nlp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/nlp/pattern.h"

pki_nlp *pki_nlp_create(void)
{
  pki_nlp *nlp = calloc(1, sizeof *nlp);
  if (nlp != NULL) {
    nlp->objective_scale = 1;
  }
  return nlp;
}

void pki_nlp_destroy(pki_nlp *nlp)
{
  if (nlp == NULL) {
    return;
  }
  for (int t = 0; t < nlp->nterm; t++) {
    free(nlp->terms[t].in);
    free(nlp->terms[t].parameter);
    free(nlp->terms[t].out);
  }
  free(nlp->terms);
  pki_nlp_pattern_destroy(nlp->pattern, nlp->nterm);
  double *const lists[] = {nlp->x,       nlp->lower,     nlp->upper,     nlp->scale,     nlp->z_lower,
                           nlp->z_upper, nlp->row_lower, nlp->row_upper, nlp->row_scale, nlp->lambda};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    free(lists[i]);
  }
  free(nlp->x_label);
  free(nlp->row_label);
  free(nlp);
}

/* Lists grow by doubling: room for what is the next power of two above `count`, at least 16. */
static bool list_grow(void *list, int count, int more, size_t size)
{
  size_t room = 16, had = 0;
  for (; room < (size_t)count; room *= 2) {}
  had = count > 0 ? room : 0;
  for (; room < (size_t)count + (size_t)more; room *= 2) {}
  if (room == had) {
    return true;
  }
  void *old;
  memcpy(&old, list, sizeof old);
  void *larger = realloc(old, room * size);
  if (larger != NULL) {
    memcpy(list, &larger, sizeof larger);
  }
  return larger != NULL;
}

static void fill(double *list, int first, int count, double value)
{
  for (int i = first; i < first + count; i++) {
    list[i] = value;
  }
}

int pki_nlp_variables(pki_nlp *nlp, int count, pki_nlp_label label)
{
  const int first = nlp->nx;
  double **const lists[] = {&nlp->x, &nlp->lower, &nlp->upper, &nlp->scale, &nlp->z_lower, &nlp->z_upper};
  const double values[] = {0, -INFINITY, INFINITY, 1, 0, 0};
  for (int k = 0; k < 6 && !nlp->failed; k++) {
    nlp->failed = !list_grow(lists[k], first, count, sizeof(double));
  }
  nlp->failed = nlp->failed || !list_grow(&nlp->x_label, first, count, sizeof label);
  if (nlp->failed) {
    return 0;
  }
  for (int k = 0; k < 6; k++) {
    fill(*lists[k], first, count, values[k]);
  }
  for (int i = 0; i < count; i++) {
    nlp->x_label[first + i] = label;
  }
  nlp->nx += count;
  return first;
}

int pki_nlp_rows(pki_nlp *nlp, int count, pki_nlp_label label)
{
  const int first = nlp->ng;
  double **const lists[] = {&nlp->row_lower, &nlp->row_upper, &nlp->row_scale, &nlp->lambda};
  const double values[] = {0, 0, 1, 0};
  for (int k = 0; k < 4 && !nlp->failed; k++) {
    nlp->failed = !list_grow(lists[k], first, count, sizeof(double));
  }
  nlp->failed = nlp->failed || !list_grow(&nlp->row_label, first, count, sizeof label);
  if (nlp->failed) {
    return 0;
  }
  for (int k = 0; k < 4; k++) {
    fill(*lists[k], first, count, values[k]);
  }
  for (int i = 0; i < count; i++) {
    nlp->row_label[first + i] = label;
  }
  nlp->ng += count;
  return first;
}

/* The term of a function: the one that there is, or a new one; NULL: out of memory. */
static pki_nlp_term *term_of(pki_nlp *nlp, const pki_nlp_function *function)
{
  for (int t = nlp->nterm - 1; t >= 0; t--) {
    if (nlp->terms[t].function == function) {
      return &nlp->terms[t];
    }
  }
  if (!list_grow(&nlp->terms, nlp->nterm, 1, sizeof *nlp->terms)) {
    return NULL;
  }
  nlp->terms[nlp->nterm] = (pki_nlp_term){.function = function};
  return &nlp->terms[nlp->nterm++];
}

void pki_nlp_add(pki_nlp *nlp, const pki_nlp_function *function, const int *in, const double *parameter,
                 const int *out)
{
  const int nw = pki_nlp_function_inputs(function), np = pki_nlp_function_parameters(function),
            ny = pki_nlp_function_results(function);
  pki_nlp_term *t = nlp->failed ? NULL : term_of(nlp, function);
  if (t == NULL || !list_grow(&t->in, t->count * nw, nw, sizeof *t->in) ||
      !list_grow(&t->parameter, t->count * np, np, sizeof *t->parameter) ||
      !list_grow(&t->out, t->count * ny, ny, sizeof *t->out)) {
    nlp->failed = true;
    return;
  }
  if (nw > 0) {
    memcpy(t->in + (size_t)t->count * (size_t)nw, in, (size_t)nw * sizeof *in);
  }
  if (np > 0) {
    memcpy(t->parameter + (size_t)t->count * (size_t)np, parameter, (size_t)np * sizeof *parameter);
  }
  if (ny > 0) {
    memcpy(t->out + (size_t)t->count * (size_t)ny, out, (size_t)ny * sizeof *out);
  }
  t->count++;
}

void pki_nlp_label_text(pki_nlp_label label, char *out, size_t size)
{
  char phase[24] = "", point[24] = "";
  if (label.phase >= 0) {
    snprintf(phase, sizeof phase, ", phase %d", label.phase);
  }
  if (label.point >= 0) {
    snprintf(point, sizeof point, ", point %d", label.point);
  }
  snprintf(out, size, "%s%s%s%s%s", label.what != NULL ? label.what : "unnamed",
           label.of != NULL ? " of " : "", label.of != NULL ? label.of : "", phase, point);
}
