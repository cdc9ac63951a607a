/* `pronk bench record`: the scenario starleth-trot at a step of 1 ms, recorded at 1 kHz in several ways and not at all,
 * in turns. What is timed is the whole run: steps, statistics, samples, and the end of the file. On a machine that others use, too,
 * such times scatter by more than a recording costs; so the share of it is also measured inside one run, step by step. */
#define _POSIX_C_SOURCE 200809L /* rmdir */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folders.h"
#include "bench/bench.h"
#include "measure/measure.h"
#include "run/run_output.h"

enum { ROUNDS = 15, QUICK_ROUNDS = 5, SHARES = 5 };

static const struct {
  const char *name, *set;
} ways[] = {
    {"none", NULL},
    {"lz4, all channels (default)", "record.compression=lz4"},
    {"zstd, all channels", "record.compression=zstd"},
    {"not compressed, all channels", "record.compression=none"},
    {"lz4, state and forces", "record.channels=[state/*, joints/force, feet]"},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

typedef struct bench {
  char folder[PKI_PATH_MAX];
  double seconds;             /* of the run */
  double time[WAYS][ROUNDS];  /* s */
  double ratio[WAYS][ROUNDS]; /* to "none" in the same round */
  double share[WAYS][SHARES]; /* of the recording in a step, over the rest of it */
  double bytes[WAYS];
  long long steps;
} bench;

/* A world of its own for one way. */
static pk_status make_world(int way, pki_scenario **scenario, pki_world *world, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const char *sets[] = {"step.dt=1e-3", "record.rate=1000", ways[way].set};
  pk_status status = pki_scenario_locate("starleth-trot", path, err);
  status =
      status == PK_OK ? pki_scenario_load(path, sets, ways[way].set != NULL ? 3 : 2, scenario, err) : status;
  return status == PK_OK ? pki_world_create(*scenario, world, err) : status;
}

static void remove_recording(bench *b, int way)
{
  char path[PKI_PATH_MAX];
  struct stat about;
  if (ways[way].set != NULL && pki_path_join(path, b->folder, PKI_RECORDING_FILE) &&
      stat(path, &about) == 0) {
    b->bytes[way] = (double)about.st_size;
    remove(path);
  }
}

/* One run; what comes before and after it is not timed. */
static pk_status run_once(bench *b, int way, int round, pk_error *err)
{
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pki_run_result result = {0};
  const pki_run_options options = {
      .duration = b->seconds, .folder = ways[way].set != NULL ? b->folder : NULL, .no_report = true};
  pk_status status = make_world(way, &scenario, &world, err);
  if (status == PK_OK) {
    const double start = pki_clock();
    status = pki_run(&world, &options, &result, err);
    b->time[way][round] = pki_clock() - start;
    b->ratio[way][round] = b->time[way][round] / b->time[0][round];
    b->steps = result.steps;
    pki_run_result_free(&result);
  }
  remove_recording(b, way);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return status;
}

/* The loop of a run with a clock between its parts. */
static void time_steps(pki_world *world, pki_watch *watch, pki_run_output *keep, pki_run_result *result,
                       long long steps, double *share)
{
  double step = 0, record = 0;
  for (long long i = 0; i < steps; i++) {
    const double start = pki_clock();
    pki_world_step(world, &watch->info);
    pki_watch_step(watch, result);
    const double middle = pki_clock();
    pki_run_output_step(keep);
    step += middle - start;
    record += pki_clock() - middle;
  }
  *share = record / step;
}

static pk_status time_recording_share(bench *b, int way, int round, pk_error *err)
{
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pki_watch watch = {0};
  pki_run_output keep = {0};
  pki_run_result result = {0};
  const pki_run_options options = {.duration = -1, .folder = ways[way].set != NULL ? b->folder : NULL};
  pk_status status = make_world(way, &scenario, &world, err);
  status = status == PK_OK ? pki_watch_begin(&watch, &world, 1e-8, &result, err) : status;
  status = status == PK_OK ? pki_run_output_begin(&keep, &watch, &result, &options, b->steps, err) : status;
  if (status == PK_OK) {
    time_steps(&world, &watch, &keep, &result, b->steps, &b->share[way][round]);
    status = pki_run_output_end(&keep, false, err);
  }
  pki_run_output_free(&keep);
  pki_watch_free(&watch);
  pki_run_result_free(&result);
  remove_recording(b, way);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return status;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report_ways(bench *b, int rounds, pki_bench_report *report)
{
  const double per_step = 1e6 / (double)b->steps;
  for (int way = 0; way < WAYS; way++) {
    double *t = b->time[way], *ratio = b->ratio[way];
    pki_bench_result *r = pki_bench_add_result(report);
    if (r == NULL) {
      return;
    }
    qsort(t, (size_t)rounds, sizeof *t, by_size);
    qsort(ratio, (size_t)rounds, sizeof *ratio, by_size);
    *r = (pki_bench_result){.work = "trot 1ms 1kHz",
                            .engine = "pronk",
                            .version = pk_version(),
                            .config = ways[way].name,
                            .lanes = 1,
                            .threads = way == 0 ? 1 : 2,
                            .unit = "us/step"};
    r->median = per_step * pki_measure_quantile(t, rounds, 0.5);
    r->spread = per_step * (pki_measure_quantile(t, rounds, 0.75) - pki_measure_quantile(t, rounds, 0.25));
    r->ratio = pki_measure_quantile(ratio, rounds, 0.5);
    qsort(b->share[way], SHARES, sizeof *ratio, by_size);
    r->share = pki_measure_quantile(b->share[way], SHARES, 0.5);
    r->megabytes = 1e-6 * b->bytes[way] / b->seconds;
  }
}

pk_status pki_bench_record(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  report->kind = PKI_BENCH_RECORD;
  if (!pki_bench_wants(options, "trot 1ms 1kHz")) {
    return PK_OK;
  }
  const int rounds = options->quick ? QUICK_ROUNDS : ROUNDS;
  bench *b = calloc(1, sizeof *b);
  if (b == NULL) {
    return pki_fail_memory(err, NULL);
  }
  b->seconds = options->quick ? 20 : 60;
  pk_status status = pki_temporary_folder(NULL, "pronk-bench", "the recordings", b->folder, err);
  for (int i = -1; i < rounds && status == PK_OK; i++) { /* one round to warm up */
    for (int way = 0; way < WAYS && status == PK_OK; way++) {
      char text[64];
      snprintf(text, sizeof text, "round %d of %d: %s", i + 1, rounds, ways[way].name);
      pki_bench_progress(text);
      status = run_once(b, way, i < 0 ? 0 : i, err);
    }
  }
  for (int i = 0; i < SHARES && status == PK_OK; i++) {
    for (int way = 0; way < WAYS && status == PK_OK; way++) {
      status = time_recording_share(b, way, i, err);
    }
  }
  rmdir(b->folder);
  if (status == PK_OK) {
    report_ways(b, rounds, report);
  }
  free(b);
  return status;
}
