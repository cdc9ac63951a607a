/* Running a scenario: the loop, what it measures, what it writes.
 *
 *   run.c     the loop
 *   stats.c   what every step adds to the result
 *   files.c   states.csv
 *   report.c  the summary, report.html
 */
#ifndef PKI_RUN_RUN_H
#define PKI_RUN_RUN_H

#include <stdio.h>

#include "record/table.h"
#include "scenario/scenario.h"

typedef struct pki_run_options {
  double duration;    /* s; negative: the scenario's */
  double bound;       /* on each step's relative residual; 0: the solver's tolerance */
  const char *folder; /* for states.csv and report.html; NULL: none */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: nobody watches */
  void *user;
} pki_run_options;

/* What a run was like. The trunk is the root link of the first robot. */
typedef struct pki_run_result {
  long long steps;
  double duration;         /* s simulated */
  double wall;             /* s spent in steps, controller included */
  double real_time_factor; /* duration / wall */

  /* contact */
  double worst_residual; /* relative; of the worst step */
  double worst_speed;    /* m/s, its residual */
  double worst_time;     /* s, when that step ended */
  long long worst_step;  /* counted from 1; 0: no step had contact */
  pk_solver worst_solver;
  int worst_contacts;
  double bound;          /* what steps were held to */
  long long uncertified; /* steps above the bound */
  long long shifted;     /* steps whose gaps were shifted (pk_step_info.gap_shift) */
  int most_contacts;
  double mean_contacts;
  double penetration;   /* m, deepest */
  double stabilisation; /* J, what projections changed of the potential energy, all counted up */

  /* joints: work = sum dt tau . (u_start + u_end) / 2 over coordinates of joints */
  double energy_in;      /* J */
  double positive_work;  /* J, the part that flowed from the motors */
  int ndof;              /* velocities of the joint model */
  double *peak;          /* [ndof] largest |tau| */
  const pk_model *model; /* in joint coordinates; valid while the world is */

  /* trunk */
  double distance, path;                 /* m in the plane: straight from start to end, along the way */
  double height, height_min, height_max; /* m; height: at the end */
  double height_start;
  double tilt_max; /* rad, away from its upright at the start */
  bool fell;       /* below half of its starting height, or tilted by more than 60 degrees */
  double fell_at;  /* s */

  pk_status status;  /* of the last step */
  char stopped[320]; /* why it ended early, "" when it did not */
} pki_run_result;

/* Run a world from its present state. PK_OK when it ran, to the end or not (result->status tells); a failure when
 * memory is out or a file cannot be written. Free the result in any case. */
pk_status pki_run(pki_world *world, const pki_run_options *options, pki_run_result *result, pk_error *err);
void pki_run_result_free(pki_run_result *result);

/* ---- inside the stage ---- */

enum { PKI_TRACE_MAX = 4000 };

/* What a run looks at after every step. */
typedef struct pki_watch {
  pki_world *world;
  const pk_model *model;    /* joint coordinates */
  double *q, *u, *u_before; /* joint coordinates */
  pk_sim_contact *contacts; /* [max_contacts] of the last step */
  int ncontact;
  int *feet, nfoot;      /* links */
  double *force;         /* [nfoot + 1][3] N on each foot, and on all other links, world */
  double *normal;        /* [nfoot] N along the contact normals */
  pk_pose start, now;    /* of the trunk */
  double last[2], up[3]; /* its last place; what was up, in its frame */
  double tilt;
  long long contact_sum;
} pki_watch;

pk_status pki_watch_begin(pki_watch *w, pki_world *world, pki_run_result *result, pk_error *err);
void pki_watch_step(pki_watch *w, const pk_step_info *info, pki_run_result *result);
void pki_watch_end(pki_watch *w, pki_run_result *result);
void pki_watch_free(pki_watch *w);

/* states.csv, under a temporary name until it is complete. */
typedef struct pki_csv {
  FILE *file;
  char path[PKI_PATH_MAX], partial[PKI_PATH_MAX];
} pki_csv;

pk_status pki_csv_begin(pki_csv *csv, const pki_watch *w, const char *folder, pk_error *err);
void pki_csv_row(pki_csv *csv, const pki_watch *w);
pk_status pki_csv_end(pki_csv *csv, bool keep, pk_error *err);

/* Curves for the report, thinned to PKI_TRACE_MAX points. */
typedef struct pki_trace {
  int n, nfoot;
  long long every;
  double *time, *height, *angle[3], *residual; /* [PKI_TRACE_MAX] */
  double *foot;                                /* [nfoot][PKI_TRACE_MAX] */
} pki_trace;

pk_status pki_trace_begin(pki_trace *t, const pki_watch *w, long long steps, pk_error *err);
void pki_trace_step(pki_trace *t, const pki_watch *w, const pk_step_info *info, long long step);
void pki_trace_free(pki_trace *t);

pk_status pki_run_report(const pki_watch *w, const pki_trace *t, const pki_run_result *result,
                         const char *folder, pk_error *err);

/* The summary as rows of a quantity and its value, for the command and the report; begins the table. */
void pki_run_table(const pki_run_result *result, pki_table *table);

#endif
