/* Worlds for tests of batches: a setting says of what kind they are, and world k of it begins the same way wherever it is
 * made, in a sim of its own or in a batch. Whatever fails to be made fails the test. */
#ifndef PK_TESTS_FLEET_H
#define PK_TESTS_FLEET_H

#include "pronk/batch.h"
#include "pronk/code.h"

typedef enum fleet_robot {
  FLEET_FEET,     /* StarLETH of which the feet alone collide */
  FLEET_STARLETH, /* all of it */
  FLEET_ANYMAL,
  FLEET_UR10,
  FLEET_COMAN,
  FLEET_RUBBING, /* StarLETH whose joints have friction, 1 N m each */
  FLEET_SPRUNG,  /* StarLETH whose joints have springs, 20 N m/rad each */
  FLEET_MAXIMAL, /* StarLETH with all joints cut */
  FLEET_LOOP,    /* StarLETH, two feet of which a rod holds together */
  FLEET_OBJECTS  /* StarLETH, and a box and a ball beside it */
} fleet_robot;

typedef enum fleet_driver { FLEET_NOBODY, FLEET_HOLD, FLEET_TROT } fleet_driver;

typedef enum fleet_ground { FLEET_NOWHERE, FLEET_PLANE, FLEET_SLOPE, FLEET_HEIGHTS } fleet_ground;

/* How worlds begin. */
typedef enum fleet_start {
  FLEET_STANCE, /* on its feet or a little above, each a little different */
  FLEET_DROP,   /* any pose near the stance, in the air, moving */
  FLEET_VARIED, /* likewise, each with masses, friction and latency of its own */
  FLEET_MIX,    /* all that can happen side by side: see fleet.c */
  FLEET_LIMP,   /* thrown any way up, moving; nobody holds it */
  FLEET_HELD,   /* upright, a little above the ground, commands that hold the pose in which it begins */
  FLEET_WEAK    /* any way up, a little above the ground, commands with torque limits that do not lift it */
} fleet_start;

typedef struct fleet_setting {
  const char *name;
  fleet_robot robot;
  fleet_driver driver;
  fleet_ground ground;
  fleet_start start;
  double friction;
  pk_stepper stepper;
  pk_contact_law law;
  double dt;
  int steps;     /* that are worth looking at */
  bool on_lanes; /* some of them at least */
} fleet_setting;

typedef struct fleet {
  const fleet_setting *of;
  pk_model *loaded;
  pk_model own; /* of FLEET_FEET, FLEET_RUBBING and FLEET_SPRUNG */
  double joint_friction[18], stiffness[18], spring_ref[18];
  pk_model_shape shapes[4];
  const pk_model *model;
  pk_terrain *ground;
  pk_material material;
  pk_controller *controller;
  pk_sim_options options;
  pk_code *code;           /* NULL: generic kernels */
  pk_actuation *actuation; /* NULL: commands are forces */
} fleet;

void fleet_make(fleet *f, const fleet_setting *s);
void fleet_free(fleet *f);

/* The robot's own code for all lanes in place of the generic kernels; from the cache of the build folder, after the first
 * time. */
void fleet_compile(fleet *f);

/* Motors on all hinges, in turn behind rigid gears and behind springs, and a parallel spring on the last; all with limits, heat and
 * friction, fed by one battery. */
void fleet_drive(fleet *f);

/* World k at its start, in a sim of its own. */
pk_sim *fleet_sim(const fleet *f, int k);

/* Worlds 0 to count - 1 at their starts. */
pk_batch *fleet_batch(const fleet *f, int count, int lanes, int threads);
pk_batch *fleet_batch_keeping(const fleet *f, int count, int lanes, int threads, int keep);

/* A sim is where world k begins. */
void fleet_place(const fleet *f, pk_sim *sim, int k);

/* World k of a batch is that sim to the bit: state, commands, joint forces, contacts, what contacts and controllers remember.
 * `probe` is a sim of the same kind that is written over. */
bool fleet_is_same(const fleet *f, pk_batch *batch, int k, pk_sim *sim, pk_sim *probe);

#endif
