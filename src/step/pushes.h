/* Pushes: forces on links that act in the next step alone. */
#ifndef PKI_STEP_PUSHES_H
#define PKI_STEP_PUSHES_H

#include "step/world.h"

/* out [nu] += the pushes of this step as generalised forces at q. */
void pki_add_pushes(const pk_sim *sim, const double *q, double *out);

/* Their work over the step from q, u to q_next, u_next: trapezoidal in the generalised force. */
double pki_push_work(pk_sim *sim);

/* No pushes. */
void pki_clear_pushes(pk_sim *sim);

#endif
