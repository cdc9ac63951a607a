/* What a run can record: a table of channels (channels.c), and a reader that reads them from a world after a step
 * (channel_reader.c).
 *
 *   pki_channel_reader *reader;
 *   pki_channel_reader_create(&watch, &reader, &err);
 *   ... after pki_watch_step ...
 *   int rows;
 *   const double *values = pki_channel_reader_read(reader, i, &rows);     reader->channels[i] says what they are
 *
 * The live recording, the viewer and its plots share one reader. */
#ifndef PKI_RUN_CHANNELS_H
#define PKI_RUN_CHANNELS_H

#include "pronk/record.h"
#include "run/watch.h"

typedef struct pki_channel_reader pki_channel_reader;

/* One row of the table. `trunk` makes a channel for each robot that is no object, the others make one. */
typedef struct pki_channel_row {
  const char *name, *doc;
  bool table;   /* any number of rows in a sample */
  bool view;    /* at the view rate: for pictures, not for analysis */
  bool control; /* changes with the controller's updates only */
  bool robots;
  const char *state; /* of `actuators/`: the name that kinds have for it */
  size_t flow;       /* of `actuators/`: where it is in pk_actuator_flow */
  int measure;       /* of `stability/`: 1 + pk_stability_measure; 0: none */
  void (*describe)(pki_channel_reader *reader, int channel);       /* its columns */
  int (*read)(pki_channel_reader *reader, int robot, double *out); /* rows that were written */
} pki_channel_row;

extern const pki_channel_row pki_channel_rows[];
extern const int pki_channel_row_count;

/* What a row says of itself; measures have their own words. */
const char *pki_channel_doc(const pki_channel_row *row);

struct pki_channel_reader {
  const pki_watch *watch;
  const pki_run_result *result;
  int count, view;               /* channels; the first of those at the view rate */
  pk_recorder_channel *channels; /* [count] */
  const pki_channel_row **row;   /* [count] */
  int *robot;                    /* [count] */
  const double *found;           /* where the values of the last read are: mostly in */
  int reading;                   /* the channel that is being read */
  double *values;                /* room for the largest sample, */
  int room;                      /* which has this many contacts */
  int pressures;                 /* or so many faces that press */
  int njoint, *joint_dof;        /* velocities that belong to joints */
  long long moved;               /* steps at which the workspace has the velocities of the state; -1: never */
  bool failed;                   /* memory was out while columns were described */
};

/* All channels of a world; `only` [nonly] are names or patterns with '*', NULL: all. A pattern that matches
 * nothing is a failure that names it. The watch and the result must outlive the reader. */
pk_status pki_channel_reader_create(const pki_watch *watch, const pki_run_result *result,
                                    const char *const *only, int nonly, pki_channel_reader **out,
                                    pk_error *err);
void pki_channel_reader_destroy(pki_channel_reader *reader);

/* Leave out the channels at the full rate, or those at the view rate. */
void pki_channel_reader_drop(pki_channel_reader *reader, bool view);

/* watch_estimate.c: values of the channel `estimate`. */
int pki_read_estimate(pki_channel_reader *reader, int robot, double *out);

/* The values of a channel now, valid until the next call. */
const double *pki_channel_reader_read(pki_channel_reader *reader, int channel, int *rows);

#endif
