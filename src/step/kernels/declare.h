/* The names of this variant's kernels. */
#ifndef PKI_STEP_DECLARE_H
#define PKI_STEP_DECLARE_H

#include "math/lane.h"
#include "step/group.h"

void PKI_NAME(group_advance)(pki_group *g, const pki_lane_world *lane_worlds, int count, pki_lane_info *out);

extern const pki_group_kernels PKI_NAME(group_kernels);

#endif
