/* `pronk bench batch`: many worlds of the trotting StarLETH at 2.5 ms, every step certified at 1e-6, on lanes and
 * threads. A work is a number of worlds and of threads; in it Pronk with 1, 4 and 8 lanes and every configuration of
 * every peer that knows many worlds take turns. What a step executes is counted once for each number of lanes, on few
 * worlds. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/crowd.h"
#include "bench/machine.h"
#include "measure/count.h"
#include "measure/measure.h"
#include "measure/peer.h"
#include "pronk/code.h"

enum { LANE_COUNTS = 3, RUNNERS_MAX = 64, PEERS_MAX = 16, THREADS_MOST = 256 };
enum { COUNTED = 16, COUNTED_STEPS = 1 }; /* worlds, and steps of each, that are counted */

static const double DT = 2.5e-3;
static const int lane_counts[LANE_COUNTS] = {1, 4, 8};

/* How many worlds, and whether they all trot in step. */
typedef struct crowd_size {
  int worlds;
  bool in_phase, quick;
} crowd_size;

static const crowd_size sizes[] = {
    {1, false, true},    {16, false, true},    {64, false, true},    {256, false, true},
    {1024, false, true}, {4096, false, false}, {8192, false, false}, {256, true, false},
};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Motors that take the place of ideal torques. */
static const struct {
  const char *engine, *kind;
  double spring, damping; /* N m/rad, N m s/rad */
} drives[] = {{"pronk dc", "dc", 0, 0}, {"pronk sea", "sea", 1000, 2}};
enum { DRIVES = sizeof drives / sizeof drives[0] };

/* One way to step the crowd. */
typedef struct runner {
  const char *engine, *version, *config, *gains;
  int lanes;            /* 0: a peer */
  pki_crowd_batch ours; /* Pronk */
  pki_crowd_peer peer;
  bool uncounted; /* it executes something else than what was counted: the robot's own code, or actuators */
  bool fell;
  double median, spread, per_cpu; /* robot-steps/s; for each second of processor time */
} runner;

typedef struct work {
  char name[64];
  int threads, steps; /* of each world in one call */
  pki_crowd crowd;
  runner runners[RUNNERS_MAX];
  int count;
} work;

typedef struct bench {
  const pki_bench_options *options;
  pki_bench_report *report;
  const pk_peer *peers[PEERS_MAX];
  int npeer;
  pki_contact_stage stage;
  pk_code *code;                 /* of the robot, NULL: none */
  pk_actuation *drives[DRIVES];  /* motors on all of its joints */
  pki_count counts[LANE_COUNTS]; /* of one step of one robot; NAN: not counted */
} bench;

/* Drives of the class of the robot's legs on all joints: behind rigid gears, and behind springs. */
static pk_status create_drives(bench *b, pk_error *err)
{
  enum { MOST = 64 };
  const pk_model *m = b->stage.scene.model;
  pk_status status = PK_OK;
  for (int i = 0; i < DRIVES && status == PK_OK; i++) {
    pk_actuator list[MOST];
    pk_motor_parameters p = pk_motor_parameters_default();
    int n = 0;
    p.resistance = 0.17, p.inductance = 57e-6, p.constant = 0.105, p.inertia = 6.07e-5, p.gear = 9;
    p.voltage = 48, p.current = 40, p.spring = drives[i].spring, p.spring_damping = drives[i].damping;
    for (int k = 0; k < m->nu && n < MOST; k++) {
      if (m->dof_joint[k] >= 0 && m->dof_q[k] >= 0) {
        list[n++] = (pk_actuator){.dof = k, .kind = pk_actuator_kind_find(drives[i].kind), .parameters = &p};
      }
    }
    status = pk_actuation_create(m, list, n, NULL, &b->drives[i], err);
  }
  return status;
}

static void work_name(char name[64], const crowd_size *size, int threads)
{
  snprintf(name, 64, "trot%s %d world%s %d thread%s", size->in_phase ? " in phase" : "", size->worlds,
           size->worlds == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

/* 1, 2, 4, ..., and all cores. */
static int next_threads(int threads, int cores)
{
  return threads >= cores ? cores + 1 : 2 * threads < cores ? 2 * threads : cores;
}

/* A call is a whole cycle of every world; of many worlds less, because they are all over the cycle. */
static int steps_in_call(const bench *b, const crowd_size *size)
{
  const int cycle = b->stage.ntarget, robot_steps = b->options->quick ? 2560 : 20480, least = 8;
  const int steps = robot_steps / size->worlds;
  if (size->in_phase && !b->options->quick) {
    return cycle;
  }
  return steps > cycle ? cycle : steps < least ? least : steps;
}

/* ---- counting ---- */

static void call_batch(void *batch)
{
  pki_crowd_batch_call(batch, 0);
}

/* What a step of one robot executes with each number of lanes. */
static pk_status count_steps(bench *b, pk_error *err)
{
  pki_crowd crowd;
  pk_status status = pki_crowd_create(&crowd, &b->stage, COUNTED, false, err);
  if (status != PK_OK) {
    return status;
  }
  for (int l = 0; l < LANE_COUNTS && status == PK_OK; l++) {
    pki_crowd_batch batch;
    char text[64];
    snprintf(text, sizeof text, "counting the operations of %d lanes", lane_counts[l]);
    pki_bench_progress(text);
    status = pki_crowd_batch_create(&batch, &crowd, NULL, NULL, lane_counts[l], 1, 20, err);
    if (status != PK_OK) {
      break;
    }
    pki_crowd_batch_call(&batch, 0); /* impulses of the last step are the first guess of the next */
    batch.steps = COUNTED_STEPS;
    if (pki_count_run(call_batch, &batch, &b->counts[l])) {
      b->counts[l].instructions /= COUNTED * COUNTED_STEPS;
      b->counts[l].flops /= COUNTED * COUNTED_STEPS;
    } else {
      b->counts[l] = (pki_count){NAN, NAN};
      pki_bench_add_note(b->report, "operations could not be counted: this needs x86-64 and Linux");
    }
    pki_crowd_batch_destroy(&batch);
  }
  pki_crowd_destroy(&crowd);
  return status;
}

/* ---- who takes part ---- */

/* Pronk on all lane counts; with the robot's own code, or NULL, and with actuators, or NULL. */
static pk_status add_pronk(work *w, const char *engine, const pk_code *code, const pk_actuation *actuation,
                           pk_error *err)
{
  pk_status status = PK_OK;
  for (int l = 0; l < LANE_COUNTS && status == PK_OK; l++) {
    runner *r = &w->runners[w->count];
    if (lane_counts[l] > w->crowd.n) {
      continue;
    }
    *r = (runner){.engine = engine,
                  .version = pk_version(),
                  .config = "hard contact 1e-6",
                  .gains = "implicit",
                  .lanes = lane_counts[l],
                  .uncounted = code != NULL || actuation != NULL};
    status = pki_crowd_batch_create(&r->ours, &w->crowd, code, actuation, lane_counts[l], w->threads,
                                    w->steps, err);
    w->count += status == PK_OK;
  }
  return status;
}

static void add_peer(work *w, const pk_peer *peer, pki_bench_report *report)
{
  const pki_contact_peer *table = peer->interface(PKI_CONTACT_INTERFACE);
  for (int c = 0; table && table->clone && c < table->nconfig && w->count < RUNNERS_MAX; c++) {
    runner *r = &w->runners[w->count];
    char message[400] = "";
    *r = (runner){.engine = peer->name,
                  .version = peer->version,
                  .config = table->configs[c].name,
                  .gains = table->configs[c].gains};
    if (pki_crowd_peer_create(&r->peer, &w->crowd, table, c, w->threads, w->steps, message, sizeof message)) {
      w->count++;
    } else {
      pki_bench_add_note(report, "%s (%s) left out: %.120s", peer->name, table->configs[c].name, message);
    }
  }
}

static void remove_runners(work *w)
{
  for (int i = 0; i < w->count; i++) {
    runner *r = &w->runners[i];
    if (r->lanes > 0) {
      pki_crowd_batch_destroy(&r->ours);
    } else {
      pki_crowd_peer_destroy(&r->peer);
    }
  }
  w->count = 0;
}

/* ---- timing ---- */

/* Few worlds, which a round would take far, have shorter rounds. */
static pki_measure_options timing_of(const work *w, bool quick)
{
  const double round = fmin(0.1, 2e-3 * w->crowd.n);
  return (pki_measure_options){.round = quick ? 1e-4 : round,
                               .total = quick ? 0 : 4,
                               .least = quick ? 3 : 5,
                               .most = quick ? 3 : 9,
                               .threads = w->threads > 1};
}

static bool time_runners(work *w, bool quick)
{
  const pki_measure_options how = timing_of(w, quick);
  pki_entrant entrants[RUNNERS_MAX];
  for (int i = 0; i < w->count; i++) {
    runner *r = &w->runners[i];
    entrants[i] = r->lanes > 0 ? (pki_entrant){.run = pki_crowd_batch_call, .user = &r->ours, .inputs = 1}
                               : (pki_entrant){.run = pki_crowd_peer_call, .user = &r->peer, .inputs = 1};
  }
  if (!pki_measure(entrants, w->count, &how)) {
    return false;
  }
  const double robot_steps = (double)w->steps * w->crowd.n;
  for (int i = 0; i < w->count; i++) {
    runner *r = &w->runners[i];
    r->fell = r->lanes > 0 ? pki_crowd_batch_fell(&r->ours) : pki_crowd_peer_fell(&r->peer);
    r->median = r->fell ? NAN : robot_steps / entrants[i].median;
    r->spread = r->fell ? NAN : robot_steps / entrants[i].lower - robot_steps / entrants[i].upper;
    r->per_cpu = r->fell ? NAN : robot_steps / entrants[i].processor;
  }
  return true;
}

/* ---- figures ---- */

static int index_of_lanes(int lanes)
{
  return lanes == 8 ? 2 : lanes == 4 ? 1 : 0;
}

static void fill_batch(const bench *b, const work *w, const runner *r, pki_bench_batch_figures *f)
{
  const pki_peak *peak = &b->report->peak;
  *f = (pki_bench_batch_figures){.worlds = w->crowd.n,
                                 .steps = w->steps,
                                 .gains = r->gains,
                                 .fell = r->fell,
                                 .per_cpu = r->per_cpu,
                                 .cycles = peak->reference / r->per_cpu,
                                 .residual = NAN,
                                 .uncertified = NAN,
                                 .alone = NAN,
                                 .frozen = NAN,
                                 .bytes = NAN,
                                 .shared = NAN,
                                 .resident = NAN,
                                 .instructions = NAN,
                                 .flops = NAN,
                                 .gflops = NAN,
                                 .of_peak = NAN,
                                 .intensity = NAN};
  if (r->lanes == 0) {
    return;
  }
  const pk_batch_info *info = &r->ours.info;
  const pki_count none = {NAN, NAN}, *count = r->uncounted ? &none : &b->counts[index_of_lanes(r->lanes)];
  f->residual = info->worst;
  f->uncertified = (double)info->uncertified;
  f->alone = (double)info->alone / (double)info->stepped;
  f->frozen = info->frozen;
  f->bytes = (double)pk_batch_world_bytes(r->ours.batch);
  f->shared = (double)pk_batch_shared_bytes(r->ours.batch);
  f->resident = w->crowd.n >= 256 ? r->ours.resident : NAN; /* of few worlds, what they share is most of it */
  f->instructions = count->instructions;
  f->flops = count->flops;
  f->gflops = 1e-9 * count->flops * r->median;
  f->of_peak = f->gflops / (peak->gflops * w->threads);
  /* a world passes from memory and back once in a call, when they do not all fit into the cache */
  f->intensity = count->flops * w->steps / (2 * f->bytes);
}

static bool add_results(const bench *b, const work *w)
{
  const int first = b->report->nresult;
  for (int i = 0; i < w->count; i++) {
    const runner *from = &w->runners[i];
    pki_bench_result *r = pki_bench_add_result(b->report);
    if (!r) {
      return false;
    }
    memcpy(r->work, w->name, sizeof r->work);
    r->engine = from->engine;
    r->version = from->version;
    r->config = from->config;
    r->lanes = from->lanes > 0 ? from->lanes : 1;
    r->threads = w->threads;
    r->unit = "robot-steps/s";
    r->median = from->median;
    r->spread = from->spread;
    fill_batch(b, w, from, &r->batch);
  }
  pki_bench_add_ratios(b->report, first, false);
  pki_bench_show(b->report);
  return true;
}

static pk_status run_work(const bench *b, work *w, const crowd_size *size, pk_error *err)
{
  pki_bench_next_work(b->report, w->name);
  w->steps = steps_in_call(b, size);
  pk_status status = pki_crowd_create(&w->crowd, &b->stage, size->worlds, size->in_phase, err);
  if (status != PK_OK) {
    return status;
  }
  status = add_pronk(w, "pronk", NULL, NULL, err);
  if (status == PK_OK && b->code != NULL) {
    status = add_pronk(w, "pronk compiled", b->code, NULL, err);
  }
  for (int i = 0; i < DRIVES && status == PK_OK; i++) {
    status = add_pronk(w, drives[i].engine, NULL, b->drives[i], err);
  }
  for (int i = 0; i < b->npeer && status == PK_OK; i++) {
    add_peer(w, b->peers[i], b->report);
  }
  if (status == PK_OK && (!time_runners(w, b->options->quick) || !add_results(b, w))) {
    status = pki_fail_memory(err, NULL);
  }
  remove_runners(w);
  pki_crowd_destroy(&w->crowd);
  return status;
}

/* s that a work takes, about: in each round every entrant makes one call at least. A step of a robot takes 20 us on a
 * thread of an ordinary machine; a peer has some three configurations. */
static double expected_seconds(const bench *b, const crowd_size *size, int threads)
{
  const work w = {.threads = threads, .crowd = {.n = size->worlds}};
  const pki_measure_options how = timing_of(&w, b->options->quick);
  const double call = 20e-6 * steps_in_call(b, size) * size->worlds / threads;
  const int entrants = (2 + DRIVES) * LANE_COUNTS + 3 * b->npeer;
  return fmax(how.total, (how.least + 1) * entrants * fmax(how.round, call));
}

/* How much is asked for. */
typedef struct plan {
  int works;
  double seconds;
} plan;

/* The works that are asked for; `run` false: only how many there are, and how long they take. */
static pk_status run_works(const bench *b, bool run, plan *all, pk_error *err)
{
  pki_machine machine;
  pki_machine_describe(&machine);
  const int cores = machine.cores < THREADS_MOST ? machine.cores : THREADS_MOST;
  work *w = malloc(sizeof *w);
  if (!w) {
    return pki_fail_memory(err, NULL);
  }
  pk_status status = PK_OK;
  *all = (plan){0};
  for (int k = 0; k < SIZES && status == PK_OK; k++) {
    /* fewer worlds than threads have nothing to share */
    for (int t = 1; t <= cores && t <= sizes[k].worlds && status == PK_OK; t = next_threads(t, cores)) {
      *w = (work){.threads = t};
      work_name(w->name, &sizes[k], t);
      if (pki_bench_wants(b->options, w->name) && (sizes[k].quick || !b->options->quick)) {
        all->works++;
        all->seconds += expected_seconds(b, &sizes[k], t);
        status = run ? run_work(b, w, &sizes[k], err) : PK_OK;
      }
    }
  }
  free(w);
  return status;
}

/* The robot's own code for all lane counts; without a compiler the bench goes on without. */
static void compile_robot(bench *b)
{
  pk_code_options o = pk_code_options_default();
  pk_error err = {.message = ""};
  o.lanes = 4 + 8;
  pki_bench_progress("compiling StarLETH's dynamics");
  if (pk_code_open(b->stage.scene.model, &o, &b->code, &err) != PK_OK) {
    pki_bench_add_note(b->report, "pronk compiled left out: %.120s", err.message);
  }
}

pk_status pki_bench_batch(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  report->kind = PKI_BENCH_BATCH;
  bench *b = calloc(1, sizeof *b);
  if (!b) {
    return pki_fail_memory(err, NULL);
  }
  *b = (bench){.options = options, .report = report};
  plan all;
  pk_status status = run_works(b, false, &all, err);
  if (status != PK_OK || all.works == 0) {
    free(b);
    return status;
  }
  /* OpenMP's threads wait by spinning unless they are told otherwise: in the next entrant's turn, on its cores */
  setenv("OMP_WAIT_POLICY", "passive", 0);
  b->npeer = pki_peers_load(b->peers, PEERS_MAX);
  for (int l = 0; l < LANE_COUNTS; l++) {
    b->counts[l] = (pki_count){NAN, NAN};
  }
  if (options->quick) {
    pki_bench_add_note(report, "with --quick few worlds see a whole cycle, and operations are not counted");
  }
  status = pki_contact_stage_create(&b->stage, PKI_CONTACT_TROT, DT, err);
  if (status == PK_OK) {
    (void)run_works(b, false, &all, err);
    const double counting = options->quick ? 0 : 60;
    pki_bench_announce(report, all.works, all.seconds + counting);
    pki_bench_progress("the machine's peak");
    status = pki_peak_measure(options->quick, &report->peak) ? PK_OK : pki_fail_memory(err, NULL);
    status = status == PK_OK && !options->quick ? count_steps(b, err) : status;
    compile_robot(b);
    status = status == PK_OK ? create_drives(b, err) : status;
    pki_bench_announce(report, all.works, 0); /* the clock of what is left begins */
    status = status == PK_OK ? run_works(b, true, &all, err) : status;
    pk_code_close(b->code);
    for (int i = 0; i < DRIVES; i++) {
      pk_actuation_destroy(b->drives[i]);
    }
    pki_contact_stage_destroy(&b->stage);
  }
  free(b);
  return status;
}
