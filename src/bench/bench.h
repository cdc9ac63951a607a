/* `pronk bench`: the same work on Pronk and on its peers, alternating in one process run.
 * A bench is a row of the registry in bench.c; it fills a report, which is then printed as
 * a table or as JSON. */
#ifndef PKI_BENCH_BENCH_H
#define PKI_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "bench/peak.h"
#include "pronk/batch.h"

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
  double residual, residual_median; /* relative, of the certificate: worst step, median step */
} pki_bench_contact_figures;

/* What `pronk bench batch` adds to a line. Peers have none of the figures from residual on. */
typedef struct pki_bench_batch_figures {
  int worlds, steps;  /* worlds, and steps of each in one call */
  const char *gains;  /* how the engine takes them */
  bool fell;          /* one of them; then nothing else counts */
  double per_cpu;     /* robot-steps for each second of processor time, all threads together */
  double cycles;      /* of the reference clock, of processor time, for one step of one robot */
  double residual;    /* relative, the worst of all worlds and steps */
  double uncertified; /* steps above the tolerance */
  double alone;       /* part of the steps that lanes could not do */
  double frozen;      /* worlds that failed */
  double bytes;       /* of one world more */
  double shared;      /* bytes that do not depend on their number */
  double resident;    /* bytes for each world that the system counted, those that they share included */
  double instructions, flops; /* of one step of one robot, counted */
  double gflops;              /* flops times speed, 1e9/s */
  double of_peak;             /* the same as part of what the threads' cores could do */
  double intensity;           /* flops for each byte that must pass to and from memory */
} pki_bench_batch_figures;

/* What `pronk bench scaling` adds to a line. */
typedef struct pki_bench_scaling_figures {
  const char *series; /* "chain"; lives as long as the program */
  int size;           /* links, contacts or robots */
  int dof;
  double exponent; /* of the cost over the larger sizes, this engine and configuration */
} pki_bench_scaling_figures;

/* What `pronk bench robots` adds to a line. bench_report_robots.c has one row for each figure of `info`: a new one is its row there, and
 * the line that adds it up (crowd.c, crowd_sim.c). */
typedef struct pki_bench_robots_figures {
  int worlds;         /* 1, or those of a batch */
  int steps;          /* of each start in one call */
  double dt;          /* s */
  const char *gains;  /* how the engine takes them */
  bool ours;          /* Pronk: peers have no info */
  pk_batch_info info; /* of all steps; one world is a batch of one here */
} pki_bench_robots_figures;

/* What `pronk bench feedback` adds to a line. */
typedef struct pki_bench_feedback_figures {
  int worlds;
  double dt;       /* s, the largest good step; 0: none */
  double per_step; /* us, of one world */
  double error;    /* rad, mean of joints */
  double slip_mm;  /* of a stance; NAN: no feet */
} pki_bench_feedback_figures;

/* What `pronk bench optimize` adds to a line. */
typedef struct pki_bench_optimize_figures {
  int operations;       /* of one point */
  int entries;          /* numbers that come out */
  double per_operation; /* ns, of one point */
  /* of a whole solve; iterations 0: this line is none */
  int problems;        /* of the ladder */
  int iterations;      /* of all of them */
  int variables, rows; /* of the last one */
  double in_functions; /* s, in functions and derivatives */
  double last;         /* s, of the last problem, which starts from the one before it */
} pki_bench_optimize_figures;

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
  double
      ratio; /* dynamics: per_robot over Pronk's with one lane; contact, batch, scaling: speed over the fastest of MuJoCo;
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
  pki_bench_batch_figures batch;
  pki_bench_scaling_figures scaling;
  pki_bench_robots_figures robots;
  pki_bench_feedback_figures feedback;
  pki_bench_optimize_figures optimize;
} pki_bench_result;

/* Which of a result's figures its bench fills in. */
typedef enum pki_bench_kind {
  PKI_BENCH_DYNAMICS,
  PKI_BENCH_CONTACT,
  PKI_BENCH_RECORD,
  PKI_BENCH_COLLISION,
  PKI_BENCH_BATCH,
  PKI_BENCH_SCALING,
  PKI_BENCH_ROBOTS,
  PKI_BENCH_FEEDBACK,
  PKI_BENCH_OPTIMIZE
} pki_bench_kind;

/* What a bench leaves: grows by the two functions below. */
typedef struct pki_bench_report {
  const char *bench;
  pki_bench_kind kind;
  pki_bench_result *results;
  int nresult;
  char (*notes)[240]; /* what a reader should know: engines left out, how they were built */
  int nnote;
  bool failed;   /* engines disagree: the figures mean nothing */
  pki_peak peak; /* batch: what one core can do */
  FILE *out;     /* where the table goes; NULL: nowhere, it will be JSON */
  int shown;     /* results that the table has so far */
  /* progress: works that are begun and in all, the clock at the first of them, s */
  int begun, works;
  double start;
} pki_bench_report;

/* NULL when out of memory. */
pki_bench_result *pki_bench_add_result(pki_bench_report *report);

/* The ratio of each result from `first` on, which are those of one work, to MuJoCo's fastest configuration among them. Medians
 * are speeds, or times. */
void pki_bench_add_ratios(pki_bench_report *report, int first, bool times);

/* Print the results that the table does not have yet: a bench calls it after each work, so that rows come as they are found. */
void pki_bench_show(pki_bench_report *report);

/* A remark; the same text is kept once. */
__attribute__((format(printf, 2, 3))) void pki_bench_add_note(pki_bench_report *report, const char *format,
                                                              ...);

typedef struct pki_bench_options {
  bool json;
  bool quick;         /* fewer rounds */
  const char *work;   /* only works whose name holds this, NULL: all */
  const char *report; /* folder for a report, NULL: none */
} pki_bench_options;

/* True when the options ask for this work. */
bool pki_bench_wants(const pki_bench_options *options, const char *work);

/* One line of progress on a terminal, nothing elsewhere; NULL clears it. */
void pki_bench_progress(const char *text);

/* How many works there will be and how long they take, about; from a minute on it is told on stderr at once. */
void pki_bench_announce(pki_bench_report *report, int works, double seconds);

/* The next of the announced works begins: a bar, its name, and what is left by the pace so far. */
void pki_bench_next_work(pki_bench_report *report, const char *name);

/* A row of the registry. */
typedef struct pki_bench {
  const char *name, *doc;
  pk_status (*run)(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
  /* Its figures as a page; NULL: it has none. */
  pk_status (*save)(const pki_bench_report *report, const char *path, pk_error *err);
} pki_bench;

const pki_bench *pki_bench_list(int *count);

/* The benches. */
pk_status pki_bench_batch(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_collision(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_contact(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_dynamics(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_feedback(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_optimize(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_record(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_robots(const pki_bench_options *options, pki_bench_report *report, pk_error *err);
pk_status pki_bench_scaling(const pki_bench_options *options, pki_bench_report *report, pk_error *err);

/* Printing (bench_report.c, bench_report_robots.c). A table has a head, rows and a foot: what its figures mean. */
typedef struct pki_bench_table {
  void (*head)(const pki_bench_report *report, FILE *out);
  void (*row)(const pki_bench_report *report, int i, FILE *out);
  const char *foot;
} pki_bench_table;

extern const pki_bench_table pki_bench_robots_table, pki_bench_feedback_table, pki_bench_optimize_table;
void pki_bench_end_table(pki_bench_report *report); /* what is left of it, its foot and the notes */
void pki_bench_print_number(FILE *out, int width, double value);
struct cJSON;
void pki_bench_add_robots(struct cJSON *object, const pki_bench_result *result);
void pki_bench_add_number(struct cJSON *object, const char *name, double value); /* NAN: null */
bool pki_bench_print_json(const pki_bench_report *report, FILE *out);

/* Pages (page_batch.c, page_scaling.c). */
pk_status pki_bench_save_batch(const pki_bench_report *report, const char *path, pk_error *err);
pk_status pki_bench_save_scaling(const pki_bench_report *report, const char *path, pk_error *err);

#endif
