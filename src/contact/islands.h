/* Parts of a problem that do not know of each other, each as a problem of its own.
 *
 * Rows belong together when they share a coordinate of the velocity space (or, without factors, an entry of W). */
#ifndef PKI_CONTACT_ISLANDS_H
#define PKI_CONTACT_ISLANDS_H

#include "base/arena.h"
#include "contact/problem.h"

/* Problems with more rows than PKI_DENSE_ROWS come without W: the dense solvers' scratch has room for so many. From
 * PKI_FACTOR_ROWS on they have factors too, from PKI_SPARSE_ROWS on they climb in velocities first. */
enum { PKI_FACTOR_ROWS = 36, PKI_SPARSE_ROWS = 90, PKI_DENSE_ROWS = 600 };

typedef struct pki_islands {
  int count;
  int *first, *groups; /* [count + 1], [groups] the groups of each island, ascending */
  int *parent, *label; /* [nodes] scratch: trees of coordinates or rows; the island of a root */
  /* one island as a problem */
  pk_contact_problem p;
  pk_contact_factor f;
  int *row, *coordinate;          /* [rows], [n] where they come from */
  int *count_of, *col;            /* [rows], [rows][stride] */
  double *Y, *weight, *extra;     /* [rows][stride], [n], [rows] */
  double *W;                      /* [dense rows]^2 */
  double *q, *mu, *lower, *upper; /* [rows] */
  double *r, *best, *u;           /* [rows] for its solution */
} pki_islands;

/* Rows for which dense scratch is kept: all of them where W is given, PKI_DENSE_ROWS at most where it is not. */
int pki_dense_rows(const pk_contact_problem *p);

pki_islands pki_islands_take(pki_arena *arena, const pk_contact_problem *p);

/* Find them; their number comes back. */
int pki_islands_find(pki_islands *s, const pk_contact_problem *p);

/* Island k of problem p and its part of the impulses r into s->p and s->r. */
void pki_islands_gather(pki_islands *s, const pk_contact_problem *p, int k, const double *r);

/* W of a problem in factor form, dense, in s->W. */
const double *pki_islands_fill_W(pki_islands *s, const pk_contact_problem *p);

/* The island's impulses back into r. */
void pki_islands_scatter(const pki_islands *s, const double *island, double *r);

#endif
