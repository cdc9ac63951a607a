/* Sweep and prune (Baraff 1992; Cohen et al., "I-COLLIDE", 1995).
 *
 * Along each axis the ends of all intervals lie in one sorted list. From call to call boxes move little, so insertion
 * brings the lists in order again with few exchanges, and an exchange is the only moment at which two boxes can begin or
 * cease to overlap along an axis: a lower end that passes an upper one downwards may begin a pair, an upper end
 * that passes a lower one downwards ends it. The pairs that overlap along all axes are kept in a table.
 *
 * The first call, and a call in which the order was lost, sort afresh and sweep the first axis. More pairs than
 * the table has room for are found by that sweep in each call. */
#include "collision/broad/broad.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { PER_BOX = 24 }; /* pairs that the table has room for */

typedef struct end {
  double at;
  int box; /* 2 i: the lower end of box i; 2 i + 1: its upper one */
} end;

typedef struct sweep {
  int n, room;         /* boxes; of the table */
  bool known;          /* the lists and pairs are those of the last call */
  end *ends[3];        /* [2 n] boxes that are none are at infinity */
  pki_box_pair *pairs; /* [npair] */
  int npair;
  int *slot;  /* [2 room] the table: 1 + index of a pair, 0: none */
  int *open;  /* [n] boxes whose interval the sweep is in */
  int *where; /* [n] their places in it */
} sweep;

void *pki_sweep_carve(int n, pki_arena *arena)
{
  int room = 16;
  while (room < PER_BOX * n && room < 1 << 28) {
    room *= 2;
  }
  sweep *s = pki_arena_take(arena, 1, sizeof *s), made = {.n = n, .room = room};
  for (int k = 0; k < 3; k++) {
    made.ends[k] = pki_arena_take(arena, 2 * (size_t)n, sizeof(end));
  }
  made.pairs = pki_arena_take(arena, (size_t)room, sizeof *made.pairs);
  made.slot = pki_arena_take(arena, 2 * (size_t)room, sizeof *made.slot);
  made.open = pki_arena_take(arena, (size_t)n, sizeof *made.open);
  made.where = pki_arena_take(arena, (size_t)n, sizeof *made.where);
  if (arena->base != NULL && !arena->overflow) {
    *s = made;
  }
  return s;
}

void pki_sweep_reset(void *memory)
{
  ((sweep *)memory)->known = false;
}

/* ---- the table of pairs: open addressing, twice as many slots as pairs ---- */

static uint32_t slot_of(const sweep *s, int a, int b)
{
  uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u;
  return (uint32_t)(h >> 32) & (uint32_t)(2 * s->room - 1);
}

static uint32_t find_slot(const sweep *s, int a, int b)
{
  uint32_t at = slot_of(s, a, b);
  while (s->slot[at] != 0) {
    const pki_box_pair *p = &s->pairs[s->slot[at] - 1];
    if (p->a == a && p->b == b) {
      break;
    }
    at = (at + 1) & (uint32_t)(2 * s->room - 1);
  }
  return at;
}

/* False when there is no room. */
static bool add_pair(sweep *s, int i, int j)
{
  const int a = i < j ? i : j, b = i < j ? j : i;
  const uint32_t at = find_slot(s, a, b);
  if (s->slot[at] == 0) {
    if (s->npair == s->room) {
      return false;
    }
    s->pairs[s->npair++] = (pki_box_pair){a, b};
    s->slot[at] = s->npair;
  }
  return true;
}

/* Empty a slot, and move those behind it up that it had pushed away. */
static void close_slot(sweep *s, uint32_t hole)
{
  const uint32_t mask = (uint32_t)(2 * s->room - 1);
  for (uint32_t at = (hole + 1) & mask; s->slot[at] != 0; at = (at + 1) & mask) {
    const pki_box_pair *p = &s->pairs[s->slot[at] - 1];
    const uint32_t home = slot_of(s, p->a, p->b);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      s->slot[hole] = s->slot[at];
      hole = at;
    }
  }
  s->slot[hole] = 0;
}

static void remove_pair(sweep *s, int i, int j)
{
  const int a = i < j ? i : j, b = i < j ? j : i;
  const uint32_t at = find_slot(s, a, b);
  if (s->slot[at] == 0) {
    return;
  }
  const int gone = s->slot[at] - 1;
  close_slot(s, at);
  s->npair--;
  if (gone != s->npair) { /* the last pair takes its place */
    const uint32_t last = find_slot(s, s->pairs[s->npair].a, s->pairs[s->npair].b);
    s->pairs[gone] = s->pairs[s->npair];
    s->slot[last] = gone + 1;
  }
}

/* ---- lists ---- */

/* Lower ends come before upper ends at the same place: boxes that touch overlap. */
static inline bool end_comes_before(const end *x, const end *y)
{
  return x->at < y->at || (x->at == y->at && (x->box & 1) < (y->box & 1));
}

/* Ends of boxes that are none: beyond all others, lower and upper exchanged, so that they open after they close. */
static void read_end(const pki_aabb *boxes, int axis, end *e)
{
  const pki_aabb *box = &boxes[e->box >> 1];
  const bool upper = e->box & 1;
  e->at = pki_aabb_real(box) ? (upper ? box->max[axis] : box->min[axis]) : upper ? -INFINITY : INFINITY;
}

static void sift_end_down(end *e, int i, int n)
{
  const end x = e[i];
  for (int child; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && end_comes_before(&e[child], &e[child + 1]);
    if (!end_comes_before(&x, &e[child])) {
      break;
    }
    e[i] = e[child];
  }
  e[i] = x;
}

static void sort_afresh(sweep *s, const pki_aabb *boxes)
{
  for (int axis = 0; axis < 3; axis++) {
    end *e = s->ends[axis];
    const int m = 2 * s->n;
    for (int i = 0; i < m; i++) {
      e[i].box = i;
      read_end(boxes, axis, &e[i]);
    }
    for (int i = m / 2 - 1; i >= 0; i--) {
      sift_end_down(e, i, m);
    }
    for (int k = m - 1; k > 0; k--) {
      const end last = e[k];
      e[k] = e[0], e[0] = last;
      sift_end_down(e, 0, k);
    }
  }
}

/* Insertion along one axis; exchanges change the table. False when the table is full or the order was lost. */
static bool insertion_sort_axis(sweep *s, const pki_aabb *boxes, int axis, pki_pair_sink *sink)
{
  end *e = s->ends[axis];
  long long left = 64 + 32LL * s->n; /* exchanges, before sorting afresh is quicker */
  for (int i = 0; i < 2 * s->n; i++) {
    read_end(boxes, axis, &e[i]);
  }
  for (int i = 1; i < 2 * s->n; i++) {
    const end x = e[i];
    const bool lower = !(x.box & 1);
    int k = i;
    for (; k > 0 && end_comes_before(&x, &e[k - 1]); k--) {
      const end *y = &e[k - 1];
      const int a = x.box >> 1, b = y->box >> 1;
      if (lower && (y->box & 1) && a != b) {
        const int first = a < b ? a : b, second = a < b ? b : a;
        if (pki_aabb_overlap(&boxes[a], &boxes[b]) &&
            (!sink->want || sink->want(first, second, sink->user)) && !add_pair(s, a, b)) {
          return false;
        }
      } else if (!lower && !(y->box & 1) && a != b) {
        remove_pair(s, a, b);
      }
      e[k] = *y;
      left--;
    }
    e[k] = x;
    if (left < 0) {
      return false;
    }
  }
  return true;
}

/* ---- from nothing ---- */

/* All pairs along the first list, into the table as long as it has room, and into the sink. */
static bool sweep_list(sweep *s, const pki_aabb *boxes, pki_pair_sink *sink)
{
  int nopen = 0;
  bool room = true;
  s->npair = 0;
  memset(s->slot, 0, 2 * (size_t)s->room * sizeof *s->slot);
  for (int i = 0; i < 2 * s->n; i++) {
    const int box = s->ends[0][i].box >> 1;
    if (!pki_aabb_real(&boxes[box])) {
      continue;
    }
    if (s->ends[0][i].box & 1) {
      s->open[s->where[box]] = s->open[--nopen];
      s->where[s->open[nopen]] = s->where[box];
      continue;
    }
    for (int k = 0; k < nopen; k++) {
      if (pki_aabb_overlap(&boxes[box], &boxes[s->open[k]])) {
        const int before_it = sink->count;
        pki_pair_found(sink, box, s->open[k]);
        room = room && (sink->count == before_it || add_pair(s, box, s->open[k]));
      }
    }
    s->where[box] = nopen;
    s->open[nopen++] = box;
  }
  return room;
}

bool pki_sweep_pairs(void *memory, const pki_aabb *boxes, int n, pki_pair_sink *sink)
{
  sweep *s = memory;
  (void)n;
  for (int axis = 0; axis < 3 && s->known; axis++) {
    s->known = insertion_sort_axis(s, boxes, axis, sink);
  }
  if (!s->known) {
    sort_afresh(s, boxes);
    s->known = sweep_list(s, boxes, sink);
    return false;
  }
  for (int k = 0; k < s->npair; k++) {
    if (sink->count < sink->most) {
      sink->out[sink->count] = s->pairs[k];
    }
    sink->count++;
  }
  return false;
}
