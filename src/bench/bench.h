/* `pronk bench`: the same work on Pronk and on its peers, alternating in one process run.
 * A bench is a row of the registry in bench.c; it fills a report, which is then printed as
 * a table or as JSON. */
#ifndef PKI_BENCH_BENCH_H
#define PKI_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* `pronk bench ...`: argv[0] is "bench". Results go to `out`. Returns the exit status: 0,
 * 1 for a failure on the way, 2 for wrong usage. */
int pki_bench_main(int argc, char **argv, FILE *out);

/* What `pronk bench contact` adds to a line. */
typedef struct pki_bench_contact_figures {
  double dt;                        /* s */
  const char *gains;                /* how the engine takes them */
  bool fell;                        /* then nothing else counts */
  double sink_mm;                   /* deepest foot, landing included */
  double rest_sink_mm;              /* deepest foot at rest */
  double drift_um_per_min;          /* of the feet, standing */
  double creep_um_per_s;            /* of the feet, downhill */
  double residual, residual_median; /* relative, of the judge: worst step, median step */
} pki_bench_contact_figures;

/* One line of figures. Numbers that do not apply are NAN. */
typedef struct pki_bench_result {
  char work[64];      /* "aba coman" */
  const char *engine; /* "pronk", "mujoco"; lives as long as the program */
  const char *version;
  const char *config; /* what is called */
  int lanes, threads;
  const char *unit; /* "us/call": one call, all lanes; "steps/s" */
  double median;    /* of the rounds */
  double spread;    /* between the first and the third quartile of the rounds */
  double per_robot; /* median / lanes, us */
  double ratio; /* dynamics: per_robot over Pronk's with one lane; contact: speed over the fastest of MuJoCo;
                record: time over that without a recording; collision: time over Pronk's */
  double
      agreement; /* worst relative difference from Pronk's answer over the states; collision: of distances, m, or
                part of the pairs */
  double depth_agreement; /* collision: of depths, m */
  int links;
  double per_link; /* per_robot / links, us */
  pki_bench_contact_figures contact;
  double share;     /* record: of the recording in a step's time, over the rest of it */
  double megabytes; /* record: of the file, for each second of the run */
} pki_bench_result;

/* Which of a result's figures its bench fills in. */
typedef enum pki_bench_kind {
  PKI_BENCH_DYNAMICS,
  PKI_BENCH_CONTACT,
  PKI_BENCH_RECORD,
  PKI_BENCH_COLLISION
} pki_bench_kind;

/* What a bench leaves: grows by the two functions below. */
typedef struct pki_bench_report {
  const char *bench;
  pki_bench_kind kind;
  pki_bench_result *results;
  int nresult;
  char (*notes)[240]; /* what a reader should know: engines left out, how they were built */
  int nnote;
  bool failed; /* engines disagree: the figures mean nothing */
} pki_bench_report;

/* NULL when out of memory. */
pki_bench_result *pki_bench_add_result(pki_bench_report *report);

/* A remark; the same text is kept once. */
__attribute__((format(printf, 2, 3))) void pki_bench_add_note(pki_bench_report *report, const char *format,
                                                              ...);

typedef struct pki_bench_options {
  bool json;
  bool quick;       /* fewer rounds */
  const char *work; /* only works whose name holds this, NULL: all */
} pki_bench_options;

/* True when the options ask for this work. */
bool pki_bench_wants(const pki_bench_options *options, const char *work);

/* One line of progress on a terminal, nothing elsewhere; NULL clears it. */
void pki_bench_progress(const char *text);

/* A row of the registry. */
typedef struct pki_bench {
  const char *name, *doc;
  pk_status (*run)(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
} pki_bench;

const pki_bench *pki_bench_list(int *count);

/* The benches. */
pk_status pki_bench_collision(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_contact(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_dynamics(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_record(const pki_bench_options *options, pki_bench_report *report, pk_error *err);

/* Printing (report.c). */
void pki_bench_print_table(const pki_bench_report *report, FILE *out);
bool pki_bench_print_json(const pki_bench_report *report, FILE *out);

#endif
