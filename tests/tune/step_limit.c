/* The largest stable step of explicit PD, which has a closed form.
 *
 * With a = dt kd/I and b = dt^2 kp/I a step of `euler`, u_E = (1 - a) u_S - b q_S/dt, q_E = q_S + dt u_E, has the
 * determinant 1 - a and the trace 2 - a - b. By Jury's criterion it is stable while 4 - 2 a - b > 0:
 *
 *   dt < (sqrt(kd^2 + 4 kp I) - kd)/kp.
 *
 * Moreau's step with forces of the start, q_E = q_S + dt/2 (u_S + u_E), has the determinant 1 - a + b/2 and the trace
 * 2 - a - b/2: it is stable while b < 2 a and a < 2,
 *
 *   dt < min(2 kd/kp, 2 I/kd). */
#define _XOPEN_SOURCE 700
#include "tune/step_limit.h"

#include "tune/support.h"

static pki_scenario *scenario_with(const char *const *sets, int nset)
{
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  if (pki_scenario_load("offset.yaml", sets, nset, &s, &err) != PK_OK) {
    fail_msg("%s: %s: %s", err.file, err.field, err.message);
  }
  return s;
}

static const pki_step_limit_options usual = {
    .from = 1e-3, .cap = 0.1, .tolerance = 1e-3, .factor = 3, .error = INFINITY, .duration = 60};

static pki_step_limit limit_of(const pki_scenario *s, const pki_step_limit_options *o)
{
  pki_step_limit l;
  pk_error err = {.message = ""};
  if (pki_step_limit_find(s, o, &l, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
  return l;
}

static pki_step_limit explicit_limit(const char *stepper, double kp, double kd, double factor)
{
  char scheme[64], p[64], d[64];
  snprintf(scheme, sizeof scheme, "step.stepper=%s", stepper);
  snprintf(p, sizeof p, "controller.kp=%g", kp);
  snprintf(d, sizeof d, "controller.kd=%g", kd);
  const char *const sets[] = {"step.implicit=none", scheme, p, d};
  pki_scenario *s = scenario_with(sets, 4);
  pki_step_limit_options o = usual;
  o.factor = factor;
  const pki_step_limit l = limit_of(s, &o);
  pki_scenario_destroy(s);
  return l;
}

/* The closed form lies between the largest stable step and the smallest unstable one, which are 1e-3 apart. So much more than the
 * growth of 60 s may hide is left to it: at 1.001 times the limit a mode grows by 1e-3 or so in each of 2000 steps. */
static void assert_limit(const pki_step_limit *l, double exact)
{
  assert_less(l->stable, l->unstable);
  assert_at_most(l->unstable - l->stable, 1e-3 * l->stable);
  assert_at_most(l->stable, exact * 1.002);
  assert_at_least(l->unstable, exact * 0.998);
}

static void explicit_pd_by_euler_has_its_closed_form(void **state)
{
  (void)state;
  static const double gains[][2] = {{20000, 200}, {2000, 300}, {800, 500}};
  for (size_t i = 0; i < sizeof gains / sizeof gains[0]; i++) {
    const double kp = gains[i][0], kd = gains[i][1];
    const pki_step_limit l = explicit_limit("euler", kp, kd, 3);
    assert_limit(&l, (sqrt(kd * kd + 4 * kp * 6.5) - kd) / kp);
  }
}

static void explicit_pd_by_moreau_has_its_closed_form(void **state)
{
  (void)state;
  static const double gains[][2] = {{20000, 200}, {5000, 100}, {800, 500}};
  for (size_t i = 0; i < sizeof gains / sizeof gains[0]; i++) {
    const double kp = gains[i][0], kd = gains[i][1];
    const pki_step_limit l = explicit_limit("moreau", kp, kd, 3);
    assert_limit(&l, fmin(2 * kd / kp, 2 * 6.5 / kd));
  }
}

/* Near the limit a lightly damped motion grows for a while before it decays. The factor says how much of it is too much. */
static void a_larger_factor_admits_motions_that_grow_at_first(void **state)
{
  (void)state;
  const double kp = 20000, kd = 50, exact = (sqrt(kd * kd + 4 * kp * 6.5) - kd) / kp;
  const pki_step_limit strict = explicit_limit("euler", kp, kd, 3),
                       wide = explicit_limit("euler", kp, kd, 100);
  assert_less(strict.stable, 0.98 * exact);
  assert_limit(&wide, exact);
}

static void implicit_pd_is_stable_up_to_the_cap(void **state)
{
  (void)state;
  const char *const sets[] = {"controller.kp=20000", "controller.kd=200"};
  pki_scenario *s = scenario_with(sets, 2);
  pki_step_limit_options o = usual;
  o.duration = 5;
  const pki_step_limit l = limit_of(s, &o);
  assert_true(l.stable == 0.1 && isinf(l.unstable));
  /* 0.5, 1, 2, 4, ... 64, 100 ms */
  assert_int_equal(l.count, 9);
  assert_true(l.trials[0].reference && l.trials[0].dt == 5e-4);
  for (int i = 1; i < l.count; i++) {
    assert_near(l.trials[i].dt, fmin(1e-3 * pow(2, i - 1), 0.1), 1e-15);
    assert_true(l.trials[i].verdict == PKI_STABLE);
  }
  pki_scenario_destroy(s);
}

static void a_bound_on_the_tracking_error_is_held(void **state)
{
  (void)state;
  const char *const sets[] = {"controller.kp=162.5", "controller.kd=65"};
  pki_scenario *s = scenario_with(sets, 2);
  pki_step_limit_options o = usual;
  o.duration = 3;
  pki_step_limit l = limit_of(s, &o);
  assert_true(isinf(l.unstable));
  /* at the start of its first step the error is the whole offset: the mean grows with the step */
  const double bound = 0.5 * (l.trials[0].error + l.trials[l.count - 1].error);
  assert_greater(l.trials[l.count - 1].error, 1.01 * l.trials[0].error);
  o.error = bound;
  l = limit_of(s, &o);
  assert_true(isfinite(l.unstable));
  for (int i = 0; i < l.count; i++) {
    assert_int_equal(l.trials[i].verdict == PKI_UNSTABLE_ERROR, l.trials[i].error > bound);
  }
  pki_scenario_destroy(s);
}

/* Steps that are tried are no whole parts of a period that is given. */
static void a_period_follows_the_step(void **state)
{
  (void)state;
  const char *const sets[] = {"controller.period=0.01", "step.implicit=none", "step.stepper=euler",
                              "controller.kp=2000", "controller.kd=300"};
  pki_scenario *s = scenario_with(sets, 5), *without = scenario_with(sets + 1, 4);
  const pki_step_limit with = limit_of(s, &usual), none = limit_of(without, &usual);
  assert_true(with.follows_step && !none.follows_step);
  assert_true(with.stable == none.stable);
  pki_scenario_destroy(s);
  pki_scenario_destroy(without);
}

static void what_is_refused_is_told_with_its_step(void **state)
{
  (void)state;
  pki_scenario *s = scenario_with(NULL, 0);
  pki_step_limit_options o = usual;
  o.from = 8;
  o.cap = 20;
  pki_step_limit l;
  pk_error err = {.message = ""};
  assert_int_equal(pki_step_limit_find(s, &o, &l, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "step.dt");
  assert_string_equal(err.message,
                      "the scenario is refused at a step of 16 s: --set step.dt=16: step.dt: dt is 16, "
                      "expected 1e-09 to 10 s (time step)");
  pki_scenario_destroy(s);
}

static void a_reference_that_is_unstable_is_told(void **state)
{
  (void)state;
  const char *const sets[] = {"controller.kp=2000", "controller.kd=300"};
  pki_scenario *s = scenario_with(sets, 2);
  pki_step_limit_options o = usual;
  o.error = 1e-9;
  pki_step_limit l;
  pk_error err = {.message = ""};
  assert_int_equal(pki_step_limit_find(s, &o, &l, &err), PK_ERROR_CONVERGENCE);
  assert_string_equal(err.field, "--reference");
  assert_string_equal(err.message,
                      "the reference run at a step of 0.0005 s is not stable itself (error): give a "
                      "smaller --reference, or --from");
  pki_scenario_destroy(s);
}

static void the_first_step_may_be_too_large(void **state)
{
  (void)state;
  const char *const sets[] = {"step.implicit=none", "step.stepper=euler", "controller.kp=20000",
                              "controller.kd=200"};
  pki_scenario *s = scenario_with(sets, 4);
  pki_step_limit_options o = usual;
  o.from = 0.05;
  o.reference = 1e-3;
  const pki_step_limit l = limit_of(s, &o);
  assert_true(l.stable == 0 && l.unstable == 0.05);
  assert_int_equal(l.count, 2);
  assert_true(l.trials[1].verdict == PKI_UNSTABLE_SPEED);
  pki_scenario_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_pd_by_euler_has_its_closed_form),
      cmocka_unit_test(explicit_pd_by_moreau_has_its_closed_form),
      cmocka_unit_test(a_larger_factor_admits_motions_that_grow_at_first),
      cmocka_unit_test(implicit_pd_is_stable_up_to_the_cap),
      cmocka_unit_test(a_bound_on_the_tracking_error_is_held),
      cmocka_unit_test(a_period_follows_the_step),
      cmocka_unit_test(what_is_refused_is_told_with_its_step),
      cmocka_unit_test(a_reference_that_is_unstable_is_told),
      cmocka_unit_test(the_first_step_may_be_too_large),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
