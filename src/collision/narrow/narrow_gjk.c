/* Simplices for every pair of bounded convex shapes: GJK for their distance, EPA for their depth (gjk.c, epa.c), in the place of closed
 * forms and of walks from feature to feature. Meshes that are convex are their hulls. Half-spaces have no simplices; meshes
 * that are not convex and height fields are no convex sets. */
#include "collision/narrow/method.h"

static bool is_body(const pk_geometry *g)
{
  return pki_is_convex(g) || pki_is_polytope(g);
}

static bool takes_bodies(const pki_side *a, const pki_side *b)
{
  return is_body(a->geometry) && is_body(b->geometry);
}

static bool distance_by_gjk(const pki_side *a, const pki_side *b, double reach, pki_pair_memory *memory,
                            pk_proximity *out)
{
  (void)memory;
  const pki_convex x = pki_convex_of(a->geometry, a->pose), y = pki_convex_of(b->geometry, b->pose);
  return pki_gjk_distance(&x, &y, reach, out);
}

const pki_narrow_row pki_narrow_gjk = {
    "gjk",        "simplices: GJK for distances, EPA for depths; all bounded convex shapes",
    takes_bodies, distance_by_gjk,
    NULL,         NULL,
    NULL};
