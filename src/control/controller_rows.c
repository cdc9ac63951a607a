/* The registry of controllers. A controller's row stands in the file that controls. */
#include "control/registry.h"

extern const pki_controller_row pki_controller_hold, pki_controller_track, pki_controller_locomotion;

const pki_controller_row *const pki_controllers[] = {&pki_controller_hold, &pki_controller_track,
                                                     &pki_controller_locomotion, NULL};
