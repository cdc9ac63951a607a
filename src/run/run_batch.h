/* Running a scenario in many worlds at once, each with numbers of its own (scenario/section_vary.c).
 *
 *   run_batch.c         the loop, and what it looks at
 *   run_batch_files.c   worlds.csv
 *   run_batch_report.c  report.html
 *
 * World k of a batch is the world of `--set world=k`, to the bit: what is found here can be run, recorded and looked at
 * alone. The work of joints and certificates are counted in every step; the trunk is looked at every 10 ms. */
#ifndef PKI_RUN_RUN_BATCH_H
#define PKI_RUN_RUN_BATCH_H

#include <stdatomic.h>

#include "pronk/batch.h"
#include "report/svg_box.h"
#include "report/table.h"
#include "run/watch.h"

typedef struct pki_batch_options {
  int worlds, lanes, threads; /* lanes, threads 0: what suits the machine */
  double duration;            /* s; negative: the scenario's */
  double bound;               /* on each step's relative residual; 0: the solver's tolerance */
  const char *folder;         /* for worlds.csv and report.html; NULL: nothing is written */
  const atomic_int *stop;     /* not 0: end soon; NULL: never */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
} pki_batch_options;

/* Where a trunk went, for pictures. */
enum { PKI_TRACE = 64, PKI_TRACES = 256 };

typedef struct pki_batch_trace {
  double x[PKI_TRACE], y[PKI_TRACE];
  int n;
} pki_batch_trace;

typedef struct pki_batch_result {
  int worlds, lanes, threads;
  pki_world *world;       /* as it is written; names what varies */
  pki_run_result *of;     /* [worlds] without their peaks; status tells why one is frozen */
  double *peak;           /* [worlds] N m, largest torque of a joint */
  pki_batch_trace *trace; /* [ntrace] of the first worlds */
  int ntrace;
  double asked_duration;              /* s, in the place of the scenario's; negative: none */
  double duration, wall;              /* s, simulated and spent in steps */
  long long steps;                    /* of single worlds */
  long long alone;                    /* of them, those that lanes could not do */
  long long left[PK_LANE_EXIT_COUNT]; /* of these, why */
  long long impulses_alone;           /* steps on lanes whose impulses the scalar solvers found */
  long long shifted;                  /* steps with rows that nothing can move */
  double shift;                       /* m/s, the largest of their shifts */
  long long uncertified;              /* of them, those above the bound */
  double bound;
  double worst; /* largest relative residual, and whose */
  int worst_world;
  int fell, frozen;
  size_t world_bytes; /* that one world takes */
  bool interrupted;
} pki_batch_result;

/* Run worlds 0 .. worlds-1 from their starts. PK_OK when they ran, to the end or not. Free the result in any case; it points at the
 * world. */
pk_status pki_batch_run(pki_world *world, const pki_batch_options *options, pki_batch_result *result,
                        pk_error *err);
void pki_batch_result_free(pki_batch_result *result);

/* A quantity of all worlds, sorted, for free(); NULL without memory. */
typedef enum pki_batch_quantity {
  PKI_BATCH_DISTANCE,
  PKI_BATCH_WORK,
  PKI_BATCH_COST,
  PKI_BATCH_TILT,
  PKI_BATCH_PEAK,
  PKI_BATCH_RESIDUAL,
  PKI_BATCH_QUANTITIES
} pki_batch_quantity;

typedef struct pki_batch_row {
  const char *key, *name, *unit;
} pki_batch_row;

extern const pki_batch_row pki_batch_rows[PKI_BATCH_QUANTITIES];
double pki_batch_value(const pki_batch_result *result, pki_batch_quantity what, int k);
double *pki_batch_sorted(const pki_batch_result *result, pki_batch_quantity what, int *n);

/* Worlds that are worth a look, the worst first: frozen, not certified, fallen, most tilted. How many. */
int pki_batch_worst(const pki_batch_result *result, int *out, int most);

/* The command that runs world k alone. */
void pki_batch_replay(const pki_batch_result *result, int k, pki_text *out);

/* What ended a world, or was wrong with it; `otherwise` when all is well. */
const char *pki_batch_ending(const pki_run_result *of, const char *otherwise);

/* The summary as rows of a quantity and its value; begins the table. */
void pki_batch_table(const pki_batch_result *result, pki_table *table);

/* worlds.csv and report.html in the folder. */
pk_status pki_batch_csv(const pki_batch_result *result, const char *folder, pk_error *err);
pk_status pki_batch_report(const pki_batch_result *result, const char *folder, pk_error *err);

#endif
