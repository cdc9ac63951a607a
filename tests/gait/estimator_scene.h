/* A trunk that sways over feet that stand, in closed form, and the readings of a robot's sensors: for tests of the state
 * estimator. Feet are points here, so that nothing rolls. */
#ifndef PKI_TESTS_GAIT_ESTIMATOR_SCENE_H
#define PKI_TESTS_GAIT_ESTIMATOR_SCENE_H

#include "base/random.h"
#include "gait/estimator.h"
#include "pronk/legs.h"

enum { SWAY_ERRORS = PK_BASE_ESTIMATOR_ERRORS, SWAY_FEET = PK_BASE_ESTIMATOR_FEET };

/* Trunk at one moment. */
typedef struct sway_trunk {
  double p[3], v[3], R[9], w[3]; /* world; w in its axes */
} sway_trunk;

typedef struct sway_scene {
  pk_model *model;
  pk_base_estimator *estimator;
  pk_leg legs[SWAY_FEET];
  double feet[SWAY_FEET][3]; /* m, where they stand */
  double q[64], u[64];
  double gyro_bias[3], acc_bias[3];
  double much;
  pki_random random;
  bool noisy;
} sway_scene;

/* What an estimate gets wrong: turn (world), velocity as the trunk feels it, place. */
typedef struct sway_miss {
  double turn[3], tilt, velocity, place;
} sway_miss;

/* The robot of all tests: set-up and tear-down of their group. */
extern pk_model *sway_model;
int sway_load_model(void **state);
int sway_unload_model(void **state);

/* The trunk starts at rest, level, 0.4 m above the feet; `much` scales how far it goes. */
sway_trunk sway_trunk_at(double t, double much);

/* A scene with an estimator of these options; NULL: the defaults. */
void sway_begin(sway_scene *s, const pk_base_estimator_options *options);
void sway_end(sway_scene *s);

/* The estimate at the start is the truth. */
void sway_reset(sway_scene *s, pk_base_estimator_state *state);

/* Readings at t of an interval dt, of sensors as the estimator's options have them if the scene is noisy; and an update with
 * them. */
pk_base_estimator_input sway_read(sway_scene *s, double t, double dt);
void sway_step(sway_scene *s, double t, double dt, pk_base_estimator_state *state);

/* Rotation vector of a matrix. */
void sway_log(const double R[9], double out[3]);

sway_miss sway_miss_of(const sway_scene *s, double t, const pk_base_estimator_state *state);

#endif
