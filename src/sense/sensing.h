/* Sensors with the errors of real parts: what a world remembers of them, and how a reading is made.
 *
 *   sensing.c       the sensors of a robot: checked, laid out
 *   readings.c      the stages from what is measured to what is read
 *   seen.c          what a controller sees of a world through them
 *   sense_KIND.c    kinds: what is measured
 *   sensing_kinds.c their registry
 *   sensor_parts.c  real parts
 *   frames.c        frames of bodies, and what holds a link
 *
 * docs/theory/sensing.md has the equations. */
#ifndef PKI_SENSE_SENSING_H
#define PKI_SENSE_SENSING_H

#include <stdint.h>

#include "base/field.h"
#include "pronk/sensing.h"

/* One sensor, ready to read. */
typedef struct pki_sensor {
  pk_sensor as;
  char name[128];
  pk_pose frame;       /* on its link */
  int first, width;    /* of its readings */
  int linear, angular; /* how many numbers have which errors; an attitude has three */
} pki_sensor;

struct pk_sensing {
  const pk_model *model;
  uint64_t hash;  /* of the model */
  uint64_t shape; /* of all that decides what a world remembers, and what is drawn */
  uint64_t seed;
  pki_sensor *sensors; /* [count] */
  int count, nvalue, widest;
  bool dynamics; /* some kind reads accelerations */
  bool switches; /* some sensor is a switch */
  bool *sensed;  /* [nrobot] robots that have sensors */
  const pk_estimator *estimator;
};

/* Kinds, by the name of their row: const pk_sensing_kind pki_sense_NAME, in the file that reads it. */
#define PKI_SENSING_LIST(X) \
  X(pose) \
  X(velocity) \
  X(imu) \
  X(encoder) \
  X(tachometer) \
  X(torque) \
  X(motor_encoder) \
  X(motor_current) X(motor_temperature) X(switch) X(contact_force) X(force_torque) X(ray) X(height_scan)

#define PKI_SENSING_DECLARE(row) extern const pk_sensing_kind pki_sense_##row;
PKI_SENSING_LIST(PKI_SENSING_DECLARE)
#undef PKI_SENSING_DECLARE

/* Ends with NULL. */
extern const pk_sensing_kind *const pki_sensing_kinds[];

/* A real part. */
typedef struct pki_part_row {
  const char *name, *doc; /* what it is, and where the numbers are from */
  const char *kind;       /* of sensor that it is */
  pk_sensor_part part;
} pki_part_row;

/* Ends with NULL. */
extern const pki_part_row *const pki_sensor_parts[];

/* The field tables of pk_sensor_part, and of what else a sensor is told by. */
extern const pk_field pki_sensor_part_fields[], pki_sensor_fields[];
extern const int pki_sensor_part_field_count, pki_sensor_field_count;

/* Numbers that a world with this step remembers of its sensors, beside the readings. */
size_t pki_sensing_memory(const pk_sensing *sensing, double dt);

/* All readings at the input, which tells all but the frame. `begins`: the world's first readings. `scratch` [widest]. */
void pki_sensing_read(const pk_sensing *sensing, pk_sensing_input *in, uint64_t stream, bool begins,
                      double *scratch, double *memory, double *readings);

/* ---- seen.c ---- */

/* Numbers of what a controller sees: q [nq], u [nu], tau [nu]. */
static inline size_t pki_seen_size(const pk_model *joint_model)
{
  return (size_t)(joint_model->nq + 2 * joint_model->nu);
}

/* What a controller sees after a step, from readings and, where nothing shows it, from the world. The workspace is scratch. */
void pki_see(const pk_sensing *sensing, const pk_sensing_input *in, bool begins, const double *readings,
             pk_workspace *workspace, double *state, double *seen);

/* The contacts that switches show, at most `room`, where the sensors are in the configuration that is seen; how many. -1: there are no
 * switches. The workspace is scratch. */
int pki_see_contacts(const pk_sensing *sensing, const double *readings, const double *seen, double dt,
                     pk_workspace *workspace, pk_sim_contact *out, int room);

/* ---- for kinds ---- */

/* The motor on a velocity coordinate, "dc" or "sea": its index in the actuation; -1: there is none. */
int pki_find_motor(const struct pk_actuation *actuation, int dof);

/* An encoder's velocity from two samples of its position; what it remembers in between. */
enum { PKI_ENCODER_POSITION, PKI_ENCODER_STEP, PKI_ENCODER_MEMORY };
void pki_difference_samples(const pk_sensor *sensor, const pk_sensing_input *in, double *memory,
                            double *values);

/* Where the sensor is in the world. */
pk_pose pki_sensor_pose(const pk_sensor *sensor, const pk_sensing_input *in);

/* Velocity of its point, and its angular velocity, world axes. */
void pki_sensor_velocity(const pk_sensor *sensor, const pk_sensing_input *in, double v[3], double w[3]);

#endif
