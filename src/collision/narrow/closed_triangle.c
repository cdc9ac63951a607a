/* A box and a triangle by separating axes: the depth of two polytopes that overlap is least along the normal of a face of
 * their difference, and those are the normals of the box (3), of the triangle (1) and of all pairs of their edges (9);
 * Gottschalk, Lin and Manocha, "OBBTree: a hierarchical structure for rapid interference detection", 1996.
 *
 * All in the box's frame. Where two axes are as good as each other, where more than one vertex supports, or where the two
 * hardly touch, GJK and EPA decide. */
#include <math.h>
#include <string.h>

#include "collision/narrow/surface.h"
#include "math/mat3.h"

static const double HAIR = 1e-9; /* of the size: nearer is a tie */

typedef enum axis_kind { OF_BOX, OF_TRIANGLE, OF_EDGES } axis_kind;

typedef struct axes {
  const double *half;
  double point[3][3];
  double hair;
  /* the two least depths; below zero: the shapes are apart */
  double depth, second;
  axis_kind kind;
  int axis, edge;
  double normal[3]; /* from the triangle to the box */
} axes;

/* One direction: the box goes out of the triangle along n, or against it. */
static void try_axis(axes *s, const double n[3], axis_kind kind, int axis, int edge)
{
  const double *const h = s->half;
  const double r = h[0] * fabs(n[0]) + h[1] * fabs(n[1]) + h[2] * fabs(n[2]);
  const double x = pki_dot3(n, s->point[0]), y = pki_dot3(n, s->point[1]), z = pki_dot3(n, s->point[2]);
  const double onward = r + fmax(x, fmax(y, z)), back = r - fmin(x, fmin(y, z));
  const double sign = onward <= back ? 1 : -1, least = fmin(onward, back), other = fmax(onward, back);
  if (least < s->depth) {
    s->second = fmin(s->depth, other);
    s->depth = least, s->kind = kind, s->axis = axis, s->edge = edge;
    s->normal[0] = sign * n[0], s->normal[1] = sign * n[1], s->normal[2] = sign * n[2];
  } else {
    s->second = fmin(s->second, least);
  }
}

static void try_all(axes *s, const double normal[3])
{
  for (int k = 0; k < 3; k++) {
    try_axis(s, (const double[3]){k == 0, k == 1, k == 2}, OF_BOX, k, 0);
  }
  try_axis(s, normal, OF_TRIANGLE, 0, 0);
  for (int j = 0; j < 3 && s->depth >= 0; j++) {
    double e[3];
    pki_sub3(s->point[(j + 1) % 3], s->point[j], e);
    const double square = pki_dot3(e, e);
    for (int k = 0; k < 3; k++) {
      const int u = (k + 1) % 3, v = (k + 2) % 3;
      const double across = e[u] * e[u] + e[v] * e[v];
      if (across > 1e-12 * square) {
        double n[3] = {0};
        n[u] = -e[v] / sqrt(across), n[v] = e[u] / sqrt(across);
        try_axis(s, n, OF_EDGES, k, j);
      }
    }
  }
}

/* The vertex of the triangle that is farthest along the normal, alone. */
static bool vertex_against_box(const axes *s, double a[3])
{
  const double *const n = s->normal;
  int top = 0;
  double second = -INFINITY;
  for (int k = 1; k < 3; k++) {
    top = pki_dot3(n, s->point[k]) > pki_dot3(n, s->point[top]) ? k : top;
  }
  for (int k = 0; k < 3; k++) {
    second = k != top ? fmax(second, pki_dot3(n, s->point[k])) : second;
    a[k] = s->point[top][k] - s->depth * n[k];
  }
  return pki_dot3(n, s->point[top]) > second + s->hair;
}

/* The corner of the box that is farthest against the normal, alone. */
static bool corner_against_triangle(const axes *s, double a[3])
{
  for (int k = 0; k < 3; k++) {
    a[k] = s->normal[k] > 0 ? -s->half[k] : s->half[k];
    if (fabs(s->normal[k]) * s->half[k] < s->hair) {
      return false;
    }
  }
  return true;
}

/* The place on the box's edge over the triangle's: a + z e_k = p + t e - depth n. */
static bool edge_against_edge(const axes *s, double a[3])
{
  const int k = s->axis, u = (k + 1) % 3, v = (k + 2) % 3;
  const double *const p = s->point[s->edge], *const q = s->point[(s->edge + 1) % 3];
  double t = 0, square = 0;
  for (int i = 0; i < 3; i++) {
    a[i] = s->normal[i] > 0 ? -s->half[i] : s->half[i];
  }
  if (fmin(fabs(s->normal[u]) * s->half[u], fabs(s->normal[v]) * s->half[v]) < s->hair) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    const int c = i ? v : u;
    const double e = q[c] - p[c];
    t += e * (a[c] + s->depth * s->normal[c] - p[c]);
    square += e * e;
  }
  t /= square;
  a[k] = p[k] + t * (q[k] - p[k]);
  return t > 0 && t < 1 && fabs(a[k]) < s->half[k];
}

pki_axes_end pki_box_triangle(const pk_geometry *box, const pk_pose *pose, const pki_triangle *t,
                              double margin, pk_proximity *out)
{
  axes s = {.half = box->half, .hair = HAIR * box->bound, .depth = INFINITY, .second = INFINITY};
  double normal[3], a[3];
  for (int k = 0; k < 3; k++) {
    pki_sub3(t->point[k], pose->pos, s.point[k]);
    pki_mat3_apply_transposed(pose->rot, s.point[k], s.point[k]);
  }
  pki_mat3_apply_transposed(pose->rot, t->normal, normal);
  try_all(&s, normal);
  if (-s.depth > margin + s.hair) {
    return PKI_AXES_APART;
  }
  if (!(s.depth > s.hair) || !(s.second > s.depth + s.hair)) {
    return PKI_AXES_UNSURE;
  }
  if (!(s.kind == OF_BOX        ? vertex_against_box(&s, a)
        : s.kind == OF_TRIANGLE ? corner_against_triangle(&s, a)
                                : edge_against_edge(&s, a))) {
    return PKI_AXES_UNSURE;
  }
  out->distance = -s.depth;
  pki_mat3_apply(pose->rot, s.normal, out->normal);
  pki_mat3_apply(pose->rot, a, out->point[0]);
  for (int k = 0; k < 3; k++) {
    out->point[0][k] += pose->pos[k];
    out->point[1][k] = out->point[0][k] + s.depth * out->normal[k];
  }
  return PKI_AXES_MEET;
}
