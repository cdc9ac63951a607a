/* A step on lanes: several worlds of one model at once, each in a lane of its own; a sim alone is a group of one.
 *
 *   gather        states, commands, warm starts of the worlds into lanes
 *   actuate       command forces as lines a - g u_E, limits, joint friction; pushes
 *   free velocity u_f = u + inv(M~) dt (forces - h), M, h at q_M = q (+) dt/2 u (Moreau) or q (Euler)
 *   collide       feet (balls at the ends of legs) on a plane or a height field are tested on lanes. All other shapes are
 *                 covered by capsules, balls and boxes, and pairs of covers that are near are handed to the narrow phase, lane by lane
 *   rows          J, Y = inv(L') J', Z = inv(D) Y, W = Y' Z of the active set: contacts, joint limits, friction, saturated commands
 *   impulses      what velocities would break joins the active set, the problem is solved, and again
 *   advance       q_E = q_M (+) reach u_E
 *   project       what is below zero at q_E is moved out by the shortest way in the measure of M~
 *   scatter       states, impulses and what pairs of shapes remember back to the worlds
 *
 * Control flow is that of the group, and what is not meant for a lane is masked. A contact that is not in a world's active set has
 * r = 0 there (and, but for feet, rows of exact zeros), and a world that has met its tolerance changes no more. So a world comes out the same
 * whatever worlds the other lanes hold, and however many lanes there are. Contacts of each lane are compacted into slots: feet have slots
 * of their own, others take the next free one in the order in which they join.
 *
 * Impulses are found by sweeps where only feet are active, and by Newton on active sets (kernels/newton.h). A lane in which neither
 * meets the tolerance is solved by the scalar solvers from its own W, and goes on in its lane if they meet it. A command beyond its
 * limits is pinned there, and becomes a row where it would come back; friction of a joint that slides is a constant force, and becomes a
 * row where the joint would turn round. What has no place in slots (more contacts than there are slots, a fast thin shape, a problem
 * that no solver meets, numbers that are not finite) leaves the lane as it was, with a reason, and the same stages make that step with
 * its rows on chains (chain_rows.h). docs/theory/batch.md tells more, and how all this is checked. */
#ifndef PKI_STEP_GROUP_H
#define PKI_STEP_GROUP_H

#include <math.h>

#include "actuation/actuation.h"
#include "collision/world/contacts.h"
#include "dynamics/kernels.h"
#include "pronk/contact.h"
#include "pronk/sim.h"
#include "step/follow.h"

/* Most that lanes take: feet, contact slots, box rows, unknowns of a path, velocities, covers and their pairs, contacts near
 * one another in one lane, pairs of shapes for the narrow phase, limbs. */
enum {
  PKI_BALLS = 8,
  PKI_SLOTS = 24,
  PKI_BOXES = 32,
  PKI_PATH = 16,
  PKI_GROUP_NU = 64,
  PKI_COVERS = 96,
  PKI_COVER_PAIRS = 2048,
  PKI_FOUND = 48,
  PKI_LANES_MOST = 8,
  PKI_CANDIDATES = PKI_COVERS + PKI_COVER_PAIRS, /* room for all: one world must not fill it for another */
  PKI_LIMBS = 16
};

/* A shape that is no foot: within a capsule, or a box. */
typedef struct pki_cover {
  int body, limb;
  bool box;
  bool low[2];      /* ends that could touch the ground: those that are not within a foot; a box: both */
  double end[2][3]; /* of the capsule's axis, in the body; of a box its centre twice */
  double radius;
  double reach;           /* m, of a ball around all of it, between the ends */
  double extent, slow;    /* m, from the body's origin to its far side; half of the ball within it */
  double rot[9], half[3]; /* of a box, in the body */
  double span[3];         /* m, how far it extends around its ends along each axis of the first body */
} pki_cover;

/* Pairs that a cover has with those of one limb, one after the other. */
typedef struct pki_cover_run {
  short cover, limb;
  int end; /* after its last pair */
} pki_cover_run;

/* What a step needs to know of a model on its ground: the same for all its worlds. */
typedef struct pki_group_plan {
  /* ---- the world ---- */

  /* Rows fit into slots. */
  bool usable;
  const pk_model *model;
  /* Whose velocities are the joint coordinates (step/joints.h): the model, or its tree. */
  const pk_model *joints;
  /* Some joint coordinates are no velocities of the model. */
  bool cut;
  /* Its actuators; NULL: commands are forces. */
  const pk_actuation *actuation;
  /* Some joint has friction. */
  bool rubs;
  /* Some joint has a spring. */
  bool springs;
  /* m, of the world (pki_scene). */
  double length;
  /* Of contact; in slots it is the hard one. */
  const struct pki_law *law;

  /* ---- the scheme ---- */

  /* s; `reach` is the time that a velocity at the end still moves the configuration. */
  double dt, reach;
  /* Moreau's scheme. */
  bool midpoint;
  /* Commands and damping at the end of the step; false: at its start. */
  bool implicit;
  /* The scheme as published: closed contacts alone, cold starts, no projection. */
  bool published;
  /* Fast shapes are met on their way. */
  bool swept;
  /* Rounds, at most, in which contact rows follow the motion (follow.h). */
  int relinearise;
  /* m, contacts that are open by more at the start have no friction in the step. */
  double landing;
  /* Motors of tracked joints give way where a contact that stood would slide. */
  bool yield;
  /* [nu of joints] kg m^2 or kg, what a joint moves in the initial pose: tracking is hard beside it. */
  const double *inertia;
  /* Of the certificate. */
  double tolerance;
  /* Most sweeps of one solve, most iterations of the scalar solvers. */
  int sweeps, iterations;

  /* ---- gaps ---- */

  /* m, contacts that velocities leave open by less join those that they break. */
  double joining;
  /* m, gaps that count as closed. */
  double touching;
  /* m, what is further apart at q_M is not looked at (FASTEST in group_plan.c); the same of feet on the ground, which cost little. */
  double near, feet_near;
  /* m, depth that is left alone, and depth that is projected more often. */
  double allowed, deep;

  /* ---- joint limits ---- */

  /* [nlimit] joint coordinates whose limits count. */
  int *limit, nlimit;
  /* [nlimit] what a unit of theirs is beside a metre: the world's length for an angle, 1 for a travel. */
  double *arm;

  /* ---- unknowns that move bodies; from here on for slots alone ---- */

  /* [nbody] the unknowns that move a body, as bits. */
  uint64_t *chain;
  /* [nu] the unknowns behind an unknown, which move a part of what it moves, as bits. */
  uint64_t *below;
  /* [nu] the body that a velocity moves. */
  int *dof_body;
  /* Bodies move against each other by hinges alone. */
  bool hinged;
  /* The first one is free: the trunk. */
  bool free;
  /* [nbody] m/rad or 1: how far a body's joint moves whatever hangs on it, at most. */
  double *swing;
  /* m/rad, how far any cover moves against the trunk when all joints turn, at most. */
  double swing_most;

  /* ---- feet: balls at the ends of legs ---- */

  int nball;
  /* Their bodies and shapes. */
  int body[PKI_BALLS], shape[PKI_BALLS];
  /* m, in the body. */
  double centre[PKI_BALLS][3], radius[PKI_BALLS];
  /* m, from the body's origin to the foot's far side. */
  double extent[PKI_BALLS];
  /* On the ground. */
  double friction[PKI_BALLS];
  /* [PKI_BALLS][depth] the unknowns that move a foot, ascending. */
  int *path, depth;
  /* How many they are; of them, those that two feet share: the first. */
  int count[PKI_BALLS], common[PKI_BALLS][PKI_BALLS];

  /* ---- the ground ---- */

  /* It is not one plane or height field: the narrow phase finds all contacts. */
  bool scan;
  /* The height field that stands for the plane, which is then above it all; NULL: none. */
  const struct pki_solid *field;
  /* m, of the height field. */
  double cell;
  /* Of the plane; `at` is a point on it. */
  double normal[3], tangent1[3], tangent2[3], at[3];
  /* Its axes are those of the world: normal z, tangents x and y. */
  bool level;
  /* Its shape, material and collider; -1: there is none. */
  int geom, material, plane;

  /* ---- other shapes ---- */

  /* [ncover] one for each collider that moves. */
  pki_cover *covers;
  int ncover;
  /* [npair] covers that may touch each other, sorted. */
  short (*pairs)[2];
  /* [npair] m/rad, how far the two move against each other when all joints between them turn, at most. */
  double *pair_swing;
  int npair;
  /* [nrun] all pairs, sorted. */
  pki_cover_run *runs;
  int nrun, nlimb;
  /* m/rad, the largest pair_swing of pairs of two limbs. */
  double limb_swing[PKI_LIMBS][PKI_LIMBS];
  /* m, radius of a ball in the thinnest of them. */
  double thin;
} pki_group_plan;

/* A world in a lane: where its data are gathered from, and where the step scatters its results. */
typedef struct pki_lane_world {
  const double *q, *u;
  const pk_command *commands;
  const double *inertia,
      *grouped;            /* [nbody][10], likewise regrouped; NULL in all worlds: what the work has */
  const double *pushes;    /* [nbody][6]; NULL: none */
  double friction;         /* factor on all coefficients */
  const double *actuation; /* [nstate] what actuators remember */
  const double *motors;    /* [nmotor][PKI_MOTOR_CONSTANTS]; NULL in all worlds: what the group has */
  double *q_next, *u_next, *tau;
  double *actuation_next;
  pki_contact *last; /* of the last step, then of this one */
  double *last_r;
  bool *last_sticks;
  int *nlast, keep;       /* keep: room for them */
  double *last_joint;     /* [PKI_JOINT_ROWS][nu] */
  bool *limited;          /* [nu] commands at their limit */
  bool *plain;            /* last_joint and limited are all zero */
  pki_remembered *memory; /* [keep] what pairs of shapes remember */
  int *nmemory;
  double *guard; /* [pki_guard_size] the last check of all shapes (below); all zero: never */
} pki_lane_world;

/* What a world remembers of the last check of all shapes: joint coordinates [nu]; how far joints may turn until some pair can be near;
 * how high the lowest shape that is no foot was above the ground; and where the trunk was, its origin [3] and quaternion [4]. */
enum { PKI_GUARD_ANGLE, PKI_GUARD_HEIGHT, PKI_GUARD_TRUNK, PKI_GUARD_MORE = PKI_GUARD_TRUNK + 7 };

static inline int pki_guard_size(const pk_model *model)
{
  return model->nu + PKI_GUARD_MORE;
}

/* How a lane's step went. */
typedef struct pki_lane_info {
  bool done;
  pk_lane_exit left;    /* why not */
  pk_status status;     /* of a step on chains */
  bool unsettled;       /* on chains: the active set did not settle */
  bool rows;            /* the active set was not empty */
  bool scalar_fallback; /* its impulses were solved by the scalar solvers */
  int rounds, sweeps, saturated;
  int relinearised, yielded; /* rounds of each */
  double tracking, slip;     /* pk_step_info */
  pk_solver solver;
  double relative;    /* residual of the certificate */
  double penetration; /* m, at the end */
} pki_lane_info;

/* The fields of pk_command as numbers. */
enum {
  PKI_COMMAND_TAU,
  PKI_COMMAND_Q,
  PKI_COMMAND_U,
  PKI_COMMAND_KP,
  PKI_COMMAND_KD,
  PKI_COMMAND_MOST,
  PKI_COMMAND_CORRECTION,
  PKI_COMMAND_NUMBERS
};
_Static_assert(sizeof(pk_command) == PKI_COMMAND_NUMBERS * sizeof(double), "a command is its numbers");

/* Kinds of joint rows. */
enum { PKI_ROW_LOWER, PKI_ROW_UPPER, PKI_ROW_FRICTION, PKI_ROW_TORQUE, PKI_JOINT_ROWS };

/* A box row of a lane: a joint limit, joint friction, or a command at its limit. */
typedef struct pki_lane_box {
  int k, kind; /* joint coordinate; PKI_ROW_LOWER and so on */
} pki_lane_box;

/* The law of a joint row: sign of its coordinate, bounds of its impulse, and what is added to its W. */
typedef struct pki_joint_row {
  double sign, lower, upper, softness;
} pki_joint_row;

/* What the row of a force law adds to the line that is in M~: clamp(a - g u, lower, upper) (actuation/force_law.h). */
enum { PKI_FORCE_A, PKI_FORCE_G, PKI_FORCE_LOWER, PKI_FORCE_UPPER, PKI_FORCE_NUMBERS };

/* `force` [PKI_FORCE_NUMBERS]: of a row of torque; friction: N m or N. */
static inline pki_joint_row pki_joint_row_of(int kind, double dt, const double *force, double friction)
{
  switch (kind) {
  case PKI_ROW_LOWER:
  case PKI_ROW_UPPER: return (pki_joint_row){kind == PKI_ROW_UPPER ? -1 : 1, 0, INFINITY, 0};
  case PKI_ROW_FRICTION: return (pki_joint_row){1, -dt * friction, dt * friction, 0};
  default:
    return (pki_joint_row){1, dt * force[PKI_FORCE_LOWER], dt * force[PKI_FORCE_UPPER],
                           1 / (dt * force[PKI_FORCE_G])};
  }
}

/* q of a joint row: v the joint's rate without impulses, `gap` of a limit, `force` as above. */
static inline double pki_joint_row_q(int kind, double v, double gap, double reach, const double *force)
{
  return kind == PKI_ROW_TORQUE     ? v - force[PKI_FORCE_A] / force[PKI_FORCE_G]
         : kind == PKI_ROW_FRICTION ? v
                                    : (kind == PKI_ROW_UPPER ? -v : v) + fmax(gap, 0) / reach;
}

/* Its first guess, from the impulse of the last step. */
static inline double pki_joint_row_guess(const pki_joint_row *row, double last)
{
  return fmin(fmax(last, row->lower), row->upper);
}

/* Two colliders that are near in some lanes. */
typedef struct pki_candidate {
  int a, b;
  unsigned lanes; /* as bits */
  double
      swing; /* m/rad, what joints that turn can take from their distance; negative: the second is the ground */
} pki_candidate;

/* Joints of a group: force laws of commands and actuators, the pieces of them that hold, joint friction. Arrays of
 * [nu of plan->joints][lanes]. */
typedef struct pki_group_joints {
  /* [nu][PKI_COMMAND_NUMBERS] as gathered; those of tracked joints as damping about the velocity that is asked for. */
  double *command;
  /* Masks: tracked joints. */
  uint64_t *tracked;
  /* How soft the tracking of a joint is: 0 is a constraint, 1 adds as much as M has. */
  double *softness;
  /* Masks: joints whose tracking has become softer in this round. */
  uint64_t *eased;
  /* Joint coordinates at q_M, then at the end. */
  double *x;
  /* [nu][PKI_LAW_NUMBERS] force laws (actuation/force_law.h). */
  double *law;
  /* The line of the law that is in M~, a - g u, and which piece of the law it is. Of a row: the line beside it, and one of the pieces
   * that the row knows; `other` is the other one. */
  double *line_a, *line_g, *piece, *other;
  /* [nu][PKI_FORCE_NUMBERS] of a row: what it adds to that line. */
  double *row;
  /* Masks: the free line of the law does not hold. */
  uint64_t *limited;
  /* Masks: those of them with the line of another piece; the others are rows. */
  uint64_t *pinned;
  /* N s, impulse at the limit in the last step. */
  double *pin;
  /* N m or N, bound of dry friction, actuators' included. */
  double *dry;
  /* Masks: joints whose friction is taken for constant, `drag` (1 or -1) times its bound; the friction of others is a row. */
  uint64_t *sliding;
  double *drag;
  /* [2][nu] masks: active lower, upper joint limits. */
  uint64_t *at_limit;
  /* [nu][2] lines a - g u of actuators that add to others, which no limit holds. */
  double *added;
  /* force - gain u: what commands within their limits, constants and, where no joint is cut, pushes do. */
  double *force, *gain;
  /* Velocities, where joints are cut. */
  double *rates;
  /* Forces of commands and actuators at the end. */
  double *tau;
} pki_group_joints;

/* Actuators of a group. Arrays of [n][lanes]. */
typedef struct pki_group_actuators {
  /* [nstate] at the start of the step, then at its end. */
  double *state;
  /* [nmotor][PKI_MOTOR_CONSTANTS] */
  double *motors;
} pki_group_actuators;

/* Which shapes that are no feet may be near (kernels/guard.h). */
typedef struct pki_group_search {
  /* [pki_guard_size][lanes] the last look at all shapes (pki_lane_world). */
  double *guard;
  /* [nbody][lanes] m, how far anything can have moved against the trunk in a step. */
  double *swung;
  /* [PKI_COVERS][2][3][lanes] of capsules, world. */
  double *ends;
  /* [PKI_COVERS][3][3] axes of boxes, world. */
  double *axes;
  /* [PKI_CANDIDATES] pairs for the narrow phase. */
  pki_candidate *candidates;
  /* [PKI_FOUND] of each lane: what pairs of shapes remember. */
  pki_remembered *memory[PKI_LANES_MOST];
} pki_group_search;

/* The scratch of a group. Arrays of numbers and masks are [n][lanes]; below only n is given. */
typedef struct pki_group {
  /* ---- what it works with ---- */

  const pki_group_plan *plan;
  /* Of the thread that works with the group. */
  pki_colliders *colliders;
  /* Materials. */
  const struct pki_scene *scene;
  pki_work *work;
  /* That the work is for: generic ones, or the model's own code. */
  const pki_kernels *dynamics;

  /* ---- configurations and velocities ---- */

  /* The state as gathered. */
  double *q, *u;
  /* [nq] q_M, q_E, and q_E after a projection that only some lanes take. */
  double *q_mid, *q_end, *q_try;
  /* [nu] Coriolis, centrifugal and gravity forces. */
  double *h;
  /* [nu] generalised forces of pushes, and of contact by a law of forces. */
  double *push;
  /* [nu] u_f, u_E. */
  double *u_free, *u_end;
  /* [nu] the move of a projection; else scratch. */
  double *move;
  /* [nu] dt times the forces that u_free comes from; on chains alone. */
  double *drive;
  pki_group_joints joint;
  pki_group_actuators actuators;

  /* ---- contacts that were found, of shapes that are no feet; lane by lane ---- */

  pki_group_search search;
  /* [PKI_FOUND] at q_M, and at the end; on chains those of the world. */
  pki_contact *found[PKI_LANES_MOST], *found_end[PKI_LANES_MOST];
  /* [PKI_FOUND] the slot of one at q_M; -1: it is not active. On chains 0: it is. */
  int *slot_of[PKI_LANES_MOST];
  /* [PKI_BALLS + PKI_FOUND] contacts followed through the step: those of feet, from PKI_BALLS on those that were found. On chains those
   * that were found begin there, too. */
  pki_followed *followed[PKI_LANES_MOST];
  /* Rows are those of the motion of the last solution, u_k, not of the start. */
  bool relinearised;
  /* [nu] u_k */
  double *u_row;

  /* ---- feet ---- */

  /* [balls] gaps at the end. */
  double *gap_end;
  /* [balls] 1: a height field's nearest side at the end is another one. */
  double *turned;
  /* [balls] masks: feet that were active, when `active` is that of positions. */
  uint64_t *took;
  /* [balls][9] inverses of their diagonal blocks of W; [balls] slip of the last sweep (contact/linear/block.c). */
  double *K, *slip;

  /* ---- contacts in slots ---- */

  /* [slots] masks: the active ones. */
  uint64_t *active;
  /* [slots][9] normal, tangents. */
  double *axes;
  /* [slots], [slots][3] at q_M. */
  double *gap, *point;
  /* [slots][nu] +1, -1 or 0: how an unknown moves the first body against the second. */
  double *sign;
  /* [nu][6] angular, linear velocity at the trunk's origin of each unknown. */
  double *screw;
  /* [slots] coefficients of friction. */
  double *mu;
  /* [slots][3] impulses, velocities, q of the problem. */
  double *r, *v, *fixed;
  /* [slots][3] m/s, what rows have beside J u when they are relinearised. */
  double *offset;
  /* [slots][3] the first guess of r; then r at the end, when r is that of positions. */
  double *impulse;
  /* [slots] masks: contacts that stick. */
  uint64_t *stuck;
  /* [slots][nu][4] */
  double *J, *Y, *Z;
  /* [slots][slots][9] */
  double *W;

  /* ---- joint rows in slots: boxes ---- */

  /* [lanes][PKI_BOXES] */
  pki_lane_box (*box)[PKI_BOXES];
  /* [boxes] masks: the active ones. */
  uint64_t *box_active;
  /* [boxes] sign of the coordinate, bounds of the impulse, what is added to W. */
  double *box_sign, *box_lower, *box_upper, *box_soft;
  /* [boxes] q, impulse, velocity. */
  double *box_q, *box_r, *box_v;
  /* [boxes] as `impulse`. */
  double *box_impulse;
  /* [boxes][nu] */
  double *box_Y, *box_Z;
  /* [boxes][boxes]; [slots][boxes][3] W of a contact and a box. */
  double *box_W, *cross;

  /* ---- a Newton step ---- */

  /* [rows][rows + 1] with the right side, in whole vectors; [rows] the unknowns. */
  double *A, *b;
  /* [slots] open 0, slip 1, stick 2. */
  double *state;

  /* ---- the problem of one lane ---- */

  /* Of the scalar solvers, for PKI_SLOTS contacts and PKI_BOXES boxes. */
  void *solver_memory;
  /* W, q, r, mu, bounds. */
  double *scalar;
  /* [rows][nu], [nu], [rows] its factors, for the observer. */
  double *observed_Y;
  /* [rows][nu], [rows] */
  int *observed_col;

  /* ---- what it tells ---- */

  /* Residual of the certificate; m, depth at the end; sweeps, Newton steps and iterations; rounds of the active set. */
  double *relative, *penetration, *sweeps, *rounds;
  /* J, what projections added to the potential energy; counted when `wants_info`. */
  double *lift;
  /* The caller reads the step's info, not only the state. */
  bool wants_info;
  /* Of lane 0's impulses, when `wants_info`. */
  pk_contact_certificate certificate;
  /* The observer of the problems of lane 0; NULL: none. */
  const struct pki_problem_observer *observer;
  /* A part of the step ends; NULL: times are not measured. */
  void (*lap)(void *user, pk_step_part part);
  void *user;
  /* [nq, nu or pki_guard_size] one lane: where lanes that are not done are written. */
  double *discard;

  /* ---- on chains (step/chain_rows.h) ---- */

  /* The world whose step it is; NULL: rows are in slots. */
  pk_sim *world;
  /* Of that step. */
  pk_step_info *info;
} pki_group;

/* Take a plan's arrays from an arena; with a counting arena this counts. */
void pki_group_plan_carve(pki_group_plan *plan, const pk_model *model, pki_arena *arena);

/* Chains need those of joint limits alone. */
void pki_group_plan_carve_limits(pki_group_plan *plan, const pk_model *model, pki_arena *arena);

/* What a sim's model, ground, materials and options give: for slots, and for chains. */
void pki_group_plan_make(pki_group_plan *plan, pk_sim *sim);
void pki_group_plan_chains(pki_group_plan *plan, const pk_sim *sim);

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_group_carve(pki_group *g, const pk_model *model, const pk_actuation *actuation, int lanes,
                     pki_arena *arena);

/* What actuators bring to a group: constants of motors, inertia of rotors. Once, when its work is there. */
void pki_group_use_actuation(pki_group *g, const pk_actuation *actuation, int lanes);

/* Lane kernels, of the instruction set and lane count of the dynamics kernels in use. */
typedef struct pki_group_kernels {
  const char *isa;
  int lanes;
  /* One step of worlds[0 .. count-1], count <= lanes; out[i] is the info of lane i. The worlds of lanes that are done are written. */
  void (*advance)(pki_group *g, const pki_lane_world *worlds, int count, pki_lane_info *out);
} pki_group_kernels;

const pki_group_kernels *pki_group_kernels_get(int lanes);

/* A sim as a group of one. */
typedef struct pki_single_group {
  pki_group_plan plan, chains; /* of slots, of chains */
  bool stale;                  /* something that they depend on has changed */
  bool chains_only;            /* slots are not tried, so that a test can hold the two against each other */
  double *guard;               /* [pki_guard_size] (pki_lane_world) */
  pki_group group;
  const pki_group_kernels *kernels;
} pki_single_group;

void pki_single_group_carve(pki_single_group *a, const pk_model *model, const pk_actuation *actuation,
                            pki_arena *arena);

/* A sim's step as a group of one, its rows in slots; false: nothing was done. step_on_chains in group.c does any. */
bool pki_group_step(pk_sim *sim, pk_step_info *info);

#endif
