/* A problem with W, dense and scaled, as active sets (active_set.c), the proximal Newton loop (newton.c) and interior
 * points (ipm.c) work on it. With w_i the mean of the diagonal of W over a contact's block (W_ll for other rows) and
 * s_i = 1/sqrt(w_i),
 *
 *   W~ = S W S,   q~ = S q,   r~ = inv(S) r,   u~ = S u
 *
 * light and heavy bodies look alike, one s for each contact keeps its cone, and the certificate becomes the natural map
 * with rho = 1, divided by s_i. */
#ifndef PKI_CONTACT_SOLVERS_SCALED_H
#define PKI_CONTACT_SOLVERS_SCALED_H

#include "contact/linear/dense_kernels.h"
#include "contact/solvers/solver.h"

typedef struct pki_scaled {
  const pk_contact_problem *p;
  const pki_dense_kernels *kernels;
  pki_timer *timer; /* of the run, for long factorisations */
  int n;
  size_t stride;
  bool symmetric;         /* W is; computed by those who need it */
  double *s;              /* [n] */
  double *W;              /* [n][stride] */
  double *q;              /* [n] */
  double *lower, *upper;  /* [nbox] bounds of box rows, divided by s */
  double *r, *u;          /* [stride] the iterate and W r + q */
  double *A;              /* [n][stride] the matrix of the step at hand, whichever solver takes it */
  double *line, *inverse; /* [4 stride], [n] scratch of its factors */
  double *rhs;            /* [stride] */
  int *pivot;             /* [n] */
} pki_scaled;

pki_scaled pki_scaled_take(pki_arena *arena, const pk_contact_problem *p);

/* Fill from the problem; r~ from run->r. */
void pki_scaled_begin(pki_scaled *z, const pki_solve *run);

/* Whether W~ is symmetric to rounding. */
bool pki_scaled_is_symmetric(const pki_scaled *z);

/* u~ = W~ r~ + q~. */
void pki_scaled_velocity(pki_scaled *z);

/* The certificate's residual of r~ and u~, m/s; not a number when one of them is none. */
double pki_scaled_residual(const pki_scaled *z);

/* |r - P_K(r - (u + mu |u_T| e_N))| of one contact. */
double pki_scaled_contact_residual(double mu, const double r[3], const double u[3]);

/* Give r~, whose u~ is known, to the run as an iterate; true when it must stop. When it ends here run->u is W r + q. */
bool pki_scaled_check(const pki_scaled *z, pki_solve *run);

#endif
