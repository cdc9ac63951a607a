/* The interface "collision/1" of peers (measure/peer.h): signed distances of pairs of shapes, and broad phases over boxes
 * in motion. Pronk stands behind the same table. */
#ifndef PKI_BENCH_COLLISION_PEER_H
#define PKI_BENCH_COLLISION_PEER_H

#include <stddef.h>

#include "pronk/builder.h"

#define PKI_COLLISION_INTERFACE "collision/1"

/* A shape, as pk_shape_kind describes it. */
typedef struct pki_collision_shape {
  pk_shape_kind kind;
  double size[3];
  const pk_mesh *mesh; /* of convex and mesh */
} pki_collision_shape;

typedef struct pki_collision_peer {
  const char *distance_calls; /* what is called, as its users know it */

  /* A pair of shapes with room for `slots` poses of both; NULL when the engine does not know them, `message` then says
   * why. `store` turns poses into the engine's conventions, outside of all timing. */
  void *(*pair_create)(const pki_collision_shape *a, const pki_collision_shape *b, int slots, char *message,
                       size_t size);
  void (*pair_destroy)(void *pair);
  void (*pair_store)(void *pair, int slot, const pk_pose *a, const pk_pose *b);
  double (*pair_distance)(void *pair, int slot); /* m, negative: depth; NAN: none found */

  /* Broad phases, by name. `update` brings all boxes to where they are (min x y z, max x y z); `pairs` hands out the pairs
   * that may overlap: more than do is allowed. Both are timed. */
  const char *const *broads;
  int nbroad;
  void *(*broad_create)(int which, int n, const double (*boxes)[6]);
  void (*broad_destroy)(void *broad);
  void (*broad_update)(void *broad, const double (*boxes)[6]);
  int (*broad_pairs)(void *broad, int (*out)[2], int most);
} pki_collision_peer;

#endif
