/* Shapes, poses and checks that the tests of touch points share. */
#ifndef PK_TESTS_COLLISION_TOUCH_HELP_H
#define PK_TESTS_COLLISION_TOUCH_HELP_H

#include "collision/narrow/narrow.h"
#include "help.h"
#include "support/bounds.h"

static const double PI = 3.14159265358979323846;

/* ---- shapes and poses ---- */

static inline pk_geometry *make(pk_shape_kind kind, double x, double y, double z)
{
  pk_geometry *g = NULL;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = kind, .size = {x, y, z}}, &g, NULL), PK_OK);
  return g;
}

static inline pk_geometry *make_hull(double *points, int n)
{
  const pk_mesh mesh = {.vertex = points, .nvertex = n};
  pk_geometry *g = NULL;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &mesh}, &g, NULL),
                   PK_OK);
  return g;
}

/* A prism over a regular polygon. */
static inline pk_geometry *make_prism(int n, double radius, double half)
{
  double points[3 * 128];
  for (int i = 0; i < 2 * n; i++) {
    const double angle = 2 * PI * (i % n) / n;
    points[3 * i] = radius * cos(angle), points[3 * i + 1] = radius * sin(angle);
    points[3 * i + 2] = i < n ? -half : half;
  }
  return make_hull(points, 2 * n);
}

/* A dodecahedron that lies on a face: its 20 corners from the golden ratio, turned. */
static inline pk_geometry *make_dodecahedron(double *inradius)
{
  const double g = 0.5 * (1 + sqrt(5)), h = 1 / g;
  double points[60];
  int n = 0;
  for (int i = 0; i < 8; i++, n++) {
    points[3 * n] = i & 1 ? 1 : -1, points[3 * n + 1] = i & 2 ? 1 : -1, points[3 * n + 2] = i & 4 ? 1 : -1;
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 4; i++, n++) {
      points[3 * n + k] = 0;
      points[3 * n + (k + 1) % 3] = i & 1 ? h : -h;
      points[3 * n + (k + 2) % 3] = i & 2 ? g : -g;
    }
  }
  /* a face's normal is (0, g, 1) / |.| or (0, 1, g) / |.|: turn about x to bring the one that is a face down */
  double best = 0, angle = 0;
  for (int way = 0; way < 2; way++) {
    const double y = way ? 1 : g, z = way ? g : 1, length = hypot(y, z);
    double most = 0;
    for (int i = 0; i < 20; i++) {
      most = fmax(most, (y * points[3 * i + 1] + z * points[3 * i + 2]) / length);
    }
    if (best == 0 || most < best) {
      best = most, angle = PI - atan2(y, z);
    }
  }
  for (int i = 0; i < 20; i++) {
    const double y = points[3 * i + 1], z = points[3 * i + 2];
    points[3 * i + 1] = y * cos(angle) + z * sin(angle);
    points[3 * i + 2] = z * cos(angle) - y * sin(angle);
  }
  double least = 0;
  for (int i = 0; i < 20; i++) {
    least = fmin(least, points[3 * i + 2]);
  }
  *inradius = -least;
  return make_hull(points, 20);
}

/* One of each convex kind. */
enum { NKIND = 7 };
static inline void make_kinds(pk_geometry *all[NKIND])
{
  double inradius;
  all[0] = make(PK_SHAPE_SPHERE, 0.4, 0, 0);
  all[1] = make(PK_SHAPE_BOX, 0.8, 0.5, 0.3);
  all[2] = make(PK_SHAPE_CAPSULE, 0.2, 0.8, 0);
  all[3] = make(PK_SHAPE_CYLINDER, 0.3, 0.6, 0);
  all[4] = make(PK_SHAPE_ELLIPSOID, 0.3, 0.4, 0.5);
  all[5] = make(PK_SHAPE_CONE, 0.4, 0.7, 0);
  all[6] = make_dodecahedron(&inradius);
}

static inline pk_pose at(double x, double y, double z)
{
  pk_pose p = pk_pose_identity();
  p.pos[0] = x, p.pos[1] = y, p.pos[2] = z;
  return p;
}

static inline pk_pose turned(pk_pose p, double ax, double ay, double az, double angle)
{
  const double length = sqrt(ax * ax + ay * ay + az * az), s = sin(0.5 * angle) / length;
  double R[9];
  pki_quat_to_mat3((const double[4]){cos(0.5 * angle), s * ax, s * ay, s * az}, R);
  pki_mat3_mul(R, p.rot, p.rot);
  return p;
}

static inline void local(const pk_pose *p, const double x[3], double out[3])
{
  for (int k = 0; k < 3; k++) {
    out[k] = x[k] - p->pos[k];
  }
  pki_mat3_apply_transposed(p->rot, out, out);
}

/* ---- what holds for all ---- */

/* Points, gap and normal belong together, names differ, all are within the margin. */
static inline void check(const pk_touch_point *t, int n, double margin)
{
  assert_at_least(n, 0);
  assert_at_most(n, PK_TOUCH_MOST);
  for (int i = 0; i < n; i++) {
    assert_near(pki_dot3(t[i].normal, t[i].normal), 1, 1e-9);
    assert_at_most(t[i].gap, margin);
    for (int k = 0; k < 3; k++) {
      assert_near(t[i].point[0][k], t[i].point[1][k] + t[i].gap * t[i].normal[k], 1e-9);
    }
    for (int j = 0; j < i; j++) {
      assert_less(t[j].id, t[i].id);
    }
  }
}

static inline bool same_names(const pk_touch_point *a, int na, const pk_touch_point *b, int nb)
{
  bool same = na == nb;
  for (int i = 0; i < na && same; i++) {
    same = a[i].id == b[i].id;
  }
  return same;
}

static inline double least_gap(const pk_touch_point *t, int n)
{
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    least = fmin(least, t[i].gap);
  }
  return least;
}

#endif
