/* Broad phase: which boxes overlap. Four methods, one result.
 *
 *   broad_exhaustive.c  all pairs
 *   broad_sweep.c       sweep and prune: ends of intervals along three axes, kept sorted from step to step
 *   broad_grid.c        hash grid of several levels
 *   broad_tree.c        tree of fattened boxes, changed where boxes leave theirs
 *
 * Pairs (i < j) come sorted by i, then j, so the result does not depend on the method or its memory. */
#ifndef PKI_COLLISION_BROAD_BROAD_H
#define PKI_COLLISION_BROAD_BROAD_H

#include <stdbool.h>

#include "base/arena.h"
#include "collision/shapes/geometry.h"

typedef struct pki_box_pair {
  int a, b; /* a < b */
} pki_box_pair;

/* Whether a pair (a < b) is wanted at all; NULL: all are. The answer must not change until the next reset: ways that
 * remember pairs do not ask again. */
typedef bool (*pki_want_pair)(int a, int b, const void *user);

/* Where pairs go. */
typedef struct pki_pair_sink {
  pki_want_pair want;
  const void *user;
  const int *family; /* [n] or NULL: see pki_broad */
  pki_box_pair *out;
  int count, most; /* count goes on beyond most */
} pki_pair_sink;

/* One row of the registry. */
typedef struct pki_broad_row {
  const char *name, *doc;
  /* Its memory for n boxes, from an arena; NULL with one that counts. */
  void *(*carve)(int n, pki_arena *arena);
  /* Forget the last boxes. */
  void (*reset)(void *memory);
  /* The overlapping pairs that are wanted, each once; true when they came sorted. Boxes of infinite or wildly different sizes
   * are fine; one that is empty or not a number overlaps nothing. */
  bool (*pairs)(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink);
} pki_broad_row;

/* By pk_broad_phase; ends with NULL. */
extern const pki_broad_row *const pki_broads[];

/* A broad phase for n boxes; PK_BROAD_PHASE_AUTO chooses by n. With a counting arena this counts. */
typedef struct pki_broad {
  pk_broad_phase kind; /* never auto */
  int n;
  /* [n] boxes with the same number never meet, as shapes of one body: a way may pass over them all at once. Set by the
   * user after carving, as it was at the last reset; NULL: all may meet. */
  const int *family;
  int *first; /* [2n+1] scratch of sorting */
  void *memory;
} pki_broad;
void pki_broad_carve(pki_broad *b, pk_broad_phase kind, int n, pki_arena *arena);
void pki_broad_reset(pki_broad *b);

/* The overlapping pairs that are wanted, sorted, at most `most` into out; returns how many there are: more than `most`
 * when there was no room for all, which are then the first that were found. Allocates nothing. */
int pki_broad_pairs(pki_broad *b, const pki_aabb *boxes, pki_want_pair want, const void *user,
                    pki_box_pair *out, int most);

/* ---- for the ways ---- */

/* A box that has an inside, so that it can be sorted: not empty, not a number nowhere. */
static inline bool pki_aabb_real(const pki_aabb *a)
{
  return (a->min[0] <= a->max[0]) & (a->min[1] <= a->max[1]) & (a->min[2] <= a->max[2]);
}

/* Whether a pair (a < b) may meet at all. */
static inline bool pki_pair_wanted(const pki_pair_sink *s, int a, int b)
{
  return (s->family == NULL || s->family[a] != s->family[b]) && (s->want == NULL || s->want(a, b, s->user));
}

/* One pair, in either order. */
static inline void pki_pair_found(pki_pair_sink *s, int i, int j)
{
  const int a = i < j ? i : j, b = i < j ? j : i;
  if (!pki_pair_wanted(s, a, b)) {
    return;
  }
  if (s->count < s->most) {
    s->out[s->count] = (pki_box_pair){a, b};
  }
  s->count++;
}

/* Sort pairs of n boxes by a, then b; `scratch` holds 2 n + 1. */
void pki_sort_pairs(pki_box_pair *pairs, int count, int n, int *scratch);

void *pki_exhaustive_carve(int n, pki_arena *arena);
bool pki_exhaustive_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink);
void *pki_sweep_carve(int n, pki_arena *arena);
void pki_sweep_reset(void *memory);
bool pki_sweep_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink);
void *pki_grid_carve(int n, pki_arena *arena);
bool pki_grid_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink);
void *pki_tree_carve(int n, pki_arena *arena);
void pki_tree_reset(void *memory);
bool pki_tree_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink);

#endif
