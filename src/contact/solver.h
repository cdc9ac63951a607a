/* What the solvers share: one run over one problem, and the registry.
 *
 * A solver improves run->r and calls pki_solve_check now and then, which asks the judge, keeps the
 * best impulses so far and says when to stop. */
#ifndef PKI_CONTACT_SOLVER_H
#define PKI_CONTACT_SOLVER_H

#include "base/arena.h"
#include "base/field.h"
#include "contact/problem.h"

typedef struct pki_solve {
  const pk_contact_problem *p;
  const pk_solver_options *options;
  double *r;                  /* [size] current impulses */
  double *best;               /* [size] the best so far */
  double *u;                  /* [size] scratch of the judge; W r + q after a check */
  pk_certificate certificate; /* of best */
  pk_solver used;             /* who found it */
  pk_solver now;              /* who is at work */
  int iterations;             /* done so far */
  int limit;                  /* where the solver at work must stop */
  pki_arena arena;            /* scratch of the solver at work */
} pki_solve;

typedef struct pki_solver_row {
  const char *name, *doc;
  void (*solve)(pki_solve *run);
  size_t (*memsize)(const pk_contact_problem *p); /* scratch, NULL: none */
} pki_solver_row;

extern const pki_solver_row pki_solvers[PK_SOLVER_COUNT];
extern const char *const pki_solver_words[PK_SOLVER_COUNT]; /* their names */
extern const pk_field pki_solver_fields[];
extern const int pki_solver_field_count;

/* Judge r; true when the tolerance is met or the iterations are used up. */
bool pki_solve_check(pki_solve *run);

/* True when the tolerance is met. */
bool pki_solve_done(const pki_solve *run);

void pki_solve_jor(pki_solve *run);
void pki_solve_sor(pki_solve *run);
void pki_solve_bgs(pki_solve *run);
void pki_solve_newton(pki_solve *run);
void pki_solve_aclm(pki_solve *run);
void pki_solve_auto(pki_solve *run);

size_t pki_jor_memsize(const pk_contact_problem *p);
size_t pki_newton_memsize(const pk_contact_problem *p);
size_t pki_aclm_memsize(const pk_contact_problem *p);

/* One contact alone: W 3x3 row-major with positive diagonal, u = W r + q, Coulomb's law. */
void pki_solve_contact(const double W[9], const double q[3], double mu, double r[3]);

/* The largest eigenvalue of inv(D) W in absolute value, D the diagonal (or 1), from below, by a few
 * powers; `x`, `y` [size] are scratch. */
double pki_spectral_radius(const pk_contact_problem *p, bool scaled, double *x, double *y);

#endif
