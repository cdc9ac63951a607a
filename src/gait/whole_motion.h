/* A motion at any time: what its rows say, and what lies between them. */
#ifndef PKI_GAIT_WHOLE_MOTION_H
#define PKI_GAIT_WHOLE_MOTION_H

#include "gait/motion_file.h"
#include "pronk/dynamics.h"

/* Where a repetition begins: p -> Rz(yaw) p + place. */
typedef struct pki_whole_motion_base {
  double place[2]; /* m */
  double yaw;      /* rad */
} pki_whole_motion_base;

/* What a motion asks for at one time. */
typedef struct pki_whole_motion_point {
  double rot[9], place[3];          /* of the trunk: axes, m */
  double velocity[3], turn_rate[3]; /* m/s, world; rad/s, trunk's axes */
  double acceleration[6];           /* m/s^2, world; rad/s^2, trunk's axes */
  double q[PKI_WHOLE_MOTION_JOINTS], u[PKI_WHOLE_MOTION_JOINTS], a[PKI_WHOLE_MOTION_JOINTS],
      tau[PKI_WHOLE_MOTION_JOINTS];
  bool stands[PKI_WHOLE_MOTION_FEET];
  double since[PKI_WHOLE_MOTION_FEET],
      left[PKI_WHOLE_MOTION_FEET];        /* s, from the last and to the next change of stance */
  double force[PKI_WHOLE_MOTION_FEET][3]; /* N, world */
} pki_whole_motion_point;

/* s, of one repetition. */
double pki_whole_motion_length(const pki_whole_motion *m);

/* The base of the repetition after one that begins at `base`. */
pki_whole_motion_base pki_whole_motion_next(const pki_whole_motion *m, pki_whole_motion_base base);

/* The base with which the motion's first row has the trunk at a place and a heading. */
pki_whole_motion_base pki_whole_motion_start(const pki_whole_motion *m, const double place[2],
                                             double heading);

/* The motion at a time of one repetition, 0 to its length; beyond: the last row, at rest. */
void pki_whole_motion_at(const pki_whole_motion *m, pki_whole_motion_base base, double time,
                         pki_whole_motion_point *out);

#endif
