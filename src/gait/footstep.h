/* Where the feet of a walking biped go, seen from above. Between its feet lies the middle of the robot, half the width of its stance
 * beside each foot. A step moves the middle by the way that the wanted speed makes in the time of a step, along the mean of the old
 * and the new heading, and puts the other foot beside the new middle: equal steps with equal turns end on the corners of a regular polygon. */
#ifndef PKI_GAIT_FOOTSTEP_H
#define PKI_GAIT_FOOTSTEP_H

enum { PKI_LEFT, PKI_RIGHT };

/* Where a foot stands. */
typedef struct pki_footstep {
  double at[2]; /* m, of its middle */
  double yaw;   /* rad */
} pki_footstep;

/* What a step should do. */
typedef struct pki_stride_goal {
  double ahead, left; /* m, way of the middle along the heading and to the left */
  double yaw;         /* rad, heading of the new foot */
  double width;       /* m, between the feet */
} pki_stride_goal;

/* The limits of a step: where its foot may be, seen from the foot that stands, along its axes. */
typedef struct pki_step_limits {
  double back, ahead;  /* m, most behind (above 0) and ahead */
  double narrow, wide; /* m, least and most to the side */
  double turn;         /* rad, most */
} pki_step_limits;

/* +1: left, -1: right. */
static inline double pki_foot_side(int foot)
{
  return foot == PKI_LEFT ? 1 : -1;
}

/* The step of the other foot after `stand`, on which `foot` stands. A way to the side is made by the foot of that side, of both steps at
 * once; the other foot closes up. */
pki_footstep pki_footstep_next(const pki_footstep *stand, int foot, const pki_stride_goal *goal,
                               const pki_step_limits *limits);

/* Components of b - a along the heading of `yaw` and to its left. */
void pki_footstep_between(const double a[2], const double b[2], double yaw, double out[2]);

/* a + (ahead, left) along the heading of `yaw`. */
void pki_footstep_beside(const double a[2], double ahead, double left, double yaw, double out[2]);

/* The angle nearest to `angle` that is equal to it but for whole turns, seen from `near`. */
double pki_nearest_angle(double angle, double near);

#endif
