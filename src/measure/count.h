/* Counting what a piece of work executes: instructions, and floating point operations by the width of their vectors.
 *
 * Processors count retired operations too, each kind in its own way, and virtual machines often hide it. So the work runs in
 * a child process one instruction at a time (by the processor's trap flag), and each instruction is decoded before it runs: additions,
 * subtractions, multiplications, divisions, square roots, minima and maxima count once for each element of the vector,
 * fused multiply-adds twice. Comparisons, conversions, moves and logic count nothing. Elements that a lane's mask throws away
 * later count as what they are: executed. It takes microseconds for each instruction, and counts are the same on every
 * machine that runs the same code. x86-64 Linux only. */
#ifndef PKI_MEASURE_COUNT_H
#define PKI_MEASURE_COUNT_H

#include <stdbool.h>

typedef struct pki_count {
  double instructions, flops;
} pki_count;

/* Run work(user) in a child: this process keeps its memory as it was. The work must stay in its thread. False: it cannot
 * be done here, or the work failed. */
bool pki_count_run(void (*work)(void *user), void *user, pki_count *out);

/* Floating point operations of the x86-64 instruction at `code`, at least 16 readable bytes. */
int pki_count_flops(const unsigned char *code);

#endif
