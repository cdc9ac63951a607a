/* COMAN walks on compliant soles with convex friction: motors reach limits of their voltage and joints their stops between the rounds of Newton, and
 * its feet are light. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scenario/help.h"
#include "support/bounds.h"

static void newton_settles_in_every_step_of_a_walk_on_convex_soles(void **state)
{
  (void)state;
  static const char *const soft_feet[] = {
      "model.surfaces={RFoot: {surface: foot, compliance: sole}, LFoot: {surface: foot, compliance: sole}}",
      "materials.rubber.compliance=sole",
      "compliance={sole: {stiffness: 1e5, layer: 2e-4, dissipation: 1, static_friction: 0.9, "
      "dynamic_friction: 0.8, "
      "friction: convex, creep_speed: 1e-4}}"};
  pki_scenario *s = NULL;
  pki_world w;
  pk_error err = {.message = ""};
  if (pki_scenario_load(PK_SOURCE_DIR "/scenarios/coman-walk.yaml", soft_feet, 3, &s, &err) != PK_OK ||
      pki_world_create(s, &w, &err) != PK_OK) {
    fail_msg("%s:%d: %s", err.file, err.line, err.message);
  }
  int most = 0;
  for (int k = 0; k < 8000; k++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&w, &info), PK_OK);
    assert_true(info.certified);
    most = info.newton > most ? info.newton : most;
  }
  print_message("at most %d rounds\n", most);
  assert_less(most, 60);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newton_settles_in_every_step_of_a_walk_on_convex_soles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
