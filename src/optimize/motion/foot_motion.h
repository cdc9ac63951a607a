/* Where a foot touches the ground and how fast, and the mass and momentum of the robot, as expressions. */
#ifndef PKI_OPTIMIZE_MOTION_FOOT_MOTION_H
#define PKI_OPTIMIZE_MOTION_FOOT_MOTION_H

#include "optimize/motion/robot_functions.h"
#include "symbolic/robot/robot.h"

typedef struct pki_foot_motion {
  pki_x3 point;                     /* that touches, world axes */
  pki_x3 turn;                      /* angular velocity of the foot's body, world axes */
  pki_x3 axes[3];                   /* of a sole, the last its normal; world axes */
  pki_x w[PKI_MOTION_CONTACT_ROWS]; /* velocity of the point that touches; of a sole, its angular velocity */
} pki_foot_motion;

/* False: out of memory. */
bool pki_motion_of_foot(const pki_robot *robot, const pki_motion_foot *foot, pki_foot_motion *out);

/* Centre of mass; momentum[0] angular about it, momentum[1] linear. False: out of memory. */
bool pki_motion_mass(const pki_robot *robot, pki_x3 *c, pki_x3 momentum[2]);

double pki_motion_gravity(const pk_model *model); /* m/s^2 */

#endif
