/* pronk stability, from the outside. */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const cJSON *object, const char *measure, const char *key)
{
  const cJSON *row = cJSON_GetObjectItem(cJSON_GetObjectItem(object, "measures"), measure);
  const cJSON *value = cJSON_GetObjectItem(row, key);
  assert_true(cJSON_IsNumber(value));
  return value->valuedouble;
}

static int record(void **state)
{
  (void)state;
  run_result r = run("run starleth-trot --duration 1 -o stability-run --set stability.tip_speed=1.5");
  const int status = r.status;
  run_free(&r);
  return status;
}

static void a_recording_has_a_table_a_file_and_a_report(void **state)
{
  (void)state;
  run_result r = run("stability stability-run -o stability-out");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "starleth: 401 samples, 1 s"));
  static const char *const names[] = {"static_margin",
                                      "zmp",
                                      "fri",
                                      "s_h",
                                      "dcm",
                                      "energy_margin",
                                      "force_angle",
                                      "wrench_margin",
                                      "J_s1",
                                      "J_s2",
                                      "stability-out/stability.csv",
                                      "stability-out/report.html"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_true(contains(r.out, names[i]));
  }
  run_free(&r);
  char out[4096];
  assert_int_equal(shell("wc -l < stability-out/stability.csv", out, sizeof out), 0);
  assert_int_equal(atoi(out), 402);
  assert_int_equal(shell("grep -c 'stability-plan' stability-out/report.html", out, sizeof out), 0);
  assert_int_equal(shell("grep -c 'two feet, diagonal' stability-out/stability.csv", out, sizeof out), 0);
  assert_true(atoi(out) > 100);
}

/* The options are those of the run's scenario unless others are given. */
static void options_come_from_the_scenario_and_the_command_line(void **state)
{
  (void)state;
  cJSON *slow = run_json("stability stability-run/run.mcap -o stability-out --json", 0);
  cJSON *fast = run_json("stability stability-run -o stability-out --json --set tip_speed=2 --set "
                         "tip_direction=perpendicular",
                         0);
  cJSON *part =
      run_json("stability stability-run -o stability-out --json --from 0.5 --to 0.75 --robot starleth", 0);
  assert_true(number(slow, "s_h", "mean") < number(fast, "s_h", "mean"));
  assert_true(number(slow, "static_margin", "least") == number(fast, "static_margin", "least"));
  assert_int_equal(cJSON_GetObjectItem(part, "samples")->valueint, 101);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(part, "report")), "stability-out/report.html");
  assert_true(cJSON_GetObjectItem(slow, "js2")->valuedouble == -number(slow, "s_h", "least"));
  cJSON_Delete(slow);
  cJSON_Delete(fast);
  cJSON_Delete(part);
}

/* What the run said of itself is what its recording tells. */
static void the_summary_of_the_run_has_the_same_sums(void **state)
{
  (void)state;
  cJSON *recorded = run_json("stability stability-run -o stability-out --json", 0);
  cJSON *ran = run_json("run starleth-trot --duration 1 -n --set stability.tip_speed=1.5 --json", 0);
  const cJSON *stability = cJSON_GetObjectItem(ran, "stability");
  assert_non_null(stability);
  static const char *const names[] = {"static_margin", "s_h", "fri", "dcm", "energy_margin"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const double a = number(stability, names[i], "mean"), b = number(recorded, names[i], "mean");
    assert_true(a - b < 1e-7 && b - a < 1e-7);
  }
  cJSON *without = run_json("run starleth-trot --duration 0.1 -n --json", 0);
  assert_null(cJSON_GetObjectItem(without, "stability"));
  cJSON_Delete(recorded);
  cJSON_Delete(ran);
  cJSON_Delete(without);
}

static void expect_usage(const char *arguments, const char *message)
{
  run_result r = run(arguments);
  assert_int_equal(r.status, 2);
  if (!contains(r.err, message)) {
    fail_msg("%s", r.err);
  }
  run_free(&r);
}

static void what_is_wrong_is_told(void **state)
{
  (void)state;
  expect_usage("stability", "name a recording: run.mcap, or the folder of a run");
  expect_usage("stability stability-run stability-run", "one recording at a time");
  expect_usage("stability none.mcap", "none.mcap");
  expect_usage("stability stability-run --set tip_sped=1", "did you mean \"tip_speed\"?");
  expect_usage("stability stability-run --set tip_speed", "--set takes KEY=VALUE, got 'tip_speed'");
  expect_usage("stability stability-run --set tip_speed=-1", "tip_speed is -1, expected 0 to 1000 m/s");
  expect_usage("stability stability-run --robot starlet", "did you mean \"starleth\"?");
  expect_usage("stability stability-run --from never", "from");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording_has_a_table_a_file_and_a_report),
      cmocka_unit_test(options_come_from_the_scenario_and_the_command_line),
      cmocka_unit_test(the_summary_of_the_run_has_the_same_sums),
      cmocka_unit_test(what_is_wrong_is_told),
  };
  return cmocka_run_group_tests(tests, record, NULL);
}
