/* A bus under full load: motors at the limit of its voltage come to rest with it, whatever the resistance of the battery is beside theirs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actuation/actuation.h"
#include "actuation/rig.h"
#include "support/bounds.h"
#include "support/hinge.h"

/* A motor that cannot turn, of 0.6 ohm, on 24 V behind R. */
static void load_bus(double R)
{
  pk_motor_parameters p = pk_motor_parameters_default();
  p.drive = PK_MOTOR_DRIVE_VOLTAGE, p.resistance = 0.6, p.constant = 0.05;
  const pk_battery b = {.full = 24, .empty = 24, .resistance = R, .regeneration = INFINITY};
  pk_joint_desc joint = hinge_joint();
  joint.damping = 1e9;
  rig r = {.model = hinge_model(&joint)};
  const pk_actuator one = {.kind = pk_actuator_kind_find("dc"), .parameters = &p};
  assert_int_equal(pk_actuation_create(r.model, &one, 1, &b, &r.actuation, NULL), PK_OK);
  pk_sim_options o = pk_sim_options_default();
  o.actuation = r.actuation;
  assert_int_equal(pk_sim_create(r.model, &o, &r.sim, NULL), PK_OK);
  pk_sim_commands(r.sim)[0].tau = 1e6;
  rig_run(&r, 100);
  const double *bus = pk_sim_actuation(r.sim) + pk_actuation_state_size(r.actuation) - 2;
  assert_near(pk_sim_actuation(r.sim)[0], 24 / (0.6 + R), 1e-6);
  assert_near(bus[0], 24 * 0.6 / (0.6 + R), 1e-6);
  rig_free(&r);
}

static void a_bus_under_full_load_comes_to_rest(void **state)
{
  static const double resistances[] = {0.01, 0.2, 0.3, 0.6, 6};
  (void)state;
  for (size_t i = 0; i < sizeof resistances / sizeof resistances[0]; i++) {
    load_bus(resistances[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bus_under_full_load_comes_to_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
