/* All pairs, in order. */
#include "collision/broad/broad.h"

void *pki_exhaustive_carve(int n, pki_arena *arena)
{
  (void)n, (void)arena;
  return NULL;
}

bool pki_exhaustive_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink)
{
  (void)memory;
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n && pki_aabb_real(&boxes[i]); j++) {
      if (pki_aabb_overlap(&boxes[i], &boxes[j]) && pki_aabb_real(&boxes[j])) {
        pki_pair_found(sink, i, j);
      }
    }
  }
  return true;
}
