/* Convex hulls by qhull (Barber, Dobkin, Huhdanpaa, "The quickhull algorithm for convex hulls", ACM TOMS 22, 1996).
 *
 * qhull works on a copy of the points: moved to the origin and scaled by a power of two along each axis, so that thin
 * shapes along an axis are round to it and nothing is rounded. Where it fails, or its answer fails our check, it gets
 * them once more in the frame of a tetrahedron inside (an affine map keeps a hull what it is), then with leave to merge
 * faces that are flat to 1e-12 and to 1e-10, last with the points shaken a little (its option QJ). Corners are always
 * the given points, to the bit. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

#include "base/error.h"
#include "collision/shapes/hull.h"
#include "math/mat3.h"

static const double FLAT = 1e-9; /* of the extent */

typedef struct frame {
  double T[9], origin[3]; /* p' = T (p - origin) */
} frame;

/* What one run of qhull leaves: polygons over input points. */
typedef struct result {
  int nface, nloop, face_room, loop_room;
  int *start, *loop;
  double *normal; /* in the frame */
  double outside; /* how far a point is above a face, there */
  bool memory;    /* false: there was none */
} result;

/* ---- is there a volume? ---- */

/* Which point is farthest from a point (order 0), a line (1), a plane (2) through those found so far. */
static int farthest_from(const double *points, int n, const double *a, const double *u, int order,
                         double *distance)
{
  int best = 0;
  *distance = -1;
  for (int i = 0; i < n; i++) {
    double arm[3], w[3];
    pki_sub3(points + 3 * i, a, arm);
    double value;
    if (order == 0) {
      value = sqrt(pki_dot3(arm, arm));
    } else if (order == 1) {
      pki_cross3(u, arm, w);
      value = sqrt(pki_dot3(w, w));
    } else {
      value = fabs(pki_dot3(u, arm));
    }
    if (value > *distance) {
      *distance = value, best = i;
    }
  }
  return best;
}

static void normalise_vector(double v[3])
{
  const double length = sqrt(pki_dot3(v, v));
  for (int k = 0; k < 3; k++) {
    v[k] /= length;
  }
}

pk_status pki_hull_span(const double *points, int n, int corner[4], double *extent, pk_error *err)
{
  for (size_t i = 0; n > 0 && i < 3 * (size_t)n; i++) {
    if (!isfinite(points[i])) {
      return pki_fail(err, PK_ERROR_MESH, (pki_where){.field = "mesh"},
                      "coordinate %d of point %d is %g, expected a finite number", (int)(i % 3), (int)(i / 3),
                      points[i]);
    }
  }
  if (n < 4) {
    return pki_fail(err, PK_ERROR_MESH, (pki_where){.field = "mesh"},
                    "%d points, a convex hull needs 4 or more", n);
  }
  double d, u[3] = {0, 0, 0}, w[3];
  corner[0] = 0;
  for (int i = 1; i < n; i++) {
    corner[0] = points[3 * i] < points[3 * corner[0]] ? i : corner[0];
  }
  const double *a = points + 3 * corner[0];
  corner[1] = farthest_from(points, n, a, u, 0, extent);
  const char *what = NULL;
  if (!(*extent > 0)) {
    what = "are all at the same place";
  } else {
    pki_sub3(points + 3 * corner[1], a, u);
    normalise_vector(u);
    corner[2] = farthest_from(points, n, a, u, 1, &d);
    if (!(d > FLAT * *extent)) {
      what = "lie on a line";
    } else {
      pki_sub3(points + 3 * corner[2], a, w);
      pki_cross3(u, w, w);
      normalise_vector(w);
      corner[3] = farthest_from(points, n, a, w, 2, &d);
      what = d > FLAT * *extent ? NULL : "lie in a plane";
    }
  }
  return what == NULL
             ? PK_OK
             : pki_fail(err, PK_ERROR_MESH, (pki_where){.field = "mesh"},
                        "the %d points of a convex hull %s (to %g of their extent); a hull needs a volume", n,
                        what, FLAT);
}

/* ---- frames ---- */

static void frame_of_box(const double *points, int n, frame *out)
{
  *out = (frame){0};
  for (int k = 0; k < 3; k++) {
    double min = INFINITY, max = -INFINITY;
    for (int i = 0; i < n; i++) {
      min = fmin(min, points[3 * i + k]), max = fmax(max, points[3 * i + k]);
    }
    int exponent;
    frexp(max - min, &exponent);
    out->origin[k] = min > 0 || max < 0 ? min : 0;
    out->T[4 * k] = ldexp(1, -exponent);
  }
}

/* The tetrahedron's corner goes to the origin, its edges to the axes. */
static void frame_of_corners(const double *points, const int corner[4], frame *out)
{
  double E[3][3], row[3];
  memcpy(out->origin, points + 3 * corner[0], sizeof out->origin);
  for (int k = 0; k < 3; k++) {
    pki_sub3(points + 3 * corner[k + 1], out->origin, E[k]);
  }
  for (int k = 0; k < 3; k++) {
    pki_cross3(E[(k + 1) % 3], E[(k + 2) % 3], row);
    const double volume = pki_dot3(E[k], row);
    for (int i = 0; i < 3; i++) {
      out->T[3 * k + i] = row[i] / volume;
    }
  }
}

/* ---- qhull ---- */

static void *grow_block(void *block, size_t size, bool *ok)
{
  void *more = realloc(block, size);
  if (more == NULL) {
    *ok = false;
    return block;
  }
  return more;
}

static bool reserve_facets(result *r, int nloop)
{
  bool ok = true;
  if (r->nface + 2 > r->face_room) {
    const int more = 2 * r->face_room + 64;
    r->start = grow_block(r->start, (size_t)more * sizeof *r->start, &ok);
    r->normal = grow_block(r->normal, 3 * (size_t)more * sizeof *r->normal, &ok);
    r->face_room = ok ? more : r->face_room;
  }
  if (r->nloop + nloop > r->loop_room) {
    const int more = 2 * r->loop_room + nloop + 256;
    r->loop = grow_block(r->loop, (size_t)more * sizeof *r->loop, &ok);
    r->loop_room = ok ? more : r->loop_room;
  }
  return ok;
}

/* Facets become polygons, counter-clockwise seen against their normals. */
static void take_facets(qhT *qh, const double *local, result *r)
{
  facetT *facet;
  vertexT *vertex, **vertexp;
  r->outside = qh->max_outside;
  FORALLfacets
  {
    setT *corners = qh_facet3vertex(qh, facet);
    const int count = qh_setsize(qh, corners);
    if (!reserve_facets(r, count)) {
      r->memory = false;
      return;
    }
    int *loop = r->loop + r->nloop, n = 0;
    FOREACHvertex_(corners)
    {
      loop[n++] = qh_pointid(qh, vertex->point);
    }
    qh_settempfree(qh, &corners);
    memcpy(r->normal + 3 * r->nface, facet->normal, 3 * sizeof(double));
    double area[3] = {0, 0, 0}, u[3], v[3], w[3];
    for (int k = 1; k + 1 < n; k++) {
      pki_sub3(local + 3 * loop[k], local + 3 * loop[0], u);
      pki_sub3(local + 3 * loop[k + 1], local + 3 * loop[0], v);
      pki_cross3(u, v, w);
      for (int i = 0; i < 3; i++) {
        area[i] += w[i];
      }
    }
    for (int i = 0, j = n - 1; pki_dot3(area, facet->normal) < 0 && i < j; i++, j--) {
      const int swap = loop[i];
      loop[i] = loop[j], loop[j] = swap;
    }
    r->start[r->nface++] = r->nloop;
    r->nloop += n;
    r->start[r->nface] = r->nloop;
  }
}

/* qhull leaves an error by longjmp: no local of this function changes between the jump's mark and its landing. */
static bool guarded_take(qhT *qh, const double *local, result *r)
{
  if (setjmp(qh->errexit) != 0) {
    qh->NOerrexit = True;
    return false;
  }
  qh->NOerrexit = False;
  take_facets(qh, local, r);
  qh->NOerrexit = True;
  return r->memory;
}

static bool run_qhull(double *local, int n, const char *options, result *r)
{
  /* what it has to say goes nowhere */
  char said[512], command[32];
  snprintf(command, sizeof command, "%s", options);
  FILE *discard = fmemopen(said, sizeof said, "w");
  qhT *qh = malloc(sizeof *qh);
  bool good = false;
  if (discard == NULL || qh == NULL) {
    r->memory = false;
  } else {
    qh_zero(qh, discard);
    good = qh_new_qhull(qh, 3, n, local, False, command, NULL, discard) == 0 && guarded_take(qh, local, r);
    int long_left, bytes_left;
    qh->NOerrexit = True;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_left, &bytes_left);
  }
  free(qh);
  if (discard != NULL) {
    fclose(discard);
  }
  return good;
}

/* ---- from its answer to ours ---- */

/* Loops begin at their first vertex; faces are ordered by their vertices, whatever order qhull found them in. */
typedef struct face_order {
  const int *loop;
  int count, index;
} face_order;

static int compare_faces(const void *one, const void *two)
{
  const face_order *a = one, *b = two;
  for (int k = 0; k < a->count && k < b->count; k++) {
    if (a->loop[k] != b->loop[k]) {
      return a->loop[k] - b->loop[k];
    }
  }
  return a->count - b->count;
}

static void turn_to_first(int *loop, int n)
{
  for (int turn = 0; turn < n; turn++) {
    int least = 0;
    for (int k = 1; k < n; k++) {
      least = loop[k] < loop[least] ? k : least;
    }
    if (least == 0) {
      return;
    }
    const int first = loop[0];
    memmove(loop, loop + 1, (size_t)(n - 1) * sizeof *loop);
    loop[n - 1] = first;
  }
}

/* Points become vertices in their order; name [n] is -1 for those that are none. */
static int number_vertices(const result *r, const double *points, int n, int *name, double *vertex)
{
  int count = 0;
  memset(name, -1, (size_t)n * sizeof *name);
  for (int i = 0; i < r->nloop; i++) {
    name[r->loop[i]] = 0;
  }
  for (int i = 0; i < n; i++) {
    if (name[i] == 0) {
      memcpy(vertex + 3 * count, points + 3 * i, 3 * sizeof *vertex);
      name[i] = count++;
    }
  }
  return count;
}

/* Every point below every face; where that is too much to ask, qhull has looked. */
static bool contains_points(const pki_hull *h, const double *points, int n, double tolerance)
{
  if ((double)n * h->nface > 2e7) {
    return true;
  }
  for (int f = 0; f < h->nface; f++) {
    const double *p = h->plane + 4 * f, *a = h->vertex + 3 * h->loop[h->face_start[f]];
    for (int i = 0; i < n; i++) {
      double arm[3];
      pki_sub3(points + 3 * i, a, arm);
      if (!(pki_dot3(p, arm) <= tolerance)) {
        return false;
      }
    }
  }
  return true;
}

static pki_hull *build_hull(result *r, const frame *t, const double *points, int n, double tolerance)
{
  int *name = malloc((size_t)n * sizeof *name);
  double *vertex = malloc(3 * (size_t)n * sizeof *vertex);
  face_order *order = malloc((size_t)r->nface * sizeof *order);
  int *start = malloc((size_t)(r->nface + 1) * sizeof *start),
      *loop = malloc((size_t)r->nloop * sizeof *loop);
  double *normal = malloc(3 * (size_t)r->nface * sizeof *normal);
  pki_hull *h = NULL;
  r->memory =
      name != NULL && vertex != NULL && order != NULL && start != NULL && loop != NULL && normal != NULL;
  if (r->memory) {
    const int nvertex = number_vertices(r, points, n, name, vertex);
    for (int f = 0; f < r->nface; f++) {
      int *own = r->loop + r->start[f], count = r->start[f + 1] - r->start[f];
      for (int k = 0; k < count; k++) {
        own[k] = name[own[k]];
      }
      turn_to_first(own, count);
      order[f] = (face_order){own, count, f};
    }
    qsort(order, (size_t)r->nface, sizeof *order, compare_faces);
    start[0] = 0;
    for (int f = 0; f < r->nface; f++) {
      memcpy(loop + start[f], order[f].loop, (size_t)order[f].count * sizeof *loop);
      start[f + 1] = start[f] + order[f].count;
      pki_mat3_apply_transposed(t->T, r->normal + 3 * order[f].index, normal + 3 * f);
    }
    const pki_polygons p = {nvertex, r->nface, vertex, start, loop, normal};
    h = pki_hull_assemble(&p, tolerance, &r->memory);
  }
  free(name), free(vertex), free(order), free(start), free(loop), free(normal);
  if (h != NULL && !contains_points(h, points, n, tolerance)) {
    pki_hull_destroy(h);
    return NULL;
  }
  return h;
}

/* One attempt; NULL with *memory false when there was none. */
static pki_hull *attempt_hull(const double *points, int n, const frame *t, const char *command, double extent,
                              bool *memory)
{
  result r = {.memory = true};
  pki_hull *h = NULL;
  double *local = calloc((size_t)n, 3 * sizeof *local);
  if (local == NULL) {
    *memory = false;
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    pki_sub3(points + 3 * i, t->origin, local + 3 * i);
    pki_mat3_apply(t->T, local + 3 * i, local + 3 * i);
  }
  if (run_qhull(local, n, command, &r) && r.nface >= 4 && r.outside <= FLAT) {
    h = build_hull(&r, t, points, n, FLAT * extent);
  }
  *memory = r.memory;
  free(r.start), free(r.loop), free(r.normal), free(local);
  return h;
}

pk_status pki_hull_create(const double *points, int n, pki_hull **out, pk_error *err)
{
  *out = NULL;
  int corner[4];
  double extent;
  const pk_status status = pki_hull_span(points, n, corner, &extent, err);
  if (status != PK_OK) {
    return status;
  }
  static const char *const commands[] = {"qhull Pp", "qhull Pp C-1e-12", "qhull Pp C-1e-10", "qhull QJ Pp"};
  frame frames[2];
  frame_of_box(points, n, &frames[0]);
  frame_of_corners(points, corner, &frames[1]);
  bool memory = true;
  for (int k = 0; k < 8 && memory && *out == NULL; k++) {
    *out = attempt_hull(points, n, &frames[k % 2], commands[k / 2], extent, &memory);
  }
  if (*out == NULL) {
    return memory
               ? pki_fail(err, PK_ERROR_MESH, (pki_where){.field = "mesh"},
                          "the hull of %d points came out broken; they are too nearly flat or too uneven", n)
               : pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a hull of %d points", n);
  }
  return PK_OK;
}
