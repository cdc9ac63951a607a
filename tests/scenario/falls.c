/* Robots that fall limp, are thrown while motors hold them, and lie under motors that are too weak, from random starts: every step is
 * solved and certified at 1e-8, but for one in a thousand, and all at 1e-6; nothing is shifted. With the word "long" (and PRONK_LONG
 * set) 200 starts of each, ten minutes simulated, instead of three. `ctest -R scenario/falls -V` prints the counts. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/help.h"
#include "support/bounds.h"
#include "support/pace.h"

#define STEP "step: {dt: 2.5e-3, tolerance: 1e-8}\n"

static int starts = PACE(3, 1);

/* What the steps of a scene came to. */
typedef struct outcome {
  int steps, uncertified, shifted;
  double worst; /* relative residual */
} outcome;

static void run_start(const char *text, uint64_t seed, outcome *o)
{
  pki_scenario *scenario = good_scenario(text, NULL);
  pki_world world = good_world(scenario);
  const int before = o->uncertified;
  start_at_random(&world, seed, 0.3, 0.5, 6);
  for (int i = 0; i < (int)(3 / scenario->step.dt); i++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
    o->steps++, o->uncertified += !info.certified, o->shifted += info.shifted > 0;
    o->worst = fmax(o->worst, info.certificate.relative);
  }
  assert_int_equal(pk_sim_uncertified(world.sim), o->uncertified - before);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
}

/* One robot under one controller, from all starts. */
static void expect_certified(const char *model, double height, const char *motion, const char *controller)
{
  char text[512];
  snprintf(text, sizeof text, "duration: 3\nmodel: {model: %s, position: [0, 0, %g]}\n" GROUND STEP "%s",
           model, height, controller);
  outcome o = {0};
  for (int s = 0; s < starts; s++) {
    run_start(text, (uint64_t)s + 1, &o);
  }
  print_message("%s %s: %d of %d steps above 1e-8, worst %.1e, %d shifted\n", model, motion, o.uncertified,
                o.steps, o.worst, o.shifted);
  assert_int_equal(o.steps, starts * 1200);
  assert_in_range(o.uncertified, 0, o.steps / 1000);
  assert_at_most(o.worst, 1e-6);
  assert_int_equal(o.shifted, 0);
}

static void expect_motions_certified(const char *model, double height, double weak)
{
  char controller[96];
  expect_certified(model, height, "limp", "");
  expect_certified(model, height, "thrown", "controller: {name: hold, kp: 200, kd: 5}\n");
  snprintf(controller, sizeof controller, "controller: {name: hold, kp: 200, kd: 5, tau_max: %g}\n", weak);
  expect_certified(model, height, "weak", controller);
}

static void steps_of_starleth_are_certified_but_for_one_in_a_thousand(void **state)
{
  (void)state;
  expect_motions_certified("starleth", 0.6, 6);
}

static void steps_of_anymal_are_certified_but_for_one_in_a_thousand(void **state)
{
  (void)state;
  expect_motions_certified("anymal_b", 0.7, 6);
}

static void steps_of_coman_are_certified_but_for_one_in_a_thousand(void **state)
{
  (void)state;
  expect_motions_certified("coman", 0.6, 4);
}

/* A cap on iterations is the user's price: the world stays on its lane, and each step says what was got. */
static void a_cap_on_iterations_is_kept_and_told(void **state)
{
  (void)state;
  pki_scenario *scenario = good_scenario("duration: 3\nmodel: {model: coman, position: [0, 0, 0.6]}\n" GROUND
                                         "step: {dt: 2.5e-3, max_iterations: 5}\n",
                                         NULL);
  pki_world world = good_world(scenario);
  int uncertified = 0, left = 0;
  for (int i = 0; i < 600; i++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
    const bool met = info.certificate.relative <= scenario->step.tolerance;
    assert_true(info.left != PK_LANE_EXIT_NONE || info.certified == met);
    uncertified += !info.certified, left += info.left == PK_LANE_EXIT_ROUNDS;
  }
  assert_greater(uncertified, 50);
  assert_less(left, uncertified / 4);
  assert_int_equal(pk_sim_uncertified(world.sim), uncertified);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
}

int main(int argc, char **argv)
{
  const bool is_long = argc > 1 && strcmp(argv[1], "long") == 0;
  if (is_long && getenv("PRONK_LONG") == NULL) {
    puts("PRONK_LONG is not set");
    return 77;
  }
  starts = is_long ? 200 : starts;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_of_starleth_are_certified_but_for_one_in_a_thousand),
      cmocka_unit_test(steps_of_anymal_are_certified_but_for_one_in_a_thousand),
      cmocka_unit_test(steps_of_coman_are_certified_but_for_one_in_a_thousand),
      cmocka_unit_test(a_cap_on_iterations_is_kept_and_told),
  };
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
