#include "run/floquet_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"

/* Rates are compared with angles and places by the frequency of a pendulum as long as a leg of half a metre, about sqrt(g / l). */
static const double pendulum_rate = 4.5;

/* A run on its way. */
typedef struct gait_run {
  pki_world *world;
  const pki_floquet_options *options;
  pki_floquet_result *result;
  const pk_model *model;
  pk_stride_map *axes; /* of one step: for directions alone */
  int neutral[3], nneutral;
  double *scale;   /* [n] */
  double *x, *d;   /* [nx], [n] */
  double *history; /* [room][nx] the last states, in a ring */
  int room;
  long long stepped;
} gait_run;

static bool wants_end(gait_run *g)
{
  g->result->interrupted = g->options->stop != NULL && *g->options->stop != 0;
  return g->result->interrupted;
}

static void tell(const gait_run *g, double fraction, const char *what)
{
  if (g->options->progress != NULL) {
    g->options->progress(g->options->user, fraction, what);
  }
}

/* ---- states ---- */

static void read_state(const gait_run *g, double *x)
{
  memcpy(x, pk_sim_q(g->world->sim), (size_t)g->model->nq * sizeof *x);
  memcpy(x + g->model->nq, pk_sim_u(g->world->sim), (size_t)g->model->nu * sizeof *x);
}

/* The root mean square of a difference in directions that are not neutral, rates over `rate`. */
static double size_of(const gait_run *g, const double *d)
{
  const int n = 2 * g->model->nu;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    bool counts = true;
    for (int k = 0; k < g->nneutral; k++) {
      counts = counts && g->neutral[k] != i;
    }
    const double part = counts ? d[i] / g->scale[i] : 0;
    sum += part * part;
  }
  return sqrt(sum / (n - g->nneutral));
}

static double distance(const gait_run *g, const double *a, const double *b)
{
  const pk_return_map *map = pk_stride_map_get(g->axes);
  map->subtract(map, a, b, g->d);
  return size_of(g, g->d);
}

/* Steps without pushes; states go into the ring. */
static pk_status step_world(gait_run *g, long long steps, pk_error *err)
{
  const size_t nx = (size_t)(g->model->nq + g->model->nu);
  for (long long i = 0; i < steps; i++) {
    pk_step_info info;
    const pk_status status = pk_sim_step(g->world->sim, &info);
    if (status != PK_OK) {
      return pki_fail(err, status, (pki_where){0}, "the step at %g s failed: %s", pk_sim_time(g->world->sim),
                      pk_status_text(status));
    }
    g->stepped++;
    read_state(g, g->history + (size_t)(g->stepped % g->room) * nx);
  }
  return PK_OK;
}

/* The state `back` steps ago. */
static const double *state_before(const gait_run *g, int back)
{
  const size_t nx = (size_t)(g->model->nq + g->model->nu);
  return g->history + (size_t)((g->stepped - back) % g->room) * nx;
}

/* ---- the period ---- */

/* What moves less than this (rad, m) rests. */
static const double least_motion = 1e-3;

/* The shortest time after which the motion is what it was: the first local minimum of the distance between the present state
 * and those before it that is small, compared with the largest distance and with the least. */
static int find_period(const double *apart, int most)
{
  double largest = 0, least = INFINITY;
  int begin = 1;
  for (int p = 1; p <= most; p++) {
    largest = fmax(largest, apart[p]);
  }
  while (begin < most && apart[begin] < 0.3 * largest) { /* leave the present state first */
    begin++;
  }
  for (int p = begin; p <= most; p++) {
    least = fmin(least, apart[p]);
  }
  for (int p = begin; p < most && largest > least_motion; p++) {
    if (apart[p] <= apart[p - 1] && apart[p] < apart[p + 1] &&
        apart[p] <= fmin(fmax(2 * least, 0.02 * largest), 0.05 * largest)) {
      return p;
    }
  }
  return 0;
}

/* Look back from where the run is. */
static int look_for_period(const gait_run *g, double *apart)
{
  const int most = (int)fmin((double)g->room - 2, (double)g->stepped / 2);
  for (int p = 1; p <= most; p++) {
    apart[p] = distance(g, state_before(g, 0), state_before(g, p));
  }
  return find_period(apart, most);
}

/* Run until there is a period: for 4 s, 8 s, 16 s, ... up to half of the time to settle. */
static pk_status detect_period(gait_run *g, pk_error *err)
{
  const double dt = g->result->dt, last = 0.5 * g->options->settle;
  double *apart = calloc((size_t)g->room + 2, sizeof *apart);
  pk_status status = apart != NULL ? PK_OK : pki_fail_memory(err, "a period");
  g->result->found = true;
  for (double until = fmin(4, last); status == PK_OK && g->result->steps == 0 && !wants_end(g);
       until = fmin(2 * until, last)) {
    status = step_world(g, (long long)(until / dt) - g->stepped, err);
    g->result->steps = status == PK_OK ? look_for_period(g, apart) : 0;
    if (until >= last) {
      break;
    }
  }
  free(apart);
  if (status == PK_OK && g->result->steps == 0 && !g->result->interrupted) {
    status = pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){.field = "--period"},
                      "no period was found in the motion up to %g s: give the time of a stride by --period, "
                      "or more time by "
                      "--settle",
                      last);
  }
  return status;
}

static pk_status take_period(gait_run *g, pk_error *err)
{
  const double steps = g->options->period / g->result->dt;
  if (fabs(steps - round(steps)) > 1e-6 * steps || steps < 0.5 || steps > 1e6) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--period"},
                    "--period is %g s, expected a whole number of steps of %g s, up to a million",
                    g->options->period, g->result->dt);
  }
  g->result->steps = (int)round(steps);
  return PK_OK;
}

/* ---- settling ---- */

/* The state that repeats best so far, with all that it remembers. */
typedef struct kept_state {
  void *bytes;
  size_t size;
  double residual, time;
} kept_state;

static pk_status keep_state(const gait_run *g, kept_state *k, double residual, pk_error *err)
{
  const size_t size = pk_sim_state_size(g->world->sim);
  void *bytes = realloc(k->bytes, size);
  if (bytes == NULL) {
    return pki_fail_memory(err, "a state");
  }
  *k = (kept_state){.bytes = bytes, .size = size, .residual = residual, .time = pk_sim_time(g->world->sim)};
  pk_sim_get_state(g->world->sim, bytes);
  return PK_OK;
}

/* Stride after stride until the motion repeats. */
static pk_status settle_strides(gait_run *g, kept_state *best, pk_error *err)
{
  pki_floquet_result *r = g->result;
  const long long last = (long long)(g->options->settle / r->dt);
  PK_ASSERT(r->steps > 0);
  const size_t most = (size_t)((last - g->stepped) / (r->steps > 0 ? r->steps : 1) + 2);
  r->change = calloc(most, sizeof *r->change);
  if (r->change == NULL) {
    return pki_fail_memory(err, "strides");
  }
  double *before = malloc((size_t)(g->model->nq + g->model->nu) * sizeof *before);
  pk_status status = before != NULL ? PK_OK : pki_fail_memory(err, "a state");
  while (status == PK_OK && g->stepped + r->steps <= last && !wants_end(g)) {
    char what[96];
    read_state(g, before);
    status = step_world(g, r->steps, err);
    if (status != PK_OK) {
      break;
    }
    read_state(g, g->x);
    const double change = distance(g, g->x, before);
    r->change[r->nchange++] = change;
    if (change < best->residual) {
      status = keep_state(g, best, change, err);
    }
    snprintf(what, sizeof what, "settling: %.1f s, changes by %.1e in a stride", pk_sim_time(g->world->sim),
             change);
    tell(g, 0.2 * (double)g->stepped / (double)last, what);
    if (change <= g->options->repeat) {
      break;
    }
  }
  free(before);
  return status;
}

/* How far motion may still change from stride to stride for a derivative to mean something. */
static const double loosest = 0.01;

static pk_status settle_world(gait_run *g, pk_error *err)
{
  kept_state best = {.residual = INFINITY};
  pk_status status = settle_strides(g, &best, err);
  if (status == PK_OK && !g->result->interrupted && !(best.residual <= loosest)) {
    status = pki_fail(
        err, PK_ERROR_CONVERGENCE, (pki_where){.field = "--settle"},
        "the motion does not repeat: within %g s it changes by at least %.2g in a stride of %g s (radians, "
        "metres, and rates over %g/s), expected at most %g; give another --period, or more time by --settle",
        g->options->settle, best.residual, g->result->steps * g->result->dt, pendulum_rate, loosest);
  }
  if (status == PK_OK && !g->result->interrupted) {
    status = pk_sim_set_state(g->world->sim, best.bytes, best.size, err);
    g->result->settled = best.time;
    g->result->residual = best.residual;
  }
  free(best.bytes);
  return status;
}

/* ---- multipliers ---- */

/* The stride map with an eye on the user: it ends when asked to, and tells how far it is. */
typedef struct watched_map {
  const pk_return_map *map;
  gait_run *run;
  int calls;
} watched_map;

static pk_status iterate_watched(const pk_return_map *self, int count, int strides, const double *x,
                                 double *out)
{
  watched_map *w = self->user;
  const int levels = w->run->options->levels;
  char what[64];
  if (wants_end(w->run)) {
    return PK_ERROR_LIMIT;
  }
  snprintf(what, sizeof what, "differentiating the stride map: %d/%d", w->calls, levels + 1);
  tell(w->run, 0.2 + 0.6 * w->calls++ / (levels + 1), what);
  return w->map->iterate(w->map, count, strides, x, out);
}

static void add_watched(const pk_return_map *self, const double *x, const double *d, double *out)
{
  const watched_map *w = self->user;
  w->map->add(w->map, x, d, out);
}

static void subtract_watched(const pk_return_map *self, const double *a, const double *b, double *d)
{
  const watched_map *w = self->user;
  w->map->subtract(w->map, a, b, d);
}

static pk_status find_gait_multipliers(gait_run *g, const pk_stride_map *stride, pk_error *err)
{
  pk_floquet_options o = pk_floquet_options_default();
  watched_map watched = {.map = pk_stride_map_get(stride), .run = g};
  const pk_return_map map = {.nx = watched.map->nx,
                             .n = watched.map->n,
                             .iterate = iterate_watched,
                             .add = add_watched,
                             .subtract = subtract_watched,
                             .user = &watched};
  o.step = g->options->step, o.levels = g->options->levels, o.strides = g->options->strides;
  o.scale = g->scale;
  o.neutral = g->neutral, o.nneutral = g->nneutral;
  const pk_status status =
      pk_floquet_compute(&map, pk_stride_map_start(stride), &o, &g->result->floquet, err);
  return g->result->interrupted ? PK_OK : status;
}

/* ---- random errors ---- */

/* points [1 + worlds][nx]: the gait itself, and random errors of that size. */
static void scatter_points(const gait_run *g, const pk_stride_map *stride, double size, double *points)
{
  const pk_return_map *map = pk_stride_map_get(stride);
  const double *start = pk_stride_map_start(stride);
  pki_random random = pki_random_seeded(7);
  memcpy(points, start, (size_t)map->nx * sizeof *points);
  for (int w = 1; w <= PKI_DECAY_WORLDS; w++) {
    for (int i = 0; i < map->n; i++) {
      g->d[i] = pki_random_normal(&random);
    }
    for (int k = 0; k < g->nneutral; k++) {
      g->d[g->neutral[k]] = 0;
    }
    /* of length `size` in units of the scales */
    const double factor = size * sqrt(map->n - g->nneutral);
    double length = 0;
    for (int i = 0; i < map->n; i++) {
      length = hypot(length, g->d[i]);
    }
    for (int i = 0; i < map->n; i++) {
      g->d[i] *= factor / length * g->scale[i];
    }
    map->add(map, start, g->d, points + (size_t)w * (size_t)map->nx);
  }
}

/* Root mean square over worlds after each stride; values [strides][1 + worlds][nx]. */
static void measure_decay(const gait_run *g, const double *values, pki_decay *out)
{
  const size_t nx = (size_t)(g->model->nq + g->model->nu);
  out->left[0] = out->size;
  for (int s = 0; s < PKI_DECAY_STRIDES; s++) {
    const double *row = values + (size_t)s * (1 + PKI_DECAY_WORLDS) * nx;
    double sum = 0;
    for (int w = 1; w <= PKI_DECAY_WORLDS; w++) {
      const double error = distance(g, row + (size_t)w * nx, row);
      sum += error * error;
    }
    out->left[s + 1] = sqrt(sum / PKI_DECAY_WORLDS);
  }
  const int half = PKI_DECAY_STRIDES / 2;
  out->rate = pow(out->left[PKI_DECAY_STRIDES] / out->left[half], 1.0 / (PKI_DECAY_STRIDES - half));
}

static pk_status watch_errors(gait_run *g, const pk_stride_map *stride, pk_error *err)
{
  static const double sizes[PKI_DECAY_SIZES] = {1e-3, 1e-2};
  const pk_return_map *map = pk_stride_map_get(stride);
  const size_t row = (size_t)(1 + PKI_DECAY_WORLDS) * (size_t)map->nx;
  double *points = malloc(row * sizeof *points), *values = malloc(PKI_DECAY_STRIDES * row * sizeof *values);
  pk_status status = points != NULL && values != NULL ? PK_OK : pki_fail_memory(err, "random errors");
  for (int i = 0; i < PKI_DECAY_SIZES && status == PK_OK && !wants_end(g); i++) {
    pki_decay *decay = &g->result->decay[i];
    decay->size = sizes[i];
    tell(g, 0.8 + 0.1 * i, "watching random errors");
    scatter_points(g, stride, sizes[i], points);
    if (map->iterate(map, 1 + PKI_DECAY_WORLDS, PKI_DECAY_STRIDES, points, values) == PK_OK) {
      measure_decay(g, values, decay);
      continue;
    }
    for (int s = 0; s <= PKI_DECAY_STRIDES; s++) { /* some world did not survive it */
      decay->left[s] = NAN;
    }
    decay->rate = NAN;
  }
  free(points);
  free(values);
  return status;
}

/* ---- all of it ---- */

static pk_status begin_gait_run(gait_run *g, pk_error *err)
{
  const pk_model *m = g->model;
  const size_t nx = (size_t)(m->nq + m->nu), n = 2 * (size_t)m->nu;
  const pk_stride_options one = {.steps = 1, .threads = 1, .worlds = 1};
  const pk_status status = pk_stride_map_create(g->world->sim, g->world->controller, &one, &g->axes, err);
  if (status != PK_OK) {
    return status;
  }
  g->nneutral = pk_stride_map_neutral(g->axes, g->neutral);
  g->room = (int)fmin(fmax(4 / g->result->dt, 16), 1e7 / (double)nx);
  g->scale = malloc((2 * n + nx) * sizeof *g->scale);
  g->history = calloc((size_t)g->room * nx, sizeof *g->history);
  if (g->scale == NULL || g->history == NULL) {
    return pki_fail_memory(err, "the run");
  }
  g->d = g->scale + n, g->x = g->d + n;
  for (size_t i = 0; i < n; i++) {
    g->scale[i] = i < n / 2 ? 1 : pendulum_rate;
  }
  read_state(g, g->history);
  return PK_OK;
}

/* The settled world, differentiated. */
static pk_status analyse_gait(gait_run *g, pk_error *err)
{
  pk_stride_map *stride = NULL;
  const pk_stride_options o = {.steps = g->result->steps, .threads = g->options->threads};
  pk_status status = pk_stride_map_create(g->world->sim, g->world->controller, &o, &stride, err);
  status = status == PK_OK ? find_gait_multipliers(g, stride, err) : status;
  status = status == PK_OK && !wants_end(g) ? watch_errors(g, stride, err) : status;
  pk_stride_map_destroy(stride);
  return status;
}

pk_status pki_floquet_run(pki_world *world, const pki_floquet_options *options, pki_floquet_result *result,
                          pk_error *err)
{
  gait_run g = {.world = world, .options = options, .result = result, .model = world->model};
  const pki_scenario *s = world->scenario;
  *result = (pki_floquet_result){
      .dt = s->step.dt, .rate = pendulum_rate, .pushes = s->npush > 0 || s->ndisturb > 0};
  pk_status status = begin_gait_run(&g, err);
  if (status == PK_OK) {
    status = options->period > 0 ? take_period(&g, err) : detect_period(&g, err);
  }
  result->period = result->steps * result->dt;
  status = status == PK_OK && !result->interrupted ? settle_world(&g, err) : status;
  if (status == PK_OK && !result->interrupted) {
    status = analyse_gait(&g, err);
  }
  pk_stride_map_destroy(g.axes);
  free(g.scale);
  free(g.history);
  return status;
}

void pki_floquet_result_free(pki_floquet_result *result)
{
  free(result->change);
  pk_floquet_free(&result->floquet);
  *result = (pki_floquet_result){0};
}
