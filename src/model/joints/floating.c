/* Free in space: a position in the joint frame and an attitude. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_floating = {
    .name = "floating",
    .doc = "free in space: position and quaternion",
    .urdf = {"floating"},
    .parts = {{.motion = PK_MOTION_FLOATING, .coordinate = 0}},
    .nparts = 1,
};
