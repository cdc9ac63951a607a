/* The phases of tuning: the scenario as it is, a global search, local ones from the best points. */
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tune/search.h"

/* Local searches start at points that differ by this share of the range in some parameter at least. */
static const double apart = 0.1;

typedef struct tuner {
  const pki_tune *tune;
  pki_tune_result *out;
  pki_evaluator evaluator;
} tuner;

bool pki_evaluation_is_good(const pki_evaluation *evaluation)
{
  const pki_evaluation *e = evaluation;
  return e->finished && !isnan(e->objective) && e->fell + e->uncertified + e->failed + e->refused == 0;
}

/* ---- results ---- */

/* A lower cost, with a value; the earlier one of equals. */
static bool is_better(const pki_tune_result *r, int a, int b)
{
  return !isnan(r->list[a].objective) && (b < 0 || r->list[a].cost < r->list[b].cost);
}

/* What a search found, behind what is there. */
static void append_leg(tuner *t, const pki_search *s)
{
  pki_tune_result *r = t->out;
  pki_tune_leg leg = {
      .method = s->method, .first = r->count, .count = s->count, .best = -1, .ended = s->ended};
  memcpy(r->list + r->count, s->list, (size_t)s->count * sizeof *r->list);
  r->count += s->count;
  for (int i = leg.first; i < r->count; i++) {
    leg.best = is_better(r, i, leg.best) ? i : leg.best;
    r->best = is_better(r, i, r->best) ? i : r->best;
  }
  r->legs[r->nleg++] = leg;
}

/* ---- the scenario as it is ---- */

static pk_status evaluate_as_written(tuner *t)
{
  const pki_tune *tune = t->tune;
  pki_evaluation e = {.as_written = true};
  for (int i = 0; i < tune->nparameter; i++) {
    e.value[i] = pki_tune_written(tune, i);
    const double unit = pki_tune_unit(&tune->parameters[i], e.value[i]);
    e.t[i] = unit >= 0 && unit <= 1 ? unit : NAN;
  }
  pk_status status = pki_evaluator_run(&t->evaluator, &e, 1);
  if (status == PK_OK && e.finished) {
    t->evaluator.penalty = t->out->penalty = pki_objective_penalty(&tune->objective, e.objective);
    status = pki_evaluator_run(&t->evaluator, &e, 1); /* again, from memory: now the penalty is known */
    t->evaluator.found -= tune->worlds > 0 ? tune->worlds : 1;
    t->evaluator.best_cost = isnan(e.objective) ? INFINITY : e.cost;
    t->out->list[t->out->count++] = e;
    t->out->best = isnan(e.objective) ? -1 : 0;
  }
  return status;
}

/* ---- phases ---- */

/* So many searches with one budget; the first ones get what is left over by dividing it. */
static pk_status run_phase(tuner *t, const pki_tune_method *method,
                           const double (*starts)[PKI_TUNE_PARAMETERS], int count, int budget, pk_error *err)
{
  const pki_tune *tune = t->tune;
  pki_search *searches = calloc((size_t)count, sizeof *searches);
  pk_status status = searches != NULL ? PK_OK : pki_fail_memory(err, "searches");
  for (int i = 0; i < count && status == PK_OK; i++) {
    pki_search *s = &searches[i];
    *s = (pki_search){.evaluator = &t->evaluator,
                      .method = method,
                      .within = tune->local,
                      .budget = budget / count + (i < budget % count),
                      .seed = tune->seed + i};
    memcpy(s->start, starts[i], sizeof s->start);
    s->list = calloc((size_t)s->budget + 1, sizeof *s->list);
    status = s->list != NULL ? PK_OK : pki_fail_memory(err, "evaluations");
  }
  if (status == PK_OK) {
    pki_searches_run(searches, count);
  }
  for (int i = 0; i < count && status == PK_OK; i++) {
    status = searches[i].status;
    if (status != PK_OK) {
      *err = t->evaluator.status != PK_OK ? t->evaluator.err : searches[i].err;
    } else {
      append_leg(t, &searches[i]);
    }
  }
  for (int i = 0; searches != NULL && i < count; i++) {
    free(searches[i].list);
  }
  free(searches);
  return status;
}

/* The middle of all ranges, which global methods begin with. */
static pk_status run_global(tuner *t, int budget, pk_error *err)
{
  const pki_tune *tune = t->tune;
  int count = tune->global->random ? tune->starts : 1;
  count = count < budget ? count : budget;
  double(*starts)[PKI_TUNE_PARAMETERS] = calloc((size_t)count, sizeof *starts);
  if (starts == NULL) {
    return pki_fail_memory(err, "starts");
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < tune->nparameter; k++) {
      starts[i][k] = 0.5;
    }
  }
  const pk_status status =
      run_phase(t, tune->global, (const double(*)[PKI_TUNE_PARAMETERS])starts, count, budget, err);
  free(starts);
  return status;
}

/* Whether a point is far enough from all that were chosen, and within bounds. */
static bool is_apart(const double *t, const double (*chosen)[PKI_TUNE_PARAMETERS], int count, int n)
{
  for (int k = 0; k < n; k++) {
    if (!(t[k] >= 0 && t[k] <= 1)) {
      return false;
    }
  }
  for (int i = 0; i < count; i++) {
    double most = 0;
    for (int k = 0; k < n; k++) {
      most = fmax(most, fabs(t[k] - chosen[i][k]));
    }
    if (most < apart) {
      return false;
    }
  }
  return true;
}

/* The best points so far that are apart from each other; without a global phase where the scenario is, or the middle, then even samples.
 * How many. */
static int choose_starts(const tuner *t, double (*starts)[PKI_TUNE_PARAMETERS], int most)
{
  const pki_tune *tune = t->tune;
  const pki_tune_result *r = t->out;
  const double(*chosen)[PKI_TUNE_PARAMETERS] = (const double(*)[PKI_TUNE_PARAMETERS])starts;
  const int n = tune->nparameter;
  int count = 0;
  while (tune->global != NULL && count < most) {
    int next = -1;
    for (int i = 0; i < r->count; i++) {
      if (is_better(r, i, next) && is_apart(r->list[i].t, chosen, count, n)) {
        next = i;
      }
    }
    if (next < 0) {
      break;
    }
    memcpy(starts[count++], r->list[next].t, sizeof starts[0]);
  }
  if (count == 0) {
    const bool here = is_apart(r->list[0].t, chosen, 0, n);
    for (int k = 0; k < n; k++) {
      starts[0][k] = here ? r->list[0].t[k] : 0.5;
    }
    count = 1;
  }
  for (uint32_t i = 0; tune->global == NULL && count < most; i++, count++) {
    for (int k = 0; k < n; k++) {
      starts[count][k] = pki_draw_unit(PKI_DRAW_SOBOL, tune->seed, i, k);
    }
  }
  return count;
}

static pk_status run_local(tuner *t, int budget, pk_error *err)
{
  const pki_tune *tune = t->tune;
  const int most = tune->starts < budget ? tune->starts : budget;
  double(*starts)[PKI_TUNE_PARAMETERS] = calloc((size_t)most, sizeof *starts);
  if (starts == NULL) {
    return pki_fail_memory(err, "starts");
  }
  const int count = choose_starts(t, starts, most);
  const pk_status status =
      run_phase(t, tune->local, (const double(*)[PKI_TUNE_PARAMETERS])starts, count, budget, err);
  free(starts);
  return status;
}

/* ---- all of it ---- */

/* Half of the evaluations look everywhere, half go downhill, when there are both. */
static pk_status run_phases(tuner *t, pk_error *err)
{
  const pki_tune *tune = t->tune;
  const int budget = tune->evaluations - 1;
  const int global = tune->global == NULL ? 0 : tune->local == NULL ? budget : (budget + 1) / 2;
  pk_status status = evaluate_as_written(t);
  if (status != PK_OK) {
    *err = t->evaluator.err;
    return status;
  }
  if (global > 0 && !pki_evaluator_stops(&t->evaluator)) {
    status = run_global(t, global, err);
  }
  if (status == PK_OK && budget > global && !pki_evaluator_stops(&t->evaluator)) {
    status = run_local(t, budget - global, err);
  }
  return status;
}

pk_status pki_tune_run(const pki_tune *tune, const pki_tune_options *options, pki_tune_result *out,
                       pk_error *err)
{
  tuner t = {.tune = tune, .out = out};
  const double began = pki_clock();
  *out = (pki_tune_result){.best = -1};
  out->list = calloc((size_t)tune->evaluations + 1, sizeof *out->list);
  out->legs = calloc(2 * (size_t)tune->starts + 1, sizeof *out->legs);
  if (out->list == NULL || out->legs == NULL) {
    return pki_fail_memory(err, "evaluations");
  }
  pk_status status = pki_evaluator_create(tune, options, &t.evaluator, err);
  if (status != PK_OK) {
    return status;
  }
  status = run_phases(&t, err);
  out->ran = t.evaluator.ran;
  out->kept = t.evaluator.found;
  out->interrupted = options->stop != NULL && *options->stop != 0;
  out->seconds = pki_clock() - began;
  pk_error own;
  const pk_status flushed = pki_evaluator_destroy(&t.evaluator, &own);
  if (status == PK_OK && flushed != PK_OK) {
    *err = own;
  }
  return status == PK_OK ? flushed : status;
}

void pki_tune_result_free(pki_tune_result *result)
{
  free(result->list);
  free(result->legs);
  *result = (pki_tune_result){0};
}
