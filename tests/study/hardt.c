/* The quick study of the amble: closed forms, the optimum and its walk are what the study is held to. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "quick.h"
#include "study/hardt/hardt.h"
#include "support/bounds.h"

static pki_study_result result;
static char folder[] = "pronk-hardt-XXXXXX";

static int run_quick(void **state)
{
  (void)state;
  setenv("PRONK_GAITS", PK_SOURCE_DIR "/gaits", 1);
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  return run_quick_study("hardt", folder, &result) ? 0 : -1;
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
  assert_at_least(result.nrow, 12);
}

/* To the digits that follow from the geometry by hand. */
static void a_point_mass_rolls_over_the_diagonal_in_reading_b_alone(void **state)
{
  (void)state;
  assert_near(measured("point/A"), -0.0823, 1e-4);
  assert_near(measured("point/B"), 0.0164, 1e-4);
  assert_near(measured("point/C"), -0.0358, 1e-4);
}

/* Friction and self-collision are the simulator's; 5 % are asked for. */
static void the_optimum_walks_at_its_speed(void **state)
{
  (void)state;
  assert_near(measured("walk/js2/speed"), 2.0 / 3, 0.05 * 2 / 3);
  assert_greater(measured("walk/js2/least"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_that_is_held_is_met),
      cmocka_unit_test(a_point_mass_rolls_over_the_diagonal_in_reading_b_alone),
      cmocka_unit_test(the_optimum_walks_at_its_speed),
  };
  return cmocka_run_group_tests(tests, run_quick, free_quick);
}
