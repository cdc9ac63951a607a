#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench/measure.h"

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

/* Seconds that this thread had the processor: what else runs on the machine takes its share of the wall clock. */
static double thread_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds for `calls` calls. */
static double time_calls(const pki_entrant *entrant, long calls, int *next)
{
  int index = *next;
  const double start = thread_clock();
  for (long k = 0; k < calls; k++) {
    entrant->run(entrant->user, index);
    index = index + 1 == entrant->inputs ? 0 : index + 1;
  }
  const double time = thread_clock() - start;
  *next = index;
  return time;
}

/* Calls that fill a round; running for the answer warms caches and the branch predictor. */
static long calibrate(const pki_entrant *entrant, double round)
{
  int next = 0;
  for (long calls = 1;; calls *= 2) {
    const double time = time_calls(entrant, calls, &next);
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
      calls[e] = calibrate(&entrants[e], options->round);
    }

    /* Rounds until time is up. */
    const double start = pki_clock();
    int rounds = 0;
    while (rounds < options->most && (rounds < options->least || pki_clock() - start < options->total)) {
      for (int e = 0; e < count; e++) {
        samples[(size_t)e * (size_t)options->most + (size_t)rounds] =
            time_calls(&entrants[e], calls[e], &next[e]) / (double)calls[e];
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
    }
  }
  free(calls);
  free(next);
  free(samples);
  return has_memory;
}
