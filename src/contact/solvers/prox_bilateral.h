/* Bilateral rows that a sweep solves exactly instead of projecting them (Gehring et al. 2014, equation 20):
 *
 *   Lambda_B = -inv(G_B) (velocity of the bilateral rows without Lambda_B),     G_B = W_BB
 *
 * which is a change of r_B by -inv(G_B) xi_B. G_B = L D L' once in each solve, in the envelope of its rows: joints of a robot
 * whose bodies are free couple with their neighbours along a limb. */
#ifndef PKI_CONTACT_SOLVERS_PROX_BILATERAL_H
#define PKI_CONTACT_SOLVERS_PROX_BILATERAL_H

#include "base/arena.h"
#include "contact/problem/problem.h"

typedef struct pki_bilateral_block {
  int first, n; /* its rows in the problem; n 0: nothing is solved exactly */
  int *from;    /* [n] the first column of each row of L that is stored */
  double *L;    /* [n][n] below the diagonal */
  double *dinv; /* [n] 0 for a row that those before it say already */
  double *x;    /* [n] velocities, then changes of impulses */
  double *row;  /* [n of the factor] zeros: a row of the factor, spread out */
} pki_bilateral_block;

/* From an arena, or one that counts. */
pki_bilateral_block pki_bilateral_block_take(pki_arena *arena, const pk_contact_problem *p);

/* G_B and its factor. */
void pki_bilateral_block_factor(pki_bilateral_block *b, const pk_contact_problem *p);

/* x := inv(G_B) x */
void pki_bilateral_block_solve(const pki_bilateral_block *b);

#endif
