/* Two boxes: the theorem of separating axes (Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996). Faces of A - B have the
 * normals of faces of A, of faces of B, or of one edge of each: 15 in all. When none of them separates, the one with the
 * least overlap is the shortest way out. */
#include <math.h>
#include <string.h>

#include "collision/narrow/minkowski.h"

/* Columns are the axes. */
typedef struct box {
  double centre[3], axis[3][3], half[3];
} box;

typedef struct best {
  double separation; /* m, negative: overlap; the largest of all axes */
  double normal[3];  /* from b to a */
  int a, b;          /* axes that made it, -1: none of that box */
} best;

static void set_box(const pk_geometry *g, const pk_pose *pose, const double origin[3], box *out)
{
  pki_sub3(pose->pos, origin, out->centre);
  for (int k = 0; k < 3; k++) {
    out->half[k] = g->half[k];
    for (int i = 0; i < 3; i++) {
      out->axis[k][i] = pose->rot[3 * i + k];
    }
  }
}

static double box_extent(const box *x, const double n[3])
{
  return x->half[0] * fabs(pki_dot3(x->axis[0], n)) + x->half[1] * fabs(pki_dot3(x->axis[1], n)) +
         x->half[2] * fabs(pki_dot3(x->axis[2], n));
}

/* Try a unit axis; it has to win by `margin`. */
static void try_axis(const box *a, const box *b, const double n[3], int axis_a, int axis_b, double margin,
                     best *io)
{
  double r[3];
  pki_sub3(a->centre, b->centre, r);
  const double along = pki_dot3(r, n), separation = fabs(along) - box_extent(a, n) - box_extent(b, n);
  if (separation > io->separation + margin) {
    *io = (best){.separation = separation, .a = axis_a, .b = axis_b};
    for (int k = 0; k < 3; k++) {
      io->normal[k] = along < 0 ? -n[k] : n[k];
    }
  }
}

static void search_axes(const box *a, const box *b, double scale, best *out)
{
  *out = (best){.separation = -INFINITY};
  for (int k = 0; k < 3; k++) {
    try_axis(a, b, a->axis[k], k, -1, 0, out);
  }
  for (int k = 0; k < 3; k++) {
    try_axis(a, b, b->axis[k], -1, k, 1e-14 * scale, out);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double n[3];
      pki_cross3(a->axis[i], b->axis[j], n);
      const double length = pki_length3(n);
      if (length > 1e-9) { /* else a face says the same */
        for (int k = 0; k < 3; k++) {
          n[k] /= length;
        }
        try_axis(a, b, n, i, j, 1e-12 * scale, out);
      }
    }
  }
}

/* ---- where ---- */

/* Keep what lies at side * x[axis] <= most of a convex polygon in a plane (Sutherland and Hodgman). */
static int clip_polygon_side(double (*p)[2], int n, int axis, double side, double most)
{
  double out[8][2];
  int count = 0;
  for (int i = 0; i < n; i++) {
    const double *const q = p[i], *const r = p[(i + 1) % n];
    const double dq = side * q[axis] - most, dr = side * r[axis] - most;
    if (dq <= 0) {
      memcpy(out[count++], q, sizeof out[0]);
    }
    if ((dq < 0 && dr > 0) || (dq > 0 && dr < 0)) {
      const double t = dq / (dq - dr);
      out[count][0] = q[0] + t * (r[0] - q[0]);
      out[count++][1] = q[1] + t * (r[1] - q[1]);
    }
  }
  memcpy(p, out, (size_t)count * sizeof out[0]);
  return count;
}

/* The part of a box that is farthest along n: corners of a face, an edge or a corner, in the order of their loop. */
static int farthest_feature(const box *x, const double n[3], double out[4][3])
{
  int count = 1;
  memcpy(out[0], x->centre, sizeof out[0]);
  for (int k = 0; k < 3; k++) {
    const double lean = pki_dot3(x->axis[k], n);
    if (fabs(lean) > 1e-10) {
      for (int i = 0; i < count; i++) {
        pki_along3(out[i], lean < 0 ? -x->half[k] : x->half[k], x->axis[k], out[i]);
      }
    } else if (count < 4) {
      for (int i = 0; i < count; i++) {
        pki_along3(out[i], -x->half[k], x->axis[k], out[2 * count - 1 - i]);
        pki_along3(out[i], x->half[k], x->axis[k], out[i]);
      }
      count *= 2;
    }
  }
  return count;
}

/* A face of `x` across `axis`, looking along n (away from x), against the part of `y` that is deepest behind it: the middle
 * of what lies over the face, on y. */
static void face_point(const box *x, int axis, const double n[3], const box *y, double out[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  double part[4][3], flat[8][2], middle[2] = {0};
  int count = farthest_feature(y, back, part);
  memcpy(out, part[0], sizeof part[0]);
  if (count == 1) {
    return;
  }
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int i = 0; i < count; i++) {
    double r[3];
    pki_sub3(part[i], x->centre, r);
    flat[i][0] = pki_dot3(r, x->axis[u]);
    flat[i][1] = pki_dot3(r, x->axis[v]);
  }
  const double first[2] = {flat[0][0], flat[0][1]};
  for (int side = -1; side <= 1 && count > 0; side += 2) {
    count = clip_polygon_side(flat, count, 0, side, x->half[u]);
    count = clip_polygon_side(flat, count, 1, side, x->half[v]);
  }
  for (int i = 0; i < count; i++) {
    middle[0] += flat[i][0] / count;
    middle[1] += flat[i][1] / count;
  }
  if (count > 0) {
    pki_along3(out, middle[0] - first[0], x->axis[u], out);
    pki_along3(out, middle[1] - first[1], x->axis[v], out);
  }
}

/* The middle of the edge of x along `axis` that is farthest along n. */
static void edge_middle(const box *x, int axis, const double n[3], double out[3])
{
  memcpy(out, x->centre, sizeof x->centre);
  for (int k = 0; k < 3; k++) {
    if (k != axis) {
      pki_along3(out, pki_dot3(x->axis[k], n) < 0 ? -x->half[k] : x->half[k], x->axis[k], out);
    }
  }
}

/* The point of a's edge that is nearest to b's edge; n from a to b. */
static void edge_point(const box *a, int i, const box *b, int j, const double n[3], double out[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]}, *const u = a->axis[i], *const v = b->axis[j];
  double p[3], q[3], r[3];
  edge_middle(a, i, n, p);
  edge_middle(b, j, back, q);
  pki_sub3(p, q, r);
  double across[3];
  pki_cross3(u, v, across);
  const double s = (pki_dot3(u, v) * pki_dot3(v, r) - pki_dot3(u, r)) / pki_dot3(across, across);
  pki_along3(p, fmin(fmax(s, -a->half[i]), a->half[i]), u, out);
}

bool pki_boxes_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                        const pk_pose *pose_b, double reach, bool *near, pk_proximity *out)
{
  box x, y;
  best way;
  set_box(a, pose_a, pose_a->pos, &x);
  set_box(b, pose_b, pose_a->pos, &y);
  search_axes(&x, &y, a->bound + b->bound, &way);
  if (way.separation > reach) {
    *near = false;
    return true;
  }
  if (way.separation > 0) {
    return false;
  }
  const double away[3] = {-way.normal[0], -way.normal[1], -way.normal[2]}; /* from a to b */
  double p[3];
  if (way.b < 0) {
    face_point(&x, way.a, away, &y, p); /* on b */
    pki_along3(p, way.separation, way.normal, p);
  } else if (way.a < 0) {
    face_point(&y, way.b, way.normal, &x, p);
  } else {
    edge_point(&x, way.a, &y, way.b, away, p);
  }
  out->distance = way.separation;
  memcpy(out->normal, way.normal, sizeof out->normal);
  pki_along3(p, 1, pose_a->pos, out->point[0]);
  pki_along3(out->point[0], -way.separation, way.normal, out->point[1]);
  *near = true;
  return true;
}
