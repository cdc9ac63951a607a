#include "bench/contact_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pki_contact_runner_create(pki_contact_runner *run, const pki_contact_stage *stage,
                               const pki_contact_peer *table, int config, char *message, size_t size)
{
  *run = (pki_contact_runner){.stage = stage, .table = table, .config = config};
  run->world = table->create(&stage->scene, config, message, size);
  return run->world != NULL;
}

void pki_contact_runner_destroy(pki_contact_runner *run)
{
  if (run->world) {
    run->table->destroy(run->world);
  }
  run->world = NULL;
}

void pki_contact_runner_advance(pki_contact_runner *run, int count)
{
  for (int k = 0; k < count && !run->failed; k++) {
    run->failed = !run->table->step(run->world, pki_contact_target(run->stage, run->steps++));
  }
}

/* What is needed to watch: two samples that take turns, the evaluator, residuals of all steps. */
typedef struct watcher {
  pki_contact_evaluator evaluator;
  pki_contact_sample sample[2];
  double *memory, *residuals;
  long long count, room;
  double half[2][PKI_FEET][2]; /* sums of the feet's x, y over the first and the second half of the watch */
  double sink, force;
} watcher;

static bool watcher_create(watcher *w, const pki_contact_scene *scene, long long steps)
{
  const size_t nq = (size_t)scene->model->nq, nu = (size_t)scene->model->nu;
  *w = (watcher){.room = steps};
  w->memory = calloc(2 * (nq + nu), sizeof *w->memory);
  w->residuals = calloc((size_t)steps, sizeof *w->residuals);
  const bool has_evaluator = pki_contact_evaluator_create(&w->evaluator, scene);
  for (size_t i = 0; i < 2 && w->memory; i++) {
    w->sample[i].q = w->memory + i * (nq + nu);
    w->sample[i].u = w->sample[i].q + nq;
  }
  return has_evaluator && w->memory && w->residuals;
}

static void watcher_destroy(watcher *w)
{
  pki_contact_evaluator_destroy(&w->evaluator);
  free(w->memory);
  free(w->residuals);
}

bool pki_contact_is_down(const pki_contact_sample *s)
{
  const double up = 1 - 2 * (s->q[4] * s->q[4] + s->q[5] * s->q[5]); /* the base's z against the world's */
  return !(s->q[2] > 0.2 && s->q[2] < 1 && up > 0.7);
}

static double deepest_sink(const watcher *w)
{
  double sink = 0;
  for (int f = 0; f < PKI_FEET; f++) {
    sink = fmax(sink, w->evaluator.scene->feet[f].radius - w->evaluator.centre[f][2]);
  }
  return sink;
}

/* One step, seen from outside; false when it fell. */
static bool watch_step(watcher *w, pki_contact_runner *run)
{
  const pki_contact_sample *before = &w->sample[w->count % 2];
  pki_contact_sample *after = &w->sample[(w->count + 1) % 2];
  pki_contact_runner_advance(run, 1);
  run->table->read(run->world, after);
  if (run->failed || pki_contact_is_down(after)) {
    return false;
  }
  const double at = run->table->configs[run->config].contact_at;
  w->residuals[w->count++] = pki_contact_evaluator_step(&w->evaluator, before, after, at).relative;
  pki_contact_feet(&w->evaluator, after);
  w->sink = fmax(w->sink, deepest_sink(w));
  for (int f = 0; f < PKI_FEET; f++) {
    w->force += after->force[f][2];
  }
  return true;
}

static int compare_reals(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void conclude_figures(watcher *w, const pki_contact_stage *stage, double watch, long long watched,
                             pki_contact_figures *out)
{
  const pk_model *m = stage->scene.model;
  const bool level = stage->motion == PKI_CONTACT_STAND, slope = stage->motion == PKI_CONTACT_SLOPE;
  double fastest = 0, creep = 0;
  for (int f = 0; f < PKI_FEET; f++) {
    double v[2]; /* from the mean of one half to that of the other: what still swings cancels */
    for (int i = 0; i < 2; i++) {
      v[i] = (w->half[1][f][i] - w->half[0][f][i]) / (0.5 * (double)watched) / (0.5 * watch);
    }
    fastest = fmax(fastest, hypot(v[0], v[1]));
    creep += (stage->down[0] * v[0] + stage->down[1] * v[1]) / PKI_FEET;
  }
  qsort(w->residuals, (size_t)w->count, sizeof *w->residuals, compare_reals);
  *out = (pki_contact_figures){
      .sink_mm = 1e3 * w->sink,
      .rest_sink_mm = level || slope ? 1e3 * deepest_sink(w) : NAN,
      .drift_um_per_min = level ? 60e6 * fastest : NAN,
      .creep_um_per_s = slope ? 1e6 * creep : NAN,
      .residual = w->residuals[w->count - 1],
      .residual_median = w->residuals[w->count / 2],
      .height = w->sample[w->count % 2].q[2],
      .support = w->force / (double)watched / (m->mass * -m->gravity[2]),
  };
}

bool pki_contact_runner_watch(pki_contact_runner *run, double settle, double watch, pki_contact_figures *out)
{
  const double dt = run->stage->scene.dt;
  const long long first = llround(settle / dt), last = first + llround(watch / dt);
  watcher w;
  if (!watcher_create(&w, &run->stage->scene, last)) {
    watcher_destroy(&w);
    return false;
  }
  run->table->read(run->world, &w.sample[0]);
  bool stands = true;
  for (long long k = 0; k < last && stands; k++) {
    w.force = k == first ? 0 : w.force;
    stands = watch_step(&w, run);
    for (int f = 0; f < PKI_FEET && stands && k >= first; f++) {
      double *sum = w.half[2 * (k - first) >= last - first][f];
      sum[0] += w.evaluator.centre[f][0], sum[1] += w.evaluator.centre[f][1];
    }
  }
  if (stands) {
    conclude_figures(&w, run->stage, watch, last - first, out);
  } else {
    *out = (pki_contact_figures){true, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  }
  watcher_destroy(&w);
  return true;
}

bool pki_contact_runner_fell(pki_contact_runner *run)
{
  double q[64], u[64]; /* StarLETH has 19 and 18 */
  pki_contact_sample sample = {.q = q, .u = u};
  run->table->read(run->world, &sample);
  return run->failed || pki_contact_is_down(&sample);
}
