/* Broad phase: which boxes overlap. Four ways, one result.
 *
 *   broad_exhaustive.c  all pairs
 *   broad_sweep.c       sweep and prune: ends of intervals along one axis kept sorted from step to step
 *   broad_grid.c        hash grid of several levels
 *   broad_tree.c        tree of fattened boxes, changed where boxes leave theirs
 *
 * Pairs (i < j) come sorted by i, then j, so the result does not depend on the way or its memory. */
#ifndef PKI_COLLISION_BROAD_H
#define PKI_COLLISION_BROAD_H

#include "base/arena.h"
#include "collision/geometry.h"

typedef struct pki_box_pair {
  int a, b; /* a < b */
} pki_box_pair;

/* Whether a pair is wanted at all; NULL: all are. */
typedef bool (*pki_want_pair)(int a, int b, const void *user);

typedef struct pki_broad pki_broad;

/* One row of the registry. */
typedef struct pki_broad_row {
  const char *name, *doc;
  /* Its memory for n boxes, from an arena; with a counting arena this counts. */
  void *(*carve)(int n, pki_arena *arena);
  /* Forget the last boxes. */
  void (*reset)(void *memory, int n);
  /* The overlapping pairs that are wanted, unsorted, at most `most` into out; how many there are comes back. Boxes with
   * infinite or wildly different sizes are fine; a box that is not finite overlaps nothing. Allocates nothing. */
  int (*pairs)(void *memory, const pki_aabb *boxes, int n, pki_want_pair want, const void *user,
               pki_box_pair *out, int most);
} pki_broad_row;

extern const pki_broad_row pki_broads[PK_BROAD_COUNT];
extern const char *const pki_broad_words[PK_BROAD_COUNT];

/* A broad phase for n boxes; PK_BROAD_AUTO chooses by n. */
struct pki_broad {
  pk_broad kind; /* never auto */
  int n;
  void *memory;
};
void pki_broad_carve(pki_broad *b, pk_broad kind, int n, pki_arena *arena);
void pki_broad_reset(pki_broad *b);

/* Sorted pairs, at most `most`; more than `most` comes back when there was no room for all. */
int pki_broad_pairs(pki_broad *b, const pki_aabb *boxes, pki_want_pair want, const void *user,
                    pki_box_pair *out, int most);

#endif
