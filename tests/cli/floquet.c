/* pronk floquet as a user meets it. */
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

/* A pendulum of 6.5 kg m^2 without gravity that is held by a spring and a damper, explicit, in steps of 1 ms. */
static int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  snprintf(folder, sizeof folder, "/tmp/pronk-floquet-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  write_file("zero.csv", "time, hinge\n0, 0\n");
  write_file("held.yaml", "gravity: [0, 0, 0]\nduration: 20\n"
                          "model: {model: pendulum, joints: {hinge: 0.4}}\n"
                          "step: {stepper: euler, implicit: none}\n"
                          "controller: {name: track, file: zero.csv, kp: 260, kd: 13}\n");
  return 0;
}

static int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

/* The modulus of (q, u) after 250 steps u' = u - dt (kp q + kd u) / I, q' = q + dt u': its square is the determinant,
 * 1 - dt kd / I a step. */
static void multipliers_are_those_of_the_closed_form(void **state)
{
  (void)state;
  const double modulus = pow(1 - 1e-3 * 13 / 6.5, 125);
  cJSON *o = run_json("floquet held.yaml --period 0.25 --json", 0);
  assert_string_equal(cJSON_GetObjectItem(o, "verdict")->valuestring, "stable");
  assert_near(cJSON_GetObjectItem(o, "radius")->valuedouble, modulus, 1e-8);
  assert_int_equal(cJSON_GetObjectItem(o, "steps")->valueint, 250);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "multipliers")), 2);
  assert_int_equal(cJSON_GetObjectItem(o, "order")->valueint, 0);
  /* random errors die out at that rate, too */
  const cJSON *decay = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "decay"), 0);
  assert_near(cJSON_GetObjectItem(decay, "rate")->valuedouble, modulus, 0.05);
  cJSON_Delete(o);
  assert_true(pki_is_file("out/held-floquet/report.html"));
}

static void what_was_found_is_printed(void **state)
{
  (void)state;
  run_result r = run("floquet held.yaml --period 0.25 -o there");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "  verdict                            stable\n"));
  assert_true(contains(r.out, "  largest multiplier                 0.77861 +- "));
  assert_true(contains(r.out, "  stride                             0.25 s, 250 steps\n"));
  assert_true(contains(r.out, "does not count"));
  assert_true(contains(r.out, "Report: there/report.html\n"));
  run_free(&r);
}

static void a_motion_that_dies_out_has_no_period_of_its_own(void **state)
{
  (void)state;
  run_result r = run("floquet held.yaml --settle 20");
  assert_int_equal(r.status, 1);
  assert_true(contains(
      r.err, "pronk floquet: --period: no period was found in the motion up to 10 s: give the time of a "
             "stride by --period, or more time by --settle\n"));
  run_free(&r);
}

/* What the controller remembers counts, the place is neutral, and full simulations of random errors agree with the multipliers. */
static void a_trot_is_stable_and_random_errors_die_out_as_its_multipliers_say(void **state)
{
  (void)state;
  cJSON *o = run_json("floquet " PK_SOURCE_DIR "/scenarios/starleth-trot.yaml --json", 0);
  const double radius = cJSON_GetObjectItem(o, "radius")->valuedouble;
  assert_string_equal(cJSON_GetObjectItem(o, "verdict")->valuestring, "stable");
  assert_int_equal(cJSON_GetObjectItem(o, "steps")->valueint,
                   320); /* a cycle of 0.8 s, found from the motion */
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "period_found")));
  assert_greater(cJSON_GetObjectItem(o, "order")->valueint, 3);
  assert_less(cJSON_GetObjectItem(o, "radius_error")->valuedouble, 0.01);
  const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "multipliers"), 0), *decay = NULL;
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(first, "neutral")));
  cJSON_ArrayForEach(decay, cJSON_GetObjectItem(o, "decay"))
  {
    assert_near(cJSON_GetObjectItem(decay, "rate")->valuedouble, radius, 0.05); /* pairs beat */
  }
  cJSON_Delete(o);
}

static void options_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  run_result r = run("floquet held.yaml --period 0.2505");
  assert_int_equal(r.status, 2);
  assert_string_equal(
      r.err,
      "pronk floquet: --period: --period is 0.2505 s, expected a whole number of steps of 0.001 s, up to a "
      "million\n");
  run_free(&r);
  r = run("floquet held.yaml --strides 3");
  assert_int_equal(r.status, 2);
  assert_string_equal(r.err, "pronk floquet: --strides is 3, expected 1 or an even number\n");
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multipliers_are_those_of_the_closed_form),
      cmocka_unit_test(what_was_found_is_printed),
      cmocka_unit_test(a_motion_that_dies_out_has_no_period_of_its_own),
      cmocka_unit_test(a_trot_is_stable_and_random_errors_die_out_as_its_multipliers_say),
      cmocka_unit_test(options_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
