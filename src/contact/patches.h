/* Patches: a few groups of rows around one that is not solved, as a problem of their own. The impulses of all others
 * stay as they are and become part of its q,
 *
 *   u_P = W_PP r_P + (q_P + W_PR r_R).
 *
 * What is left of a large heap after sweeps is often a handful of contacts that resist; patches of some dozen rows around them
 * can be solved by means that the whole cannot bear. One after the other they are a Gauss-Seidel method whose blocks
 * overlap. */
#ifndef PKI_CONTACT_PATCHES_H
#define PKI_CONTACT_PATCHES_H

#include "contact/islands.h"
#include "contact/solver.h"

enum { PKI_PATCH_ROWS = 120 }; /* at most */

typedef struct pki_patches {
  pki_islands part;            /* the patch at hand: part.p, part.r */
  double *diagonal, *residual; /* [rows] of W; [groups] of the whole */
  int *layer;                  /* [groups] how far from the worst; -1: not seen */
  char *touched;               /* [n] coordinates of the patch */
} pki_patches;

/* Room for patches of a problem in factor form. */
pki_patches pki_patches_take(pki_arena *arena, const pk_contact_problem *p);

/* Once before the first judgement. */
void pki_patches_begin(pki_patches *s, const pk_contact_problem *p);

/* Judge run->r (its u comes with it): how many groups are above `goal`, m/s, and the worst of them. */
int pki_patches_judge(pki_patches *s, pki_solve *run, double goal, int *worst);

/* The patch of `rows` rows at most around a group, nearest first. */
void pki_patches_gather(pki_patches *s, const pki_solve *run, int group, int rows);

#endif
