/* `pronk bench feedback`: how fast joints follow references, on one core, in seconds of the robot's time for each second. Every method at the
 * largest of some steps up to which it is good: no fall, every step certified, a mean error of joints below 0.05 rad, a slip below 1 mm per stance
 * (study/feedback). One world, and a batch of 256 on one thread. PD has two sets of gains: those that were tuned at 1 ms, which are stiff, and soft
 * ones, which stand larger steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "measure/measure.h"
#include "study/feedback/feedback.h"

enum { RUNNERS = 6, ROUNDS = 9, QUICK_ROUNDS = 3, WORLDS = 256, WARM = 3 };

/* s, tried in this order. */
static const double steps[] = {0.001,  0.002, 0.0025, 0.004, 0.005, 0.008, 0.01,
                               0.0125, 0.02,  0.025,  0.04,  0.05,  0.1};
enum { STEPS = sizeof steps / sizeof steps[0] };

/* One method at its step. */
typedef struct runner {
  const char *config;
  pki_feedback_case run;
  pki_feedback_run found; /* at its largest good step */
  pki_scenario *scenario;
  pki_world world;
  pk_batch *batch; /* NULL: one world */
  void *start;
  size_t size;
  double speed[ROUNDS]; /* s/s, of all worlds together */
} runner;

typedef struct work {
  const char *name;
  bool arm;
  int worlds;
  int count;
  runner runners[RUNNERS];
} work;

/* ---- methods ---- */

static void add_runner(work *w, const char *config, pki_feedback_case c, const char *set, const char *other)
{
  if (set != NULL) {
    c.sets[c.nset++] = set;
  }
  if (other != NULL) {
    c.sets[c.nset++] = other;
  }
  w->runners[w->count++] = (runner){.config = config, .run = c};
}

static void list_arm(work *w)
{
  static const char soft[] = "controller.file=ur10/sine.csv";
  add_runner(w, "PD, explicit, tuned", pki_feedback_arm_case(PKI_ARM_PD), NULL, NULL);
  add_runner(w, "PD, explicit, soft", pki_feedback_arm_case(PKI_ARM_PD), soft, NULL);
  add_runner(w, "PD, implicit, tuned", pki_feedback_arm_case(PKI_ARM_PD_IMPLICIT), NULL, NULL);
  add_runner(w, "PD, implicit, soft", pki_feedback_arm_case(PKI_ARM_PD_IMPLICIT), soft, NULL);
  add_runner(w, "constraint", pki_feedback_arm_case(PKI_ARM_CONSTRAINT), NULL, NULL);
}

/* All of them without looking for legs that pass through each other. */
static void list_legs(work *w)
{
  static const char kp[] = "controller.kp=1000", kd[] = "controller.kd=10";
  const pki_feedback_scene scene = PKI_SCENE_TROT;
  add_runner(w, "PD, explicit, tuned", pki_feedback_leg_case(scene, PKI_LEG_PD), NULL, NULL);
  add_runner(w, "PD, explicit, soft", pki_feedback_leg_case(scene, PKI_LEG_PD), kp, kd);
  add_runner(w, "PD, implicit, tuned", pki_feedback_leg_case(scene, PKI_LEG_PD_IMPLICIT), NULL, NULL);
  add_runner(w, "PD, implicit, soft", pki_feedback_leg_case(scene, PKI_LEG_PD_IMPLICIT), kp, kd);
  add_runner(w, "constraint", pki_feedback_leg_case(scene, PKI_LEG_CONSTRAINT), NULL, NULL);
  add_runner(w, "two stages", pki_feedback_leg_case(scene, PKI_LEG_TWO_STAGE), NULL, NULL);
  for (int i = 0; i < w->count; i++) {
    pki_feedback_case *const c = &w->runners[i].run;
    c->sets[c->nset++] = "step.swept=false";
  }
}

static bool is_good(const pki_feedback_run *r)
{
  return !r->fell && !r->failed && r->uncertified == 0 && r->error < 0.05 && !(r->slip_mean >= 1e-3);
}

/* Up to the first step that is not good. */
static pk_status find_good_step(runner *r, bool quick, pk_error *err)
{
  pk_status status = PK_OK;
  bool good = true;
  r->found.dt = 0;
  for (int i = 0; i < STEPS && good && status == PK_OK; i++) {
    const pki_feedback_terms terms = {.dt = steps[i], .seconds = quick ? 3 : 8, .settle = 1};
    pki_feedback_run run;
    status = pki_feedback_simulate(&r->run, &terms, &run, err);
    good = status == PK_OK && is_good(&run);
    r->found = good ? run : r->found;
  }
  return status;
}

/* ---- worlds ---- */

static pk_status create_batch(runner *r, int worlds, pk_error *err)
{
  pk_batch_options o = pk_batch_options_default();
  o.worlds = worlds, o.threads = 1, o.sim = r->scenario->step;
  pk_status status = pk_batch_create(r->world.model, &o, &r->batch, err);
  status = status == PK_OK ? pk_batch_set_like(r->batch, r->world.sim, err) : status;
  return status == PK_OK ? pk_batch_set_controller(r->batch, r->world.controller, err) : status;
}

static pk_status open_runner(runner *r, int worlds, pk_error *err)
{
  char path[PKI_PATH_MAX], dt[48], margin[48];
  const char *sets[PKI_FEEDBACK_SETS + 2];
  int n = r->run.nset;
  memcpy(sets, r->run.sets, sizeof r->run.sets);
  snprintf(dt, sizeof dt, "step.dt=%g", r->found.dt);
  snprintf(margin, sizeof margin, "step.margin=%g", fmax(0.02, 1.5 * r->found.dt));
  sets[n++] = dt;
  if (r->run.legs) {
    sets[n++] = margin;
  }
  pk_status status = pki_scenario_locate(r->run.scenario, path, err);
  status = status == PK_OK ? pki_scenario_load(path, sets, n, &r->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(r->scenario, &r->world, err) : status;
  status = status == PK_OK && worlds > 1 ? create_batch(r, worlds, err) : status;
  if (status == PK_OK) {
    r->size = pk_sim_state_size(r->world.sim);
    r->start = malloc(r->size);
    status = r->start != NULL ? PK_OK : pki_fail_memory(err, NULL);
  }
  if (status == PK_OK) {
    pk_sim_get_state(r->world.sim, r->start);
  }
  return status;
}

static void close_runner(runner *r)
{
  pk_batch_destroy(r->batch);
  pki_world_free(&r->world);
  pki_scenario_destroy(r->scenario);
  free(r->start);
}

/* One call from the start: the first steps warm it up. */
static pk_status call_runner(runner *r, int worlds, double seconds, int round, pk_error *err)
{
  const int count = (int)lround(seconds / r->found.dt);
  pk_status status = pk_sim_set_state(r->world.sim, r->start, r->size, err);
  for (int k = 0; k < worlds && r->batch != NULL && status == PK_OK; k++) {
    status = pk_batch_set(r->batch, k, r->world.sim, err);
  }
  double before = pki_clock();
  if (r->batch != NULL && status == PK_OK) {
    pk_batch_step(r->batch, WARM, NULL);
    before = pki_clock();
    pk_batch_step(r->batch, count, NULL);
  }
  for (int i = -WARM; i < count && r->batch == NULL && status == PK_OK; i++) {
    status = pki_world_step(&r->world, NULL);
    before = i < 0 ? pki_clock() : before;
  }
  r->speed[round] = worlds * seconds / (pki_clock() - before);
  return status;
}

/* ---- the bench ---- */

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Ratios are to explicit PD with its tuned gains, the first. */
static void report_work(work *w, int rounds, pki_bench_report *report)
{
  double first = NAN;
  for (int i = 0; i < w->count; i++) {
    runner *const r = &w->runners[i];
    pki_bench_result *out = pki_bench_add_result(report);
    if (out == NULL) {
      return;
    }
    *out = (pki_bench_result){.engine = "pronk",
                              .version = pk_version(),
                              .config = r->config,
                              .lanes = 1,
                              .threads = 1,
                              .unit = "s/s",
                              .median = NAN,
                              .spread = NAN,
                              .feedback = {.worlds = w->worlds,
                                           .dt = r->found.dt,
                                           .error = r->found.error,
                                           .slip_mm = 1e3 * r->found.slip_mean}};
    snprintf(out->work, sizeof out->work, "%s", w->name);
    if (r->found.dt > 0) {
      qsort(r->speed, (size_t)rounds, sizeof *r->speed, by_size);
      out->median = pki_measure_quantile(r->speed, rounds, 0.5);
      out->spread =
          pki_measure_quantile(r->speed, rounds, 0.75) - pki_measure_quantile(r->speed, rounds, 0.25);
      out->feedback.per_step = 1e6 * r->found.dt / out->median;
    }
    first = i == 0 ? out->median : first;
    out->ratio = out->median / first;
  }
  pki_bench_show(report);
}

static pk_status run_work(work *w, const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  const int rounds = options->quick ? QUICK_ROUNDS : ROUNDS;
  const double seconds = (w->worlds > 1 ? 1.6 : 8) / (options->quick ? 2 : 1); /* of whole cycles */
  pk_status status = PK_OK;
  for (int i = 0; i < w->count && status == PK_OK; i++) {
    runner *const r = &w->runners[i];
    status = find_good_step(r, options->quick, err);
    status = status == PK_OK && r->found.dt > 0 ? open_runner(r, w->worlds, err) : status;
  }
  for (int i = 0; i < rounds * w->count && status == PK_OK; i++) { /* in turns */
    runner *const r = &w->runners[i % w->count];
    status = r->found.dt > 0 ? call_runner(r, w->worlds, seconds, i / w->count, err) : PK_OK;
  }
  if (status == PK_OK) {
    report_work(w, rounds, report);
  }
  for (int i = 0; i < w->count; i++) {
    close_runner(&w->runners[i]);
  }
  return status;
}

pk_status pki_bench_feedback(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  static const work kinds[] = {{.name = "ur10 1 world", .arm = true, .worlds = 1},
                               {.name = "ur10 256 worlds", .arm = true, .worlds = WORLDS},
                               {.name = "trot 1 world", .worlds = 1},
                               {.name = "trot 256 worlds", .worlds = WORLDS}};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  pk_status status = PK_OK;
  int wanted = 0;
  report->kind = PKI_BENCH_FEEDBACK;
  for (int i = 0; i < KINDS; i++) {
    wanted += pki_bench_wants(options, kinds[i].name);
  }
  pki_bench_announce(report, wanted, (options->quick ? 10 : 50) * wanted);
  for (int i = 0; i < KINDS && status == PK_OK; i++) {
    if (pki_bench_wants(options, kinds[i].name)) {
      work w = kinds[i];
      if (w.arm) {
        list_arm(&w);
      } else {
        list_legs(&w);
      }
      pki_bench_next_work(report, w.name);
      status = run_work(&w, options, report, err);
    }
  }
  return status;
}

/* ---- as a table ---- */

static void head_feedback(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-22s %9s %9s %9s %9s %9s %9s %8s\n", "work", "control", "step, ms", "us/step", "s/s",
          "spread", "ratio", "error", "slip, mm");
}

static void row_feedback(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  const bool is_new = i == 0 || strcmp(r[-1].work, r->work) != 0;
  fprintf(out, "%s%-18s %-22s", is_new && i > 0 ? "\n" : "", is_new ? r->work : "", r->config);
  pki_bench_print_number(out, 9, r->feedback.dt > 0 ? 1e3 * r->feedback.dt : NAN);
  pki_bench_print_number(out, 9, r->feedback.dt > 0 ? r->feedback.per_step : NAN);
  pki_bench_print_number(out, 9, r->median);
  pki_bench_print_number(out, 9, r->spread);
  pki_bench_print_number(out, 9, r->ratio);
  pki_bench_print_number(out, 9, r->feedback.dt > 0 ? r->feedback.error : NAN);
  pki_bench_print_number(out, 8, r->feedback.dt > 0 ? r->feedback.slip_mm : NAN);
  fputc('\n', out);
}

const pki_bench_table pki_bench_feedback_table = {
    head_feedback, row_feedback,
    "Every method at its largest good step: no fall, all steps certified, mean error of joints below 0.05 "
    "rad, slip below 1 mm per stance.\n"
    "s/s: seconds of robots for each second on one core, all worlds together, medians over rounds in which "
    "the methods take turns; spread is\n"
    "from the first to the third quartile. Ratio is to explicit PD with gains that were tuned at 1 ms. "
    "us/step: of one world.\n"};
