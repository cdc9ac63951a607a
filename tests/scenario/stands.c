/* Robots on their feet: they keep their stance for three seconds, or go, every step certified, and nobody falls. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "scenario/help.h"
#include "support/bounds.h"

/* Runs a shipped scenario for some seconds. Its trunk stays above `lowest`, and upright to within `tilt` (1 - cos). Returns how far it went in x. */
static double run_upright(const char *name, double seconds, double lowest, double tilt)
{
  char path[512];
  pki_scenario *scenario = NULL;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/scenarios/%s.yaml", name);
  if (pki_scenario_load(path, NULL, 0, &scenario, &err) != PK_OK) {
    fail_msg("%s:%d: %s", path, err.line, err.message);
  }
  pki_world world = good_world(scenario);
  const double *q = pk_sim_q(world.sim), start = q[0];
  const int steps = (int)lround(seconds / scenario->step.dt);
  for (int k = 0; k < steps; k++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
    if (!info.certified) {
      fail_msg("%s: step %d is not certified: %g", name, k, info.certificate.relative);
    }
    assert_greater(q[2], lowest);
    assert_less(2 * (q[4] * q[4] + q[5] * q[5]), tilt);
  }
  const double went = q[0] - start;
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return went;
}

/* Its trunk goes back by what brings the mass over the middle of the feet, less than 25 mm. */
static void the_sony_quadruped_stands(void **state)
{
  (void)state;
  assert_less(fabs(run_upright("sony-stand", 3, 0.115, 1e-4)), 0.025);
}

/* 0.15 m/s from 0.5 s on, reached at 0.5 m/s^2: 1.18 m in 8.5 s, less what the stand takes back. */
static void the_sony_quadruped_trots_at_the_speed_that_is_asked(void **state)
{
  (void)state;
  const double went = run_upright("sony-trot", 8.5, 0.11, 1e-3);
  assert_greater(went, 0.9 * 1.18);
  assert_less(went, 1.05 * 1.18);
}

static void the_biped_stands_on_the_areas_of_its_feet(void **state)
{
  (void)state;
  assert_less(fabs(run_upright("biped-stand", 3, 0.36, 1e-4)), 0.05);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sony_quadruped_stands),
      cmocka_unit_test(the_sony_quadruped_trots_at_the_speed_that_is_asked),
      cmocka_unit_test(the_biped_stands_on_the_areas_of_its_feet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
