/* Features for every pair of polytopes (boxes, hulls, meshes that are convex): a walk from feature to feature, begun at those of the
 * last step. Walking on coherent motion is Lin and Canny's ("A fast algorithm for incremental distance calculation", ICRA 1991); the
 * rules of the walk are V-Clip's (walk.c), whose edges are clipped, so that no configuration makes it go round. Overlapping
 * polytopes have no Voronoi regions to walk in: their depth is EPA's, as is the distance where the walk gives up (its certificate
 * fails, or the gap is below 1e-11 of the sizes, too small to take a normal from). */
#include "collision/narrow/method.h"

static bool takes_polytopes(const pki_side *a, const pki_side *b)
{
  return pki_is_polytope(a->geometry) && pki_is_polytope(b->geometry);
}

static bool distance_by_features(const pki_side *a, const pki_side *b, double reach, pki_pair_memory *memory,
                                 pk_proximity *out)
{
  const pk_geometry *g = a->geometry, *h = b->geometry;
  if (pki_walk_distance(g->hull, a->pose, h->hull, b->pose, memory, out, NULL) &&
      out->distance > 1e-11 * (g->bound + h->bound)) {
    return out->distance <= reach;
  }
  const pki_convex x = pki_convex_of(g, a->pose), y = pki_convex_of(h, b->pose);
  return pki_gjk_distance(&x, &y, reach, out);
}

const pki_narrow_row pki_narrow_features = {
    "features",
    "Lin and Canny's walk from feature to feature, by V-Clip's rules; polytopes, EPA where they overlap",
    takes_polytopes,
    distance_by_features,
    NULL,
    NULL,
    NULL};
