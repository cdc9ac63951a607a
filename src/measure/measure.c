#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double pki_measure_quantile(const double *sorted, int count, double part)
{
  const double at = part * (double)(count - 1);
  const int below = (int)at;
  if (below + 1 >= count) {
    return sorted[count - 1];
  }
  return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static int compare_reals(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double seconds_of(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds for `calls` calls: those that this thread had the processor, because what else runs on the machine takes its share
 * of the wall clock. Where threads work together only the wall clock knows when all of them are done. */
static double time_calls(const pki_entrant *entrant, bool threads, long calls, int *next)
{
  int index = *next;
  const clockid_t clock = threads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  const double start = seconds_of(clock);
  for (long k = 0; k < calls; k++) {
    entrant->run(entrant->user, index);
    index = index + 1 == entrant->inputs ? 0 : index + 1;
  }
  const double time = seconds_of(clock) - start;
  *next = index;
  return time;
}

/* Calls that fill a round; running for the answer warms caches and the branch predictor. */
static long calibrate_calls(const pki_entrant *entrant, bool threads, double round)
{
  int next = 0;
  for (long calls = 1;; calls *= 2) {
    const double time = time_calls(entrant, threads, calls, &next);
    if (time > 0.5 * round) {
      return (long)fmax(1.0, (double)calls * round / time);
    }
  }
}

bool pki_measure(pki_entrant *entrants, int count, const pki_measure_options *options)
{
  if (count < 1) {
    return true;
  }
  long *calls = calloc((size_t)count, sizeof *calls);
  int *next = calloc((size_t)count, sizeof *next);
  double *samples = calloc((size_t)count * (size_t)options->most, sizeof *samples);
  const bool has_memory = calls && next && samples;
  if (has_memory) {
    for (int e = 0; e < count; e++) {
      entrants[e].processor = 0;
      calls[e] = calibrate_calls(&entrants[e], options->threads, options->round);
    }

    /* Rounds until time is up. */
    const double start = pki_clock();
    int rounds = 0;
    while (rounds < options->most && (rounds < options->least || pki_clock() - start < options->total)) {
      for (int e = 0; e < count; e++) {
        const double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        samples[(size_t)e * (size_t)options->most + (size_t)rounds] =
            time_calls(&entrants[e], options->threads, calls[e], &next[e]) / (double)calls[e];
        entrants[e].processor += (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before) / (double)calls[e];
      }
      rounds++;
    }

    for (int e = 0; e < count; e++) {
      double *mine = samples + (size_t)e * (size_t)options->most;
      qsort(mine, (size_t)rounds, sizeof *mine, compare_reals);
      entrants[e].median = pki_measure_quantile(mine, rounds, 0.5);
      entrants[e].lower = pki_measure_quantile(mine, rounds, 0.25);
      entrants[e].upper = pki_measure_quantile(mine, rounds, 0.75);
      entrants[e].spread = entrants[e].upper - entrants[e].lower;
      entrants[e].processor /= rounds;
    }
  }
  free(calls);
  free(next);
  free(samples);
  return has_memory;
}
