/* The file of a motion to be optimised: a robot, its feet and their phases, limits, what is minimised.
 *
 *   gait.yaml -> document (nodes) -> field tables -> pki_gait_file, its `problem` ready for pki_motion_solve
 *
 * It is read as strictly as a scenario, by the same readers; docs/formats/gait.md describes it. */
#ifndef PKI_OPTIMIZE_FILES_GAIT_FILE_H
#define PKI_OPTIMIZE_FILES_GAIT_FILE_H

#include <stdint.h>

#include "gait/gaits.h"
#include "optimize/motion/problem.h"
#include "scenario/scenario.h"

/* What a gait file says that a problem keeps in another form; the tables of gait_fields.c fill it. */
typedef struct pki_gait_settings {
  double gravity[3]; /* m/s^2 */
  pki_motion_closure closure;
  pki_motion_scheme scheme;
  bool planar, motor_lines;
  double speed;       /* m/s */
  double clearance;   /* m */
  double least_force; /* share of the weight */
  /* ground */
  double friction, friction_share, spin_friction, slope;
  /* stability */
  double tip_speed, least_stability;
  int tip; /* 0: horizontal, 1: perpendicular */
  pki_motion_objective objective;
  /* solver */
  double tolerance;
  int iterations;
  bool plane_first;
  /* grid */
  double grid_tolerance;
  int grid_rounds, most_intervals;
  /* gait: phases from a pattern */
  pk_gait pattern;
  double duty, lag, slack;
  int intervals;
  int landing; /* 0: impact, 1: soft */
} pki_gait_settings;

typedef struct pki_gait_file {
  pki_document *document; /* names and nodes point into it */
  char file[PKI_PATH_MAX];
  char name[64], description[512];
  pki_gait_settings settings;
  bool patterned;         /* its phases come from `gait` */
  pki_scenario *scenario; /* its model alone on a plane: where the section `model` was read */
  pk_model *model;        /* of the problem: root chain or fixed */
  pki_motion_problem problem;
  uint64_t hash; /* of the problem's numbers and of the model, without names and the number of iterations */
} pki_gait_file;

/* gaits/, PRONK_GAITS. */
extern const pki_yaml_kind pki_gait_kind;

/* Read one from text or from a file, with overrides "a.b=c"; with all that is wrong. On failure *out is NULL. */
pk_status pki_gait_file_parse(const char *file, const char *text, size_t size, const char *const *sets,
                              int nset, pki_gait_file **out, pki_problems *problems);
pk_status pki_gait_file_load(const char *path, const char *const *sets, int nset, pki_gait_file **out,
                             pki_problems *problems);
void pki_gait_file_destroy(pki_gait_file *gait);

/* A YAML file with one of the keys `feet`, `phases`, `gait` and `closure`, which no scenario has. */
bool pki_is_gait_file(const char *path);

/* ---- the tables, for the schema and the documentation's test ---- */

/* A table of keys: the mapping's name and what it is. The first is the whole file. False: there are no more. */
bool pki_gait_table(int index, pki_schema_table *out);

/* ---- parts, each in a file of its own ---- */

/* gait_model.c: the model, the problem's defaults, the standing pose and the feet. */
void pki_gait_read_model(pki_gait_file *gait, const char *text, size_t size, const char *const *sets,
                         int nset, pki_problems *problems);

/* gait_phases.c: `phases`. gait_pattern.c: `gait`. */
void pki_gait_read_phases(pki_gait_file *gait, const pki_node *list, pki_problems *problems);
void pki_gait_make_phases(pki_gait_file *gait, const pki_node *node, pki_problems *problems);

/* gait_joints.c: `limits`, `motors`, `lock`, `start`, `end`. */
void pki_gait_read_joints(pki_gait_file *gait, pki_problems *problems);

/* gait_gaps.c: `gaps`. */
void pki_gait_read_gaps(pki_gait_file *gait, pki_problems *problems);

/* gait_design.c: `design`, after motors, whose gears it may set. */
void pki_gait_read_design(pki_gait_file *gait, pki_problems *problems);
/* The entry that a field "design[2].joints" of the problem is about; NULL: none. */
const pki_node *pki_gait_design_node(const pki_gait_file *gait, const char *field);

/* gait_numbers.c: all else, and a number that may be a range: [least, most], or both the same. NULL: left as it is. */
void pki_gait_read_numbers(pki_gait_file *gait, pki_problems *problems);
void pki_gait_read_range(const pki_node *node, double lowest, double *least, double *most,
                         pki_problems *problems);

/* The coordinates of a name or pattern: velocity indices of all joints that match; x, y, z, roll, pitch and yaw are those of
 * the trunk. Returns how many; 0 after a problem at `node` with the nearest name. */
int pki_gait_find_coordinates(const pki_gait_file *gait, const pki_node *node, const char *pattern,
                              int out[PKI_MOTION_DOFS], pki_problems *problems);

/* The name of a coordinate: x, y, z, roll, pitch, yaw of the trunk, or its joint's. */
const char *pki_gait_coordinate_name(const pk_model *model, int dof);

/* How many coordinates of the trunk come first: 6 with a chain, 0 of a fixed robot. */
int pki_gait_trunk(const pk_model *model);

#endif
