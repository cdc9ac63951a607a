/* The controller of a world: when it is called, and with what observation. */
#ifndef PKI_SIM_SIM_CONTROL_H
#define PKI_SIM_SIM_CONTROL_H

#include "step/world.h"

/* Let the controller set the commands when its period has passed. */
pk_status pki_control(pk_sim *sim, pk_step_info *info);

/* What a controller sees of a world of this sim: the sim's own, or one of a batch in which the sim steps. Coordinates are those of
 * the sim's joint model, contacts those of the last step. */
pk_observation pki_observe(const pk_sim *sim, double time, const double *q, const double *u,
                           const double *tau, const pk_sim_contact *contacts, int ncontact);

/* Zero the controller's block and let it begin anew. */
void pki_control_reset(pk_sim *sim);

#endif
