/* A group under way (step/group.h). */
#ifndef PKI_STEP_FLIGHT_H
#define PKI_STEP_FLIGHT_H

#include <stdbool.h>

#include "dynamics/kernels/declare.h"
#include "step/contact.h"
#include "step/kernels/rows.h"

/* A group under way. */
typedef struct pki_flight {
  pki_group *g;
  const pki_group_plan *p;
  pk_i going;    /* lanes that are still fit for this */
  unsigned rows; /* balls whose J is there, as bits */
  unsigned in;   /* balls that take part in some lane */
  bool looked;   /* at all pairs of shapes */
} pki_flight;

#endif
