/* Steps that catch a push: the program against a search over all steps, and against closed forms. */
#include "gait/step_adjust.h"

#include <math.h>

#include "gait/biped.h"
#include "support/bounds.h"

static const double omega = 4.294; /* 1/s, COMAN's */

/* A walk of 0.2 m/s, 0.15 s after the foot has left; xi as planned. */
static pki_step_problem make_problem(double support)
{
  const double tau = exp(omega * 0.5);
  pki_step_problem p = {.omega = omega,
                        .elapsed = 0.15,
                        .support = support,
                        .step = {0.1, 0.15},
                        .time = 0.5,
                        .offset = {0.1 / (tau - 1), -0.15 / (tau + 1)},
                        .lower = {-0.3, 0.11},
                        .upper = {0.3, 0.35},
                        .soonest = 0.35,
                        .latest = 0.9,
                        .time_weight = 0.01,
                        .offset_weight = 100};
  const double share = pki_step_share(omega, support);
  for (int k = 0; k < 2; k++) {
    p.xi[k] = (share * p.step[k] + p.offset[k]) * exp(omega * (p.elapsed - p.time));
  }
  return p;
}

static double cost_of(const pki_step_problem *p, const double step[2], double time)
{
  const double share = pki_step_share(p->omega, p->support), late = exp(p->omega * (time - p->time)) - 1;
  double sum = p->time_weight * late * late;
  for (int k = 0; k < 2; k++) {
    const double b = p->xi[k] * exp(p->omega * (time - p->elapsed)) - share * step[k];
    sum += pow(step[k] - p->step[k], 2) + p->offset_weight * pow(b - p->offset[k], 2);
  }
  return sum;
}

static void who_is_not_pushed_steps_as_planned(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    const pki_step_problem p = make_problem(0.1 * i);
    const pki_step_choice to = pki_step_adjust(&p);
    for (int k = 0; k < 2; k++) {
      assert_near(to.step[k], p.step[k], 1e-9);
      assert_near(to.offset[k], p.offset[k], 1e-9);
    }
    assert_near(to.time, p.time, 1e-9);
  }
}

/* With a time that cannot change and a heavy offset, xi grows to where the step must be: the push times exp(omega (T - t)) over the share. */
static void a_push_moves_the_step_by_what_xi_grows_to(void **state)
{
  (void)state;
  pki_step_problem p = make_problem(0.1);
  p.soonest = p.latest = p.time;
  p.offset_weight = 1e9;
  p.xi[0] += 0.01;
  const pki_step_choice to = pki_step_adjust(&p);
  const double way = 0.01 * exp(omega * (p.time - p.elapsed)) / pki_step_share(omega, 0.1);
  assert_near(to.step[0], p.step[0] + way, 1e-6);
  assert_near(to.step[1], p.step[1], 1e-6);
}

/* No step of a grid over all that is allowed costs less. */
static void no_other_step_is_better(void **state)
{
  (void)state;
  for (int i = 0; i < 40; i++) {
    pki_step_problem p = make_problem(i % 2 ? 0.1 : 0);
    p.xi[0] += 0.06 * sin(1.3 * i), p.xi[1] += 0.06 * cos(2.1 * i);
    const pki_step_choice to = pki_step_adjust(&p);
    const double found = cost_of(&p, to.step, to.time);
    assert_at_least(to.time, p.soonest - 1e-9);
    assert_at_most(to.time, p.latest + 1e-9);
    for (int t = 0; t <= 40; t++) {
      for (int x = 0; x <= 40; x++) {
        for (int y = 0; y <= 40; y++) {
          const double step[2] = {p.lower[0] + (p.upper[0] - p.lower[0]) * x / 40,
                                  p.lower[1] + (p.upper[1] - p.lower[1]) * y / 40};
          const double time = p.soonest + (p.latest - p.soonest) * t / 40;
          assert_at_least(cost_of(&p, step, time), found - 1e-9);
        }
      }
    }
  }
}

static void without_double_support_all_of_the_step_counts(void **state)
{
  (void)state;
  assert_near(pki_step_share(omega, 0), 1, 1e-15);
  assert_near(pki_step_share(omega, 1e-6), 1, 1e-5);
  assert_near(pki_step_share(omega, 0.2), (1 - exp(-omega * 0.2)) / (omega * 0.2), 1e-15);
}

/* The nearest point of a hull against a search along its edges, given by the points themselves. */
static void the_pressure_is_drawn_to_the_nearest_point_of_the_soles(void **state)
{
  (void)state;
  const double soles[8][2] = {{0.1, 0.12},   {0.1, 0.03},   {-0.1, 0.12},  {-0.1, 0.03},
                              {0.24, -0.02}, {0.24, -0.11}, {0.04, -0.02}, {0.04, -0.11}};
  for (int i = 0; i < 400; i++) {
    const double p[2] = {0.4 * sin(0.7 * i), 0.3 * cos(1.9 * i)};
    double to[2];
    pki_support_clamp(8, soles, p, to);
    const double far = hypot(to[0] - p[0], to[1] - p[1]);
    /* points of the hull are between any two of the points */
    for (int a = 0; a < 8; a++) {
      for (int b = 0; b < 8; b++) {
        for (int s = 0; s <= 20; s++) {
          const double x = soles[a][0] + (soles[b][0] - soles[a][0]) * s / 20,
                       y = soles[a][1] + (soles[b][1] - soles[a][1]) * s / 20;
          assert_at_least(hypot(x - p[0], y - p[1]), far - 1e-12);
          /* and on the far side of the line through `to` across p - to */
          assert_at_most((x - to[0]) * (p[0] - to[0]) + (y - to[1]) * (p[1] - to[1]), 1e-12);
        }
      }
    }
    double again[2];
    pki_support_clamp(8, soles, to, again);
    assert_near(again[0], to[0], 1e-12);
    assert_near(again[1], to[1], 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_not_pushed_steps_as_planned),
      cmocka_unit_test(a_push_moves_the_step_by_what_xi_grows_to), cmocka_unit_test(no_other_step_is_better),
      cmocka_unit_test(without_double_support_all_of_the_step_counts),
      cmocka_unit_test(the_pressure_is_drawn_to_the_nearest_point_of_the_soles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
