/* Springs beside the motors of a robot that follows a motion: its commands leave to them what they do. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenario/scenario.h"
#include "step/world.h"
#include "support/bounds.h"

enum { DOFS = 18 };

/* The commands of the first update of StarLETH's amble, and where its joints are. */
static void first_commands(const char *actuators, double tau[DOFS], double q[DOFS])
{
  const char *sets[] = {actuators};
  pki_scenario *s = NULL;
  pki_world w = {0};
  pk_error err = {0};
  if (pki_scenario_load(PK_SOURCE_DIR "/scenarios/starleth-amble.yaml", sets, actuators != NULL, &s, &err) !=
          PK_OK ||
      pki_world_create(s, &w, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_non_null(w.model);
  assert_int_equal(w.model->nu, DOFS);
  for (int k = 6; k < DOFS; k++) {
    q[k] = pk_sim_q(w.sim)[w.model->dof_q[k]];
  }
  assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  for (int k = 6; k < DOFS; k++) {
    tau[k] = pk_sim_commands(w.sim)[k].tau;
  }
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* A spring of k N/m on a pulley of r m whose far end is at p makes k r (p - r q): the motor makes that much less. */
static void commands_leave_to_a_spring_what_it_does(void **state)
{
  (void)state;
  const double r = 0.5, k = 8, p = 0.1;
  double plain[DOFS], sprung[DOFS], q[DOFS], same[DOFS];
  first_commands(NULL, plain, q);
  first_commands(
      "actuators=[{joints: '*_KFE', kind: parallel-spring, radius: 0.5, stiffness: 8, pretension: 0.1, "
      "both_ways: true}]",
      sprung, same);
  for (int i = 6; i < DOFS; i++) {
    const bool knee = i % 3 == 2;
    assert_near(q[i], same[i], 0);
    assert_near(sprung[i] - plain[i], knee ? -k * r * (p - r * q[i]) : 0, 1e-9);
  }
}

/* One that only pulls is slack on one side: knees of fore and hind legs bend to opposite sides. */
static void a_slack_spring_leaves_everything_to_the_motor(void **state)
{
  (void)state;
  double plain[DOFS], sprung[DOFS], q[DOFS], same[DOFS];
  int slack = 0, taut = 0;
  first_commands(NULL, plain, q);
  first_commands("actuators=[{joints: '*_KFE', kind: parallel-spring, stiffness: 8}]", sprung, same);
  for (int i = 8; i < DOFS; i += 3) {
    assert_near(sprung[i] - plain[i], q[i] > 0 ? 8 * q[i] : 0, 1e-9);
    slack += q[i] < 0;
    taut += q[i] > 0;
  }
  assert_int_equal(slack, 2);
  assert_int_equal(taut, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_leave_to_a_spring_what_it_does),
      cmocka_unit_test(a_slack_spring_leaves_everything_to_the_motor),
  };
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
