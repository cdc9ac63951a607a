/* The registry of steppers: the rows that PK_STEPPER_LIST names, in its order. */
#include "step/world.h"

#define DECLARE(id, row) extern const pki_stepper pki_stepper_##row;
#define ROW(id, row) [id] = &pki_stepper_##row,

PK_STEPPER_LIST(DECLARE)

const pki_stepper *const pki_steppers[PK_STEPPER_COUNT + 1] = {PK_STEPPER_LIST(ROW)};
