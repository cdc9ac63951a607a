/* What the recursions share: the motion of bodies without joint accelerations, or with them. */
#ifndef PKI_SYMBOLIC_ROBOT_RECURSION_H
#define PKI_SYMBOLIC_ROBOT_RECURSION_H

#include "symbolic/robot/robot.h"

typedef struct pki_moving {
  pki_x3 w, alpha,
      acc;      /* angular velocity and acceleration, acceleration of the origin minus gravity; body axes */
  pki_x33 W;    /* alpha~ + w~ w~ */
  pki_x6 force; /* that this takes, of the body alone */
} pki_moving;

/* moving [nbody]; a NULL: du/dt = 0. */
void pki_robot_motion(const pki_robot *robot, const pki_x *u, const pki_x *a, pki_moving *moving);

#endif
