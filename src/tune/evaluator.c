#define _POSIX_C_SOURCE 200809L
#include "tune/evaluator.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/single_run.h"

/* ---- one run ---- */

/* A point in one world. */
typedef struct run_job {
  struct run_job *next; /* that runs at the same time */
  pki_evaluator *evaluator;
  pki_evaluation_key key;
  pki_record record;
  bool done;
} run_job;

/* What a run tells of itself. */
typedef struct run_teller {
  pki_record *record;
  bool interrupted;
} run_teller;

static void note_ran(void *user, const pki_world *world, const pki_run_result *result)
{
  (void)world;
  run_teller *t = user;
  t->interrupted = result->interrupted;
  pki_record_fill(t->record, result);
}

static pk_status run_point(const pki_tune *tune, const pki_evaluation_key *key, const atomic_int *stop,
                           pki_record *out, bool *interrupted, pk_error *err)
{
  int nset;
  char **sets = pki_tune_sets(tune, key->as_written ? NULL : key->value, key->world, &nset);
  if (sets == NULL) {
    return pki_fail_memory(err, "a run");
  }
  run_teller t = {.record = out};
  const pki_single_run run_once = {.file = tune->base->file,
                                   .text = tune->base->text,
                                   .size = tune->base->text_size,
                                   .sets = (const char *const *)sets,
                                   .nset = nset,
                                   .options = {.duration = tune->duration, .stop = stop},
                                   .ran = note_ran,
                                   .user = &t};
  bool refused = false;
  pk_error own = {0};
  pki_record_begin(out, 0);
  const pk_status status = pki_run_single(&run_once, &refused, &own);
  pki_tune_sets_free(sets, nset);
  *interrupted = t.interrupted;
  if (refused) {
    pki_record_refuse(out, &own);
  } else if (status != PK_OK) {
    *err = own;
    return status;
  }
  return PK_OK;
}

/* The first failure is what is told. */
static void note_failure(pki_evaluator *e, pk_status status, const pk_error *err)
{
  if (status != PK_OK && e->status == PK_OK) {
    e->status = status;
    e->err = *err;
  }
}

/* With the lock. */
static void show_tune_progress(pki_evaluator *e)
{
  const pki_tune_options *o = e->options;
  const double now = pki_clock();
  if (o->progress == NULL || now - e->shown < 0.1) {
    return;
  }
  e->shown = now;
  char what[160], best[40] = "";
  const long long all = (long long)e->tune->evaluations * (e->tune->worlds > 0 ? e->tune->worlds : 1),
                  done = e->ran + e->found;
  if (!isnan(e->best_value)) {
    snprintf(best, sizeof best, "; best %.6g", e->best_value);
  }
  snprintf(what, sizeof what, "%lld/%lld runs, %.3g/s%s", done, all,
           (double)e->ran / fmax(now - e->began, 1e-9), best);
  o->progress(o->user, fmin((double)done / (double)all, 1), what);
}

/* What is known of a job already. */
static void find_known(pki_evaluator *e, run_job *job)
{
  const pki_record *known = pki_evaluations_find(&e->kept, &job->key);
  if (known != NULL) {
    job->record = *known;
    job->done = true;
    e->found++;
  }
}

/* With the lock: wait while the same run is made for somebody else, and take what came of it; else it is ours. */
static void join_running(pki_evaluator *e, run_job *job)
{
  for (run_job *other = e->running; other != NULL;) {
    if (pki_evaluation_keys_equal(&other->key, &job->key)) {
      pthread_cond_wait(&e->ended, &e->lock);
      other = e->running;
    } else {
      other = other->next;
    }
  }
  find_known(e, job);
  if (!job->done) {
    job->next = e->running;
    e->running = job;
  }
}

static void leave_running(pki_evaluator *e, const run_job *job)
{
  run_job **at = &e->running;
  while (*at != job) {
    at = &(*at)->next;
  }
  *at = job->next;
  pthread_cond_broadcast(&e->ended);
}

static void do_run(void *user)
{
  run_job *job = user;
  pki_evaluator *e = job->evaluator;
  pk_error err = {0};
  bool interrupted = false;
  if (pki_evaluator_stops(e)) {
    return;
  }
  pthread_mutex_lock(&e->lock);
  join_running(e, job);
  pthread_mutex_unlock(&e->lock);
  if (job->done) {
    return;
  }
  pk_status status = run_point(e->tune, &job->key, e->options->stop, &job->record, &interrupted, &err);
  pthread_mutex_lock(&e->lock);
  job->done = status == PK_OK && !interrupted;
  if (job->done) {
    e->ran++;
    status = pki_evaluations_add(&e->kept, &job->key, &job->record, &err);
  }
  note_failure(e, status, &err);
  leave_running(e, job);
  show_tune_progress(e);
  pthread_mutex_unlock(&e->lock);
}

/* ---- a point ---- */

static void add_means(pki_evaluation *of, const pki_record *r, int *counts)
{
  for (int i = 0; i < pki_metric_count; i++) {
    if (!isnan(r->metric[i])) {
      of->metric[i] += r->metric[i];
      counts[i]++;
    }
  }
}

/* The mean over worlds of cost and objective; the latter over those that have one. */
static void sum_up(const pki_evaluator *e, const run_job *jobs, int worlds, pki_evaluation *of)
{
  int counts[PKI_METRIC_MAX] = {0}, valued = 0;
  const int fell = pki_metric_find("fell"), uncertified = pki_metric_find("uncertified");
  of->finished = true;
  of->cost = of->objective = 0;
  of->fell = of->uncertified = of->failed = of->refused = 0;
  of->message[0] = '\0';
  memset(of->metric, 0, sizeof of->metric);
  for (int k = 0; k < worlds; k++) {
    const pki_record *r = &jobs[k].record;
    const double value = pki_objective_value(&e->tune->objective, r);
    of->finished = of->finished && jobs[k].done;
    of->fell += r->metric[fell] > 0;
    of->uncertified += r->metric[uncertified] > 0;
    of->failed += r->outcome == PKI_OUTCOME_FAILED;
    of->refused += r->outcome == PKI_OUTCOME_REFUSED;
    if (of->message[0] == '\0') {
      memcpy(of->message, r->message, sizeof of->message);
    }
    of->cost += pki_objective_cost(&e->tune->objective, &e->penalty, r, e->duration) / worlds;
    of->objective += isnan(value) ? 0 : value;
    valued += !isnan(value);
    add_means(of, r, counts);
  }
  of->objective = valued > 0 ? of->objective / valued : NAN;
  for (int i = 0; i < pki_metric_count; i++) {
    of->metric[i] = counts[i] > 0 ? of->metric[i] / counts[i] : NAN;
  }
}

static void note_evaluation(pki_evaluator *e, const pki_evaluation *of)
{
  if (of->finished && !isnan(of->objective) && !(of->cost >= e->best_cost)) {
    e->best_cost = of->cost;
    e->best_value = of->objective;
  }
}

/* ---- all points ---- */

static void fill_key(const pki_tune *t, const pki_evaluation *of, int world, pki_evaluation_key *out)
{
  *out = (pki_evaluation_key){.as_written = of->as_written, .world = t->worlds > 0 ? world : -1};
  for (int i = 0; i < t->nparameter && !of->as_written; i++) {
    out->value[i] = of->value[i];
  }
}

/* What is known of all points, and what has to run: without gaps in `open`, how many. */
static int find_open(pki_evaluator *e, const pki_evaluation *list, int count, run_job *jobs, run_job *open)
{
  const int worlds = e->tune->worlds > 0 ? e->tune->worlds : 1;
  int nopen = 0;
  for (int i = 0; i < count * worlds; i++) {
    jobs[i] = (run_job){.evaluator = e};
    fill_key(e->tune, &list[i / worlds], i % worlds, &jobs[i].key);
    find_known(e, &jobs[i]);
    if (!jobs[i].done) {
      open[nopen++] = jobs[i];
    }
  }
  return nopen;
}

/* What ran goes to its place among what was known, and is summed up. */
static void close_open(pki_evaluator *e, pki_evaluation *list, int count, run_job *jobs, const run_job *open)
{
  const int worlds = e->tune->worlds > 0 ? e->tune->worlds : 1;
  for (int i = 0, next = 0; i < count * worlds; i++) {
    jobs[i] = jobs[i].done ? jobs[i] : open[next++];
  }
  for (int i = 0; i < count; i++) {
    sum_up(e, jobs + (ptrdiff_t)i * worlds, worlds, &list[i]);
    note_evaluation(e, &list[i]);
  }
}

pk_status pki_evaluator_run(pki_evaluator *evaluator, pki_evaluation *list, int count)
{
  pki_evaluator *e = evaluator;
  const size_t all = (size_t)count * (size_t)(e->tune->worlds > 0 ? e->tune->worlds : 1);
  run_job *jobs = calloc(2 * all + 1, sizeof *jobs), *open = jobs != NULL ? jobs + all : NULL;
  pthread_mutex_lock(&e->lock);
  if (jobs == NULL) {
    pk_error err;
    note_failure(e, pki_fail_memory(&err, "runs"), &err);
  }
  pk_status status = e->status;
  const int nopen = jobs != NULL && status == PK_OK ? find_open(e, list, count, jobs, open) : 0;
  pthread_mutex_unlock(&e->lock);
  if (nopen > 0) {
    pki_workers_run(e->workers, do_run, open, sizeof *open, nopen);
  }
  pthread_mutex_lock(&e->lock);
  status = e->status;
  if (jobs != NULL && status == PK_OK) {
    close_open(e, list, count, jobs, open);
  }
  pthread_mutex_unlock(&e->lock);
  free(jobs);
  return status;
}

bool pki_evaluator_stops(pki_evaluator *evaluator)
{
  pthread_mutex_lock(&evaluator->lock);
  const bool failed = evaluator->status != PK_OK;
  pthread_mutex_unlock(&evaluator->lock);
  return failed || (evaluator->options->stop != NULL && *evaluator->options->stop != 0);
}

/* ---- begin, end ---- */

pk_status pki_evaluator_create(const pki_tune *tune, const pki_tune_options *options, pki_evaluator *out,
                               pk_error *err)
{
  char path[PKI_PATH_MAX];
  xmlInitParser(); /* before there are threads */
  *out = (pki_evaluator){.tune = tune,
                         .options = options,
                         .duration = tune->duration >= 0 ? tune->duration : tune->base->duration,
                         .best_cost = INFINITY,
                         .best_value = NAN,
                         .began = pki_clock()};
  if (!pki_path_join(path, options->folder, "evaluations.pronk")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = options->folder},
                    "the folder's name is too long");
  }
  const pk_status status = pki_evaluations_open(path, tune, options->again, &out->kept, err);
  if (status != PK_OK) {
    return status;
  }
  out->workers = pki_workers_create(options->threads);
  if (out->workers == NULL) {
    pki_evaluations_close(&out->kept);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory or no %d threads", options->threads);
  }
  pthread_mutex_init(&out->lock, NULL);
  pthread_cond_init(&out->ended, NULL);
  if (out->kept.damaged > 0 && options->note != NULL) {
    char what[PKI_PATH_MAX + 80];
    snprintf(what, sizeof what, "%lld damaged records in %s; they are computed again", out->kept.damaged,
             path);
    options->note(options->user, what);
  }
  return PK_OK;
}

pk_status pki_evaluator_destroy(pki_evaluator *evaluator, pk_error *err)
{
  pki_workers_destroy(evaluator->workers);
  const pk_status status = pki_record_file_flush(&evaluator->kept.file, true, err);
  pki_evaluations_close(&evaluator->kept);
  pthread_cond_destroy(&evaluator->ended);
  pthread_mutex_destroy(&evaluator->lock);
  return status;
}
