/* A turn about the axis between limits. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_revolute = {
    .name = "revolute",
    .doc = "angle about an axis, with limits",
    .urdf = {"revolute"},
    .parts = {{.motion = PK_MOTION_REVOLUTE, .axis = 0, .coordinate = 0, .gain = 1}},
    .nparts = 1,
    .has_limits = true,
    .unlimited = "continuous",
};
