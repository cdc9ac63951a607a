/* The registry of kinds of actuators: the rows that PKI_ACTUATOR_LIST names. */
#include "actuation/actuation.h"

#define DECLARE(row) extern const pki_actuator_row pki_actuator_##row;
#define ROW(row) &pki_actuator_##row,

PKI_ACTUATOR_LIST(DECLARE)

const pki_actuator_row *const pki_actuators[] = {PKI_ACTUATOR_LIST(ROW) NULL};

const pk_actuator_kind *pk_actuator_kind_find(const char *name)
{
  const int row = pki_row_find(pki_actuators, name);
  return row >= 0 ? &pki_actuators[row]->kind : NULL;
}

const char *pk_actuator_kind_name(int index)
{
  return index >= 0 && index < pki_row_count(pki_actuators) ? pki_row_name(pki_actuators, index) : NULL;
}
