/* Newton's method in velocities in two parts, for solvers that decide between them (heap.c). */
#ifndef PKI_CONTACT_SOLVERS_NEWTON_VELOCITY_H
#define PKI_CONTACT_SOLVERS_NEWTON_VELOCITY_H

#include "contact/linear/elimination.h"
#include "contact/solvers/solver.h"

/* How softly active sets hold a contact whose own law is not met yet: sigma of a contact follows from part = |F_i|/|r_i|, its residual
 * beside its impulse. docs/theory/contact.md has the measurements. */
typedef struct pki_softening {
  /* sigma = factor part^(3/4), so that what is nearly right is held less sharply; else sigma = factor part. */
  bool yielding;
  /* Of part, or of its power. */
  double factor;
  /* sigma where the law is met. */
  double least;
  /* Steps without a better residual after which it ends. */
  int patience;
} pki_softening;

/* Quick: sets that settle are exact in a few steps. */
extern const pki_softening pki_softening_quick;

/* Slow and sure: heaps that jam and slide at once, in hundreds of steps. */
extern const pki_softening pki_softening_yielding;

/* Relative residual above which steps or rounds of the proximal loop that do not lower it show a contradiction. Boxes that are jammed
 * leave 1, problems that have a solution 1e-2 and less. */
#define PKI_CONTRADICTION 0.1

/* Whether the laws contradict each other: what Newton's methods and interior points leave is then of the size of |q|, as under a box that
 * is jammed between walls. */
static inline bool pki_is_contradictory(const pki_solve *run)
{
  return run->residual > PKI_CONTRADICTION * run->scale;
}

typedef struct pki_newton_velocity {
  pki_sparse s;
  pki_elimination e;
  double *D, *z, *zr, *dz;   /* [velocities] */
  double *diagonal, *centre; /* [rows] of W; r_k */
  double *v, *dv, *r;        /* [rows] velocities at z, along dz; impulses there */
  double *R, *soft;          /* [groups] R, compliance of a group */
  double *C;                 /* [groups][9] */
  double *residual;          /* [groups] m/s, of the active sets */
  pki_softening softening;
} pki_newton_velocity;

pki_newton_velocity pki_newton_velocity_take(pki_arena *arena, const pk_contact_problem *p);

/* Pack the rows and find the order of elimination; false when L and U have no room. */
bool pki_newton_velocity_begin(pki_newton_velocity *w, const pki_solve *run);

/* At most `steps` full steps on active sets from run->r. */
void pki_newton_velocity_active_set(pki_solve *run, pki_newton_velocity *w, int steps,
                                    pki_softening softening);

/* The proximal-point loop from run->r, until run->limit. */
void pki_newton_velocity_proximal(pki_solve *run, pki_newton_velocity *w);

#endif
