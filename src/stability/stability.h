/* Stability measures: what they are computed from, and the registry of measures.
 *
 *   stance.c      the robot at one time, checked: which contacts support, the wrench that they give, the ground
 *   support.c     corners and edges of the support, margins of points within it
 *   static_margin.c, zero_moment.c, foot_rotation.c, momentum_margin.c, dcm.c, energy_margin.c, force_angle.c, wrench_margin.c
 *                 a measure each, with its row
 *   wrench_cone.c, feasible_region.c  linear programs over friction cones: the wrench margin, and where the centre of mass may be
 *   column_simplex.c, friction_cone.c how they are solved
 *   stability_rows.c  the list
 *   stability.c   all measures of a stance
 *   robot_stance.c    the stance of a robot from its model, state and contacts
 *   stability_sum.c, stability_meter.c   sums over a motion
 *
 * docs/theory/stability.md has the equations. */
#ifndef PKI_STABILITY_STABILITY_H
#define PKI_STABILITY_STABILITY_H

#include "base/field.h"
#include "pronk/stability.h"

/* A robot at one time, made ready for the measures. */
typedef struct pki_stance {
  const pk_stability_input *in;
  /* Unit, against gravity; and horizontal axes, right-handed with it: the world's own where gravity goes along -z. */
  double up[3], x[3], y[3];
  /* m/s^2, strength of gravity. */
  double g;
  /* N, contacts with less do not support; negative: all do. */
  double least_force;
  /* m, height of the ground along `up`: the mean of the supporting contacts. */
  double ground;
  /* N and N m about the centre of mass: what contacts give, or by the rate of momentum have to give. */
  double force[3], moment[3];
} pki_stance;

/* Whether contact i of the input supports. */
bool pki_stance_supports(const pki_stance *stance, int i);

/* Check an input and make it ready. */
pk_status pki_stance_init(pki_stance *stance, const pk_stability_input *in,
                          const pk_stability_options *options, pk_error *err);

/* A point moved along `up` onto the ground. */
void pki_stance_on_ground(const pki_stance *stance, const double point[3], double out[3]);

/* Where on the ground a force (N) acts whose moment about the centre of mass (N m) is given, so that it has no horizontal moment
 * there; NAN where it does not press on the ground. */
void pki_stance_centre(const pki_stance *stance, const double force[3], const double moment[3],
                       double out[3]);

/* Corners and edges (support.c). */
void pki_support_init(const pki_stance *stance, pk_stability *out);

/* m, margin of a point within the support, seen from above; NAN without support. */
double pki_support_margin(const pki_stance *stance, const pk_stability *support, const double point[3]);

/* An edge's axes: e along it, n horizontal and inward, u = e x n. */
typedef struct pki_edge_axes {
  double e[3], n[3], u[3];
} pki_edge_axes;
pki_edge_axes pki_edge_axes_of(const pki_stance *stance, const pk_stability_edge *edge);

/* ---- the registry ---- */

/* One number of a measure. */
typedef struct pki_stability_column {
  const char *name, *unit;
  size_t at; /* in pk_stability: a double */
} pki_stability_column;

/* A measure. */
typedef struct pki_stability_row {
  const char *name, *doc;
  const pki_stability_column *columns; /* up to one without a name; the first is the margin */
  void (*compute)(const pki_stance *stance, const pk_stability_options *options, pk_stability *out);
} pki_stability_row;

/* By pk_stability_measure; ends with NULL. */
extern const pki_stability_row *const pki_stability_rows[];

/* Nothing is known: no support, all numbers NAN. */
void pki_stability_clear(pk_stability *out);

/* The value of a column. */
static inline double pki_stability_value(const pk_stability *stability, const pki_stability_column *column)
{
  return *(const double *)(const void *)((const char *)stability + column->at);
}

/* The field table of pk_stability_options. */
extern const pk_field pki_stability_fields[];
extern const int pki_stability_field_count;

/* Its first ones, which scenarios have: all but `measures`, which they name. */
extern const int pki_stability_scenario_fields;

/* ---- the wrench cone (wrench_cone.c) ---- */

typedef struct pki_wrench_result {
  double margin, gap; /* N */
  int pivots;
} pki_wrench_result;

/* The largest s such that forces f_i with f_i - s n_i in the friction cone of contact i add up to the wrench of the stance. sides
 * 0: the cone itself. */
pki_wrench_result pki_wrench_cone(const pki_stance *stance, int sides);

#endif
