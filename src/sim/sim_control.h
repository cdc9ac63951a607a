/* The controller of a world: when it is asked, and what it is shown. */
#ifndef PKI_SIM_SIM_CONTROL_H
#define PKI_SIM_SIM_CONTROL_H

#include "step/world.h"

/* Let the controller set the commands when its period has passed. */
pk_status pki_control(pk_sim *sim, pk_step_info *info);

/* Zero the controller's block and let it begin anew. */
void pki_control_reset(pk_sim *sim);

#endif
