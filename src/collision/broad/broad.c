#include "collision/broad/broad.h"

#include <string.h>

const pki_broad_row *const pki_broads[PK_BROAD_PHASE_COUNT + 1] = {
    [PK_BROAD_PHASE_AUTO] =
        &(const pki_broad_row){"auto", "by the number of shapes: exhaustive up to 24, then tree", NULL, NULL,
                               NULL},
    [PK_BROAD_PHASE_EXHAUSTIVE] =
        &(const pki_broad_row){"exhaustive", "all pairs of boxes; the quickest for few", pki_exhaustive_carve,
                               NULL, pki_exhaustive_pairs},
    [PK_BROAD_PHASE_SWEEP] =
        &(const pki_broad_row){"sweep",
                               "sweep and prune along three axes, sorted from step to step; for slow scenes",
                               pki_sweep_carve, pki_sweep_reset, pki_sweep_pairs},
    [PK_BROAD_PHASE_GRID] =
        &(const pki_broad_row){"grid",
                               "space subdivision: a hash grid of several levels; no memory of the last step",
                               pki_grid_carve, NULL, pki_grid_pairs},
    [PK_BROAD_PHASE_TREE] = &(const pki_broad_row){"tree", "a tree of boxes that follows them",
                                                   pki_tree_carve, pki_tree_reset, pki_tree_pairs},
};

enum { FEW = 24 }; /* boxes: all pairs are quicker than any order among them */

void pki_broad_carve(pki_broad *b, pk_broad_phase kind, int n, pki_arena *arena)
{
  *b = (pki_broad){.kind = kind != PK_BROAD_PHASE_AUTO ? kind
                           : n <= FEW                  ? PK_BROAD_PHASE_EXHAUSTIVE
                                                       : PK_BROAD_PHASE_TREE,
                   .n = n};
  b->first = pki_arena_take(arena, 2 * (size_t)n + 1, sizeof *b->first);
  b->memory = pki_broads[b->kind]->carve(n, arena);
  if (arena->base != NULL && !arena->overflow) {
    pki_broad_reset(b);
  }
}

void pki_broad_reset(pki_broad *b)
{
  if (pki_broads[b->kind]->reset != NULL) {
    pki_broads[b->kind]->reset(b->memory);
  }
}

/* ---- sorted pairs ---- */

static void sift_pair_down(pki_box_pair *p, int i, int n)
{
  const pki_box_pair x = p[i];
  for (int child; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && p[child + 1].b > p[child].b;
    if (p[child].b <= x.b) {
      break;
    }
    p[i] = p[child];
  }
  p[i] = x;
}

/* Pairs of one a by b: few by insertion, many by a heap. */
static void sort_bucket(pki_box_pair *p, int n)
{
  enum { MANY = 24 };
  if (n > MANY) {
    for (int i = n / 2 - 1; i >= 0; i--) {
      sift_pair_down(p, i, n);
    }
    for (int k = n - 1; k > 0; k--) {
      const pki_box_pair last = p[k];
      p[k] = p[0], p[0] = last;
      sift_pair_down(p, 0, k);
    }
    return;
  }
  for (int i = 1; i < n; i++) {
    const pki_box_pair x = p[i];
    int k = i;
    for (; k > 0 && p[k - 1].b > x.b; k--) {
      p[k] = p[k - 1];
    }
    p[k] = x;
  }
}

/* By a in place: pairs change places along cycles until each lies in the bucket of its a (American flag sort, McIlroy,
 * Bostic and McIlroy 1993); then each bucket by b. */
void pki_sort_pairs(pki_box_pair *p, int count, int n, int *scratch)
{
  int *start = scratch, *next = scratch + n + 1; /* of buckets; where each one's next pair goes */
  memset(start, 0, ((size_t)n + 1) * sizeof *start);
  for (int i = 0; i < count; i++) {
    start[p[i].a + 1]++;
  }
  for (int a = 0; a < n; a++) {
    start[a + 1] += start[a];
    next[a] = start[a];
  }
  for (int a = 0; a < n; a++) {
    while (next[a] < start[a + 1]) {
      const pki_box_pair here = p[next[a]];
      int *to = &next[here.a];
      p[next[a]] = p[*to], p[*to] = here;
      ++*to;
    }
    sort_bucket(p + start[a], start[a + 1] - start[a]);
  }
}

int pki_broad_pairs(pki_broad *b, const pki_aabb *boxes, pki_want_pair want, const void *user,
                    pki_box_pair *out, int most)
{
  pki_pair_sink sink = {.want = want, .user = user, .family = b->family, .out = out, .most = most};
  if (!pki_broads[b->kind]->pairs(b->memory, boxes, b->n, &sink)) {
    pki_sort_pairs(out, sink.count < most ? sink.count : most, b->n, b->first);
  }
  return sink.count;
}
