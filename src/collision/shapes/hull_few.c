/* Hulls with few vertices: contact costs by the vertices of a hull, and the rounded edges of a part drawn by a CAD program
 * have thousands of them.
 *
 * Quickhull that stops early. It begins with the points that are farthest along the axes and four that span a volume. In each
 * round every face of the hull so far names the point that is farthest above its plane; those that are above the tolerance,
 * and not much lower than the highest of them, are taken, the farthest first, until there are as many as allowed. A point that is inside stays inside, and is not looked at
 * again. The hull lies inside of that of all points, its corners are points, and a hull that has no more vertices than allowed is
 * found as it is when the tolerance is 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/hull.h"
#include "math/mat3.h"

static const double INSIDE = 1e-9;  /* of the extent: as far as hulls are exact */
static const double TOGETHER = 0.7; /* of the highest point: what is taken in the same round */

typedef struct selection {
  const double *points; /* [n][3] */
  int n, most, ntaken;
  double *taken; /* [most][3] */
  int *open;     /* [nopen] points that may be outside */
  int nopen;
} selection;

/* A face's farthest point. */
typedef struct candidate {
  double height;
  int point;
} candidate;

static void take_point(selection *s, int i)
{
  for (int k = 0; k < s->ntaken; k++) {
    if (memcmp(s->taken + 3 * k, s->points + 3 * i, 3 * sizeof(double)) == 0) {
      return;
    }
  }
  if (s->ntaken < s->most) {
    memcpy(s->taken + 3 * s->ntaken++, s->points + 3 * i, 3 * sizeof(double));
  }
}

/* Those that span a volume come first: they must be there. */
static void take_first_points(selection *s, const int corner[4])
{
  int far[6] = {0};
  for (int i = 1; i < s->n; i++) {
    for (int k = 0; k < 3; k++) {
      const double x = s->points[3 * i + k];
      far[2 * k] = x < s->points[3 * far[2 * k] + k] ? i : far[2 * k];
      far[2 * k + 1] = x > s->points[3 * far[2 * k + 1] + k] ? i : far[2 * k + 1];
    }
  }
  for (int k = 0; k < 4; k++) {
    take_point(s, corner[k]);
  }
  for (int k = 0; k < 6; k++) {
    take_point(s, far[k]);
  }
}

/* What lies inside of the hull is forgotten; each face gets the farthest of the points for which it is the highest. */
static void assign_points(selection *s, const pki_hull *h, double inside, candidate *best)
{
  int nopen = 0;
  for (int f = 0; f < h->nface; f++) {
    best[f] = (candidate){.height = 0, .point = -1};
  }
  for (int k = 0; k < s->nopen; k++) {
    const double *p = s->points + 3 * s->open[k];
    double most = -INFINITY;
    int face = 0;
    for (int f = 0; f < h->nface; f++) {
      const double height = pki_dot3(h->plane + 4 * f, p) - h->plane[4 * f + 3];
      if (height > most) {
        most = height, face = f;
      }
    }
    if (most > inside) {
      best[face] = most > best[face].height ? (candidate){most, s->open[k]} : best[face];
      s->open[nopen++] = s->open[k];
    }
  }
  s->nopen = nopen;
}

/* The highest first. */
static int compare_candidates(const void *one, const void *two)
{
  const candidate *a = one, *b = two;
  return a->height != b->height ? (a->height < b->height ? 1 : -1) : a->point - b->point;
}

/* The highest points above the tolerance join the hull; how many. */
static int take_candidates(selection *s, candidate *best, int nface, double tolerance)
{
  const int before = s->ntaken;
  qsort(best, (size_t)nface, sizeof *best, compare_candidates);
  const double least = fmax(tolerance, TOGETHER * best[0].height);
  for (int f = 0; f < nface && best[f].point >= 0 && best[f].height > least; f++) {
    take_point(s, best[f].point);
  }
  return s->ntaken - before;
}

/* How far the points that are not inside lie outside. */
static double measure_error(const selection *s, pki_hull *h, double extent)
{
  const pk_geometry g = {.kind = PK_SHAPE_CONVEX,
                         .hull = h,
                         .bound = extent,
                         .centre = {h->vertex[0], h->vertex[1], h->vertex[2]}};
  double most = 0, distance, normal[3];
  for (int k = 0; k < s->nopen; k++) {
    if (pki_geometry_point(&g, s->points + 3 * s->open[k], INFINITY, &distance, normal)) {
      most = fmax(most, distance);
    }
  }
  return most;
}

static pk_status grow_hull(selection *s, double tolerance, double extent, pki_hull **out, pk_error *err)
{
  for (;;) {
    pki_hull *h = NULL;
    const pk_status status = pki_hull_create(s->taken, s->ntaken, &h, err);
    if (status != PK_OK) {
      return status;
    }
    pki_hull_destroy(*out);
    *out = h;
    candidate *best = malloc((size_t)h->nface * sizeof *best);
    if (best == NULL) {
      return pki_fail_memory(err, "a hull");
    }
    assign_points(s, h, INSIDE * extent, best);
    const int added = take_candidates(s, best, h->nface, fmax(tolerance, INSIDE * extent));
    free(best);
    if (added == 0) {
      return PK_OK;
    }
  }
}

pk_status pki_hull_few(const double *points, int n, int most, double tolerance, pki_hull **out, double *error,
                       pk_error *err)
{
  int corner[4];
  double extent;
  *out = NULL;
  pk_status status = pki_hull_span(points, n, corner, &extent, err);
  if (status != PK_OK) {
    return status;
  }
  selection s = {.points = points, .n = n, .most = most, .nopen = n};
  s.taken = malloc(3 * (size_t)most * sizeof *s.taken);
  s.open = malloc((size_t)n * sizeof *s.open);
  if (s.taken != NULL && s.open != NULL) {
    for (int i = 0; i < n; i++) {
      s.open[i] = i;
    }
    take_first_points(&s, corner);
    status = grow_hull(&s, tolerance, extent, out, err);
  } else {
    status = pki_fail_memory(err, "a hull");
  }
  if (status == PK_OK) {
    *error = measure_error(&s, *out, extent);
  } else {
    pki_hull_destroy(*out);
    *out = NULL;
  }
  free(s.taken), free(s.open);
  return status;
}
