/* Interior points: the state of the path (ipm.c) and the linear systems on it (ipm_system.c).
 *
 *   (W + C) x = b,   C a block for each contact and a number for each other row.
 *
 * With W at hand it is dense. In velocities, W = Y inv(D) Y' + extra (sparse.h), it is
 *
 *   (D + Y' B Y) z = Y' B b,   x = B (b - Y z),   B = inv(C + extra),
 *
 * sparse over the bodies (elimination.h); C is small where contacts hold, so the solution is refined. */
#ifndef PKI_CONTACT_SOLVERS_IPM_H
#define PKI_CONTACT_SOLVERS_IPM_H

#include "contact/linear/elimination.h"
#include "contact/solvers/active_set.h"

typedef struct pki_ipm {
  const pk_contact_problem *p;
  int n;
  double *d, *q;                 /* [n] scale of a row; scaled q */
  double *r, *v, *b;             /* [n] impulses; v of contacts, multipliers a and b of boxes */
  double *dr, *dv, *db;          /* [n] steps */
  double *gap, *g, *l, *c, *rhs; /* [n] H(v) - W r - q; right sides in scaled space */
  double *w, *beta;              /* [n], [ncontact]: G = beta (w-bar as a boost) */
  double *lower, *upper;         /* [n] scaled bounds of box rows */
  double *u;                     /* [n] scaled W r + q */
  double *kept;                  /* [n] impulses of the point that is nearest to the end of the path */
  double *C;                     /* [groups][9] blocks on the diagonal */
  double unit, tau;              /* scale of velocities; how far the complementarity is */
  double rounding;               /* of |v_T|, part of tau */
  double round;                  /* of |v_T| */
  bool derivative;               /* of mu |v_T| is part of dH */
  int degree;                    /* complementarity pairs */
  /* the system (W + C) x = b, from W or from its factors */
  bool sparse;
  pki_scaled *dense; /* W, scaled, and room for the matrix; NULL: in velocities */
  bool has_pivots;   /* it was factored with pivots */
  pki_sparse factors;
  pki_elimination elimination;
  double *B;               /* [groups][9] inv(C) */
  double *D, *z;           /* [velocities] 1/weight; scratch */
  double *diagonal;        /* [n] of W */
  double *y, *left, *back; /* [n] scratch */
} pki_ipm;

/* Where a path begins and how it goes. */
typedef struct pki_ipm_start {
  double shift;    /* from the guess, this much inside the cones; 0: from their middle, whatever the guess */
  double rounding; /* of |v_T|, part of tau */
} pki_ipm_start;

/* The paths to try, in this order. They fail on different problems. */
enum { PKI_IPM_STARTS = 2 };
extern const pki_ipm_start pki_ipm_starts[PKI_IPM_STARTS];

/* One path, with active sets at its end; `guess` [n] are impulses as z scales them. True when the run must stop. */
bool pki_ipm_run(pki_solve *run, pki_scaled *z, pki_active_set *a, const pki_ipm_start *start,
                 const double *guess);

/* Room for a problem of this shape; dense NULL: in velocities. */
pki_ipm pki_ipm_take(pki_arena *arena, const pk_contact_problem *p, pki_scaled *dense);

/* Once before the first system; false when there is no room for its factors. */
bool pki_ipm_prepare(pki_ipm *s);

/* W_ii. */
double pki_ipm_diagonal(const pki_ipm *s, int row);

/* u = W r + q, scaled. */
void pki_ipm_velocity(pki_ipm *s);

/* Factor with the C at hand; rows that are held have x = 0. False when singular. */
bool pki_ipm_factor(pki_ipm *s);

/* b := x. */
void pki_ipm_solve(pki_ipm *s, double *b);

/* a := C a of contact i, which has friction, dH E G^2 E, or inv(C) a. Step by step: C spans so much that as one matrix it loses
 * what is small in it, and its inverse with it. */
void pki_ipm_cone(const pki_ipm *s, int i, bool inverse, double a[3]);

/* The row's impulse is given: a box without room, friction where there is none. */
bool pki_ipm_held(const pki_ipm *s, int row);

#endif
