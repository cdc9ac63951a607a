/* A step on lanes: several worlds of one model at once, each in a lane of its own; a sim alone is a group of one.
 *
 * What a step mostly is, most of the time, is done here: joints that commands drive within their limits, balls of the model on
 * a plane or a height field, the hard law without restitution. Moreau's scheme or Euler's, M~ and the contact problem are those of
 * contact.h; only the way to the solution is another one, made for lanes:
 *
 *   q_M = q (+) dt/2 u                      M, h, rows J at q_M
 *   u_f = u + inv(M~) dt (forces - h)       without impulses
 *   who takes part: balls whose gap u_f would close, and those that pushed and still touch
 *   Y = inv(L') J', Z = inv(D) Y, W = Y' Z  of those
 *   sweeps over the contacts, each solved exactly, until the certificate is met
 *   u_E = u_f + inv(L) Z r                  whoever it would push into the ground takes part, and again
 *   q_E = q_M (+) dt/2 u_E                  gaps at q_E; what is below ground is projected out with the same W
 *
 * Control flow is that of the group, and what is not meant for a lane is masked: a ball that does not take part in a world has
 * r = 0 there, and a world that has met its tolerance changes no more. So a world comes out the same whoever sits beside
 * it, and however many lanes there are.
 *
 * A height field shows a ball the point of it that is nearest to the ball's centre. Where another one comes below ground in the
 * step, it is the nearest at the end and looks another way: the lane says no.
 *
 * Shapes that are no balls at the end of a leg must not touch anything. They are covered by capsules, balls, and boxes on the
 * trunk, which must be above the plane at q_E and apart from each other, and must not have passed through each other on the
 * way. All pairs are looked at only when joints have moved so far since the last look that some pair could have come
 * together.
 *
 * A world that needs anything else - a command or a joint at its limit, other shapes at the ground or at each other, a fast
 * ball, a problem that resists, numbers that are not finite - is not done here: its lane says no, its memory is as it was, and
 * the step of contact.c does it. docs/theory/batch.md tells more, and how all this is checked. */
#ifndef PKI_STEP_GROUP_H
#define PKI_STEP_GROUP_H

#include "collision/contacts.h"
#include "dynamics/kernels.h"
#include "pronk/sim.h"

enum { PKI_BALLS = 8, PKI_PATH = 16, PKI_COVERS = 64, PKI_COVER_PAIRS = 1024 }; /* most that lanes take */

/* A shape that must keep away: within a capsule, or a box. */
typedef struct pki_cover {
  int body;
  bool box;
  double end[2][3]; /* of the capsule's axis, in the body; of a box its centre twice */
  double radius;
  double reach;           /* m, of a ball around all of it, between the ends */
  double swing;           /* m/rad, how far it moves against the trunk when all joints turn, at most */
  double rot[9], half[3]; /* of a box, in the body */
  bool low[2];            /* ends that could touch the plane; a box: both */
} pki_cover;

/* What lanes need to know of a model on its ground: the same for all its worlds. */
typedef struct pki_group_plan {
  bool usable;
  const pk_model *model;
  double dt, reach; /* reach: the time that a velocity at the end still moves the configuration */
  double tolerance; /* of the certificate */
  int sweeps;       /* most of one solve */
  double near;   /* m, balls above this are not looked at: they would have to come down faster than 4 m/s */
  bool midpoint; /* Moreau's scheme */
  bool swept, limits; /* fast balls, joint limits: as the options say */
  int nball, depth;
  int body[PKI_BALLS], shape[PKI_BALLS], count[PKI_BALLS]; /* count: unknowns that move a ball */
  int common[PKI_BALLS][PKI_BALLS]; /* of them, those that two balls share: the first */
  double centre[PKI_BALLS][3], radius[PKI_BALLS];
  double extent[PKI_BALLS];   /* from the body's origin to the ball's far side */
  double friction[PKI_BALLS]; /* on the plane */
  const struct pki_solid
      *field; /* the height field that stands for the plane, which is then above it all; NULL: none */
  double normal[3], tangent1[3], tangent2[3], at[3]; /* of the plane, a point on it */
  bool level;         /* its axes are those of the world: normal z, tangents x and y */
  int geom, material; /* of the plane */
  pki_cover *covers;  /* [ncover] the balls first */
  int ncover;
  short (*pairs)[2]; /* [npair] covers that may touch each other */
  int npair;
  double thin;      /* m, radius of a ball in the thinnest of them */
  double *swing;    /* [nbody] m/rad or 1: how far a body's joint moves whatever hangs on it, at most */
  const int *place; /* [nbody] level of a body's first unknown (assembly.h) */
  int *path;        /* [PKI_BALLS][depth] the unknowns that move a ball, ascending */
} pki_group_plan;

/* A world that takes a seat: where what it knows lies, and where the step writes when it is done. */
typedef struct pki_seat {
  const double *q, *u;
  const pk_command *commands;
  const double *inertia, *grouped; /* [nbody][10], likewise regrouped; NULL in all seats: what the work has */
  double friction;                 /* factor on all coefficients */
  double *q_next, *u_next, *tau;
  pki_contact *last; /* of the last step, then of this one */
  double *last_r;
  bool *last_sticks;
  int *nlast;
  double *
      guard; /* [nu + 1] joint coordinates at the last look at all pairs, and how far they may turn until the next; 0: never */
} pki_seat;

/* How a lane's step went. */
typedef struct pki_lane_info {
  bool done;
  int rounds, sweeps;
  double relative;    /* residual of the certificate */
  double penetration; /* m, at the end */
} pki_lane_info;

/* The scratch of a group: arrays of [n][lanes]. */
typedef struct pki_group {
  const pki_group_plan *plan;
  pki_work *work;
  const pki_kernels *dynamics; /* that the work is for: generic ones, or the model's own code */
  double *q, *u, *q_mid, *q_end, *q_try;
  double *command; /* [nu][6] */
  double *a, *g;   /* [nu] command forces a - g u */
  double *h, *move, *u_free, *u_end, *tau;
  double *axes;               /* [balls][9] normal, tangents: on a height field */
  double *gap, *point;        /* [balls], [balls][3] at q_M */
  double *turned;             /* [balls] 1: a height field's nearest side at the end is another one */
  double *gap_end;            /* [balls] */
  double *guard;              /* [nu + 1] */
  double *swung;              /* [nbody] m, how far anything can have moved against the trunk in a step */
  double *ends;               /* [PKI_COVERS][2][3] of capsules, world */
  double *mu, *r, *v;         /* [balls], [balls][3] impulses, velocities */
  double *impulse, *velocity; /* [balls][3] the same at the end, when r and v are those of positions */
  double *fixed;              /* [balls][3] q of the problem */
  double *slip;               /* [balls] of the last sweep (block.c) */
  double *J, *Y, *Z;          /* [balls][depth][4] */
  double *W, *K;              /* [balls][balls][9], [balls][9] inverse of the diagonal blocks */
  uint64_t *active;           /* [balls] masks */
  double *relative, *penetration, *sweeps, *rounds;
  double *lift;    /* J, what projections added to the potential energy; counted when `watched` */
  double *nowhere; /* [nq or nu + 1] one lane: where lanes that are not done are written */
  bool watched;
  void (*lap)(void *user, pk_part part); /* a part of the step ends; NULL: nobody measures */
  void *user;
} pki_group;

/* Take a plan's arrays from an arena; with a counting arena this counts. */
void pki_group_plan_carve(pki_group_plan *plan, const pk_model *model, pki_arena *arena);

/* What a sim's model, ground, materials and options give. */
void pki_group_plan_make(pki_group_plan *plan, const pk_sim *sim);

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
  pki_group_plan plan;
  bool stale;    /* something that the plan depends on has changed */
  double *guard; /* [nu + 1] (pki_seat) */
  pki_group group;
  const pki_group_kernels *kernels;
} pki_alone;

void pki_alone_carve(pki_alone *a, const pk_model *model, pki_arena *arena);

/* A sim's step as a group of one; false: nothing was done. */
bool pki_group_step(pk_sim *sim, pk_step_info *info);

#endif
