/* Joint references of a trot, for steps of any length: where every joint of a quadruped should be at the end of a step.
 *
 * Diagonal pairs of feet stand in turn, half of the cycle each. Two kinds of references:
 *
 *   consistent  the trunk moves along a plan, feet that stand stay where they landed, feet in the air fly to their footholds; joint
 *               angles by inverse kinematics at the time of the step's end. What the feet that stand ask of their joints is the motion of one
 *               rigid body.
 *   sinusoids   every joint follows a sinusoid about its stance, as in the experiments of Shepherd, Zapolsky and Drumwright: the feet that
 *               stand contradict each other.
 *
 * In both, footholds hold the one motion that no joint can: the tilt about the line of the two feet that stand. All joints following their
 * references, the robot falls about it as one body, a pendulum turned upside down,
 *
 *   (m h^2 + I) phi'' = m g h phi,   tau^2 = (h + I/(m h))/g
 *
 * with h the height of its mass and I its inertia about it along that line. Steps of euler's scheme of length dt let the unstable part of the
 * place x of the mass across the line,
 *
 *   xi = x + c v,   c = dt/(lambda - 1),   lambda = 1 + s^2/2 + s sqrt(1 + s^2/4),   s = dt/tau,
 *
 * grow by lambda in each (for small steps exp(s), and c = tau: the capture point). The middle of the next pair is put v T/(lambda^n - 1) behind
 * where xi will be when it lands, n the steps of half a cycle T: then the gait repeats, and an error of the speed is gone in one stride. */
#ifndef PKI_GAIT_STRIDE_H
#define PKI_GAIT_STRIDE_H

#include "pronk/control.h"
#include "pronk/legs.h"

enum { PKI_STRIDE_LEGS = 4, PKI_STRIDE_HINGES = 3 };

typedef enum pki_stride_kind {
  PKI_STRIDE_CONSISTENT,
  PKI_STRIDE_SINUSOIDS,
  PKI_STRIDE_KINDS
} pki_stride_kind;

/* What does not change. Feet: left fore, right fore, left hind, right hind. */
typedef struct pki_stride_plan {
  pki_stride_kind kind;
  /* s, m, m/s, m/s, rad/s */
  double cycle, lift, forward, sideways, turn;
  /* s, it stands before. */
  double start;
  /* trunk: the root link. */
  int robot, trunk;
  double mass, gravity;
  pk_leg legs[PKI_STRIDE_LEGS];
  /* m, of a foot's ball. */
  double radius[PKI_STRIDE_LEGS];
  /* m, of a foot in the trunk's frame below its hip. */
  double home[PKI_STRIDE_LEGS][3];
  /* m, of the trunk above the centres of the feet then. */
  double height;
  /* m^2, of the robot about its mass, by unit of mass, trunk's axes. */
  double inertia[9];
  /* 1 or -1: which way the second hinge of a leg turns it forward. */
  double ahead[PKI_STRIDE_LEGS];
} pki_stride_plan;

/* What is remembered of a foot. */
typedef struct pki_stride_foot {
  /* 1: it stands by the clock; 1: it is on the ground, by the clock or because it landed early. */
  double stands, down;
  /* m, where its centre is planned to be while it is down, or was when it left the ground; its shank's rotation, world. */
  double at[3], shank[9];
  /* m, where it will land, world. */
  double aim[3];
  /* rad, the last reference of its leg. */
  double last[PKI_STRIDE_HINGES];
  /* rad, sinusoids: the stance, knees bent as they were found; how far the last hinge goes to shorten the leg by the lift. */
  double stance[PKI_STRIDE_HINGES], bend;
  /* m, sinusoids: how far its foothold is from that of the sinusoid, along the heading, when it left the ground and when it will land. */
  double shift[2], toward[2];
} pki_stride_foot;

/* What is remembered: feet, and the trunk as planned for the end of the last step: place, rotation, velocities (world). */
typedef struct pki_stride {
  double begun;
  double pos[3], rot[9], vel[3], omega[3];
  /* When and where the mass was as the last two half cycles began, s and m; how many have begun; m/s, along the heading: what is asked for beside the
   * wanted speed, because strides of the past were too short or too long. */
  double marks[2][3], halves, more[2];
  pki_stride_foot feet[PKI_STRIDE_LEGS];
} pki_stride;

/* What an update finds. */
typedef struct pki_stride_goal {
  /* The foot stands in the step, and touches the ground. */
  bool stands[PKI_STRIDE_LEGS];
  /* m, centres of the feet at the start of the step, world; how far they are above the ground, which is level under those that stand. */
  double foot[PKI_STRIDE_LEGS][3], gap[PKI_STRIDE_LEGS];
  /* rad, at the end of the step; rad/s, from the last reference to that. */
  double q[PKI_STRIDE_LEGS][PKI_STRIDE_HINGES], u[PKI_STRIDE_LEGS][PKI_STRIDE_HINGES];
} pki_stride_goal;

/* Legs and stance of a model, whose feet are links by their names (NULL: those of pk_locomotion_options). The other values of the plan are as
 * they were. The stance has the trunk at `height` above the points of the feet; 0: legs bent as `locomotion` has them. */
pk_status pki_stride_init(pki_stride_plan *plan, const pk_model *model,
                          const char *const feet[PKI_STRIDE_LEGS], double height, pk_error *err);

/* References for the end of the step that begins at seen->time. */
void pki_stride_update(const pki_stride_plan *plan, pki_stride *s, const pk_observation *seen,
                       pki_stride_goal *goal);

#endif
