/* The files of a motion: what controllers follow, and a scenario that runs it. */
#ifndef PKI_OPTIMIZE_FILES_MOTION_FILES_H
#define PKI_OPTIMIZE_FILES_MOTION_FILES_H

#include "base/text.h"
#include "optimize/files/motion_course.h"
#include "report/table.h"

/* motion.csv: the whole motion, for the controller `follow` (docs/formats/motion.md). */
pk_status pki_motion_csv_save(const pki_course *course, const char *path, pk_error *err);

/* track.txt: joint angles alone, for `track`, `computed-torque` and `whole-body` (docs/formats/track.md). */
pk_status pki_motion_track_save(const pki_course *course, const char *path, pk_error *err);

/* scenario.yaml: the robot at the start of the motion, on the ground of the problem, following motion.csv beside it; of one that is
 * fixed in the world following track.txt. */
pk_status pki_motion_scenario_save(const pki_course *course, const char *path, pk_error *err);

/* summary.json; `solution` has the ladder. */
pk_status pki_motion_summary_save(const pki_course *course, const pki_motion_solution *solution,
                                  const char *path, pk_error *err);

/* The problems of the ladder: sizes, iterations, seconds, how each ended. */
void pki_motion_ladder_table(const pki_motion_solution *solution, pki_table *out);

/* Design parameters: values, slopes, and what the problems cost that were solved again beside the optimum. The list "design" of summary.json. */
void pki_design_table(const pki_motion_problem *problem, const pki_motion_solution *solution, pki_table *out);
void pki_design_json(const pki_motion_problem *problem, const pki_motion_solution *solution, pki_text *out);
/* What changes for each unit of a parameter, between the two problems beside the optimum; NAN: one was not solved. */
double pki_design_rate(const pki_design_result *design, double below, double above);

/* report.html. */
pk_status pki_motion_report_save(const pki_course *course, const pki_motion_solution *solution,
                                 const char *path, pk_error *err);

/* What came of a motion, in numbers. */
typedef struct pki_motion_figures {
  double speed;             /* m/s along x */
  double cost_of_transport; /* work |tau v| for each weight and metre */
  double joule_cost;        /* J_e1 / (m g), without a unit */
  double froude;            /* v^2 / (g h), h the height of the trunk in the standing pose */
  double duty[PKI_MOTION_FEET];
  double peak_torque[PKI_MOTION_DOFS], rms_torque[PKI_MOTION_DOFS], peak_speed[PKI_MOTION_DOFS];
  double clearance;     /* m, largest height of a swinging foot, the least of all feet */
  double friction_used; /* largest |ft| / fz */
  double stability;     /* least S_H; NAN: fewer than two feet stand somewhere, or none was computed */
} pki_motion_figures;
pki_motion_figures pki_motion_figures_of(const pki_course *course);

/* A word for how a stage ended, and one for how a closure and a scheme are called. */
const char *pki_nlp_end_word(pki_nlp_end end);
const char *pki_motion_closure_word(pki_motion_closure closure);
const char *pki_motion_scheme_word(pki_motion_scheme scheme);

#endif
