/* What a controller can read, as rows. */
#ifndef PKI_SENSE_SENSORS_H
#define PKI_SENSE_SENSORS_H

/* What a controller sees: the parts of pk_observation. Widths are those of joint coordinates. */
typedef struct pki_sensor_row {
  const char *name, *unit, *width, *doc;
} pki_sensor_row;

extern const pki_sensor_row pki_sensors[];
extern const int pki_sensor_count;

#endif
