/* What a controller can read, as rows: the parts of pk_observation, in joint coordinates. */
#ifndef PKI_SENSE_SENSORS_H
#define PKI_SENSE_SENSORS_H

#include "pronk/control.h"

/* A sensor's row, in the file that reads it: const pki_sensor_row pki_sensor_NAME. */
typedef struct pki_sensor_row {
  const char *name, *doc;
  const char *unit, *width; /* for people: of what kind the numbers are, and how many */
  /* Its numbers at an observation, into `out` unless that is NULL; how many there are comes back. */
  int (*read)(const pk_observation *seen, double *out);
} pki_sensor_row;

/* Ends with NULL. */
extern const pki_sensor_row *const pki_sensors[];

/* Free roots, the coordinates of which base_pose and base_twist show; the joint sensors show all others. */
enum { PKI_ROOT_Q = 7, PKI_ROOT_U = 6 };

#endif
