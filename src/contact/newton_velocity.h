/* Newton's method in velocities in two parts, for solvers that decide between them (heap.c). */
#ifndef PKI_CONTACT_NEWTON_VELOCITY_H
#define PKI_CONTACT_NEWTON_VELOCITY_H

#include "contact/elimination.h"
#include "contact/solver.h"

/* Settled by measurement (the collapsing lattice of scenarios/balls.yaml): 1 to 10 solve nearly as many. */
#define PKI_SOFTENING 4.0

/* Relative residual above which rounds of the proximal loop that do not lower it show a contradiction. Boxes that are jammed leave 1,
 * problems that have a solution 1e-2 and less. */
#define PKI_CONTRADICTION 0.1

typedef struct pki_newton_velocity {
  pki_sparse s;
  pki_elimination e;
  double *D, *z, *zr, *dz;   /* [velocities] */
  double *diagonal, *centre; /* [rows] of W; r_k */
  double *v, *dv, *r;        /* [rows] velocities at z, along dz; impulses there */
  double *R, *soft;          /* [groups] R, compliance of a group */
  double *C;                 /* [groups][9] */
  double *residual;          /* [groups] m/s, of the active sets */
  double softening;          /* sigma of a contact, as a multiple of its relative residual */
} pki_newton_velocity;

pki_newton_velocity pki_newton_velocity_take(pki_arena *arena, const pk_contact_problem *p);

/* Pack the rows and find the order of elimination; false when L and U have no room. */
bool pki_newton_velocity_begin(pki_newton_velocity *w, const pk_contact_problem *p);

/* At most `steps` full steps on active sets from run->r. */
void pki_newton_velocity_active_set(pki_solve *run, pki_newton_velocity *w, int steps, double softening);

/* The proximal-point loop from run->r, until run->limit. */
void pki_newton_velocity_proximal(pki_solve *run, pki_newton_velocity *w);

#endif
