/* Sensors of a robot as real parts are: what they measure, and what they get wrong.
 *
 *   pk_sensor imu = {.kind = pk_sensing_kind_find("imu"), .link = trunk, .position = {0.1, 0, 0.05}};
 *   pk_sensor_part_find("bmi088", &imu.part);
 *   pk_sensing *sensing;
 *   pk_sensing_create(model, &imu, 1, 42, &sensing, &err);
 *   pk_sim_options o = pk_sim_options_default();
 *   o.sensing = sensing;
 *   pk_sim_create(model, &o, &sim, &err);
 *   pk_sim_step(sim, NULL);
 *   const double *acc = pk_sim_readings(sim) + pk_sensing_at(sensing, 0), *gyro = acc + 3;
 *
 * Readings are made once after each step, of the world as it is at the end of that step, which is the start of the next
 * one. Each sensor goes through the same stages (docs/theory/sensing.md):
 *
 *   what it measures -> bandwidth -> sampled at its rate -> bias and noise -> resolution -> range -> latency
 *
 * Random numbers are functions of the seed, the world's stream (pk_sim_set_stream; world k of a batch: k), the
 * sensor's index and the step alone. So a run can be repeated to the bit, alone and in a batch, and from a
 * checkpoint.
 *
 * Threads: a pk_sensing is read-only after it was made; sims and batches on several threads share it. */
#ifndef PRONK_SENSING_H
#define PRONK_SENSING_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a part: what a sensor gets wrong ---- */

/* Errors of numbers of one unit. Zero: none. All are in the unit of the reading, each axis drawn for itself. */
typedef struct pk_sensor_errors {
  /* Standard deviation of white noise, in each sample. */
  double noise;
  /* Per sqrt(Hz), density of white noise as data sheets of inertial sensors have it: in each sample its standard deviation
   * is density sqrt(rate), beside `noise`. */
  double density;
  /* Standard deviation of a bias that is drawn when a world begins, and stays. */
  double bias;
  /* Per sqrt(s): K of a bias that walks by K sqrt(h) in a time h. */
  double bias_walk;
  /* s, correlation time of that walk; 0: it goes on for ever. Otherwise a Gauss-Markov process, whose variance
   * settles at K^2 correlation / 2. */
  double correlation;
  /* Steps in which it counts; 0: exact. */
  double resolution;
  /* Largest value to either side, where it saturates; 0: no limit. */
  double range;
} pk_sensor_errors;

typedef struct pk_sensor_part {
  /* Hz, samples; between them the last one stands. 0: each step. */
  double rate;
  /* s, from the sample to the reading, to the nearest whole step. */
  double latency;
  /* Hz, where a first-order low-pass in front of the sampling has fallen by 3 dB; 0: none. Not of "pose". */
  double bandwidth;
  /* Probability that a sample is lost, and the one before stands. */
  double dropout;
  /* Of the first numbers of a reading: lengths, forces, accelerations, and all that is alone. */
  pk_sensor_errors linear;
  /* Of those that follow, in kinds which have two of a sort: attitude, angular velocity, torque. */
  pk_sensor_errors angular;
} pk_sensor_part;

/* A real part by its name: the inertial units "adis16448", "adis16470", "bmi088", "vn-100", "mti-300", "mti-3", the
 * encoders "encoder-12bit", "encoder-14bit", "encoder-19bit", the six-axis sensors "ati-mini45", "robotiq-ft300".
 * False: there is none of that name, and *out is as it was. */
PK_API bool pk_sensor_part_find(const char *name, pk_sensor_part *out);

/* Their names, one by one; NULL: no more. */
PK_API const char *pk_sensor_part_name(int index);

/* ---- what a kind of sensor sees ---- */

typedef struct pk_sensor pk_sensor;
struct pk_actuation;

/* The world at the end of a step, in joint coordinates. */
typedef struct pk_sensing_input {
  /* s. */
  double time;
  /* s, the step that ended. */
  double dt;
  /* Steps since the world began. */
  long long step;
  /* The world was put here, it did not come here by a step: rates of change are zero, differences begin anew. */
  bool anew;
  /* The model in joint coordinates. */
  const pk_model *model;
  /* [nq] its configuration. */
  const double *q;
  /* [nu] its velocities. */
  const double *u;
  /* [nu] those at the start of the step; u itself when anew. */
  const double *u_before;
  /* [nu] N m or N, joint forces in the step. */
  const double *tau;
  /* [ncontact] of the step; their forces are impulse / dt. */
  const pk_sim_contact *contacts;
  /* How many. */
  int ncontact;
  /* The world's actuators; NULL: it has none. */
  const struct pk_actuation *actuation;
  /* [pk_actuation_state_size] what they remember; NULL: nothing. */
  const double *actuator_states;
  /* Kinematics of the model at q and u. Where a kind has `dynamics`, bodies have accelerations, too. Read it only. */
  const pk_workspace *workspace;
  /* Where the sensor is on its link, in the link's frame. */
  const pk_pose *frame;
  /* m, to the first thing on the way of a ray from a point along a unit vector, world; `reach` when there is none nearer.
   * The body `skip` is transparent. */
  double (*ray)(void *world, const double from[3], const double along[3], double reach, int skip);
  /* m, height of the ground at a place (x, y), world, the highest below the sky; false: there is none. */
  bool (*ground)(void *world, const double place[2], double *height);
  /* For these two. */
  void *world;
} pk_sensing_input;

/* What sensors of a kind are on. */
typedef enum pk_sensing_place {
  PK_SENSING_ON_LINK,
  PK_SENSING_ON_JOINT, /* a velocity coordinate that has a coordinate of its own */
  PK_SENSING_PLACE_COUNT
} pk_sensing_place;

typedef struct pk_sensing_kind pk_sensing_kind;

/* A kind of sensor, which a user may write, too. Its functions may be called by several threads, each with the memory of
 * another world: they must write nothing but their results. */
struct pk_sensing_kind {
  /* For messages and columns; required. */
  const char *name;
  /* One line about it. */
  const char *doc;
  pk_sensing_place place;
  /* Numbers of a reading; 0: `width` tells. */
  int values;
  /* The same for one sensor, when it depends on it; NULL: it does not. */
  int (*width)(const pk_sensor *sensor);
  /* [values] names and units of the numbers; NULL: they are counted, and `unit` is that of all. */
  const char *const *columns;
  const char *const *units;
  const char *unit;
  /* Of its first numbers those with the errors `linear`, then those with `angular`; others have none of their own. -1: all. */
  int linear;
  int angular;
  /* The angular part is a quaternion, of four numbers; errors turn it about its own axes. */
  bool attitude;
  /* Numbers that a sensor remembers in each world, zeros at first. */
  int memory;
  /* It must be read in each step, whether a sample is due or not. */
  bool always;
  /* It reads accelerations of bodies. */
  bool dynamics;
  /* It reads a motor: its joint must have an actuator of the kind "dc" or "sea". */
  bool motor;
  /* What it measures, without errors; required. */
  void (*read)(const pk_sensor *sensor, const pk_sensing_input *in, double *memory, double *values);
  /* What follows from a sample after its errors, in place: speeds from differences, switches from forces. NULL: nothing. */
  void (*finish)(const pk_sensor *sensor, const pk_sensing_input *in, double *memory, double *values);
};

/* The kinds that come with Pronk, by name: "pose", "velocity", "imu", "encoder", "tachometer", "torque",
 * "motor-encoder", "motor-current", "motor-temperature", "switch", "contact-force", "force-torque", "ray", "height-scan"; NULL: there is none of that name. */
PK_API const pk_sensing_kind *pk_sensing_kind_find(const char *name);

/* Their names, one by one; NULL: no more. */
PK_API const char *pk_sensing_kind_name(int index);

/* ---- sensors ---- */

/* Axes in which a vector is given. */
typedef enum pk_sensor_axes {
  PK_SENSOR_AXES_WORLD,
  PK_SENSOR_AXES_OWN, /* those of the sensor on its link */
  PK_SENSOR_AXES_COUNT
} pk_sensor_axes;

/* Where an encoder's velocity is from. */
typedef enum pk_encoder_velocity {
  PK_ENCODER_VELOCITY_DIFFERENCED, /* two samples of the position, as drives do */
  PK_ENCODER_VELOCITY_EXACT,       /* the joint's own */
  PK_ENCODER_VELOCITY_COUNT
} pk_encoder_velocity;

/* A sensor of a robot. Left out of an initialiser, a member is zero: in the middle of its link, without errors. */
struct pk_sensor {
  /* Required. */
  const pk_sensing_kind *kind;
  /* For messages and columns; copied. NULL: the kind and what it is on, as "imu/base". */
  const char *name;
  /* Link that carries it, of kinds on links. */
  int link;
  /* Velocity coordinate that it measures, of kinds on joints. */
  int dof;
  /* m, where it is, link frame. */
  double position[3];
  /* rad, roll, pitch and yaw of its axes in the link's. */
  double rpy[3];
  /* Of "velocity" and "contact-force"; those of "imu" and "force-torque" are always the sensor's own. */
  pk_sensor_axes axes;
  /* Of "encoder". */
  pk_encoder_velocity velocity;
  /* N, of "switch": closed above it. */
  double threshold;
  /* m, of "ray": as far as it sees, above 0; of "height-scan": reading where there is no ground. */
  double reach;
  /* Of "height-scan": points along x and y, 1 or more, and m from one to the next. */
  int points[2];
  double spacing;
  pk_sensor_part part;
};

/* The sensors of a model in joint coordinates (the model, or its tree where joints are cut), which must outlive them. List
 * and names are copied.
 * PK_ERROR_ARGUMENT: a link or coordinate that is none or that the kind cannot be on, a number out of its range, two
 * sensors of one name; the message names the sensor. */
PK_API pk_status pk_sensing_create(const pk_model *joint_model, const pk_sensor *list, int count,
                                   unsigned long long seed, pk_sensing **out, pk_error *err);
PK_API void pk_sensing_destroy(pk_sensing *sensing);

/* How many there are, one of them with its name, and the one of a name (-1: none). */
PK_API int pk_sensing_count(const pk_sensing *sensing);
PK_API pk_sensor pk_sensing_get(const pk_sensing *sensing, int index);
PK_API int pk_sensing_find(const pk_sensing *sensing, const char *name);

/* Numbers of all readings together; where those of one sensor begin, and how many it has. */
PK_API int pk_sensing_values(const pk_sensing *sensing);
PK_API int pk_sensing_at(const pk_sensing *sensing, int index);
PK_API int pk_sensing_width(const pk_sensing *sensing, int index);

/* The first sensor of a kind from `from` on, on that link or coordinate (-1: on any); -1: none. */
PK_API int pk_sensing_find_on(const pk_sensing *sensing, const char *kind, int object, int from);

/* ---- readings ---- */

/* [pk_sensing_values] readings of a world now, those of one sensor from pk_sensing_at on; NULL: no sensing. Kept until the
 * next step ends. After the state was written by hand they are those of before until a step begins, or pk_sim_sense. */
PK_API const double *pk_sim_readings(const pk_sim *sim);

/* Readings of the world as it stands, where it was put there by hand; otherwise nothing happens. A step begins with it. */
PK_API void pk_sim_sense(pk_sim *sim);

/* Which random numbers a world draws: 0 at first, in a batch the world's number. Part of the state; a reset keeps it. Set it
 * before the first step. */
PK_API void pk_sim_set_stream(pk_sim *sim, unsigned long long stream);
PK_API unsigned long long pk_sim_get_stream(const pk_sim *sim);
PK_API void pk_batch_set_stream(pk_batch *batch, int world, unsigned long long stream);

/* Readings of all worlds [pk_sensing_values]; n is 0 without sensing. */
PK_API pk_batch_view pk_batch_readings(pk_batch *batch);

/* ---- what a controller sees of the world through sensors ---- */

typedef struct pk_estimator pk_estimator;

/* Who finds out what no sensor shows (the pose and the velocity of a trunk), for worlds whose controllers see sensors
 * (pk_sim_options.sees). It has the last word on q and u: sensors on a free root ("pose", "velocity") fill in what there is
 * no estimator for, and what it does not set. Like a controller it is shared by worlds and threads, and writes nothing but its results. */
struct pk_estimator {
  /* For messages; required. */
  const char *name;
  /* Numbers that it remembers in each world. */
  int nstate;
  /* A world begins at q, u, which it may know: the first states, zeros before. NULL: zeros. */
  void (*reset)(const pk_estimator *self, const pk_sensing *sensing, const double *q, const double *u,
                double *state);
  /* After each step. q [nq], u [nu] are what the controller will see: joints with encoders and free roots with
   * "pose" or "velocity" sensors as these read, other joints as they are, other free roots as they were seen after the last
   * step. What it sets is what is seen. The workspace is scratch of the joint model. */
  void (*update)(const pk_estimator *self, const pk_sensing *sensing, double dt, const double *readings,
                 pk_workspace *workspace, double *state, double *q, double *u);
  /* Its parameters. */
  const void *user;
};

/* The estimator of all worlds with these sensors, which must outlive them; NULL: none. Before worlds are made. */
PK_API void pk_sensing_set_estimator(pk_sensing *sensing, const pk_estimator *estimator);

#ifdef __cplusplus
}
#endif
#endif
