/* A world with something of everything that a builder takes, for tests of files. */
#ifndef TESTS_SUPPORT_EVERYTHING_H
#define TESTS_SUPPORT_EVERYTHING_H

#include "pronk/builder.h"

/* What is put in beside links, joints and shapes. */
typedef struct everything_options {
  bool mimic;       /* a joint follows another */
  bool floating;    /* a floating joint within the tree */
  bool planar;      /* a planar joint, whose axis is oblique */
  bool meshes;      /* two shapes that share a mesh, and another mesh of the same name */
  bool cone;        /* shapes that few formats have: a cone */
  bool ground;      /* a plane and a height field on a robot that is fixed */
  bool equipment;   /* sites, actuators, sensors, a keyframe, pairs */
  bool constraints; /* a loop that is closed at rest, and a coupling */
  bool springs;     /* springs in joints, and coordinates that do not begin at 0 */
  const char *prefix;
} everything_options;

/* Robots "walker" (free) and "stand" (fixed, away from the origin) in the builder; the test fails when one is refused. */
void build_everything(pk_builder *b, const everything_options *options);

#endif
