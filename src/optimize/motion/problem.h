/* What a motion is to be: the problem that the optimiser of motions solves.
 *
 * A motion is a list of phases. In each a set of feet stands on the ground; a foot that stands in a phase and not in the one before
 * touches down between them, inelastically, (7) of Hardt and von Stryk (2003). Phases last as long as the optimiser likes, within bounds.
 * The motion closes on itself (`cycle`), closes on its mirror image (`half`, left and right exchanged: half a cycle of a symmetric
 * gait), or leads from one state to another (`once`).
 *
 * The robot is a tree of hinges and sliders; a free trunk is PK_ROOT_CHAIN: x, y, z, then angles about x, y, z, whose rates are its velocities. So
 * dq/dt = v holds coordinate by coordinate, and attitudes are limited to pitches between -90 and 90 degrees. */
#ifndef PKI_OPTIMIZE_MOTION_PROBLEM_H
#define PKI_OPTIMIZE_MOTION_PROBLEM_H

#include "base/error.h"
#include "pronk/model.h"

enum {
  PKI_MOTION_FEET = 8,
  PKI_MOTION_PHASES = 32,
  PKI_MOTION_NAME = 64,
  PKI_MOTION_DOFS = 64,
  PKI_MOTION_STAGES = 16,
  PKI_MOTION_GAPS = 32,
  PKI_MOTION_DESIGNS = 16
};

typedef enum pki_motion_closure { PKI_MOTION_ONCE, PKI_MOTION_CYCLE, PKI_MOTION_HALF } pki_motion_closure;

/* How controls go between the points of the grid: linear is (14) of the paper; Hermite-Simpson has a value of its own in the middle. */
typedef enum pki_motion_scheme { PKI_MOTION_LINEAR, PKI_MOTION_HERMITE_SIMPSON } pki_motion_scheme;

/* Where a robot may touch the ground. */
typedef struct pki_motion_foot {
  char name[PKI_MOTION_NAME]; /* of its link */
  int body;                   /* that carries it */
  double at[3];               /* m, in the body: centre of the ball, or middle of the sole */
  double radius;              /* m, of a ball that rolls; 0: a point */
  bool area;                  /* a sole that lies flat; its z axis is that of the link */
  double length, width;       /* m, of a sole */
  double rot[9];              /* of the sole's frame in the body */
  double stand[3]; /* m: where it touches in the standing pose, world axes; by pki_motion_validate */
  double ankle;    /* N m: a foot without mass on the ground whose motor turns the leg about y; 0: none */
} pki_motion_foot;

typedef struct pki_motion_phase {
  char name[PKI_MOTION_NAME];
  unsigned stance;                 /* bits of feet that stand */
  int intervals;                   /* of the first grid; at least 1 */
  double shortest, longest, guess; /* s */
  bool crossing;                   /* it ends when the mass is above the diagonal edge of its two feet */
  bool soft;                       /* feet that touch down at its start arrive without speed: no impact */
} pki_motion_phase;

/* A motor as energies and the torque-speed line need it. */
typedef struct pki_motion_motor {
  double resistance; /* ohm; NAN: not known, and so is its heat */
  double constant;   /* N m/A, of the motor */
  double gear;       /* motor turns per joint turn */
  double efficiency; /* of the gear, 0 to 1 */
  double speed;      /* rad/s of the joint without load, at the voltage; INFINITY: no line */
  double stall;      /* N m at the joint without speed, at the voltage */
  double
      inertia; /* kg m^2, of the rotor; it counts where the gear or a series spring is a design parameter */
  double damping; /* N m s/rad at the rotor; likewise */
  double peak;    /* N m at the joint, by the largest current and the voltage; 0: no limit */
  double effort;  /* N m at the joint, largest whatever the motor is; 0: no limit */
} pki_motion_motor;

/* What a design parameter is; docs/theory/optimisation.md has the equations. */
typedef enum pki_design_kind {
  PKI_DESIGN_PARALLEL_STIFFNESS, /* N m/rad, of a spring beside the motor */
  PKI_DESIGN_PARALLEL_REST,      /* rad, where that spring is slack */
  PKI_DESIGN_SERIES_STIFFNESS,   /* N m/rad, of a spring between the gear and the joint */
  PKI_DESIGN_GEAR,               /* turns of the rotor for one of the joint */
  PKI_DESIGN_LENGTH,             /* of the link behind the joint, over the model's (link_lengths.h) */
  PKI_DESIGN_KINDS
} pki_design_kind;

/* A number of the robot that the optimiser chooses together with the motion: one value for all joints that it has. */
typedef struct pki_motion_design {
  pki_design_kind kind;
  char name[PKI_MOTION_NAME]; /* of its joints, for messages and reports */
  int sign[PKI_MOTION_DOFS]; /* 0: it is none of this joint; -1: a rest angle counts with the opposite sign */
  bool constant_mass;        /* of a length: the link's mass does not grow with it */
  double lower, upper, start; /* in its unit */
  double
      scan; /* share of the value (of a rest angle, rad) by which it is changed to see how flat the optimum is; 0: none */
} pki_motion_design;

/* A ball on the robot that keeps its distance from the ground, or from another ball on it. */
typedef struct pki_motion_gap {
  char name[PKI_MOTION_NAME]; /* of its links, for messages */
  int body[2];                /* that carry the balls; the second -1: the ground */
  double at[2][3];            /* m: centres of the balls in them */
  double least;               /* m: height of the centre, or distance of both centres */
} pki_motion_gap;

/* The weights of what is minimised; each has its unit, see docs/theory/optimisation.md. */
typedef struct pki_motion_objective {
  double torque;  /* integral of the sum of tau^2 */
  double joule;   /* J_e1: Joule heat of the motors for each metre */
  double work;    /* J_e2: specific resistance, by |tau theta'| */
  double time;    /* the time of the motion */
  double polygon; /* J_s1: integral of the squared distance of the mass from the point where the forces act */
  double stability;    /* J_s2: the negative of the least S_H */
  double acceleration; /* integral of the sum of a^2 of the joints, for smoothness */
} pki_motion_objective;

typedef struct pki_motion_problem {
  char name[PKI_MOTION_NAME];
  const pk_model *model; /* root PK_ROOT_CHAIN or fixed; not owned */
  pki_motion_foot feet[PKI_MOTION_FEET];
  int nfoot;
  pki_motion_phase phases[PKI_MOTION_PHASES];
  int nphase;
  pki_motion_gap gaps[PKI_MOTION_GAPS];
  int ngap;
  pki_motion_design designs[PKI_MOTION_DESIGNS];
  int ndesign;
  pki_motion_closure closure;
  pki_motion_scheme scheme;

  /* the robot; [nu] of the model, all in its coordinates */
  double pose[PKI_MOTION_DOFS]; /* rad, m: a good standing pose, for the first guess */
  double q_lower[PKI_MOTION_DOFS], q_upper[PKI_MOTION_DOFS]; /* rad, m */
  double v_upper[PKI_MOTION_DOFS];                           /* rad/s, m/s */
  double tau_upper[PKI_MOTION_DOFS];                         /* N m, N; 0: no motor; INFINITY: no limit */
  double rate_upper[PKI_MOTION_DOFS];                        /* N m/s: of the torque; INFINITY: no limit */
  bool locked[PKI_MOTION_DOFS];                              /* the coordinate keeps the value of `pose` */
  pki_motion_motor motor[PKI_MOTION_DOFS];
  bool motor_lines;          /* torques stay below the lines of their motors */
  bool planar;               /* motion in x and z alone: what does not lie in that plane is locked */
  int along, across, height; /* coordinates of the trunk along x, y and z; -1: none; by pki_motion_validate */

  /* state at the ends, where it is given; NAN: free. x and y of the root are relative. */
  double q_start[PKI_MOTION_DOFS], q_end[PKI_MOTION_DOFS];
  double v_start[PKI_MOTION_DOFS], v_end[PKI_MOTION_DOFS];

  /* of the whole cycle, NAN: free */
  double speed;                           /* m/s along x */
  double stride_shortest, stride_longest; /* m, of a whole cycle; NAN: free */
  double period_shortest, period_longest; /* s, of a whole cycle; NAN: free */

  /* the ground */
  double friction;       /* Coulomb's coefficient; INFINITY: feet never slip */
  double friction_share; /* of the cone that forces of the plan use, 0 to 1; the rest is a controller's */
  double spin_friction;  /* m: largest moment about the normal of a sole, for each N; (6) */
  double slope;          /* rad, the ground rises along x by tan(slope) */
  double clearance;      /* m, that feet in the air keep in the middle of their swing */
  double least_force;    /* share of the weight that every standing foot carries at least; 0: none */

  /* stability */
  double tip_speed;       /* m/s, v_tip of H_max */
  bool tip_perpendicular; /* H_max with the speed along e x r instead of horizontal */
  double least_stability; /* kg m^2/s, least S_H where it is constrained; NAN: not */

  pki_motion_objective objective;

  /* the solver and the grid */
  double tolerance; /* of the solver; scaled */
  double
      grid_tolerance; /* largest relative error of the interpolants on an interval; INFINITY: the grid stays */
  int grid_rounds;    /* refinements at most */
  int most_intervals; /* in all */
  int iterations;     /* of the solver for each problem */
  bool plane_first;   /* gaits in space begin with the same gait in the plane */
} pki_motion_problem;

/* A problem in which everything has its default: no phases, no feet; limits and motors of the model, free ends. */
void pki_motion_problem_default(pki_motion_problem *problem, const pk_model *model);

/* The link as a foot: its ball or box that collides. PK_ERROR_NAME: there is no such link; PK_ERROR_ARGUMENT: it has no such shape;
 * PK_ERROR_LIMIT: there are PKI_MOTION_FEET already. */
pk_status pki_motion_add_foot(pki_motion_problem *problem, const char *link, pk_error *err);

/* The point `at` of a link keeps at least this height, or this distance from the point `other_at` of the link `other`. `other` NULL: the ground.
 * PK_ERROR_NAME: there is no such link. */
pk_status pki_motion_add_gap(pki_motion_problem *problem, const char *link, const double at[3],
                             const char *other, const double other_at[3], double least, pk_error *err);

/* "LF_HAA", "pitch": the name of a coordinate. */
const char *pki_motion_dof_name(const pk_model *model, int dof);

/* Everything that can be said without solving: phases, feet, limits, closure, a mirror image where it is needed. Fills in where feet
 * stand and what is locked in the plane. */
pk_status pki_motion_validate(pki_motion_problem *problem, pk_error *err);

/* The mirror image in the plane y = 0: coordinate k becomes sign[k] times coordinate to[k]; foot i becomes foot_to[i]. PK_ERROR_ARGUMENT: the
 * robot has none, with the joint that has no counterpart. */
typedef struct pki_motion_mirror {
  int to[PKI_MOTION_DOFS];
  double sign[PKI_MOTION_DOFS];
  int foot_to[PKI_MOTION_FEET];
} pki_motion_mirror;
pk_status pki_motion_find_mirror(const pki_motion_problem *problem, pki_motion_mirror *out, pk_error *err);

/* The images of a set of feet, as bits. */
unsigned pki_motion_mirror_feet(const pki_motion_mirror *mirror, int nfoot, unsigned feet);

#endif
