/* The locomotion controller, in parts: the legs of a model (legs.c, leg_bodies.c), what they should do now (gait_clock.c with cpg.c,
 * jump.c; kernels/feet.h), what the trunk needs (kernels/trunk.c; gait_plan.c with mpc.c, sway.c, preview.c), where swinging
 * feet go (kernels/swing.h), which foot carries the trunk (kernels/share.h; kernels/limit.h where torques are limited), torques (kernels/act.c), and the update that
 * joins them (locomotion.c). What is under kernels/ runs on lanes (gait_kernels.h).
 *
 *   clock -> modes of legs -> ground plane -> trunk's acceleration -> feet's accelerations
 *         -> inverse dynamics -> forces at the stance feet -> torques
 */
#ifndef PKI_GAIT_LOCOMOTION_H
#define PKI_GAIT_LOCOMOTION_H

#include "control/registry.h"
#include "gait/cpg.h"
#include "gait/gaits.h"
#include "gait/mpc.h"
#include "gait/preview.h"

/* A leg of the model. */
typedef struct pki_leg {
  int foot;         /* link */
  int u[3];         /* velocity coordinates of its joints, hip first */
  int body[3];      /* that they move */
  int row[3];       /* of these bodies in pki_locomotion.bodies */
  int q_at[3];      /* places of the joints among the robot's own coordinates, */
  int u_at[3];      /* and among its velocities */
  double offset[3]; /* rad, of the hinges' angles at q = 0 */
  /* as nearly all are: hinges about x, y and y, whose frames are parallel at zero, nothing else on them */
  bool plain;
  double radius;    /* m, of the foot's ball; 0: a point */
  double centre[3]; /* m, of the ball in the link */
  double at[3];     /* m, the same in the body body[2] */
  double hip[2];    /* m, x and y of its foot in the trunk's frame when it stands straight */
  double hang;      /* m, of its second hinge below the trunk's origin */
  double aside;     /* m, of its foot from its first hinge, sideways, when it stands straight */
  double bones[2];  /* m, thigh and shank */
} pki_leg;

enum { PKI_GAIT_BODIES = 32 /* moving bodies of a robot, at most */ };

/* A moving body of the robot, as lanes need it (leg_bodies.c). The trunk is the first one; parents come before their children. */
typedef struct pki_gait_body {
  int parent;          /* its row; -1: the trunk has none */
  double r[3];         /* m, of its joint in the parent */
  double mass, h[3];   /* kg, kg m: first moment about its origin */
  double moments[6];   /* kg m^2, about its origin: xx, xy, xz, yy, yz, zz */
  double subtree_mass; /* kg, of it and of all that hangs on it */
  /* kg m: h, and what hangs on it by hinges of plain legs as points where those are */
  double first_moment[3];
} pki_gait_body;

struct pki_gait_kernels;

typedef struct pki_locomotion {
  pk_controller controller;
  const struct pki_gait_kernels *one, *wide; /* lane code: for one robot, for several */
  pk_locomotion_options options;
  int robot, trunk;          /* trunk: the root link */
  int u;                     /* first velocity of the trunk: linear (world), angular (trunk's axes) */
  double mass, gravity, arm; /* kg, m/s^2, m: mean distance of the hips from the trunk's origin */
  double middle[2];          /* m, mean of the legs' hips */
  pki_preview preview;
  double height;    /* m, of the trunk above the feet's points */
  double tau, pace; /* s, sqrt(height/gravity); 1/s, its inverse */
  double strength;  /* as pki_walk's, in the stance with the feet below the hips */
  int leg_count;
  pki_leg legs[PKI_LEGS];
  int body, body_count; /* the trunk in the model, and how many bodies the robot has */
  pki_gait_body bodies[PKI_GAIT_BODIES];
  int others[PKI_GAIT_BODIES], other_count; /* rows of bodies that are neither the trunk nor of a plain leg */
} pki_locomotion;

/* Largest normal force of a foot, in weights of the robot. */
#define PKI_FOOT_HEAVY 1.2

/* Time to load and to unload a foot, in sqrt(h/g). */
#define PKI_FOOT_RAMP 0.19566

typedef enum pki_foot_mode {
  PKI_FOOT_STANCE, /* on the ground, carries */
  PKI_FOOT_SWING,  /* on its way to a foothold */
  PKI_FOOT_REACH,  /* should be on the ground and is not: goes down until it is */
} pki_foot_mode;

/* What is remembered of a foot. */
typedef struct pki_foot {
  double ground[3]; /* m, last point of contact */
  double since;     /* s, in this mode; lanes take it with the ground */
  double quiet;     /* s, without contact */
  double from[3];   /* m, where the mode began */
  pki_foot_mode mode;
  bool stuck; /* something holds it on its way down */
} pki_foot;

/* What an update computes of a foot. */
typedef struct pki_foot_now {
  double load;      /* N, normal force of the last step */
  bool wall;        /* it touches something steep */
  double away[2];   /* from there, unit when level */
  double target[3]; /* m, foothold of a planned gait, while it does not stand */
  double prefer[3]; /* N, planned */
} pki_foot_now;

/* A jump (jump.c). */
typedef struct pki_jump {
  double speed, push; /* m/s at the take-off, m/s^2 towards it */
  double deep, down;  /* m below the stand, s to get there */
} pki_jump;

/* What was asked of this world since its reset, in place of the options. */
typedef struct pki_gait_request {
  /* A speed and a gait were asked for. */
  bool has_speed, has_gait;
  pk_gait gait;
  /* m/s, m/s, rad/s */
  double forward, sideways, turn;
} pki_gait_request;

typedef struct pki_walk {
  bool awake; /* the first update has been */
  bool walking;
  bool jumping;      /* as a gait of one cycle */
  bool planned;      /* the trunk follows the plan, not the virtual model alone */
  bool fallen;       /* until reset: joints are only damped */
  pki_cpg cpg;       /* phases of the legs */
  pki_rhythm rhythm; /* what they are drawn to */
  double lift;       /* m, of swinging feet */
  pki_jump jump;
  pki_gait_request request; /* pk_locomotion_set_speed and pk_locomotion_set_gait */
  double jumped;            /* s, the time for which the last jump was asked; less than 0: none */
  double wait;              /* s, that the clock has waited */
  double still;             /* s, since the wanted speed became zero after `stop` */
  double speed[3];          /* forward, sideways, turn: wanted now */
  double place[2], yaw;     /* where the trunk should be */
  double plane[3];          /* ground: z = plane[0] + plane[1] x + plane[2] y */
  pki_foot feet[PKI_LEGS];
  /* m, where the plan brings the mass, a knot apart; from where it is now */
  double path[PKI_MPC_KNOTS + 1][3];
  double path_step; /* s, of its knots; 0: there is none */
  double drift[2];  /* m/s, how much faster the robot is than it should be, mean of about a cycle */
  bool swaying;     /* the mass follows a preview of its support, along the heading: */
  double sway_age;  /* s, since its last step */
  pki_cart sway[2]; /* forward, left */
  double lean[PKI_PREVIEW + 1][2];      /* m, where the mass should be, a step apart, from the last one on */
  double lean_rate[PKI_PREVIEW + 1][2]; /* m/s */
  double strength;   /* largest normal force that the weakest leg can give, in weights of the robot */
  double inertia[9]; /* kg m^2, of the robot about its mass, trunk's axes; at the first update */
  /* of one update */
  double period, time;
  double heading, normal[3]; /* rad; of the ground, world */
  double leaning[2];         /* m, world: how far the mass of a planned gait should be from its place now */
  pki_foot_now now[PKI_LEGS];
  /* of one update, with a plan */
  double R[9], pos[3], omega[3]; /* trunk: rotation, position, angular velocity (its axes) */
  double com[3], com_vel[3];
  double velocity[2]; /* m/s, world: wanted, feedback of the place included */
  double turn[3];     /* rotation vector to the wanted attitude, trunk's axes */
  double acc[6];      /* of the trunk, planned: linear (world), angular (its axes) */
  /* The last member: the state ends where the guess for the robot's legs does (pki_walk_size). */
  pki_mpc_guess guess;
} pki_walk;

/* Bytes of the state of a robot with so many legs. */
size_t pki_walk_size(int legs);

/* By pk_gait_references. */
extern const char *const pki_references_words[];

/* legs.c: the link of a foot by its name, NULL: the usual one. */
pk_status pki_foot_find(const pk_model *model, int legs, int leg, const char *name, int *link, pk_error *err);

/* legs.c: the first ball of a link, its centre in the link's frame; -1: it has none, and the centre is its origin. */
int pki_foot_ball(const pk_model *model, int foot, double centre[3]);

/* legs.c: find the legs by the names of their feet. */
pk_status pki_legs_find(pki_locomotion *c, const pk_model *model, pk_error *err);

/* leg_bodies.c: the robot's moving bodies, of which there are no more than PKI_GAIT_BODIES; after its legs. */
void pki_bodies_list(pki_locomotion *c, const pk_model *model);

/* First moments and `others` from which legs are plain; pki_bodies_list has done it. */
void pki_bodies_divide(pki_locomotion *c);

/* gait_clock.c: what is wanted now, and the phases of the legs. */
void pki_clock_tick(const pki_locomotion *c, pki_walk *w);

/* jump.c: the highest top with legs of that strength; begin one; whether it is over; the wanted height over the stand,
 * `ahead` from now, and its rate. */
double pki_jump_reach(const pki_locomotion *c, double strength);
void pki_jump_start(const pki_locomotion *c, pki_walk *w);
bool pki_jump_over(const pki_walk *w);
double pki_jump_height(const pki_locomotion *c, const pki_walk *w, double ahead, double *rate);

/* gait_plan.c: the trunk's acceleration and the feet's forces by prediction over the coming contacts. */
void pki_plan(const pki_locomotion *c, pki_walk *w);

/* Where a foot of a planned gait should land, `left` from now. */
void pki_plan_foothold(const pki_locomotion *c, const pki_walk *w, int leg, double left, double out[3]);

/* sway.c: where the mass leans, by preview of its support. */
void pki_sway_design(pki_locomotion *c);
void pki_sway_step(const pki_locomotion *c, pki_walk *w);
void pki_sway_rest(pki_walk *w);
void pki_sway_at(const pki_locomotion *c, const pki_walk *w, double ahead, double lean[2], double rate[2]);

#endif
