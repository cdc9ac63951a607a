/* What stability measures refuse, and what they do not depend on. */
#include "stability/stances.h"

#include <string.h>

#include "base/random.h"
#include "math/mat3.h"

/* ---- what is refused ---- */

static void expect_option(pk_stability_options o, const char *field, const char *message)
{
  pk_error err = {.message = ""};
  const pk_stability_contact foot = ground_at(0, 0, 0, 0, 0, 0);
  const pk_stability_input in = stance_of(1, &foot, 1);
  pk_stability out;
  assert_int_equal(pk_stability_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
  assert_int_equal(pk_stability_compute(&in, &o, &out, &err), PK_ERROR_ARGUMENT);
  assert_true(isnan(out.static_margin));
}

static void each_option_out_of_its_range_is_named(void **state)
{
  (void)state;
  const pk_stability_options good = pk_stability_options_default();
  pk_error err = {.message = ""};
  assert_int_equal(pk_stability_options_validate(&good, &err), PK_OK);
  pk_stability_options o = good;
  o.tip_speed = -1;
  expect_option(
      o, "tip_speed",
      "tip_speed is -1, expected 0 to 1000 m/s (largest velocity of the tip of a swing leg, in H_max)");
  o = good, o.tip_direction = PK_TIP_DIRECTION_COUNT;
  expect_option(o, "tip_direction",
                "tip_direction is 2, expected 0 to 1 (its direction: H_max is m r_z v or m r v)");
  o = good, o.least_force = NAN;
  expect_option(
      o, "least_force",
      "least_force is nan, expected 0 to 1e+09 N (a contact supports when its normal force is above this)");
  o = good, o.friction_sides = -1;
  expect_option(o, "friction_sides",
                "friction_sides is -1, expected 0 to 1000 (edges of the pyramid in the friction cone of the "
                "wrench margin; 0: the cone itself)");
  o = good, o.measures = 1 << PK_STABILITY_MEASURE_COUNT;
  expect_option(o, "measures",
                "measures is 256, expected 0 to 255 (bits of the measures that are computed; 0: all)");
}

static void no_bit_of_a_measure_stands_for_all_of_them(void **state)
{
  (void)state;
  const pk_stability_contact feet[] = {
      {.point = {0.3, 0.2, 0}, .normal = {0, 0, 1}, .force = {0, 0, 100}, .friction = 0.8, .foot = 0},
      {.point = {-0.3, 0.2, 0}, .normal = {0, 0, 1}, .force = {0, 0, 100}, .friction = 0.8, .foot = 1},
      {.point = {0, -0.2, 0}, .normal = {0, 0, 1}, .force = {0, 0, 100}, .friction = 0.8, .foot = 2}};
  const pk_stability_input in = {.mass = 30,
                                 .gravity = {0, 0, -10},
                                 .com = {0, 0, 0.5},
                                 .heading = {1, 0, 0},
                                 .contacts = feet,
                                 .ncontact = 3};
  const pk_stability_options zero = {.tip_speed = 2};
  const pk_stability some = measures_of(&in, &zero), all = measures_of(&in, NULL);
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    const double margin = pk_stability_margin(&some, (pk_stability_measure)i);
    assert_true(isfinite(margin));
    assert_near(margin, pk_stability_margin(&all, (pk_stability_measure)i), 0);
  }
}

static void expect_input(const pk_stability_input *in, pk_status status, const char *field,
                         const char *message)
{
  pk_error err = {.message = ""};
  pk_stability out;
  assert_int_equal(pk_stability_compute(in, NULL, &out, &err), status);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
}

static void each_wrong_number_of_a_robot_is_named(void **state)
{
  (void)state;
  pk_stability_contact foot = ground_at(0, 0, 0, 0, 0, 0);
  const pk_stability_input good = stance_of(1, &foot, 1);
  const double no_rate[6] = {0, NAN, 0, 0, 0, 0};
  pk_stability_input in = good;
  in.mass = 0;
  expect_input(&in, PK_ERROR_ARGUMENT, "mass", "the mass is 0 kg, expected a number above 0");
  in = good, in.gravity[2] = 0;
  expect_input(&in, PK_ERROR_ARGUMENT, "gravity", "there is no gravity, expected some: it says what is up");
  in = good, in.gravity[0] = NAN;
  expect_input(&in, PK_ERROR_ARGUMENT, "gravity", "gravity has a number that is not finite");
  in = good, in.com[1] = INFINITY;
  expect_input(&in, PK_ERROR_ARGUMENT, "com", "com has a number that is not finite");
  in = good, in.velocity[1] = NAN;
  expect_input(&in, PK_ERROR_ARGUMENT, "velocity", "velocity has a number that is not finite");
  in = good, in.angular_momentum[1] = NAN;
  expect_input(&in, PK_ERROR_ARGUMENT, "angular_momentum",
               "angular_momentum has a number that is not finite");
  in = good, in.heading[1] = NAN;
  expect_input(&in, PK_ERROR_ARGUMENT, "heading", "heading has a number that is not finite");
  in = good, in.rate = no_rate;
  expect_input(&in, PK_ERROR_ARGUMENT, "rate", "rate has a number that is not finite");
  in = good, in.foot_rate = no_rate;
  expect_input(&in, PK_ERROR_ARGUMENT, "foot_rate", "foot_rate has a number that is not finite");
  foot.force[0] = NAN;
  expect_input(&good, PK_ERROR_ARGUMENT, "contacts", "contact 0 has a number that is not finite");
  foot.force[0] = 0, foot.normal[2] = 0.5;
  expect_input(&good, PK_ERROR_ARGUMENT, "contacts", "the normal of contact 0 has length 0.5, expected 1");
  foot.normal[2] = 1, foot.friction = -0.1;
  expect_input(&good, PK_ERROR_ARGUMENT, "contacts",
               "the friction of contact 0 is -0.1, expected a number of zero or more");
}

/* A sole of a fine mesh has more contacts at its rim than there is room for: its support is a polygon within. */
static void a_support_of_many_corners_is_a_polygon_within_it(void **state)
{
  (void)state;
  enum { MANY = 200 };
  static pk_stability_contact ring[MANY];
  for (int n = PK_STABILITY_EDGES; n <= MANY; n += 21) {
    for (int i = 0; i < n; i++) {
      const double angle = 2 * 3.141592653589793 * (7 * i % n) / n; /* in no order */
      ring[i] = ground_at(cos(angle), sin(angle), 0, i, 0, 0);
    }
    pk_stability_input in = stance_of(1, ring, n);
    in.com[2] = 1;
    const pk_stability s = measures_of(&in, NULL);
    assert_in_range(s.ncorner, 20, PK_STABILITY_EDGES);
    assert_int_equal(s.nedge, s.ncorner);
    for (int i = 0; i < s.nedge; i++) {
      assert_greater(s.edges[i].r_h, 0.97); /* counterclockwise, and near the circle */
      assert_less(s.edges[i].r_h, 1);
    }
  }
}

/* ---- what is computed ---- */

static void only_the_measures_that_are_asked_for_are_computed(void **state)
{
  (void)state;
  const pk_stability_contact feet[3] = {ground_at(1, 1, 0, 0, 0, 0), ground_at(-1, 1, 0, 1, 0, 0),
                                        ground_at(0, -1, 0, 2, 0, 0)};
  pk_stability_input in = stance_of(10, feet, 3);
  in.com[2] = 1;
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    pk_stability_options o = pk_stability_options_default();
    o.measures = 1 << i;
    const pk_stability s = measures_of(&in, &o);
    for (int k = 0; k < PK_STABILITY_MEASURE_COUNT; k++) {
      assert_int_equal(!isnan(pk_stability_margin(&s, (pk_stability_measure)k)), k == i);
    }
  }
  assert_string_equal(pk_stability_measure_name(PK_STABILITY_S_H), "s_h");
  assert_string_equal(pk_stability_measure_unit(PK_STABILITY_S_H), "kg m^2/s");
  assert_null(pk_stability_measure_name(PK_STABILITY_MEASURE_COUNT));
  assert_null(pk_stability_measure_unit(PK_STABILITY_MEASURE_COUNT));
}

static void contacts_below_the_least_force_do_not_support(void **state)
{
  (void)state;
  pk_stability_contact feet[3] = {ground_at(1, 1, 0, 0, 0, 0), ground_at(-1, 1, 0, 1, 0, 0),
                                  ground_at(0, -1, 0, 2, 0, 0)};
  pk_stability_options o = pk_stability_options_default();
  feet[0].force[2] = 50, feet[1].force[2] = 50, feet[2].force[2] = 2;
  pk_stability_input in = stance_of(10, feet, 3);
  in.rate = NULL, in.com[2] = 1;
  assert_int_equal(measures_of(&in, &o).ncorner, 3);
  o.least_force = 5;
  const pk_stability s = measures_of(&in, &o);
  assert_int_equal(s.ncorner, 2);
  assert_int_equal(s.feet, 2);
  assert_int_equal(s.ncontact, 2);
}

/* ---- what they do not depend on ---- */

static void turn(const double R[9], double v[3])
{
  pki_mat3_apply(R, v, v);
}

/* A robot on uneven ground, all of it random. */
static pk_stability_input random_stance(pki_random *random, pk_stability_contact feet[4], double rate[6],
                                        double foot_rate[6])
{
  for (int i = 0; i < 4; i++) {
    const int front = i < 2 ? 1 : -1, left = i % 2 == 0 ? 1 : -1;
    feet[i] = ground_at(0.3 * front + pki_random_between(random, -0.1, 0.1),
                        0.2 * left + pki_random_between(random, -0.1, 0.1),
                        pki_random_between(random, -0.05, 0.05), i, front, left);
  }
  for (int k = 0; k < 6; k++) {
    rate[k] = pki_random_between(random, -4, 4);
    foot_rate[k] = pki_random_between(random, -1, 1);
  }
  pk_stability_input in = stance_of(12, feet, 2 + (int)(3 * pki_random_unit(random)));
  in.rate = rate, in.foot_rate = foot_rate;
  for (int k = 0; k < 3; k++) {
    in.com[k] = pki_random_between(random, -0.1, 0.1) + (k == 2 ? 0.5 : 0);
    in.velocity[k] = pki_random_between(random, -0.5, 0.5);
    in.angular_momentum[k] = pki_random_between(random, -0.5, 0.5);
  }
  return in;
}

/* The same robot and the same gravity in a world that is turned: about z, or about any axis when gravity turns with it. */
static void measures_turn_with_the_world(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(5);
  for (int k = 0; k < 200; k++) {
    pk_stability_contact feet[4];
    double rate[6], foot_rate[6], R[9], quaternion[4];
    pk_stability_input in = random_stance(&random, feet, rate, foot_rate);
    const pk_stability before = measures_of(&in, NULL);
    pki_random_quaternion(&random, quaternion);
    if (k % 2 == 0) {
      const double angle = pki_random_between(&random, -3, 3);
      quaternion[0] = cos(angle / 2), quaternion[1] = quaternion[2] = 0, quaternion[3] = sin(angle / 2);
    }
    pki_quat_to_mat3(quaternion, R);
    double *const vectors[] = {in.gravity, in.com,   in.velocity, in.angular_momentum, in.heading,
                               rate,       rate + 3, foot_rate,   foot_rate + 3};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
      turn(R, vectors[i]);
    }
    for (int i = 0; i < 4; i++) {
      turn(R, feet[i].point);
      turn(R, feet[i].normal);
    }
    const pk_stability after = measures_of(&in, NULL);
    assert_int_equal(after.nedge, before.nedge);
    for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
      const double was = pk_stability_margin(&before, (pk_stability_measure)i);
      const double is = pk_stability_margin(&after, (pk_stability_measure)i);
      assert_true(isinf(was) ? was == is : fabs(was - is) <= 1e-7 * (1 + fabs(was)));
    }
    pk_stability turned = before;
    double *const points[][2] = {{turned.zmp, (double *)(uintptr_t)after.zmp},
                                 {turned.fri, (double *)(uintptr_t)after.fri},
                                 {turned.dcm, (double *)(uintptr_t)after.dcm},
                                 {turned.gcom, (double *)(uintptr_t)after.gcom}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
      turn(R, points[i][0]);
      for (int c = 0; c < 3; c++) {
        assert_near(points[i][0][c], points[i][1][c], 1e-12);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_option_out_of_its_range_is_named),
      cmocka_unit_test(no_bit_of_a_measure_stands_for_all_of_them),
      cmocka_unit_test(each_wrong_number_of_a_robot_is_named),
      cmocka_unit_test(a_support_of_many_corners_is_a_polygon_within_it),
      cmocka_unit_test(only_the_measures_that_are_asked_for_are_computed),
      cmocka_unit_test(contacts_below_the_least_force_do_not_support),
      cmocka_unit_test(measures_turn_with_the_world),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
