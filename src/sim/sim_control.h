/* The controller of a world: when it is called, and with what observation. */
#ifndef PKI_SIM_SIM_CONTROL_H
#define PKI_SIM_SIM_CONTROL_H

#include "step/world.h"

/* Let the controller set the commands when its period has passed. */
pk_status pki_control(pk_sim *sim, pk_step_info *info);

/* A world of a sim's kind: the sim's own, or one of a batch in which the sim steps. */
typedef struct pki_observed {
  double time;
  const double *q, *u, *tau; /* as it is, in the sim's joint coordinates */
  pk_sim_contact
      *contacts; /* [room] those of the last step, of which there are ncontact; may be overwritten */
  int ncontact, room;
  const double *readings, *seen; /* of its memory; NULL: there are none */
  const double *actuator_states; /* likewise */
} pki_observed;

/* What its controller sees of it. */
pk_observation pki_observe(const pk_sim *sim, const pki_observed *world);

/* Another controller goes on in the place of the present one, with what that remembers. Both are of one kind; PK_ERROR_ARGUMENT:
 * their memories or periods differ, and nothing has changed. */
pk_status pki_control_replace(pk_sim *sim, const pk_controller *controller, pk_error *err);

/* Zero the controller's block and let it begin anew. */
void pki_control_reset(pk_sim *sim);

#endif
