/* Making shapes: sizes are checked, hulls and trees built, bounds found.
 *
 * Lengths between 1e-9 m and 1e9 m are taken: their squares and cubes stay far from the ends of double, and no shape
 * that a robot meets is near them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/convex.h"
#include "collision/shapes/heights.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

static const double LEAST = 1e-9, MOST = 1e9; /* m */

enum { HULL_MOST = 10000 }; /* vertices of a mesh with a hull of its own */

/* ---- checks ---- */

static int sizes_of(pk_shape_kind kind)
{
  switch (kind) {
  case PK_SHAPE_SPHERE: return 1;
  case PK_SHAPE_CYLINDER:
  case PK_SHAPE_CAPSULE:
  case PK_SHAPE_CONE: return 2;
  case PK_SHAPE_BOX:
  case PK_SHAPE_ELLIPSOID: return 3;
  default: return 0;
  }
}

static pk_status check_geometry(const pk_geometry_desc *desc, pk_error *err)
{
  if ((unsigned)desc->kind >= PK_SHAPE_KIND_COUNT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "kind"},
                    "kind is %d, expected a pk_shape_kind: 0 to %d", (int)desc->kind,
                    PK_SHAPE_KIND_COUNT - 1);
  }
  const char *name = pk_shape_kind_name(desc->kind);
  for (int k = 0; k < sizes_of(desc->kind); k++) {
    const bool may_be_zero = desc->kind == PK_SHAPE_CAPSULE && k == 1;
    const double size = desc->size[k];
    if (!(size >= LEAST && size <= MOST) && !(may_be_zero && size == 0)) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "size"},
                      "size[%d] of the %s is %g m, expected %g to %g%s", k, name, size, LEAST, MOST,
                      may_be_zero ? ", or 0" : "");
    }
  }
  if (desc->kind != PK_SHAPE_MESH && desc->kind != PK_SHAPE_CONVEX) {
    return PK_OK;
  }
  const pk_mesh *m = desc->mesh;
  if (m == NULL || m->nvertex <= 0 || m->vertex == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "mesh"}, "a %s needs a mesh with vertices",
                    name);
  }
  for (size_t i = 0; i < 3 * (size_t)m->nvertex; i++) {
    if (!(fabs(m->vertex[i]) <= MOST)) {
      return pki_fail(err, PK_ERROR_MESH, (pki_where){.file = m->name, .field = "mesh"},
                      "coordinate %d of vertex %d is %g m, expected at most %g in size", (int)(i % 3),
                      (int)(i / 3), m->vertex[i], MOST);
    }
  }
  return PK_OK;
}

/* ---- the parts of each kind ---- */

static void set_box(pk_geometry *g, double x, double y, double z)
{
  const double half[3] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    g->box.min[k] = -half[k], g->box.max[k] = half[k];
  }
}

/* A ball around a cone: its base's own where it is flat, else the one through tip and rim. In the section through
 * the axis, the ball inside is that of a triangle, twice the area by the circumference. */
static void ready_cone(pk_geometry *g)
{
  const double r = g->radius, height = 2 * g->half_length, slant = hypot(r, height);
  g->bound = r >= height ? r : slant * slant / (2 * height);
  g->centre[2] = r >= height ? -g->half_length : g->half_length - g->bound;
  g->inner = r * height / (r + slant);
}

static pk_status ready_simple(pk_geometry *g, pk_error *err)
{
  const double *s = g->size;
  switch (g->kind) {
  case PK_SHAPE_SPHERE:
    g->radius = g->bound = g->inner = s[0];
    set_box(g, s[0], s[0], s[0]);
    return PK_OK;
  case PK_SHAPE_ELLIPSOID:
    memcpy(g->half, s, sizeof g->half);
    g->bound = fmax(s[0], fmax(s[1], s[2])), g->inner = fmin(s[0], fmin(s[1], s[2]));
    set_box(g, s[0], s[1], s[2]);
    return PK_OK;
  case PK_SHAPE_BOX:
    for (int k = 0; k < 3; k++) {
      g->half[k] = 0.5 * s[k];
    }
    g->bound = hypot(hypot(g->half[0], g->half[1]), g->half[2]);
    g->inner = fmin(g->half[0], fmin(g->half[1], g->half[2]));
    set_box(g, g->half[0], g->half[1], g->half[2]);
    g->hull = pki_hull_box(g->half);
    return g->hull != NULL ? PK_OK : pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a box");
  default: break;
  }
  /* the round ones along z */
  g->radius = s[0], g->half_length = 0.5 * s[1];
  g->half[0] = g->half[1] = s[0], g->half[2] = g->half_length;
  const double end = g->kind == PK_SHAPE_CAPSULE ? g->half_length + g->radius : g->half_length;
  set_box(g, s[0], s[0], end);
  if (g->kind == PK_SHAPE_CONE) {
    ready_cone(g);
  } else {
    g->bound = g->kind == PK_SHAPE_CAPSULE ? end : hypot(g->radius, g->half_length);
    g->inner = g->kind == PK_SHAPE_CAPSULE ? g->radius : fmin(g->radius, g->half_length);
  }
  return PK_OK;
}

static void ready_plane(pk_geometry *g)
{
  for (int k = 0; k < 3; k++) {
    g->box.min[k] = -INFINITY, g->box.max[k] = k < 2 ? INFINITY : 0;
  }
  g->bound = g->inner = INFINITY;
}

/* A ball around points: from the middle of their box towards the farthest of them, ever shorter (Badoiu and Clarkson,
 * "Smaller core-sets for balls", 2003). The best centre on the way is kept. */
static void enclose_in_ball(pk_geometry *g, const double *vertex, int n)
{
  double c[3];
  for (int k = 0; k < 3; k++) {
    double *min = &g->box.min[k], *max = &g->box.max[k];
    *min = INFINITY, *max = -INFINITY;
    for (int i = 0; i < n; i++) {
      *min = fmin(*min, vertex[3 * i + k]), *max = fmax(*max, vertex[3 * i + k]);
    }
    c[k] = 0.5 * (*min + *max);
  }
  g->bound = INFINITY;
  const int most = n < 10000 ? 100 : 10;
  for (int step = 0; step < most; step++) {
    double far = 0;
    int at = 0;
    for (int i = 0; i < n; i++) {
      const double *v = vertex + 3 * i, arm[3] = {v[0] - c[0], v[1] - c[1], v[2] - c[2]};
      const double square = pki_dot3(arm, arm);
      if (square > far) {
        far = square, at = i;
      }
    }
    if (sqrt(far) < g->bound) {
      g->bound = sqrt(far);
      memcpy(g->centre, c, sizeof c);
    }
    for (int k = 0; k < 3; k++) {
      c[k] += (vertex[3 * at + k] - c[k]) / (step + 2);
    }
  }
  g->bound *= 1 + 1e-14;
}

/* From the middle of its mass to the nearest face. */
static double inner_of(const pki_hull *h)
{
  double c[3], least = INFINITY;
  pki_hull_centroid(h, c);
  for (int f = 0; f < h->nface; f++) {
    const double *p = h->plane + 4 * f;
    least = fmin(least, p[3] - pki_dot3(p, c));
  }
  return fmax(least, 0);
}

static pk_status ready_convex(pk_geometry *g, const pk_geometry_desc *desc, pk_error *err)
{
  const pk_mesh *m = desc->mesh;
  pk_error why;
  const pk_status status = pki_hull_create(m->vertex, m->nvertex, &g->hull, &why);
  if (status != PK_OK) {
    return pki_fail(err, status, (pki_where){.file = m->name, .field = "mesh"}, "%s", why.message);
  }
  enclose_in_ball(g, g->hull->vertex, g->hull->nvertex);
  g->inner = inner_of(g->hull);
  return PK_OK;
}

/* The mesh as it is, and its hull: only a help. It makes boxes tighter and planes quicker, and answers for a mesh that is
 * convex. Without it, of a flat mesh or a big one (qhull is slow where many points share a plane), the box around the mesh
 * is turned, its vertices stand on planes, and its triangles answer for it. */
static pk_status ready_mesh(pk_geometry *g, const pk_geometry_desc *desc, pk_error *err)
{
  pk_status status = pki_trimesh_create(desc->mesh, &g->mesh, err);
  if (status != PK_OK) {
    return status;
  }
  enclose_in_ball(g, g->mesh->vertex, g->mesh->nvertex);
  if (g->mesh->nvertex > HULL_MOST) {
    return PK_OK;
  }
  pk_error why;
  status = pki_hull_create(g->mesh->vertex, g->mesh->nvertex, &g->hull, &why);
  return status == PK_ERROR_MEMORY ? pki_fail(err, status, (pki_where){0}, "%s", why.message) : PK_OK;
}

static pk_status ready_heights(pk_geometry *g, const pk_geometry_desc *desc, pk_error *err)
{
  const pk_status status = pki_heights_create(desc, &g->heights, err);
  if (status == PK_OK) {
    pki_heights_bounds(g->heights, &g->box);
    g->bound = g->inner = INFINITY;
  }
  return status;
}

static pk_status prepare_geometry(pk_geometry *g, const pk_geometry_desc *desc, pk_error *err)
{
  switch (g->kind) {
  case PK_SHAPE_PLANE: ready_plane(g); return PK_OK;
  case PK_SHAPE_CONVEX: return ready_convex(g, desc, err);
  case PK_SHAPE_MESH: return ready_mesh(g, desc, err);
  case PK_SHAPE_HEIGHTS: return ready_heights(g, desc, err);
  default: return ready_simple(g, err);
  }
}

pk_status pk_geometry_create(const pk_geometry_desc *desc, pk_geometry **out, pk_error *err)
{
  if (desc == NULL || out == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){0}, "the description or the place for it is NULL");
  }
  *out = NULL;
  pk_status status = check_geometry(desc, err);
  if (status != PK_OK) {
    return status;
  }
  pk_geometry *g = calloc(1, sizeof *g);
  if (g == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a geometry");
  }
  g->kind = desc->kind;
  memcpy(g->size, desc->size, (size_t)sizes_of(g->kind) * sizeof *g->size);
  status = prepare_geometry(g, desc, err);
  if (status != PK_OK) {
    pk_geometry_destroy(g);
    return status;
  }
  *out = g;
  return PK_OK;
}

void pk_geometry_destroy(pk_geometry *g)
{
  if (g != NULL) {
    pki_hull_destroy(g->hull);
    pki_trimesh_destroy(g->mesh);
    pki_trimesh_destroy(g->facets);
    pki_heights_destroy(g->heights);
    free(g);
  }
}

/* ---- bounds at a pose ---- */

/* The box around a turned box, which may reach to infinity: an axis that does not turn in takes no part. */
static void turn_box(const pki_aabb *b, const pk_pose *pose, pki_aabb *out)
{
  for (int i = 0; i < 3; i++) {
    out->min[i] = out->max[i] = pose->pos[i];
    for (int k = 0; k < 3; k++) {
      const double r = pose->rot[3 * i + k];
      if (r != 0) {
        out->min[i] += r > 0 ? r * b->min[k] : r * b->max[k];
        out->max[i] += r > 0 ? r * b->max[k] : r * b->min[k];
      }
    }
  }
}

/* How far a shape that is even in all axes reaches along a unit vector of its frame. */
static double reach_of(const pk_geometry *g, const double d[3])
{
  switch (g->kind) {
  case PK_SHAPE_SPHERE: return g->radius;
  case PK_SHAPE_CAPSULE: return g->radius + g->half_length * fabs(d[2]);
  case PK_SHAPE_CYLINDER: return g->radius * hypot(d[0], d[1]) + g->half_length * fabs(d[2]);
  case PK_SHAPE_ELLIPSOID: return hypot(hypot(g->half[0] * d[0], g->half[1] * d[1]), g->half[2] * d[2]);
  default: return g->half[0] * fabs(d[0]) + g->half[1] * fabs(d[1]) + g->half[2] * fabs(d[2]);
  }
}

void pki_geometry_bounds(const pk_geometry *g, const pk_pose *pose, pki_aabb *out)
{
  if (g->bound == INFINITY || (g->kind == PK_SHAPE_MESH && g->hull == NULL)) {
    turn_box(&g->box, pose, out);
    return;
  }
  for (int i = 0; i < 3; i++) {
    const double *d = pose->rot + 3 * i, back[3] = {-d[0], -d[1], -d[2]}, at = pose->pos[i];
    if (g->kind == PK_SHAPE_CONE) {
      const double rim = g->radius * hypot(d[0], d[1]), tip = g->half_length * d[2];
      out->min[i] = at + fmin(tip, -tip - rim), out->max[i] = at + fmax(tip, -tip + rim);
    } else if (g->kind == PK_SHAPE_CONVEX || g->kind == PK_SHAPE_MESH) {
      const double *v = g->hull->vertex;
      out->min[i] = at + pki_dot3(d, v + 3 * pki_hull_support(g->hull, back, -1));
      out->max[i] = at + pki_dot3(d, v + 3 * pki_hull_support(g->hull, d, -1));
    } else {
      const double reach = reach_of(g, d);
      out->min[i] = at - reach, out->max[i] = at + reach;
    }
  }
}

/* Frisvad's basis ("Building an orthonormal basis from a 3D unit vector without normalization", 2012): the
 * rotation that takes z to n by the shortest way takes x and y to the tangents. It is singular at
 * n = -z; near there the mirrored one is used (Duff et al. 2017, but with the seam far from walls, whose
 * normals have z = 0 and would flip between the two by rounding). */
void pki_tangents(const double n[3], double t1[3], double t2[3])
{
  const double sign = n[2] > -0.9 ? 1 : -1;
  const double a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  t1[0] = 1 + sign * n[0] * n[0] * a, t1[1] = sign * b, t1[2] = -sign * n[0];
  t2[0] = b, t2[1] = sign + n[1] * n[1] * a, t2[2] = -n[1];
}
