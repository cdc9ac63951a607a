/* The two halves of the table of elements. */
#ifndef PKI_MODEL_MJCF_ROWS_H
#define PKI_MODEL_MJCF_ROWS_H

#include "model/mjcf/mjcf_spec.h"

#define PKI_MJCF_IN_BODY \
  "body frame replicate inertial? joint freejoint geom attach site camera light plugin composite flexcomp"

/* Rows of contacts, tendons, constraints, actuators, sensors and keyframes; NULL at their end. */
const pki_mjcf_row *pki_mjcf_more_row_at(int index);

#endif
