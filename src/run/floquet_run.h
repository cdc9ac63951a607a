/* Stability of the gait of a scenario: the world runs until its motion repeats from stride to stride, then the stride map is
 * differentiated there (pronk/floquet.h), and random errors are watched on their way to compare.
 *
 *   floquet_run.c     the run: period, settling, multipliers, decay
 *   floquet_report.c  multipliers as a table, and report.html
 *
 * Pushes of the scenario do not act: a gait with pushes is not periodic. */
#ifndef PKI_RUN_FLOQUET_RUN_H
#define PKI_RUN_FLOQUET_RUN_H

#include <stdatomic.h>

#include "pronk/floquet.h"
#include "report/table.h"
#include "scenario/scenario.h"

typedef struct pki_floquet_options {
  double period; /* s, of a stride; 0: found from the motion */
  double settle; /* s, in which the motion must come to repeat */
  double
      repeat;  /* largest change from stride to stride (rad, m, and rates over `rate`) that counts as none */
  int strides; /* of pk_floquet_options */
  int levels;  /* likewise */
  double step; /* likewise: rad or m */
  int threads; /* 0: one for each processor */
  const atomic_int *stop;                                          /* not 0: end soon; NULL: never */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
} pki_floquet_options;

enum {
  PKI_DECAY_STRIDES = 12, /* that errors are watched for */
  PKI_DECAY_SIZES = 2,    /* of errors */
  PKI_DECAY_WORLDS = 16   /* errors of each size */
};

/* What became of random errors of one size. */
typedef struct pki_decay {
  double size;                        /* at the start, root mean square */
  double left[PKI_DECAY_STRIDES + 1]; /* after each stride; NAN: a world failed */
  double rate;                        /* factor of a stride, over the later half; NAN likewise */
} pki_decay;

/* Start from {0}. */
typedef struct pki_floquet_result {
  double dt;
  double period;  /* s */
  int steps;      /* of a stride */
  bool found;     /* the period was found from the motion */
  double *change; /* [nchange] root mean square change from stride to stride on the way, for free() */
  int nchange;
  double settled;  /* s, of simulated time, where the map is differentiated */
  double residual; /* the change there */
  double rate;     /* 1/s: what a rate of change is divided by to be compared with places and angles */
  bool pushes;     /* the scenario has pushes, which did not act */
  pk_floquet floquet;
  pki_decay decay[PKI_DECAY_SIZES];
  bool interrupted;
} pki_floquet_result;

/* PK_ERROR_CONVERGENCE: the motion does not repeat. PK_OK also when it was interrupted. Free the result in any case. */
pk_status pki_floquet_run(pki_world *world, const pki_floquet_options *options, pki_floquet_result *result,
                          pk_error *err);
void pki_floquet_result_free(pki_floquet_result *result);

/* Multipliers as rows: real part, imaginary part, modulus, error, strides in which an error halves, condition; at most `most`. Begins the table. */
void pki_floquet_table(const pki_floquet_result *result, int most, pki_table *table);

/* Quantities and their values, for the command and the report; begins the table. */
void pki_floquet_facts(const pki_floquet_result *result, pki_table *table);

pk_status pki_floquet_report(const pki_scenario *scenario, const pki_floquet_result *result, const char *path,
                             pk_error *err);

#endif
