/* pronk run, from the outside. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void json_has_the_promised_fields(void **state)
{
  (void)state;
  cJSON *o = run_json("run -n starleth-stand --duration 0.5 --certify --json", 0);
  static const char *const numbers[] = {"duration",       "steps",       "real_time_factor", "distance",
                                        "worst_residual", "energy_in",   "positive_work",    "height",
                                        "penetration",    "contacts_max"};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(o, numbers[i])));
  }
  assert_string_equal(cJSON_GetObjectItem(o, "scenario")->valuestring, "starleth-stand");
  assert_int_equal(cJSON_GetObjectItem(o, "steps")->valueint, 200);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "fell")));
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "certified")));
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "peak_torques")), 12);
  cJSON_Delete(o);
}

static void a_person_sees_a_table(void **state)
{
  (void)state;
  run_result r = run("run -n starleth-stand --duration=0.1 --set name=mine");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "mine: StarLETH stands on a plane"));
  assert_true(contains(r.out, "0.1 s in 40 steps"));
  assert_true(contains(r.out, "worst certificate"));
  assert_string_equal(r.err, ""); /* no progress bar in a pipe */
  run_free(&r);
}

static void a_step_above_the_bound_fails_a_certified_run(void **state)
{
  (void)state;
  run_result r = run("run -n starleth-stand --duration 0.1 --certify 1e-15");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "of 40 steps above the bound 1e-15; the worst: "));
  assert_true(contains(r.err, "in step "));
  run_free(&r);
  r = run("run -n --certify starleth-stand --duration 0.1 --set certify=1e-15");
  assert_int_equal(r.status, 1);
  run_free(&r);
  r = run("run -n starleth-stand --duration 0.1 --set certify=1e-15");
  assert_int_equal(r.status, 1);
  run_free(&r);
}

/* A ball that slides along the ground, 0.1 m within it: nothing can lift it out. */
static void a_row_that_nothing_can_move_fails_a_certified_run(void **state)
{
  (void)state;
  write_file("run_still.urdf",
             "<robot name=\"still\"><link name=\"base\"/><link name=\"ball\">"
             "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
             "iyz=\"0\"/></inertial>"
             "<collision><geometry><sphere radius=\"0.3\"/></geometry></collision></link>"
             "<joint name=\"slide\" type=\"prismatic\"><parent link=\"base\"/><child link=\"ball\"/>"
             "<origin xyz=\"0 0 0.2\"/><axis xyz=\"1 0 0\"/>"
             "<limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/></joint></robot>\n");
  write_file("run_still.yaml", "models: [{model: run_still.urdf, root: fixed}]\n"
                               "terrain: [{shape: plane}]\n"
                               "duration: 0.01\n");
  run_result r = run("run -n run_still.yaml");
  assert_int_equal(r.status, 0);
  run_free(&r);
  r = run("run -n run_still.yaml --certify");
  if (r.status != 1 || !contains(r.err, "10 of 10 steps above the bound")) {
    fail_msg("status %d\n%s%s", r.status, r.out, r.err);
  }
  run_free(&r);
  r = run("run -n run_still.yaml --certify 1e-3"); /* whatever bound its residuals meet */
  assert_int_equal(r.status, 1);
  run_free(&r);
  remove("run_still.urdf"), remove("run_still.yaml");
}

/* Springs have no problem whose solution could be judged. */
static void contacts_on_springs_are_not_certified(void **state)
{
  (void)state;
  run_result r = run("run -n starleth-stand --duration 0.1 --set step.law=compliant --set step.dt=1e-4");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "joint rows alone: contacts of the law compliant are springs"));
  run_free(&r);
  r = run("run -n starleth-stand --duration 0.1 --set step.law=compliant --set step.dt=1e-4 --certify");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "contacts of the law compliant are springs, which nothing certifies"));
  run_free(&r);
  cJSON *o =
      run_json("run -n starleth-stand --duration 0.1 --set step.law=compliant --set step.dt=1e-4 --json", 0);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "certified")));
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "contacts_on_springs")));
  cJSON_Delete(o);
}

static void the_solver_of_a_complementarity_problem_is_named(void **state)
{
  (void)state;
  cJSON *o = run_json("run -n starleth-stand --duration 0.1 --set step.law=lcp-pyramid --set "
                      "step.lcp=dantzig --certify --json",
                      0);
  assert_string_equal(cJSON_GetObjectItem(o, "worst_solver")->valuestring, "dantzig");
  cJSON_Delete(o);
  run_result r = run("check thesis-drop-01");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "lcp-pyramid contact, lcp auto to 1e-08"));
  run_free(&r);
}

static void wrong_input_is_told_with_its_place(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"run", "name one scenario"},
      {"run starleth-stnad", "did you mean 'starleth-stand'?"},
      {"run starleth-stand --duration long", "--duration is 'long', expected a number"},
      {"run starleth-stand --certify=x", "--certify is 'x', expected a number"},
      {"run starleth-stand --set step.dtt=1",
       "--set step.dtt=1: step.dtt: there is no key \"dtt\"; did you mean \"dt\"?"},
      {"run run_wrong.yaml", "run_wrong.yaml:2: duration: duration is \"soon\", expected a number"},
  };
  write_file("run_wrong.yaml", "model: starleth\nduration: soon\n");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i][0]);
    assert_int_equal(r.status, 2);
    assert_true(contains(r.err, cases[i][1]));
    assert_string_equal(r.out, "");
    run_free(&r);
  }
  run_result r = run("check run_wrong.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "run_wrong.yaml:2: error: duration: "));
  assert_true(contains(r.out, "run_wrong.yaml: not ok, 1 error"));
  run_free(&r);
  cJSON *o = run_json("check run_wrong.yaml --json", 2);
  assert_int_equal(
      cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "errors"), 0), "line")->valueint, 2);
  cJSON_Delete(o);
  remove("run_wrong.yaml");
}

static void output_goes_where_it_is_asked_for(void **state)
{
  (void)state;
  run_result r = run("run starleth-push --duration 0.05 -o run_out/deep");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "Report:    run_out/deep/report.html"));
  run_free(&r);
  static const char *const files[] = {"run_out/deep/summary.json", "run_out/deep/run.mcap",
                                      "run_out/deep/report.html", "run_out/deep", "run_out"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    assert_int_equal(remove(files[i]), 0);
  }
  r = run("run starleth-push --duration 0.05 -o /dev/null/x");
  assert_int_equal(r.status, 1);
  run_free(&r);
}

static void the_lists_know_scenarios_and_controllers(void **state)
{
  (void)state;
  run_result r = run("list scenarios");
  assert_true(contains(r.out, "starleth-trot"));
  assert_true(contains(r.out, "StarLETH is dropped"));
  run_free(&r);
  r = run("list controllers");
  assert_true(contains(r.out, "locomotion"));
  run_free(&r);
  r = run("check starleth-trot.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "controller  locomotion"));
  run_free(&r);
}

int main(void)
{
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_the_promised_fields),
      cmocka_unit_test(a_person_sees_a_table),
      cmocka_unit_test(a_step_above_the_bound_fails_a_certified_run),
      cmocka_unit_test(a_row_that_nothing_can_move_fails_a_certified_run),
      cmocka_unit_test(contacts_on_springs_are_not_certified),
      cmocka_unit_test(the_solver_of_a_complementarity_problem_is_named),
      cmocka_unit_test(wrong_input_is_told_with_its_place),
      cmocka_unit_test(output_goes_where_it_is_asked_for),
      cmocka_unit_test(the_lists_know_scenarios_and_controllers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
