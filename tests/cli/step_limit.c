/* pronk step-limit as a user meets it. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "support/bounds.h"

static char folder[64];

static int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  snprintf(folder, sizeof folder, "/tmp/pronk-limit-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  write_file("zero.csv", "time, hinge\n0, 0\n");
  write_file("stiff.yaml", "gravity: [0, 0, 0]\nduration: 20\n"
                           "model: {model: pendulum, joints: {hinge: 0.4}}\n"
                           "step: {stepper: euler, implicit: none}\n"
                           "controller: {name: track, file: zero.csv, kp: 20000, kd: 200, period: 1e-3}\n");
  return 0;
}

static int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

/* sqrt(kd^2 + 4 kp I) - kd over kp, of tests/tune/step_limit.c */
static void the_largest_stable_step_is_printed(void **state)
{
  (void)state;
  const double exact = (sqrt(200 * 200 + 4 * 20000 * 6.5) - 200) / 20000;
  run_result r = run("step-limit stiff.yaml");
  assert_int_equal(r.status, 0);
  assert_string_equal(
      r.err,
      "pronk step-limit: note: the scenario gives its controller a period; here it acted in each step\n");
  const char *line = strstr(r.out, "Largest stable step: ");
  assert_non_null(line);
  assert_near(strtod(line + strlen("Largest stable step: "), NULL), exact, 0.011 * exact);
  assert_true(contains(r.out, " step (ms)    verdict  tracking error"));
  assert_true(contains(r.out, "       0.5  reference"));
  assert_true(contains(r.out, "        32      speed"));
  assert_true(contains(r.out, "Report: out/stiff-step-limit/report.html\n"));
  assert_true(pki_is_file("out/stiff-step-limit/report.html"));
  run_free(&r);
}

static void json_has_every_run(void **state)
{
  (void)state;
  cJSON *o = run_json("step-limit stiff.yaml --tolerance 1e-3 --from 2e-3 --json -o x", 0);
  const double stable = cJSON_GetObjectItem(o, "stable")->valuedouble,
               unstable = cJSON_GetObjectItem(o, "unstable")->valuedouble;
  assert_less(stable, unstable);
  assert_at_most(unstable - stable, 1e-3 * stable);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "period_follows_step")));
  const cJSON *runs = cJSON_GetObjectItem(o, "runs"), *run_of;
  double expected = 1e-3;
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetArrayItem(runs, 0), "reference")));
  cJSON_ArrayForEach(run_of, runs)
  {
    const double dt = cJSON_GetObjectItem(run_of, "dt")->valuedouble;
    assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(run_of, "stable")), dt <= stable);
    if (dt < stable && expected < 0.02) { /* doubling */
      assert_near(dt, expected, 1e-12);
      expected *= 2;
    }
  }
  assert_true(pki_is_file("x/report.html"));
  cJSON_Delete(o);
}

static void no_stable_step_is_a_failure(void **state)
{
  (void)state;
  run_result r = run("step-limit stiff.yaml --from 0.05 --reference 1e-3");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "No stable step: the first is unstable\n"));
  run_free(&r);
}

static void expect_complaint(const char *arguments, const char *message)
{
  run_result r = run(arguments);
  assert_int_equal(r.status, 2);
  assert_string_equal(r.err, message);
  run_free(&r);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  expect_complaint("step-limit stiff.yaml --from 0.2 --cap 0.1",
                   "pronk step-limit: --cap is 0.1 s, expected no less than --from, 0.2 s\n");
  expect_complaint("step-limit stiff.yaml --reference 0.2",
                   "pronk step-limit: --reference is 0.2 s, expected no more than --from, 0.001 s\n");
  expect_complaint("step-limit stiff.yaml --factor 0.5",
                   "pronk step-limit: --factor is '0.5', expected a number from 1 to 1e+09\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_stable_step_is_printed),
      cmocka_unit_test(json_has_every_run),
      cmocka_unit_test(no_stable_step_is_a_failure),
      cmocka_unit_test(wrong_usage_is_told),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
