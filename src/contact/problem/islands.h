/* Islands: parts of a problem that do not act on each other, each as a problem of its own.
 *
 * Rows belong together when their lists share a coordinate of the velocity space that can move (or, without factors, an entry of
 * W). Finding all islands and gathering each of them once costs what the rows hold. */
#ifndef PKI_CONTACT_PROBLEM_ISLANDS_H
#define PKI_CONTACT_PROBLEM_ISLANDS_H

#include "base/arena.h"
#include "contact/problem/problem.h"

/* Problems with more rows than PKI_DENSE_ROWS come without W: the dense solvers' scratch has room for so many. Those of one tree (a
 * robot) have W up to PKI_TREE_ROWS, and from PKI_FACTOR_ROWS on factors too. Islands of more than PKI_SPARSE_ROWS rows that have
 * no W are solved in velocities first. */
enum { PKI_FACTOR_ROWS = 24, PKI_SPARSE_ROWS = 36, PKI_TREE_ROWS = 90, PKI_DENSE_ROWS = 600 };

typedef struct pki_islands {
  int count;
  int *first, *groups;   /* [count + 1], [groups] the groups of each island, ascending */
  int *coordinate_first; /* [count + 1] its coordinates in */
  int *coordinate, *owner,
      *local;          /* [n] by islands, ascending; the island of a coordinate (-1: none), its place there */
  int *parent, *label; /* [nodes] scratch: trees of coordinates or rows; the island of a root */
  /* one island as a problem */
  pk_contact_problem p;
  pk_contact_factor f;
  int *row;                       /* [rows] where they come from */
  int *count_of, *col;            /* [rows], [rows][stride] */
  double *Y, *weight, *extra;     /* [rows][stride], [n], [rows] */
  double *W, *spread;             /* [dense rows]^2; [n][3] scratch */
  double *q, *mu, *lower, *upper; /* [rows] */
  double *r, *best, *u;           /* [rows] for its solution */
} pki_islands;

/* Rows for which dense scratch is kept: all of them where W is given, PKI_DENSE_ROWS at most where it is not. */
int pki_dense_rows(const pk_contact_problem *p);

pki_islands pki_islands_take(pki_arena *arena, const pk_contact_problem *p);

/* Find them; returns their number. */
int pki_islands_find(pki_islands *s, const pk_contact_problem *p);

/* Island k of problem p and its part of the impulses r into s->p and s->r. */
void pki_islands_gather(pki_islands *s, const pk_contact_problem *p, int k, const double *r);

/* W of the gathered island in factor form, dense, in s->W. */
const double *pki_islands_fill_W(pki_islands *s);

/* The island's impulses back into r. */
void pki_islands_scatter(const pki_islands *s, const double *island, double *r);

#endif
