/* The plan of the divergent component of motion against its differential equation and closed forms. */
#include "gait/divergent.h"

#include <math.h>

#include "support/bounds.h"

static const double omega = 4.294; /* 1/s, COMAN's */

static void under_a_pressure_that_stays_it_is_an_exponential(void **state)
{
  (void)state;
  const double p[2] = {0.3, -0.1};
  pki_divergent_plan plan = {.omega = omega, .end = {0.37, -0.02}};
  pki_divergent_add(&plan, 0.6, p, p);
  for (int i = 0; i <= 6; i++) {
    const double t = 0.1 * i;
    const pki_divergent at = pki_divergent_at(&plan, t);
    for (int k = 0; k < 2; k++) {
      assert_near(at.at[k], p[k] + (plan.end[k] - p[k]) * exp(-omega * (0.6 - t)), 1e-15);
      assert_near(at.pressure[k], p[k], 1e-15);
    }
  }
}

/* Steps with double support between them. */
static pki_divergent_plan make_walk(double support, double swing)
{
  pki_divergent_plan plan = {.omega = omega, .count = 0};
  double p[2] = {0, -0.07};
  for (int k = 0; k < 5; k++) {
    const double q[2] = {0.14 * k, k % 2 ? 0.07 : -0.07};
    if (k > 0) {
      pki_divergent_add(&plan, support, p, q);
    }
    pki_divergent_add(&plan, swing, q, q);
    p[0] = q[0], p[1] = q[1];
  }
  plan.end[0] = p[0], plan.end[1] = p[1];
  return plan;
}

/* The plan is a solution of xi' = omega (xi - p): between two moments its change is the integral of its rate, by Simpson's rule on steps within pieces. */
static void it_solves_its_differential_equation_and_never_jumps(void **state)
{
  (void)state;
  const pki_divergent_plan plan = make_walk(0.2, 0.5);
  double worst = 0;
  for (int i = 0; i < 3300; i++) { /* pieces end at whole steps */
    const double t = 1e-3 * i, h = 1e-3;
    const pki_divergent a = pki_divergent_at(&plan, t), m = pki_divergent_at(&plan, t + h / 2),
                        b = pki_divergent_at(&plan, t + h);
    for (int k = 0; k < 2; k++) {
      worst = fmax(worst, fabs(b.at[k] - a.at[k] - h / 6 * (a.rate[k] + 4 * m.rate[k] + b.rate[k])));
      assert_near(m.rate[k], omega * (m.at[k] - m.pressure[k]), 1e-14);
    }
  }
  assert_at_most(worst, 1e-14);
  const pki_divergent end = pki_divergent_at(&plan, 100);
  assert_near(end.at[0], plan.end[0], 1e-15);
  assert_near(end.at[1], plan.end[1], 1e-15);
}

/* Equal steps of length L and width W in the time T without double support: xi begins each of them L/(tau - 1) ahead of the foot that stands and W/(tau + 1) inside of it,
 * tau = exp(omega T) (Khadiv et al. 2020). */
static void equal_steps_have_the_offsets_of_the_literature(void **state)
{
  (void)state;
  static const double times[] = {0.5, 0.7, 0.8}, ahead[] = {13.2e-3, 7.3e-3, 5.3e-3};
  for (int i = 0; i < 3; i++) {
    const double T = times[i], tau = exp(omega * T), L = i == 1 ? 0.14 : ahead[i] * (tau - 1), W = 0.145;
    pki_divergent_plan plan = {.omega = omega};
    double p[2] = {0};
    for (int k = 0; k < PKI_DIVERGENT_PIECES; k++) {
      p[0] = L * k, p[1] = k % 2 ? W / 2 : -W / 2;
      pki_divergent_add(&plan, T, p, p);
    }
    plan.end[0] = p[0] + L, plan.end[1] = 0;
    const pki_divergent first = pki_divergent_at(&plan, 0);
    assert_near(first.at[0], L / (tau - 1), 1e-9);
    assert_near(first.at[1] + W / 2, W / (tau + 1), 1e-9);
  }
  /* the published numbers of COMAN at 0.2 m/s */
  assert_near(0.14 / (exp(omega * 0.7) - 1), 7.3e-3, 0.05e-3);
  assert_near(0.145 / (exp(omega * 0.7) + 1), 6.8e-3, 0.05e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(under_a_pressure_that_stays_it_is_an_exponential),
                                     cmocka_unit_test(it_solves_its_differential_equation_and_never_jumps),
                                     cmocka_unit_test(equal_steps_have_the_offsets_of_the_literature)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
