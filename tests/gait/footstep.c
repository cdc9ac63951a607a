/* Footsteps of a biped: closed forms of walks that are regular. */
#include "gait/footstep.h"

#include <math.h>

#include "support/bounds.h"

static const pki_step_limits free_limits = {.back = 9, .ahead = 9, .narrow = 0, .wide = 9, .turn = 3};

/* Beside a foot, half the width towards the other one. */
static void middle_of(const pki_footstep *step, int foot, double width, double out[2])
{
  pki_footstep_beside(step->at, 0, -pki_foot_side(foot) * 0.5 * width, step->yaw, out);
}

static void equal_turns_lead_around_a_regular_polygon(void **state)
{
  (void)state;
  enum { STEPS = 24 };
  const double turn = 2 * acos(-1.0) / STEPS, width = 0.15;
  pki_footstep at = {.at = {1, 2 - 0.075}, .yaw = 0};
  int foot = PKI_RIGHT;
  const double radius = 0.1 / (2 * sin(turn / 2));
  double first[2], now[2];
  middle_of(&at, foot, width, first);
  /* the circle through the corners touches the first heading */
  const double centre[2] = {first[0], first[1] + radius};
  for (int k = 1; k <= STEPS; k++) {
    const pki_stride_goal goal = {.ahead = 0.1, .yaw = k * turn, .width = width};
    at = pki_footstep_next(&at, foot, &goal, &free_limits);
    foot = !foot;
    middle_of(&at, foot, width, now);
    assert_near(at.yaw, k * turn, 1e-12);
    assert_near(hypot(now[0] - centre[0], now[1] - centre[1]), radius, 1e-12);
  }
  assert_near(now[0], first[0], 1e-12);
  assert_near(now[1], first[1], 1e-12);
}

static void straight_steps_go_as_fast_as_they_should(void **state)
{
  (void)state;
  pki_footstep at = {.at = {0, 0.075}};
  int foot = PKI_LEFT;
  for (int k = 1; k <= 10; k++) {
    const pki_stride_goal goal = {.ahead = 0.14, .yaw = 0, .width = 0.15};
    at = pki_footstep_next(&at, foot, &goal, &free_limits);
    foot = !foot;
    assert_near(at.at[0], 0.14 * k, 1e-12);
    assert_near(at.at[1], pki_foot_side(foot) * 0.075, 1e-12);
  }
}

static void steps_to_the_side_open_and_close_the_feet(void **state)
{
  (void)state;
  for (int left = 0; left < 2; left++) {
    const double way = left ? 0.03 : -0.03;
    pki_footstep at = {.at = {0, -0.075}};
    int foot = PKI_RIGHT;
    double last = at.at[1];
    for (int k = 1; k <= 8; k++) {
      const pki_stride_goal goal = {.left = way, .yaw = 0, .width = 0.15};
      at = pki_footstep_next(&at, foot, &goal, &free_limits);
      foot = !foot;
      const double apart = fabs(at.at[1] - last);
      /* the foot on the side to which it goes makes the way of both */
      assert_near(apart, pki_foot_side(foot) * way > 0 ? 0.21 : 0.15, 1e-12);
      last = at.at[1];
    }
    assert_near(at.at[1] + 0.075, 8 * way, 1e-12);
  }
}

static void steps_stay_within_reach(void **state)
{
  (void)state;
  const pki_step_limits limits = {.back = 0.2, .ahead = 0.3, .narrow = 0.11, .wide = 0.3, .turn = 0.4};
  for (int i = 0; i < 500; i++) {
    const pki_footstep at = {.at = {0.3, -0.2}, .yaw = 0.01 * i};
    const int foot = i % 2 ? PKI_LEFT : PKI_RIGHT;
    const pki_stride_goal goal = {
        .ahead = sin(1.7 * i), .left = 0.5 * cos(2.3 * i), .yaw = 0.01 * i + 2 * sin(3.1 * i), .width = 0.15};
    const pki_footstep to = pki_footstep_next(&at, foot, &goal, &limits);
    double seen[2];
    pki_footstep_between(at.at, to.at, at.yaw, seen);
    const double side = -pki_foot_side(foot) * seen[1];
    assert_at_most(seen[0], 0.3 + 1e-12);
    assert_at_least(seen[0], -0.2 - 1e-12);
    assert_at_most(side, 0.3 + 1e-12);
    assert_at_least(side, 0.11 - 1e-12);
    assert_at_most(fabs(to.yaw - at.yaw), 0.4 + 1e-12);
  }
}

static void angles_are_taken_the_short_way(void **state)
{
  (void)state;
  const double turn = 2 * acos(-1.0);
  assert_near(pki_nearest_angle(0.1 + 3 * turn, 0), 0.1, 1e-12);
  assert_near(pki_nearest_angle(-3, 3), turn - 3, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_turns_lead_around_a_regular_polygon),
                                     cmocka_unit_test(straight_steps_go_as_fast_as_they_should),
                                     cmocka_unit_test(steps_to_the_side_open_and_close_the_feet),
                                     cmocka_unit_test(steps_stay_within_reach),
                                     cmocka_unit_test(angles_are_taken_the_short_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
