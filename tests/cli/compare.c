/* pronk compare, from the outside. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool exists(const char *path)
{
  return access(path, F_OK) == 0;
}

static const char *string(const cJSON *object, const char *key)
{
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
  assert_non_null(text);
  return text;
}

static void every_combination_is_a_row_and_a_folder(void **state)
{
  (void)state;
  cJSON *o =
      run_json("compare starleth-stand --vary controller.friction=0.4,0.5 --vary step.dt=2.5e-3,1.25e-3 "
               "--duration 0.1 -o compare-out --json",
               0);
  const cJSON *rows = cJSON_GetObjectItem(o, "rows");
  assert_int_equal(cJSON_GetArraySize(rows), 4);
  assert_string_equal(string(o, "scenario"), "starleth-stand");
  assert_string_equal(string(o, "report"), "compare-out/report.html");
  for (int i = 0; i < 4; i++) {
    const cJSON *row = cJSON_GetArrayItem(rows, i);
    static const char *const numbers[] = {"distance",       "mean_speed",       "energy_in", "peak_torque",
                                          "worst_residual", "real_time_factor", "slips"};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      assert_true(cJSON_IsNumber(cJSON_GetObjectItem(row, numbers[k])));
    }
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(row, "ran")));
    assert_int_equal(cJSON_GetObjectItem(row, "steps")->valueint, i % 2 == 0 ? 40 : 80);
    assert_string_equal(string(cJSON_GetObjectItem(row, "set"), "controller.friction"),
                        i < 2 ? "0.4" : "0.5");
  }
  assert_string_equal(string(cJSON_GetArrayItem(rows, 3), "variant"), "friction=0.5, dt=1.25e-3");
  cJSON_Delete(o);
  assert_true(exists("compare-out/report.html"));
  assert_true(exists("compare-out/friction=0.4_dt=1.25e-3/run.mcap"));
  assert_true(exists("compare-out/friction=0.5_dt=2.5e-3/summary.json"));
  assert_true(exists("compare-out/friction=0.5_dt=2.5e-3/report.html"));
}

static void a_person_sees_a_table(void **state)
{
  (void)state;
  shell("rm -rf compare-out", (char[8]){0}, 8);
  run_result r =
      run("compare starleth-stand --vary=controller.friction=0.4,0.5 --duration=0.05 -o compare-out");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "starleth-stand: 2 variants") && contains(r.out, "friction=0.5"));
  assert_true(contains(r.out, "Report: compare-out/report.html"));
  assert_string_equal(r.err, ""); /* no progress bar in a pipe */
  run_free(&r);
}

static void a_variant_that_is_refused_does_not_stop_the_others(void **state)
{
  (void)state;
  run_result r =
      run("compare starleth-stand --vary controller.friction=-1,0.5 --duration 0.05 -o compare-bad");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "pronk compare: friction=-1: ") && contains(r.err, "friction is -1"));
  assert_true(contains(r.out, "friction=0.5"));
  run_free(&r);
  assert_true(exists("compare-bad/report.html") && exists("compare-bad/friction=0.5/run.mcap"));
  cJSON *o = run_json(
      "compare starleth-stand --vary controller.friction=-1,0.5 --duration 0.05 -o compare-bad --json", 1);
  const cJSON *rows = cJSON_GetObjectItem(o, "rows"), *first = cJSON_GetArrayItem(rows, 0);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(first, "ran")));
  assert_true(contains(string(first, "message"), "-1"));
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 1), "ran")));
  cJSON_Delete(o);
}

static void when_all_are_refused_nothing_is_written(void **state)
{
  (void)state;
  run_result r = run("compare starleth-stand --vary controller.frction=1,2 --duration 0.05 -o compare-none");
  assert_int_equal(r.status, 2);
  assert_string_equal(r.out, "");
  const char *told = strstr(r.err, "there is no key \"frction\"");
  assert_non_null(told);
  assert_null(strstr(told + 1, "there is no key")); /* once for all */
  run_free(&r);
  assert_false(exists("compare-none"));
}

static void a_large_grid_is_announced(void **state)
{
  (void)state;
  run_result r =
      run("compare starleth-stand --vary seed=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,"
          "23,24,25,26,27,28,29,30,31,32,33 --duration 0 -o compare-many");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "note: 33 combinations"));
  run_free(&r);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"compare", "name one scenario and what varies"},
      {"compare starleth-stand", "name one scenario and what varies"},
      {"compare starleth-stnad --vary a=1", "did you mean 'starleth-stand'?"},
      {"compare starleth-stand --vary kp", "found 'kp', expected KEY=A,B,..."},
      {"compare starleth-stand --vary a=1 --duration x", "--duration is 'x'"},
      {"compare starleth-stand --vray a=1", "did you mean"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i][0]);
    if (r.status != 2 || !contains(r.err, cases[i][1])) {
      fail_msg("pronk %s: status %d, '%s'", cases[i][0], r.status, r.err);
    }
    run_free(&r);
  }
}

static int set_up(void **state)
{
  (void)state;
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  return system("rm -rf compare-out compare-bad compare-many") != 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_is_a_row_and_a_folder),
      cmocka_unit_test(a_person_sees_a_table),
      cmocka_unit_test(a_variant_that_is_refused_does_not_stop_the_others),
      cmocka_unit_test(when_all_are_refused_nothing_is_written),
      cmocka_unit_test(a_large_grid_is_announced),
      cmocka_unit_test(wrong_usage_is_told),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
