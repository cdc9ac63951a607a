/* Multiply-adds in registers, one function for each instruction set that was compiled. */
#ifndef PKI_BENCH_PEAK_KERNEL_H
#define PKI_BENCH_PEAK_KERNEL_H

/* `rounds` rounds; returns the floating point operations, and a number that depends on all of them. */
typedef double (*pki_peak_fn)(long rounds, double *sum);

double pki_peak_base(long rounds, double *sum);
double pki_peak_avx2(long rounds, double *sum);
double pki_peak_avx512(long rounds, double *sum);

#endif
