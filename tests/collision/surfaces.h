/* Shapes and checks for tests of surfaces. */
#ifndef PK_TESTS_COLLISION_SURFACES_H
#define PK_TESTS_COLLISION_SURFACES_H

#include "help.h"

#include "collision/narrow/narrow.h"
#include "collision/shapes/trimesh.h"
#include "meshes.h"
#include "support/bounds.h"
#include "support/pace.h"

static inline pk_geometry *make(const pk_geometry_desc *desc)
{
  pk_geometry *g = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  if (pk_geometry_create(desc, &g, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return g;
}

static inline pk_geometry *make_shape(pk_shape_kind kind, double x, double y, double z)
{
  return make(&(pk_geometry_desc){.kind = kind, .size = {x, y, z}});
}

static inline pk_geometry *make_mesh(mesh m, pk_shape_kind kind)
{
  const pk_mesh view = mesh_view(&m);
  pk_geometry *g = make(&(pk_geometry_desc){.kind = kind, .mesh = &view});
  mesh_free(&m);
  return g;
}

static inline pk_pose at(double x, double y, double z)
{
  pk_pose p = pk_pose_identity();
  p.pos[0] = x, p.pos[1] = y, p.pos[2] = z;
  return p;
}

/* One of each convex kind, about `s` large. */
enum { KINDS = 7 };
static inline void make_kinds(double s, pk_geometry *out[KINDS])
{
  out[0] = make_shape(PK_SHAPE_SPHERE, 0.3 * s, 0, 0);
  out[1] = make_shape(PK_SHAPE_CAPSULE, 0.15 * s, 0.5 * s, 0);
  out[2] = make_shape(PK_SHAPE_BOX, 0.6 * s, 0.4 * s, 0.2 * s);
  out[3] = make_shape(PK_SHAPE_CYLINDER, 0.2 * s, 0.4 * s, 0);
  out[4] = make_shape(PK_SHAPE_ELLIPSOID, 0.3 * s, 0.2 * s, 0.1 * s);
  out[5] = make_shape(PK_SHAPE_CONE, 0.2 * s, 0.5 * s, 0);
  mesh m = mesh_box(0.3 * s, 0.2 * s, 0.1 * s, 0.05 * s, 0, 0);
  m.vertex[0] += 0.1 * s, m.vertex[1] += 0.1 * s;
  out[6] = make_mesh(m, PK_SHAPE_CONVEX);
}

static inline void destroy_kinds(pk_geometry *g[KINDS])
{
  for (int i = 0; i < KINDS; i++) {
    pk_geometry_destroy(g[i]);
  }
}

/* What every answer keeps. */
static inline void check_proximity(const pk_proximity *p, double size)
{
  assert_true(isfinite(p->distance));
  assert_near(pki_dot3(p->normal, p->normal), 1, 1e-9);
  for (int k = 0; k < 3; k++) {
    assert_near(p->point[0][k], p->point[1][k] + p->distance * p->normal[k], 1e-9 * size);
  }
}

static inline void check_touches(const pk_touch_point *t, int n, double margin, double size)
{
  assert_at_most(n, PK_TOUCH_MOST);
  for (int i = 0; i < n; i++) {
    const pk_proximity p = {.distance = t[i].gap};
    pk_proximity q = p;
    memcpy(q.normal, t[i].normal, sizeof q.normal);
    memcpy(q.point, t[i].point, sizeof q.point);
    check_proximity(&q, size);
    assert_at_most(t[i].gap, margin);
    for (int j = 0; j < i; j++) {
      assert_true(t[i].id != t[j].id);
    }
  }
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
