/* A motion as a nonlinear program: direct collocation of the inverse dynamics.
 *
 * Every phase has intervals; every interval two nodes and a middle. At each of these points there are variables
 *
 *   q, v, a, tau, and the forces f of the feet that stand
 *
 * and rows, with s the interval's share of its phase's duration T:
 *
 *   M a + h - B tau - sum J_i' f_i = 0         inverse dynamics, instead of accelerations by forward dynamics
 *   d(J_i v)/dt = 0                            feet that stand; J_i v = 0 and their height once, where they touch down
 *   x1 - x0 = s T/6 (f0 + 4 fm + f1)           x = q and v, f = v and a: the cubic (14) through both ends
 *   xm = (x0 + x1)/2 + s T/8 (f0 - f1)           with its slope in the middle
 *   tau_m = (tau_0 + tau_1)/2                  controls that are linear; left out by Hermite-Simpson
 *
 * Friction cones, limits, heights of swinging feet and S_H hold at all points. Between phases positions are the same, and velocities jump
 * where a foot touches down: M (v+ - v-) = sum J_i' P_i, J_i v+ = 0 for the feet that stand afterwards. docs/theory/optimisation.md has the rest. */
#ifndef PKI_OPTIMIZE_MOTION_PROGRAM_H
#define PKI_OPTIMIZE_MOTION_PROGRAM_H

#include "optimize/motion/design.h"
#include "optimize/motion/grid_functions.h"
#include "optimize/motion/robot_functions.h"
#include "optimize/nlp/nlp.h"

/* How phases are divided. */
typedef struct pki_motion_grid {
  int intervals[PKI_MOTION_PHASES];
  double *share[PKI_MOTION_PHASES]; /* [intervals] of the phase's duration, 1 together */
} pki_motion_grid;

pk_status pki_motion_grid_even(const pki_motion_problem *problem, pki_motion_grid *out, pk_error *err);
void pki_motion_grid_free(pki_motion_grid *grid);
double pki_motion_grid_at(const pki_motion_grid *grid, int phase, int point); /* 0 to 1 within the phase */
double pki_motion_grid_weight(const pki_motion_grid *grid, int phase,
                              int point); /* of Simpson's rule, 1 together */

/* First variables of a point; -1: none. */
typedef struct pki_point_variables {
  int q, v, a, tau, power;
  int series; /* of each joint with a series spring: tau', tau'', torque and speed of the rotor */
  int force[PKI_MOTION_FEET];
} pki_point_variables;

/* A boundary b is the start of phase b; boundary nphase is the end, at which a motion that closes begins again. */
typedef struct pki_boundary_variables {
  unsigned landing,
      standing; /* feet that touch down there; that stand after it. In the names of the feet before it. */
  bool jump;    /* velocities are not continuous */
  int after;    /* velocities after it */
  int impulse[PKI_MOTION_FEET];
} pki_boundary_variables;

typedef struct pki_motion_program {
  const pki_motion_problem *problem;
  const pki_motion_robot *robot;
  const pki_grid_functions *small;
  const pki_motion_grid *grid;
  pki_motion_mirror mirror; /* the identity where the motion does not close on its image */
  pki_nlp *nlp;
  pki_point_variables *points[PKI_MOTION_PHASES]; /* [2 intervals + 1] */
  pki_boundary_variables boundaries[PKI_MOTION_PHASES + 1];
  int duration[PKI_MOTION_PHASES];
  int distance;                                 /* along x, of the motion that is solved */
  int stability;                                /* p_1; -1: none */
  int design[PKI_MOTION_DESIGNS];               /* [problem->ndesign] */
  int nseries, series[PKI_MOTION_DOFS];         /* motors, as of robot->motor, behind series springs */
  int series_of[PKI_MOTION_DOFS];               /* [nmotor] which of these; -1: none */
  pki_nlp_function *edges[PKI_MOTION_PHASES];   /* owned; NULL: not asked for */
  pki_nlp_function *polygon[PKI_MOTION_PHASES]; /* likewise */
  double force_scale, torque_scale, time_scale, momentum_scale;
} pki_motion_program;

/* The program at its first values: bounds, scales and rows, every variable at zero. */
pk_status pki_motion_program_create(const pki_motion_problem *problem, const pki_motion_robot *robot,
                                    const pki_grid_functions *small, const pki_motion_grid *grid,
                                    pki_motion_program **out, pk_error *err);
void pki_motion_program_destroy(pki_motion_program *program);

int pki_motion_points(const pki_motion_grid *grid, int phase); /* 2 intervals + 1 */

/* A coordinate is a travel, in m; otherwise an angle. */
bool pki_motion_is_travel(const pk_model *model, int dof);
/* The unit of its equation of motion: force_scale or torque_scale. */
double pki_motion_effort_scale(const pki_motion_program *program, int dof);

/* ---- parts, each in its file ---- */

/* Rows that feet and joints have at every point, and within intervals (program_points.c). */
void pki_motion_add_points(pki_motion_program *program);
/* Touchdowns, closure, ends, distance and time (program_ends.c). */
void pki_motion_add_ends(pki_motion_program *program);
/* What is minimised, and the rows of S_H (program_objective.c). */
pk_status pki_motion_add_objective(pki_motion_program *program, pk_error *err);

/* Design parameters (program_design.c): which motors are behind springs; variables of the whole and of a point; what they add to the equations of
 * motion, whose rows are `out`, and to those of impacts; limits of motors whose gear is chosen; rows of springs at a point, within an
 * interval and between phases. */
void pki_motion_find_series(pki_motion_program *program);
void pki_motion_add_design_variables(pki_motion_program *program);
void pki_motion_add_series_variables(pki_motion_program *program, int phase, int point);
void pki_motion_add_design_forces(pki_motion_program *program, const pki_point_variables *at, const int *out);
void pki_motion_add_design_impact(pki_motion_program *program, int before, int after, const int *out);
void pki_motion_add_drives(pki_motion_program *program, int phase, int point);
void pki_motion_add_series_interval(pki_motion_program *program, int phase, int interval);
void pki_motion_add_series_boundary(pki_motion_program *program, int boundary,
                                    const pki_point_variables *before, const pki_point_variables *after);
/* Design parameters and what is behind springs at their first values (program_design.c). */
void pki_motion_guess_design(const pki_motion_program *program);
void pki_motion_guess_series(const pki_motion_program *program, const pki_point_variables *at);
/* The values of the parameters in the program's x (program_design.c). */
void pki_motion_read_design(const pki_motion_program *program, double values[PKI_MOTION_DESIGNS]);

/* The variables of a motor's torque and speed, seen at the joint: those of the joint unless there is a spring between them. */
int pki_motor_torque(const pki_motion_program *program, const pki_point_variables *at, int motor);
int pki_motor_speed(const pki_motion_program *program, const pki_point_variables *at, int motor);
/* The variable of a parameter of a coordinate; -1: it is none (program_design.c). */
int pki_motion_design_variable(const pki_motion_program *program, pki_design_kind kind, int dof);

/* The cubic of one coordinate: x from its rate f (program_points.c). */
void pki_motion_add_cubic(pki_motion_program *program, int phase, int interval, const int x[3],
                          const int f[3], pki_nlp_label label, double scale);
/* One more variable with its bounds (program.c). */
int pki_motion_variable(pki_motion_program *program, pki_nlp_label label, double lower, double upper,
                        double scale);

/* One more row, all of whose terms follow; its number. */
int pki_motion_row(pki_motion_program *program, pki_nlp_label label, double lower, double upper,
                   double scale);
/* A function of the robot, with the lengths that are chosen as its last inputs. */
void pki_motion_add_term(pki_motion_program *program, const pki_nlp_function *f, const int *in,
                         const double *parameter, const int *out);
/* row += factor * variable */
void pki_motion_add_linear(pki_motion_program *program, int row, double factor, int variable);
/* The force or impulse within its friction cone; `unit` is its scale (program_points.c). */
void pki_motion_add_cone(pki_motion_program *program, pki_nlp_label label, int force, double unit);
/* The moment of a sole, or its turning impulse, within what its area can give; `force` is its first component (program_points.c). */
void pki_motion_add_sole(pki_motion_program *program, pki_nlp_label label, int foot, int q, int force,
                         double unit);
/* The variables of a foot's chain, from the first one of q, v or a, to `in`; how many. */
int pki_motion_chain(const pki_motion_program *program, int foot, int first, int *in);
/* The components of a contact's velocity that count, as bits: in the plane fewer. */
unsigned pki_motion_contact_rows(const pki_motion_program *program, int foot);
/* All of these variables are fixed by their bounds. */
bool pki_motion_all_fixed(const pki_motion_program *program, const int *in, int count);
/* Weight of the robot, N. */
double pki_motion_weight(const pki_motion_program *program);

#endif
