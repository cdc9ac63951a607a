/* Running a scenario: the loop, what it keeps, how it goes on after an interruption.
 *
 *   run.c         the loop
 *   watch.c       what every step adds to the result
 *   watch_actuators.c  of it, energies of actuators
 *   channels.c    what can be recorded
 *   about.c       what a recording says about itself
 *   run_output.c  the recording and checkpoints of a run, and its folder
 *   checkpoint.c  the file of a checkpoint
 *   summary.c     the summary as a table
 *   run_report.c      report.html, from a recording
 *   compare.c     the same run under several settings
 */
#ifndef PKI_RUN_RUN_H
#define PKI_RUN_RUN_H

#include <stdatomic.h>

#include "report/table.h"
#include "run/watch.h"

typedef struct pki_run_options {
  double duration;         /* s; negative: the scenario's */
  bool certify;            /* the caller holds every step to the bound */
  double bound;            /* on each step's relative residual; 0: the solver's tolerance */
  const char *folder;      /* for run.mcap and report.html; NULL: nothing is written */
  double checkpoint_every; /* s of the run, a checkpoint into the folder; 0: only when it is stopped */
  bool resume;             /* resume from the folder's checkpoint */
  bool no_report;          /* leave report.html to the caller */
  const atomic_int *stop;  /* not 0: end after the present step; NULL: never */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
} pki_run_options;

/* Run a world from its present state. PK_OK when it ran, to the end or not (result->status tells); a failure when
 * memory is out or a file cannot be written. Free the result in any case. */
pk_status pki_run(pki_world *world, const pki_run_options *options, pki_run_result *result, pk_error *err);

/* The summary as rows of a quantity and its value, for the command and the report; begins the table. */
void pki_run_table(const pki_run_result *result, pki_table *table);

/* Which solver solved the worst step. */
const char *pki_run_worst_solver(const pki_run_result *result);

/* No step failed, and every one met the bound with numbers that are numbers; contacts were no springs. */
bool pki_run_certified(const pki_run_result *result);

/* There were contacts, and their law has no problem that could be certified. */
bool pki_run_on_springs(const pki_run_result *result);

/* Whether its stepper solves contact, where there was some; certificates are of that. */
bool pki_run_solves_contact(const pki_run_result *result);

/* Energy per weight and distance; NAN where there is no distance to speak of. */
double pki_run_cost_of_transport(const pki_run_result *result);

/* Electrical energy (with a battery: what it gave) per weight and distance; NAN without motors or distance. */
double pki_run_electrical_cost(const pki_run_result *result);

/* J_e1 and J_e2 (pk_effort), the first over the straight distance; NAN without actuators or distance. */
double pki_run_joule_per_metre(const pki_run_result *result);
double pki_run_specific_resistance(const pki_run_result *result);

/* The joint coordinate whose force came nearest to its limit, or the largest where there are no limits; -1: none. */
int pki_run_hardest_joint(const pki_run_result *result);

#endif
