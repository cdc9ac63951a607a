/* Numbers of a scenario that a viewer offers as sliders: those of the controller, of actuators, friction of materials, the time
 * step, the duration. */
#ifndef PKI_SERVE_LIVE_PARAMETERS_H
#define PKI_SERVE_LIVE_PARAMETERS_H

#include "base/text.h"
#include "scenario/scenario.h"

typedef struct pki_parameter {
  char key[96];   /* as --set takes it */
  char group[96]; /* what it belongs to, for people; "": what its key says */
  double value;
  const pk_field *field; /* range, unit, doc */
  bool live;             /* changes while the world goes on; others restart it */
  int entry;             /* of `actuators`; -1: none */
  int motor;             /* pk_motor_value that it is; -1: none */
} pki_parameter;

/* For free(); NULL when memory is out. */
pki_parameter *pki_parameters_create(const pki_scenario *scenario, int *count);

/* The one of that key; a failure names the nearest. */
pk_status pki_parameters_find(pki_parameter *parameters, int count, const char *key, pki_parameter **out,
                              pk_error *err);

/* The value that a text stands for, checked against the field. */
pk_status pki_parameter_read(const pki_parameter *parameter, const char *text, double *out, pk_error *err);

/* It takes that value, now or in a world that starts anew. */
bool pki_parameter_is_live(const pki_parameter *parameter, double value);

/* As a JSON list. */
void pki_parameters_json(const pki_parameter *parameters, int count, pki_text *out);

#endif
