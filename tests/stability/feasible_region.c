/* The feasible region against polygons that are known. */
#include "stability/stances.h"

#include <string.h>

#include "support/world.h"

static pk_feasible_region region_of(const pk_stability_input *in, const pk_stability_torques *torques)
{
  pk_feasible_region out;
  pk_error err = {.message = ""};
  if (pk_feasible_region_compute(in, torques, NULL, &out, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return out;
}

/* Whether one of the corners is at a place. */
static bool has_corner(const pk_feasible_region *r, double x, double y)
{
  bool found = false;
  for (int i = 0; i < r->ncorner; i++) {
    found |= hypot(r->corners[i][0] - x, r->corners[i][1] - y) < 1e-6;
  }
  return found;
}

static double area_of(const pk_feasible_region *r)
{
  double sum = 0;
  for (int i = 0; i < r->ncorner; i++) {
    const double *a = r->corners[i], *b = r->corners[(i + 1) % r->ncorner];
    sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  return sum;
}

/* Four feet of a square of 2 m. */
static void square_feet(pk_stability_contact feet[4])
{
  for (int i = 0; i < 4; i++) {
    feet[i] = ground_at(i < 2 ? 1 : -1, i % 2 == 0 ? 1 : -1, 0, i, 0, 0);
  }
}

static void with_strong_motors_on_flat_ground_it_is_the_support(void **state)
{
  (void)state;
  pk_stability_contact feet[4];
  square_feet(feet);
  pk_stability_input in = stance_of(10, feet, 4);
  in.com[0] = 0.3, in.com[1] = -0.2, in.com[2] = 0.7;
  const pk_feasible_region r = region_of(&in, NULL);
  for (int i = 0; i < 4; i++) {
    assert_true(has_corner(&r, feet[i].point[0], feet[i].point[1]));
  }
  assert_near(area_of(&r), 4, 1e-6);
  assert_near(r.margin, measures_of(&in, NULL).static_margin, 1e-6);
  assert_less(r.gap, 1e-5);
  in.com[0] = 1.5; /* where the robot is now does not count, but for the margin */
  const pk_feasible_region outside = region_of(&in, NULL);
  assert_near(area_of(&outside), 4, 1e-5);
  assert_near(outside.margin, -0.5, 1e-6);
}

/* Feet that carry no more than a part of the weight each. From a half on they cut the corners of the square off, |x| + |y| <= 2 part: at the end
 * of that edge one foot is at its limit, and the foot opposite to it carries nothing. Below a half three feet have to be at their limit at the farthest places, and
 * a square of half the side 4 part - 1 is left. */
static void feet_that_carry_little_cut_the_corners_off(void **state)
{
  (void)state;
  pk_stability_contact feet[4];
  square_feet(feet);
  pk_stability_input in = stance_of(10, feet, 4);
  double row[4 * 4 * 3] = {0}, limit[4];
  const double bias[4] = {0}, weight = 10 * G;
  for (int k = 0; k < 4; k++) {
    row[3 * (4 * k + k) + 2] = 1; /* a leg that slides up and down: its force is the foot's */
  }
  const pk_stability_torques torques = {4, bias, limit, row};
  in.com[2] = 0.7;
  static const struct {
    double part, reach; /* |x|, |y| <= 1 and |x| + |y| <= reach */
  } cases[] = {{0.5, 1}, {0.75, 1.5}, {0.3, 0.2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int k = 0; k < 4; k++) {
      limit[k] = cases[i].part * weight;
    }
    const pk_feasible_region r = region_of(&in, &torques);
    if (cases[i].part >= 0.5) {
      const double s = cases[i].reach - 1;
      assert_true(has_corner(&r, 1, s) && has_corner(&r, -1, -s) && has_corner(&r, -s, 1));
      assert_near(area_of(&r), 4 - 2 * (1 - s) * (1 - s), 1e-5);
      assert_near(r.margin, fmin(1, cases[i].reach / sqrt(2)), 1e-6);
    } else {
      const double side = cases[i].reach;
      assert_true(has_corner(&r, side, side) && has_corner(&r, -side, side) && has_corner(&r, side, -side));
      assert_near(area_of(&r), 4 * side * side, 1e-6);
      assert_near(r.margin, side, 1e-6);
    }
  }
  for (int k = 0; k < 4; k++) {
    limit[k] = 0.2 * weight;
  }
  const pk_feasible_region none = region_of(&in, &torques);
  assert_int_equal(none.ncorner, 0);
  assert_true(none.margin == -INFINITY);
}

/* On a plane that is inclined by less than the friction angle every foot can carry its part of the weight straight up; beyond it nothing can. */
static void on_a_slope_it_is_the_support_from_above_or_nothing(void **state)
{
  (void)state;
  for (int steep = 0; steep < 2; steep++) {
    const double angle = atan(0.8) + (steep ? 0.01 : -0.01), c = cos(angle), s = sin(angle);
    pk_stability_contact feet[4];
    square_feet(feet);
    for (int i = 0; i < 4; i++) {
      feet[i].point[2] = feet[i].point[0] * s;
      feet[i].point[0] *= c;
      feet[i].normal[0] = -s, feet[i].normal[2] = c;
    }
    pk_stability_input in = stance_of(10, feet, 4);
    in.com[2] = 0.7;
    const pk_feasible_region r = region_of(&in, NULL);
    if (steep) {
      assert_int_equal(r.ncorner, 0);
      assert_true(r.margin == -INFINITY);
    } else {
      assert_at_least(area_of(&r), 4 * c - 1e-5);
      assert_true(has_corner(&r, c, 1) || area_of(&r) > 4 * c);
    }
  }
}

static void two_feet_leave_a_line_and_one_a_point(void **state)
{
  (void)state;
  pk_stability_contact feet[4];
  square_feet(feet);
  pk_stability_input in = stance_of(10, feet, 2);
  in.com[2] = 0.7, in.com[0] = 0.75;
  const pk_feasible_region line = region_of(&in, NULL);
  assert_near(area_of(&line), 0, 1e-6);
  assert_true(has_corner(&line, 1, 1) && has_corner(&line, 1, -1));
  assert_near(line.margin, -0.25, 1e-6);
  in.ncontact = 1;
  const pk_feasible_region point = region_of(&in, NULL);
  assert_int_equal(point.ncorner, 1);
  assert_true(has_corner(&point, 1, 1));
}

/* StarLETH on four feet: within its support, and smaller with weaker motors. */
static void of_a_robot_it_shrinks_with_its_motors(void **state)
{
  (void)state;
  pk_model *loaded = starleth_model();
  pk_terrain *ground = slope_terrain(0);
  double efforts[64], last = INFINITY, bias = 0;
  static const double factors[] = {100, 1, 0.6, 0.45, 0.01};
  for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
    pk_model model = *loaded;
    for (int k = 0; k < model.nu; k++) {
      efforts[k] = loaded->dof_effort[k] * factors[i];
    }
    model.dof_effort = efforts;
    pk_sim *sim = start_world(&model, ground, pk_material_default(), NULL);
    starleth_pose(sim, 0.45, true);
    for (int k = 0; k < 400; k++) {
      must_step(sim);
    }
    pk_feasible_region r;
    pk_stability s;
    pk_error err = {.message = ""};
    assert_int_equal(pk_sim_stability(sim, 0, NULL, NULL, &s, NULL), PK_OK);
    if (pk_sim_feasible_region(sim, 0, NULL, &r, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
    const double area = r.ncorner > 2 ? area_of(&r) : 0;
    assert_less(r.gap, 1e-3);
    assert_at_most(area, last + 1e-4);
    if (i == 0) { /* strong: the support */
      assert_near(r.margin, s.static_margin, 1e-3);
      bias = area;
    }
    if (i == 4) {
      assert_int_equal(r.ncorner, 0);
    } else {
      assert_greater(r.margin, 0); /* it stands */
    }
    last = area;
    pk_sim_destroy(sim);
  }
  assert_greater(bias, 0.1);
  pk_terrain_destroy(ground);
  pk_model_destroy(loaded);
}

/* A trunk of 5 kg on one leg that slides up and down, with a foot of 3 kg: the leg's motor carries the trunk, not the foot. */
static pk_model *pogo_model(double effort)
{
  pk_builder *b;
  pk_model *model;
  pk_error err = {.message = ""};
  pk_robot_desc robot = pk_robot_desc_default();
  pk_joint_desc leg = pk_joint_desc_default();
  pk_shape_desc sole = {.link = "foot", .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.05}};
  const pk_link_desc trunk = {.name = "trunk", .inertia = {.mass = 5, .moment = {0.1, 0, 0, 0.1, 0, 0.1}}},
                     foot = {.name = "foot", .inertia = {.mass = 3, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
  robot.root = PK_ROOT_FREE;
  leg.name = "leg", leg.parent = "trunk", leg.child = "foot", leg.kind = PK_JOINT_PRISMATIC,
  leg.effort = effort;
  leg.axis[0] = 0, leg.axis[2] = 1;
  leg.origin.pos[2] = -0.5;
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &trunk, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &foot, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &leg, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &sole, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
  pk_builder_destroy(b);
  return model;
}

static void motors_carry_what_is_above_them(void **state)
{
  (void)state;
  pk_terrain *ground = slope_terrain(0);
  for (int strong = 0; strong < 2; strong++) {
    pk_model *model = pogo_model(5 * G * (strong ? 1.01 : 0.99));
    pk_sim *sim = start_world(model, ground, pk_material_default(), NULL);
    pk_sim_q(sim)[2] = 0.55;
    for (int k = 0; k < 5; k++) {
      pk_sim_commands(sim)[6] = (pk_command){.tau = -5 * G}; /* the foot down, the trunk up */
      must_step(sim);
    }
    pk_feasible_region r;
    assert_int_equal(pk_sim_feasible_region(sim, 0, NULL, &r, NULL), PK_OK);
    assert_int_equal(r.ncorner, strong);
    assert_true(strong ? fabs(r.margin) < 1e-6 : r.margin == -INFINITY);
    pk_error err = {.message = ""};
    assert_int_equal(pk_sim_feasible_region(sim, 1, NULL, &r, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.message, "robot is 1, expected 0 to 0");
    pk_sim_destroy(sim);
    pk_model_destroy(model);
  }
  pk_terrain_destroy(ground);
}

static void wrong_torques_are_named(void **state)
{
  (void)state;
  pk_stability_contact feet[4];
  square_feet(feet);
  const pk_stability_input in = stance_of(10, feet, 4);
  const double row[12] = {0}, bias = 0, limit = -1;
  const pk_stability_torques negative = {1, &bias, &limit, row}, many = {33, &bias, &limit, row};
  pk_feasible_region r;
  pk_error err = {.message = ""};
  assert_int_equal(pk_feasible_region_compute(&in, &negative, NULL, &r, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message, "torque 0 has the limit -1 and the bias 0, expected a limit of zero or more and a number");
  assert_int_equal(pk_feasible_region_compute(&in, &many, NULL, &r, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, "there are 33 torques, expected 32 at most");
  assert_true(isnan(r.margin));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_strong_motors_on_flat_ground_it_is_the_support),
      cmocka_unit_test(feet_that_carry_little_cut_the_corners_off),
      cmocka_unit_test(on_a_slope_it_is_the_support_from_above_or_nothing),
      cmocka_unit_test(two_feet_leave_a_line_and_one_a_point),
      cmocka_unit_test(of_a_robot_it_shrinks_with_its_motors),
      cmocka_unit_test(motors_carry_what_is_above_them),
      cmocka_unit_test(wrong_torques_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
