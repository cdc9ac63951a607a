/* Motions for tests of the optimiser: robots with a chain as their root, problems of several kinds, and programs of them. */
#ifndef PK_TESTS_MOTION_PROBLEMS_H
#define PK_TESTS_MOTION_PROBLEMS_H

#include "optimize/motion/program.h"
#include "pronk/dynamics.h"

/* models/NAME/NAME.urdf; a free root is a chain. The test fails when it is not there. */
pk_model *chain_model(const char *name);

/* The coordinate of a joint; its value in the standing pose. */
int coordinate_of(const pk_model *model, const char *joint);
void set_pose(pki_motion_problem *problem, const char *joint, double value);

/* Four feet LF, RF, LH, RH under the hips of sony_quadruped or starleth; no phases. */
void stand_sony(pki_motion_problem *problem, const pk_model *model);
void stand_starleth(pki_motion_problem *problem, const pk_model *model);
/* Two feet, L and R, of five_link_biped, points with ankle motors; soles of hardt_biped. No phases. */
void stand_five_links(pki_motion_problem *problem, const pk_model *model);
void stand_hardt(pki_motion_problem *problem, const pk_model *model);

/* Half a cycle of the amble: the left feet, then the diagonal LF RH until the mass is above it, and after. */
void amble(pki_motion_problem *problem, int intervals);
/* A phase more. */
void add_phase(pki_motion_problem *problem, unsigned stance, int intervals, double shortest, double longest);

/* The step of RABBIT's biped: 0.5 m in 0.7 s, least integral of squared torques. */
void five_link_step(pki_motion_problem *problem, const pk_model *model, int intervals);

/* Jacobian [6][nu] of a foot's contact in the state of the workspace, turn then velocity of the point that touches, and the rates of both for
 * accelerations a (NULL: none): by those of its link. */
void contact_jacobian(const pki_motion_problem *problem, const pk_workspace *w, int foot, double *J);
void contact_acceleration(const pki_motion_problem *problem, pk_workspace *w, int foot, const double *v,
                          const double *a, double out[6]);

/* A program with all that it needs, at its first guess. */
typedef struct built_motion {
  pki_motion_problem problem;
  pki_motion_robot *robot;
  pki_grid_functions small;
  pki_motion_grid grid;
  pki_motion_program *program;
} built_motion;
/* In place, because the program points to its problem; `grid` NULL: the first one. */
void build_motion(built_motion *motion, const pki_motion_problem *problem, const pki_motion_grid *grid);
void free_motion(built_motion *motion);

#endif
