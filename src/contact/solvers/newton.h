/* The proximal Newton loop as a stage of another solver (newton.c). */
#ifndef PKI_CONTACT_SOLVERS_NEWTON_H
#define PKI_CONTACT_SOLVERS_NEWTON_H

#include "contact/solvers/active_set.h"

typedef struct pki_newton {
  double *y, *v;   /* [n] impulses and velocities of the round */
  double *dy, *dv; /* [n] the step */
} pki_newton;

pki_newton pki_newton_take(pki_arena *arena, const pk_contact_problem *p);

/* At most `steps` steps from z->r (a round that has begun ends first); true when the run must stop. */
bool pki_newton_run(pki_newton *w, pki_active_set *a, pki_scaled *z, pki_solve *run, int steps);

#endif
