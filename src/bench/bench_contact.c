/* `pronk bench contact`: the same StarLETH with the same gains, on the ground of each engine. For each work
 * (a motion at a time step) every configuration of every engine is first watched, which gives sink, drift,
 * creep and residual; those that still stand are then timed in turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/contact_pronk.h"
#include "bench/contact_run.h"
#include "measure/measure.h"
#include "measure/peer.h"

enum { RUNNERS_MAX = 32, PEERS_MAX = 16 };

static const double steps_of_time[] = {1e-3, 2.5e-3};

enum { DT_COUNT = sizeof steps_of_time / sizeof steps_of_time[0] };

/* One configuration of one engine in one work. */
typedef struct runner {
  const char *engine, *version;
  pki_contact_runner run;
  int steps; /* in one call */
  pki_contact_figures figures;
  double median, spread; /* steps/s */
} runner;

typedef struct work {
  char name[64];
  pki_contact_stage stage;
  runner runners[RUNNERS_MAX];
  int count;
} work;

static void work_name(char name[64], int motion, double dt)
{
  snprintf(name, 64, "%s %gms", pki_contact_motion_names[motion], 1e3 * dt);
}

static void add_engine(work *w, const char *engine, const char *version, const pki_contact_peer *table,
                       pki_bench_report *report)
{
  for (int c = 0; c < table->nconfig && w->count < RUNNERS_MAX; c++) {
    runner *r = &w->runners[w->count];
    char message[400] = "";
    *r = (runner){.engine = engine, .version = version, .median = NAN, .spread = NAN};
    if (!pki_contact_runner_create(&r->run, &w->stage, table, c, message, sizeof message)) {
      pki_bench_add_note(report, "%s (%s) left out: %.120s", engine, table->configs[c].name, message);
      continue;
    }
    w->count++;
  }
}

static void run_call(void *user, int index)
{
  runner *r = user;
  (void)index;
  pki_contact_runner_advance(&r->run, r->steps);
}

/* Time those that stand. A call is a whole cycle of the trot, or a tenth of a second, so that no round
 * falls into an easy part of a cycle. */
static bool time_runners(work *w, const pki_bench_options *options)
{
  const pki_measure_options normal = {.round = 2e-2, .total = 20, .least = 7, .most = 31};
  const pki_measure_options quick = {.round = 2e-3, .total = 0.5, .least = 3, .most = 5};
  pki_entrant entrants[RUNNERS_MAX];
  runner *timed[RUNNERS_MAX];
  int count = 0;
  for (int i = 0; i < w->count; i++) {
    runner *r = &w->runners[i];
    if (r->figures.fell) {
      continue;
    }
    r->steps = w->stage.ntarget > 1 ? w->stage.ntarget : (int)lround(0.1 / w->stage.scene.dt);
    timed[count] = r;
    entrants[count++] = (pki_entrant){.run = run_call, .user = r, .inputs = 1};
  }
  /* an open-loop trot wanders, and some robot stumbles in the end: only its first minute or two are timed */
  const bool brief = options->quick || w->stage.motion == PKI_CONTACT_TROT;
  if (!pki_measure(entrants, count, brief ? &quick : &normal)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    runner *r = timed[i];
    r->figures.fell = pki_contact_runner_fell(&r->run);
    if (!r->figures.fell) {
      r->median = r->steps / entrants[i].median;
      r->spread = r->steps / entrants[i].lower - r->steps / entrants[i].upper;
    }
  }
  return true;
}

static bool add_results(const work *w, pki_bench_report *report)
{
  const int first = report->nresult;
  for (int i = 0; i < w->count; i++) {
    const runner *from = &w->runners[i];
    const pki_contact_figures *f = &from->figures;
    const pki_contact_config *config = &from->run.table->configs[from->run.config];
    pki_bench_result *r = pki_bench_add_result(report);
    if (!r) {
      return false;
    }
    memcpy(r->work, w->name, sizeof r->work);
    r->engine = from->engine;
    r->version = from->version;
    r->config = config->name;
    r->lanes = r->threads = 1;
    r->unit = "steps/s";
    r->median = from->median;
    r->spread = from->spread;
    r->contact = (pki_bench_contact_figures){.dt = w->stage.scene.dt,
                                             .gains = config->gains,
                                             .fell = f->fell,
                                             .sink_mm = f->sink_mm,
                                             .rest_sink_mm = f->rest_sink_mm,
                                             .drift_um_per_min = f->drift_um_per_min,
                                             .creep_um_per_s = f->creep_um_per_s,
                                             .residual = f->residual,
                                             .residual_median = f->residual_median};
  }
  pki_bench_add_ratios(report, first, false);
  pki_bench_show(report);
  return true;
}

static bool run_work(work *w, const pki_bench_options *options, const pk_peer *const *peers, int npeer,
                     pki_bench_report *report)
{
  add_engine(w, "pronk", pk_version(), pki_contact_pronk(), report);
  for (int i = 0; i < npeer; i++) {
    const pki_contact_peer *table = peers[i]->interface(PKI_CONTACT_INTERFACE);
    if (table) {
      add_engine(w, peers[i]->name, peers[i]->version, table, report);
    }
  }
  bool ok = true;
  for (int i = 0; i < w->count && ok; i++) {
    runner *r = &w->runners[i];
    char text[160];
    snprintf(text, sizeof text, "%s: %s, %s", w->name, r->engine, r->run.table->configs[r->run.config].name);
    pki_bench_progress(text);
    /* Gains this soft let it bounce for seconds. */
    const double settle = options->quick ? 1 : w->stage.motion == PKI_CONTACT_TROT ? 2 : 20;
    ok = pki_contact_runner_watch(&r->run, settle, options->quick ? 1 : 10, &r->figures);
  }
  pki_bench_progress(w->name);
  ok = ok && time_runners(w, options) && add_results(w, report);
  for (int i = 0; i < w->count; i++) {
    pki_contact_runner_destroy(&w->runners[i].run);
  }
  return ok;
}

pk_status pki_bench_contact(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  const pk_peer *peers[PEERS_MAX];
  const int npeer = pki_peers_load(peers, PEERS_MAX);
  report->kind = PKI_BENCH_CONTACT;
  if (npeer == 0) {
    pki_bench_add_note(report, "no other engine was found: docs/bench.md tells how to get some");
  }
  if (options->quick) {
    pki_bench_add_note(report, "with --quick nothing has time to settle: drift and creep mean little");
  }
  work *w = malloc(sizeof *w);
  pk_status status = w ? PK_OK : PK_ERROR_MEMORY;
  for (int k = 0; k < PKI_CONTACT_MOTIONS * DT_COUNT && status == PK_OK; k++) {
    const pki_contact_motion motion = (pki_contact_motion)(k / DT_COUNT);
    *w = (work){0};
    work_name(w->name, motion, steps_of_time[k % DT_COUNT]);
    if (!pki_bench_wants(options, w->name)) {
      continue;
    }
    status = pki_contact_stage_create(&w->stage, motion, steps_of_time[k % DT_COUNT], err);
    if (status == PK_OK && !run_work(w, options, peers, npeer, report)) {
      status = pki_fail_memory(err, NULL);
    }
    pki_contact_stage_destroy(&w->stage);
  }
  free(w);
  return status;
}
