/* What each kind of sensor needs and gives. */
#ifndef PKI_MODEL_SENSOR_KINDS_H
#define PKI_MODEL_SENSOR_KINDS_H

#include "pronk/builder.h"

typedef struct pki_sensor_type {
  /* How many values. */
  int dim;
  /* Bits 1 << pk_sensor_place of what it can sit on. */
  int places;
  /* It may be relative to a frame. */
  bool relative;
} pki_sensor_type;

const pki_sensor_type *pki_sensor_type_of(pk_sensor_kind kind);

/* The name of a place, as messages say it. */
const char *pki_sensor_place_name(pk_sensor_place place);

#endif
