/* What acts on a world from outside: its controller, and pushes. */
#ifndef PKI_STEP_OUTSIDE_H
#define PKI_STEP_OUTSIDE_H

#include "step/sim.h"

/* Let the controller set the commands when its period has passed. */
pk_status pki_control(pk_sim *sim, pk_step_info *info);

/* Zero the controller's block and let it begin anew. */
void pki_control_reset(pk_sim *sim);

/* out [nu] += the pushes of this step as generalised forces at q. */
void pki_add_pushes(const pk_sim *sim, const double *q, double *out);

/* Their work over the step from q, u to q_next, u_next: trapezoidal in the generalised force. */
double pki_push_work(pk_sim *sim);

/* No pushes. */
void pki_clear_pushes(pk_sim *sim);

#endif
