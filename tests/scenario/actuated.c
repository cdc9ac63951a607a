/* Robots on real drives: StarLETH trots on motors and on series-elastic actuators, COMAN does knee bends. Every step is certified, nobody
 * falls, and no step exceeds a limit of voltage, current or torque: neither as they are shipped nor with limits that they meet. */
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

#include "actuation/actuation.h"
#include "scenario/help.h"
#include "support/bounds.h"

typedef struct scene {
  const char *name;
  int motors, springs; /* motors, and parallel springs */
  double lowest;       /* m: the trunk's height never falls below */
  double speed;        /* m/s in x, at least, over the whole */
  const char *sets[2]; /* other limits; NULL: as it is shipped */
} scene;

/* Largest values that were reached, each over its limit. */
typedef struct reached {
  double voltage, current, torque;
} reached;

static pki_scenario *shipped_scenario(const char *name, const char *const *sets)
{
  char path[512];
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/scenarios/%s.yaml", name);
  if (pki_scenario_load(path, sets, sets[0] != NULL ? 2 : 0, &s, &err) != PK_OK) {
    fail_msg("%s:%d: %s", path, err.line, err.message);
  }
  return s;
}

/* The limits of one motor after a step: of the bus as it was at its start. */
static void check_motor(const pk_actuation *a, int i, const double *state, double bus, double tau,
                        reached *most)
{
  const pk_actuator actuator = pk_actuation_get(a, i);
  const pk_motor_parameters *p = actuator.parameters;
  const double *s = state + pk_actuation_state_at(a, i);
  const double volts = fmin(p->voltage > 0 ? p->voltage : INFINITY, bus);
  const double current = s[PKI_MOTOR_STATE_CURRENT], voltage = s[PKI_MOTOR_STATE_VOLTAGE];
  assert_at_most(fabs(voltage), volts * (1 + 1e-9));
  most->voltage = fmax(most->voltage, fabs(voltage) / volts);
  if (p->current > 0) {
    /* a motor that is driven faster than its voltage can hold brakes with whatever current that takes */
    const bool driven = current * s[PKI_MOTOR_STATE_VELOCITY] < 0 && fabs(voltage) > volts * (1 - 1e-9);
    assert_true(driven || fabs(current) <= p->current * (1 + 1e-9));
    most->current = fmax(most->current, fabs(current) / p->current);
  }
  if (p->current > 0 &&
      strcmp(actuator.kind->name, "dc") == 0) { /* less its damping: what the current makes at most */
    const double largest = p->gear * p->constant * p->current;
    const double inside = tau + p->gear * p->gear * p->damping * s[PKI_MOTOR_STATE_VELOCITY];
    assert_at_most(fabs(inside), largest * (1 + 1e-9));
    most->torque = fmax(most->torque, fabs(inside) / largest);
  }
}

static int count_kind(const pk_actuation *a, bool motor)
{
  int count = 0;
  for (int i = 0; i < pk_actuation_count(a); i++) {
    const char *kind = pk_actuation_get(a, i).kind->name;
    count += (strcmp(kind, "dc") == 0 || strcmp(kind, "sea") == 0) == motor;
  }
  return count;
}

static reached run_scene(const scene *s)
{
  pki_scenario *scenario = shipped_scenario(s->name, s->sets);
  pki_world world = good_world(scenario);
  const pk_actuation *a = world.actuation;
  const double until = scenario->duration;
  const int steps = (int)lround(until / scenario->step.dt);
  const double start = pk_sim_q(world.sim)[0];
  reached most = {0};
  assert_int_equal(count_kind(a, true), s->motors);
  assert_int_equal(count_kind(a, false), s->springs);
  for (int k = 0; k < steps; k++) {
    const double *state = pk_sim_actuation(world.sim);
    const double bus = a->has_battery ? state[pki_battery_limit(a)] : INFINITY;
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
    if (!info.certified) {
      fail_msg("%s: step %d is not certified: %g", s->name, k, info.certificate.relative);
    }
    for (int i = 0; i < pk_actuation_count(a); i++) {
      const pk_actuator actuator = pk_actuation_get(a, i);
      if (!actuator.kind->adds) {
        check_motor(a, i, state, bus, pk_sim_tau(world.sim)[actuator.dof], &most);
      }
    }
    assert_greater(pk_sim_q(world.sim)[2], s->lowest);
  }
  print_message("%s: %d steps, at most %.0f %% of voltage, %.0f %% of current, %.0f %% of torque\n", s->name,
                steps, 100 * most.voltage, 100 * most.current, 100 * most.torque);
  assert_at_least(pk_sim_q(world.sim)[0] - start, s->speed * until);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return most;
}

static void starleth_trots_on_motors(void **state)
{
  (void)state;
  run_scene(&(scene){"starleth-dc", 12, 0, 0.35, 0.2, {NULL}});
}

static void starleth_trots_on_series_elastic_actuators(void **state)
{
  (void)state;
  run_scene(&(scene){"starleth-sea", 12, 0, 0.35, 0.2, {NULL}});
}

static void coman_does_knee_bends_on_its_own_drives(void **state)
{
  (void)state;
  run_scene(&(scene){"coman-squat", 23, 6, 0.4, -0.01, {NULL}});
}

/* Motors that are too small for the gait: it goes on at its limits. */
static void limits_that_are_met_are_not_exceeded(void **state)
{
  (void)state;
  const reached dc = run_scene(
      &(scene){"starleth-dc", 12, 0, 0.3, 0.1, {"actuators.0.current=13", "actuators.0.voltage=9"}});
  const reached sea = run_scene(
      &(scene){"starleth-sea", 12, 0, 0.3, 0.1, {"actuators.0.current=15", "actuators.0.voltage=7"}});
  assert_near(dc.current, 1, 1e-9);
  assert_near(dc.torque, 1, 1e-9);
  assert_near(dc.voltage, 1, 1e-9);
  assert_near(sea.current, 1, 1e-9);
  assert_near(sea.voltage, 1, 1e-9);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starleth_trots_on_motors),
      cmocka_unit_test(starleth_trots_on_series_elastic_actuators),
      cmocka_unit_test(coman_does_knee_bends_on_its_own_drives),
      cmocka_unit_test(limits_that_are_met_are_not_exceeded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
