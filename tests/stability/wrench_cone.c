/* The wrench margin against the closed form of a rectangular sole, and against contacts that have one answer. */
#include "stability/stances.h"

#include "base/random.h"
#include "math/mat3.h"
#include "stability/column_simplex.h"

/* The rate of momentum that asks contacts for a force and a moment about the world's origin. */
static void ask_for(pk_stability_input *in, const double force[3], const double moment[3], double rate[6])
{
  double about_com[3];
  pki_cross3(in->com, force, about_com);
  for (int k = 0; k < 3; k++) {
    rate[k] = moment[k] - about_com[k];
    rate[3 + k] = force[k] + in->mass * in->gravity[k];
  }
  in->rate = rate;
}

/* Caron 2015: a sole of 2X by 2Y with friction on a square pyramid gives a wrench (about its middle) when
 *
 *   |f_x|, |f_y| <= mu f_z,  |t_x| <= Y f_z,  |t_y| <= X f_z,
 *   -mu (X + Y) f_z + |Y f_x - mu t_x| + |X f_y - mu t_y| <= t_z <= mu (X + Y) f_z - |Y f_x + mu t_x| - |X f_y + mu t_y|
 *
 * All bound f_z from below; what is above the largest bound, a quarter of it for each corner, is the margin. */
static double caron_margin(double X, double Y, double mu, const double f[3], const double t[3])
{
  const double twist = mu * (X + Y);
  const double bounds[] = {fabs(f[0]) / mu,
                           fabs(f[1]) / mu,
                           fabs(t[0]) / Y,
                           fabs(t[1]) / X,
                           (fabs(Y * f[0] - mu * t[0]) + fabs(X * f[1] - mu * t[1]) - t[2]) / twist,
                           (fabs(Y * f[0] + mu * t[0]) + fabs(X * f[1] + mu * t[1]) + t[2]) / twist};
  double least = 0;
  for (int i = 0; i < 6; i++) {
    least = fmax(least, bounds[i]);
  }
  return (f[2] - least) / 4;
}

static void a_rectangular_sole_has_the_margin_of_the_closed_form(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(7);
  int inside = 0, outside = 0;
  for (int k = 0; k < 2000; k++) {
    const double X = pki_random_between(&random, 0.02, 0.3), Y = pki_random_between(&random, 0.02, 0.3);
    const double mu = pki_random_between(&random, 0.1, 1.2), F = pki_random_between(&random, 10, 800);
    pk_stability_contact feet[4];
    for (int i = 0; i < 4; i++) {
      feet[i] = ground_at(i < 2 ? X : -X, i % 2 == 0 ? Y : -Y, 0, 0, 0, 0);
      feet[i].friction =
          mu * sqrt(2); /* the corners of the pyramid |f_x|, |f_y| <= mu f_z are on this cone */
    }
    const double s = 1.2;
    const double f[3] = {s * mu * F * pki_random_between(&random, -1, 1),
                         s * mu * F * pki_random_between(&random, -1, 1), F};
    const double t[3] = {s * Y * F * pki_random_between(&random, -1, 1),
                         s * X * F * pki_random_between(&random, -1, 1),
                         s * mu * (X + Y) * F * pki_random_between(&random, -0.5, 0.5)};
    pk_stability_options o = pk_stability_options_default();
    pk_stability_input in = stance_of(F / G, feet, 4);
    double rate[6];
    o.friction_sides = 4;
    in.com[2] = 0.6, in.com[0] = 0.05;
    ask_for(&in, f, t, rate);
    const pk_stability found = measures_of(&in, &o);
    const double expected = caron_margin(X, Y, mu, f, t);
    inside += expected > 0, outside += expected < 0;
    assert_near(found.wrench_margin, expected, 1e-8 * F);
    assert_at_most(found.wrench_gap, 1e-6 * F);
    /* the cone has the pyramid in it */
    o.friction_sides = 0;
    assert_at_least(measures_of(&in, &o).wrench_margin, expected - 1e-8 * F);
  }
  assert_greater(inside, 100);
  assert_greater(outside, 100);
}

static void at_rest_every_foot_could_lose_what_it_carries(void **state)
{
  (void)state;
  const pk_stability_contact feet[4] = {ground_at(0.3, 0.2, 0, 0, 0, 0), ground_at(-0.3, 0.2, 0, 1, 0, 0),
                                        ground_at(-0.3, -0.2, 0, 2, 0, 0), ground_at(0.3, -0.2, 0, 3, 0, 0)};
  pk_stability_input in = stance_of(12, feet, 4);
  in.com[2] = 0.5;
  const pk_stability s = measures_of(&in, NULL);
  assert_near(s.wrench_margin, 12 * G / 4, 1e-8);
  assert_at_most(s.wrench_gap, 1e-7);
}

/* One contact: f_N - |f_T| / mu, if the force passes through it. */
static void a_single_contact_gives_forces_through_it_alone(void **state)
{
  (void)state;
  pk_stability_contact foot = ground_at(0.2, -0.1, 0.05, 0, 0, 0);
  pk_stability_input in = stance_of(10, &foot, 1);
  const double f[3] = {6, 8, 100};
  double t[3], rate[6];
  foot.friction = 0.5;
  pki_cross3(foot.point, f, t);
  in.com[2] = 0.4;
  ask_for(&in, f, t, rate);
  assert_near(measures_of(&in, NULL).wrench_margin, 100 - 10 / 0.5, 1e-7);
  t[0] += 1;
  ask_for(&in, f, t, rate);
  assert_true(measures_of(&in, NULL).wrench_margin == -INFINITY);
}

/* Two contacts share a force across their line alike: nothing is gained by giving one of them more. */
static void two_contacts_share_a_force_across_their_line(void **state)
{
  (void)state;
  pk_stability_contact feet[2] = {ground_at(0.3, 0, 0, 0, 0, 0), ground_at(-0.3, 0, 0, 1, 0, 0)};
  pk_stability_input in = stance_of(10, feet, 2);
  const double f[3] = {0, 30, 90}, t[3] = {0, 0, 0};
  double rate[6];
  feet[0].friction = feet[1].friction = 0.6;
  ask_for(&in, f, t, rate);
  in.com[2] = 0;
  assert_near(measures_of(&in, NULL).wrench_margin, 45 - 15 / 0.6, 1e-7);
}

/* Forces within the cones of two feet, whose wrenches span five dimensions only, are themselves a way to give their wrench: it is never
 * said to be out of reach, and the margin is at least that of the weaker foot. */
static void forces_of_two_feet_are_always_within_reach(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(23);
  for (int k = 0; k < 5000; k++) {
    pk_stability_contact feet[2];
    double weaker = INFINITY;
    for (int i = 0; i < 2; i++) {
      const double angle = pki_random_between(&random, -3, 3), load = pki_random_between(&random, 1, 150);
      const double part = pki_random_unit(&random) * (k % 3 > 0), x = i == 0 ? 0.3 : -0.2;
      feet[i] = ground_at(x, pki_random_between(&random, -0.2, 0.2), pki_random_between(&random, -1e-7, 1e-7),
                          i, 0, 0);
      feet[i].force[0] = 0.8 * part * load * cos(angle);
      feet[i].force[1] = 0.8 * part * load * sin(angle);
      feet[i].force[2] = load;
      weaker = fmin(weaker, load * (1 - part));
    }
    pk_stability_input in = stance_of(20, feet, 2);
    in.rate = NULL;
    in.com[2] = 0.45;
    const pk_stability s = measures_of(&in, NULL);
    assert_at_least(s.wrench_margin, weaker - 1e-5);
    assert_at_most(s.wrench_margin, (feet[0].force[2] + feet[1].force[2]) / 2 + 1e-5);
  }
}

/* On a slope a robot stands while its slope is below the friction angle. */
static void on_a_slope_friction_decides(void **state)
{
  (void)state;
  const double mu = 0.5;
  for (int k = -1; k <= 1; k += 2) {
    const double angle = atan(mu) + k * 1e-4, c = cos(angle), s = sin(angle);
    pk_stability_contact feet[4];
    for (int i = 0; i < 4; i++) {
      const double x = i < 2 ? 0.3 : -0.3, y = i % 2 == 0 ? 0.2 : -0.2;
      feet[i] = ground_at(x * c, y, x * s, i, 0, 0);
      feet[i].normal[0] = -s, feet[i].normal[2] = c;
      feet[i].friction = mu;
    }
    pk_stability_input in = stance_of(10, feet, 4);
    in.com[2] = 0.1;
    const double margin = measures_of(&in, NULL).wrench_margin;
    assert_true(k < 0 ? margin > 0 : margin < 0);
    assert_less(fabs(margin), 0.1);
  }
}

/* A climber between two walls holds any wrench by pressing on both. */
static void contacts_that_can_press_against_each_other_hold_any_wrench(void **state)
{
  (void)state;
  pk_stability_contact hands[4];
  for (int i = 0; i < 4; i++) {
    const int side = i < 2 ? 1 : -1;
    hands[i] = ground_at(0.4 * side, i % 2 == 0 ? 0.3 : -0.3, i % 3 * 0.2, i, 0, 0);
    hands[i].normal[0] = -side, hands[i].normal[2] = 0;
  }
  pk_stability_input in = stance_of(10, hands, 4);
  assert_true(measures_of(&in, NULL).wrench_margin == INFINITY);
}

/* On random uneven ground pyramids within the cone come to its margin from below, with the square of their number of sides. */
static void pyramids_come_to_the_cone_from_within(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(11);
  double worst[3] = {0, 0, 0};
  for (int k = 0; k < 300; k++) {
    static const int sides[3] = {8, 32, 128};
    const int n = 3 + (int)(pki_random_unit(&random) * 6);
    pk_stability_contact feet[8];
    for (int i = 0; i < n; i++) {
      feet[i] = ground_at(pki_random_between(&random, -0.4, 0.4), pki_random_between(&random, -0.4, 0.4),
                          pki_random_between(&random, -0.1, 0.1), i, 0, 0);
      double *normal = feet[i].normal;
      normal[0] = pki_random_between(&random, -0.4, 0.4), normal[1] = pki_random_between(&random, -0.4, 0.4);
      const double length = pki_length3(normal);
      for (int c = 0; c < 3; c++) {
        normal[c] /= length;
      }
      feet[i].friction = pki_random_between(&random, 0.2, 1);
    }
    pk_stability_options o = pk_stability_options_default();
    pk_stability_input in = stance_of(20, feet, n);
    in.com[2] = 0.5;
    const pk_stability cone = measures_of(&in, &o);
    if (isinf(cone.wrench_margin)) {
      continue;
    }
    assert_at_most(cone.wrench_gap, 1e-6 * 20 * G);
    double last = -INFINITY;
    for (int i = 0; i < 3; i++) {
      o.friction_sides = sides[i];
      const double margin = measures_of(&in, &o).wrench_margin;
      assert_at_most(margin, cone.wrench_margin + 1e-7 * 20 * G);
      worst[i] = fmax(worst[i], (cone.wrench_margin - margin) / fmax(fabs(cone.wrench_margin), 20 * G));
      last = fmax(last, margin);
    }
  }
  assert_greater(worst[0], 1e-4);
  assert_less(worst[1], worst[0] / 8); /* 16 times where nothing else differs */
  assert_less(worst[2], worst[1] / 8);
}

/* A column that promises something whatever the multipliers are. */
static double promise_forever(const pki_column_program *p, const double *y, double *a, pki_column *column)
{
  (void)p;
  (void)y;
  a[0] = 1;
  *column = (pki_column){.kind = 1};
  return 1;
}

static void a_program_whose_pivots_do_not_end_is_not_called_solved(void **state)
{
  (void)state;
  double memory[PKI_COLUMN_PROGRAM_SIZE(1)], promise;
  pki_column_program p;
  pki_column_program_init(&p, 1, memory);
  p.price = promise_forever;
  p.rhs[0] = 1;
  assert_int_equal(pki_column_program_solve(&p, 1e-9, &promise), PKI_COLUMN_BROKEN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rectangular_sole_has_the_margin_of_the_closed_form),
      cmocka_unit_test(at_rest_every_foot_could_lose_what_it_carries),
      cmocka_unit_test(a_single_contact_gives_forces_through_it_alone),
      cmocka_unit_test(two_contacts_share_a_force_across_their_line),
      cmocka_unit_test(forces_of_two_feet_are_always_within_reach),
      cmocka_unit_test(on_a_slope_friction_decides),
      cmocka_unit_test(contacts_that_can_press_against_each_other_hold_any_wrench),
      cmocka_unit_test(pyramids_come_to_the_cone_from_within),
      cmocka_unit_test(a_program_whose_pivots_do_not_end_is_not_called_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
