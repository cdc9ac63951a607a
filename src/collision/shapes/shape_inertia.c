/* Mass properties of solids of even density: closed forms, and for polyhedra sums over tetrahedra from one point to each
 * triangle of the surface. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/geometry.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

/* Of a tetrahedron (0, a, b, c), with s = a + b + c and 6 V = a . (b x c):
 *   integral of x    = V s / 4
 *   integral of x x' = V (a a' + b b' + c c' + s s') / 20 */
typedef struct moments {
  double volume, first[3], second[6]; /* xx xy xz yy yz zz */
} moments;

static void add_tetrahedron(moments *m, const double a[3], const double b[3], const double c[3])
{
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  double w[3];
  pki_cross3(b, c, w);
  const double volume = pki_dot3(a, w) / 6,
               s[3] = {a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]};
  m->volume += volume;
  for (int k = 0; k < 3; k++) {
    m->first[k] += volume * s[k] / 4;
  }
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    m->second[k] += volume * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]) / 20;
  }
}

/* Relative to `from`, for sums without loss far from the origin. */
static void add_triangle(moments *m, const double from[3], const double *a, const double *b, const double *c)
{
  double p[3][3];
  for (int k = 0; k < 3; k++) {
    p[0][k] = a[k] - from[k], p[1][k] = b[k] - from[k], p[2][k] = c[k] - from[k];
  }
  add_tetrahedron(m, p[0], p[1], p[2]);
}

static moments hull_moments(const pki_hull *h, const double from[3])
{
  moments m = {0};
  for (int f = 0; f < h->nface; f++) {
    const int *loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++) {
      add_triangle(&m, from, h->vertex + 3 * loop[0], h->vertex + 3 * loop[k], h->vertex + 3 * loop[k + 1]);
    }
  }
  return m;
}

void pki_hull_centroid(const pki_hull *hull, double out[3])
{
  const moments m = hull_moments(hull, hull->vertex);
  for (int k = 0; k < 3; k++) {
    out[k] = hull->vertex[k] + m.first[k] / m.volume;
  }
}

/* From the second moments about the centre: I = trace(C) 1 - C, C = integral of x x' by density. */
static void set_moment(pk_inertia *out, const double C[6])
{
  const double trace = C[0] + C[3] + C[5];
  for (int k = 0; k < 6; k++) {
    out->moment[k] = (k == 0 || k == 3 || k == 5 ? trace : 0) - C[k];
  }
}

static void set_diagonal(pk_inertia *out, double x, double y, double z)
{
  set_moment(out, (const double[6]){out->mass * x, 0, 0, out->mass * y, 0, out->mass * z});
}

/* Moved to the centre of mass: C = integral / V - c c' */
static void set_polyhedron(pk_inertia *out, const moments *m, const double from[3])
{
  double c[3], C[6];
  for (int k = 0; k < 3; k++) {
    c[k] = m->first[k] / m->volume, out->com[k] = from[k] + c[k];
  }
  const double cc[6] = {c[0] * c[0], c[0] * c[1], c[0] * c[2], c[1] * c[1], c[1] * c[2], c[2] * c[2]};
  for (int k = 0; k < 6; k++) {
    C[k] = out->mass * (m->second[k] / m->volume - cc[k]);
  }
  set_moment(out, C);
}

static pk_status mesh_inertia(const pk_geometry *g, pk_inertia *out, pk_error *err)
{
  const pki_trimesh *t = g->mesh;
  moments m = {0};
  double area = 0;
  for (int i = 0; t->closed && i < t->ntriangle; i++) {
    const int *v = t->triangle + 3 * i;
    const double *p[3] = {t->vertex + 3 * v[0], t->vertex + 3 * v[1], t->vertex + 3 * v[2]};
    add_triangle(&m, g->centre, p[0], p[1], p[2]);
    const double a[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const double b[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
    double w[3];
    pki_cross3(a, b, w);
    area += 0.5 * sqrt(pki_dot3(w, w));
  }
  if (!t->closed || !(m.volume > 1e-9 * area * g->bound)) {
    return pki_fail(err, PK_ERROR_MESH, (pki_where){.field = "mesh"},
                    "the mesh encloses no volume (%s), so a mass has no place in it",
                    t->closed ? "it is flat" : "it has open edges");
  }
  set_polyhedron(out, &m, g->centre);
  return PK_OK;
}

pk_status pki_geometry_inertia(const pk_geometry *g, double mass, pk_inertia *out, pk_error *err)
{
  memset(out, 0, sizeof *out);
  out->mass = mass;
  const double r = g->radius, h = g->half_length, *a = g->half;
  switch (g->kind) {
  case PK_SHAPE_SPHERE: set_diagonal(out, r * r / 5, r * r / 5, r * r / 5); return PK_OK;
  case PK_SHAPE_ELLIPSOID: set_diagonal(out, a[0] * a[0] / 5, a[1] * a[1] / 5, a[2] * a[2] / 5); return PK_OK;
  case PK_SHAPE_BOX: set_diagonal(out, a[0] * a[0] / 3, a[1] * a[1] / 3, a[2] * a[2] / 3); return PK_OK;
  case PK_SHAPE_CYLINDER: set_diagonal(out, r * r / 4, r * r / 4, h * h / 3); return PK_OK;
  case PK_SHAPE_CONE: /* height 2 h; the centre a quarter of it above the base */
    out->com[2] = -0.5 * h;
    set_diagonal(out, 3 * r * r / 20, 3 * r * r / 20, 3 * h * h / 20);
    return PK_OK;
  case PK_SHAPE_CAPSULE: { /* a cylinder, and a ball cut in two */
    const double cylinder = 2 * h / (2 * h + 4 * r / 3), ball = 1 - cylinder;
    const double across = cylinder * r * r / 4 + ball * r * r / 5;
    set_diagonal(out, across, across, cylinder * h * h / 3 + ball * (r * r / 5 + h * h + 0.75 * r * h));
    return PK_OK;
  }
  case PK_SHAPE_CONVEX: {
    const moments m = hull_moments(g->hull, g->centre);
    set_polyhedron(out, &m, g->centre);
    return PK_OK;
  }
  case PK_SHAPE_MESH: return mesh_inertia(g, out, err);
  default:
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "kind"},
                    "%s has no bounds, so it has no mass", pk_shape_kind_name(g->kind));
  }
}
