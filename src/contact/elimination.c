#include "contact/elimination.h"

#include <math.h>
#include <string.h>

/* What L and U may hold each: this many numbers for each coordinate, and no more than the limit, 64 MB. */
static const size_t FILL = 400, FILL_MAX = (size_t)1 << 23;

static size_t smaller(size_t a, size_t b)
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
  const size_t touched = smaller(n, entries);
  e.room = smaller(smaller(FILL * touched, FILL_MAX), touched * touched);
  e.room_below = e.room / 9 + n;
  e.below = pki_arena_take(arena, e.room_below, sizeof *e.below);
  e.panel = pki_arena_take(arena, n, sizeof *e.panel);
  e.L = pki_arena_take(arena, e.room, sizeof *e.L);
  e.U = pki_arena_take(arena, e.room, sizeof *e.U);
  e.T = pki_arena_take(arena, (size_t)2 * PKI_NODE_MAX * PKI_NODE_MAX, sizeof *e.T);
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
    e->used += (size_t)rows * (size_t)e->width[p];
    e->flops += (double)rows * rows * e->width[p];
  }
  return e->used <= e->room;
}

bool pki_elimination_analyse(pki_elimination *e, const pki_sparse *s)
{
  e->s = s;
  e->used_below = 0;
  find_nodes(e);
  const int elements = find_elements(e);
  find_memberships(e, elements);
  return find_order(e, elements) && lay_out(e);
}

/* ---- numbers ---- */

/* Where the block below node j that belongs to node i begins in its panel. */
static size_t block_of(const pki_elimination *e, int i, int j)
{
  const int w = e->width[j], *below = e->below + e->below_begin[j];
  size_t at = e->panel[j] + (size_t)(w * w);
  for (int k = 0; below[k] != i; k++) {
    at += (size_t)(e->width[below[k]] * w);
  }
  return at;
}

/* out [wa][wb] += Y_a' C Y_b; `lanes` rows. Inlined with constants where bodies are free. */
static inline void add_product_of(double *restrict out, const double *restrict Ya, int wa,
                                  const double *restrict Yb, int wb, const double C[9], int lanes)
{
  for (int i = 0; i < wa; i++, out += wb) {
    double row[3] = {0, 0, 0};
    for (int d = 0; d < lanes; d++) {
      for (int k = 0; k < lanes; k++) {
        row[k] += Ya[lanes * i + d] * C[3 * d + k];
      }
    }
    for (int j = 0; j < wb; j++) {
      double sum = 0;
      for (int k = 0; k < lanes; k++) {
        sum += row[k] * Yb[lanes * j + k];
      }
      out[j] += sum;
    }
  }
}

static void add_product(double *out, const double *Ya, int wa, const double *Yb, int wb, const double C[9],
                        int lanes)
{
  if (wa == PKI_NODE_MAX && wb == PKI_NODE_MAX && lanes == 3) {
    add_product_of(out, Ya, PKI_NODE_MAX, Yb, PKI_NODE_MAX, C, 3);
  } else {
    add_product_of(out, Ya, wa, Yb, wb, C, lanes);
  }
}

static void add_group(const pki_elimination *e, int group, const double *C)
{
  const pki_sparse *s = e->s;
  const int lanes = group < s->contacts ? 3 : 1, to = s->start[group + 1];
  const double *Y = lanes == 3 ? s->Y3 : s->Y1 - s->start[s->contacts];
  const double transposed[9] = {C[0], C[3], C[6], C[1], C[4], C[7], C[2], C[5], C[8]};
  for (int ea = s->start[group]; ea < to; ea += e->width[e->node[s->col[ea]]]) {
    for (int eb = s->start[group]; eb < to; eb += e->width[e->node[s->col[eb]]]) {
      const int a = e->node[s->col[ea]], b = e->node[s->col[eb]], wa = e->width[a], wb = e->width[b];
      const double *Ya = Y + (ptrdiff_t)lanes * ea, *Yb = Y + (ptrdiff_t)lanes * eb;
      if (a == b) {
        add_product(e->L + e->panel[a], Ya, wa, Yb, wb, C, lanes);
      } else if (e->place[b] < e->place[a]) {
        const size_t at = block_of(e, a, b);
        add_product(e->L + at, Ya, wa, Yb, wb, C, lanes);
        if (!e->symmetric) {
          add_product(e->U + at, Ya, wa, Yb, wb, transposed, lanes); /* block (b, a), transposed */
        }
      }
    }
  }
}

/* out [rows][wj] -= A [rows][wk] T [wk][wj] */
static void subtract(double *restrict out, const double *restrict A, const double *restrict T, int rows,
                     int wj, int wk)
{
  if (wj == 6 && wk == 6) {
    for (int r = 0; r < rows; r++, out += 6, A += 6) {
      for (int c = 0; c < 6; c++) {
        out[c] -= A[0] * T[c] + A[1] * T[6 + c] + A[2] * T[12 + c] + A[3] * T[18 + c] + A[4] * T[24 + c] +
                  A[5] * T[30 + c];
      }
    }
    return;
  }
  for (int r = 0; r < rows; r++, out += wj, A += wk) {
    for (int c = 0; c < wj; c++) {
      for (int m = 0; m < wk; m++) {
        out[c] -= A[m] * T[m * wj + c];
      }
    }
  }
}

/* The panel of j less what the node k before it takes; j is number `at` below k. With A_ij of rows i from j on,
 * A_ij -= L_ik U_kj and A_ji -= L_jk U_ki. */
static void update_panel(const pki_elimination *e, int j, int k, int at)
{
  const int wj = e->width[j], wk = e->width[k], *below = e->below + e->below_begin[k];
  size_t from = e->panel[k] + (size_t)(wk * wk);
  for (int i = 0; i < at; i++) {
    from += (size_t)(e->width[below[i]] * wk);
  }
  double *Ukj = e->T, *Ljk = e->T + PKI_NODE_MAX * PKI_NODE_MAX; /* [wk][wj] */
  for (int m = 0; m < wk; m++) {
    for (int c = 0; c < wj; c++) {
      Ukj[m * wj + c] = e->U[from + (size_t)(c * wk + m)];
      Ljk[m * wj + c] = e->L[from + (size_t)(c * wk + m)];
    }
  }
  for (int i = at; i < e->below_count[k]; i++) {
    const int rows = e->width[below[i]];
    const size_t to = e->panel[j] + (size_t)e->offset[below[i]] * (size_t)wj;
    subtract(e->L + to, e->L + from, Ukj, rows, wj, wk);
    if (i > at && !e->symmetric) {
      subtract(e->U + to, e->U + from, Ljk, rows, wj, wk);
    }
    from += (size_t)(rows * wk);
  }
}

/* Rows below the panel's own block: those of L divided by U, those of U' by L'. Reciprocals of the pivots once. */
static inline void divide_rows(double *restrict P, double *restrict Q, int w, int rows, bool symmetric)
{
  double inverse[PKI_NODE_MAX];
  for (int c = 0; c < w; c++) {
    inverse[c] = 1 / P[c * w + c];
  }
  for (int r = w; r < rows; r++) {
    double *l = P + (ptrdiff_t)r * w, *u = Q + (ptrdiff_t)r * w;
    for (int c = 0; c < w; c++) {
      for (int m = 0; m < c; m++) {
        l[c] -= l[m] * P[m * w + c];
      }
      if (symmetric) {
        u[c] = l[c]; /* U' = L diag(U) */
      } else {
        for (int m = 0; m < c; m++) {
          u[c] -= u[m] * P[c * w + m];
        }
      }
      l[c] *= inverse[c];
    }
  }
}

/* The panel's own block becomes L (unit) and U; the rows below are divided by U, those of U' by L'. */
static bool finish_panel(const pki_elimination *e, int j, int rows)
{
  const int w = e->width[j];
  double *P = e->L + e->panel[j], *Q = e->U + e->panel[j];
  for (int c = 0; c < w; c++) {
    const double before = fabs(P[c * w + c]);
    for (int r = 0; r < w; r++) {
      double sum = P[r * w + c];
      for (int m = 0; m < (r < c ? r : c); m++) {
        sum -= P[r * w + m] * P[m * w + c];
      }
      P[r * w + c] = sum;
      if (r == c && !(fabs(sum) > 1e-15 * before)) {
        return false;
      }
      P[r * w + c] /= r > c ? P[c * w + c] : 1;
    }
    if (!isfinite(P[c * w + c])) {
      return false;
    }
  }
  if (w == PKI_NODE_MAX) {
    divide_rows(P, Q, PKI_NODE_MAX, rows, e->symmetric);
  } else {
    divide_rows(P, Q, w, rows, e->symmetric);
  }
  return true;
}

static void fill(pki_elimination *e, const double *diagonal, const double *C)
{
  e->symmetric = true;
  for (int g = 0; g < e->s->contacts; g++) {
    const double *c = C + 9 * (size_t)g;
    e->symmetric &= c[1] == c[3] && c[2] == c[6] && c[5] == c[7];
  }
  memset(e->L, 0, e->used * sizeof *e->L);
  if (!e->symmetric) {
    memset(e->U, 0, e->used * sizeof *e->U);
  }
  for (int i = 0; i < e->nodes; i++) {
    for (int c = 0; c < e->width[i]; c++) {
      e->L[e->panel[i] + (size_t)(c * e->width[i] + c)] = diagonal[e->first[i] + c];
    }
  }
  for (int g = 0; g < e->s->groups; g++) {
    const double *c = C + 9 * (size_t)g;
    if (c[0] != 0 || (g < e->s->contacts && (c[4] != 0 || c[8] != 0))) {
      add_group(e, g, c);
    }
  }
}

bool pki_elimination_factor(pki_elimination *e, const double *diagonal, const double *C)
{
  fill(e, diagonal, C);
  /* head: the nodes whose next row below is j; next links them, last counts how far they are */
  memset(e->head, 0xff, (size_t)e->nodes * sizeof(int));
  for (int k = 0; k < e->nodes; k++) {
    const int j = e->order[k], *below = e->below + e->below_begin[j];
    int rows = e->width[j];
    e->offset[j] = 0;
    for (int i = 0; i < e->below_count[j]; i++) {
      e->offset[below[i]] = rows;
      rows += e->width[below[i]];
    }
    for (int from = e->head[j], then; from >= 0; from = then) {
      then = e->next[from];
      update_panel(e, j, from, e->last[from]);
      if (++e->last[from] < e->below_count[from]) {
        const int to = e->below[e->below_begin[from] + e->last[from]];
        e->next[from] = e->head[to], e->head[to] = from;
      }
    }
    if (!finish_panel(e, j, rows)) {
      return false;
    }
    if (e->below_count[j] > 0) {
      e->last[j] = 0, e->next[j] = e->head[below[0]], e->head[below[0]] = j;
    }
  }
  return true;
}

/* L y = b */
static void solve_lower(const pki_elimination *e, double *b)
{
  for (int k = 0; k < e->nodes; k++) {
    const int j = e->order[k], w = e->width[j], *below = e->below + e->below_begin[j];
    const double *P = e->L + e->panel[j];
    double *x = b + e->first[j];
    for (int r = 1; r < w; r++) {
      for (int c = 0; c < r; c++) {
        x[r] -= P[r * w + c] * x[c];
      }
    }
    P += w * w;
    for (int i = 0; i < e->below_count[j]; i++) {
      double *y = b + e->first[below[i]];
      for (int r = 0; r < e->width[below[i]]; r++, P += w) {
        for (int c = 0; c < w; c++) {
          y[r] -= P[c] * x[c];
        }
      }
    }
  }
}

void pki_elimination_solve(const pki_elimination *e, double *b)
{
  solve_lower(e, b);
  /* U x = y, from the last node back */
  for (int k = e->nodes - 1; k >= 0; k--) {
    const int j = e->order[k], w = e->width[j], *below = e->below + e->below_begin[j];
    const double *Q = e->U + e->panel[j] + w * w, *P = e->L + e->panel[j];
    double *x = b + e->first[j];
    for (int i = 0; i < e->below_count[j]; i++) {
      const double *y = b + e->first[below[i]];
      for (int r = 0; r < e->width[below[i]]; r++, Q += w) {
        for (int c = 0; c < w; c++) {
          x[c] -= Q[c] * y[r];
        }
      }
    }
    for (int r = w - 1; r >= 0; r--) {
      for (int c = r + 1; c < w; c++) {
        x[r] -= P[r * w + c] * x[c];
      }
      x[r] /= P[r * w + r];
    }
  }
}
