/* Values and derivatives of a program: instances gathered from x, functions over all of a term's instances, results added to their places
 * in the order of terms, instances and entries. */
#include <math.h>
#include <string.h>

#include "math/finite.h"
#include "optimize/nlp/nlp.h"
#include "optimize/nlp/pattern.h"

int pki_nlp_jacobian_count(const pki_nlp *nlp)
{
  return nlp->pattern->jacobian.count;
}

int pki_nlp_hessian_count(const pki_nlp *nlp)
{
  return nlp->pattern->hessian.count;
}

/* A copy of nothing may come from and go nowhere. */
static void copy_numbers(double *to, const double *from, int count)
{
  if (count > 0) {
    memcpy(to, from, (size_t)count * sizeof *to);
  }
}

static void copy_places(const pki_nlp_places *places, int *row, int *col)
{
  if (places->count > 0) {
    memcpy(row, places->row, (size_t)places->count * sizeof *row);
    memcpy(col, places->col, (size_t)places->count * sizeof *col);
  }
}

void pki_nlp_jacobian_pattern(const pki_nlp *nlp, int *row, int *col)
{
  copy_places(&nlp->pattern->jacobian, row, col);
}

void pki_nlp_hessian_pattern(const pki_nlp *nlp, int *row, int *col)
{
  copy_places(&nlp->pattern->hessian, row, col);
}

/* ---- what was evaluated last ---- */

static size_t parameter_bytes(const pki_nlp_term *t)
{
  return (size_t)t->count * (size_t)pki_nlp_function_parameters(t->function) * sizeof(double);
}

static bool is_cached(const pki_nlp *nlp, const pki_nlp_cache *cache, const double *x)
{
  const double *point = cache->point;
  bool same = cache->known && (nlp->nx == 0 || memcmp(point, x, (size_t)nlp->nx * sizeof *x) == 0);
  point += nlp->nx;
  for (int t = 0; t < nlp->nterm && same; t++) {
    const size_t bytes = parameter_bytes(&nlp->terms[t]);
    same = bytes == 0 || memcmp(point, nlp->terms[t].parameter, bytes) == 0;
    point += bytes / sizeof *point;
  }
  return same;
}

static void cache_point(const pki_nlp *nlp, pki_nlp_cache *cache, const double *x)
{
  double *point = cache->point;
  copy_numbers(point, x, nlp->nx);
  point += nlp->nx;
  for (int t = 0; t < nlp->nterm; t++) {
    const size_t bytes = parameter_bytes(&nlp->terms[t]);
    if (bytes > 0) {
      memcpy(point, nlp->terms[t].parameter, bytes);
    }
    point += bytes / sizeof *point;
  }
  cache->known = true;
}

/* ---- terms ---- */

/* The variables of all instances, [count][nw]. */
static void gather_variables(const pki_nlp_term *t, const double *x, double *w)
{
  const int n = t->count * pki_nlp_function_inputs(t->function);
  for (int k = 0; k < n; k++) {
    w[k] = x[t->in[k]];
  }
}

/* f and g at x; both in the cache, f first. */
static bool compute_values(const pki_nlp *nlp, const double *x)
{
  struct pki_nlp_pattern *p = nlp->pattern;
  pki_nlp_cache *cache = &p->value;
  if (is_cached(nlp, cache, x)) {
    return cache->finite;
  }
  bool good = true;
  memset(cache->values, 0, ((size_t)nlp->ng + 1) * sizeof(double));
  double *const row = cache->values + 1;
  for (int t = 0; t < nlp->nterm && good; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const int n = term->count * pki_nlp_function_results(term->function);
    gather_variables(term, x, p->w);
    good = pki_nlp_function_value(term->function, term->count, p->w, term->parameter, p->results);
    for (int k = 0; k < n && good; k++) {
      if (term->out[k] != PKI_NLP_NOWHERE) {
        row[term->out[k]] += p->results[k]; /* row -1 is the objective */
      }
    }
  }
  cache_point(nlp, cache, x);
  cache->known = good;
  return cache->finite = good && pki_all_finite(cache->values, nlp->ng + 1);
}

/* The Jacobian's values and the gradient at x, in the cache. */
static bool compute_derivatives(const pki_nlp *nlp, const double *x)
{
  struct pki_nlp_pattern *p = nlp->pattern;
  pki_nlp_cache *cache = &p->derivative;
  if (is_cached(nlp, cache, x)) {
    return cache->finite;
  }
  bool good = true;
  const int used = p->jacobian.count + nlp->nx;
  memset(cache->values, 0, ((size_t)used + 1) * sizeof(double));
  for (int t = 0; t < nlp->nterm && good; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const int *i, *j, *slot = p->slots[t].jacobian;
    const int n = term->count * pki_nlp_function_jacobian(term->function, &i, &j);
    gather_variables(term, x, p->w);
    good = pki_nlp_function_jacobian_values(term->function, term->count, p->w, term->parameter, p->results);
    for (int k = 0; k < n && good; k++) {
      cache->values[slot[k]] += p->results[k];
    }
  }
  cache_point(nlp, cache, x);
  cache->known = good;
  return cache->finite = good && pki_all_finite(cache->values, used);
}

/* ---- values ---- */

bool pki_nlp_objective(const pki_nlp *nlp, const double *x, double *f)
{
  const bool good = compute_values(nlp, x);
  *f = nlp->pattern->value.values[0];
  return good;
}

bool pki_nlp_constraints(const pki_nlp *nlp, const double *x, double *g)
{
  const bool good = compute_values(nlp, x);
  copy_numbers(g, nlp->pattern->value.values + 1, nlp->ng);
  return good;
}

bool pki_nlp_gradient(const pki_nlp *nlp, const double *x, double *gradient)
{
  const bool good = compute_derivatives(nlp, x);
  copy_numbers(gradient, nlp->pattern->derivative.values + nlp->pattern->jacobian.count, nlp->nx);
  return good;
}

bool pki_nlp_jacobian(const pki_nlp *nlp, const double *x, double *values)
{
  const bool good = compute_derivatives(nlp, x);
  copy_numbers(values, nlp->pattern->derivative.values, nlp->pattern->jacobian.count);
  return good;
}

/* Weights of an instance's results: multipliers of their rows, the factor of the objective, or none. */
static void gather_weights(const pki_nlp_term *t, double factor, const double *lambda, double *mu)
{
  const int n = t->count * pki_nlp_function_results(t->function);
  for (int k = 0; k < n; k++) {
    const int row = t->out[k];
    mu[k] = row >= 0 ? lambda[row] : row == PKI_NLP_OBJECTIVE ? factor : 0;
  }
}

bool pki_nlp_hessian(const pki_nlp *nlp, const double *x, double factor, const double *lambda, double *values)
{
  const struct pki_nlp_pattern *p = nlp->pattern;
  bool good = true;
  for (int k = 0; k < p->hessian.count; k++) {
    values[k] = 0;
  }
  for (int t = 0; t < nlp->nterm && good; t++) {
    const pki_nlp_term *term = &nlp->terms[t];
    const pki_nlp_slots *slots = &p->slots[t];
    const int *j, *l;
    const int n = term->count * pki_nlp_function_hessian(term->function, &j, &l);
    if (n == 0) {
      continue;
    }
    gather_variables(term, x, p->w);
    gather_weights(term, factor, lambda, p->mu);
    good = pki_nlp_function_hessian_values(term->function, term->count, p->w, term->parameter, p->mu,
                                           p->results);
    for (int k = 0; k < n && good; k++) {
      values[slots->hessian[k]] += p->results[k];
    }
    for (int k = 0; k < slots->nagain && good; k++) {
      values[slots->hessian[slots->again[k]]] += p->results[slots->again[k]];
    }
  }
  return good && pki_all_finite(values, p->hessian.count);
}

/* ---- violation ---- */

/* How far a value is outside its bounds; what is not a number is infinitely far. */
static double outside(double value, double lower, double upper)
{
  const double below = lower - value, above = value - upper;
  const double worst = below > above ? below : above;
  return isnan(value) ? INFINITY : worst > 0 ? worst : 0;
}

double pki_nlp_violation(const pki_nlp *nlp, const double *x, int *which)
{
  double worst = 0;
  int at = 0;
  compute_values(nlp, x);
  const double *g = nlp->pattern->value.values + 1;
  for (int i = 0; i < nlp->ng; i++) {
    const double v = outside(g[i], nlp->row_lower[i], nlp->row_upper[i]) / nlp->row_scale[i];
    if (v > worst) {
      worst = v, at = i;
    }
  }
  for (int i = 0; i < nlp->nx; i++) {
    const double v = outside(x[i], nlp->lower[i], nlp->upper[i]) / nlp->scale[i];
    if (v > worst) {
      worst = v, at = nlp->ng + i;
    }
  }
  if (which != NULL) {
    *which = at;
  }
  return worst;
}
