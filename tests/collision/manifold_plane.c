/* The points at which shapes touch a half-space: how many, where, how far, and their names. */
#include "support/bounds.h"
#include "touch_help.h"

static int on_plane(const pk_geometry *g, const pk_pose *pose, double margin, pk_touch_point *t)
{
  const pk_pose plane = pk_pose_identity();
  const int n = pki_plane_touch(g, pose, &plane, margin, t);
  check(t, n, margin);
  for (int i = 0; i < n; i++) {
    assert_near(t[i].point[1][2], 0, 1e-15);
    assert_near(t[i].point[0][2], t[i].gap, 1e-15);
    double distance, normal[3], x[3];
    local(pose, t[i].point[0], x);
    assert_true(pki_geometry_point(g, x, INFINITY, &distance, normal));
    assert_near(distance, 0, 1e-12); /* on the shape */
  }
  return n;
}

static void a_box_on_a_plane_has_its_four_corners_while_it_slides_and_leans(void **state)
{
  (void)state;
  static const double sizes[][3] = {{0.2, 0.3, 0.1}, {0.01, 0.01, 0.01}, {1, 0.02, 0.4}};
  pki_random rng = pki_random_seeded(1);
  for (int s = 0; s < 3; s++) {
    pk_geometry *box = make(PK_SHAPE_BOX, sizes[s][0], sizes[s][1], sizes[s][2]);
    pk_touch_point first[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
    const double z = 0.5 * sizes[s][2];
    pk_pose pose = at(0, 0, z);
    assert_int_equal(on_plane(box, &pose, 0.02, first), 4);
    for (int i = 0; i < 500; i++) {
      const double lean = i % 50 == 0 ? 0 : pow(10, pki_random_between(&rng, -9, -3));
      pose = turned(at(0.01 * i, -0.003 * i, z - 1e-4), pki_random_normal(&rng), pki_random_normal(&rng), 0,
                    lean);
      pose = turned(pose, 0, 0, 1, 0.05 * i);
      assert_int_equal(on_plane(box, &pose, 0.02, t), 4);
      assert_true(same_names(first, 4, t, 4));
      for (int k = 0; k < 4; k++) { /* at the corner */
        double x[3];
        local(&pose, t[k].point[0], x);
        assert_near3(x, V3(copysign(0.5 * sizes[s][0], x[0]), copysign(0.5 * sizes[s][1], x[1]), -z), 1e-14);
      }
    }
    pk_geometry_destroy(box);
  }
}

static void a_box_on_an_edge_has_two_corners_and_on_a_corner_one(void **state)
{
  (void)state;
  pk_geometry *box = make(PK_SHAPE_BOX, 0.2, 0.2, 0.2);
  pk_touch_point t[PK_TOUCH_MOST];
  pk_pose pose = turned(at(0, 0, 0.1 * sqrt(2)), 1, 0, 0, PI / 4);
  assert_int_equal(on_plane(box, &pose, 0.02, t), 2);
  pose = turned(pose, 0, 1, 0, 0.6154797086703874);
  pose.pos[2] = 0.1 * sqrt(3);
  assert_int_equal(on_plane(box, &pose, 0.02, t), 1);
  assert_near(t[0].gap, 0, 1e-12);
  pk_geometry_destroy(box);
}

static void round_shapes_on_a_plane_touch_at_their_lowest_points(void **state)
{
  (void)state;
  pk_touch_point t[PK_TOUCH_MOST];
  pk_geometry *ball = make(PK_SHAPE_SPHERE, 0.1, 0, 0), *rod = make(PK_SHAPE_CAPSULE, 0.05, 0.4, 0),
              *egg = make(PK_SHAPE_ELLIPSOID, 0.1, 0.2, 0.3);
  pk_pose pose = at(1, 2, 0.11);
  assert_int_equal(on_plane(ball, &pose, 0.02, t), 1);
  assert_near(t[0].gap, 0.01, 1e-15);
  assert_int_equal(on_plane(ball, &pose, 0.005, t), 0);
  pose = turned(at(0, 0, 0.05), 1, 0, 0, PI / 2);
  assert_int_equal(on_plane(rod, &pose, 0.02, t), 2);
  assert_near(t[0].gap, 0, 1e-15);
  assert_near(fabs(t[0].point[0][1] - t[1].point[0][1]), 0.4, 1e-12);
  pose = turned(at(0, 0, 0.25), 1, 0, 0, 0.3);
  assert_int_equal(on_plane(rod, &pose, 0.02, t), 1);
  pose = at(0, 0, 0.25);
  assert_int_equal(on_plane(rod, &pose, 0.5, t), 1); /* the upper end is hidden */
  pki_random rng = pki_random_seeded(2);
  for (int i = 0; i < 100; i++) {
    pose = random_pose(&rng, 0.1);
    assert_int_equal(on_plane(egg, &pose, 1, t), 1);
    double down[3] = {0, 0, -1};
    pki_mat3_apply_transposed(pose.rot, down, down);
    const double reach = sqrt(0.01 * down[0] * down[0] + 0.04 * down[1] * down[1] + 0.09 * down[2] * down[2]);
    assert_near(t[0].gap, pose.pos[2] - reach, 1e-14);
  }
  pk_geometry_destroy(ball);
  pk_geometry_destroy(rod);
  pk_geometry_destroy(egg);
}

static void a_standing_cylinder_rests_on_points_fixed_in_it(void **state)
{
  (void)state;
  pk_geometry *can = make(PK_SHAPE_CYLINDER, 0.1, 0.3, 0);
  pk_touch_point first[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
  pk_pose pose = at(0, 0, 0.15);
  const int n = on_plane(can, &pose, 0.02, first);
  assert_at_least(n, 4);
  pki_random rng = pki_random_seeded(3);
  for (int i = 0; i < 200; i++) {
    pose = turned(at(0.1 * i, 0, 0.15), pki_random_normal(&rng), pki_random_normal(&rng), 0, 1e-8 * (i % 50));
    assert_true(same_names(first, n, t, on_plane(can, &pose, 0.02, t)));
    for (int k = 0; k < n; k++) {
      double x[3], y[3];
      const pk_pose start = at(0, 0, 0.15);
      local(&pose, t[k].point[0], x);
      local(&start, first[k].point[0], y);
      assert_near3(x, y, 1e-13);
    }
  }
  /* leaning, the lowest point of the rim is among them */
  for (int i = 0; i < 200; i++) {
    const double lean = pow(10, pki_random_between(&rng, -5, 0));
    pose = turned(at(0, 0, 0.15), pki_random_normal(&rng), pki_random_normal(&rng), 0, lean);
    const int m = on_plane(can, &pose, 0.2, t);
    assert_near(least_gap(t, m), 0.15 - 0.15 * cos(lean) - 0.1 * sin(lean), 1e-14);
  }
  /* lying it has the two ends of a line */
  for (int i = 0; i < 200; i++) {
    pose = turned(turned(at(0, 0, 0.1), 0, 0, 1, i), 1, 0, 0, PI / 2);
    assert_int_equal(on_plane(can, &pose, 0.02, t), 2);
    assert_near(t[0].gap, 0, 1e-14);
    assert_near(t[1].gap, 0, 1e-14);
    assert_near(fabs(t[0].point[0][1] - t[1].point[0][1]), 0.3, 1e-12);
  }
  pk_geometry_destroy(can);
}

static void a_cone_stands_lies_and_balances_on_a_plane(void **state)
{
  (void)state;
  pk_geometry *cone = make(PK_SHAPE_CONE, 0.1, 0.3, 0);
  pk_touch_point t[PK_TOUCH_MOST];
  pk_pose pose = at(0, 0, 0.15);
  assert_at_least(on_plane(cone, &pose, 0.02, t), 4);
  /* on its side: the axis leans by the half angle at the tip */
  const double half = atan2(0.1, 0.3);
  pose = turned(at(0, 0, 0.15 * sin(half)), 1, 0, 0, PI / 2 + half);
  assert_int_equal(on_plane(cone, &pose, 0.02, t), 2);
  assert_near(t[0].gap, t[1].gap, 1e-14);
  pose = turned(at(0, 0, 0.15), 1, 0, 0, PI);
  assert_int_equal(on_plane(cone, &pose, 0.02, t), 1);
  assert_near(t[0].gap, 0, 1e-14);
  pk_geometry_destroy(cone);
}

static void a_hull_on_a_plane_has_its_lowest_vertices_well_spread(void **state)
{
  (void)state;
  pk_touch_point t[PK_TOUCH_MOST];
  double inradius;
  pk_geometry *die = make_dodecahedron(&inradius), *wheel = make_prism(60, 0.5, 0.1);
  pk_pose pose = at(0, 0, inradius);
  assert_int_equal(on_plane(die, &pose, 0.02, t), 5);
  /* all 20 vertices within the margin: the five it stands on stay */
  const int n = on_plane(die, &pose, 10, t);
  int low = 0;
  for (int i = 0; i < n; i++) {
    low += t[i].gap < 1e-9;
  }
  assert_int_equal(low, 5);
  /* 8 of 60, no two nearer than a quarter of a right angle or so */
  pose = at(0, 0, 0.1);
  assert_int_equal(on_plane(wheel, &pose, 0.02, t), 8);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < i; j++) {
      assert_greater(hypot(t[i].point[0][0] - t[j].point[0][0], t[i].point[0][1] - t[j].point[0][1]), 0.25);
    }
  }
  /* whatever its pose the deepest vertex is there */
  pki_random rng = pki_random_seeded(4);
  for (int i = 0; i < 500; i++) {
    pose = random_pose(&rng, 0.1);
    double least = INFINITY, x[3];
    for (int v = 0; v < wheel->hull->nvertex; v++) {
      pki_mat3_apply(pose.rot, wheel->hull->vertex + 3 * v, x);
      least = fmin(least, x[2] + pose.pos[2]);
    }
    assert_near(least_gap(t, on_plane(wheel, &pose, 0.02, t)), least, 1e-9);
  }
  pk_geometry_destroy(die);
  pk_geometry_destroy(wheel);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_on_a_plane_has_its_four_corners_while_it_slides_and_leans),
      cmocka_unit_test(a_box_on_an_edge_has_two_corners_and_on_a_corner_one),
      cmocka_unit_test(round_shapes_on_a_plane_touch_at_their_lowest_points),
      cmocka_unit_test(a_standing_cylinder_rests_on_points_fixed_in_it),
      cmocka_unit_test(a_cone_stands_lies_and_balances_on_a_plane),
      cmocka_unit_test(a_hull_on_a_plane_has_its_lowest_vertices_well_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
