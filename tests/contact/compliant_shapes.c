/* Which shapes compliant surfaces can have: meshes against primitives, faces of primitives, what is refused and how. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/compliant/patch_faces.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/soft_pair.h"
#include "support/soft_shapes.h"

static const double PI = 3.14159265358979323846;
static const double still[6] = {0, 0, 0, 0, 0, 0};
static const double HALF[3] = {0.1, 0.05, 0.02};

static pk_geometry *take_mesh(soft_mesh mesh)
{
  pk_geometry *out = soft_geometry(&mesh);
  soft_mesh_free(&mesh);
  assert_non_null(out);
  return out;
}

/* The wrench at the origin of a at `pose` on b at the origin, and how many elements it took. */
static int wrench_on(const pk_geometry *a, const pk_pose *pose, const pk_geometry *b, const double b_at[3],
                     double out[6])
{
  static const double origin[3] = {0, 0, 0};
  soft_pair p;
  soft_pair_open(&p, a, b, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  p.side[0].pose = *pose;
  memcpy(p.side[1].pose.pos, b_at, sizeof p.side[1].pose.pos);
  const int n = soft_pair_find(&p);
  const pki_press press = soft_pair_press(&p, still, 0);
  soft_wrench_at(&p, press.wrench, origin, out);
  soft_pair_close(&p);
  return n;
}

/* ---- meshes on primitives ---- */

/* A flat place is a flat place, whatever shape has it: all are put so that theirs is z = 0. */
static void every_flat_shape_presses_as_a_plane_does(void **state)
{
  (void)state;
  pk_geometry *foot = take_mesh(soft_foot()), *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  const pk_mesh points = {.name = "cube", .nvertex = 8, .vertex = corner[0]};
  static const double flat[9] = {0};
  pk_geometry *convex, *heights;
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &points}, &convex, NULL),
      PK_OK);
  assert_int_equal(
      pk_geometry_create(
          &(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 3, .ny = 3, .cell = 1, .heights = flat},
          &heights, NULL),
      PK_OK);
  pk_geometry *const other[4] = {soft_shape(PK_SHAPE_BOX, 2, 2, 2), soft_shape(PK_SHAPE_CYLINDER, 1, 2, 0),
                                 convex, heights};
  static const double at[4][3] = {{0, 0, -1}, {0, 0, -1}, {0, 0, -1}, {-1, -1, 0}}, here[3] = {0, 0, 0};
  const double xyz[3] = {0.02, 0.01, -1e-3}, rpy[3] = {0.004, -0.003, 0.5};
  const pk_pose pose = pk_pose_from_xyz_rpy(xyz, rpy);
  double expected[6], found[6];
  const int n = wrench_on(foot, &pose, plane, here, expected);
  assert_true(n > 100);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(wrench_on(foot, &pose, other[i], at[i], found), n);
    for (int k = 0; k < 6; k++) {
      assert_near(found[k], expected[k], 1e-9 * expected[5]);
    }
    pk_geometry_destroy(other[i]);
  }
  pk_geometry_destroy(foot);
  pk_geometry_destroy(plane);
}

static void round_shapes_of_the_same_surface_press_alike(void **state)
{
  (void)state;
  pk_geometry *brick = take_mesh(soft_brick(HALF, 24)), *sphere = soft_shape(PK_SHAPE_SPHERE, 0.06, 0, 0);
  pk_geometry *const other[3] = {soft_shape(PK_SHAPE_ELLIPSOID, 0.06, 0.06, 0.06),
                                 soft_shape(PK_SHAPE_CAPSULE, 0.06, 0, 0),
                                 soft_shape(PK_SHAPE_CAPSULE, 0.06, 0.2, 0)};
  static const double at[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, -0.1}}, here[3] = {0, 0, 0};
  const double xyz[3] = {0.001, 0.002, 0.077}, rpy[3] = {0.02, -0.03, 0.5};
  const pk_pose pose = pk_pose_from_xyz_rpy(xyz, rpy);
  double expected[6], found[6];
  const int n = wrench_on(brick, &pose, sphere, here, expected);
  assert_true(n > 5);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(wrench_on(brick, &pose, other[i], at[i], found), n);
    for (int k = 0; k < 6; k++) {
      assert_near(found[k], expected[k], 1e-8 * expected[5]);
    }
    pk_geometry_destroy(other[i]);
  }
  pk_geometry_destroy(brick);
  pk_geometry_destroy(sphere);
}

static void meshes_that_do_not_cut_each_other_do_not_press(void **state)
{
  (void)state;
  const double large[3] = {0.3, 0.3, 0.3};
  pk_geometry *brick = take_mesh(soft_brick(HALF, 4)), *shell = take_mesh(soft_brick(large, 2));
  static const double here[3] = {0, 0, 0};
  pk_pose pose = pk_pose_identity();
  double out[6];
  assert_int_equal(wrench_on(brick, &pose, shell, here, out), 0); /* swallowed */
  pose.pos[2] = 0.33;
  assert_int_equal(wrench_on(brick, &pose, shell, here, out), 0); /* apart */
  pose.pos[2] = 0.315;
  assert_true(wrench_on(brick, &pose, shell, here, out) > 0);
  assert_greater(out[5], 0);
  pk_geometry_destroy(brick);
  pk_geometry_destroy(shell);
}

/* ---- faces of primitives ---- */

/* What a shape that stands on a plane with a flat face of some area presses with. */
static void check_flat_face(pk_geometry *g, double lowest, double area)
{
  pk_geometry *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  static const double here[3] = {0, 0, 0};
  const double depth = 1e-4, force = 1e9 * area * depth;
  pk_pose pose = pk_pose_identity();
  pose.pos[2] = -lowest - depth;
  double out[6];
  wrench_on(g, &pose, plane, here, out);
  assert_near(out[5], force, 1e-9 * force);
  assert_near(out[0], 0, 1e-9 * force);
  assert_near(out[1], 0, 1e-9 * force);
  pk_geometry_destroy(plane);
  pk_geometry_destroy(g);
}

static void flat_faces_of_primitives_have_their_exact_area(void **state)
{
  (void)state;
  check_flat_face(soft_shape(PK_SHAPE_BOX, 0.2, 0.1, 0.05), -0.025, 0.02);
  check_flat_face(soft_shape(PK_SHAPE_CYLINDER, 0.04, 0.1, 0), -0.05, PI * 0.04 * 0.04);
  check_flat_face(soft_shape(PK_SHAPE_CONE, 0.04, 0.1, 0), -0.05, PI * 0.04 * 0.04);
}

static void round_primitives_press_nearly_as_their_area_says(void **state)
{
  (void)state;
  pk_geometry *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  static const double here[3] = {0, 0, 0};
  const double R = 0.05, depth = 2e-3, K = 1e9;
  pk_pose pose = pk_pose_identity();
  pose.pos[2] = R - depth;
  double out[6];
  pk_geometry *sphere = soft_shape(PK_SHAPE_SPHERE, R, 0, 0);
  wrench_on(sphere, &pose, plane, here, out);
  assert_near(out[5], K * PI * R * depth * depth, 0.01 * out[5]);
  /* a cylinder and a capsule on their sides: a strip of l, int (d - R (1 - cos)) R dphi, and for the capsule two halves of
   * the sphere's */
  const double edge = acos(1 - depth / R), strip = 2 * K * R * ((depth - R) * edge + R * sin(edge)) * 0.2;
  pk_geometry *cylinder = soft_shape(PK_SHAPE_CYLINDER, R, 0.2, 0),
              *capsule = soft_shape(PK_SHAPE_CAPSULE, R, 0.2, 0);
  const double lying[3] = {0, PI / 2, 0};
  pose = pk_pose_from_xyz_rpy(pose.pos, lying);
  wrench_on(cylinder, &pose, plane, here, out);
  assert_near(out[5], strip, 0.05 * strip);
  wrench_on(capsule, &pose, plane, here, out);
  assert_near(out[5], strip + K * PI * R * depth * depth, 0.05 * strip);
  pk_geometry_destroy(plane);
  pk_geometry_destroy(sphere);
  pk_geometry_destroy(cylinder);
  pk_geometry_destroy(capsule);
}

static void of_two_primitives_the_smaller_has_the_faces(void **state)
{
  (void)state;
  pk_geometry *box = soft_shape(PK_SHAPE_BOX, 0.1, 0.1, 0.1), *table = soft_shape(PK_SHAPE_BOX, 1, 1, 0.1);
  static const double here[3] = {0, 0, 0};
  const double depth = 1e-4, force = 1e9 * 0.01 * depth;
  double out[6];
  pk_pose pose = pk_pose_identity();
  pose.pos[2] = 0.1 - depth;
  wrench_on(box, &pose, table, here, out);
  assert_near(out[5], force, 1e-9 * force);
  wrench_on(table, &pose, box, here, out);
  assert_near(out[5], force, 1e-9 * force);
  pk_geometry_destroy(box);
  pk_geometry_destroy(table);
}

/* ---- pieces ---- */

/* Points anywhere, and points that lie on the mesh to a given distance, near the origin and far from it. */
static void the_nearest_face_does_not_depend_on_the_hint(void **state)
{
  (void)state;
  pki_random r = pki_random_seeded(11);
  for (int far = 0; far < 2; far++) {
    soft_mesh mesh = soft_foot();
    for (int i = 0; i < 3 * mesh.nvertex; i++) {
      mesh.vertex[i] += far * 1000;
    }
    pk_geometry *foot = take_mesh(mesh);
    const pki_trimesh *t = foot->mesh;
    for (int n = 0; n < 4000; n++) {
      const int face = (int)(pki_random_unit(&r) * t->ntriangle);
      const double *c = t->centroid + 3 * (size_t)face,
                   off = n % 2 == 0 ? 0.1 : pow(10, pki_random_between(&r, -16, -2));
      const double x[3] = {c[0] + off * pki_random_between(&r, -1, 1),
                           c[1] + off * pki_random_between(&r, -1, 1),
                           c[2] + off * pki_random_between(&r, -1, 1)};
      double plain[3], hinted[3];
      int part;
      const int hint = n % 4 < 2 ? face : (int)(pki_random_unit(&r) * t->ntriangle);
      const int expected = pki_trimesh_nearest(t, x, INFINITY, plain);
      assert_int_equal(pki_trimesh_nearest_from(t, x, hint, hinted, &part), expected);
      assert_memory_equal(plain, hinted, sizeof plain);
    }
    pk_geometry_destroy(foot);
  }
}

static void unit_normal(const double t[3][3], double out[3])
{
  double e[3], f[3];
  pki_sub3(t[1], t[0], e);
  pki_sub3(t[2], t[0], f);
  pki_cross3(e, f, out);
  const double length = pki_length3(out);
  for (int k = 0; k < 3; k++) {
    out[k] /= length;
  }
}

static bool meet(const double a[3][3], const double b[3][3])
{
  double n[3], m[3];
  unit_normal(a, n);
  unit_normal(b, m);
  const bool one = pki_triangles_overlap(a, n, b, m);
  assert_int_equal(one, pki_triangles_overlap(b, m, a, n));
  return one;
}

static void triangles_meet_where_a_point_is_in_both(void **state)
{
  (void)state;
  static const double flat[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  static const double through[3][3] = {{0.2, 0.2, -1}, {0.2, 0.2, 1}, {0.3, 0.2, 1}};
  static const double beside[3][3] = {{0.8, 0.8, -1}, {0.8, 0.8, 1}, {0.9, 0.9, 1}};
  static const double above[3][3] = {{0.1, 0.1, 0.1}, {0.9, 0.1, 0.2}, {0.1, 0.9, 0.3}};
  static const double within[3][3] = {{0.1, 0.1, 0}, {0.3, 0.1, 0}, {0.1, 0.3, 0}};
  static const double off[3][3] = {{0.9, 0.9, 0}, {1.3, 0.9, 0}, {0.9, 1.3, 0}};
  static const double tip[3][3] = {{0.2, 0.2, 0}, {0.2, 0.2, 1}, {0.3, 0.2, 1}};
  assert_true(meet(flat, through));
  assert_true(meet(flat, within));
  assert_true(meet(flat, tip));
  assert_false(meet(flat, beside));
  assert_false(meet(flat, above));
  assert_false(meet(flat, off));
}

/* Against a search of points: the least distance of two triangles is zero when an edge of one pierces the other. */
static bool edge_pierces(const double p[3], const double q[3], const double t[3][3])
{
  double n[3], e[3], f[3];
  pki_sub3(t[1], t[0], e);
  pki_sub3(t[2], t[0], f);
  pki_cross3(e, f, n);
  double from[3], along[3];
  pki_sub3(p, t[0], from);
  pki_sub3(q, p, along);
  const double s = -pki_dot3(n, from) / pki_dot3(n, along);
  if (!(s >= 0 && s <= 1)) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    double side[3], arm[3], out[3];
    pki_sub3(t[(k + 1) % 3], t[k], side);
    for (int c = 0; c < 3; c++) {
      arm[c] = p[c] + s * along[c] - t[k][c];
    }
    pki_cross3(side, arm, out);
    if (pki_dot3(out, n) < 0) {
      return false;
    }
  }
  return true;
}

static void random_triangles_meet_when_an_edge_pierces_one(void **state)
{
  (void)state;
  pki_random r = pki_random_seeded(12);
  int count = 0;
  for (int n = 0; n < 20000; n++) {
    double t[2][3][3];
    for (int i = 0; i < 18; i++) {
      (&t[0][0][0])[i] = pki_random_between(&r, -1, 1);
    }
    bool expected = false;
    for (int k = 0; k < 3; k++) {
      expected = expected || edge_pierces(t[0][k], t[0][(k + 1) % 3], (const double(*)[3])t[1]) ||
                 edge_pierces(t[1][k], t[1][(k + 1) % 3], (const double(*)[3])t[0]);
    }
    assert_int_equal(meet((const double(*)[3])t[0], (const double(*)[3])t[1]), expected);
    count += expected;
  }
  assert_in_range(count, 2000, 18000);
}

/* ---- what is refused ---- */

static void expect_refusal(const pki_soft_side *a, const pki_soft_side *b, pk_status status,
                           const char *message)
{
  pk_error err = {.message = ""};
  assert_int_equal(pki_patch_supports(a, b, &err), status);
  assert_string_equal(err.message, message);
}

static void pairs_that_no_law_serves_are_refused_with_a_reason(void **state)
{
  (void)state;
  soft_mesh mesh = soft_brick(HALF, 2);
  pk_geometry *brick = soft_geometry(&mesh), *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0), *bare = NULL,
              *sheet;
  mesh.ntriangle--; /* a hole */
  sheet = soft_geometry(&mesh);
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_BOX, .size = {1, 1, 1}}, &bare, NULL), PK_OK);
  pk_compliance layers = pk_compliance_default(), round = layers, thin = layers, sticky = layers;
  round.law = PK_COMPLIANCE_LAW_HERTZ;
  thin.layer = 0;
  sticky.friction = PK_COMPLIANCE_FRICTION_CONVEX;
  const pk_pose here = pk_pose_identity();
#define SIDE(g, s) &(pki_soft_side){g, here, s}
  expect_refusal(SIDE(brick, NULL), SIDE(plane, NULL), PK_ERROR_ARGUMENT,
                 "both surfaces are rigid, expected a compliant one");
  expect_refusal(SIDE(brick, &layers), SIDE(plane, &round), PK_ERROR_ARGUMENT,
                 "a surface with the law elastic-foundation meets one with the law hertz, expected the same "
                 "law on both, or a pair with a compliance of its own (pairs: compliance)");
  expect_refusal(SIDE(brick, &layers), SIDE(plane, &sticky), PK_ERROR_ARGUMENT,
                 "a surface with the friction stribeck meets one with the friction convex, expected the same "
                 "on both, or a pair with a compliance of its own (pairs: compliance)");
  expect_refusal(SIDE(brick, &thin), SIDE(plane, &thin), PK_ERROR_ARGUMENT,
                 "layer is 0 on both surfaces, expected a thickness in m on one of them at least");
  expect_refusal(
      SIDE(brick, &round), SIDE(plane, &round), PK_ERROR_UNSUPPORTED,
      "the law hertz was asked for a mesh on a plane, expected spheres and ellipsoids, on each other or on a "
      "plane");
  expect_refusal(SIDE(bare, &layers), SIDE(plane, &layers), PK_ERROR_UNSUPPORTED,
                 "the law elastic-foundation needs faces, and neither the box nor the plane has some: make "
                 "one of them a "
                 "mesh");
  expect_refusal(
      SIDE(brick, &layers), SIDE(sheet, &layers), PK_ERROR_UNSUPPORTED,
      "the second mesh of a pair of meshes does not enclose a volume, as the law elastic-foundation expects");
  /* a sheet has faces enough to stand on a plane */
  assert_int_equal(pki_patch_supports(SIDE(sheet, &layers), SIDE(plane, &layers), NULL), PK_OK);
  pk_geometry_destroy(brick);
  pk_geometry_destroy(plane);
  pk_geometry_destroy(bare);
  pk_geometry_destroy(sheet);
  soft_mesh_free(&mesh);
}

static void options_that_no_surface_can_have_are_refused(void **state)
{
  (void)state;
  const pk_compliance good = pk_compliance_default();
  assert_int_equal(pk_compliance_check(&good, NULL), PK_OK);
  static const struct {
    size_t offset;
    double value;
    const char *field;
  } bad[] = {{offsetof(pk_compliance, stiffness), 0, "stiffness"},
             {offsetof(pk_compliance, stiffness), -1, "stiffness"},
             {offsetof(pk_compliance, layer), -1e-3, "layer"},
             {offsetof(pk_compliance, dissipation), -1, "dissipation"},
             {offsetof(pk_compliance, static_friction), 0.5, "static_friction"},
             {offsetof(pk_compliance, dynamic_friction), -0.1, "dynamic_friction"},
             {offsetof(pk_compliance, viscous_friction), -0.1, "viscous_friction"},
             {offsetof(pk_compliance, transition_speed), 0, "transition_speed"},
             {offsetof(pk_compliance, creep_speed), NAN, "creep_speed"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pk_compliance c = good;
    memcpy((char *)&c + bad[i].offset, &bad[i].value, sizeof bad[i].value);
    pk_error err = {.message = ""};
    assert_int_equal(pk_compliance_check(&c, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, bad[i].field);
  }
  pk_compliance c = good;
  c.law = PK_COMPLIANCE_LAW_COUNT;
  assert_int_equal(pk_compliance_check(&c, NULL), PK_ERROR_ARGUMENT);
  c = good, c.friction = PK_COMPLIANCE_FRICTION_COUNT;
  assert_int_equal(pk_compliance_check(&c, NULL), PK_ERROR_ARGUMENT);
  pk_error err;
  c = good, c.static_friction = 0.5;
  assert_int_equal(pk_compliance_check(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "static_friction is 0.5, expected at least dynamic_friction, 0.8");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_flat_shape_presses_as_a_plane_does),
      cmocka_unit_test(round_shapes_of_the_same_surface_press_alike),
      cmocka_unit_test(meshes_that_do_not_cut_each_other_do_not_press),
      cmocka_unit_test(flat_faces_of_primitives_have_their_exact_area),
      cmocka_unit_test(round_primitives_press_nearly_as_their_area_says),
      cmocka_unit_test(of_two_primitives_the_smaller_has_the_faces),
      cmocka_unit_test(the_nearest_face_does_not_depend_on_the_hint),
      cmocka_unit_test(triangles_meet_where_a_point_is_in_both),
      cmocka_unit_test(random_triangles_meet_when_an_edge_pierces_one),
      cmocka_unit_test(pairs_that_no_law_serves_are_refused_with_a_reason),
      cmocka_unit_test(options_that_no_surface_can_have_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
