/* What a convex shape answers, in the world's frame: its farthest point, its farthest face. */
#include "collision/shapes/convex.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

pki_convex pki_convex_of(const pk_geometry *g, const pk_pose *pose)
{
  const bool rounded = g->kind == PK_SHAPE_SPHERE || g->kind == PK_SHAPE_CAPSULE;
  return (pki_convex){.geometry = g, .rounding = rounded ? g->radius : 0, .pose = *pose};
}

pki_convex pki_convex_points(const double *points, int n, const pk_pose *pose)
{
  return (pki_convex){.points = points, .npoint = n, .pose = *pose};
}

/* ---- the farthest point ---- */

/* The first of those that are farthest. Four are looked at at a time: no comparison waits for the one before. */
static int farthest_point(const double *points, int n, const double d[3])
{
  int best[4] = {0, 0, 0, 0}, i = 0;
  const double first = pki_dot3(points, d);
  double most[4] = {first, first, first, first};
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) {
      const double value = pki_dot3(points + 3 * (i + k), d);
      best[k] = value > most[k] ? i + k : best[k];
      most[k] = value > most[k] ? value : most[k];
    }
  }
  for (; i < n; i++) {
    const double value = pki_dot3(points + 3 * i, d);
    best[3] = value > most[3] ? i : best[3];
    most[3] = value > most[3] ? value : most[3];
  }
  for (int k = 1; k < 4; k++) {
    if (most[k] > most[0] || (most[k] == most[0] && best[k] < best[0])) {
      most[0] = most[k], best[0] = best[k];
    }
  }
  return best[0];
}

/* Vertices that are equally far form an edge or a face: the first of them is taken, wherever the climb came from. */
static int first_of_equals(const pki_hull *h, const double d[3], int v, double most)
{
  int first = v;
  for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
    const int *e = h->edge + 4 * h->vertex_edge[k];
    if (pki_dot3(h->vertex + 3 * (e[0] == v ? e[1] : e[0]), d) != most) {
      continue;
    }
    for (int side = 2; side < 4; side++) {
      for (int i = h->face_start[e[side]]; i < h->face_start[e[side] + 1]; i++) {
        const int w = h->loop[i];
        first = w < first && pki_dot3(h->vertex + 3 * w, d) == most ? w : first;
      }
    }
  }
  return first;
}

int pki_hull_support(const pki_hull *h, const double d[3], int hint)
{
  enum { FEW = 64 };
  if (h->nvertex <= FEW) {
    return farthest_point(h->vertex, h->nvertex, d);
  }
  /* on a convex body every vertex but the farthest has an edge that leads farther */
  int v = hint >= 0 && hint < h->nvertex ? hint : 0;
  double most = pki_dot3(h->vertex + 3 * v, d);
  for (int step = 0; step < h->nvertex; step++) {
    int next = v;
    bool equal = false;
    for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
      const int *e = h->edge + 4 * h->vertex_edge[k], w = e[0] == v ? e[1] : e[0];
      const double value = pki_dot3(h->vertex + 3 * w, d);
      equal = equal || value == most;
      if (value > most) {
        most = value, next = w;
      }
    }
    if (next == v) {
      return equal ? first_of_equals(h, d, v, most) : v;
    }
    v = next;
  }
  return first_of_equals(h, d, v, most);
}

/* hypot where squares keep their digits */
static double length_2d(double x, double y)
{
  const double square = x * x + y * y;
  return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x, y);
}

/* The point of the rim under a direction, at height z; the middle of the disc when it looks along the axis. */
static void rim_point(const pk_geometry *g, const double d[3], double z, double out[3])
{
  const double radial = length_2d(d[0], d[1]), scale = radial > 0 ? g->radius / radial : 0;
  out[0] = scale * d[0], out[1] = scale * d[1], out[2] = z;
}

/* x_i = a_i^2 d_i / |(a_1 d_1, a_2 d_2, a_3 d_3)| */
static void ellipsoid_point(const pk_geometry *g, const double d[3], double out[3])
{
  const double ad[3] = {g->half[0] * d[0], g->half[1] * d[1], g->half[2] * d[2]}, square = pki_dot3(ad, ad);
  if (square > 1e-280 && square < 1e280) {
    const double inverse = 1 / sqrt(square);
    for (int k = 0; k < 3; k++) {
      out[k] = g->half[k] * (ad[k] * inverse);
    }
    return;
  }
  const double most = fmax(fabs(ad[0]), fmax(fabs(ad[1]), fmax(fabs(ad[2]), 1e-300)));
  const double u[3] = {ad[0] / most, ad[1] / most, ad[2] / most}, length = sqrt(pki_dot3(u, u));
  for (int k = 0; k < 3; k++) {
    out[k] = length > 0 ? g->half[k] * (u[k] / length) : 0;
  }
}

/* In the shape's frame; the piece. */
static int support_in_frame(const pk_geometry *g, const double d[3], int hint, double out[3])
{
  switch (g->kind) {
  case PK_SHAPE_SPHERE: out[0] = out[1] = out[2] = 0; return 0;
  case PK_SHAPE_CAPSULE:
    out[0] = out[1] = 0, out[2] = d[2] >= 0 ? g->half_length : -g->half_length;
    return d[2] >= 0;
  case PK_SHAPE_BOX:
    for (int k = 0; k < 3; k++) {
      out[k] = d[k] >= 0 ? g->half[k] : -g->half[k];
    }
    return (d[0] >= 0) + 2 * (d[1] >= 0) + 4 * (d[2] >= 0);
  case PK_SHAPE_CYLINDER:
    rim_point(g, d, d[2] >= 0 ? g->half_length : -g->half_length, out);
    return d[2] >= 0;
  case PK_SHAPE_CONE:
    if (2 * g->half_length * d[2] >= g->radius * length_2d(d[0], d[1])) {
      out[0] = out[1] = 0, out[2] = g->half_length;
      return 1;
    }
    rim_point(g, d, -g->half_length, out);
    return 0;
  case PK_SHAPE_ELLIPSOID: ellipsoid_point(g, d, out); return 0;
  default: break;
  }
  const int v = pki_hull_support(g->hull, d, hint);
  memcpy(out, g->hull->vertex + 3 * v, 3 * sizeof *out);
  return v;
}

static void to_world(const pk_pose *pose, const double local[3], double out[3])
{
  pki_mat3_apply(pose->rot, local, out);
  for (int k = 0; k < 3; k++) {
    out[k] += pose->pos[k];
  }
}

int pki_convex_piece(const pki_convex *c, const double direction[3], int hint, double out[3])
{
  const double *const rot = c->pose.rot;
  double d[3], local[3];
  if (c->geometry == NULL && rot[0] == 1 && rot[4] == 1 && rot[8] == 1) { /* a triangle where it is */
    const int v = farthest_point(c->points, c->npoint, direction);
    for (int k = 0; k < 3; k++) {
      out[k] = c->points[3 * v + k] + c->pose.pos[k];
    }
    return v;
  }
  pki_mat3_apply_transposed(rot, direction, d);
  int vertex;
  if (c->geometry != NULL) {
    vertex = support_in_frame(c->geometry, d, hint, local);
  } else {
    vertex = farthest_point(c->points, c->npoint, d);
    memcpy(local, c->points + 3 * vertex, sizeof local);
  }
  to_world(&c->pose, local, out);
  return vertex;
}

bool pki_convex_is_round(const pki_convex *c)
{
  return c->geometry != NULL &&
         (c->geometry->kind == PK_SHAPE_ELLIPSOID || c->geometry->kind == PK_SHAPE_CYLINDER ||
          c->geometry->kind == PK_SHAPE_CONE);
}

int pki_convex_support(const pki_convex *c, const double direction[3], int hint, double out[3])
{
  const int piece = pki_convex_piece(c, direction, hint, out);
  return pki_convex_is_round(c) ? -1 : piece;
}

/* A rim: h = r rho + z d_z, H = r / rho t t' with t its tangent. An ellipsoid: h = |E d|, H = (E^2 - x x') / h. */
bool pki_convex_slide(const pki_convex *c, const double direction[3], const double u[3], const double v[3],
                      int piece, double out[3], double H[3])
{
  H[0] = H[1] = H[2] = 0;
  const pk_geometry *g = c->geometry;
  if (!pki_convex_is_round(c) || (g->kind == PK_SHAPE_CONE && piece == 1)) {
    return true;
  }
  double d[3], p[3], q[3], x[3];
  pki_mat3_apply_transposed(c->pose.rot, direction, d);
  pki_mat3_apply_transposed(c->pose.rot, u, p);
  pki_mat3_apply_transposed(c->pose.rot, v, q);
  if (g->kind == PK_SHAPE_ELLIPSOID) {
    const double *const e = g->half;
    const double ed[3] = {e[0] * d[0], e[1] * d[1], e[2] * d[2]}, inverse = 1 / sqrt(pki_dot3(ed, ed));
    for (int k = 0; k < 3; k++) {
      x[k] = e[k] * (ed[k] * inverse);
      p[k] *= e[k], q[k] *= e[k];
    }
    const double s[2] = {pki_dot3(ed, p) * inverse, pki_dot3(ed, q) * inverse};
    H[0] = (pki_dot3(p, p) - s[0] * s[0]) * inverse;
    H[1] = (pki_dot3(p, q) - s[0] * s[1]) * inverse;
    H[2] = (pki_dot3(q, q) - s[1] * s[1]) * inverse;
  } else {
    const double square = d[0] * d[0] + d[1] * d[1];
    if (!(square > 1e-20)) {
      return false;
    }
    const double inverse = 1 / sqrt(square), t[2] = {-d[1] * inverse, d[0] * inverse};
    const double a = t[0] * p[0] + t[1] * p[1], b = t[0] * q[0] + t[1] * q[1];
    const double bend = g->radius * inverse;
    H[0] = bend * a * a, H[1] = bend * a * b, H[2] = bend * b * b;
    x[0] = g->radius * t[1], x[1] = -g->radius * t[0];
    x[2] = g->kind == PK_SHAPE_CYLINDER && piece == 1 ? g->half_length : -g->half_length;
  }
  to_world(&c->pose, x, out);
  return true;
}

/* ---- the farthest face ----
 * Faces are first written in the shape's frame, with d a unit vector there. */

static const double ROUNDING = 1e-15; /* what d is known to */

static void put_face_point(pki_face *f, int id, double x, double y, double z)
{
  double *p = f->point[f->count];
  p[0] = x, p[1] = y, p[2] = z;
  f->id[f->count++] = id;
}

static void put_point(pki_face *f, int id, const double p[3])
{
  put_face_point(f, id, p[0], p[1], p[2]);
}

/* A whole face of a hull; of one with too many corners, some, evenly. */
static void put_hull_face(pki_face *f, const pki_hull *h, int face)
{
  const int first = h->face_start[face], n = h->face_start[face + 1] - first;
  const int count = n < PKI_FACE_MOST ? n : PKI_FACE_MOST;
  for (int k = 0; k < count; k++) {
    const int v = h->loop[first + (int)((long)k * n / count)];
    put_point(f, v, h->vertex + 3 * v);
  }
  memcpy(f->normal, h->plane + 4 * face, sizeof f->normal);
}

/* The face that looks most along d: the best one at the farthest vertex, and on from neighbour to neighbour. */
static int best_face(const pki_hull *h, int v, const double d[3])
{
  int best = -1;
  double most = -INFINITY;
  for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
    const int *e = h->edge + 4 * h->vertex_edge[k];
    for (int side = 2; side < 4; side++) {
      const double value = pki_dot3(h->plane + 4 * e[side], d);
      if (value > most || (value == most && e[side] < best)) {
        most = value, best = e[side];
      }
    }
  }
  for (int step = 0; step < h->nface; step++) {
    int next = best;
    for (int i = h->face_start[best]; i < h->face_start[best + 1]; i++) {
      const int *e = h->edge + 4 * h->loop_edge[i], other = e[2] == best ? e[3] : e[2];
      const double value = pki_dot3(h->plane + 4 * other, d);
      if (value > most) {
        most = value, next = other;
      }
    }
    if (next == best) {
      break;
    }
    best = next;
  }
  return best;
}

/* The face within tilt of d; else, of the edges at the farthest vertex, the flattest one within tilt; else the vertex. */
static void hull_face(const pki_hull *h, const double d[3], double tilt, pki_face *f)
{
  const int v = pki_hull_support(h, d, -1), face = best_face(h, v, d);
  if (pki_dot3(h->plane + 4 * face, d) >= cos(tilt) - ROUNDING) {
    put_hull_face(f, h, face);
    return;
  }
  int best = -1;
  double least = sin(tilt) + ROUNDING;
  for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
    const int edge = h->vertex_edge[k];
    const double *a = h->vertex + 3 * h->edge[4 * edge], *b = h->vertex + 3 * h->edge[4 * edge + 1];
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double lean = fabs(pki_dot3(u, d)) / sqrt(pki_dot3(u, u));
    if (lean < least || (lean == least && (best < 0 || edge < best))) {
      least = lean, best = edge;
    }
  }
  if (best < 0) {
    put_point(f, v, h->vertex + 3 * v);
    return;
  }
  for (int k = 0; k < 2; k++) {
    const int w = h->edge[4 * best + k];
    put_point(f, w, h->vertex + 3 * w);
  }
}

/* A disc's rim: PKI_RIM points from id `first` on, counter-clockwise seen from the side that `up` (1, -1) looks to. */
static void put_rim(pki_face *f, double radius, double z, int up, int first)
{
  static const double c = 0.70710678118654752440;
  static const double at[PKI_RIM][2] = {{1, 0}, {c, c}, {0, 1}, {-c, c}, {-1, 0}, {-c, -c}, {0, -1}, {c, -c}};
  for (int i = 0; i < PKI_RIM; i++) {
    const int k = up > 0 ? i : (PKI_RIM - i) % PKI_RIM;
    put_face_point(f, first + k, radius * at[k][0], radius * at[k][1], z);
  }
  f->normal[0] = f->normal[1] = 0, f->normal[2] = up;
}

/* Names: rim points 0..7 above, 8..15 below; the place of a rim under the direction 16 below, 17 above. */
static void cylinder_face(const pk_geometry *g, const double d[3], double tilt, pki_face *f)
{
  const int up = d[2] >= 0 ? 1 : -1;
  double p[3];
  if (fabs(d[2]) >= cos(tilt) - ROUNDING) {
    put_rim(f, g->radius, up * g->half_length, up, up > 0 ? 0 : PKI_RIM);
    return;
  }
  const bool line = fabs(d[2]) <= sin(tilt) + ROUNDING;
  rim_point(g, d, -g->half_length, p);
  if (line || up < 0) {
    put_point(f, 2 * PKI_RIM, p);
  }
  p[2] = g->half_length;
  if (line || up > 0) {
    put_point(f, 2 * PKI_RIM + 1, p);
  }
}

/* Names: rim points 0..7, the tip 8, the place of the rim under the direction 9. */
static void cone_face(const pk_geometry *g, const double d[3], double tilt, pki_face *f)
{
  const double radial = hypot(d[0], d[1]), height = 2 * g->half_length, slant = hypot(g->radius, height);
  if (-d[2] >= cos(tilt) - ROUNDING) {
    put_rim(f, g->radius, -g->half_length, -1, 0);
    return;
  }
  /* up along the side: (-r, height) / slant; outwards: (height, r) / slant */
  const double along = (height * d[2] - g->radius * radial) / slant;
  const double outwards = (height * radial + g->radius * d[2]) / slant;
  const bool line = fabs(along) <= sin(tilt) + ROUNDING && outwards > 0 && radial > 0;
  if (line || along >= 0) {
    put_face_point(f, PKI_RIM, 0, 0, g->half_length);
  }
  if (line || along < 0) {
    double p[3];
    rim_point(g, d, -g->half_length, p);
    put_point(f, PKI_RIM + 1, p);
  }
}

static void capsule_face(const pk_geometry *g, const double d[3], double tilt, pki_face *f)
{
  const bool line = g->half_length > 0 && fabs(d[2]) <= sin(tilt) + ROUNDING;
  for (int end = 0; end < 2; end++) {
    if (line || end == (d[2] >= 0)) {
      put_face_point(f, end, 0, 0, end ? g->half_length : -g->half_length);
    }
  }
}

static void geometry_face(const pk_geometry *g, const double d[3], double tilt, pki_face *f)
{
  switch (g->kind) {
  case PK_SHAPE_CYLINDER: cylinder_face(g, d, tilt, f); break;
  case PK_SHAPE_CONE: cone_face(g, d, tilt, f); break;
  case PK_SHAPE_CAPSULE: capsule_face(g, d, tilt, f); break;
  case PK_SHAPE_BOX:
  case PK_SHAPE_CONVEX:
  case PK_SHAPE_MESH: hull_face(g->hull, d, tilt, f); break;
  default: { /* sphere, ellipsoid: one point */
    double p[3];
    support_in_frame(g, d, -1, p);
    put_point(f, 0, p);
  }
  }
}

/* ---- faces of few points ----
 * A point belongs to the face when the line from the farthest point to it is within tilt of flat. What belongs is
 * ordered around d by the gift wrapping of its shadow along d. */

/* The shadow of (b - a) x (c - a) on d: positive when c is left of a -> b seen against d. */
static double signed_turn(const double *a, const double *b, const double *c, const double d[3])
{
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  double w[3];
  pki_cross3(u, v, w);
  return pki_dot3(w, d);
}

static double square_distance(const double *a, const double *b)
{
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return pki_dot3(u, u);
}

/* Counter-clockwise around the shadow of the points in `part`, from its first corner; how many corners. */
static int wrap_shadow(const double *points, const int *part, int n, const double d[3], int *out)
{
  /* an axis across d: the farthest along it is a corner */
  const int k = fabs(d[0]) <= fabs(d[1]) && fabs(d[0]) <= fabs(d[2]) ? 0 : fabs(d[1]) <= fabs(d[2]) ? 1 : 2;
  double across[3] = {0, 0, 0};
  across[k] = 1;
  for (int i = 0; i < 3; i++) {
    across[i] -= d[k] * d[i];
  }
  int start = part[0];
  for (int i = 1; i < n; i++) {
    const double more = pki_dot3(points + 3 * part[i], across) - pki_dot3(points + 3 * start, across);
    start = more > 0 ? part[i] : start;
  }
  int count = 0, at = start;
  do {
    out[count++] = at;
    int next = -1;
    for (int i = 0; i < n; i++) {
      const double *p = points + 3 * at, *q = points + 3 * part[i];
      if (part[i] == at || square_distance(p, q) == 0) {
        continue;
      }
      const double side = next < 0 ? -1 : signed_turn(p, points + 3 * next, q, d);
      const bool same_line = next >= 0 && fabs(side) <= 1e-14 * square_distance(p, points + 3 * next);
      if (next < 0 || (same_line && square_distance(p, q) > square_distance(p, points + 3 * next)) ||
          (!same_line && side < 0)) {
        next = part[i];
      }
    }
    at = next;
  } while (at >= 0 && at != start && count < n);
  return count;
}

static void points_face(const double *points, int n, const double d[3], double tilt, pki_face *f)
{
  const int v = farthest_point(points, n, d);
  const double lean = sin(tilt) + ROUNDING;
  int part[PKI_FACE_MOST], corner[PKI_FACE_MOST], npart = 0;
  for (int i = 0; i < n && npart < PKI_FACE_MOST; i++) {
    const double drop = pki_dot3(points + 3 * v, d) - pki_dot3(points + 3 * i, d);
    if (i == v || drop <= lean * sqrt(square_distance(points + 3 * v, points + 3 * i))) {
      part[npart++] = i;
    }
  }
  const int ncorner = wrap_shadow(points, part, npart, d, corner);
  for (int k = 0; k < ncorner; k++) {
    put_point(f, corner[k], points + 3 * corner[k]);
  }
  /* Newell's normal */
  double normal[3] = {0, 0, 0}, w[3];
  for (int k = 1; k + 1 < ncorner; k++) {
    double u[2][3];
    for (int i = 0; i < 3; i++) {
      u[0][i] = f->point[k][i] - f->point[0][i], u[1][i] = f->point[k + 1][i] - f->point[0][i];
    }
    pki_cross3(u[0], u[1], w);
    for (int i = 0; i < 3; i++) {
      normal[i] += w[i];
    }
  }
  const double length = sqrt(pki_dot3(normal, normal));
  for (int i = 0; i < 3 && length > 0; i++) {
    f->normal[i] = normal[i] / length;
  }
}

void pki_convex_face(const pki_convex *c, const double direction[3], double tilt, pki_face *out)
{
  double d[3];
  pki_mat3_apply_transposed(c->pose.rot, direction, d);
  const double most = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  const double u[3] = {d[0] / most, d[1] / most, d[2] / most}, length = sqrt(pki_dot3(u, u));
  for (int k = 0; k < 3; k++) {
    out->normal[k] = d[k] = u[k] / length;
  }
  out->count = 0;
  if (c->geometry != NULL) {
    geometry_face(c->geometry, d, tilt, out);
  } else {
    points_face(c->points, c->npoint, d, tilt, out);
  }
  for (int k = 0; k < out->count; k++) {
    to_world(&c->pose, out->point[k], out->point[k]);
  }
  pki_mat3_apply(c->pose.rot, out->normal, out->normal);
}
