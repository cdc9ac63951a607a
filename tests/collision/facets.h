/* Meshes and height fields as the tests know them, all of their triangles in the world; and bounds of distances that
 * know supports alone.
 *
 * With v the nearest point to the origin of a simplex inside A - B and w the point of A - B farthest along -v,
 *
 *   v'w / |v|  <=  distance  <=  |v|
 *
 * whatever way the simplex was found: where a bound is reached, it is proven. */
#ifndef PK_TESTS_COLLISION_FACETS_H
#define PK_TESTS_COLLISION_FACETS_H

#include "collision/surfaces.h"
#include "support/bounds.h"
#include "support/certify.h"

enum { FACETS = 64, NX = 4, NY = 3 };

/* ---- what the test knows of a surface ---- */

typedef struct facet {
  int n;
  double point[4][3]; /* world */
  double middle[3], radius;
} facet;

typedef struct surface {
  pk_geometry *geometry;
  pk_pose pose;
  double size; /* m, radius of a ball around its origin */
  bool solid;
  int count; /* triangles, and the sides of a field */
  facet of[FACETS];
  double heights[NX * NY], cell; /* 0: a mesh */
} surface;

static inline void place_facet(const surface *s, facet *f)
{
  memset(f->middle, 0, sizeof f->middle);
  for (int i = 0; i < f->n; i++) {
    pki_mat3_apply(s->pose.rot, f->point[i], f->point[i]);
    for (int k = 0; k < 3; k++) {
      f->point[i][k] += s->pose.pos[k];
      f->middle[k] += f->point[i][k] / f->n;
    }
  }
  f->radius = 0;
  for (int i = 0; i < f->n; i++) {
    double d[3];
    pki_sub3(f->point[i], f->middle, d);
    f->radius = fmax(f->radius, sqrt(pki_dot3(d, d)));
  }
}

/* A geometry from a mesh, as large as it is made. */
static inline void set_mesh(surface *s, mesh m, bool solid)
{
  *s = (surface){.count = m.ntriangle, .solid = solid};
  assert_at_most(m.ntriangle, FACETS);
  for (int i = 0; i < m.ntriangle; i++) {
    s->of[i].n = 3;
    for (int k = 0; k < 3; k++) {
      const double *const x = m.vertex + 3 * m.triangle[3 * i + k];
      memcpy(s->of[i].point[k], x, 3 * sizeof *x);
      s->size = fmax(s->size, sqrt(pki_dot3(x, x)));
    }
  }
  s->geometry = make_mesh(m, PK_SHAPE_MESH);
}

static inline void add_facet(surface *s, int n, const double (*point)[3])
{
  s->of[s->count].n = n;
  memcpy(s->of[s->count++].point, point, (size_t)n * sizeof *point);
}

/* A field; its sides reach `deep` below. */
static inline void set_heights(surface *s, const double *z, double cell, double deep)
{
  *s = (surface){.solid = true, .cell = cell};
  memcpy(s->heights, z, sizeof s->heights);
  double corner[NX * NY][3];
  for (int i = 0; i < NX * NY; i++) {
    corner[i][0] = cell * (i % NX), corner[i][1] = cell * (i / NX), corner[i][2] = z[i];
    s->size = fmax(s->size, sqrt(pki_dot3(corner[i], corner[i])));
  }
#define CORNER(i) \
  { \
    corner[i][0], corner[i][1], corner[i][2] \
  }
#define BELOW(i) \
  { \
    corner[i][0], corner[i][1], -deep \
  }
  for (int j = 0; j < NY; j++) {
    for (int i = 0; i < NX; i++) {
      const int a = NX * j + i, b = a + 1, c = a + NX, d = a + NX + 1;
      if (i + 1 < NX && j + 1 < NY) {
        add_facet(s, 3, (const double[3][3]){CORNER(a), CORNER(b), CORNER(d)});
        add_facet(s, 3, (const double[3][3]){CORNER(a), CORNER(d), CORNER(c)});
      }
      if (i + 1 < NX && (j == 0 || j == NY - 1)) {
        add_facet(s, 4, (const double[4][3]){CORNER(a), CORNER(b), BELOW(a), BELOW(b)});
      }
      if (j + 1 < NY && (i == 0 || i == NX - 1)) {
        add_facet(s, 4, (const double[4][3]){CORNER(a), CORNER(c), BELOW(a), BELOW(c)});
      }
    }
  }
#undef CORNER
#undef BELOW
  s->geometry = make(
      &(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = NX, .ny = NY, .cell = cell, .heights = s->heights});
}

static inline void place(surface *s, const pk_pose *pose)
{
  s->pose = *pose;
  for (int i = 0; i < s->count; i++) {
    place_facet(s, &s->of[i]);
  }
}

/* Over a field, by how much; < 0: in it, INFINITY: beside it. */
static inline double height_above(const surface *s, const double point[3])
{
  double x[3];
  pki_sub3(point, s->pose.pos, x);
  pki_mat3_apply_transposed(s->pose.rot, x, x);
  const double u = x[0] / s->cell, v = x[1] / s->cell;
  if (!(u >= 0 && v >= 0 && u <= NX - 1 && v <= NY - 1)) {
    return INFINITY;
  }
  const int i = (int)fmin(floor(u), NX - 2), j = (int)fmin(floor(v), NY - 2);
  const double *const z = s->heights + NX * j + i, a = u - i, b = v - j;
  return x[2] - (a >= b ? (1 - a) * z[0] + (a - b) * z[1] + b * z[NX + 1]
                        : (1 - b) * z[0] + (b - a) * z[NX] + a * z[NX + 1]);
}

/* Whether a point is inside: the solid angles of all triangles (van Oosterom and Strackee, 1983) make 4 pi. */
static inline bool is_inside(const surface *s, const double point[3])
{
  if (!s->solid || s->cell > 0) {
    return s->solid && height_above(s, point) < 0;
  }
  double sum = 0;
  for (int i = 0; i < s->count; i++) {
    double a[3], b[3], c[3], n[3];
    pki_sub3(s->of[i].point[0], point, a);
    pki_sub3(s->of[i].point[1], point, b);
    pki_sub3(s->of[i].point[2], point, c);
    const double la = sqrt(pki_dot3(a, a)), lb = sqrt(pki_dot3(b, b)), lc = sqrt(pki_dot3(c, c));
    pki_cross3(b, c, n);
    sum += 2 * atan2(pki_dot3(a, n),
                     la * lb * lc + pki_dot3(a, b) * lc + pki_dot3(b, c) * la + pki_dot3(c, a) * lb);
  }
  return sum > 6.283185307179586;
}

/* ---- bounds of a distance from supports ---- */

/* A convex shape, or a facet. */
typedef struct body {
  const certify_shape *shape;
  const facet *facet;
} body;

static inline void support(const body *b, const double way[3], double out[3])
{
  if (b->shape != NULL) {
    certify_support(b->shape, way, out);
    return;
  }
  int best = 0;
  for (int i = 1; i < b->facet->n; i++) {
    best = pki_dot3(way, b->facet->point[i]) > pki_dot3(way, b->facet->point[best]) ? i : best;
  }
  memcpy(out, b->facet->point[best], 3 * sizeof *out);
}

/* The point of A - B with the least n'x. */
static inline void lowest(const body *a, const body *b, const double n[3], double out[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double x[3], y[3];
  support(a, back, x);
  support(b, n, y);
  pki_sub3(x, y, out);
}

/* The point nearest to the origin of the flat through n points; false: it is not between them, or they are not a simplex. */
static inline bool on_flat(const double (*p)[3], int n, double weight[4])
{
  double G[3][4] = {{0}}, e[3][3];
  const int m = n - 1;
  for (int i = 0; i < m; i++) {
    pki_sub3(p[i + 1], p[0], e[i]);
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      G[i][j] = pki_dot3(e[i], e[j]);
    }
    G[i][3] = -pki_dot3(e[i], p[0]);
  }
  for (int i = 0; i < m; i++) {
    if (!(G[i][i] > 1e-14 * pki_dot3(e[i], e[i]))) {
      return false;
    }
    for (int j = 0; j < m; j++) {
      const double f = G[j][i] / G[i][i];
      for (int k = 0; k < 4 && j != i; k++) {
        G[j][k] -= f * G[i][k];
      }
    }
  }
  weight[0] = 1;
  for (int i = 0; i < m; i++) {
    weight[i + 1] = G[i][3] / G[i][i];
    weight[0] -= weight[i + 1];
  }
  for (int i = 0; i < n; i++) {
    if (!(weight[i] >= 0)) {
      return false;
    }
  }
  return true;
}

/* The nearest point of a simplex, by all of its parts; it shrinks to the best. */
static inline double shrink(double p[4][3], int *n, double v[3])
{
  double least = INFINITY;
  int best = 0;
  for (int set = 1; set < 1 << *n; set++) {
    double part[4][3], weight[4], x[3] = {0};
    int m = 0;
    for (int i = 0; i < *n; i++) {
      if (set >> i & 1) {
        memcpy(part[m++], p[i], sizeof part[0]);
      }
    }
    if (on_flat((const double(*)[3])part, m, weight)) {
      for (int i = 0; i < m; i++) {
        for (int k = 0; k < 3; k++) {
          x[k] += weight[i] * part[i][k];
        }
      }
      if (pki_dot3(x, x) < least) {
        least = pki_dot3(x, x), best = set;
        memcpy(v, x, sizeof x);
      }
    }
  }
  int m = 0;
  for (int i = 0; i < *n; i++) {
    if (best >> i & 1) {
      memmove(p[m++], p[i], sizeof p[0]);
    }
  }
  *n = m;
  return sqrt(least);
}

/* What is proven: distance >= the result. It goes on until `enough` is proven, or disproven, or nothing is gained. */
static inline double prove_apart(const body *a, const body *b, const double start[3], double enough,
                                 double hair)
{
  double p[4][3], v[3], lower = -INFINITY;
  int n = 1;
  lowest(a, b, start, p[0]);
  const double length = sqrt(pki_dot3(start, start));
  lower = length > 0 ? pki_dot3(start, p[0]) / length : 0;
  for (int step = 0; step < 200 && lower < enough; step++) {
    const double distance = shrink(p, &n, v);
    if (distance < enough || distance <= hair || n == 4) {
      return lower;
    }
    lowest(a, b, v, p[n]);
    const double bound = pki_dot3(v, p[n]) / distance;
    lower = fmax(lower, bound);
    if (distance - bound <= 1e-15 * distance) {
      return lower;
    }
    n++;
  }
  return lower;
}

#endif
