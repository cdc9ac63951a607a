/* Joint references of a trot for large steps: where every joint of a quadruped should be at the end of a step.
 *
 * Diagonal pairs of feet stand in turn, half of the cycle each. Two kinds of references:
 *
 *   consistent  the trunk moves along a plan, feet that stand stay where they landed, feet in the air fly to their footholds; joint
 *               angles by inverse kinematics at the time of the step's end. The feet that stand ask of their joints what one rigid body can do.
 *   sinusoids   every joint follows a sinusoid about its stance, as in Shepherd, Zapolsky and Drumwright's experiments: the feet that stand
 *               contradict each other.
 *
 * In both, footholds hold the one motion that no joint can: the tilt about the line of the two feet that stand. It is a pendulum turned
 * upside down, of time constant tau = sqrt(height/g). The steps of length dt that simulate it let its unstable part
 *
 *   xi = x + c v,   c = dt/(lambda - 1),   lambda = 1 + s^2/2 + s sqrt(1 + s^2/4),   s = dt/tau
 *
 * grow by lambda in each (for small steps exp(s), and c = tau: the capture point). x is the place of the mass across that line. The next pair
 * is put v T/(lambda^n - 1) behind where xi will be when it lands, n the steps of half a cycle T: then the gait repeats. */
#ifndef PKI_GAIT_STRIDE_H
#define PKI_GAIT_STRIDE_H

#include "pronk/control.h"
#include "pronk/legs.h"

enum { PKI_STRIDE_LEGS = 4, PKI_STRIDE_NU = 64 };

typedef enum pki_stride_kind {
  PKI_STRIDE_CONSISTENT,
  PKI_STRIDE_SINUSOIDS,
  PKI_STRIDE_KINDS
} pki_stride_kind;

/* What does not change. Feet: left fore, right fore, left hind, right hind. */
typedef struct pki_stride_plan {
  pki_stride_kind kind;
  double cycle, lift, forward, sideways, turn; /* s, m, m/s, m/s, rad/s */
  double start;                                /* s, it stands before */
  int robot, trunk;                            /* trunk: the root link */
  double height, gravity;                      /* m, of the trunk above the feet's centres; m/s^2 */
  pk_leg legs[PKI_STRIDE_LEGS];
  double inertia[9];               /* m^2, of the robot about its mass, by unit of mass, trunk's axes */
  double radius[PKI_STRIDE_LEGS];  /* m, of a foot's ball */
  double home[PKI_STRIDE_LEGS][3]; /* m, of a foot in the trunk's frame when it stands */
  double stance[PKI_STRIDE_LEGS][PK_LEG_HINGES]; /* rad, the angles of that */
} pki_stride_plan;

/* What is remembered. */
typedef struct pki_stride {
  double begun;
  double stands[PKI_STRIDE_LEGS];   /* 1: it stood in the last update */
  double at[PKI_STRIDE_LEGS][3];    /* m, where a foot landed, or left the ground */
  double pos[3], rot[9];            /* the trunk, as planned for the end of the last step */
  double shank[PKI_STRIDE_LEGS][9]; /* rotation of the shank of a foot that stands, as planned, world */
  double last[PKI_STRIDE_LEGS][PK_LEG_HINGES]; /* rad, the last references */
  double shift[PKI_STRIDE_LEGS][2]; /* m, sinusoids: how far a foothold is from that of the sinusoid */
  double toward[PKI_STRIDE_LEGS][2];
} pki_stride;

/* What an update finds. */
typedef struct pki_stride_goal {
  bool stands[PKI_STRIDE_LEGS];             /* in the step */
  double q[PKI_STRIDE_LEGS][PK_LEG_HINGES]; /* rad, at the end of the step */
  double u[PKI_STRIDE_LEGS][PK_LEG_HINGES]; /* rad/s, from the reference of its start to that of its end */
} pki_stride_goal;

/* Legs and stance from the model; feet are names of links. The stance is the pose in which q places the robot. */
pk_status pki_stride_init(pki_stride_plan *plan, const pk_model *model,
                          const char *const feet[PKI_STRIDE_LEGS], pk_error *err);

/* The stance is the pose of the robot in q, of which the workspace is scratch. */
void pki_stride_stand(pki_stride_plan *plan, pk_workspace *w, const double *q);

/* References for the end of the step that begins at seen->time. */
void pki_stride_update(const pki_stride_plan *plan, pki_stride *s, const pk_observation *seen,
                       pki_stride_goal *goal);

#endif
