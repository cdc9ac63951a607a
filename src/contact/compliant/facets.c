/* Faces of primitives, for laws of springs on faces.
 *
 * A polytope's faces (boxes, convex shapes) are cut into triangles around their middles, and each of them into n^2 alike, n such
 * that none is longer than an eighth of the shape: a flat face that rests on a plane has its exact area, and a face with a
 * centre of symmetry has no moment about it. Round shapes are their profile, a polygon of radius and height, turned in 64 steps
 * about z; the polygon of each ring has the area of its circle, and the centroids are moved onto the true surface, so that
 * depths are those of the shape itself. An ellipsoid is a sphere that is stretched. What is left is the error of a midpoint
 * rule, of second order in the size of the faces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/trimesh.h"
#include "contact/compliant/patch.h"
#include "math/mat3.h"

enum {
  PER_SIDE = 8,  /* triangles along the longest side of a polytope */
  AROUND = 64,   /* steps about the axis of a round shape */
  QUARTER = 16,  /* rings of a quarter of a circle */
  FLAT = 16,     /* rings of a flat end */
  STRAIGHT = 48, /* most rings along a straight side */
  PROFILE = 2 * (QUARTER + FLAT) + STRAIGHT + 4
};

/* Triangles with corners of their own; pki_trimesh_create joins them. With vertex NULL they are counted. */
typedef struct soup {
  double *vertex;
  int n; /* triangles */
} soup;

static void add_triangle(soup *s, const double a[3], const double b[3], const double c[3])
{
  if (s->vertex != NULL) {
    double *to = s->vertex + 9 * (size_t)s->n;
    memcpy(to, a, 3 * sizeof *to);
    memcpy(to + 3, b, 3 * sizeof *to);
    memcpy(to + 6, c, 3 * sizeof *to);
  }
  s->n++;
}

/* ---- polytopes ---- */

/* The point i/n of the way from a to b and j/n from a to c. */
static void point_between(const double a[3], const double b[3], const double c[3], int i, int j, int n,
                          double out[3])
{
  for (int k = 0; k < 3; k++) {
    out[k] = ((n - i - j) * a[k] + i * b[k] + j * c[k]) / n;
  }
}

static void cut_triangle(soup *s, const double a[3], const double b[3], const double c[3], int n)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i + j < n; i++) {
      double p[3], q[3], r[3], t[3];
      point_between(a, b, c, i, j, n, p);
      point_between(a, b, c, i + 1, j, n, q);
      point_between(a, b, c, i, j + 1, n, r);
      add_triangle(s, p, q, r);
      if (i + j + 1 < n) {
        point_between(a, b, c, i + 1, j + 1, n, t);
        add_triangle(s, q, t, r);
      }
    }
  }
}

static void facet_polytope(const pk_geometry *g, soup *s)
{
  const pki_hull *h = g->hull;
  double size = 0;
  for (int k = 0; k < 3; k++) {
    size = fmax(size, g->box.max[k] - g->box.min[k]);
  }
  for (int f = 0; f < h->nface; f++) {
    const int first = h->face_start[f], last = h->face_start[f + 1];
    double middle[3] = {0, 0, 0}, longest = 0;
    for (int i = first; i < last; i++) {
      const double *v = h->vertex + 3 * h->loop[i],
                   *w = h->vertex + 3 * h->loop[i + 1 < last ? i + 1 : first];
      double e[3];
      pki_sub3(w, v, e);
      longest = fmax(longest, pki_length3(e));
      pki_along3(middle, 1.0 / (last - first), v, middle);
    }
    const int n = (int)fmin(PER_SIDE, fmax(1, ceil(PER_SIDE * longest / size - 1e-9)));
    for (int i = first; i < last; i++) {
      cut_triangle(s, middle, h->vertex + 3 * h->loop[i],
                   h->vertex + 3 * h->loop[i + 1 < last ? i + 1 : first], n);
    }
  }
}

/* ---- round shapes ---- */

typedef struct profile {
  double rho[PROFILE], z[PROFILE]; /* from the axis below to the axis above */
  int n;
} profile;

static void add_ring(profile *p, double rho, double z)
{
  p->rho[p->n] = rho, p->z[p->n] = z, p->n++;
}

/* A straight piece, without its first point. */
static void add_straight(profile *p, double rho, double z, int pieces)
{
  const double from[2] = {p->rho[p->n - 1], p->z[p->n - 1]};
  for (int i = 1; i <= pieces; i++) {
    add_ring(p, from[0] + (rho - from[0]) * i / pieces, from[1] + (z - from[1]) * i / pieces);
  }
}

/* A quarter of a circle around (0, z), without its first point: from below up to the side, or on to the top. */
static void add_quarter(profile *p, double radius, double z, bool below)
{
  for (int i = 1; i <= QUARTER; i++) {
    const double angle = acos(-1.0) / 2 * i / QUARTER;
    const double c = i == QUARTER ? 0 : cos(angle), s = i == QUARTER ? 1 : sin(angle);
    add_ring(p, radius * (below ? s : c), below ? z - radius * c : z + radius * s);
  }
}

/* Pieces along a straight side, about as long as those around it. */
static int side_pieces(double length, double radius)
{
  return (int)fmin(STRAIGHT, fmax(1, ceil(length / (2 * acos(-1.0) * radius / AROUND))));
}

static void make_profile(const pk_geometry *g, profile *p)
{
  const double r = g->kind == PK_SHAPE_ELLIPSOID ? 1 : g->radius, h = g->half_length;
  p->n = 0;
  switch (g->kind) {
  case PK_SHAPE_CYLINDER:
    add_ring(p, 0, -h);
    add_straight(p, r, -h, FLAT);
    add_straight(p, r, h, side_pieces(2 * h, r));
    add_straight(p, 0, h, FLAT);
    break;
  case PK_SHAPE_CONE:
    add_ring(p, 0, -h);
    add_straight(p, r, -h, FLAT);
    add_straight(p, 0, h, side_pieces(2 * h, r));
    break;
  case PK_SHAPE_CAPSULE:
    add_ring(p, 0, -h - r);
    add_quarter(p, r, -h, true);
    if (h > 0) {
      add_straight(p, r, h, side_pieces(2 * h, r));
    }
    add_quarter(p, r, h, false);
    break;
  default: /* spheres, and those that ellipsoids are made of */
    add_ring(p, 0, -r);
    add_quarter(p, r, 0, true);
    add_quarter(p, r, 0, false);
    break;
  }
}

/* A point of the profile, turned by step `at` about z. */
static void turn_point(const profile *p, int i, int at, const double stretch[3], double out[3])
{
  const double step = 2 * acos(-1.0) / AROUND, even = sqrt(step / sin(step)), angle = step * (at % AROUND);
  out[0] = stretch[0] * even * p->rho[i] * cos(angle);
  out[1] = stretch[1] * even * p->rho[i] * sin(angle);
  out[2] = stretch[2] * p->z[i];
}

static void facet_round(const pk_geometry *g, soup *s)
{
  const double one[3] = {1, 1, 1}, *stretch = g->kind == PK_SHAPE_ELLIPSOID ? g->half : one;
  profile p;
  make_profile(g, &p);
  for (int i = 0; i + 1 < p.n; i++) {
    for (int at = 0; at < AROUND; at++) {
      double low[3], low_next[3], high[3], high_next[3];
      turn_point(&p, i, at, stretch, low);
      turn_point(&p, i, at + 1, stretch, low_next);
      turn_point(&p, i + 1, at, stretch, high);
      turn_point(&p, i + 1, at + 1, stretch, high_next);
      if (p.rho[i] > 0) {
        add_triangle(s, low, low_next, p.rho[i + 1] > 0 ? high_next : high);
      }
      if (p.rho[i + 1] > 0) {
        add_triangle(s, low, high_next, high);
      }
    }
  }
}

/* Centroids onto the true surface; boxes of the tree grow by as much as any moves. */
static void move_centroids(const pk_geometry *g, pki_trimesh *t)
{
  double far = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    double *c = t->centroid + 3 * (size_t)i, distance, normal[3];
    if (pki_geometry_point(g, c, INFINITY, &distance, normal)) {
      pki_along3(c, -distance, normal, c);
      far = fmax(far, fabs(distance));
    }
  }
  for (int i = 0; i < t->nnode; i++) {
    for (int k = 0; k < 3; k++) {
      t->node[i].box.min[k] -= far, t->node[i].box.max[k] += far;
    }
  }
}

/* ---- both ---- */

static bool has_faces(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_MESH || g->kind == PK_SHAPE_PLANE || g->kind == PK_SHAPE_HEIGHTS ||
         g->facets != NULL;
}

pk_status pki_patch_prepare(pk_geometry *geometry, pk_error *err)
{
  if (has_faces(geometry)) {
    return PK_OK;
  }
  void (*const facet)(const pk_geometry *, soup *) = geometry->hull != NULL ? facet_polytope : facet_round;
  soup s = {NULL, 0};
  facet(geometry, &s);
  const size_t n = (size_t)s.n;
  int *index = malloc(3 * n * sizeof *index);
  s = (soup){malloc(9 * n * sizeof *s.vertex), 0};
  if (index == NULL || s.vertex == NULL) {
    free(index);
    free(s.vertex);
    return pki_fail_memory(err, "the faces of a compliant surface");
  }
  facet(geometry, &s);
  for (size_t i = 0; i < 3 * n; i++) {
    index[i] = (int)i;
  }
  const pk_mesh mesh = {.nvertex = 3 * s.n, .vertex = s.vertex, .ntriangle = s.n, .triangle = index};
  const pk_status status = pki_trimesh_create(&mesh, &geometry->facets, err);
  if (status == PK_OK && geometry->hull == NULL) {
    move_centroids(geometry, geometry->facets);
  }
  free(index);
  free(s.vertex);
  return status;
}
