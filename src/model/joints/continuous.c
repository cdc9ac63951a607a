/* A turn about the axis, as far as it goes. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_continuous = {
    .name = "continuous",
    .doc = "angle about an axis, without limits",
    .urdf = {"continuous"},
    .parts = {{.motion = PK_MOTION_REVOLUTE, .axis = 0, .coordinate = 0, .gain = 1}},
    .nparts = 1,
};
