/* The model's own actuators: their force by hand, a servo that holds, limits, several on one joint, integrals, control values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/build_help.h"
#include "pronk/actuators.h"
#include "support/bounds.h"

/* Three links on a fixed base, two hinges, the given actuators, and a keyframe "home". */
static pk_model *driven(const pk_actuator_desc *actuators, int count, double effort)
{
  world w = one_robot();
  w.gravity[2] = 0;
  w.parts[0].robot.root = PK_ROOT_FIXED;
  w.parts[0].joints[0].effort = effort;
  pk_builder *b = describe(&w);
  double ctrl[4] = {0.7, 0.2, 0.2, 0.2};
  for (int i = 0; i < count; i++) {
    assert_int_equal(pk_builder_add_actuator(b, &actuators[i], NULL), PK_OK);
  }
  const pk_keyframe_desc home = {.name = "home", .nrobot = 1, .ctrl = ctrl, .nctrl = count};
  assert_int_equal(pk_builder_add_keyframe(b, &home, NULL), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static pk_actuator_desc on_joint(const char *name, const char *joint)
{
  pk_actuator_desc a = pk_actuator_desc_default();
  a.name = name, a.joint = joint;
  return a;
}

static pk_actuator_desc servo(const char *name, const char *joint, double kp, double kd)
{
  pk_actuator_desc a = on_joint(name, joint);
  a.gain[0] = kp, a.bias[1] = -kp, a.bias[2] = -kd;
  return a;
}

static pk_sim *moving(const pk_model *m, const char *keyframe, pk_controller **motors, double dt)
{
  pk_actuators_options o = pk_actuators_options_default();
  strcpy(o.keyframe, keyframe);
  pk_sim_options so = pk_sim_options_default();
  so.dt = dt, so.stepper = PK_STEPPER_EULER;
  pk_sim *sim;
  pk_error err = {.message = ""};
  if (pk_actuators_create(m, &o, motors, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pk_sim_create(m, &so, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, *motors, NULL), PK_OK);
  return sim;
}

static void end(pk_sim *sim, pk_controller *motors, pk_model *m)
{
  pk_sim_destroy(sim);
  pk_actuators_destroy(motors);
  pk_model_destroy(m);
}

static void forces_are_those_of_the_description(void **state)
{
  (void)state;
  pk_actuator_desc a = on_joint("m", "j");
  const double gain[3] = {2, 3, 5}, bias[3] = {7, -11, -13};
  memcpy(a.gain, gain, sizeof gain), memcpy(a.bias, bias, sizeof bias);
  a.gear = -2, a.ctrl_upper = 0.5, a.force_lower = -8;
  pk_model *m = driven(&a, 1, INFINITY);
  const double q[2] = {0.25, 0}, u[2] = {0.125, 0}, l = -0.5, v = -0.25;
  assert_near(pk_actuator_force(m, 0, 0.3, q, u), (2 + 3 * l + 5 * v) * 0.3 + 7 - 11 * l - 13 * v, 1e-14);
  assert_near(pk_actuator_force(m, 0, 9, q, u), (2 + 3 * l + 5 * v) * 0.5 + 7 - 11 * l - 13 * v, 1e-14);
  const double far[2] = {-3, 0};
  assert_near(pk_actuator_force(m, 0, 0, far, u), -8, 0);
  pk_model_destroy(m);
}

static void a_servo_holds_what_its_keyframe_says(void **state)
{
  (void)state;
  const pk_actuator_desc a[2] = {servo("a", "j", 1e5, 1e3), servo("b", "k", 1e5, 1e3)};
  pk_model *m = driven(a, 2, INFINITY);
  pk_controller *motors;
  pk_sim *sim = moving(m, "home", &motors, 1e-2); /* far beyond what an explicit step could take */
  for (int i = 0; i < 500; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_near(pk_sim_q(sim)[0], 0.7, 1e-6);
  assert_near(pk_sim_q(sim)[1], 0.2, 1e-6);
  const double ctrl[2] = {-0.3, 0.4};
  assert_int_equal(pk_actuators_set(sim, ctrl, NULL), PK_OK);
  for (int i = 0; i < 500; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_near(pk_sim_q(sim)[0], -0.3, 1e-6);
  pk_sim_reset(sim);
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_true(pk_sim_tau(sim)[0] > 0); /* back to the keyframe's 0.7 */
  end(sim, motors, m);
}

/* The torque of the first step at rest at zero is what the actuators ask for. */
static double first_torque(const pk_actuator_desc *a, int count, double effort)
{
  pk_model *m = driven(a, count, effort);
  pk_controller *motors;
  pk_sim *sim = moving(m, "home", &motors, 1e-6);
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  const double tau = pk_sim_tau(sim)[0];
  end(sim, motors, m);
  return tau;
}

static void forces_add_up_within_their_limits(void **state)
{
  (void)state;
  pk_actuator_desc a[2] = {on_joint("a", "j"), on_joint("b", "j")};
  a[0].gear = 10;
  assert_near(first_torque(a, 1, INFINITY), 7, 1e-12);
  assert_near(first_torque(a, 2, INFINITY), 7.2, 1e-12);
  assert_near(first_torque(a, 2, 5), 5, 1e-12); /* the joint's effort limit holds the sum */
  assert_near(first_torque(a, 2, 0), 0, 0);     /* no motor */
  a[0].force_lower = -0.5, a[0].force_upper = 0.5;
  assert_near(first_torque(a, 1, INFINITY), 5, 1e-12);
  assert_near(first_torque(a, 2, INFINITY), 5.2, 1e-12);
  a[0].force_lower = -3;
  assert_near(first_torque(a, 1, INFINITY), 5, 1e-12);
  a[0].force_upper = 2, a[0].force_lower = -0.1, a[0].gear = -10;
  assert_near(first_torque(a, 1, INFINITY), -7, 1e-12);
}

static void integrals_are_remembered(void **state)
{
  (void)state;
  pk_actuator_desc a = servo("a", "j", 1e4, 1e2);
  a.integrates = true, a.act_upper = 0.4;
  pk_model *m = driven(&a, 1, INFINITY);
  pk_controller *motors;
  pk_sim *sim = moving(m, "home", &motors, 1e-2);
  for (int i = 0; i < 41; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK); /* 0.7 of each second */
  }
  assert_near(pk_sim_commands(sim)[0].q_des, 0.7 * 0.40, 1e-12);
  for (int i = 0; i < 500; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_near(pk_sim_q(sim)[0], 0.4, 1e-6);
  end(sim, motors, m);
}

static void what_cannot_be_is_refused(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  const world w = one_robot();
  pk_model *m = compile(&w);
  pk_controller *motors;
  assert_int_equal(pk_actuators_create(m, NULL, &motors, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "the model has no actuators: use a file that has some, or another controller");
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, NULL, &sim, NULL), PK_OK);
  const double ctrl[1] = {NAN};
  assert_int_equal(pk_actuators_set(sim, ctrl, &err), PK_ERROR_ARGUMENT);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
  const pk_actuator_desc a = on_joint("m", "j");
  m = driven(&a, 1, INFINITY);
  pk_actuators_options o = pk_actuators_options_default();
  strcpy(o.keyframe, "hom");
  assert_int_equal(pk_actuators_create(m, &o, &motors, &err), PK_ERROR_NAME);
  assert_string_equal(err.message, "the model has no keyframe \"hom\"; it has 1");
  sim = moving(m, "", &motors, 1e-3);
  assert_int_equal(pk_actuators_set(sim, ctrl, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the control value of actuator \"m\" is not finite");
  end(sim, motors, m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_those_of_the_description),
      cmocka_unit_test(a_servo_holds_what_its_keyframe_says),
      cmocka_unit_test(forces_add_up_within_their_limits),
      cmocka_unit_test(integrals_are_remembered),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
