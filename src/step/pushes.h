/* Pushes: forces on links that act in the next step alone. */
#ifndef PKI_STEP_PUSHES_H
#define PKI_STEP_PUSHES_H

#include "step/world.h"

/* out [nu] += the pushes of this step as generalised forces at q. */
void pki_add_pushes(const pk_sim *sim, const double *q, double *out);

/* Their work over the step from q, u to q_next, u_next: trapezoidal in the generalised force. */
double pki_push_work(pk_sim *sim);

/* The user's function (pk_sim_set_force), where there is one. By schemes that take forces once: at the start of the step. By others: what was
 * asked for before the step is kept, and a stage has it and what the function adds there. After the last stage the pushes of the step are
 * the mean of those of its stages, with the scheme's weights. */
void pki_force_begin(pk_sim *sim);
void pki_force_stage(pk_sim *sim, double time, const double *q, const double *u, double weight);
void pki_force_end(pk_sim *sim);

/* No pushes. */
void pki_clear_pushes(pk_sim *sim);

#endif
