/* A hash grid of several levels (Ericson, "Real-time collision detection", 7.2).
 *
 * Level l has cells of 2^l m. A box lives in the level whose cells are just larger than its longest side, in the one
 * cell of its centre: it reaches at most half a cell beyond. Each box asks its own level and all coarser ones that are
 * in use, over its own extent and half a cell around it: three cells along each axis at most, on its own level half of
 * them.
 *
 * Cells are hashed into a table of lists, which is built afresh in each call. Boxes that no level suits (infinite, or
 * too far out for cells of their size) are tested against all. */
#include "collision/broad/broad.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FINEST = -40, COARSEST = 40, LEVELS = COARSEST - FINEST + 1, NOWHERE = -1 };

static const double FARTHEST = 1e13; /* cells from the origin: their numbers are still exact */

typedef struct grid {
  int room;    /* lists of the table, a power of two */
  int *head;   /* [room] first box of a list, -1: none */
  int *next;   /* [n] */
  int *level;  /* [n] NOWHERE: the box is in no cell */
  int64_t *at; /* [n][3] its cell */
  int *out;    /* [n] boxes that no level suits */
  int nout;
  int used[LEVELS];     /* how many boxes */
  double scale[LEVELS]; /* cells for each metre */
} grid;

void *pki_grid_carve(int n, pki_arena *arena)
{
  int room = 16;
  while (room < 2 * n && room < 1 << 29) {
    room *= 2;
  }
  grid *g = pki_arena_take(arena, 1, sizeof *g);
  int *head = pki_arena_take(arena, (size_t)room, sizeof *head);
  int *next = pki_arena_take(arena, (size_t)n, sizeof *next),
      *level = pki_arena_take(arena, (size_t)n, sizeof *level);
  int64_t *at = pki_arena_take(arena, 3 * (size_t)n, sizeof *at);
  int *out = pki_arena_take(arena, (size_t)n, sizeof *out);
  if (arena->base != NULL && !arena->overflow) {
    *g = (grid){.room = room, .head = head, .next = next, .level = level, .at = at, .out = out};
    for (int l = 0; l < LEVELS; l++) {
      g->scale[l] = ldexp(1, -(l + FINEST));
    }
  }
  return g;
}

/* Hash of a cell: of its x and level, then with its y, then with its z. */
static inline uint64_t hash_x(int level, int64_t x)
{
  return (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)level * 0xD6E8FEB86659FD93u;
}

static inline uint64_t hash_y(uint64_t h, int64_t y)
{
  return h ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu;
}

static inline int list_of(const grid *g, uint64_t h, int64_t z)
{
  h ^= (uint64_t)z * 0x165667B19E3779F9u;
  h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
  return (int)((h >> 32) & (uint64_t)(g->room - 1));
}

/* The level of a box and its cell; false: none suits. */
static bool cell_of_box(const grid *g, const pki_aabb *box, int *level, int64_t at[3])
{
  double longest = 0;
  int e;
  for (int k = 0; k < 3; k++) {
    longest = fmax(longest, box->max[k] - box->min[k]);
  }
  frexp(longest, &e); /* longest < 2^e */
  if (!isfinite(longest) || e > COARSEST) {
    return false;
  }
  *level = longest == 0 || e < FINEST ? 0 : e - FINEST;
  for (int k = 0; k < 3; k++) {
    const double cell = floor(0.5 * (box->min[k] + box->max[k]) * g->scale[*level]);
    if (!(fabs(cell) < FARTHEST)) {
      return false;
    }
    at[k] = (int64_t)cell;
  }
  return true;
}

static void fill_grid(grid *g, const pki_aabb *boxes, int n)
{
  memset(g->head, -1, (size_t)g->room * sizeof *g->head);
  memset(g->used, 0, sizeof g->used);
  g->nout = 0;
  for (int i = 0; i < n; i++) {
    int level;
    g->level[i] = NOWHERE;
    if (!pki_aabb_real(&boxes[i])) {
      continue;
    }
    if (!cell_of_box(g, &boxes[i], &level, g->at + 3 * i)) {
      g->out[g->nout++] = i;
      continue;
    }
    const int64_t *at = g->at + 3 * i;
    const int list = list_of(g, hash_y(hash_x(level, at[0]), at[1]), at[2]);
    g->level[i] = level;
    g->used[level]++;
    g->next[i] = g->head[list];
    g->head[list] = i;
  }
}

/* Boxes of the cell at x, y, z of a level against box i; in its own cell those that stand behind it in the list alone. */
static inline void find_pairs_in_cell(const grid *g, const pki_aabb *boxes, int i, int level, int list,
                                      int64_t x, int64_t y, int64_t z, bool own, pki_pair_sink *sink)
{
  for (int j = own ? g->next[i] : g->head[list]; j >= 0; j = g->next[j]) {
    const int64_t *at = g->at + 3 * j;
    if (g->level[j] == level && at[0] == x && at[1] == y && at[2] == z &&
        pki_aabb_overlap(&boxes[i], &boxes[j])) {
      pki_pair_found(sink, i, j);
    }
  }
}

/* All cells of a level whose boxes may reach box i; on its own level its own cell and those that come after it in the order
 * of x, y, z: the others report their pairs with it. */
static void find_pairs_in_level(const grid *g, const pki_aabb *boxes, int i, int level, pki_pair_sink *sink)
{
  const bool same = g->level[i] == level;
  const int64_t *own = g->at + 3 * i;
  int64_t from[3], to[3];
  for (int k = 0; k < 3; k++) {
    const double low = boxes[i].min[k] * g->scale[level] - 0.5,
                 high = boxes[i].max[k] * g->scale[level] + 0.5;
    /* a centre that rounding has put across the border is still found */
    from[k] = (int64_t)floor(low - 1e-14 * (1 + fabs(low))),
    to[k] = (int64_t)floor(high + 1e-14 * (1 + fabs(high)));
  }
  for (int64_t x = same ? own[0] : from[0]; x <= to[0]; x++) {
    const bool at_x = same && x == own[0];
    const uint64_t hx = hash_x(level, x);
    for (int64_t y = at_x ? own[1] : from[1]; y <= to[1]; y++) {
      const bool at_y = at_x && y == own[1];
      const uint64_t hy = hash_y(hx, y);
      for (int64_t z = at_y ? own[2] : from[2]; z <= to[2]; z++) {
        find_pairs_in_cell(g, boxes, i, level, list_of(g, hy, z), x, y, z, at_y && z == own[2], sink);
      }
    }
  }
}

bool pki_grid_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink)
{
  grid *g = memory;
  fill_grid(g, boxes, n);
  for (int i = 0; i < n; i++) {
    for (int l = g->level[i]; l >= 0 && l < LEVELS; l++) {
      if (g->used[l] > 0) {
        find_pairs_in_level(g, boxes, i, l, sink);
      }
    }
  }
  for (int k = 0; k < g->nout; k++) {
    const int i = g->out[k];
    for (int j = 0; j < n; j++) {
      /* two that are out meet once */
      if ((g->level[j] >= 0 || j > i) && pki_aabb_overlap(&boxes[i], &boxes[j]) && pki_aabb_real(&boxes[j])) {
        pki_pair_found(sink, i, j);
      }
    }
  }
  return false;
}
