/* A motion as it was found: its points in time, what holds there, and what the solver needs to start from it again. */
#ifndef PKI_OPTIMIZE_MOTION_SOLUTION_H
#define PKI_OPTIMIZE_MOTION_SOLUTION_H

#include "optimize/motion/problem.h"
#include "optimize/nlp/nlp.h"
#include "pronk/dynamics.h"

/* One point of the grid: a node, or the middle of an interval. */
typedef struct pki_motion_point {
  double time; /* s, from the start of the motion */
  int phase;
  bool middle; /* of an interval */
  double q[PKI_MOTION_DOFS], v[PKI_MOTION_DOFS], a[PKI_MOTION_DOFS], tau[PKI_MOTION_DOFS];
  /* torque and speed of the rotors, seen at the joints: tau and v but for joints behind series springs */
  double motor_tau[PKI_MOTION_DOFS], motor_v[PKI_MOTION_DOFS];
  double force[PKI_MOTION_FEET][3]; /* N, axes of the ground; zero in the air */
  double moment[PKI_MOTION_FEET]
               [3]; /* N m, axes of the ground: of soles about their middle, of ankle motors about y */
} pki_motion_point;

/* What a touchdown does. */
typedef struct pki_motion_impact {
  double time;
  double impulse[PKI_MOTION_FEET][3]; /* N s */
} pki_motion_impact;

/* How one problem of the ladder ended. */
typedef struct pki_motion_stage {
  char name[PKI_MOTION_NAME];
  int variables, rows, intervals, jacobian, hessian; /* of the program: sizes, entries */
  pki_nlp_result result;
  char worst
      [200]; /* the largest violation: what, of which part, phase, time; "" when it is below the tolerance */
  double grid_error; /* largest estimated error of an interval */
} pki_motion_stage;

/* One iteration, for the report. */
typedef struct pki_motion_iteration {
  int stage;
  double objective, violation, dual, seconds;
} pki_motion_iteration;

/* What a motion costs, and how far it is from its limits. */
typedef struct pki_motion_costs {
  double objective;
  double joule, work, torque; /* J_e1 in J/m (NAN: a motor is not known), J_e2, integral of tau^2 */
  double
      line_margin; /* least distance from a torque-speed line, as a share of its stall torque; NAN: there is none */
  double torque_margin; /* least of 1 - |tau|/limit; NAN: no torque has a limit */
} pki_motion_costs;

/* A design parameter as it was found, and what depends on it. */
typedef struct pki_design_result {
  double value;
  double slope; /* of the least objective by the parameter, all else chosen anew */
  double at[2]; /* values below and above it with which the problem was solved again; NAN: none */
  pki_motion_costs scanned[2]; /* with these, all else chosen anew; NAN: not solved */
} pki_design_result;

typedef struct pki_motion_solution {
  int nu, nfoot, nphase;
  int npoint; /* points of the motion as it was solved: of half a cycle where closure is `half` */
  pki_motion_point *points; /* [npoint] in the order of time; at a boundary of phases both sides */
  /* [p] at the start of phase p; impulses zero: none. That of phase 0 is the one with which a motion that closes begins again. */
  pki_motion_impact impacts[PKI_MOTION_PHASES];
  double duration[PKI_MOTION_PHASES]; /* s */
  int intervals[PKI_MOTION_PHASES];
  double stride; /* m along x, of a whole cycle (of the motion where it does not repeat) */
  double period; /* s, likewise */
  double objective;
  double stability; /* least S_H, kg m^2/s; NAN: not computed */
  double joule, work,
      torque; /* J_e1 in J/m (NAN: a motor is not known), J_e2, integral of tau^2, whatever was minimised */
  double line_margin, torque_margin; /* as in pki_motion_costs */
  int ndesign;
  pki_design_result design[PKI_MOTION_DESIGNS];
  bool solved; /* the last stage, to its tolerance */
  pki_motion_stage
      stages[PKI_MOTION_STAGES * 4]; /* in the order in which they were solved; the last is the result */
  int nstage;
  pki_motion_iteration *iterations;
  int niteration;
  void *warm; /* the program's own numbers for a warm start; pki_motion_solution_free */
  size_t warm_size;
} pki_motion_solution;

void pki_motion_solution_free(pki_motion_solution *solution);

typedef struct pki_motion_options {
  /* After each iteration: which stage, its name, what the solver knows; how far it is in all, 0 to 1. False: stop, keep the best. NULL: none. */
  bool (*progress)(void *user, int stage, const char *name, const pki_nlp_progress *progress,
                   double fraction);
  /* After each stage, with what there is: to keep it for a restart. NULL: none. */
  void (*keep)(void *user, const pki_motion_solution *solution);
  void *user;
  const pki_motion_solution
      *start; /* a solution to start from, its finished stages left out; NULL: from nothing */
} pki_motion_options;

/* Solve: the ladder of problems from nothing to the one that is asked for, then the grid. PK_OK also when it was stopped or did not converge:
 * `solved` tells. Free the solution in any case. */
pk_status pki_motion_solve(const pki_motion_problem *problem, const pki_motion_options *options,
                           pki_motion_solution *out, pk_error *err);

/* Slopes and scans of the parameters of a solution that was solved (design_scan.c); by pki_motion_solve. `progress` of the options may stop it:
 * what is left is NAN. */
pk_status pki_motion_scan_designs(const pki_motion_problem *problem, const pki_motion_options *options,
                                  pki_motion_solution *solution, pk_error *err);

/* The costs of a solution. */
pki_motion_costs pki_motion_costs_of(const pki_motion_solution *solution);

/* The state at any time of the motion, by the interpolants of the scheme (v- at a touchdown belongs to the earlier phase). */
void pki_motion_state_at(const pki_motion_problem *problem, const pki_motion_solution *solution, double time,
                         pki_motion_point *out);

/* The same at the share s of the interval that begins at the node `node` of `points`. */
void pki_motion_between(const pki_motion_problem *problem, const pki_motion_solution *solution, int node,
                        double s, pki_motion_point *out);

/* The whole cycle: where the closure is `half`, the second half is the mirror image of the first. `out` is freed by
 * pki_motion_solution_free; its phases are twice as many. */
pk_status pki_motion_whole_cycle(const pki_motion_problem *problem, const pki_motion_solution *half,
                                 pki_motion_solution *out, pk_error *err);

/* S_H of a state on standing feet, by the measures of pronk/stability.h: of each edge, and their least. */
typedef struct pki_motion_edges {
  int count;
  double S[8], H[8], H_ref[8], H_max[8];
  bool diagonal[8];
  double least; /* NAN: fewer than two feet stand */
} pki_motion_edges;
void pki_motion_stability(const pki_motion_problem *problem, pk_workspace *w, const pki_motion_point *point,
                          unsigned stance, pki_motion_edges *out);

/* Where a foot touches, in the state of the workspace (pk_kinematics_compute); world. */
void pki_motion_place_foot(const pki_motion_problem *problem, const pk_workspace *w, int foot, double out[3]);

#endif
