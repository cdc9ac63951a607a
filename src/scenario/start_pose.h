/* Where a world's robots start: named poses, `joints`, and the ground below them. */
#ifndef PKI_SCENARIO_START_POSE_H
#define PKI_SCENARIO_START_POSE_H

#include "scenario/scenario.h"

/* Each model's `pose`, then its `joints`, then its place on the ground. The ground must be there. */
void pki_world_set_pose(pki_world *world, pki_problems *problems);

#endif
