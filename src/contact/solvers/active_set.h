/* Newton on active sets: one step from an active set, as active_set.c explains it, and the loop around it. The proximal
 * loop of newton.c takes the same step. */
#ifndef PKI_CONTACT_SOLVERS_ACTIVE_SET_H
#define PKI_CONTACT_SOLVERS_ACTIVE_SET_H

#include "contact/solvers/scaled.h"

/* What a group does, and so how many unknowns it has. */
typedef enum pki_activity {
  PKI_OPEN,   /* contact without impulse: 0 */
  PKI_STICK,  /* contact without slip: 3 */
  PKI_SLIDE,  /* friction on the rim of its disc: 2, without friction 1 */
  PKI_INSIDE, /* bilateral, or box between its bounds: 1 */
  PKI_LOWER,  /* box at a bound: 0 */
  PKI_UPPER
} pki_activity;

typedef struct pki_active_set {
  int unknowns;
  bool has_bound;         /* a box row is at a bound that is not zero */
  bool has_slip;          /* a contact slides with friction: the matrix turns with it */
  pki_activity *activity; /* [groups] */
  pki_activity *last;     /* [groups] of the step before */
  double *t;              /* [ncontact][2] direction of friction where it slides */
  double *h;              /* [ncontact] */
  double *sigma;          /* [groups] */
  double *d;              /* [n] what is projected to find the set */
  double *centre;         /* [n] r_k */
  double *shift;          /* [stride] q + W r of the rows at their bounds; the rows' combinations */
} pki_active_set;

/* sigma of the steps from a warm start, and of those from an interior point, as parts of the mean W_ii. */
extern const double pki_active_set_softness, pki_active_set_crossover;

pki_active_set pki_active_set_take(pki_arena *arena, const pk_contact_problem *p);

/* The active set that a->d belongs to; d = r - kappa u. */
void pki_active_set_choose(pki_active_set *a, const pki_scaled *z, double kappa);

/* Where the factors of the step's matrix come from. */
typedef enum pki_active_set_factors {
  PKI_FACTORS_PLAIN,   /* without pivots */
  PKI_FACTORS_PIVOTED, /* with pivots */
  PKI_FACTORS_KEPT /* the plain ones of the step before: the same set, nothing slides with friction, the same sigma */
} pki_active_set_factors;

/* The same sigma for all. */
void pki_active_set_soften(pki_active_set *a, const pki_scaled *z, double sigma);

/* The impulses z->r that the active set asks for, with a->sigma (r - centre) added to the velocities. False when the
 * matrix is singular; z->r is then lost. */
bool pki_active_set_solve(pki_active_set *a, pki_scaled *z, pki_active_set_factors factors);

/* At most `steps` steps from z->r and z->u, the residual after each, until impulses diverge (PKI_DIVERGED); true when the run must stop. */
bool pki_active_set_run(pki_active_set *a, pki_scaled *z, pki_solve *run, int steps, double sigma);

/* The same with the sigma of each contact by its own residual, for sets that do not settle. */
bool pki_active_set_run_softened(pki_active_set *a, pki_scaled *z, pki_solve *run, int steps);

#endif
