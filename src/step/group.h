/* A step on lanes: several worlds of one model at once, each in a lane of its own; a sim alone is a group of one.
 *
 *   gather        states, commands, warm starts of the worlds into lanes
 *   actuate       command forces as lines a - g u_E, limits, joint friction; pushes
 *   free velocity u_f = u + inv(M~) dt (forces - h), M, h at q_M = q (+) dt/2 u (Moreau) or q (Euler)
 *   collide       feet (balls at the ends of legs) on a plane or a height field are looked at on lanes. All other shapes are
 *                 covered by capsules, balls and boxes, and pairs of covers that are near are handed to the narrow phase, lane by lane
 *   rows          J, Y = inv(L') J', Z = inv(D) Y, W = Y' Z of what takes part: contacts, joint limits, friction, saturated commands
 *   impulses      the active set: what velocities would break takes part, the problem is solved, and again
 *   advance       q_E = q_M (+) reach u_E
 *   project       what is below zero at q_E is moved out by the shortest way in the measure of M~
 *   scatter       states, impulses and what pairs of shapes remember back to the worlds
 *
 * Control flow is that of the group, and what is not meant for a lane is masked. A contact that does not take part in a world has
 * r = 0 there (and, but for feet, rows of exact zeros), and a world that has met its tolerance changes no more. So a world comes out the same
 * whoever sits beside it, and however many lanes there are. Contacts of each lane are compacted into slots: feet have slots
 * of their own, others take the next free one in the order in which they join.
 *
 * Impulses are found by sweeps where only feet take part, and by Newton on active sets (kernels/newton.h). A lane in which neither
 * meets the tolerance is solved by the scalar solvers from its own W, and goes on in its lane if they meet it. A command beyond its
 * limits is pinned there, and becomes a row where it would come back; friction of a joint that slides is a constant force, and becomes a
 * row where the joint would turn round. What has no place in slots (more contacts than there are slots, a fast thin shape, a problem
 * that no solver meets, numbers that are not finite) leaves the lane as it was, with a reason, and the same stages make that step with
 * its rows on chains (chain_rows.h). docs/theory/batch.md tells more, and how all this is checked. */
#ifndef PKI_STEP_GROUP_H
#define PKI_STEP_GROUP_H

#include <math.h>

#include "collision/contacts.h"
#include "dynamics/kernels.h"
#include "pronk/contact.h"
#include "pronk/sim.h"

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
  bool usable; /* rows fit into slots */
  const pk_model *model;
  const pk_model
      *joints;   /* whose velocities are the joint coordinates (step/joints.h): the model, or its tree */
  bool cut;      /* some of them are no velocities of the model */
  bool implicit; /* commands and damping at the end of the step; false: at its start */
  bool rubs;     /* some joint has friction */
  const struct pki_law *law; /* of contact; in slots it is the hard one */
  bool published;            /* the scheme as published: closed contacts alone, cold starts, no projection */
  double joining;            /* m, contacts that velocities leave open by less join those that they break */
  double dt, reach;          /* reach: the time that a velocity at the end still moves the configuration */
  double tolerance;          /* of the certificate */
  double allowed;            /* m, depth that is left alone */
  double length;             /* m, of the world (pki_scene) */
  double touching;           /* m, gaps that count as closed */
  double deep;               /* m, depth that is projected more often */
  int sweeps;                /* most of one solve */
  double near;               /* m, what is further apart at q_M is not looked at (FASTEST in group_plan.c) */
  bool midpoint;             /* Moreau's scheme */
  bool swept;                /* fast shapes: as the options say */
  int *limit, nlimit;        /* joint coordinates whose limits count, */
  double *
      arm; /* [nlimit] and what a unit of theirs is beside a metre: the world's length for an angle, 1 for a travel */
  bool scan;         /* the ground is not one plane or height field: the narrow phase finds all contacts */
  bool hinged;       /* bodies move against each other by hinges alone */
  bool free;         /* the first one is free: the trunk */
  double swing_most; /* m/rad, how far any cover moves against the trunk when all joints turn, at most */
  int nball, depth;
  int body[PKI_BALLS], shape[PKI_BALLS], count[PKI_BALLS]; /* count: unknowns that move a foot */
  int common[PKI_BALLS][PKI_BALLS];                        /* of them, those that two feet share: the first */
  double centre[PKI_BALLS][3], radius[PKI_BALLS];
  double extent[PKI_BALLS];   /* from the body's origin to the foot's far side */
  double friction[PKI_BALLS]; /* on the plane */
  const struct pki_solid
      *field;  /* the height field that stands for the plane, which is then above it all; NULL: none */
  double cell; /* m, of the height field */
  double normal[3], tangent1[3], tangent2[3], at[3]; /* of the plane, a point on it */
  bool level;         /* its axes are those of the world: normal z, tangents x and y */
  int geom, material; /* of the plane */
  int plane;          /* its collider */
  pki_cover *covers;  /* [ncover] one for each collider that moves */
  int ncover;
  short (*pairs)[2]; /* [npair] covers that may touch each other, sorted */
  double *
      pair_swing; /* [npair] m/rad, how far the two move against each other when all joints between them turn, at most */
  int npair;
  pki_cover_run *runs; /* [nrun] all pairs, sorted */
  int nrun, nlimb;
  double limb_swing[PKI_LIMBS][PKI_LIMBS]; /* m/rad, the largest pair_swing of pairs of two limbs */
  double thin;                             /* m, radius of a ball in the thinnest of them */
  double *swing;   /* [nbody] m/rad or 1: how far a body's joint moves whatever hangs on it, at most */
  int *path;       /* [PKI_BALLS][depth] the unknowns that move a foot, ascending */
  uint64_t *chain; /* [nbody] the unknowns that move a body, as bits */
  int *dof_body;   /* [nu] the body that a velocity moves */
  int iterations;  /* most of the scalar solvers */
} pki_group_plan;

/* A world that takes a lane: where what it knows lies, and where the step writes when it is done. */
typedef struct pki_seat {
  const double *q, *u;
  const pk_command *commands;
  const double *inertia, *grouped; /* [nbody][10], likewise regrouped; NULL in all seats: what the work has */
  const double *pushes;            /* [nbody][6]; NULL: none */
  double friction;                 /* factor on all coefficients */
  double *q_next, *u_next, *tau;
  pki_contact *last; /* of the last step, then of this one */
  double *last_r;
  bool *last_sticks;
  int *nlast, keep;       /* keep: room for them */
  double *last_joint;     /* [PKI_JOINT_ROWS][nu] */
  bool *limited;          /* [nu] commands at their limit */
  bool *plain;            /* last_joint and limited are all zero */
  pki_remembered *memory; /* [keep] what pairs of shapes remember */
  int *nmemory;
  double *guard; /* [pki_guard_size] the last look at all shapes (below); all zero: never */
} pki_seat;

/* What a world remembers of the last look at all shapes: joint coordinates [nu]; how far joints may turn until some pair can be near;
 * how high the lowest shape that is no foot was above the ground; and where the trunk was, its origin [3] and quaternion [4]. */
enum { PKI_GUARD_ANGLE, PKI_GUARD_HEIGHT, PKI_GUARD_TRUNK, PKI_GUARD_MORE = PKI_GUARD_TRUNK + 7 };

static inline int pki_guard_size(const pk_model *model)
{
  return model->nu + PKI_GUARD_MORE;
}

/* How a lane's step went. */
typedef struct pki_lane_info {
  bool done;
  pk_left left;     /* why not */
  pk_status status; /* of a step on chains */
  bool unsettled;   /* on chains: the active set did not settle */
  bool rows;        /* something took part */
  bool alone;       /* its impulses were solved by the scalar solvers */
  int rounds, sweeps, saturated;
  pk_solver solver;
  double relative;    /* residual of the certificate */
  double penetration; /* m, at the end */
} pki_lane_info;

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

/* `gain`, `tau_max`: of the joint's command; friction: N m or N. */
static inline pki_joint_row pki_joint_row_of(int kind, double dt, double gain, double tau_max,
                                             double friction)
{
  const double most = kind == PKI_ROW_TORQUE ? dt * tau_max : dt * friction;
  if (kind == PKI_ROW_LOWER || kind == PKI_ROW_UPPER) {
    return (pki_joint_row){kind == PKI_ROW_UPPER ? -1 : 1, 0, INFINITY, 0};
  }
  return (pki_joint_row){1, -most, most, kind == PKI_ROW_TORQUE ? 1 / (dt * gain) : 0};
}

/* q of a joint row: v the joint's rate without impulses, `gap` of a limit, a - gain u the force of a command. */
static inline double pki_joint_row_q(int kind, double v, double gap, double reach, double a, double gain)
{
  return kind == PKI_ROW_TORQUE     ? v - a / gain
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
} pki_candidate;

/* The scratch of a group: arrays of [n][lanes]. */
typedef struct pki_group {
  const pki_group_plan *plan;
  pki_colliders *colliders;      /* of the thread that works with the group */
  const struct pki_scene *scene; /* materials */
  pki_work *work;
  const pki_kernels *dynamics; /* that the work is for: generic ones, or the model's own code */
  double *q, *u, *q_mid, *q_end, *q_try;
  double *command;      /* [nu][6] */
  double *x;            /* [nu] joint coordinates at q_M, then at the end */
  double *a, *g;        /* [nu] command forces a - g u */
  double *push;         /* [nu] generalised forces of pushes */
  double *force, *gain; /* [nu] the lines of commands within their limits, pushes included */
  uint64_t *limited;    /* [nu] masks: commands at their limit, whose gains are not in M~: */
  uint64_t *pinned;     /* [nu] masks: those that are taken for constant, */
  double *pin;          /* [nu] at this torque; the others are rows */
  uint64_t *sliding;    /* [nu] masks: joints whose friction is taken for constant, */
  double *drag;         /* [nu] at this torque; the friction of others is a row */
  uint64_t *at_limit;   /* [2][nu] masks: lower, upper joint limits that take part */
  double *h, *move, *u_free, *u_end, *tau;
  double *drive;       /* [nu] dt times the forces that u_free comes from; on chains alone */
  double *rates;       /* [nu] joint velocities, where joints are cut */
  double *screw;       /* [nu][6] angular, linear velocity at the trunk's origin of each unknown */
  double *axes;        /* [slots][9] normal, tangents */
  double *gap, *point; /* [slots], [slots][3] at q_M */
  double *sign;        /* [slots][nu] +1, -1 or 0: how an unknown moves the first body against the second */
  double *turned;      /* [balls] 1: a height field's nearest side at the end is another one */
  double *gap_end;     /* [balls] */
  double *guard;       /* [pki_guard_size] */
  double *swung;       /* [nbody] m, how far anything can have moved against the trunk in a step */
  double *ends;        /* [PKI_COVERS][2][3] of capsules, world */
  double *mu, *r, *v;  /* [slots], [slots][3] impulses, velocities */
  double *impulse;     /* [slots][3] r at the end, when r is that of positions */
  double *fixed;       /* [slots][3] q of the problem */
  double *slip;        /* [balls] of the last sweep (block.c) */
  double *J, *Y, *Z;   /* [slots][nu][4] */
  double *W, *K;       /* [slots][slots][9], [balls][9] inverse of the feet's diagonal blocks */
  uint64_t *active;    /* [slots] masks */
  uint64_t *took;      /* [balls] masks: feet that took part, when `active` is that of positions */
  uint64_t *stuck;     /* [slots] masks: feet that stick in projections */
  /* box rows */
  pki_lane_box (*box)[PKI_BOXES];           /* [lanes] */
  double *box_sign, *box_lower, *box_upper; /* [boxes] */
  double *box_soft, *box_q, *box_r, *box_v; /* compliance, q, impulse, velocity */
  double *box_impulse;                      /* [boxes] r at the end */
  double *box_Y, *box_Z;                    /* [boxes][nu] */
  double *box_W, *cross;                    /* [boxes][boxes], [slots][boxes][3] W of a contact and a box */
  uint64_t *box_active;                     /* [boxes] masks */
  double *A, *b;                            /* [rows][rows], [rows] a Newton step */
  double *state;                            /* [slots] of a Newton step: open 0, slip 1, stick 2 */
  /* lane by lane */
  pki_contact *found[PKI_LANES_MOST];     /* [PKI_FOUND] at q_M, of shapes that are no feet */
  pki_contact *found_end[PKI_LANES_MOST]; /* [PKI_FOUND] at the end */
  int *slot_of[PKI_LANES_MOST];           /* [PKI_FOUND] of a contact found; -1: it does not take part */
  pki_remembered *memory[PKI_LANES_MOST]; /* [PKI_FOUND] */
  pki_candidate *candidates;              /* [PKI_CANDIDATES] */
  double *relative, *penetration, *sweeps, *rounds;
  double *lift;        /* J, what projections added to the potential energy; counted when `watched` */
  double *nowhere;     /* [nq, nu or pki_guard_size] one lane: where lanes that are not done are written */
  void *solver_memory; /* of the scalar solvers, for PKI_SLOTS contacts and PKI_BOXES boxes */
  double *scalar;      /* a problem of one lane: W, q, r, mu, bounds */
  double *tap_Y;       /* [rows][nu], [nu], [rows] its factors, for who is shown it */
  int *tap_col;        /* [rows][nu], [rows] */
  pk_sim *world;       /* on chains (step/chain_rows.h): the one whose step it is; NULL: rows are in slots */
  pk_step_info *info;  /* of that step */
  bool watched;
  pk_certificate certificate;            /* of lane 0's impulses, when `watched` */
  const struct pki_problem_tap *tap;     /* who is shown the problems of lane 0; NULL: nobody */
  void (*lap)(void *user, pk_part part); /* a part of the step ends; NULL: nobody measures */
  void *user;
} pki_group;

/* Take a plan's arrays from an arena; with a counting arena this counts. */
void pki_group_plan_carve(pki_group_plan *plan, const pk_model *model, pki_arena *arena);

/* Chains need those of joint limits alone. */
void pki_group_plan_carve_limits(pki_group_plan *plan, const pk_model *model, pki_arena *arena);

/* What a sim's model, ground, materials and options give: for slots, and for chains. */
void pki_group_plan_make(pki_group_plan *plan, pk_sim *sim);
void pki_group_plan_chains(pki_group_plan *plan, const pk_sim *sim);

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_group_carve(pki_group *g, const pk_model *model, int lanes, pki_arena *arena);

/* Lane kernels, of the instruction set and lane count of the dynamics kernels in use. */
typedef struct pki_group_kernels {
  const char *isa;
  int lanes;
  /* One step of the worlds seats[0 .. count-1], count <= lanes; out[i] tells how it went. Seats that are done are written. */
  void (*advance)(pki_group *g, const pki_seat *seats, int count, pki_lane_info *out);
} pki_group_kernels;

const pki_group_kernels *pki_group_kernels_get(int lanes);

/* A sim as a group of one. */
typedef struct pki_alone {
  pki_group_plan plan, chains; /* of slots, of chains */
  bool stale;                  /* something that they depend on has changed */
  bool chains_only;            /* slots are not tried, so that a test can hold the two against each other */
  double *guard;               /* [pki_guard_size] (pki_seat) */
  pki_group group;
  const pki_group_kernels *kernels;
} pki_alone;

void pki_alone_carve(pki_alone *a, const pk_model *model, pki_arena *arena);

/* A sim's step as a group of one, its rows in slots; false: nothing was done. pki_step_on_chains does any (step/sim.h). */
bool pki_group_step(pk_sim *sim, pk_step_info *info);

#endif
