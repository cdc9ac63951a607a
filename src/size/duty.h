/* A duty: what the joints of a robot are asked for, over time, in one or several motions.
 *
 * Speed, acceleration and torque are those of the joint, without the rotor and the gear of any drive: each candidate brings its own.
 * Motions have weights, their shares of the time in which the robot works. */
#ifndef PKI_SIZE_DUTY_H
#define PKI_SIZE_DUTY_H

#include "base/error.h"
#include "base/folders.h"

enum { PKI_DUTY_NAME = 64 };

/* Largest loads of a bearing: force and moment of the six components of a joint load (joints/load of recordings). */
typedef struct pki_bearing {
  bool known;
  double largest[6];    /* N, N m: largest |fx|, |fy|, |fz|, |mx|, |my|, |mz|, axes of the child link */
  double force, moment; /* N, N m: largest of their lengths */
  double mean_force;    /* N: cubic mean of the force, by which the life of a ball bearing goes (ISO 281) */
} pki_bearing;

/* One joint in one motion; arrays are as long as those of the motion. */
typedef struct pki_joint_duty {
  char name[PKI_DUTY_NAME];
  double *speed;        /* rad/s, m/s */
  double *acceleration; /* rad/s^2, m/s^2 */
  double *torque;       /* N m, N */
  double armature;      /* kg m^2: rotor of the source's own drive, which the torque does not turn any more */
  pki_bearing bearing;
} pki_joint_duty;

typedef struct pki_duty_motion {
  char name[PKI_DUTY_NAME];
  double weight; /* share of the time, not yet divided by the sum */
  int n;         /* samples */
  double *time;  /* [n] s, never falling */
  double *span;  /* [n] s that each sample stands for: trapezoids */
  pki_joint_duty *joints;
  int njoint;
} pki_duty_motion;

typedef struct pki_duty {
  pki_duty_motion *motions;
  int count;
} pki_duty;

/* A motion with room for samples and joints, zero; to be freed also on failure. */
pk_status pki_duty_motion_create(int samples, int joints, pki_duty_motion *out, pk_error *err);
void pki_duty_motion_free(pki_duty_motion *motion);

/* From the times: what each sample stands for. */
void pki_duty_motion_spans(pki_duty_motion *motion);

/* Accelerations from speeds: the slope over `window` s around each sample, over the two neighbours where it is 0. Speeds jump where two
 * samples have one time; no slope is taken across. */
void pki_duty_motion_differentiate(pki_duty_motion *motion, double window);

/* s, from the first sample to the last. */
double pki_duty_motion_length(const pki_duty_motion *motion);

/* The motion's part of the working time, 0 to 1. */
double pki_duty_share(const pki_duty *duty, int motion);

/* The joint of that name in a motion; NULL: it has none. */
const pki_joint_duty *pki_duty_joint(const pki_duty_motion *motion, const char *name);

/* One more motion, whose arrays the duty owns from now on. */
pk_status pki_duty_add(pki_duty *duty, const pki_duty_motion *motion, pk_error *err);
void pki_duty_free(pki_duty *duty);

/* Largest of a joint's bearing loads in all motions. */
pki_bearing pki_duty_bearing(const pki_duty *duty, const char *joint);

#endif
