#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "bench/peak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/clock.h"
#include "bench/peak_kernel.h"
#include "pronk/dynamics.h"

static pki_peak_fn kernel_of(const char *isa)
{
#ifdef PKI_HAVE_avx512
  if (strcmp(isa, "avx512") == 0) {
    return pki_peak_avx512;
  }
#endif
#ifdef PKI_HAVE_avx2
  if (strcmp(isa, "avx2") == 0) {
    return pki_peak_avx2;
  }
#endif
  (void)isa;
  return pki_peak_base;
}

static double best_gflops(int tries, long rounds)
{
  const pki_peak_fn kernel = kernel_of(pk_isa_name());
  volatile double keep = 0; /* so that the work is done */
  double best = 0;
  for (int k = 0; k < tries; k++) {
    const double start = pki_clock();
    double sum;
    const double flops = kernel(rounds, &sum);
    const double time = pki_clock() - start;
    keep = keep + sum;
    best = fmax(best, 1e-9 * flops / time);
  }
  return best;
}

static void run_triad(double *restrict a, const double *restrict b, const double *restrict c, double s,
                      size_t n)
{
  for (size_t i = 0; i < n; i++) {
    a[i] = b[i] + s * c[i];
  }
}

static bool best_bandwidth(int tries, size_t n, double *out)
{
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
  const bool ok = a && b && c;
  *out = 0;
  for (size_t i = 0; i < n && ok; i++) {
    a[i] = 0, b[i] = 1, c[i] = 2;
  }
  for (int k = 0; k < tries && ok; k++) {
    const double start = pki_clock();
    run_triad(a, b, c, k, n);
    *out = fmax(*out, 1e-9 * 24 * (double)n / (pki_clock() - start));
    b[k] = a[n - 1]; /* so that the work is done */
  }
  free(a);
  free(b);
  free(c);
  return ok;
}

static double reference_clock(void)
{
#if defined(__x86_64__)
  const double start = pki_clock();
  const unsigned long long from = __rdtsc();
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  const unsigned long long to = __rdtsc();
  return (double)(to - from) / (pki_clock() - start);
#else
  return NAN;
#endif
}

bool pki_peak_measure(bool quick, pki_peak *out)
{
  out->gflops = best_gflops(quick ? 5 : 20, quick ? 100000 : 1000000);
  out->reference = reference_clock();
  /* larger than caches: 3 x 64 MB; quick: 3 x 8 MB, which a large cache may hold */
  return best_bandwidth(quick ? 3 : 10, (size_t)1 << (quick ? 20 : 23), &out->bandwidth);
}
