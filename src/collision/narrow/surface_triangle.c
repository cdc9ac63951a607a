/* What a triangle of a surface answers to a convex shape.
 *
 * Edges between triangles that lie in one plane, or that bend towards the outside, are no edges to a shape that comes
 * from outside: a normal there would be an artefact of how the surface was cut. Each direction belongs to a triangle
 * only when the surface as a whole could push that way:
 *
 *      n    ^ m                at a convex edge between n and n_k: yes; beyond n_k: the neighbour's
 *      ^  /                    at a flat or hollow edge: n alone
 *   ___|/____
 *            \ ^ n_k
 *             \/                                                                                                  */
#include <math.h>
#include <string.h>

#include "collision/narrow/surface.h"
#include "collision/shapes/heights.h"
#include "math/mat3.h"

static const double PI = 3.14159265358979323846;
static const double OWN = 1e-3;   /* rad */
static const double LEVEL = 1e-6; /* sine: corners that are equally far */
static const double TILT = 0.08;  /* rad: as for faces of convex shapes */

/* Across edge k, outwards, in the triangle's plane; unit. */
static void edge_outward(const pki_triangle *t, int k, double out[3])
{
  double e[3];
  pki_sub3(t->point[(k + 1) % 3], t->point[k], e);
  pki_cross3(e, t->normal, out);
  const double length = sqrt(pki_dot3(out, out));
  for (int c = 0; c < 3; c++) {
    out[c] /= length;
  }
}

/* How far from the normal a direction over edge k may lean. */
static double limit_of(const pki_triangle *t, int k, bool apart)
{
  double turn[3];
  switch (t->edge[k]) {
  case PKI_EDGE_OPEN: return apart ? PI : 0.5 * PI;
  case PKI_EDGE_CONVEX:
    pki_cross3(t->normal, t->neighbour[k], turn);
    return atan2(sqrt(pki_dot3(turn, turn)), pki_dot3(t->normal, t->neighbour[k]));
  default: return 0;
  }
}

/* Turn m back about edge k to what it allows; by how much, rad. */
static double limit_normal_at_edge(const pki_triangle *t, int k, bool apart, double m[3])
{
  double o[3];
  edge_outward(t, k, o);
  const double x = pki_dot3(m, o), y = pki_dot3(m, t->normal);
  const double excess = atan2(x, y) - limit_of(t, k, apart);
  if (!(excess > 0)) {
    return 0;
  }
  const double c = cos(excess), s = sin(excess);
  const double nx = c * x - s * y, ny = s * x + c * y;
  for (int i = 0; i < 3; i++) {
    m[i] += (nx - x) * o[i] + (ny - y) * t->normal[i];
  }
  return excess;
}

bool pki_triangle_owns(const pki_triangle *t, const double m[3], bool apart, double out[3], int part[3],
                       int *npart)
{
  int top = 0;
  for (int k = 1; k < 3; k++) {
    top = pki_dot3(m, t->point[k]) > pki_dot3(m, t->point[top]) ? k : top;
  }
  *npart = 0;
  for (int k = 0; k < 3; k++) {
    double d[3];
    pki_sub3(t->point[top], t->point[k], d);
    if (k == top || pki_dot3(m, d) <= LEVEL * sqrt(pki_dot3(d, d))) {
      part[(*npart)++] = k;
    }
  }
  if (*npart == 3) {
    memcpy(out, t->normal, 3 * sizeof *out);
    return pki_dot3(m, t->normal) > 0;
  }
  memcpy(out, m, 3 * sizeof *out);
  double worst = 0;
  if (*npart == 2) {
    const int k = part[0] == 0 && part[1] == 2 ? 2 : part[0];
    worst = limit_normal_at_edge(t, k, apart, out);
  } else {
    /* what one edge takes away the other may give back: twice around is enough for a milliradian */
    for (int pass = 0; pass < 2; pass++) {
      worst = fmax(worst, limit_normal_at_edge(t, part[0], apart, out));
      worst = fmax(worst, limit_normal_at_edge(t, (part[0] + 2) % 3, apart, out));
    }
  }
  return worst <= OWN;
}

static bool rises_along(const double from[3], const double to[3], const double m[3])
{
  double d[3];
  pki_sub3(to, from, d);
  return pki_dot3(d, m) > LEVEL * sqrt(pki_dot3(d, d));
}

/* Around vertex v from triangle i on, one way or the other, until back or at a border. */
static bool rises_around(const pki_trimesh *t, int i, int v, int way, const double m[3])
{
  enum { MOST = 256 };
  const double *from = t->vertex + 3 * (size_t)v;
  int at = i;
  for (int step = 0; step < MOST && at >= 0 && (step == 0 || at != i); step++) {
    const int *w = t->triangle + 3 * (size_t)at;
    const int c = w[0] == v ? 0 : w[1] == v ? 1 : 2;
    if (rises_along(from, t->vertex + 3 * (size_t)w[(c + 1) % 3], m) ||
        rises_along(from, t->vertex + 3 * (size_t)w[(c + 2) % 3], m)) {
      return true;
    }
    at = t->neighbour[3 * (size_t)at + (size_t)(way > 0 ? c : (c + 2) % 3)];
  }
  return false;
}

bool pki_vertex_stands_out(const pk_geometry *surface, const pki_triangle *t, int k, const double m[3])
{
  if (surface->kind == PK_SHAPE_MESH) {
    const pki_trimesh *g = surface->mesh;
    return !rises_around(g, t->index, t->vertex[k], 1, m) && !rises_around(g, t->index, t->vertex[k], -1, m);
  }
  /* the six edges at a corner of a height field */
  static const int step[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
  const pki_heights *h = surface->heights;
  const int i = t->vertex[k] % h->nx, j = t->vertex[k] / h->nx;
  if (j >= h->ny) {
    return false; /* the lower end of a side is none */
  }
  for (int e = 0; e < 6; e++) {
    const int x = i + step[e][0], y = j + step[e][1];
    if (x >= 0 && y >= 0 && x < h->nx && y < h->ny &&
        rises_along(t->point[k], (const double[3]){x * h->cell, y * h->cell, pki_height(h, x, y)}, m)) {
      return false;
    }
  }
  return true;
}

bool pki_triangle_holds(const pki_triangle *t, const double p[3], double hair)
{
  for (int k = 0; k < 3; k++) {
    double o[3], d[3];
    edge_outward(t, k, o);
    pki_sub3(p, t->point[k], d);
    if (!(pki_dot3(o, d) <= hair)) {
      return false;
    }
  }
  return true;
}

bool pki_triangle_bears(const pki_triangle *t, const double p[3], double gap, double hair)
{
  for (int k = 0; k < 3; k++) {
    double o[3], d[3], u[3], other[3];
    edge_outward(t, k, o);
    pki_sub3(p, t->point[k], d);
    if (pki_dot3(o, d) <= hair) {
      continue;
    }
    if (!(gap < 0) || t->edge[k] != PKI_EDGE_CONCAVE) {
      return false;
    }
    /* beyond the edge as the neighbour sees it, too: below the line of the valley */
    pki_sub3(t->point[(k + 1) % 3], t->point[k], u);
    pki_cross3(t->neighbour[k], u, other);
    if (!(pki_dot3(other, d) >= -hair * sqrt(pki_dot3(u, u)))) {
      return false;
    }
  }
  return true;
}

static void negate3(double x[3])
{
  x[0] = -x[0], x[1] = -x[1], x[2] = -x[2];
}

void pki_triangle_turn(pki_triangle *t)
{
  const pki_triangle was = *t;
  static const int corner[3] = {0, 2, 1}, edge[3] = {2, 1, 0};
  for (int k = 0; k < 3; k++) {
    memcpy(t->point[k], was.point[corner[k]], sizeof t->point[k]);
    memcpy(t->neighbour[k], was.neighbour[edge[k]], sizeof t->neighbour[k]);
    negate3(t->neighbour[k]);
    t->vertex[k] = was.vertex[corner[k]];
    const pki_edge_kind kind = was.edge[edge[k]];
    t->edge[k] = kind == PKI_EDGE_CONVEX    ? PKI_EDGE_CONCAVE
                 : kind == PKI_EDGE_CONCAVE ? PKI_EDGE_CONVEX
                                            : kind;
  }
  negate3(t->normal);
}

/* ---- the border below a face ---- */

typedef struct border {
  const pki_triangle *t;
  const pki_convex *shape;
  pki_face face;
  double margin;
  pki_gather *out;
} border;

/* A point q of edge k, with the shape `height` above it; cut by side j of the face, -1: the edge's own end. */
static void add_border(border *b, int k, int end, const double q[3], double height, int j)
{
  const double gap = height - b->shape->rounding;
  if (!(gap <= b->margin)) {
    return;
  }
  pk_touch_point touch = {.gap = gap};
  for (int i = 0; i < 3; i++) {
    touch.point[1][i] = q[i];
    touch.point[0][i] = q[i] + gap * b->t->normal[i];
    touch.normal[i] = b->t->normal[i];
  }
  const unsigned v = (unsigned)b->t->vertex[k], w = (unsigned)b->t->vertex[(k + 1) % 3];
  if (j < 0) {
    touch.id = pki_surface_name(1, end ? w : v, 0, 0);
  } else {
    const unsigned f = (unsigned)b->face.id[j], g = (unsigned)b->face.id[(j + 1) % b->face.count];
    touch.id = pki_surface_name(2, v < w ? v : w, v < w ? w : v, f < g ? f * 4096 + g : g * 4096 + f);
  }
  pki_gather_add(b->out, &touch);
}

/* Edge k below a polygon: the part within all of its sides. */
static void clip_edge_under_polygon(border *b, int k)
{
  const double *p = b->t->point[k], *n = b->t->normal;
  const pki_face *f = &b->face;
  double e[3], t[2] = {0, 1};
  int cut[2] = {-1, -1};
  pki_sub3(b->t->point[(k + 1) % 3], p, e);
  for (int j = 0; j < f->count; j++) {
    double side[3], out[3], d[3];
    pki_sub3(f->point[(j + 1) % f->count], f->point[j], side);
    pki_cross3(n, side, out); /* the face is seen from below: its corners run clockwise about n */
    pki_sub3(p, f->point[j], d);
    const double at = pki_dot3(out, d), slope = pki_dot3(out, e);
    if (slope == 0 ? at > 0 : false) {
      return;
    }
    const double s = slope != 0 ? -at / slope : 0;
    if (slope > 0 && s < t[1]) {
      t[1] = s, cut[1] = j;
    } else if (slope < 0 && s > t[0]) {
      t[0] = s, cut[0] = j;
    }
  }
  const double up = pki_dot3(f->normal, n);
  if (!(t[0] <= t[1]) || fabs(up) < 0.1) {
    return;
  }
  for (int end = 0; end < 2; end++) {
    double q[3], d[3];
    for (int i = 0; i < 3; i++) {
      q[i] = p[i] + t[end] * e[i];
    }
    pki_sub3(f->point[0], q, d);
    add_border(b, k, end, q, pki_dot3(f->normal, d) / up, cut[end]);
  }
}

/* Edge k below a line: where they cross, seen along the normal. */
static void cross_edge_under_line(border *b, int k)
{
  const double *n = b->t->normal;
  double e[3], f[3], d[3], a[3], c[3];
  pki_sub3(b->t->point[(k + 1) % 3], b->t->point[k], e);
  pki_sub3(b->face.point[1], b->face.point[0], f);
  pki_sub3(b->face.point[0], b->t->point[k], d);
  pki_cross3(n, f, a);
  pki_cross3(n, e, c);
  const double det = pki_dot3(a, e);
  if (fabs(det) <= 1e-6 * sqrt(pki_dot3(e, e) * pki_dot3(f, f))) {
    return; /* side by side */
  }
  const double s = pki_dot3(a, d) / det, u = pki_dot3(c, d) / det;
  if (!(s >= 0 && s <= 1 && u >= 0 && u <= 1)) {
    return;
  }
  double q[3], x[3];
  for (int i = 0; i < 3; i++) {
    q[i] = b->t->point[k][i] + s * e[i];
    x[i] = b->face.point[0][i] + u * f[i] - q[i];
  }
  add_border(b, k, 0, q, pki_dot3(n, x), 0);
}

void pki_triangle_border(const pki_triangle *t, const pki_convex *shape, double margin, pki_gather *out)
{
  border b = {.t = t, .shape = shape, .margin = margin, .out = out};
  const double down[3] = {-t->normal[0], -t->normal[1], -t->normal[2]};
  bool any = false;
  for (int k = 0; k < 3; k++) {
    any = any || t->edge[k] == PKI_EDGE_OPEN || t->edge[k] == PKI_EDGE_CONVEX;
  }
  if (!any) {
    return;
  }
  pki_convex_face(shape, down, TILT, &b.face);
  for (int k = 0; k < 3; k++) {
    if (t->edge[k] != PKI_EDGE_OPEN && t->edge[k] != PKI_EDGE_CONVEX) {
      continue;
    }
    if (b.face.count >= 3) {
      clip_edge_under_polygon(&b, k);
    } else if (b.face.count == 2) {
      cross_edge_under_line(&b, k);
    }
  }
}
