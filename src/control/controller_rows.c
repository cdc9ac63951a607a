/* The registry of controllers: the rows that PKI_CONTROLLER_LIST names. */
#include "control/registry.h"

#define DECLARE(row) extern const pki_controller_row pki_controller_##row;
#define ROW(row) &pki_controller_##row,

PKI_CONTROLLER_LIST(DECLARE)

const pki_controller_row *const pki_controllers[] = {PKI_CONTROLLER_LIST(ROW) NULL};
