/* `pronk bench scaling`: what a step of one world costs as the world grows, for Pronk and for peers that take such
 * worlds. A work is a scene and its size; engines take turns. Over the larger half of the sizes the cost is fitted by
 * a power of the size: log t = p log n + c by least squares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/contact_pronk.h"
#include "bench/contact_run.h"
#include "bench/scaling_scene.h"
#include "measure/measure.h"
#include "measure/peer.h"

enum { RUNNERS_MAX = 32, PEERS_MAX = 16, SIZES_MAX = 12 };

/* s for a call of an engine; one that is slower is left out of larger worlds. */
static const double PATIENCE = 2;

/* Sizes of each growth, and how many of them --quick takes. */
static const struct {
  int count, quick, sizes[SIZES_MAX];
} growths[PKI_GROWTHS] = {
    [PKI_GROWTH_CHAIN] = {8, 3, {6, 12, 25, 50, 100, 200, 400, 600}},
    [PKI_GROWTH_BALLS] = {8, 3, {1, 2, 5, 10, 20, 50, 100, 200}},
    [PKI_GROWTH_ROBOTS] = {7, 2, {1, 2, 4, 8, 16, 32, 64}},
};

/* MuJoCo's fastest ways on the ground (pronk bench contact), and one of each without it, where all are the same. */
static const char *const peer_configs[] = {"newton elliptic", "cg elliptic"};

typedef struct runner {
  const char *engine, *version;
  const pki_contact_peer *table;
  int config;
  pki_scaling_scene *scene;
  void *world;
  int steps; /* in one call */
  long long done;
  bool failed;
} runner;

typedef struct work {
  pki_scaling_scene scene;
  runner runners[RUNNERS_MAX];
  int count;
} work;

typedef struct bench {
  const pki_bench_options *options;
  pki_bench_report *report;
  const pk_peer *peers[PEERS_MAX];
  int npeer;
  const char *slow[RUNNERS_MAX]; /* engines that were too slow in this growth */
  int nslow;
} bench;

static void work_name(char name[64], pki_growth growth, int size)
{
  snprintf(name, 64, "%s %d", pki_growth_names[growth], size);
}

static bool is_slow(const bench *b, const char *engine)
{
  bool slow = false;
  for (int i = 0; i < b->nslow; i++) {
    slow |= strcmp(b->slow[i], engine) == 0;
  }
  return slow;
}

/* ---- who takes part ---- */

static void add_runner(work *w, const char *engine, const char *version, const pki_contact_peer *table,
                       int config, pki_bench_report *report)
{
  runner *r = &w->runners[w->count];
  char message[400] = "";
  if (w->count == RUNNERS_MAX) {
    return;
  }
  *r = (runner){.engine = engine, .version = version, .table = table, .config = config, .scene = &w->scene};
  r->world = table->create(&w->scene.scene, config, message, sizeof message);
  /* a whole cycle of one robot; many are all over it */
  r->steps = w->scene.growth == PKI_GROWTH_ROBOTS ? w->scene.period / w->scene.size : 20;
  if (r->world) {
    w->count++;
  } else {
    message[strcspn(message, "\n")] = '\0';
    pki_bench_add_note(report, "%s left out of %s %d: %.120s", engine, pki_growth_names[w->scene.growth],
                       w->scene.size, message);
  }
}

static bool is_compared_config(const pki_contact_config *config, pki_growth growth)
{
  const int count = growth == PKI_GROWTH_CHAIN ? 1 : (int)(sizeof peer_configs / sizeof peer_configs[0]);
  bool found = false;
  for (int i = 0; i < count; i++) {
    found |= strcmp(config->name, peer_configs[i]) == 0 && strcmp(config->gains, "explicit") == 0;
  }
  return found;
}

static void add_runners(const bench *b, work *w)
{
  add_runner(w, "pronk", pk_version(), pki_contact_pronk(), 0, b->report);
  for (int i = 0; i < b->npeer; i++) {
    const pk_peer *peer = b->peers[i];
    const pki_contact_peer *table = peer->interface(PKI_CONTACT_INTERFACE);
    for (int c = 0; table && table->clone && c < table->nconfig && !is_slow(b, peer->name); c++) {
      if (is_compared_config(&table->configs[c], w->scene.growth)) {
        add_runner(w, peer->name, peer->version, table, c, b->report);
      }
    }
  }
}

/* ---- timing ---- */

static void run_call(void *user, int index)
{
  runner *r = user;
  (void)index;
  for (int k = 0; k < r->steps && !r->failed; k++) {
    r->failed = !r->table->step(r->world, pki_scaling_target(r->scene, r->done++));
  }
}

/* Robots that lie on the ground have less to do. */
static bool robots_fell(const runner *r)
{
  const pk_model *m = &r->scene->model;
  const int count = r->scene->growth == PKI_GROWTH_ROBOTS ? r->scene->size : 0, nq = m->nq / r->scene->size;
  double *memory = calloc((size_t)(m->nq + m->nu), sizeof *memory);
  bool down = memory == NULL;
  if (memory) {
    pki_contact_sample sample = {.q = memory, .u = memory + m->nq};
    r->table->read(r->world, &sample);
    for (int k = 0; k < count; k++) {
      down |= pki_contact_is_down(&(pki_contact_sample){.q = memory + (size_t)k * (size_t)nq});
    }
  }
  free(memory);
  return down;
}

static bool add_results(bench *b, const work *w, const pki_entrant *entrants)
{
  const int first = b->report->nresult;
  for (int i = 0; i < w->count; i++) {
    const runner *from = &w->runners[i];
    pki_bench_result *r = pki_bench_add_result(b->report);
    if (!r) {
      return false;
    }
    const double scale = from->failed ? NAN : 1e6 / from->steps;
    work_name(r->work, w->scene.growth, w->scene.size);
    r->engine = from->engine;
    r->version = from->version;
    r->config = from->table->configs[from->config].name;
    r->lanes = r->threads = 1;
    r->unit = "us/step";
    r->median = scale * entrants[i].median;
    r->spread = scale * entrants[i].spread;
    r->scaling = (pki_bench_scaling_figures){.series = pki_growth_names[w->scene.growth],
                                             .size = w->scene.size,
                                             .dof = w->scene.model.nu,
                                             .exponent = NAN};
    if (from->failed) {
      pki_bench_add_note(b->report, "%s (%s) failed or fell in %s", r->engine, r->config, r->work);
    }
    if (entrants[i].median > PATIENCE && b->nslow < RUNNERS_MAX) {
      b->slow[b->nslow++] = from->engine;
      pki_bench_add_note(b->report, "%s takes %.1f s for %d steps of %s: left out of larger ones", r->engine,
                         entrants[i].median, from->steps, r->work);
    }
  }
  pki_bench_add_ratios(b->report, first, true);
  return true;
}

static pk_status run_work(bench *b, work *w, pki_growth growth, int size, pk_error *err)
{
  const pki_measure_options normal = {.round = 2e-2, .total = 3, .least = 5, .most = 21};
  /* an open-loop trot wanders and stumbles in the end: it is timed for a minute of its life */
  const pki_measure_options trot = {.round = 2e-3, .total = 0.5, .least = 5, .most = 9};
  const pki_measure_options quick = {.round = 1e-3, .total = 0, .least = 3, .most = 3};
  pki_entrant entrants[RUNNERS_MAX];
  *w = (work){0};
  pk_status status = pki_scaling_scene_create(&w->scene, growth, size, err);
  if (status != PK_OK) {
    return status;
  }
  add_runners(b, w);
  for (int i = 0; i < w->count; i++) {
    entrants[i] = (pki_entrant){.run = run_call, .user = &w->runners[i], .inputs = 1};
  }
  const pki_measure_options *how = b->options->quick ? &quick : growth == PKI_GROWTH_ROBOTS ? &trot : &normal;
  const bool timed = pki_measure(entrants, w->count, how);
  for (int i = 0; i < w->count && timed; i++) {
    w->runners[i].failed |= robots_fell(&w->runners[i]);
  }
  if (!timed || !add_results(b, w, entrants)) {
    status = pki_fail_memory(err, NULL);
  }
  for (int i = 0; i < w->count; i++) {
    w->runners[i].table->destroy(w->runners[i].world);
  }
  pki_scaling_scene_destroy(&w->scene);
  return status;
}

/* ---- the fit ---- */

static bool same_series(const pki_bench_result *a, const pki_bench_result *b)
{
  return strcmp(a->engine, b->engine) == 0 && strcmp(a->config, b->config) == 0 &&
         strcmp(a->scaling.series, b->scaling.series) == 0;
}

/* The power of the size by which a line's series grows, over the larger half of its sizes, three at least. */
static double exponent_of(const pki_bench_report *report, const pki_bench_result *line)
{
  int of_series = 0, seen = 0, n = 0;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < report->nresult; i++) {
    of_series += same_series(&report->results[i], line) && isfinite(report->results[i].median);
  }
  const int used = of_series / 2 > 3 ? of_series / 2 : 3;
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    if (!same_series(r, line) || !isfinite(r->median) || seen++ < of_series - used) {
      continue;
    }
    const double lx = log(r->scaling.size), ly = log(r->median);
    x += lx, y += ly, xx += lx * lx, xy += lx * ly, n++;
  }
  return n >= 3 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

pk_status pki_bench_scaling(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  bench b = {.options = options, .report = report};
  report->kind = PKI_BENCH_SCALING;
  b.npeer = pki_peers_load(b.peers, PEERS_MAX);
  work *w = malloc(sizeof *w);
  if (!w) {
    return pki_fail_memory(err, NULL);
  }
  pk_status status = PK_OK;
  for (int g = 0; g < PKI_GROWTHS; g++) {
    const int count = options->quick ? growths[g].quick : growths[g].count;
    b.nslow = 0;
    for (int k = 0; k < count && status == PK_OK; k++) {
      char name[64];
      work_name(name, (pki_growth)g, growths[g].sizes[k]);
      if (pki_bench_wants(options, name)) {
        pki_bench_progress(name);
        status = run_work(&b, w, (pki_growth)g, growths[g].sizes[k], err);
      }
    }
  }
  for (int i = 0; i < report->nresult; i++) {
    report->results[i].scaling.exponent = exponent_of(report, &report->results[i]);
  }
  free(w);
  return status;
}
