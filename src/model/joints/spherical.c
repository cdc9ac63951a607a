/* A ball in a socket: an attitude in the joint frame. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_spherical = {
    .name = "spherical",
    .doc = "ball joint: quaternion",
    .urdf = {"spherical", "ball"},
    .parts = {{.motion = PK_MOTION_SPHERICAL, .coordinate = 0}},
    .nparts = 1,
};
