/* The quick study of the compliant humanoid: the lift on compliant surfaces and on hard contact, springs of the elbows, the squat, and the limits of
 * explicit steps. */
#define _POSIX_C_SOURCE 200809L
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quick.h"
#include "study/coman/coman.h"
#include "support/bounds.h"

static pki_study_result result;
static char folder[] = "pronk-coman-XXXXXX";

static int run_quick(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  return run_quick_study("coman", folder, &result) ? 0 : -1;
}

static int free_quick(void **state)
{
  (void)state;
  pki_study_free(&result);
  return 0;
}

static double measured(const char *id)
{
  const pki_study_row *r = pki_study_get(&result, id);
  if (r == NULL) {
    fail_msg("no row %s", id);
    return NAN;
  }
  return r->measured;
}

static void every_value_that_is_held_is_met(void **state)
{
  (void)state;
  assert_judged(&result);
  assert_at_least(result.nrow, 30);
}

/* 1.5 kg are 14.715 N, on the table before and in the wrists after, whatever the law of contact and the step. */
static void the_weight_goes_from_the_table_to_the_wrists(void **state)
{
  (void)state;
  static const char *const lifts[] = {"soft", "convex", "hard", "hard-4ms"};
  for (size_t i = 0; i < sizeof lifts / sizeof lifts[0]; i++) {
    char id[64];
    snprintf(id, sizeof id, "lift/%s/touch", lifts[i]);
    assert_near(measured(id), 1.06, 0.02);
    snprintf(id, sizeof id, "lift/%s/before", lifts[i]);
    assert_near(measured(id), 14.715, 0.02);
    snprintf(id, sizeof id, "lift/%s/after", lifts[i]);
    assert_near(measured(id), 14.715, 0.1);
    snprintf(id, sizeof id, "lift/%s/lifted", lifts[i]);
    assert_at_least(measured(id), 0.025);
    snprintf(id, sizeof id, "lift/%s/feet", lifts[i]); /* robot and box: 292.9 N, and what accelerates them */
    assert_near(measured(id), 292.9, 3);
  }
}

/* Hard contact sticks; convex friction lets the box slide by less than 1 % of its way up; smooth friction creeps, by its law 4.6 mm/s under this load. */
static void wrists_hold_the_box(void **state)
{
  (void)state;
  assert_true(measured("lift/hard/sliding") == 0 && measured("lift/hard-4ms/sliding") == 0);
  assert_less(measured("lift/convex/slid"), 0.01 * 1e3 * measured("lift/convex/lifted"));
  const double law = pki_study_get(&result, "lift/soft/creep")->paper;
  assert_near(law, 4.6, 0.1);
  assert_near(measured("lift/soft/creep"), law, 0.3 * law);
}

static void soft_elbows_press_less_and_give_way_more(void **state)
{
  (void)state;
  static const char *const laws[] = {"soft", "hard"};
  for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
    char stiff[64], soft[64];
    snprintf(stiff, sizeof stiff, "elbows/%s/stiff-grasp", laws[i]);
    snprintf(soft, sizeof soft, "elbows/%s/soft-grasp", laws[i]);
    assert_less(measured(soft), 0.5 * measured(stiff));
    snprintf(stiff, sizeof stiff, "elbows/%s/stiff-deflection", laws[i]);
    snprintf(soft, sizeof soft, "elbows/%s/soft-deflection", laws[i]);
    assert_greater(measured(soft), 5 * measured(stiff));
  }
}

/* On the negative real axis RK4 is stable to 2.785294, on the imaginary one to 2 sqrt 2; and the point at which |R| = 1 is one. */
static void the_limit_of_rk4_is_where_it_neither_grows_nor_decays(void **state)
{
  (void)state;
  assert_near(pki_coman_rk4_limit(-100, 0), 2.785293563405e-2, 1e-9);
  assert_near(pki_coman_rk4_limit(-1e-9, 10), sqrt(8) / 10, 1e-6);
  const double complex z = pki_coman_rk4_limit(-2097, 1997) * (-2097 + 1997 * I);
  assert_near(cabs(1 + z + z * z / 2 + z * z * z / 6 + z * z * z * z / 24), 1, 1e-9);
  assert_true(pki_coman_rk4_limit(1, 0) == 0);
}

/* x'' = -100 x - d x': decays with d = 20, twice at -10; grows with d = -1. */
static void a_linear_model_that_grows_by_itself_has_no_limit(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  double limit, value[2];
  const double decays[4] = {0, 1, -100, -20}, rests[4] = {0, 1, 0, -20}, grows[4] = {0, 1, -100, 1};
  assert_int_equal(pki_coman_linear_limit(decays, 2, &limit, value, &err), PK_OK);
  assert_near(limit, 0.2785293563405, 1e-6);
  assert_int_equal(pki_coman_linear_limit(rests, 2, &limit, value, &err), PK_OK); /* zero is no growth */
  assert_near(limit, 0.5 * 0.2785293563405, 1e-6);
  assert_int_equal(pki_coman_linear_limit(grows, 2, &limit, value, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "grows by itself"));
}

/* The shoulders' yaw springs, 8400 N m/rad on 1.02e-3 kg m^2, are the paper's 9e-4 s. */
static void a_spring_of_the_shoulder_limits_explicit_steps(void **state)
{
  (void)state;
  assert_near(measured("limit/whole"), 9.4e-4, 2e-5);
  assert_near(measured("limit/joint"), measured("limit/whole"), 1e-5);
  assert_near(measured("limit/friction"), 2.1e-5, 2e-6);
}

/* At the creep of the law friction is the load. */
static void the_creep_of_the_law_holds_its_load(void **state)
{
  (void)state;
  const double u = pki_coman_creep(0.5), x = u / 0.01;
  assert_near(1.1 * (10 * x * x * x - 15 * x * x * x * x + 6 * x * x * x * x * x) + 0.5 * u, 0.5, 1e-9);
  assert_true(isnan(pki_coman_creep(1.2)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_that_is_held_is_met),
      cmocka_unit_test(the_weight_goes_from_the_table_to_the_wrists),
      cmocka_unit_test(wrists_hold_the_box),
      cmocka_unit_test(soft_elbows_press_less_and_give_way_more),
      cmocka_unit_test(the_limit_of_rk4_is_where_it_neither_grows_nor_decays),
      cmocka_unit_test(a_linear_model_that_grows_by_itself_has_no_limit),
      cmocka_unit_test(a_spring_of_the_shoulder_limits_explicit_steps),
      cmocka_unit_test(the_creep_of_the_law_holds_its_load),
  };
  return cmocka_run_group_tests(tests, run_quick, free_quick);
}
