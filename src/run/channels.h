/* What a run can record: a table of channels, and a tap that reads them off a world after a step.
 *
 *   pki_tap *tap;
 *   pki_tap_create(&watch, &tap, &err);
 *   ... after pki_watch_step ...
 *   int rows;
 *   const double *values = pki_tap_read(tap, i, &rows);     tap->channels[i] says what they are
 *
 * The live recording, the viewer and its plots read the same tap. */
#ifndef PKI_RUN_CHANNELS_H
#define PKI_RUN_CHANNELS_H

#include "pronk/record.h"
#include "run/watch.h"

typedef struct pki_tap pki_tap;

/* One row of the table. `trunk` makes a channel for each robot that is no object, the others make one. */
typedef struct pki_channel_row {
  const char *name, *doc;
  bool table;   /* any number of rows in a sample */
  bool view;    /* at the view rate: for pictures, not for analysis */
  bool control; /* changes with the controller's updates only */
  bool robots;
  void (*describe)(pki_tap *tap, int channel);       /* its columns */
  int (*read)(pki_tap *tap, int robot, double *out); /* rows that were written */
} pki_channel_row;

extern const pki_channel_row pki_channel_rows[];
extern const int pki_channel_row_count;

struct pki_tap {
  const pki_watch *watch;
  const pki_run_result *result;
  int count, view;               /* channels; the first of those at the view rate */
  pk_recorder_channel *channels; /* [count] */
  const pki_channel_row **row;   /* [count] */
  int *robot;                    /* [count] */
  const double *found;           /* where the values of the last read are: mostly in */
  double *values;                /* room for the largest sample */
  int njoint, *joint_dof;        /* velocities that belong to joints */
  long long moved;               /* steps at which the workspace has the velocities of the state; -1: never */
  bool failed;                   /* memory was out while columns were described */
};

/* All channels of a world; `only` [nonly] are names or patterns with '*', NULL: all. A pattern that matches
 * nothing is a failure that names it. The watch and the result must outlive the tap. */
pk_status pki_tap_create(const pki_watch *watch, const pki_run_result *result, const char *const *only,
                         int nonly, pki_tap **out, pk_error *err);
void pki_tap_destroy(pki_tap *tap);

/* Leave out the channels at the full rate, or those at the view rate. */
void pki_tap_drop(pki_tap *tap, bool view);

/* The values of a channel now, valid until the next call. */
const double *pki_tap_read(pki_tap *tap, int channel, int *rows);

#endif
