/* What the projected iterations share, in impulses and in velocities. */
#ifndef PKI_CONTACT_SOLVERS_PROX_H
#define PKI_CONTACT_SOLVERS_PROX_H

#include "contact/solvers/solver.h"

/* step [n] of each row: 1/W_NN for normals, one for both tangents from the larger W_TT, 1/W_ll for the
 * rest. Times alpha they are the r of the paper. */
void pki_prox_steps(const pk_contact_problem *p, double *step);

/* r_N := max(r_N - step xi_N, 0) */
void pki_prox_normal(double *r, double xi, double step);

/* r_T := P_disc(limit)(r_T - step xi_T) */
void pki_prox_tangents(double *r, const double *xi, double step, double limit);

/* Both, against the velocities xi [3] of a contact. `whole`: on the disc of the normal impulse before, as of one function of
 * the last iterate; otherwise of the one after. */
void pki_prox_contact(double *r, const double *xi, const double *step, double alpha, double mu, bool whole);

/* Behind the last row that is projected from the same velocities as `row`, a bilateral or box row. `whole`: the end of its
 * constraint. */
int pki_prox_together(const pk_contact_problem *p, int row, bool whole);

/* alpha as given, or chosen; `x`, `y` [n] are scratch. */
double pki_jor_alpha(const pki_solve *run, double *x, double *y);
double pki_sor_alpha(const pki_solve *run);

/* A chosen alpha is halved when the iteration diverges nevertheless; impulses then go back to the best
 * (or to zero, when no residual was evaluated). True when it did. */
typedef struct pki_divergence_guard {
  double least; /* smallest residual or change so far; 0: none yet */
} pki_divergence_guard;

bool pki_prox_runaway(pki_solve *run, pki_divergence_guard *guard, double *alpha);

#endif
