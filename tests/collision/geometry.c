/* Making geometries: what is refused, bounds, masses. */
#include "collision/shapes.h"

#include "collision/meshes.h"
#include "collision/narrow/narrow.h"
#include "collision/shapes/trimesh.h"
#include "support/bounds.h"

static void expect_refused(const pk_geometry_desc *desc, pk_status status, const char *field,
                           const char *message)
{
  pk_geometry *g = (pk_geometry *)1;
  pk_error err;
  assert_int_equal(pk_geometry_create(desc, &g, &err), status);
  assert_null(g);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
}

static void sizes_that_no_shape_has_are_refused(void **state)
{
  (void)state;
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_SPHERE, .size = {0}}, PK_ERROR_ARGUMENT, "size",
                 "size[0] of the sphere is 0 m, expected 1e-09 to 1e+09");
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_BOX, .size = {1, -2, 1}}, PK_ERROR_ARGUMENT, "size",
                 "size[1] of the box is -2 m, expected 1e-09 to 1e+09");
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_ELLIPSOID, .size = {1, 1, 1e10}}, PK_ERROR_ARGUMENT,
                 "size", "size[2] of the ellipsoid is 1e+10 m, expected 1e-09 to 1e+09");
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_CAPSULE, .size = {1, -1}}, PK_ERROR_ARGUMENT, "size",
                 "size[1] of the capsule is -1 m, expected 1e-09 to 1e+09, or 0");
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_KIND_COUNT}, PK_ERROR_ARGUMENT, "kind",
                 "kind is 10, expected a pk_shape_kind: 0 to 9");
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX}, PK_ERROR_ARGUMENT, "mesh",
                 "a convex needs a mesh with vertices");
  pk_geometry *g;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_CONE, .size = {1, NAN}}, &g, NULL),
                   PK_ERROR_ARGUMENT);
  assert_int_equal(pk_geometry_create(NULL, &g, NULL), PK_ERROR_ARGUMENT);
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, bad[12] = {0, NAN};
  pk_mesh view = {.name = "sheet", .nvertex = 4, .vertex = flat};
  expect_refused(
      &(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &view}, PK_ERROR_MESH, "mesh",
      "the 4 points of a convex hull lie in a plane (to 1e-09 of their extent); a hull needs a volume");
  view.vertex = bad;
  expect_refused(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &view}, PK_ERROR_MESH, "mesh",
                 "coordinate 1 of vertex 0 is nan m, expected at most 1e+09 in size");
  pk_geometry_destroy(NULL);
}

static void shapes_of_all_sizes_are_made(void **state)
{
  (void)state;
  for (int e = -9; e <= 9; e++) {
    const double s = e == -9 ? 1e-9 : e == 9 ? 1e9 : pow(10, e);
    for (int i = 0; i < CONVEX_KIND_COUNT - 1; i++) {
      pk_geometry *g = shape(CONVEX_KINDS[i], s, s, s);
      assert_greater(g->inner, 0);
      assert_at_most(g->inner, g->bound);
      assert_at_most(g->bound, 2 * s);
      pk_geometry_destroy(g);
    }
  }
  pk_geometry *g = shape(PK_SHAPE_CAPSULE, 1, 0, 0);
  assert_near(g->bound, 1, 0);
  pk_geometry_destroy(g);
  g = shape(PK_SHAPE_CONE, 3, 1, 0); /* flat: the ball of its base */
  assert_near(g->bound, 3, 0);
  assert_near3(g->centre, V3(0, 0, -0.5), 0);
  pk_geometry_destroy(g);
  g = shape(PK_SHAPE_CONE, 3, 9, 0); /* through tip and rim: (h - R)^2 + r^2 = R^2 */
  assert_near(g->bound, 5, 1e-15);
  assert_near3(g->centre, V3(0, 0, -0.5), 1e-15);
  pk_geometry_destroy(g);
}

/* Supports along the axes are a box around it, from inside; everything is in the ball, and the inner ball in everything. */
static void bounds_are_tight(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  for (int round = 0; round < 700; round++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[round % CONVEX_KIND_COUNT]);
    const pk_pose pose = random_pose(&rng, 3), own = pk_pose_identity();
    const pki_convex c = pki_convex_of(g, &pose), local = pki_convex_of(g, &own);
    pki_aabb bounds, box;
    pki_geometry_bounds(g, &pose, &bounds);
    pki_geometry_bounds(g, &own, &box);
    double width = INFINITY;
    for (int k = 0; k < 3; k++) {
      double d[3] = {0, 0, 0}, p[3];
      d[k] = 1;
      pki_convex_support(&c, d, -1, p);
      assert_near(bounds.max[k], p[k] + c.rounding, 1e-14);
      d[k] = -1;
      pki_convex_support(&c, d, -1, p);
      assert_near(bounds.min[k], p[k] - c.rounding, 1e-14);
      assert_near(box.min[k], g->box.min[k], 1e-14);
      assert_near(box.max[k], g->box.max[k], 1e-14);
    }
    for (int i = 0; i < 100; i++) {
      double d[3], p[3], q[3], far[3];
      random_direction(&rng, d);
      pki_convex_support(&local, d, -1, p);
      const double back[3] = {-d[0], -d[1], -d[2]};
      pki_convex_support(&local, back, -1, q);
      width = fmin(width, pki_dot3(p, d) - pki_dot3(q, d) + 2 * local.rounding);
      for (int k = 0; k < 3; k++) {
        far[k] = p[k] + local.rounding * d[k] - g->centre[k];
      }
      assert_at_most(sqrt(pki_dot3(far, far)), g->bound * (1 + 1e-12));
    }
    assert_at_least(width, 2 * g->inner * (1 - 1e-12));
    pk_geometry_destroy(g);
  }
}

static void a_plane_is_bounded_where_it_lies_level(void **state)
{
  (void)state;
  pk_geometry *g = shape(PK_SHAPE_PLANE, 0, 0, 0);
  pk_pose pose = pk_pose_identity();
  pose.pos[2] = 2;
  pki_aabb b;
  pki_geometry_bounds(g, &pose, &b);
  assert_true(isinf(b.min[0]) && isinf(b.max[0]) && isinf(b.min[2]));
  assert_less(b.min[2], 0);
  assert_near(b.max[2], 2, 0);
  pose = pk_pose_from_xyz_rpy(V3(0, 0, 0), V3(0.1, 0, 0));
  pki_geometry_bounds(g, &pose, &b);
  assert_true(isinf(b.max[2]) && isinf(b.max[1]) && !isnan(b.min[0]));
  pk_geometry_destroy(g);
}

/* ---- mass ---- */

static pk_inertia inertia_of(const pk_geometry *g, double mass)
{
  pk_inertia out;
  assert_int_equal(pki_geometry_inertia(g, mass, &out, NULL), PK_OK);
  assert_near(out.mass, mass, 0);
  return out;
}

/* The average of what counts over points spread evenly over the box, those outside (by distance) left out. */
static void masses_agree_with_sums_over_points(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  for (int i = 0; i < CONVEX_KIND_COUNT; i++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[i]);
    enum { N = 60 };
    double count = 0, first[3] = {0}, second[6] = {0};
    for (int c = 0; c < N * N * N; c++) {
      const int at[3] = {c % N, c / N % N, c / N / N};
      double p[3], d, n[3];
      for (int k = 0; k < 3; k++) {
        p[k] = g->box.min[k] + (at[k] + 0.5) / N * (g->box.max[k] - g->box.min[k]);
      }
      if (!pki_geometry_point(g, p, 0, &d, n)) {
        continue;
      }
      count++;
      for (int k = 0, m = 0; k < 3; k++) {
        first[k] += p[k];
        for (int j = k; j < 3; j++, m++) {
          second[m] += p[k] * p[j];
        }
      }
    }
    const pk_inertia I = inertia_of(g, 3);
    const double c[3] = {first[0] / count, first[1] / count, first[2] / count};
    assert_near3(I.com, c, 3e-3 * g->bound);
    double C[6];
    for (int k = 0, m = 0; k < 3; k++) {
      for (int j = k; j < 3; j++, m++) {
        C[m] = 3 * (second[m] / count - c[k] * c[j]);
      }
    }
    const double expected[6] = {C[3] + C[5], -C[1], -C[2], C[0] + C[5], -C[4], C[0] + C[3]};
    for (int m = 0; m < 6; m++) {
      assert_near(I.moment[m], expected[m], 0.02 * g->bound * g->bound);
    }
    pk_geometry_destroy(g);
  }
}

static void hulls_and_meshes_weigh_what_boxes_do(void **state)
{
  (void)state;
  const double half[3] = {0.1, 0.2, 0.3}, at[3] = {3, -2, 7};
  pki_hull *h = pki_hull_box(half);
  double points[24];
  int triangle[36], n = 0;
  for (int i = 0; i < 24; i++) {
    points[i] = h->vertex[i] + at[i % 3];
  }
  for (int f = 0; f < 6; f++) {
    const int *l = h->loop + h->face_start[f];
    const int two[6] = {l[0], l[1], l[2], l[0], l[2], l[3]};
    memcpy(triangle + 6 * f, two, sizeof two);
    n += 2;
  }
  const pk_mesh view = {.name = "box", .nvertex = 8, .ntriangle = n, .vertex = points, .triangle = triangle};
  pk_geometry *box = shape(PK_SHAPE_BOX, 0.2, 0.4, 0.6);
  pk_geometry *two[2] = {made(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &view}),
                         made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &view})};
  const pk_inertia expected = inertia_of(box, 5);
  for (int i = 0; i < 2; i++) {
    const pk_inertia I = inertia_of(two[i], 5);
    assert_near3(I.com, at, 1e-13);
    for (int m = 0; m < 6; m++) {
      assert_near(I.moment[m], expected.moment[m], 1e-13);
    }
    assert_non_null(two[i]->hull);
    assert_near3(two[i]->box.min, V3(2.9, -2.2, 6.7), 1e-14);
    assert_less(two[i]->bound, 1.05 * box->bound);
    assert_at_least(two[i]->bound, box->bound);
    pk_geometry_destroy(two[i]);
  }
  assert_near(expected.moment[0], 5.0 / 12 * (0.16 + 0.36), 1e-15);
  pk_geometry_destroy(box);
  pki_hull_destroy(h);
}

/* A fine sphere, a fine cone: polyhedra near their closed forms. */
static void hulls_of_round_shapes_weigh_nearly_as_much(void **state)
{
  (void)state;
  static double points[3 * 4001];
  pki_random rng = pki_random_seeded(3);
  for (int i = 0; i < 4000; i++) {
    random_direction(&rng, points + 3 * i);
  }
  pk_geometry *hull = convex_of(points, 4000), *ball = shape(PK_SHAPE_SPHERE, 1, 0, 0);
  pk_inertia I = inertia_of(hull, 1), J = inertia_of(ball, 1);
  for (int m = 0; m < 6; m++) {
    assert_near(I.moment[m], J.moment[m], 2e-3);
  }
  pk_geometry_destroy(hull), pk_geometry_destroy(ball);
  const int n = 1000;
  for (int i = 0; i < n; i++) {
    const double a = 6.283185307179586 * i / n;
    points[3 * i] = 0.5 * cos(a), points[3 * i + 1] = 0.5 * sin(a), points[3 * i + 2] = -0.35;
  }
  memcpy(points + 3 * n, V3(0, 0, 0.35), 3 * sizeof *points);
  pk_geometry *cone = shape(PK_SHAPE_CONE, 0.5, 0.7, 0);
  hull = convex_of(points, n + 1);
  I = inertia_of(hull, 2), J = inertia_of(cone, 2);
  assert_near3(I.com, J.com, 1e-13);
  for (int m = 0; m < 6; m++) {
    assert_near(I.moment[m], J.moment[m], 1e-5);
  }
  pk_geometry_destroy(hull), pk_geometry_destroy(cone);
}

static void what_has_no_volume_has_no_mass(void **state)
{
  (void)state;
  pk_geometry *plane = shape(PK_SHAPE_PLANE, 0, 0, 0);
  pk_inertia out;
  pk_error err;
  assert_int_equal(pki_geometry_inertia(plane, 1, &out, &err), PK_ERROR_UNSUPPORTED);
  pk_geometry_destroy(plane);
  const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const pk_mesh view = {
      .name = "sheet", .nvertex = 3, .ntriangle = 1, .vertex = points, .triangle = (const int[3]){0, 1, 2}};
  pk_geometry *sheet = made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &view});
  assert_null(sheet->hull);
  assert_int_equal(pki_geometry_inertia(sheet, 1, &out, &err), PK_ERROR_MESH);
  assert_string_equal(err.message,
                      "the mesh encloses no volume (it has open edges), so a mass has no place in it");
  pki_aabb b;
  pki_geometry_bounds(sheet, &(pk_pose){.pos = {0, 0, 1}, .rot = {0, 0, 1, 1, 0, 0, 0, 1, 0}}, &b);
  assert_near3(b.max, V3(0, 1, 2), 0);
  assert_near3(b.min, V3(0, 0, 1), 0);
  pk_geometry_destroy(sheet);
}

static void heights_are_bounded_but_downwards(void **state)
{
  (void)state;
  const double z[6] = {0, 1, 2, 0, 5, 0};
  pk_geometry *g =
      made(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 3, .ny = 2, .cell = 0.5, .heights = z});
  pki_aabb b;
  const pk_pose pose = {.pos = {1, 2, 3}, .rot = {0, -1, 0, 1, 0, 0, 0, 0, 1}};
  pki_geometry_bounds(g, &pose, &b);
  assert_near3(b.max, V3(1, 3, 8), 1e-14);
  assert_near(b.min[0], 0.5, 1e-14);
  assert_true(isinf(b.min[2]) && isinf(g->bound) && isinf(g->inner));
  pk_geometry_destroy(g);
}

static void a_big_mesh_does_without_its_hull(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  mesh torus = mesh_torus(1, 0.4, 200, 100);
  const pk_mesh view = mesh_view(&torus);
  pk_geometry *g = made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &view});
  pk_geometry *plane = made(&(pk_geometry_desc){.kind = PK_SHAPE_PLANE});
  assert_null(g->hull);
  for (int round = 0; round < 20; round++) {
    const pk_pose pose = random_pose(&rng, 1), level = pk_pose_identity();
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < torus.nvertex; i++) {
      double x[3];
      pki_mat3_apply(pose.rot, torus.vertex + 3 * i, x);
      for (int k = 0; k < 3; k++) {
        min[k] = fmin(min[k], x[k] + pose.pos[k]), max[k] = fmax(max[k], x[k] + pose.pos[k]);
      }
    }
    pki_aabb box;
    pki_geometry_bounds(g, &pose, &box);
    for (int k = 0; k < 3; k++) { /* 1.4 (1, 1, 0.29) turned */
      assert_at_most(box.min[k], min[k] + 1e-14);
      assert_at_least(box.max[k], max[k] - 1e-14);
      assert_at_most(box.max[k] - box.min[k], 2 * sqrt(2 * 1.4 * 1.4 + 0.4 * 0.4) + 1e-12);
    }
    pk_touch_point touch[PK_TOUCH_MOST];
    pk_proximity near;
    const int n = pki_touch(g, &pose, plane, &level, min[2] + 0.01, NULL, touch);
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
      least = fmin(least, touch[i].gap);
    }
    assert_near(least, min[2], 1e-13);
    assert_true(pki_distance(g, &pose, plane, &level, INFINITY, NULL, &near));
    assert_near(near.distance, min[2], 1e-13);
  }
  mesh_free(&torus);
  pk_geometry_destroy(g);
  pk_geometry_destroy(plane);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_no_shape_has_are_refused),
      cmocka_unit_test(shapes_of_all_sizes_are_made),
      cmocka_unit_test(bounds_are_tight),
      cmocka_unit_test(a_plane_is_bounded_where_it_lies_level),
      cmocka_unit_test(masses_agree_with_sums_over_points),
      cmocka_unit_test(hulls_and_meshes_weigh_what_boxes_do),
      cmocka_unit_test(hulls_of_round_shapes_weigh_nearly_as_much),
      cmocka_unit_test(what_has_no_volume_has_no_mass),
      cmocka_unit_test(heights_are_bounded_but_downwards),
      cmocka_unit_test(a_big_mesh_does_without_its_hull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
