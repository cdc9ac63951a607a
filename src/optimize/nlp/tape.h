/* Tapes: expressions as a list of operations on registers, run for many instances at once.
 *
 * A register holds one number for each lane, a lane for each instance. Sums, differences, products and signs are all one operation,
 *
 *   d = +-(a b) +- c
 *
 * with registers that hold 0 and 1 where an operand is missing, so that a run of such steps has no branch at all. A product that one
 * sum alone uses is part of that sum. What is not of this form (1/a, sqrt a, sine and cosine together) ends a run; robots have few of
 * these. A register is free again after its last use, so that the registers in use stay in the processor's caches.
 *
 * The file of registers: constants, of which the first two are 0 and 1, then inputs, results, temporaries. */
#ifndef PKI_OPTIMIZE_NLP_TAPE_H
#define PKI_OPTIMIZE_NLP_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolic/graph/graph.h"

/* Instances that run at a time, at most. */
enum { PKI_NLP_LANES = 16 };

/* Sign bits of a step: of its product in a, of its addend in c. */
#define PKI_TAPE_MINUS UINT32_C(0x80000000)

typedef struct pki_tape_step {
  uint32_t d, a, b, c;
} pki_tape_step;

typedef enum pki_tape_op {
  PKI_TAPE_END,
  PKI_TAPE_INVERSE, /* d = 1 / a */
  PKI_TAPE_ROOT,    /* d = sqrt(a) */
  PKI_TAPE_SINCOS   /* d = sin(a), e = cos(a) */
} pki_tape_op;

/* A run of steps, and what ends it. */
typedef struct pki_tape_run {
  int steps;
  int op; /* pki_tape_op */
  uint32_t d, e, a;
} pki_tape_run;

typedef struct pki_tape {
  pki_tape_run *runs; /* the last one's op is PKI_TAPE_END */
  int nrun;
  pki_tape_step *steps; /* of all runs, one after the other */
  int nstep;
  double *constants; /* [nconstant] */
  int nconstant;
  int ninput;
  int nregister;     /* in all */
  uint32_t *results; /* [nresult] registers */
  int nresult;
} pki_tape;

/* A tape for `count` values of a graph. The graph's inputs are numbered port after port, all of their numbers. False: out of memory. */
bool pki_tape_create(pki_graph *g, int count, const pki_x *values, pki_tape *out);
void pki_tape_free(pki_tape *tape);

/* Operations of one run of all, fused ones counted once. */
int pki_tape_operations(const pki_tape *tape);

/* Run it for `count` instances. in[k] is an array [count][sizes[k]] of the instances' numbers, for inputs in the order of k; ports of
 * which nothing is read may be NULL. out [count][nresult]. False: out of memory. */
bool pki_tape_evaluate(const pki_tape *tape, int count, int arrays, const int *sizes, const double *const *in,
                       double *out);

/* One instance over complex numbers: in [ninput], out [nresult] (tape_complex.c). False: out of memory. */
bool pki_tape_evaluate_complex(const pki_tape *tape, const double _Complex *in, double _Complex *out);

/* ---- lane code ---- */

typedef struct pki_tape_kernels {
  const char *isa;
  int lanes;
  /* Run a tape on registers of `lanes` numbers each, and of twice as many; 64-byte aligned. */
  void (*once)(const pki_tape *tape, double *registers);
  void (*twice)(const pki_tape *tape, double *registers);
} pki_tape_kernels;

#endif
