/* The smallest robot with a joint: an arm of unit inertia on a fixed base, turning about +-z. */
#ifndef PK_TESTS_HINGE_H
#define PK_TESTS_HINGE_H

#include "pronk/model.h"

/* A hinge about z with everything zero, to be changed and passed on. */
pk_joint_desc hinge_joint(void);

/* The compiled robot; the test fails when it does not compile. */
pk_model *hinge_model(const pk_joint_desc *joint);

#endif
