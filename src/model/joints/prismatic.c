/* A travel along the axis between limits. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_prismatic = {
    .name = "prismatic",
    .doc = "travel along an axis",
    .urdf = {"prismatic"},
    .parts = {{.motion = PK_MOTION_PRISMATIC, .axis = 0, .coordinate = 0, .gain = 1}},
    .nparts = 1,
    .has_limits = true,
};
