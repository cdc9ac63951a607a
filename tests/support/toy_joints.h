/* Joint kinds that the library does not have. A test that is linked with toy_joints.c has them in the table of kinds:
 * everything else is the library as it is, so that what works for them works for a kind that is one file and one row. */
#ifndef PK_TESTS_TOY_JOINTS_H
#define PK_TESTS_TOY_JOINTS_H

#include "model/joint_type.h"

/* The rows that PK_JOINT_KINDS would have. */
#define TOY_JOINT_KINDS(ROW) \
  /* 1 coordinate: angle about the axis, travel TOY_PITCH for each radian; with limits */ \
  ROW(TOY_SCREW, screw) \
  /* 2 coordinates: angle about the axis, then about the axis after it */ \
  ROW(TOY_UNIVERSAL, universal) \
  /* 2 coordinates: travel along the axis, angle about it */ \
  ROW(TOY_CYLINDRICAL, cylindrical) \
  /* 2 coordinates: two universal joints back to back, which bend alike */ \
  ROW(TOY_HOMOKINETIC, homokinetic)

#define TOY_VALUE(value, name) value,
enum { TOY_BEFORE = PK_JOINT_KIND_COUNT - 1, TOY_JOINT_KINDS(TOY_VALUE) TOY_END };
#undef TOY_VALUE

/* m/rad */
#define TOY_PITCH 0.07

#endif
