/* The keys of a gait file: tables of the mappings in it. */
#ifndef PKI_OPTIMIZE_FILES_GAIT_FIELDS_H
#define PKI_OPTIMIZE_FILES_GAIT_FIELDS_H

#include "optimize/files/gait_file.h"

/* Entries of lists begin with their node (pki_read_entries). */

/* One entry of `feet` that is a mapping. */
typedef struct pki_gait_foot {
  char link[PKI_MOTION_NAME];
  double ankle;  /* N m */
  double radius; /* m */
} pki_gait_foot;

/* One entry of `phases`. */
typedef struct pki_gait_phase {
  const pki_node *node;
  char name[PKI_MOTION_NAME];
  int intervals;
  double guess; /* s; 0: not given */
  int ends;     /* 0: time, 1: crossing */
  int landing;  /* 0: impact, 1: soft */
} pki_gait_phase;

/* One entry of `limits`; what is not given stays as the model has it. */
typedef struct pki_gait_limit {
  const pki_node *node;
  char joints[128];
  double torque, speed, rate, lower, upper, margin;
} pki_gait_limit;

/* One entry of `motors`; 0: as the motor's file says. */
typedef struct pki_gait_motor {
  const pki_node *node;
  char joints[128], motor[PKI_PATH_MAX];
  double gear, voltage, efficiency;
} pki_gait_motor;

/* One entry of `gaps`. */
typedef struct pki_gait_gap {
  const pki_node *node;
  char link[PKI_MOTION_NAME], from[PKI_MOTION_NAME];
  double at[3], from_at[3], least; /* m */
} pki_gait_gap;

/* One entry of `design`; lower, upper and start NAN: not given. */
typedef struct pki_gait_design {
  const pki_node *node;
  char name[PKI_MOTION_NAME];
  int what; /* pki_design_kind */
  int mass; /* of a length, 0: proportional to it, 1: constant */
  double lower, upper, start, scan;
} pki_gait_design;

/* `start` and `end`. */
typedef struct pki_gait_end {
  bool rest, pose;
  double turn; /* rad */
} pki_gait_end;

extern const pk_field pki_gait_fields[], pki_gait_ground_fields[], pki_gait_stability_fields[],
    pki_gait_objective_fields[], pki_gait_solver_fields[], pki_gait_grid_fields[], pki_gait_pattern_fields[],
    pki_gait_foot_fields[], pki_gait_phase_fields[], pki_gait_limit_fields[], pki_gait_motor_fields[],
    pki_gait_gap_fields[], pki_gait_design_fields[], pki_gait_start_fields[], pki_gait_end_fields[];
extern const int pki_gait_field_count, pki_gait_ground_field_count, pki_gait_stability_field_count,
    pki_gait_objective_field_count, pki_gait_solver_field_count, pki_gait_grid_field_count,
    pki_gait_pattern_field_count, pki_gait_foot_field_count, pki_gait_phase_field_count,
    pki_gait_limit_field_count, pki_gait_motor_field_count, pki_gait_gap_field_count,
    pki_gait_design_field_count, pki_gait_start_field_count, pki_gait_end_field_count;

#endif
