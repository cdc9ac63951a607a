/* Timing in turns: in every round each entrant runs for a while, so that what disturbs the
 * machine disturbs all of them alike. */
#ifndef PKI_MEASURE_MEASURE_H
#define PKI_MEASURE_MEASURE_H

#include <stdbool.h>

#include "base/clock.h"

typedef struct pki_entrant {
  void (*run)(void *user, int index); /* one call on input `index` */
  void *user;
  int inputs;            /* calls go round inputs 0 .. inputs-1, so that nothing is remembered */
  double median, spread; /* out: s for one call; the spread is from the first to the third quartile */
  double lower, upper;   /* out: the quartiles themselves */
  double processor; /* out: s of processor time for one call, all threads together, the mean of the rounds */
} pki_entrant;

typedef struct pki_measure_options {
  double round;    /* s for each entrant in a round, at least one call */
  double total;    /* s for everything, as far as the least number of rounds allows */
  int least, most; /* rounds */
  bool threads;    /* calls use several threads: times are those of the wall clock, not of this thread */
} pki_measure_options;

/* False when out of memory. */
bool pki_measure(pki_entrant *entrants, int count, const pki_measure_options *options);

/* The value below which the part `part` of sorted numbers lies, between neighbours linearly. */
double pki_measure_quantile(const double *sorted, int count, double part);

#endif
