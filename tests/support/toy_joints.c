#include "support/toy_joints.h"

static const pki_joint_type toy_screw = {
    .name = "screw",
    .doc = "angle about an axis and travel along it, in proportion",
    .urdf = {"screw", "helical"},
    .parts = {{.motion = PK_MOTION_REVOLUTE, .axis = 0, .coordinate = 0, .gain = 1},
              {.motion = PK_MOTION_PRISMATIC, .axis = 0, .coordinate = 0, .gain = TOY_PITCH}},
    .nparts = 2,
    .has_limits = true,
};

static const pki_joint_type toy_universal = {
    .name = "universal",
    .doc = "angles about two axes that meet",
    .urdf = {"universal"},
    .parts = {{.motion = PK_MOTION_REVOLUTE, .axis = 0, .coordinate = 0, .gain = 1},
              {.motion = PK_MOTION_REVOLUTE, .axis = 1, .coordinate = 1, .gain = 1}},
    .nparts = 2,
};

static const pki_joint_type toy_cylindrical = {
    .name = "cylindrical",
    .doc = "travel along an axis and angle about it",
    .urdf = {"cylindrical"},
    .parts = {{.motion = PK_MOTION_PRISMATIC, .axis = 0, .coordinate = 0, .gain = 1},
              {.motion = PK_MOTION_REVOLUTE, .axis = 0, .coordinate = 1, .gain = 1}},
    .nparts = 2,
};

static const pki_joint_type toy_homokinetic = {
    .name = "homokinetic",
    .doc = "two universal joints that bend alike",
    .urdf = {"homokinetic"},
    .parts = {{.motion = PK_MOTION_REVOLUTE, .axis = 1, .coordinate = 0, .gain = 1},
              {.motion = PK_MOTION_REVOLUTE, .axis = 2, .coordinate = 1, .gain = 1},
              {.motion = PK_MOTION_REVOLUTE, .axis = 2, .coordinate = 1, .gain = 1},
              {.motion = PK_MOTION_REVOLUTE, .axis = 1, .coordinate = 0, .gain = 1}},
    .nparts = 4,
};

/* The library's table and four rows; it stands for that of model/joint_table.c. */
#define TABLE_ROW(kind, name) [kind] = &pki_joint_##name,
#define TOY_ROW(kind, name) [kind] = &toy_##name,

const pki_joint_type *const pki_joint_types[] = {PK_JOINT_KINDS(TABLE_ROW) TOY_JOINT_KINDS(TOY_ROW)};
const int pki_joint_type_count = sizeof pki_joint_types / sizeof pki_joint_types[0];
