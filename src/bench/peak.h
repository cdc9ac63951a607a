/* What one core of this machine can do at most, for the roofline (Williams, Waterman and Patterson 2009): multiply-adds on
 * numbers in registers, with the vectors of the kernels' instruction set, and numbers from and to memory. */
#ifndef PKI_BENCH_PEAK_H
#define PKI_BENCH_PEAK_H

#include <stdbool.h>

typedef struct pki_peak {
  double gflops; /* 1e9 floating point operations/s; a multiply-add is two */
  double
      bandwidth; /* GB/s of a triad a = b + s c: 24 bytes an element, the read of a before it is written not counted */
  double reference; /* Hz of the time stamp counter, NAN where there is none */
} pki_peak;

/* The best of some tries. False when out of memory. */
bool pki_peak_measure(bool quick, pki_peak *out);

#endif
