#define _POSIX_C_SOURCE 200809L
#include "tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef PKI_HAVE_NLOPT
#include <nlopt.h>
#endif

void pki_search_point(const pki_tune *tune, const double *t, pki_evaluation *out)
{
  *out = (pki_evaluation){.as_written = false};
  for (int i = 0; i < tune->nparameter; i++) {
    out->t[i] = fmin(fmax(t[i], 0), 1);
    out->value[i] = pki_tune_value(&tune->parameters[i], out->t[i]);
  }
}

/* ---- Sobol's sequence ---- */

/* Many points at once, so that all threads have something to do. */
static void run_sampled(pki_search *s)
{
  enum { AT_ONCE = 256 };
  const pki_tune *tune = s->evaluator->tune;
  for (int from = 0; from < s->budget && s->status == PK_OK; from += AT_ONCE) {
    const int count = s->budget - from < AT_ONCE ? s->budget - from : AT_ONCE;
    pki_evaluation *list = s->list + from;
    for (int k = 0; k < count; k++) {
      double t[PKI_TUNE_PARAMETERS];
      for (int i = 0; i < tune->nparameter; i++) {
        t[i] = pki_draw_unit(PKI_DRAW_SOBOL, s->seed, (uint32_t)(from + k), i);
      }
      pki_search_point(tune, t, &list[k]);
    }
    s->status = pki_evaluator_run(s->evaluator, list, count);
    for (int k = 0; k < count && s->status == PK_OK; k++) {
      if (list[k].finished) {
        s->list[s->count++] = list[k];
      }
    }
  }
  s->ended = s->count < s->budget ? "interrupted" : "all samples ran";
}

/* ---- NLopt ---- */

#ifdef PKI_HAVE_NLOPT
/* NLopt keeps its random numbers for each thread, but a few of its tables for all. One thread at a time computes in it;
 * runs, which take the time, are outside. */
static pthread_mutex_t nlopt_turn = PTHREAD_MUTEX_INITIALIZER;

typedef struct nlopt_search {
  pki_search *search;
  nlopt_opt opt;
} nlopt_search;

/* What NLopt minimises. Once the search is to end, its answer is the last one. */
static double cost_of_point(unsigned n, const double *t, double *gradient, void *user)
{
  nlopt_search *c = user;
  pki_search *s = c->search;
  (void)n, (void)gradient;
  if (s->count >= s->budget || s->status != PK_OK || pki_evaluator_stops(s->evaluator)) {
    nlopt_force_stop(c->opt);
    return HUGE_VAL;
  }
  pki_evaluation *e = &s->list[s->count];
  pki_search_point(s->evaluator->tune, t, e);
  pthread_mutex_unlock(&nlopt_turn);
  s->status = pki_evaluator_run(s->evaluator, e, 1);
  pthread_mutex_lock(&nlopt_turn);
  if (s->status != PK_OK || !e->finished) {
    nlopt_force_stop(c->opt);
    return HUGE_VAL;
  }
  s->count++;
  return e->cost;
}

/* Bounds, the first step and when to stop: nlopt_result of the first that goes wrong. */
static nlopt_result set_up(nlopt_search *c, int n)
{
  const pki_search *s = c->search;
  const pki_tune *tune = s->evaluator->tune;
  nlopt_result result = nlopt_set_lower_bounds1(c->opt, 0);
  result = result > 0 ? nlopt_set_upper_bounds1(c->opt, 1) : result;
  result = result > 0 ? nlopt_set_min_objective(c->opt, cost_of_point, c) : result;
  result = result > 0 ? nlopt_set_maxeval(c->opt, s->budget) : result;
  if (!s->method->global) {
    result = result > 0 ? nlopt_set_xtol_abs1(c->opt, tune->tolerance) : result;
    result = result > 0 ? nlopt_set_initial_step1(c->opt, 0.1) : result;
  }
  if (s->method->nested) {
    const pki_tune_method *within = s->within != NULL ? s->within : pki_tune_method_find("bobyqa");
    nlopt_opt local = nlopt_create((nlopt_algorithm)within->algorithm, (unsigned)n);
    result = local == NULL ? NLOPT_OUT_OF_MEMORY : result;
    result = result > 0 ? nlopt_set_xtol_abs1(local, tune->tolerance) : result;
    result = result > 0 ? nlopt_set_initial_step1(local, 0.1) : result;
    result = result > 0 ? nlopt_set_local_optimizer(c->opt, local) : result;
    nlopt_destroy(local);
  }
  return result;
}

/* Why it ended, in words; NULL: it did not work. */
static const char *ending_of(const pki_search *s, nlopt_result result)
{
  if (s->count >= s->budget || result == NLOPT_MAXEVAL_REACHED) {
    return "the evaluations are used up";
  }
  switch (result) {
  case NLOPT_FORCED_STOP: return "interrupted";
  case NLOPT_ROUNDOFF_LIMITED: return "rounding allows no better one";
  case NLOPT_FAILURE: return "no better one in reach";
  case NLOPT_SUCCESS:
  case NLOPT_STOPVAL_REACHED:
  case NLOPT_FTOL_REACHED:
  case NLOPT_XTOL_REACHED: return "within the tolerance";
  default: return NULL;
  }
}

static void run_nlopt(pki_search *s)
{
  const int n = s->evaluator->tune->nparameter;
  double t[PKI_TUNE_PARAMETERS], cost = 0;
  memcpy(t, s->start, sizeof t);
  pthread_mutex_lock(&nlopt_turn);
  nlopt_srand((unsigned long)s->seed);
  nlopt_search c = {.search = s, .opt = nlopt_create((nlopt_algorithm)s->method->algorithm, (unsigned)n)};
  nlopt_result result = c.opt != NULL ? set_up(&c, n) : NLOPT_OUT_OF_MEMORY;
  result = result > 0 ? nlopt_optimize(c.opt, t, &cost) : result;
  s->ended = ending_of(s, result);
  if (s->ended == NULL && s->status == PK_OK) {
    s->status = result == NLOPT_OUT_OF_MEMORY
                    ? pki_fail_memory(&s->err, "a search")
                    : pki_fail(&s->err, PK_ERROR_ARGUMENT, (pki_where){.field = "--method"},
                               "%s refuses %d keys: %s", s->method->name, n,
                               c.opt != NULL && nlopt_get_errmsg(c.opt) != NULL ? nlopt_get_errmsg(c.opt)
                                                                                : "NLopt does not say why");
  }
  nlopt_destroy(c.opt);
  pthread_mutex_unlock(&nlopt_turn);
}
#else
static void run_nlopt(pki_search *s)
{
  s->status = pki_fail(&s->err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "--method"},
                       "%s needs NLopt, and Pronk was built without it", s->method->name);
}
#endif

/* ---- all of them ---- */

static void *run_search(void *user)
{
  pki_search *s = user;
  (s->method->sampled ? run_sampled : run_nlopt)(s);
  return NULL;
}

void pki_searches_run(pki_search *searches, int count)
{
  pthread_t *threads = calloc((size_t)count + 1, sizeof *threads);
  int begun = 0;
  while (threads != NULL && begun < count &&
         pthread_create(&threads[begun], NULL, run_search, &searches[begun]) == 0) {
    begun++;
  }
  for (int i = begun; i < count; i++) { /* no thread for it: its turn comes here */
    run_search(&searches[i]);
  }
  for (int i = 0; i < begun; i++) {
    pthread_join(threads[i], NULL);
  }
  free(threads);
}
