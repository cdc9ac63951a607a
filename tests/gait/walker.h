/* A quadruped on some ground with the locomotion controller, and what is measured of its motion. */
#ifndef PKI_TESTS_GAIT_WALKER_H
#define PKI_TESTS_GAIT_WALKER_H

#include "pronk/gait.h"
#include "pronk/sim.h"

enum { WALKER_CONTACTS = 64 };

/* The robots of the tests: model and a stance with the feet below the hips. */
typedef struct walker_robot {
  const char *model;
  double height; /* m, of the trunk's origin */
  double leg[3]; /* rad, joints of the fore legs */
  bool alike;    /* hind legs bend as the fore ones do; otherwise they mirror them */
} walker_robot;

typedef struct walker {
  pk_model *model;
  pk_terrain *terrain;
  pk_controller *controller;
  pk_sim *sim;
  const walker_robot *robot;
  int base, feet[4];
} walker;

typedef struct walker_push {
  double start, length, force[3]; /* s, s, N on the trunk's origin */
} walker_push;

/* Over a stretch of time. */
typedef struct walker_facts {
  double speed[3];                /* mean: forward, sideways (along the heading), turn */
  double height[2];               /* m, least and most of the trunk's origin */
  double tilt;                    /* rad, most of the trunk's z from the vertical */
  double drift;                   /* m, of the trunk's origin from its place at the start */
  double peak;                    /* most normal force of one foot, in weights of the robot */
  double slip;                    /* m, way that loaded feet slid, for each foot and second */
  double stance, swing;           /* s, mean times of a foot on the ground and in the air */
  double torque;                  /* N m, most */
  double margin;                  /* rad, least distance of a joint from its limits */
  int tight;                      /* velocity coordinate of that joint */
  double worst;                   /* relative residual */
  int steps, uncertified, others; /* others: steps in which something else than a foot touched */
  int saturated;                  /* torques at their limits, summed over all joints and steps */
} walker_facts;

/* Which ground: the terrain is given empty. NULL: flat ground, and for options the defaults with steps of 2.5 ms. */
typedef void walker_ground(pk_terrain *terrain);

extern const walker_robot walker_starleth, walker_anymal, walker_quadruped15;

/* The robot alone; with an arm: a hinge on its trunk, a slider on that and a ball joint at the end, all askew. The arm's
 * coordinates follow those of the legs. */
pk_model *walker_model(const walker_robot *robot, bool arm);

walker walker_create_robot(const walker_robot *robot, const pk_sim_options *sim,
                           const pk_locomotion_options *options, walker_ground *ground);
/* The same with StarLETH. */
walker walker_create(const pk_sim_options *sim, const pk_locomotion_options *options, walker_ground *ground);
void walker_destroy(walker *w);

/* The nominal stance, trunk along a slope that rises by `pitch` along x and `roll` along y. */
void walker_place(walker *w, double pitch, double roll);

/* Run for `time`; false when it fell (trunk below 0.2 m above the mean foot, or upside down). */
bool walker_run(walker *w, double time, const walker_push *push, walker_facts *facts);

void walker_print(const char *what, const walker_facts *facts);

#endif
