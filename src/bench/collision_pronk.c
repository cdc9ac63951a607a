#include "bench/collision_pronk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "collision/broad/broad.h"
#include "collision/narrow/narrow.h"

/* ---- pairs ---- */

typedef struct pair {
  pk_geometry *a, *b;
  pk_pose *poses; /* [slots][2] */
} pair;

static void pair_destroy(void *object)
{
  pair *p = object;
  if (p != NULL) {
    pk_geometry_destroy(p->a);
    pk_geometry_destroy(p->b);
    free(p->poses);
  }
  free(p);
}

static void *pair_create(const pki_collision_shape *a, const pki_collision_shape *b, int slots, char *message,
                         size_t size)
{
  pk_error err = {0};
  pair *p = calloc(1, sizeof *p);
  if (p == NULL || (p->poses = calloc(2 * (size_t)slots, sizeof *p->poses)) == NULL) {
    snprintf(message, size, "out of memory");
    pair_destroy(p);
    return NULL;
  }
  const pk_geometry_desc da = {
      .kind = a->kind, .size = {a->size[0], a->size[1], a->size[2]}, .mesh = a->mesh};
  const pk_geometry_desc db = {
      .kind = b->kind, .size = {b->size[0], b->size[1], b->size[2]}, .mesh = b->mesh};
  if (pk_geometry_create(&da, &p->a, &err) != PK_OK || pk_geometry_create(&db, &p->b, &err) != PK_OK) {
    snprintf(message, size, "%s", err.message);
    pair_destroy(p);
    return NULL;
  }
  return p;
}

static void pair_store(void *object, int slot, const pk_pose *a, const pk_pose *b)
{
  pair *p = object;
  p->poses[2 * slot] = *a, p->poses[2 * slot + 1] = *b;
}

static double pair_distance(void *object, int slot)
{
  const pair *p = object;
  pk_proximity near;
  const pk_pose *poses = p->poses + 2 * slot;
  return pki_distance(p->a, &poses[0], p->b, &poses[1], INFINITY, NULL, &near) ? near.distance : NAN;
}

/* ---- broad phases ---- */

typedef struct broad {
  pki_broad way;
  void *memory;
  pki_box_pair *pairs;
  int count, most;
} broad;

static void broad_destroy(void *object)
{
  broad *b = object;
  if (b != NULL) {
    pki_aligned_free(b->memory);
    free(b->pairs);
  }
  free(b);
}

static void *broad_create(int which, int n, const double (*boxes)[6])
{
  (void)boxes;
  broad *b = calloc(1, sizeof *b);
  if (b == NULL) {
    return NULL;
  }
  const pk_broad_phase kind = (pk_broad_phase)(PK_BROAD_PHASE_EXHAUSTIVE + which);
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_broad_carve(&b->way, kind, n, &arena);
  b->most = 64 * n + 64;
  b->memory = pki_aligned_alloc(arena.used + PKI_ALIGN);
  b->pairs = malloc((size_t)b->most * sizeof *b->pairs);
  if (b->memory == NULL || b->pairs == NULL) {
    broad_destroy(b);
    return NULL;
  }
  arena = pki_arena_over(b->memory, arena.used);
  pki_broad_carve(&b->way, kind, n, &arena);
  return b;
}

static void broad_update(void *object, const double (*boxes)[6])
{
  broad *b = object;
  b->count = pki_broad_pairs(&b->way, (const pki_aabb *)(const void *)boxes, NULL, NULL, b->pairs, b->most);
}

static int broad_pairs(void *object, int (*out)[2], int most)
{
  const broad *b = object;
  const int count = b->count < b->most ? b->count : b->most;
  for (int i = 0; i < count && i < most; i++) {
    out[i][0] = b->pairs[i].a, out[i][1] = b->pairs[i].b;
  }
  return b->count;
}

const pki_collision_peer *pki_collision_pronk(void)
{
  static const char *const broads[] = {"exhaustive", "sweep", "grid", "tree"};
  static const pki_collision_peer table = {.distance_calls = "pk_geometry_distance",
                                           .pair_create = pair_create,
                                           .pair_destroy = pair_destroy,
                                           .pair_store = pair_store,
                                           .pair_distance = pair_distance,
                                           .broads = broads,
                                           .nbroad = 4,
                                           .broad_create = broad_create,
                                           .broad_destroy = broad_destroy,
                                           .broad_update = broad_update,
                                           .broad_pairs = broad_pairs};
  return &table;
}
