/* How the triangles of a mesh hang together: neighbours, parts, orientation, whether it encloses a volume.
 *
 * Edges are found by sorting half-edges by their two vertices. An edge of two triangles joins them; one of more joins
 * nothing (which of them would go on behind it?), but counts in the balance: a mesh is closed when every edge is used
 * as often one way as the other. Such a surface has no border, so that every ray crosses it outwards as often as
 * inwards more often than its start is wound around: inside is well defined, also where solids share an edge. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

typedef struct half_edge {
  int low, high; /* vertices */
  int half;      /* 3 triangle + edge */
} half_edge;

static int by_edge(const void *left, const void *right)
{
  const half_edge *a = left, *b = right;
  return a->high != b->high ? (a->high > b->high) - (a->high < b->high)
                            : (a->half > b->half) - (a->half < b->half);
}

static int tail_of(const int *triangle, int half)
{
  return triangle[half];
}

static int head_of(const int *triangle, int half)
{
  return triangle[half % 3 == 2 ? half - 2 : half + 1];
}

/* All half-edges, equal edges side by side; NULL: no memory. */
static half_edge *sort_edges(const int *triangle, int n, int nvertex)
{
  const int count = 3 * n;
  half_edge *list = malloc((size_t)count * sizeof *list);
  int *start = calloc((size_t)nvertex + 2, sizeof *start);
  if (list == NULL || start == NULL) {
    free(list);
    free(start);
    return NULL;
  }
  /* into buckets by the lower vertex, then each bucket by the higher */
  for (int pass = 0; pass < 2; pass++) {
    for (int h = 0; h < count; h++) {
      const int a = tail_of(triangle, h), b = head_of(triangle, h), low = a < b ? a : b;
      if (pass == 0) {
        start[low + 2]++;
      } else {
        list[start[low + 1]++] = (half_edge){low, a < b ? b : a, h};
      }
    }
    for (int v = 2; pass == 0 && v < nvertex + 2; v++) {
      start[v] += start[v - 1];
    }
  }
  for (int v = 0; v < nvertex; v++) {
    const int begin = start[v], size = start[v + 1] - begin;
    if (size > 1) {
      qsort(list + begin, (size_t)size, sizeof *list, by_edge);
    }
  }
  free(start);
  return list;
}

/* Where the run of equal edges that begins at `begin` ends. */
static int equal_edges_end(const half_edge *list, int count, int begin)
{
  int end = begin + 1;
  while (end < count && list[end].low == list[begin].low && list[end].high == list[begin].high) {
    end++;
  }
  return end;
}

int pki_triangles_balanced(const int *triangle, int n, int nvertex)
{
  half_edge *list = sort_edges(triangle, n, nvertex);
  if (list == NULL) {
    return -1;
  }
  int balanced = 1;
  for (int i = 0, end; i < 3 * n && balanced; i = end) {
    end = equal_edges_end(list, 3 * n, i);
    int sum = 0;
    for (int j = i; j < end; j++) {
      sum += tail_of(triangle, list[j].half) == list[j].low ? 1 : -1;
    }
    balanced = sum == 0;
  }
  free(list);
  return balanced;
}

/* ---- orientation ---- */

/* One set of triangles joined by edges. */
typedef struct part {
  double volume;
  pki_aabb box;
  int count, turned; /* triangles; how many of them were turned to agree with their neighbours */
  int sum;           /* scratch: of the signs of one edge */
  bool whole;        /* it has no border of its own */
  bool twisted;      /* no orientation fits (a Moebius strip) */
} part;

typedef struct joining {
  pki_trimesh *t;
  half_edge *list;
  unsigned char *turn; /* [ntriangle] 1: turn it */
  int *queue;
  part *parts;
  int nparts;
} joining;

static void free_joining(joining *j)
{
  free(j->list);
  free(j->turn);
  free(j->queue);
  free(j->parts);
}

/* Edges of exactly two triangles make them neighbours, whichever way they run. */
static void find_neighbours(joining *j)
{
  pki_trimesh *t = j->t;
  const int count = 3 * t->ntriangle;
  for (int i = 0, end; i < count; i = end) {
    end = equal_edges_end(j->list, count, i);
    for (int k = i; k < end; k++) {
      t->neighbour[j->list[k].half] = -1;
    }
    if (end == i + 2) {
      t->neighbour[j->list[i].half] = j->list[i + 1].half / 3;
      t->neighbour[j->list[i + 1].half] = j->list[i].half / 3;
    }
  }
}

/* Whether triangle b uses the edge `half` of its neighbour in the same direction as that does. */
static bool same_edge_direction(const pki_trimesh *t, int half, int b)
{
  const int from = tail_of(t->triangle, half), to = head_of(t->triangle, half);
  for (int k = 0; k < 3; k++) {
    if (tail_of(t->triangle, 3 * b + k) == from && head_of(t->triangle, 3 * b + k) == to) {
      return true;
    }
  }
  return false;
}

/* Number the parts and give each one orientation, that of most of its triangles. */
static void find_parts(joining *j)
{
  pki_trimesh *t = j->t;
  for (int i = 0; i < t->ntriangle; i++) {
    t->part[i] = -1;
  }
  for (int seed = 0; seed < t->ntriangle; seed++) {
    if (t->part[seed] >= 0) {
      continue;
    }
    part p = {.whole = true};
    int filled = 0;
    j->queue[filled++] = seed;
    t->part[seed] = j->nparts, j->turn[seed] = 0;
    for (; p.count < filled; p.count++) {
      const int i = j->queue[p.count];
      p.turned += j->turn[i];
      for (int k = 0; k < 3; k++) {
        const int b = t->neighbour[3 * (size_t)i + (size_t)k];
        if (b < 0) {
          continue;
        }
        const unsigned char turn = j->turn[i] ^ (unsigned char)same_edge_direction(t, 3 * i + k, b);
        if (t->part[b] < 0) {
          t->part[b] = j->nparts, j->turn[b] = turn;
          j->queue[filled++] = b;
        } else if (j->turn[b] != turn) {
          p.twisted = true;
        }
      }
    }
    const unsigned char most = !p.twisted && 2 * p.turned > p.count;
    for (int k = 0; k < p.count; k++) {
      unsigned char *turn = &j->turn[j->queue[k]];
      *turn = p.twisted ? 0 : *turn ^ most;
    }
    p.turned = p.twisted ? 0 : most ? p.count - p.turned : p.turned;
    j->parts[j->nparts++] = p;
  }
}

/* Turn a triangle: corners 1 and 2 change places, and with them edges 0 and 2. */
static void turn_triangle(pki_trimesh *t, int i)
{
  int *v = t->triangle + 3 * (size_t)i, *n = t->neighbour + 3 * (size_t)i;
  const int corner = v[1], behind = n[0];
  v[1] = v[2], v[2] = corner;
  n[0] = n[2], n[2] = behind;
}

static void turn_marked(joining *j)
{
  for (int i = 0; i < j->t->ntriangle; i++) {
    if (j->turn[i]) {
      turn_triangle(j->t, i);
    }
  }
}

/* Whether all is closed, and each part by itself, from the edges in their final direction. */
static void find_closed(joining *j)
{
  pki_trimesh *t = j->t;
  const int count = 3 * t->ntriangle;
  t->closed = true;
  for (int i = 0, end; i < count; i = end) {
    end = equal_edges_end(j->list, count, i);
    int all = 0;
    for (int k = i; k < end; k++) {
      /* the list holds the edges as they were before turning */
      const int triangle = j->list[k].half / 3;
      const int *v = t->triangle + 3 * (size_t)triangle;
      int way = -1;
      for (int e = 0; e < 3; e++) {
        way = v[e] == j->list[k].low && v[(e + 1) % 3] == j->list[k].high ? 1 : way;
      }
      all += way;
      j->parts[t->part[triangle]].sum += way;
    }
    for (int k = i; k < end; k++) {
      part *p = &j->parts[t->part[j->list[k].half / 3]];
      p->whole = p->whole && p->sum == 0;
    }
    for (int k = i; k < end; k++) {
      j->parts[t->part[j->list[k].half / 3]].sum = 0;
    }
    t->closed = t->closed && all == 0;
  }
}

/* Volume (about a corner of the mesh) and box of each part. */
static void measure_parts(joining *j)
{
  const pki_trimesh *t = j->t;
  const double *o = t->vertex + 3 * (size_t)t->triangle[0];
  for (int i = 0; i < j->nparts; i++) {
    j->parts[i].volume = 0;
    j->parts[i].box = (pki_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  }
  for (int i = 0; i < t->ntriangle; i++) {
    part *p = &j->parts[t->part[i]];
    double x[3][3], normal[3];
    for (int k = 0; k < 3; k++) {
      const double *v = t->vertex + 3 * (size_t)t->triangle[3 * (size_t)i + (size_t)k];
      for (int c = 0; c < 3; c++) {
        x[k][c] = v[c] - o[c];
        p->box.min[c] = fmin(p->box.min[c], v[c]), p->box.max[c] = fmax(p->box.max[c], v[c]);
      }
    }
    pki_cross3(x[1], x[2], normal);
    p->volume += pki_dot3(x[0], normal) / 6;
  }
}

/* Whether a part lies in the box of one with a positive and greater volume: it bounds a hollow then. With more than
 * MOST parts only the first MOST may have hollows. */
static bool is_hollow(const joining *j, const part *p)
{
  enum { MOST = 1024 };
  for (int i = 0; i < j->nparts && i < MOST; i++) {
    const part *b = &j->parts[i];
    bool within = b != p && b->whole && b->volume > fabs(p->volume);
    for (int c = 0; c < 3 && within; c++) {
      within = p->box.min[c] >= b->box.min[c] && p->box.max[c] <= b->box.max[c];
    }
    if (within) {
      return true;
    }
  }
  return false;
}

/* Which parts to turn inside out: closed ones of negative volume, unless they are hollows of others; those that are
 * closed only together, together. If all closed parts are negative, hollows are positive: the greatest decides. */
static bool choose_turns(joining *j)
{
  double together = 0, greatest = 0;
  bool any = false;
  for (int i = 0; i < j->nparts; i++) {
    const part *p = &j->parts[i];
    together += p->whole ? 0 : p->volume;
    greatest = p->whole && p->turned == 0 && fabs(p->volume) > fabs(greatest) ? p->volume : greatest;
  }
  if (greatest < 0) {
    /* consistent as a whole, but inside out: turn all that was consistent, then test */
    for (int i = 0; i < j->nparts; i++) {
      part *p = &j->parts[i];
      p->sum = p->whole && p->turned == 0;
      p->volume = p->sum ? -p->volume : p->volume;
    }
  }
  for (int i = 0; i < j->nparts; i++) {
    part *p = &j->parts[i];
    const bool wrong =
        p->whole ? p->volume < 0 && (p->turned > 0 || !is_hollow(j, p)) : j->t->closed && together < 0;
    p->sum ^= wrong;
    any = any || p->sum != 0;
  }
  for (int i = 0; any && i < j->t->ntriangle; i++) {
    j->turn[i] = (unsigned char)j->parts[j->t->part[i]].sum;
  }
  return any;
}

/* ---- slivers ---- */

static double squared_edge_length(const pki_trimesh *t, int half)
{
  const double *a = t->vertex + 3 * (size_t)tail_of(t->triangle, half);
  const double *b = t->vertex + 3 * (size_t)head_of(t->triangle, half);
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return pki_dot3(d, d);
}

/* The triangle behind a sliver that is entered from triangle `from`. A sliver joins its longest side with the two
 * others: from a short side on to the long one, from the long side to the longer of the short. */
static int behind_sliver(const pki_trimesh *t, const unsigned char *sliver, int from, int at)
{
  enum { HOPS = 16 };
  for (int hop = 0; hop < HOPS && at >= 0 && sliver[at]; hop++) {
    int entry = -1, next = -1;
    for (int k = 0; k < 3; k++) {
      entry = t->neighbour[3 * (size_t)at + (size_t)k] == from ? k : entry;
    }
    for (int k = 0; k < 3; k++) {
      next = k != entry &&
                     (next < 0 || squared_edge_length(t, 3 * at + k) > squared_edge_length(t, 3 * at + next))
                 ? k
                 : next;
    }
    from = at;
    at = t->neighbour[3 * (size_t)at + (size_t)next];
  }
  return at >= 0 && !sliver[at] ? at : -1;
}

/* Surfaces go on behind slivers; where neighbours could not be turned the same way they end. */
static void bridge_slivers(joining *j, const unsigned char *sliver)
{
  pki_trimesh *t = j->t;
  int *bridged = (int *)j->list; /* has room for three times as many */
  for (int h = 0; h < 3 * t->ntriangle; h++) {
    const int b = t->neighbour[h];
    bridged[h] = b < 0 || same_edge_direction(t, h, b) ? -1
                 : sliver[b]                           ? behind_sliver(t, sliver, h / 3, b)
                                                       : b;
  }
  memcpy(t->neighbour, bridged, 3 * (size_t)t->ntriangle * sizeof *bridged);
}

bool pki_trimesh_join(pki_trimesh *t, const unsigned char *sliver)
{
  const size_t n = (size_t)t->ntriangle;
  joining j = {.t = t,
               .list = sort_edges(t->triangle, t->ntriangle, t->nvertex),
               .turn = calloc(n, 1),
               .queue = malloc(n * sizeof *j.queue),
               .parts = malloc(n * sizeof *j.parts)};
  const bool ok = j.list != NULL && j.turn != NULL && j.queue != NULL && j.parts != NULL;
  if (ok) {
    find_neighbours(&j);
    find_parts(&j);
    turn_marked(&j);
    find_closed(&j);
    measure_parts(&j);
    if (choose_turns(&j)) {
      turn_marked(&j);
    }
    bridge_slivers(&j, sliver);
  }
  free_joining(&j);
  return ok;
}
