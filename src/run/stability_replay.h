/* Stability measures of a run from its recording: the world is made anew from the scenario in it, and put where it was.
 *
 *   pki_stability_replay replay;
 *   pki_stability_replay_open(recording, NULL, &replay, &err);
 *   pki_stability_track track;
 *   pki_stability_track_compute(&replay, 0, 2, &track, &err);       of the first two seconds
 *   ... track.sum, pki_stability_curve(&track, PK_STABILITY_ZMP, 1)[i] at track.time[i] ...
 */
#ifndef PKI_RUN_STABILITY_REPLAY_H
#define PKI_RUN_STABILITY_REPLAY_H

#include "pronk/record.h"
#include "report/report.h"
#include "scenario/scenario.h"
#include "stability/stability.h"

typedef struct pki_stability_replay {
  pki_scenario *scenario;
  pki_world world;
  pk_recording_series q, u, contacts;
  int robot;
  pk_stability_options options; /* the scenario's, or the defaults */
  double *before, *a;           /* [nu] velocities of the sample before; rates */
  int placed;                   /* sample that the world is at; -1: none */
  pk_sim_contact *buffer;       /* [room] */
  int room;
} pki_stability_replay;

/* Of the robot of that name; NULL: the first. The recording must outlive the call only. A failure says what the recording lacks; free the
 * replay in any case. */
pk_status pki_stability_replay_open(const pk_recording *recording, const char *robot,
                                    pki_stability_replay *replay, pk_error *err);
void pki_stability_replay_free(pki_stability_replay *replay);

/* Measures at sample i. Accelerations of feet are differences of recorded velocities where samples are steps apart; sparser recordings have
 * none, and the FRI is then the ZMP. */
pk_status pki_stability_replay_at(pki_stability_replay *replay, int i, pk_stability *out, pk_error *err);

/* Samples are no more than a step apart. */
bool pki_stability_replay_is_dense(const pki_stability_replay *replay);

/* What stands at a time. */
typedef enum pki_support_phase {
  PKI_SUPPORT_FLIGHT,
  PKI_SUPPORT_ONE,
  PKI_SUPPORT_SIDE,     /* two feet, not diagonal */
  PKI_SUPPORT_DIAGONAL, /* two feet */
  PKI_SUPPORT_THREE,
  PKI_SUPPORT_MORE,
  PKI_SUPPORT_PHASES
} pki_support_phase;
extern const char *const pki_support_phase_names[PKI_SUPPORT_PHASES];

/* A support, seen from above; its first corner comes again at its end. */
typedef struct pki_support_outline {
  int n;
  double x[PK_STABILITY_EDGES + 1], y[PK_STABILITY_EDGES + 1];
} pki_support_outline;

enum { PKI_OUTLINES = 24 }; /* that a track keeps, at most */

/* All samples between two times. */
typedef struct pki_stability_track {
  int n;
  double *time;               /* [n] s */
  double *values;             /* [columns of all measures][n] */
  pki_support_phase *phase;   /* [n] */
  pk_stability_sum sum;       /* each sample stands for the time since the one before */
  pki_support_outline *shown; /* [nshown] of phases, spread over the track */
  int nshown;
} pki_stability_track;

pk_status pki_stability_track_compute(pki_stability_replay *replay, double from, double to,
                                      pki_stability_track *track, pk_error *err);
void pki_stability_track_free(pki_stability_track *track);

/* Column `column` of a measure, [n]. */
const double *pki_stability_curve(const pki_stability_track *track, pk_stability_measure measure, int column);

/* Minimum, mean, when it was worst, of each measure; begins the table. */
void pki_stability_table(const pki_stability_track *track, pki_table *table);

/* Files: all columns by time, and the report. */
pk_status pki_stability_csv(const pki_stability_track *track, const char *path, pk_error *err);
pk_status pki_stability_report(const pki_stability_replay *replay, const pki_stability_track *track,
                               const char *title, const char *path, pk_error *err);

/* ---- figures (stability_figures.c), shared with the report of runs ---- */

/* Curves to draw; those that there are not are NULL. */
typedef struct pki_stability_curves {
  int n;
  const double *time;
  const double *margin[PK_STABILITY_MEASURE_COUNT];
  const double *gcom[2], *zmp[2], *fri[2], *dcm[2]; /* x and y */
  const pki_support_phase *phase;                   /* NULL: not shaded */
  const pki_support_outline *outlines;              /* [noutline] */
  int noutline;
} pki_stability_curves;

/* S_H and the other margins along the run, and paths on the ground from above. */
void pki_stability_figures(pki_report *report, const pki_stability_curves *curves, pki_svg_axis time);

#endif
