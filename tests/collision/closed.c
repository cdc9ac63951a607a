/* Closed forms against GJK and EPA, and where several answers are equally good. */
#include "collision/help.h"
#include "collision/narrow/minkowski.h"
#include "collision/narrow/surface.h"
#include "support/bounds.h"
#include "support/certify.h"
#include "support/pace.h"

static pk_geometry *make(pk_shape_kind kind, double x, double y, double z)
{
  pk_geometry *g = NULL;
  pk_error err;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = kind, .size = {x, y, z}}, &g, &err), PK_OK);
  return g;
}

static pk_pose at(double x, double y, double z)
{
  pk_pose p = pk_pose_identity();
  p.pos[0] = x, p.pos[1] = y, p.pos[2] = z;
  return p;
}

static pk_proximity ask(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                        const pk_pose *pose_b)
{
  pk_proximity p;
  bool near = false;
  assert_true(pki_closed_distance(a, pose_a, b, pose_b, INFINITY, &near, &p));
  assert_true(near);
  assert_near(pki_dot3(p.normal, p.normal), 1, 1e-14);
  for (int k = 0; k < 3; k++) {
    assert_near(p.point[0][k], p.point[1][k] + p.distance * p.normal[k], 1e-12);
  }
  return p;
}

static void closed_forms_and_gjk_agree(void **state)
{
  (void)state;
  static const pk_shape_kind pairs[][2] = {
      {PK_SHAPE_SPHERE, PK_SHAPE_SPHERE}, {PK_SHAPE_SPHERE, PK_SHAPE_CAPSULE},
      {PK_SHAPE_SPHERE, PK_SHAPE_BOX},    {PK_SHAPE_SPHERE, PK_SHAPE_CYLINDER},
      {PK_SHAPE_SPHERE, PK_SHAPE_CONE},   {PK_SHAPE_SPHERE, PK_SHAPE_ELLIPSOID},
      {PK_SHAPE_SPHERE, PK_SHAPE_CONVEX}, {PK_SHAPE_CAPSULE, PK_SHAPE_CAPSULE},
      {PK_SHAPE_BOX, PK_SHAPE_BOX},
  };
  pki_random rng = pki_random_seeded(1);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    int closed = 0;
    for (int n = 0; n < PACE(2000, 200); n++) {
      certify_shape s, t;
      certify_random(&rng, pairs[i][0], 0.05, 1, &s);
      certify_random(&rng, pairs[i][1], 0.05, 1, &t);
      s.pose = random_pose(&rng, 0.5);
      t.pose = random_pose(&rng, 0.5);
      pk_geometry *const a = certify_geometry(&s), *const b = certify_geometry(&t);
      const pki_convex x = pki_convex_of(a, &s.pose), y = pki_convex_of(b, &t.pose);
      pk_proximity p, q, r;
      bool near = false;
      assert_true(pki_gjk_distance(&x, &y, INFINITY, &q));
      if (pki_closed_distance(a, &s.pose, b, &t.pose, INFINITY, &near, &p)) {
        closed++;
        assert_true(near);
        assert_near(p.distance, q.distance, 1e-9);
        assert_true(pki_closed_distance(b, &t.pose, a, &s.pose, INFINITY, &near, &r));
        assert_near(r.distance, p.distance, 1e-14);
        if (p.distance > 0.01) {
          assert_near3(p.normal, q.normal, 1e-5);
          assert_near3(r.normal, V3(-p.normal[0], -p.normal[1], -p.normal[2]), 1e-12);
          assert_true(pki_closed_distance(a, &s.pose, b, &t.pose, p.distance - 0.001, &near, &r));
          assert_false(near);
        }
      } else { /* boxes that are apart */
        assert_greater(q.distance, 0);
      }
      pk_geometry_destroy(a);
      pk_geometry_destroy(b);
    }
    assert_greater(closed, PACE(50, 10));
  }
}

static void balls_in_one_place_leave_upwards(void **state)
{
  (void)state;
  pk_geometry *const a = make(PK_SHAPE_SPHERE, 0.5, 0, 0), *const b = make(PK_SHAPE_SPHERE, 0.25, 0, 0);
  const pk_pose here = at(1, 2, 3);
  const pk_proximity p = ask(a, &here, b, &here);
  assert_near(p.distance, -0.75, 0);
  assert_near3(p.normal, V3(0, 0, 1), 0);
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
}

static void a_ball_on_the_axis_of_a_capsule_leaves_sideways(void **state)
{
  (void)state;
  pk_geometry *const ball = make(PK_SHAPE_SPHERE, 0.5, 0, 0), *const capsule =
                                                                  make(PK_SHAPE_CAPSULE, 0.25, 2, 0);
  const pk_pose here = pk_pose_identity();
  for (int i = -4; i <= 4; i++) {
    const pk_pose on_axis = at(0, 0, 0.25 * i);
    const pk_proximity p = ask(ball, &on_axis, capsule, &here);
    assert_near(p.distance, -0.75, 1e-15);
    assert_near(p.normal[2], 0, 1e-15);
  }
  const pk_pose above = at(0, 0, 1.25);
  assert_near3(ask(ball, &above, capsule, &here).normal, V3(0, 0, 1), 0);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(capsule);
}

/* Side by side they touch along a line: its middle is taken. */
static void capsules_side_by_side_touch_in_the_middle_of_what_they_share(void **state)
{
  (void)state;
  pk_geometry *const a = make(PK_SHAPE_CAPSULE, 0.1, 2, 0), *const b = make(PK_SHAPE_CAPSULE, 0.2, 1, 0);
  const pk_pose here = pk_pose_identity();
  for (int turned = 0; turned < 2; turned++) {
    pk_pose there = at(0.5, 0, 1);
    if (turned) { /* head down */
      there.rot[4] = there.rot[8] = -1;
    }
    const pk_proximity p = ask(a, &here, b, &there);
    assert_near(p.distance, 0.2, 1e-15);
    assert_near3(p.normal, V3(-1, 0, 0), 1e-15);
    assert_near3(p.point[0], V3(0.1, 0, 0.75), 1e-15);
    there.pos[2] = 5; /* one over the other: end to end */
    assert_near(ask(a, &here, b, &there).distance, hypot(0.5, 3.5) - 0.3, 1e-14);
    there.pos[2] = -5;
    assert_near(ask(a, &here, b, &there).distance, hypot(0.5, 3.5) - 0.3, 1e-14);
  }
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
}

static void capsules_that_cross_leave_across_both(void **state)
{
  (void)state;
  pk_geometry *const a = make(PK_SHAPE_CAPSULE, 0.1, 2, 0), *const b = make(PK_SHAPE_CAPSULE, 0.2, 2, 0);
  const pk_pose here = pk_pose_identity();
  const pk_pose lying = {.pos = {0, 0, 0.25}, .rot = {0, 0, 1, 0, 1, 0, -1, 0, 0}};
  pk_proximity p = ask(a, &here, b, &lying);
  assert_near(p.distance, -0.3, 1e-15);
  assert_near(fabs(p.normal[1]), 1, 1e-15);
  p = ask(a, &here, b, &here); /* one inside the other */
  assert_near(p.distance, -0.3, 1e-15);
  assert_near(p.normal[2], 0, 1e-15);
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
}

/* A plank across a beam: the corners of the plank are not over the beam, its middle is. */
static void boxes_in_each_other_touch_where_both_are(void **state)
{
  (void)state;
  pk_geometry *const beam = make(PK_SHAPE_BOX, 4, 0.2, 0.2), *const plank = make(PK_SHAPE_BOX, 0.3, 4, 0.1);
  const pk_pose here = pk_pose_identity(), above = at(1.5, 0.5, 0.14);
  pk_proximity p = ask(plank, &above, beam, &here);
  assert_near(p.distance, -0.01, 1e-15);
  assert_near3(p.normal, V3(0, 0, 1), 0);
  assert_near3(p.point[0], V3(1.5, 0, 0.09), 1e-15);
  assert_near3(p.point[1], V3(1.5, 0, 0.1), 1e-15);
  p = ask(beam, &here, plank, &above);
  assert_near3(p.normal, V3(0, 0, -1), 0);
  assert_near3(p.point[0], V3(1.5, 0, 0.1), 1e-15);
  pk_geometry_destroy(beam);
  pk_geometry_destroy(plank);
}

static void the_lowest_vertex_of_a_mesh_meets_a_half_space(void **state)
{
  (void)state;
  static const double vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const pk_mesh mesh = {
      .name = "corner", .nvertex = 4, .ntriangle = 4, .vertex = vertex, .triangle = triangles};
  pk_geometry *g = NULL, *const plane = make(PK_SHAPE_PLANE, 0, 0, 0);
  pk_error err;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &mesh}, &g, &err),
                   PK_OK);
  const pk_pose here = pk_pose_identity();
  const pk_pose head_down = {.pos = {2, 3, 0.75}, .rot = {1, 0, 0, 0, -1, 0, 0, 0, -1}};
  const pk_proximity p = ask(g, &head_down, plane, &here);
  assert_near(p.distance, -0.25, 1e-15);
  assert_near3(p.normal, V3(0, 0, 1), 0);
  assert_near3(p.point[0], V3(2, 3, -0.25), 1e-15);
  assert_near3(ask(plane, &here, g, &head_down).normal, V3(0, 0, -1), 0);
  pk_geometry_destroy(g);
  pk_geometry_destroy(plane);
}

/* A random triangle about as large as a box of 0.1 m to 1 m and near it; at times a needle. */
static pki_triangle random_triangle(pki_random *rng)
{
  pki_triangle t = {.index = 0};
  double e[2][3], middle[3];
  const double thin = pki_random_bits(rng) % 4 == 0 ? 1e-4 : 1;
  for (int k = 0; k < 3; k++) {
    middle[k] = pki_random_between(rng, -0.7, 0.7);
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      t.point[k][i] = middle[i] + pki_random_between(rng, -0.5, 0.5) * (i == 1 ? thin : 1);
    }
  }
  pki_sub3(t.point[1], t.point[0], e[0]);
  pki_sub3(t.point[2], t.point[0], e[1]);
  pki_cross3(e[0], e[1], t.normal);
  const double length = sqrt(pki_dot3(t.normal, t.normal));
  for (int k = 0; k < 3; k++) {
    t.normal[k] /= length;
  }
  return t;
}

static void boxes_leave_triangles_as_epa_says(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(21);
  int meet = 0, apart = 0, unsure = 0;
  for (int n = 0; n < PACE(20000, 500); n++) {
    pk_geometry *box = make(PK_SHAPE_BOX, pki_random_between(&rng, 0.1, 1), pki_random_between(&rng, 0.1, 1),
                            pki_random_between(&rng, 0.1, 1));
    const pk_pose pose = random_pose(&rng, 0.3), here = pk_pose_identity();
    const pki_triangle t = random_triangle(&rng);
    const pki_convex a = pki_convex_of(box, &pose), b = pki_convex_points(t.point[0], 3, &here);
    const double margin = n % 2 ? 0.1 : 0;
    pk_proximity p, q;
    assert_true(pki_gjk_distance(&a, &b, INFINITY, &q));
    const pki_axes_end end = pki_box_triangle(box, &pose, &t, margin, &p);
    meet += end == PKI_AXES_MEET, apart += end == PKI_AXES_APART;
    unsure += end == PKI_AXES_UNSURE && q.distance < -1e-6;
    if (end == PKI_AXES_APART) {
      assert_greater(q.distance, margin);
    } else if (end == PKI_AXES_MEET) {
      assert_near(p.distance, q.distance, 1e-10);
      assert_near3(p.normal, q.normal, 1e-5);
      assert_near3(p.point[0], q.point[0], 1e-5);
      assert_near3(p.point[1], q.point[1], 1e-5);
    }
    pk_geometry_destroy(box);
  }
  assert_greater(meet, PACE(3000, 50));
  assert_greater(apart, PACE(3000, 50));
  assert_at_most(unsure, meet / 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms_and_gjk_agree),
      cmocka_unit_test(balls_in_one_place_leave_upwards),
      cmocka_unit_test(a_ball_on_the_axis_of_a_capsule_leaves_sideways),
      cmocka_unit_test(capsules_side_by_side_touch_in_the_middle_of_what_they_share),
      cmocka_unit_test(capsules_that_cross_leave_across_both),
      cmocka_unit_test(boxes_in_each_other_touch_where_both_are),
      cmocka_unit_test(the_lowest_vertex_of_a_mesh_meets_a_half_space),
      cmocka_unit_test(boxes_leave_triangles_as_epa_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
