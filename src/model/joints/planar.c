/* Travels along the two axes that follow the normal, then a turn about it. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_planar = {
    .name = "planar",
    .doc = "travel in a plane and angle about its normal",
    .urdf = {"planar"},
    .parts = {{.motion = PK_MOTION_PRISMATIC, .axis = 1, .coordinate = 0, .gain = 1},
              {.motion = PK_MOTION_PRISMATIC, .axis = 2, .coordinate = 1, .gain = 1},
              {.motion = PK_MOTION_REVOLUTE, .axis = 0, .coordinate = 2, .gain = 1}},
    .nparts = 3,
};
