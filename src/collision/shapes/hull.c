/* Polytopes from their faces: edges, neighbours, planes; and the check that the result is one. */
#include "collision/shapes/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"

/* All arrays follow the struct in one block. */
static pki_hull *allocate_hull(int nvertex, int nface, int nloop)
{
  const size_t v = (size_t)nvertex, f = (size_t)nface, l = (size_t)nloop;
  const size_t reals = 3 * v + 4 * f, ints = (f + 1) + l + l + 4 * (l / 2) + (v + 1) + l;
  pki_hull *h = calloc(1, sizeof *h + reals * sizeof(double) + ints * sizeof(int));
  if (h == NULL) {
    return NULL;
  }
  h->nvertex = nvertex, h->nface = nface, h->nedge = nloop / 2;
  h->vertex = (double *)(h + 1);
  h->plane = h->vertex + 3 * v;
  h->face_start = (int *)(void *)(h->plane + 4 * f);
  h->loop = h->face_start + f + 1;
  h->loop_edge = h->loop + l;
  h->edge = h->loop_edge + l;
  h->vertex_start = h->edge + 4 * (l / 2);
  h->vertex_edge = h->vertex_start + v + 1;
  return h;
}

void pki_hull_destroy(pki_hull *hull)
{
  free(hull);
}

/* ---- neighbours ---- */

/* One side of an edge: where it stands in the loops, and its face. */
typedef struct half_edge {
  int low, high, from, at, face;
} half_edge;

static int compare_half_edges(const void *one, const void *two)
{
  const half_edge *a = one, *b = two;
  return a->low != b->low ? a->low - b->low : a->high != b->high ? a->high - b->high : a->from - b->from;
}

/* Each edge must be walked once in each direction. */
static bool pair_edges(pki_hull *h, half_edge *half)
{
  const int nloop = h->face_start[h->nface];
  for (int f = 0; f < h->nface; f++) {
    for (int i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
      const int a = h->loop[i], b = h->loop[i + 1 < h->face_start[f + 1] ? i + 1 : h->face_start[f]];
      half[i] = (half_edge){.low = a < b ? a : b, .high = a < b ? b : a, .from = a, .at = i, .face = f};
    }
  }
  qsort(half, (size_t)nloop, sizeof *half, compare_half_edges);
  for (int e = 0; e < h->nedge; e++) {
    const half_edge *a = &half[2 * e], *b = &half[2 * e + 1];
    const bool next_same =
        e + 1 < h->nedge && half[2 * e + 2].low == a->low && half[2 * e + 2].high == a->high;
    if (a->low != b->low || a->high != b->high || a->low == a->high || a->from == b->from || next_same) {
      return false;
    }
    /* a is the side that goes from low to high: its face is on the left */
    memcpy(h->edge + 4 * e, (const int[4]){a->low, a->high, a->face, b->face}, 4 * sizeof(int));
    h->loop_edge[a->at] = h->loop_edge[b->at] = e;
  }
  return true;
}

/* Edges around each vertex, counter-clockwise seen from outside: from an edge that leaves it, over the face on its left,
 * to the edge before it in that face's loop. False when one round does not meet them all. */
static bool list_vertex_edges(pki_hull *h, const int *leaving)
{
  for (int e = 0; e < h->nedge; e++) {
    h->vertex_start[h->edge[4 * e] + 1]++;
    h->vertex_start[h->edge[4 * e + 1] + 1]++;
  }
  for (int v = 0; v < h->nvertex; v++) {
    if (h->vertex_start[v + 1] < 3) {
      return false;
    }
    h->vertex_start[v + 1] += h->vertex_start[v];
  }
  for (int v = 0; v < h->nvertex; v++) {
    const int first = h->vertex_start[v], degree = h->vertex_start[v + 1] - first;
    int edge = h->loop_edge[leaving[v]], begin = edge;
    for (int k = 0; k < degree; k++) {
      h->vertex_edge[first + k] = edge;
      const int *e = h->edge + 4 * edge, face = e[0] == v ? e[2] : e[3];
      int i = h->face_start[face];
      while (i < h->face_start[face + 1] && h->loop[i] != v) {
        i++;
      }
      edge = h->loop_edge[i > h->face_start[face] ? i - 1 : h->face_start[face + 1] - 1];
      if ((edge == begin) != (k == degree - 1)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- planes ---- */

/* Newell's normal, about the first corner. */
static void newell_normal(const pki_hull *h, int f, double n[3])
{
  const int *loop = h->loop + h->face_start[f], count = h->face_start[f + 1] - h->face_start[f];
  const double *a = h->vertex + 3 * loop[0];
  n[0] = n[1] = n[2] = 0;
  for (int k = 1; k + 1 < count; k++) {
    const double *b = h->vertex + 3 * loop[k], *c = h->vertex + 3 * loop[k + 1];
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    double w[3];
    pki_cross3(u, v, w);
    for (int i = 0; i < 3; i++) {
      n[i] += w[i];
    }
  }
}

/* A plane through a face's highest corner; returns how far its other corners lie below and its neighbours' above. */
static double fit_plane(const pki_hull *h, int f, const double n[3], double plane[4])
{
  const int first = h->face_start[f], last = h->face_start[f + 1];
  const double *a = h->vertex + 3 * h->loop[first];
  const double size = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
  if (!(size > 0) || !isfinite(size)) {
    return INFINITY;
  }
  double u[3] = {n[0] / size, n[1] / size, n[2] / size};
  const double length = sqrt(pki_dot3(u, u));
  for (int k = 0; k < 3; k++) {
    plane[k] = u[k] / length;
  }
  /* heights are measured from the first corner: no loss far from the origin */
  double most = 0, least = 0, above = 0;
  for (int i = first; i < last; i++) {
    const double *p = h->vertex + 3 * h->loop[i], arm[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    const double z = pki_dot3(plane, arm);
    most = fmax(most, z), least = fmin(least, z);
  }
  for (int i = first; i < last; i++) {
    const int *e = h->edge + 4 * h->loop_edge[i], g = e[2] == f ? e[3] : e[2];
    for (int k = h->face_start[g]; k < h->face_start[g + 1]; k++) {
      const double *p = h->vertex + 3 * h->loop[k], arm[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
      above = fmax(above, pki_dot3(plane, arm) - most);
    }
  }
  plane[3] = -INFINITY;
  for (int i = first; i < last; i++) {
    plane[3] = fmax(plane[3], pki_dot3(plane, h->vertex + 3 * h->loop[i]));
  }
  return most - least + above;
}

/* The better of the corners' normal and a proposed one: that of a sliver is not told by its corners. */
static bool fit_face_planes(pki_hull *h, const double *proposed, double tolerance)
{
  for (int f = 0; f < h->nface; f++) {
    double n[3], other[4];
    newell_normal(h, f, n);
    double error = fit_plane(h, f, n, h->plane + 4 * f);
    if (proposed != NULL) {
      const double error2 = fit_plane(h, f, proposed + 3 * f, other);
      if (error2 < error) {
        memcpy(h->plane + 4 * f, other, sizeof other);
        error = error2;
      }
    }
    if (!(error <= tolerance)) {
      return false;
    }
  }
  return true;
}

/* Corners turn left all around each face, to a tolerance. */
static bool faces_are_convex(const pki_hull *h, double tolerance)
{
  for (int f = 0; f < h->nface; f++) {
    const int first = h->face_start[f], n = h->face_start[f + 1] - first;
    for (int k = 0; k < n; k++) {
      const double *a = h->vertex + 3 * h->loop[first + k];
      const double *b = h->vertex + 3 * h->loop[first + (k + 1) % n];
      const double *c = h->vertex + 3 * h->loop[first + (k + 2) % n];
      const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      const double v[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]};
      double w[3];
      pki_cross3(u, v, w);
      if (!(pki_dot3(w, h->plane + 4 * f) >= -tolerance * sqrt(pki_dot3(u, u)))) {
        return false;
      }
    }
  }
  return true;
}

pki_hull *pki_hull_assemble(const pki_polygons *p, double tolerance, bool *memory)
{
  const int nloop = p->start[p->nface];
  *memory = true;
  if (p->nvertex < 4 || p->nface < 4 || nloop % 2 != 0 || p->nvertex - nloop / 2 + p->nface != 2) {
    return NULL; /* Euler: V - E + F = 2 */
  }
  pki_hull *h = allocate_hull(p->nvertex, p->nface, nloop);
  half_edge *half = calloc((size_t)nloop, sizeof *half);
  int *leaving = malloc((size_t)p->nvertex * sizeof *leaving);
  *memory = h != NULL && half != NULL && leaving != NULL;
  bool good = *memory;
  if (good) {
    memcpy(h->vertex, p->vertex, 3 * (size_t)p->nvertex * sizeof(double));
    memcpy(h->face_start, p->start, (size_t)(p->nface + 1) * sizeof(int));
    memcpy(h->loop, p->loop, (size_t)nloop * sizeof(int));
    memset(leaving, -1, (size_t)p->nvertex * sizeof *leaving);
    for (int i = nloop - 1; i >= 0; i--) {
      leaving[h->loop[i]] = i;
    }
    for (int v = 0; v < p->nvertex; v++) {
      good = good && leaving[v] >= 0;
    }
    good = good && pair_edges(h, half) && list_vertex_edges(h, leaving) &&
           fit_face_planes(h, p->normal, tolerance) && faces_are_convex(h, tolerance);
  }
  free(half);
  free(leaving);
  if (!good) {
    pki_hull_destroy(h);
    return NULL;
  }
  return h;
}

pki_hull *pki_hull_box(const double half[3])
{
  static const int start[7] = {0, 4, 8, 12, 16, 20, 24};
  /* faces -x, +x, -y, +y, -z, +z */
  static const int loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
  double vertex[24];
  for (int c = 0; c < 8; c++) {
    for (int k = 0; k < 3; k++) {
      vertex[3 * c + k] = c >> k & 1 ? half[k] : -half[k];
    }
  }
  bool memory;
  pki_hull *h = pki_hull_assemble(
      &(pki_polygons){.nvertex = 8, .nface = 6, .vertex = vertex, .start = start, .loop = loop}, INFINITY,
      &memory);
  for (int f = 0; h != NULL && f < 6; f++) {
    double *plane = h->plane + 4 * f;
    memset(plane, 0, 4 * sizeof *plane);
    plane[f / 2] = f % 2 ? 1 : -1, plane[3] = half[f / 2];
  }
  return h;
}
