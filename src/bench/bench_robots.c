/* `pronk bench robots`: scenes that people bring (robots_scene.h), in Pronk and in MuJoCo. A scene of one robot is measured as one
 * world and as a batch of many. A call takes every start of the scene through its whole life, so that all engines do the same
 * work in every round: flight, impact and rest in equal parts. Falls are chaotic, and engines part ways in them; what is compared
 * is the mean over starts.
 *
 * As one world every configuration of MuJoCo takes part. In a batch it is the one that was the fastest as one world, on a part of
 * the worlds: it has no lanes, and a step costs it the same however many worlds there are. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/robots_scene.h"
#include "measure/measure.h"
#include "measure/peer.h"

enum { RUNNERS_MAX = 16, PEERS_MAX = 16, SEED = 1 };
enum { WORK_SECONDS = 20 }; /* of one work, about */

static const double TOLERANCE = 1e-8, LOOSE = 1e-3; /* relative residuals; of loose bodies also the second */

/* One way to step a crowd. */
typedef struct runner {
  const char *engine, *version, *config, *gains;
  enum { SIM, BATCHED, PEER } kind;
  int peer_config;
  pki_crowd crowd; /* a view of the work's: its own tolerance and number */
  pki_crowd_sim sim;
  pki_crowd_batch batch;
  pki_crowd_peer peer;
  double median, spread; /* steps/s */
} runner;

typedef struct bench {
  const pki_bench_options *options;
  pki_bench_report *report;
  const pk_peer *mujoco; /* NULL: not there */
  const pki_contact_peer *table;
  int fastest; /* its configuration, in the scene as one world; -1: none */
  pki_robots_scene scene;
  runner runners[RUNNERS_MAX];
  int count;
  int steps; /* of each world in one call */
} bench;

/* ---- how much ---- */

/* Starts of one world, worlds of a batch, and those of them that a peer steps. */
static int single_starts(const bench *b)
{
  return b->options->quick ? 4 : 16;
}

static int batch_worlds(const bench *b)
{
  return b->options->quick ? 256 : 1024;
}

static int peer_worlds(const bench *b)
{
  return b->options->quick ? 32 : 128;
}

/* Steps of a life; a short look takes less of it where worlds are large. */
static int steps_of(const bench *b)
{
  const pki_robots_scene *s = &b->scene;
  const double part = !b->options->quick ? 1 : s->scene.model->nu >= 600 ? 0.25 : 1;
  return (int)lround(part * s->life / s->scene.dt);
}

/* ---- who takes part ---- */

/* The next runner, its crowd a view of the first `n` worlds. */
static runner *next_runner(bench *b, const pki_crowd *crowd, int n)
{
  runner *r = &b->runners[b->count];
  *r = (runner){.engine = "pronk", .version = pk_version(), .gains = "implicit", .crowd = *crowd};
  r->crowd.n = n < crowd->n ? n : crowd->n;
  r->crowd.tolerance = TOLERANCE;
  r->crowd.life = b->steps * crowd->scene->dt;
  return r;
}

static pk_status add_sim(bench *b, const pki_crowd *crowd, double tolerance, pk_error *err)
{
  runner *r = next_runner(b, crowd, crowd->n);
  r->kind = SIM;
  r->config = tolerance == TOLERANCE ? "hard contact 1e-8" : "hard contact 1e-3";
  r->crowd.tolerance = tolerance;
  const pk_status status = pki_crowd_sim_create(&r->sim, &r->crowd, b->steps, err);
  b->count += status == PK_OK;
  return status;
}

static pk_status add_batch(bench *b, const pki_crowd *crowd, int threads, pk_error *err)
{
  runner *r = next_runner(b, crowd, crowd->n);
  r->kind = BATCHED;
  r->config = "hard contact 1e-8";
  const pk_status status =
      pki_crowd_batch_create(&r->batch, &r->crowd, NULL, NULL, 0, threads, b->steps, err);
  b->count += status == PK_OK;
  return status;
}

static void add_peer(bench *b, const pki_crowd *crowd, int n, int config, int threads)
{
  runner *r = next_runner(b, crowd, n);
  char message[400] = "";
  r->kind = PEER;
  r->engine = b->mujoco->name, r->version = b->mujoco->version;
  r->config = b->table->configs[config].name, r->gains = b->table->configs[config].gains;
  r->gains = crowd->scene->damped ? "kd implicit" : r->gains;
  r->peer_config = config;
  if (pki_crowd_peer_create(&r->peer, &r->crowd, b->table, config, threads, b->steps, message,
                            sizeof message)) {
    b->count++;
  } else {
    message[strcspn(message, "\n")] = '\0';
    pki_bench_add_note(b->report, "%s left out of %s: %.120s", b->mujoco->name, b->scene.work->name, message);
  }
}

/* Each solver with each cone; of large worlds those whose memory and time grow with the world alone. */
static bool is_compared_config(const pki_contact_config *config, int nu)
{
  const bool plain = strcmp(config->gains, "explicit") == 0 && strstr(config->name, "noslip") == NULL;
  const bool cg = strstr(config->name, "cg") != NULL, elliptic = strstr(config->name, "elliptic") != NULL;
  return plain &&
         (nu < 600 || (nu < 2000 && elliptic && strstr(config->name, "pgs") == NULL) || (cg && elliptic));
}

static void add_peers(bench *b, const pki_crowd *crowd)
{
  for (int c = 0; b->table && c < b->table->nconfig && b->count < RUNNERS_MAX; c++) {
    if (is_compared_config(&b->table->configs[c], crowd->scene->model->nu)) {
      add_peer(b, crowd, crowd->n, c, 1);
    }
  }
}

static void remove_runners(bench *b)
{
  for (int i = 0; i < b->count; i++) {
    runner *r = &b->runners[i];
    if (r->kind == SIM) {
      pki_crowd_sim_destroy(&r->sim);
    } else if (r->kind == BATCHED) {
      pki_crowd_batch_destroy(&r->batch);
    } else {
      pki_crowd_peer_destroy(&r->peer);
    }
  }
  b->count = 0;
}

/* ---- timing ---- */

static pki_entrant entrant_of(runner *r)
{
  pki_entrant e = {.inputs = 1};
  e.run = r->kind == SIM       ? pki_crowd_sim_call
          : r->kind == BATCHED ? pki_crowd_batch_call
                               : pki_crowd_peer_call;
  e.user = r->kind == SIM ? (void *)&r->sim : r->kind == BATCHED ? (void *)&r->batch : (void *)&r->peer;
  return e;
}

static bool runner_failed(const runner *r)
{
  return r->kind == SIM       ? r->sim.status != PK_OK
         : r->kind == BATCHED ? r->batch.status != PK_OK
                              : pki_crowd_peer_failed(&r->peer);
}

static bool time_runners(bench *b, int threads)
{
  const pki_measure_options normal = {
      .round = 2e-2, .total = 3, .least = 3, .most = 9, .threads = threads > 1};
  const pki_measure_options quick = {
      .round = 1e-3, .total = 0, .least = 1, .most = 1, .threads = threads > 1};
  pki_entrant entrants[RUNNERS_MAX];
  for (int i = 0; i < b->count; i++) {
    if (b->runners[i].kind == SIM) {
      pki_crowd_sim_watch(&b->runners[i].sim);
    }
    entrants[i] = entrant_of(&b->runners[i]);
  }
  if (!pki_measure(entrants, b->count, b->options->quick ? &quick : &normal)) {
    return false;
  }
  for (int i = 0; i < b->count; i++) {
    runner *r = &b->runners[i];
    const double steps = (double)b->steps * r->crowd.n;
    r->median = runner_failed(r) ? NAN : steps / entrants[i].median;
    r->spread = runner_failed(r) ? NAN : steps / entrants[i].lower - steps / entrants[i].upper;
  }
  return true;
}

/* ---- figures ---- */

static pki_bench_robots_figures figures_of(const bench *b, const runner *r, int worlds)
{
  return (pki_bench_robots_figures){.worlds = worlds,
                                    .steps = b->steps,
                                    .dt = r->crowd.scene->dt,
                                    .gains = r->gains,
                                    .ours = r->kind != PEER,
                                    .info = r->kind == BATCHED ? r->batch.info : r->sim.info};
}

static bool add_results(const bench *b, int worlds, int threads)
{
  const int first = b->report->nresult;
  for (int i = 0; i < b->count; i++) {
    const runner *from = &b->runners[i];
    pki_bench_result *r = pki_bench_add_result(b->report);
    if (!r) {
      return false;
    }
    snprintf(r->work, sizeof r->work, "%s", b->scene.work->name);
    r->engine = from->engine;
    r->version = from->version;
    r->config = from->config;
    r->lanes = from->kind == BATCHED ? pk_batch_lanes(from->batch.batch) : 1;
    r->threads = threads;
    r->unit = "steps/s";
    r->median = from->median;
    r->spread = from->spread;
    r->robots = figures_of(b, from, worlds);
    if (runner_failed(from)) {
      pki_bench_add_note(b->report, "%s (%s) failed in %s", r->engine, r->config, r->work);
    }
  }
  pki_bench_add_ratios(b->report, first, false);
  pki_bench_show(b->report);
  return true;
}

/* ---- works ---- */

static int fastest_peer(const bench *b)
{
  const runner *best = NULL;
  for (int i = 0; i < b->count; i++) {
    const runner *r = &b->runners[i];
    if (r->kind == PEER && isfinite(r->median) && (!best || r->median > best->median)) {
      best = r;
    }
  }
  return best ? best->peer_config : -1;
}

static pk_status finish_runners(bench *b, pk_status status, int worlds, int threads, pk_error *err)
{
  if (status == PK_OK && (!time_runners(b, threads) || !add_results(b, worlds, threads))) {
    status = pki_fail_memory(err, NULL);
  }
  b->fastest = worlds == 1 ? fastest_peer(b) : b->fastest;
  remove_runners(b);
  return status;
}

static pk_status run_single(bench *b, pk_error *err)
{
  pki_crowd crowd;
  pk_status status = pki_robots_start(&b->scene, single_starts(b), SEED, &crowd, err);
  if (status != PK_OK) {
    return status;
  }
  const bool loose = b->scene.work->model == NULL;
  b->steps = steps_of(b);
  status = add_sim(b, &crowd, TOLERANCE, err);
  status = status == PK_OK && loose ? add_sim(b, &crowd, LOOSE, err) : status;
  add_peers(b, &crowd);
  status = finish_runners(b, status, 1, 1, err);
  pki_crowd_destroy(&crowd);
  return status;
}

static pk_status run_batch(bench *b, int threads, pk_error *err)
{
  pki_crowd crowd;
  pk_status status = pki_robots_start(&b->scene, batch_worlds(b), SEED, &crowd, err);
  if (status != PK_OK) {
    return status;
  }
  b->steps = steps_of(b);
  status = add_batch(b, &crowd, threads, err);
  if (b->fastest >= 0) {
    add_peer(b, &crowd, peer_worlds(b), b->fastest, threads);
  }
  status = finish_runners(b, status, batch_worlds(b), threads, err);
  pki_crowd_destroy(&crowd);
  return status;
}

static pk_status run_work(bench *b, const pki_robots_work *work, pk_error *err)
{
  pk_status status = pki_robots_scene_create(&b->scene, work, err);
  if (status != PK_OK) {
    return status;
  }
  b->fastest = -1;
  status = run_single(b, err);
  const int most = work->motion == PKI_ROBOTS_TROT && strcmp(work->model, "starleth") == 0 ? 2 : 1;
  for (int threads = 1; threads <= most && pki_robots_has_batch(work) && status == PK_OK; threads++) {
    status = run_batch(b, threads, err);
  }
  pki_robots_scene_destroy(&b->scene);
  return status;
}

static void find_mujoco(bench *b)
{
  const pk_peer *peers[PEERS_MAX];
  const int count = pki_peers_load(peers, PEERS_MAX);
  for (int i = 0; i < count; i++) {
    if (strcmp(peers[i]->name, "mujoco") == 0) {
      b->mujoco = peers[i];
      b->table = peers[i]->interface(PKI_CONTACT_INTERFACE);
    }
  }
  if (!b->table) {
    pki_bench_add_note(b->report, "MuJoCo's plugin was not found: install libmujoco-dev, then run make. "
                                  "Pronk stands alone, without ratios");
  }
}

pk_status pki_bench_robots(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  int count, wanted = 0;
  const pki_robots_work *works = pki_robots_works(&count);
  report->kind = PKI_BENCH_ROBOTS;
  bench *b = calloc(1, sizeof *b);
  if (!b) {
    return pki_fail_memory(err, NULL);
  }
  *b = (bench){.options = options, .report = report};
  setenv("OMP_WAIT_POLICY", "passive", 0); /* as in `pronk bench batch` */
  find_mujoco(b);
  if (options->quick) {
    pki_bench_add_note(report,
                       "with --quick starts and worlds are few, lives of large worlds short, rounds one");
  }
  for (int k = 0; k < count; k++) {
    wanted += pki_bench_wants(options, works[k].name);
  }
  pki_bench_announce(report, wanted, options->quick ? 0 : WORK_SECONDS * wanted);
  pk_status status = PK_OK;
  for (int k = 0; k < count && status == PK_OK; k++) {
    if (pki_bench_wants(options, works[k].name)) {
      pki_bench_next_work(report, works[k].name);
      status = run_work(b, &works[k], err);
    }
  }
  free(b);
  return status;
}
