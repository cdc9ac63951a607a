/* What the sections of a report are made from, and the sections. */
#ifndef PKI_RUN_REPORT_DATA_H
#define PKI_RUN_REPORT_DATA_H

#include "pronk/record.h"
#include "report/report.h"

/* One channel, by columns. */
typedef struct pki_curves {
  int n, columns;
  double *time;                       /* [n] s */
  double *values;                     /* [columns][n] */
  const pk_recorder_channel *channel; /* NULL: the recording has none of that name */
} pki_curves;

/* Column k. */
static inline const double *pki_curve(const pki_curves *c, int k)
{
  return c->values + (size_t)k * (size_t)c->n;
}

/* A channel that is not there, or a table, is no failure: it has no samples. */
pk_status pki_curves_read(const pk_recording *recording, const char *name, pki_curves *out, pk_error *err);
void pki_curves_free(pki_curves *c);

/* Whether a column ever changes. */
bool pki_curve_moves(const pki_curves *c, int k);

/* The first sample of forces that a step made: the one at the start of a run is all zeros, since none was made yet. */
int pki_curves_first(const pki_curves *c);

/* The column of that name, -1: none. */
int pki_curves_find(const pki_curves *c, const char *column);

/* A joint coordinate, from scene.json; limits that there are not are infinite. */
typedef struct pki_report_joint {
  char name[128];
  int force, q, u; /* its column in joints/force, state/q, state/u; -1: none */
  double lower, upper, effort, velocity;
  bool length; /* m and N, not rad and N m */
} pki_report_joint;

/* A run as its report sees it. */
typedef struct pki_report_source {
  const pk_recording *recording;
  pki_report *report;
  pki_report_joint *joints;
  int njoint;
  double from, to;   /* s */
  pki_svg_axis time; /* of all panels along the run */
} pki_report_source;

pk_status pki_report_open(const pk_recording *recording, pki_report *report, pki_report_source *out,
                          pk_error *err);
void pki_report_close(pki_report_source *s);

/* Colours of the palette by what they stand for. */
enum { PKI_INK_MAIN = 1, PKI_INK_LIMIT = 2, PKI_INK_PALE = 6, PKI_INK_DARK = 7 };

/* A small panel of a curve along the run, with those of its limits (lower, upper) that are within `near` of it. */
void pki_report_limited_panel(const pki_report_source *s, const char *id, const char *title, const char *unit,
                              const double *time, const double *values, int n, const double limits[2],
                              double near);

/* Motors along the run, a part of the section on actuators. */
pk_status pki_report_motors(const pki_report_source *s, const pki_curves *current, pk_error *err);

/* Sections; each is left out where the recording has nothing for it. */
pk_status pki_report_replay(const pki_report_source *s, pk_error *err);
pk_status pki_report_trunk(const pki_report_source *s, pk_error *err);
pk_status pki_report_estimate(const pki_report_source *s, pk_error *err);
pk_status pki_report_feet(const pki_report_source *s, pk_error *err);
pk_status pki_report_joints(const pki_report_source *s, pk_error *err);
pk_status pki_report_loads(const pki_report_source *s, pk_error *err);
pk_status pki_report_phase(const pki_report_source *s, pk_error *err);
pk_status pki_report_energy(const pki_report_source *s, pk_error *err);
pk_status pki_report_actuators(const pki_report_source *s, pk_error *err);
pk_status pki_report_stability(const pki_report_source *s, pk_error *err);
pk_status pki_report_solver(const pki_report_source *s, pk_error *err);

#endif
