/* What can be asked for, and what is said where it cannot. */
#define _XOPEN_SOURCE 700
#include "tune/support.h"

static void refuse_vary(const char *text, const char *message)
{
  pki_tune t = {.duration = -1};
  pk_error err = {.message = ""};
  vary(&t, "controller.ki=0:1");
  assert_int_equal(pki_tune_add_parameter(&t, text, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "--vary");
  assert_string_equal(err.message, message);
  assert_int_equal(t.nparameter, 1);
}

#define EXPECTED ", expected KEY=LOW:HIGH or KEY=LOW:HIGH:SCALE, as controller.kp=10:1000:log"

static void wrong_bounds_are_told(void **state)
{
  (void)state;
  refuse_vary("controller.kp", "'controller.kp': there is no key" EXPECTED);
  refuse_vary("=1:2", "'=1:2': there is no key" EXPECTED);
  refuse_vary("kp=", "'kp=': there are no two bounds" EXPECTED);
  refuse_vary("kp=1", "'kp=1': there are no two bounds" EXPECTED);
  refuse_vary("kp=1,2", "'kp=1,2': there are no two bounds" EXPECTED);
  refuse_vary("kp=1:", "'kp=1:': there are no two bounds" EXPECTED);
  refuse_vary("kp=1:inf", "'kp=1:inf': there are no two bounds" EXPECTED);
  refuse_vary("kp=1:2x", "'kp=1:2x': there are no two bounds" EXPECTED);
  refuse_vary("kp=1:2:lag", "unknown scale 'lag'; did you mean 'log'? (one of: linear, log, whole)");
  refuse_vary("kp=2:2", "kp goes from 2 to 2, expected a lower bound below the upper one");
  refuse_vary("kp=3:2", "kp goes from 3 to 2, expected a lower bound below the upper one");
  refuse_vary("kp=0:2:log", "kp goes from 0 to 2 by its logarithm, expected a lower bound above zero");
  refuse_vary("kp=0.5:2:whole", "kp goes from 0.5 to 2, expected whole numbers");
  refuse_vary("controller.ki=1:2", "controller.ki comes twice");
}

static void wrong_methods_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"bobyka", "there is no method 'bobyka'; did you mean 'bobyqa'? (pronk list methods)"},
      {"sobol+", "there is no method '' (pronk list methods)"},
      {"sobol+direct", "'sobol+direct': expected a global method, then a local one, as sobol+sbplx"},
      {"sbplx+sobol", "'sbplx+sobol': expected a global method, then a local one, as sobol+sbplx"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_tune t = {0};
    pk_error err = {.message = ""};
    assert_int_equal(pki_tune_set_method(&t, cases[i].text, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, "--method");
    assert_string_equal(err.message, cases[i].message);
  }
  pki_tune t = {0};
  pk_error err;
  assert_int_equal(pki_tune_set_method(&t, "direct+bobyqa", &err), PK_OK);
  assert_string_equal(t.global->name, "direct");
  assert_string_equal(t.local->name, "bobyqa");
  assert_int_equal(pki_tune_set_method(&t, "crs", &err), PK_OK);
  assert_true(t.global != NULL && t.local == NULL);
  assert_int_equal(pki_tune_set_method(&t, "cobyla", &err), PK_OK);
  assert_true(t.global == NULL && t.local != NULL);
}

static void values_and_the_unit_interval_are_inverse(void **state)
{
  (void)state;
  pki_tune t = {0};
  vary(&t, "a=-3:5");
  vary(&t, "b=0.01:1000:log");
  vary(&t, "c=2:6:whole");
  for (int k = 0; k <= 100; k++) {
    const double u = k / 100.0;
    assert_near(pki_tune_value(&t.parameters[0], u), -3 + 8 * u, 1e-11);
    assert_near(pki_tune_value(&t.parameters[1], u), pow(10, -2 + 5 * u), 1e-11 * pow(10, -2 + 5 * u));
    for (int i = 0; i < 2; i++) {
      assert_near(pki_tune_unit(&t.parameters[i], pki_tune_value(&t.parameters[i], u)), u, 1e-11);
    }
    const double whole = pki_tune_value(&t.parameters[2], u);
    assert_true(whole == floor(whole) && whole >= 2 && whole <= 6);
  }
  assert_true(pki_tune_value(&t.parameters[1], 0) == 0.01 && pki_tune_value(&t.parameters[1], 1) == 1000);
}

static void the_scenario_s_own_values_are_found(void **state)
{
  (void)state;
  pki_tune t = begin_tune("sbplx", 10);
  vary(&t, "controller.kp=1:2");
  vary(&t, "controller.ki=1:2");
  vary(&t, "gravity.2=-1:1");
  vary(&t, "vary.0.to=0:1");
  vary(&t, "controller.file=0:1");
  assert_true(pki_tune_written(&t, 0) == 162.5);
  assert_true(isnan(pki_tune_written(&t, 1)));
  assert_true(pki_tune_written(&t, 2) == 0);
  assert_true(pki_tune_written(&t, 3) == 0.3);
  assert_true(isnan(pki_tune_written(&t, 4)));
  pki_tune_free(&t);
}

static void refuse_check(const char *text, const char *message)
{
  pki_tune t = begin_tune("sbplx", 10);
  pk_error err = {.message = ""};
  vary(&t, text);
  assert_int_equal(pki_tune_check(&t, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "--vary");
  if (strncmp(err.message, message, strlen(message)) != 0) {
    fail_msg("%s", err.message);
  }
  pki_tune_free(&t);
}

static void keys_that_the_scenario_does_not_take_are_told(void **state)
{
  (void)state;
  refuse_check("controller.kq=1:2", "controller.kq: --set controller.kq=1: controller.kq: there is no key "
                                    "\"kq\"; did you mean \"kp\"? (one of: ");
  refuse_check("controller.kp=-5:10",
               "controller.kp: --set controller.kp=-5: controller.kp: kp is -5, expected 0 to 1e+09");
  refuse_check("model.joints.hing=0:1", "model.joints.hing: --set model.joints.hing=0: model.joints.hing: ");
}

static void worlds_that_are_all_equal_are_not_averaged(void **state)
{
  (void)state;
  pki_tune t = begin_tune("sbplx", 10);
  vary(&t, "controller.kp=1:2");
  t.worlds = 4;
  pk_error err = {.message = ""};
  assert_int_equal(pki_tune_check(&t, &err), PK_OK);
  pki_scenario_destroy(t.base);
  const char *const sets[] = {"vary=[]"};
  assert_int_equal(pki_scenario_load("offset.yaml", sets, 1, &t.base, &err), PK_OK);
  assert_int_equal(pki_tune_check(&t, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "--worlds");
  assert_string_equal(err.message,
                      "there are 4 worlds to average over, but the scenario's are all equal: give it a "
                      "section vary or disturb (docs/formats/scenario.md)");
  pki_tune_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_bounds_are_told),
      cmocka_unit_test(wrong_methods_are_told),
      cmocka_unit_test(values_and_the_unit_interval_are_inverse),
      cmocka_unit_test(the_scenario_s_own_values_are_found),
      cmocka_unit_test(keys_that_the_scenario_does_not_take_are_told),
      cmocka_unit_test(worlds_that_are_all_equal_are_not_averaged),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
