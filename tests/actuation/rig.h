/* A joint of unit inertia with one actuator: the rig on which actuators are tried. */
#ifndef PK_TESTS_RIG_H
#define PK_TESTS_RIG_H

#include "pronk/sim.h"

typedef struct rig {
  pk_model *model;
  pk_actuation *actuation;
  pk_sim *sim;
} rig;

/* A rig with an actuator of a kind that comes with Pronk; the joint has damping. The test fails when it cannot be made. */
rig rig_make(const char *kind, const void *parameters, double damping, pk_stepper stepper, double dt);
void rig_free(rig *r);

/* So many steps, each of which must succeed; the last one's info. */
pk_step_info rig_run(rig *r, int steps);

#endif
