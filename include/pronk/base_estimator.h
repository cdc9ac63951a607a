/* A state estimator for legged robots: where the trunk is and how it moves, from an IMU on it, the encoders of the
 * legs' joints and the contact switches of the feet.
 *
 *   pk_base_estimator *estimator;
 *   pk_base_estimator_create(model, NULL, &estimator, &err);
 *   pk_base_estimator_state state;
 *   pk_pose start = pk_pose_identity();
 *   pk_base_estimator_reset(estimator, &start, &state);
 *   ...
 *   pk_base_estimator_input in = {.dt = 2.5e-3, .q = q, .u = u, .contact = {true, false, false, true}};
 *   memcpy(in.gyro, gyro, sizeof in.gyro), memcpy(in.acc, acc, sizeof in.acc);
 *   status = pk_base_estimator_update(estimator, &in, &state, &err);
 *   pk_base_estimate now = pk_base_estimator_get(estimator, &state);
 *   pk_base_estimator_destroy(estimator);
 *
 * It is a right-invariant extended Kalman filter (Hartley, Ghaffari, Eustice and Grizzle 2020) whose states are
 * attitude, velocity and position of the IMU, the biases of its gyroscope and accelerometer, and the places of the feet
 * that stand. Position and yaw cannot be observed by such sensors: they drift from where the reset has put them.
 * docs/theory/estimation.md has the equations.
 *
 * Threads: an estimator never changes after it was created, and may be shared; each state is updated by one thread at a
 * time. Nothing allocates after pk_base_estimator_create. */
#ifndef PRONK_BASE_ESTIMATOR_H
#define PRONK_BASE_ESTIMATOR_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PK_BASE_ESTIMATOR_FEET = 4, /* feet of a robot */
  /* numbers of the error: attitude, velocity, position, gyroscope's and accelerometer's bias, places of the feet */
  PK_BASE_ESTIMATOR_ERRORS = 15 + 3 * PK_BASE_ESTIMATOR_FEET,
};

/* Noise densities are those of the sensors, or larger: what the filter does not model, such as slip, flexible legs and
 * delays, counts as noise too. */
typedef struct pk_base_estimator_options {
  /* Links: left fore, right fore, left hind, right hind; NULL: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT. */
  const char *feet[4];
  /* m, where the IMU is on the trunk. Default 0, 0, 0. */
  double imu_position[3];
  /* rad, how it is turned against the trunk: roll, pitch, yaw. Default 0, 0, 0. */
  double imu_rpy[3];
  /* rad/s/sqrt(Hz), white noise of the gyroscope. Default 1e-3. */
  double gyro_noise;
  /* m/s^2/sqrt(Hz), white noise of the accelerometer. Default 0.02. */
  double acc_noise;
  /* rad/s^2/sqrt(Hz), random walk of the gyroscope's bias. Default 1e-5. */
  double gyro_walk;
  /* m/s^3/sqrt(Hz), random walk of the accelerometer's bias. Default 1e-4. */
  double acc_walk;
  /* m/s/sqrt(Hz), how a standing foot creeps. Default 1e-3. */
  double foot_noise;
  /* rad, error of a joint's angle. Default 1e-3. */
  double joint_noise;
  /* m, error of a foot's place on the trunk beside that of the joints. Default 1e-3. */
  double place_noise;
  /* s, how long a foot must have touched until it counts as standing. Default 0.01. */
  double settle;
  /* Standard deviations: a foot that is farther from where it stood has slipped, and stands anew. 0: none slips. Default 5. */
  double gate;
  /* rad, deviation of roll and of pitch at the start. The less, the more of what the accelerometer reads across gravity is
   * taken for its bias; later the two cannot be told apart. Default 0.02. */
  double start_tilt;
  /* m/s, deviation of the velocity at the start. Default 0.1. */
  double start_velocity;
  /* rad/s, deviation of the gyroscope's bias at the start. Default 0.02. */
  double start_gyro_bias;
  /* m/s^2, deviation of the accelerometer's bias at the start. Default 0.2. */
  double start_acc_bias;
} pk_base_estimator_options;

/* For a BMI088 and legs like those of StarLETH; docs/theory/estimation.md has the values. */
PK_API pk_base_estimator_options pk_base_estimator_options_default(void);

/* What is remembered between updates: numbers only, may be copied and kept in a controller's state. The covariance is
 * that of the right-invariant error, world axes. */
typedef struct pk_base_estimator_state {
  /* Unit quaternion (w, x, y, z) of the IMU's axes in the world. */
  double rotation[4];
  /* m/s, of the IMU, world. */
  double velocity[3];
  /* m, of the IMU, world. */
  double position[3];
  /* rad/s, IMU's axes. */
  double gyro_bias[3];
  /* m/s^2, IMU's axes. */
  double acc_bias[3];
  /* [4][3] m, places of the feet's centres, world; of feet that do not stand the last ones. */
  double feet[3 * PK_BASE_ESTIMATOR_FEET];
  /* rad/s, the gyroscope's last reading. */
  double gyro[3];
  /* [4] s, for how long each foot has touched; 0: it does not. */
  double touched[PK_BASE_ESTIMATOR_FEET];
  /* [4] 1: the foot stands, and its place is a state of the filter; else 0. */
  double stands[PK_BASE_ESTIMATOR_FEET];
  /* s, since the reset. */
  double time;
  /* How many times a foot was found to have slipped. */
  double slips;
  /* [27][27] covariance of the errors in the order of PK_BASE_ESTIMATOR_ERRORS; zero for feet that do not stand. */
  double covariance[PK_BASE_ESTIMATOR_ERRORS * PK_BASE_ESTIMATOR_ERRORS];
} pk_base_estimator_state;

/* Readings of one moment. */
typedef struct pk_base_estimator_input {
  /* s, since the last update; more than 0, at most 0.1. */
  double dt;
  /* rad/s, angular velocity now, IMU's axes. */
  double gyro[3];
  /* m/s^2, specific force (acceleration without gravity's), mean over dt, in the axes that the IMU has now. */
  double acc[3];
  /* [nq] of which the joints of the legs are read. */
  const double *q;
  /* [nu] likewise. */
  const double *u;
  /* Whether each foot touches the ground. */
  bool contact[PK_BASE_ESTIMATOR_FEET];
} pk_base_estimator_input;

/* What is known of the trunk: position and rotation are the seven coordinates of a free root, velocity and omega its six
 * velocities. */
typedef struct pk_base_estimate {
  /* m, of the trunk's origin, world. */
  double position[3];
  /* Unit quaternion (w, x, y, z). */
  double rotation[4];
  /* m/s, of the trunk's origin, world. */
  double velocity[3];
  /* rad/s, trunk's axes. */
  double omega[3];
  /* rad/s, IMU's axes. */
  double gyro_bias[3];
  /* m/s^2, IMU's axes. */
  double acc_bias[3];
  /* rad, standard deviation of the tilt (roll and pitch together). */
  double tilt_deviation;
  /* m/s, standard deviation of the velocity as the trunk feels it (its three components together). */
  double velocity_deviation;
} pk_base_estimate;

typedef struct pk_base_estimator pk_base_estimator;

/* For a quadruped with a free root and three hinges in each leg, as pk_locomotion_create takes it; options NULL: the
 * defaults. */
PK_API pk_status pk_base_estimator_create(const pk_model *model, const pk_base_estimator_options *options,
                                          pk_base_estimator **out, pk_error *err);

/* NULL is fine. */
PK_API void pk_base_estimator_destroy(pk_base_estimator *estimator);

/* Begin with the trunk at rest in a pose, whose position and yaw are taken as exact; NULL: the identity. */
PK_API void pk_base_estimator_reset(const pk_base_estimator *estimator, const pk_pose *trunk,
                                    pk_base_estimator_state *state);

/* Advance by one set of readings. PK_ERROR_ARGUMENT, PK_ERROR_NONFINITE: the readings are none; the state is as it was. */
PK_API pk_status pk_base_estimator_update(const pk_base_estimator *estimator,
                                          const pk_base_estimator_input *input,
                                          pk_base_estimator_state *state, pk_error *err);

/* The trunk as the state has it. */
PK_API pk_base_estimate pk_base_estimator_get(const pk_base_estimator *estimator,
                                              const pk_base_estimator_state *state);

/* ---- for worlds with sensors (sensing.h) ---- */

typedef struct pk_sensing pk_sensing;
typedef struct pk_estimator pk_estimator;

/* The same as what pk_sensing_set_estimator takes: controllers that see sensors (pk_sim_options.sees) then see the trunk as
 * it is estimated. It reads the first "imu" on the trunk, whose place and axes stand in for imu_position and imu_rpy of the
 * options, a "switch" on each foot and an "encoder" on each joint of the legs. It begins in the pose in which the world
 * does. PK_ERROR_ARGUMENT names a sensor that is missing. */
PK_API pk_status pk_base_estimator_create_sensing(const pk_model *joint_model, const pk_sensing *sensing,
                                                  const pk_base_estimator_options *options,
                                                  pk_estimator **out, pk_error *err);

/* NULL is fine. */
PK_API void pk_base_estimator_destroy_sensing(pk_estimator *estimator);

#ifdef __cplusplus
}
#endif
#endif
