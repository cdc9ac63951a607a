#include "contact/linear/elimination.h"

#include <string.h>

#include "dynamics/kernels.h"
#include "math/variants.h"

/* What L and U may hold each: this many numbers for each coordinate, and no more than the limit, 64 MB. */
static const size_t FILL = 540, FILL_MAX = (size_t)1 << 23;

/* ---- variants ---- */

#define DECLARE(isa, name) extern const pki_elimination_kernels pki_##name##_##isa##_1;
#define LIST(isa, name) &pki_##name##_##isa##_1,
PKI_EACH_ISA(DECLARE, elimination_kernels)

static const pki_elimination_kernels *const variants[] = {PKI_EACH_ISA(LIST, elimination_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

const pki_elimination_kernels *pki_elimination_kernels_find(const char *isa)
{
  const pki_elimination_kernels *found = NULL;
  for (int i = 0; i < VARIANT_COUNT && pki_kernels_find(isa, 1) != NULL; i++) {
    found = strcmp(variants[i]->isa, isa) == 0 ? variants[i] : found;
  }
  return found;
}

/* ---- room ---- */

static size_t smaller_size(size_t a, size_t b)
{
  return a < b ? a : b;
}

pki_elimination pki_elimination_take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = p->factor ? (size_t)p->factor->n : 0;
  size_t of_contacts, of_singles;
  pki_sparse_entries(p, &of_contacts, &of_singles);
  const size_t entries = of_contacts + of_singles;
  const size_t groups = (size_t)p->ncontact + (size_t)p->nbilateral + (size_t)p->nbox;
  pki_elimination e = {0};
  int **const per_node[] = {&e.node,     &e.first,       &e.width,       &e.place, &e.order,
                            &e.of_begin, &e.of_count,    &e.degree,      &e.head,  &e.next,
                            &e.last,     &e.below_begin, &e.below_count, &e.offset};
  for (size_t k = 0; k < sizeof per_node / sizeof per_node[0]; k++) {
    *per_node[k] = pki_arena_take(arena, n + 1, sizeof(int));
  }
  e.element_begin = pki_arena_take(arena, groups + 1, sizeof(int));
  e.element = pki_arena_take(arena, entries, sizeof(int));
  e.of = pki_arena_take(arena, entries, sizeof(int));
  e.mark = pki_arena_take(arena, groups + n, sizeof(int));
  e.over = pki_arena_take(arena, groups + n, sizeof(int));
  const size_t touched = smaller_size(n, entries);
  /* rows of six have eight numbers, panels begin on a line: dense at most 4/3 n^2 + 8 n */
  e.room = smaller_size(smaller_size(FILL * touched, FILL_MAX),
                        touched * (touched + touched / 3 + PKI_PANEL_LINE + 1));
  e.room_below = e.room / 9 + n;
  e.below = pki_arena_take(arena, e.room_below, sizeof *e.below);
  e.panel = pki_arena_take(arena, n, sizeof *e.panel);
  e.L = pki_arena_take(arena, e.room, sizeof *e.L);
  e.U = pki_arena_take(arena, e.room, sizeof *e.U);
  return e;
}

/* ---- nodes ---- */

/* Coordinates side by side that the same groups touch: their hashes over the groups agree. */
static void find_nodes(pki_elimination *e)
{
  const pki_sparse *s = e->s;
  unsigned *hash = (unsigned *)e->head;
  memset(hash, 0, (size_t)s->n * sizeof *hash);
  for (int g = 0; g < s->groups; g++) {
    const unsigned salt = 2654435761u * ((unsigned)g + 1);
    for (int k = s->start[g]; k < s->start[g + 1]; k++) {
      hash[s->col[k]] += (salt ^ (salt >> 15)) | 1u;
    }
  }
  e->nodes = 0;
  for (int c = 0; c < s->n; c++) {
    const int now = e->nodes - 1;
    e->node[c] = -1;
    if (hash[c] == 0) {
      continue;
    }
    if (c > 0 && e->node[c - 1] == now && now >= 0 && hash[c] == hash[c - 1] &&
        e->width[now] < PKI_NODE_MAX) {
      e->node[c] = now;
      e->width[now]++;
    } else {
      e->node[c] = e->nodes;
      e->first[e->nodes] = c;
      e->width[e->nodes++] = 1;
    }
  }
}

/* Groups as elements; one after another with the same nodes count once. */
static int find_elements(pki_elimination *e)
{
  const pki_sparse *s = e->s;
  int elements = 0, at = 0;
  for (int g = 0; g < s->groups; g++) {
    const int from = at;
    for (int k = s->start[g]; k < s->start[g + 1]; k++) {
      const int node = e->node[s->col[k]];
      if (at == from || e->element[at - 1] != node) {
        e->element[at++] = node;
      }
    }
    const int before = elements > 0 ? e->element_begin[elements - 1] : 0, count = at - from;
    const bool again = elements > 0 && from - before == count &&
                       memcmp(e->element + before, e->element + from, (size_t)count * sizeof(int)) == 0;
    if (count == 0 || again) {
      at = from;
    } else {
      e->element_begin[elements++] = from;
    }
    e->element_begin[elements] = at;
  }
  return elements;
}

/* The elements of each node. */
static void find_memberships(pki_elimination *e, int elements)
{
  const int total = e->element_begin[elements];
  memset(e->of_count, 0, (size_t)e->nodes * sizeof(int));
  for (int k = 0; k < total; k++) {
    e->of_count[e->element[k]]++;
  }
  for (int i = 0, at = 0; i < e->nodes; i++) {
    e->of_begin[i] = at;
    at += e->of_count[i];
    e->of_count[i] = 0;
  }
  for (int g = 0; g < elements; g++) {
    for (int k = e->element_begin[g]; k < e->element_begin[g + 1]; k++) {
      const int i = e->element[k];
      e->of[e->of_begin[i] + e->of_count[i]++] = g;
    }
  }
}

/* ---- order ---- */

static void list_remove(pki_elimination *e, int i)
{
  *(e->last[i] >= 0 ? &e->next[e->last[i]] : &e->head[e->degree[i]]) = e->next[i];
  if (e->next[i] >= 0) {
    e->last[e->next[i]] = e->last[i];
  }
}

static void list_add(pki_elimination *e, int i, int degree)
{
  e->degree[i] = degree;
  e->last[i] = -1, e->next[i] = e->head[degree];
  if (e->next[i] >= 0) {
    e->last[e->next[i]] = i;
  }
  e->head[degree] = i;
}

/* Nodes of an element: of a group, or below a node that was eliminated. */
static const int *element_nodes(const pki_elimination *e, int elements, int element, int *count)
{
  const int p = element - elements;
  *count = p >= 0 ? e->below_count[p] : e->element_begin[element + 1] - e->element_begin[element];
  return p >= 0 ? e->below + e->below_begin[p] : e->element + e->element_begin[element];
}

/* L_p: what the elements of p hold and is not eliminated yet; false when there is no room. They are absorbed. */
static bool gather_below(pki_elimination *e, int elements, int p, int stamp, int *weight)
{
  size_t used = e->used_below;
  int *out = e->below + used, n = 0;
  e->below_begin[p] = (int)used;
  *weight = 0;
  e->offset[p] = stamp;
  for (int k = 0; k < e->of_count[p]; k++) {
    const int element = e->of[e->of_begin[p] + k];
    int count;
    const int *list = element_nodes(e, elements, element, &count);
    if (e->mark[element] < 0) {
      continue;
    }
    e->mark[element] = -1; /* absorbed */
    for (int j = 0; j < count; j++) {
      const int i = list[j];
      if (e->place[i] >= 0 || e->offset[i] == stamp) {
        continue;
      }
      if (used + (size_t)n >= e->room_below) {
        return false;
      }
      e->offset[i] = stamp;
      out[n++] = i;
      *weight += e->width[i];
    }
  }
  e->below_count[p] = n;
  e->used_below += (size_t)n;
  return true;
}

/* over[e] = |L_e \ L_p| for all elements of the nodes in L_p. */
static void measure_overlap(pki_elimination *e, int elements, int p, int stamp)
{
  for (int k = 0; k < e->below_count[p]; k++) {
    const int i = e->below[e->below_begin[p] + k];
    for (int j = 0; j < e->of_count[i]; j++) {
      const int element = e->of[e->of_begin[i] + j];
      if (e->mark[element] < 0) {
        continue;
      }
      if (e->mark[element] != stamp) {
        int count;
        const int *list = element_nodes(e, elements, element, &count);
        e->mark[element] = stamp;
        e->over[element] = 0;
        for (int m = 0; m < count; m++) {
          e->over[element] += e->place[list[m]] < 0 && e->offset[list[m]] != stamp ? e->width[list[m]] : 0;
        }
      }
    }
  }
}

/* New elements and degrees of the nodes in L_p. Elements that p covers vanish. */
static void update_nodes(pki_elimination *e, int elements, int p, int weight, int *least)
{
  const int most = e->s->n - 1;
  for (int k = 0; k < e->below_count[p]; k++) {
    const int i = e->below[e->below_begin[p] + k];
    int *of = e->of + e->of_begin[i], kept = 0, degree = weight - e->width[i];
    for (int j = 0; j < e->of_count[i]; j++) {
      const int element = of[j];
      if (e->mark[element] < 0) {
        continue;
      }
      if (e->over[element] == 0) {
        continue;
      }
      degree += e->over[element];
      of[kept++] = element;
    }
    of[kept++] = elements + p;
    e->of_count[i] = kept;
    list_remove(e, i);
    list_add(e, i, degree < most ? degree : most);
    *least = e->degree[i] < *least ? e->degree[i] : *least;
  }
}

/* Eliminate node after node, the least degree first. */
static bool find_order(pki_elimination *e, int elements)
{
  int least = 0;
  memset(e->mark, 0, (size_t)(elements + e->nodes) * sizeof(int));
  memset(e->head, 0xff, ((size_t)e->s->n + 1) * sizeof(int));
  for (int i = 0; i < e->nodes; i++) {
    int degree = 0;
    for (int k = 0; k < e->of_count[i]; k++) {
      const int g = e->of[e->of_begin[i] + k];
      for (int m = e->element_begin[g]; m < e->element_begin[g + 1]; m++) {
        degree += e->element[m] != i ? e->width[e->element[m]] : 0;
      }
    }
    e->place[i] = -1, e->offset[i] = 0;
    list_add(e, i, degree < e->s->n - 1 ? degree : e->s->n - 1);
  }
  for (int k = 0; k < e->nodes; k++) {
    while (e->head[least] < 0) {
      least++;
    }
    const int p = e->head[least];
    int weight;
    list_remove(e, p);
    e->place[p] = k;
    e->order[k] = p;
    if (!gather_below(e, elements, p, k + 1, &weight)) {
      return false;
    }
    measure_overlap(e, elements, p, k + 1);
    update_nodes(e, elements, p, weight, &least);
  }
  return true;
}

/* Panels; nodes below a node in order of elimination. */
static bool lay_out(pki_elimination *e)
{
  e->used = 0, e->flops = 0;
  for (int k = 0; k < e->nodes; k++) {
    const int p = e->order[k];
    int *below = e->below + e->below_begin[p], rows = e->width[p];
    for (int i = 1; i < e->below_count[p]; i++) {
      const int node = below[i];
      int j = i;
      for (; j > 0 && e->place[below[j - 1]] > e->place[node]; j--) {
        below[j] = below[j - 1];
      }
      below[j] = node;
    }
    for (int i = 0; i < e->below_count[p]; i++) {
      rows += e->width[below[i]];
    }
    e->panel[p] = e->used;
    e->used += pki_panel_size(rows, e->width[p]);
    e->flops += (double)rows * rows * e->width[p];
  }
  return e->used <= e->room;
}

bool pki_elimination_analyse(pki_elimination *e, const pki_sparse *s)
{
  e->s = s;
  e->kernels = pki_elimination_kernels_find(pki_kernels_get(1)->isa);
  e->used_below = 0;
  find_nodes(e);
  const int elements = find_elements(e);
  find_memberships(e, elements);
  return find_order(e, elements) && lay_out(e);
}

bool pki_elimination_factor(pki_elimination *e, const double *diagonal, const double *C)
{
  return e->kernels->factor(e, diagonal, C);
}

void pki_elimination_solve(const pki_elimination *e, double *b)
{
  e->kernels->solve(e, b);
}
