/* What a controller can read, as rows: the parts of pk_observation, in joint coordinates. */
#ifndef PKI_SENSE_SENSORS_H
#define PKI_SENSE_SENSORS_H

#include "pronk/control.h"

typedef struct pki_sensor_row {
  const char *name, *doc;
  const char *unit, *width; /* for people: of what kind the numbers are, and how many */
  /* Its numbers at an observation, into `out` unless that is NULL; how many there are comes back. */
  int (*read)(const pk_observation *seen, double *out);
} pki_sensor_row;

/* Every sensor, by the name of its row: const pki_sensor_row pki_sensor_NAME, in the file that reads it. */
#define PKI_SENSOR_LIST(X) \
  X(time) \
  X(joint_position) X(joint_velocity) X(joint_force) X(base_pose) X(base_twist) X(contacts) X(stability)

/* Ends with NULL. */
extern const pki_sensor_row *const pki_sensors[];

/* Free roots, the coordinates of which base_pose and base_twist show; the joint sensors show all others. */
enum { PKI_ROOT_Q = 7, PKI_ROOT_U = 6 };

#endif
