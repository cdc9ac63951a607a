/* Signed distance of a point from each shape, in the shape's frame. Bodies of revolution are met in the half plane through
 * the axis and the point: radius rho, height z. */
#include <math.h>
#include <string.h>

#include "collision/shapes/geometry.h"
#include "collision/shapes/heights.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

typedef struct nearest {
  double distance, normal[3];
} nearest;

/* From a ball around c; at its very centre the normal looks up. */
static nearest nearest_on_ball(const double p[3], double x, double y, double z, double radius)
{
  const double arm[3] = {p[0] - x, p[1] - y, p[2] - z};
  const double most = fmax(fabs(arm[0]), fmax(fabs(arm[1]), fabs(arm[2])));
  if (most == 0) {
    return (nearest){-radius, {0, 0, 1}};
  }
  const double u[3] = {arm[0] / most, arm[1] / most, arm[2] / most}, length = sqrt(pki_dot3(u, u));
  return (nearest){most * length - radius, {u[0] / length, u[1] / length, u[2] / length}};
}

/* On its axis a capsule is left across it. */
static nearest nearest_on_capsule(const pk_geometry *g, const double p[3])
{
  const double h = g->half_length, z = p[2] < -h ? -h : p[2] > h ? h : p[2];
  if (p[0] == 0 && p[1] == 0 && z == p[2] && h > 0) {
    return (nearest){-g->radius, {1, 0, 0}};
  }
  return nearest_on_ball(p, 0, 0, z, g->radius);
}

/* With e_k = |x_k| - half_k: outside |max(e, 0)|, inside max e_k. Where faces tie: z before y before x. */
static nearest nearest_on_box(const pk_geometry *g, const double p[3])
{
  double e[3], most = 0;
  int k = 2;
  for (int i = 2; i >= 0; i--) {
    e[i] = fabs(p[i]) - g->half[i];
    k = e[i] > e[k] ? i : k;
    most = fmax(most, e[i]);
  }
  nearest out = {e[k], {0, 0, 0}};
  if (most <= 0) {
    out.normal[k] = p[k] < 0 ? -1 : 1;
    return out;
  }
  double u[3];
  for (int i = 0; i < 3; i++) {
    u[i] = copysign(fmax(e[i], 0) / most, p[i]);
  }
  const double length = sqrt(pki_dot3(u, u));
  out.distance = most * length;
  for (int i = 0; i < 3; i++) {
    out.normal[i] = u[i] / length;
  }
  return out;
}

/* From the half plane back into space. */
static nearest revolve_nearest(const double p[3], double rho, double distance, double radial, double axial)
{
  const double c = rho > 0 ? p[0] / rho : 1, s = rho > 0 ? p[1] / rho : 0;
  return (nearest){distance, {radial * c, radial * s, axial}};
}

static nearest nearest_on_cylinder(const pk_geometry *g, const double p[3])
{
  const double rho = hypot(p[0], p[1]), up = p[2] < 0 ? -1 : 1;
  const double side = rho - g->radius, end = fabs(p[2]) - g->half_length;
  if (side > 0 && end > 0) {
    const double d = hypot(side, end);
    return revolve_nearest(p, rho, d, side / d, up * end / d);
  }
  return end >= side ? revolve_nearest(p, rho, end, 0, up) : revolve_nearest(p, rho, side, 1, 0);
}

/* In the half plane a triangle: tip (0, h), rim (r, -h), foot of the axis (0, -h). */
static nearest nearest_on_cone(const pk_geometry *g, const double p[3])
{
  const double r = g->radius, h = g->half_length, height = 2 * h, slant = hypot(r, height);
  const double rho = hypot(p[0], p[1]), drop = p[2] - h;
  const double side = (rho * height + drop * r) / slant;  /* outwards from the side */
  const double along = (rho * r - drop * height) / slant; /* down the side from the tip */
  const double below = -h - p[2];
  if (side <= 0 && below <= 0) {
    return below >= side ? revolve_nearest(p, rho, below, 0, -1)
                         : revolve_nearest(p, rho, side, height / slant, r / slant);
  }
  if (below >= 0 && rho <= r) {
    return revolve_nearest(p, rho, below, 0, -1);
  }
  if (along > 0 && along < slant) {
    return revolve_nearest(p, rho, side, height / slant, r / slant);
  }
  const double x = along <= 0 ? rho : rho - r, z = along <= 0 ? drop : -below, d = hypot(x, z);
  return d > 0 ? revolve_nearest(p, rho, d, x / d, z / d)
               : revolve_nearest(p, rho, 0, height / slant, r / slant);
}

/* ---- ellipsoid ----
 * The nearest point x to y has y - x = t x / e^2 for one t: x_i = e_i^2 y_i / (t + e_i^2), and t is the largest root of
 *   F(t) = sum (e_i y_i / (t + e_i^2))^2 - 1
 * (Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid"). With e_2 the least axis and
 * u = t + e_2^2 > 0, c_i = e_i^2 - e_2^2, there is no cancellation at the pole. F is convex and falls, so Newton's steps from
 * a u where F >= 0 come up to the root and never pass it; from u = max(e_i y_i - c_i), where one term is 1, they are few.
 * When y_2 = 0 the root may be the pole itself: then x_2 is what is left to the surface. */

/* The root u > 0. */
static double largest_root(const double ey[3], const double c[3])
{
  double u = ey[2];
  for (int i = 0; i < 2; i++) {
    u = fmax(u, ey[i] - c[i]);
  }
  for (int step = 0; step < 200; step++) {
    double F = -1, slope = 0;
    for (int i = 0; i < 3; i++) {
      const double w = u + c[i], term = ey[i] > 0 ? ey[i] / w : 0;
      F += term * term;
      slope += ey[i] > 0 ? 2 * term * term / w : 0;
    }
    const double next = u + F / slope;
    if (!(next > u)) {
      break;
    }
    u = next;
  }
  return u;
}

/* y >= 0 and axes e in falling order, e_0 = 1; n_i = x_i / e_i^2, not of unit length. Returns t. */
static double sorted_ellipsoid(const double e[3], const double y[3], double n[3])
{
  const double c[3] = {(e[0] - e[2]) * (e[0] + e[2]), (e[1] - e[2]) * (e[1] + e[2]), 0};
  const double ey[3] = {e[0] * y[0], e[1] * y[1], e[2] * y[2]};
  if (ey[2] < 1e-290) {
    double left = 1;
    for (int i = 0; i < 2; i++) {
      const double term = ey[i] > 0 ? ey[i] / c[i] : 0;
      left -= term * term;
    }
    if (left >= 0) {
      n[0] = ey[0] > 0 ? y[0] / c[0] : 0, n[1] = ey[1] > 0 ? y[1] / c[1] : 0, n[2] = sqrt(left) / e[2];
      return -e[2] * e[2];
    }
  }
  const double u = largest_root(ey, c);
  for (int i = 0; i < 3; i++) {
    n[i] = y[i] / (u + c[i]);
  }
  return u - e[2] * e[2];
}

static nearest nearest_on_ellipsoid(const pk_geometry *g, const double p[3])
{
  /* which axis is the longest, the next, the shortest */
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2 - i; j++) {
      if (g->half[order[j]] < g->half[order[j + 1]]) {
        const int swap = order[j];
        order[j] = order[j + 1], order[j + 1] = swap;
      }
    }
  }
  const double scale = g->half[order[0]];
  double e[3], y[3], n[3];
  for (int i = 0; i < 3; i++) {
    e[i] = g->half[order[i]] / scale, y[i] = fabs(p[order[i]]) / scale;
  }
  const double t = sorted_ellipsoid(e, y, n);
  const double most = fmax(n[0], fmax(n[1], n[2]));
  const double v[3] = {n[0] / most, n[1] / most, n[2] / most}, length = sqrt(pki_dot3(v, v));
  nearest out = {.distance = scale * t * most * length};
  for (int i = 0; i < 3; i++) {
    out.normal[order[i]] = p[order[i]] < 0 ? -v[i] / length : v[i] / length;
  }
  return out;
}

/* ---- hulls ---- */

/* The place of a face that is nearest to a point. */
typedef struct place {
  double square, arm[3]; /* from there to the point */
  int edge, vertex;      /* where it lies on the border, else -1 */
} place;

/* On an edge of a face, from a to b. */
static place on_edge(const pki_hull *h, int edge, int a, int b, const double p[3])
{
  const double *A = h->vertex + 3 * a, *B = h->vertex + 3 * b;
  const double u[3] = {B[0] - A[0], B[1] - A[1], B[2] - A[2]}, v[3] = {p[0] - A[0], p[1] - A[1], p[2] - A[2]};
  const double w[3] = {p[0] - B[0], p[1] - B[1], p[2] - B[2]};
  const double t = pki_dot3(u, v), length = pki_dot3(u, u);
  place out = {.edge = edge, .vertex = t <= 0 ? a : t >= length ? b : -1};
  for (int k = 0; k < 3; k++) {
    out.arm[k] = t <= 0 ? v[k] : t >= length ? w[k] : v[k] - t / length * u[k];
  }
  out.square = pki_dot3(out.arm, out.arm);
  return out;
}

/* Over the inside of the polygon, or on one of those edges that have the point on their outer side. */
static place on_face(const pki_hull *h, int f, const double p[3])
{
  const int first = h->face_start[f], last = h->face_start[f + 1];
  const double *n = h->plane + 4 * f;
  place best = {.square = INFINITY, .edge = -1, .vertex = -1};
  for (int i = first; i < last; i++) {
    const int a = h->loop[i], b = h->loop[i + 1 < last ? i + 1 : first];
    const double *A = h->vertex + 3 * a, *B = h->vertex + 3 * b;
    const double u[3] = {B[0] - A[0], B[1] - A[1], B[2] - A[2]},
                 v[3] = {p[0] - A[0], p[1] - A[1], p[2] - A[2]};
    double out[3];
    pki_cross3(u, n, out);
    if (pki_dot3(out, v) > 0) {
      const place found = on_edge(h, h->loop_edge[i], a, b, p);
      best = found.square < best.square ? found : best;
    }
  }
  if (best.edge < 0) {
    const double above = pki_dot3(n, p) - n[3];
    best.square = above * above;
    for (int k = 0; k < 3; k++) {
      best.arm[k] = above * n[k];
    }
  }
  return best;
}

static double above_face(const pki_hull *h, int f, const double p[3])
{
  return pki_dot3(h->plane + 4 * f, p) - h->plane[4 * f + 3];
}

/* From a face on to those beyond the edge or around the corner where it is nearest, as long as one that sees the point is
 * nearer. If the body has a nearer place at all, so has its cone of faces there, and that cone's nearest place is on a face
 * that sees the point. */
static place walk_to_nearest_face(const pki_hull *h, int face, const double p[3])
{
  place at = on_face(h, face, p);
  for (int step = 0; step < h->nface && at.edge >= 0; step++) {
    place best = at;
    const int v = at.vertex, one = at.edge;
    const int first = v < 0 ? 0 : h->vertex_start[v], last = v < 0 ? 2 : h->vertex_start[v + 1];
    for (int k = first; k < last; k++) {
      const int *e = h->edge + 4 * (v < 0 ? one : h->vertex_edge[k]);
      const int f = v < 0 ? e[2 + k] : e[0] == v ? e[2] : e[3];
      if (above_face(h, f, p) > 0) {
        const place found = on_face(h, f, p);
        best = found.square < best.square ? found : best;
      }
    }
    if (!(best.square < at.square)) {
      break;
    }
    at = best;
  }
  return at;
}

/* A face that sees the point, from the corner that is farthest towards it; of few faces, and from inside, the one whose plane
 * is farthest below. */
static int facing_face(const pk_geometry *g, const double p[3], double *above)
{
  enum { FEW = 48 };
  const pki_hull *h = g->hull;
  int best = 0;
  *above = -INFINITY;
  if (h->nface > FEW) {
    const double towards[3] = {p[0] - g->centre[0], p[1] - g->centre[1], p[2] - g->centre[2]};
    const int v = pki_hull_support(h, towards, -1);
    for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
      const int *e = h->edge + 4 * h->vertex_edge[k], f = e[0] == v ? e[2] : e[3];
      const double value = above_face(h, f, p);
      if (value > *above) {
        *above = value, best = f;
      }
    }
    if (*above > 1e-15 * g->bound) {
      return best;
    }
  }
  for (int f = 0; f < h->nface; f++) {
    const double value = above_face(h, f, p);
    if (value > *above) {
      *above = value, best = f;
    }
  }
  return best;
}

static bool nearest_on_hull(const pk_geometry *g, const double p[3], double reach, nearest *out)
{
  const pki_hull *h = g->hull;
  const int face = facing_face(g, p, &out->distance);
  memcpy(out->normal, h->plane + 4 * face, sizeof out->normal);
  if (out->distance <= 1e-15 * g->bound) {
    return true;
  }
  if (out->distance > reach) {
    return false; /* no place is nearer than a plane with all of it behind */
  }
  const place at = walk_to_nearest_face(h, face, p);
  if (at.square > 0) {
    out->distance = sqrt(at.square);
    for (int k = 0; k < 3; k++) {
      out->normal[k] = at.arm[k] / out->distance;
    }
  }
  return true;
}

/* ---- surfaces ---- */

static bool nearest_on_mesh(const pk_geometry *g, const double p[3], double reach, nearest *out)
{
  const pki_trimesh *t = g->mesh;
  bool in_box = t->closed;
  for (int k = 0; k < 3; k++) {
    in_box = in_box && p[k] >= g->box.min[k] && p[k] <= g->box.max[k];
  }
  const bool inside = in_box && pki_trimesh_inside(t, p);
  double at[3];
  const int i = pki_trimesh_nearest(t, p, inside ? INFINITY : reach, at);
  if (i < 0) {
    return false;
  }
  *out = nearest_on_ball(p, at[0], at[1], at[2], 0);
  /* on the surface the way to it says nothing; the triangle does */
  const bool touching = out->distance <= 1e-15 * g->bound;
  for (int k = 0; k < 3; k++) {
    out->normal[k] = touching ? t->normal[3 * i + k] : inside ? -out->normal[k] : out->normal[k];
  }
  out->distance = inside ? -out->distance : out->distance;
  return true;
}

bool pki_geometry_point(const pk_geometry *g, const double point[3], double reach, double *distance,
                        double normal[3])
{
  if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2])) {
    return false;
  }
  const double *p = point;
  nearest out = {0};
  bool near = true;
  switch (g->kind) {
  case PK_SHAPE_SPHERE: out = nearest_on_ball(p, 0, 0, 0, g->radius); break;
  case PK_SHAPE_CAPSULE: out = nearest_on_capsule(g, p); break;
  case PK_SHAPE_BOX: out = nearest_on_box(g, p); break;
  case PK_SHAPE_CYLINDER: out = nearest_on_cylinder(g, p); break;
  case PK_SHAPE_CONE: out = nearest_on_cone(g, p); break;
  case PK_SHAPE_ELLIPSOID: out = nearest_on_ellipsoid(g, p); break;
  case PK_SHAPE_CONVEX: near = nearest_on_hull(g, p, reach, &out); break;
  case PK_SHAPE_PLANE: out = (nearest){p[2], {0, 0, 1}}; break;
  case PK_SHAPE_MESH: near = nearest_on_mesh(g, p, reach, &out); break;
  case PK_SHAPE_HEIGHTS: return pki_heights_point(g->heights, p, reach, distance, normal);
  default: return false;
  }
  if (!near || (out.distance > reach && out.distance >= 0)) {
    return false;
  }
  *distance = out.distance;
  memcpy(normal, out.normal, sizeof out.normal);
  return true;
}
