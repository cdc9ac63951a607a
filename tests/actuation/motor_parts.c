/* Parts of motors that are easily forgotten: the current loop's bandwidth, play, the steps of an encoder, late commands, a battery. */
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

/* A rig with options and a battery. */
static rig fed_rig(const pk_motor_parameters *p, const pk_battery *battery, double damping, pk_sim_options o)
{
  rig r = {0};
  pk_error err = {.message = ""};
  pk_joint_desc joint = hinge_joint();
  joint.damping = damping;
  r.model = hinge_model(&joint);
  const pk_actuator one = {.kind = pk_actuator_kind_find("dc"), .parameters = p};
  if (pk_actuation_create(r.model, &one, 1, battery, &r.actuation, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  o.actuation = r.actuation;
  if (pk_sim_create(r.model, &o, &r.sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return r;
}

static double state_of(rig *r, int which)
{
  return pk_sim_actuation(r->sim)[which];
}

/* i = i_d (1 - exp(-w t)), with and without inductance. */
static double loop_error(pk_stepper stepper, int steps, double L)
{
  const double t = 0.01, w = 2 * acos(-1) * 40;
  pk_motor_parameters p = pk_motor_parameters_default();
  p.bandwidth = 40, p.inductance = L;
  rig r = rig_make("dc", &p, 0, stepper, t / steps);
  pk_sim_commands(r.sim)[0].tau = 0.2; /* 2 A */
  rig_run(&r, steps);
  const double error = fabs(state_of(&r, PKI_MOTOR_STATE_CURRENT) - 2 * (1 - exp(-w * t)));
  rig_free(&r);
  return error;
}

static void a_current_loop_follows_with_its_bandwidth(void **state)
{
  (void)state;
  static const double inductances[] = {0, 1e-3};
  for (size_t i = 0; i < 2; i++) {
    assert_less(loop_error(PK_STEPPER_RK4, 400, inductances[i]), 1e-8);
    assert_near(loop_error(PK_STEPPER_EULER, 2000, inductances[i]) /
                    loop_error(PK_STEPPER_EULER, 4000, inductances[i]),
                2, 0.05);
    assert_near(loop_error(PK_STEPPER_MOREAU, 2000, inductances[i]) /
                    loop_error(PK_STEPPER_MOREAU, 4000, inductances[i]),
                2, 0.05);
  }
}

/* The rotor crosses half the play alone, e = T t^2 / (2 J); then it takes the joint along, by a spring that begins behind the play. */
static void a_rotor_crosses_the_play_before_the_joint_moves(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_RK4, PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  const double J = 0.2, T = 2, play = 0.04, k = 500, closes = sqrt(play * J / T), dt = closes / 2000;
  pk_motor_parameters p = pk_motor_parameters_default();
  p.gear = 50, p.inertia = J / 2500, p.spring = k, p.backlash = play;
  for (size_t i = 0; i < 6; i++) {
    p.spring_damping = i < 3 ? 0 : 5; /* which acts in the play, too */
    rig r = rig_make("sea", &p, 0, steppers[i % 3], dt);
    pk_sim_commands(r.sim)[0].tau = T;
    rig_run(&r, 1800);
    if (i < 3) {
      const double t = 1800 * dt;
      assert_near(state_of(&r, PKI_MOTOR_STATE_DEFLECTION), T * t * t / (2 * J), 1e-3 * play);
      assert_near(pk_sim_u(r.sim)[0], 0, 1e-3);
    } else {
      rig_run(&r, (int)(4 / dt));
      /* both together gain T / (1 + J): that is what the spring carries for a joint of unit inertia */
      assert_near(state_of(&r, PKI_MOTOR_STATE_DEFLECTION), 0.5 * play + T / (1 + J) / k, 1e-5);
    }
    rig_free(&r);
  }
}

/* Gains see the angle of the start of a step in whole steps of the encoder; their damping over the step stays. */
static void gains_look_through_the_steps_of_the_encoder(void **state)
{
  (void)state;
  pk_motor_parameters p = pk_motor_parameters_default();
  p.resolution = 0.05;
  rig r = rig_make("dc", &p, 1, PK_STEPPER_EULER, 5e-3);
  pk_sim_commands(r.sim)[0] = (pk_command){.q_des = 1, .kp = 3};
  for (int i = 0; i < 1000; i++) {
    const double x = pk_sim_q(r.sim)[0], seen = 0.05 * round(x / 0.05);
    rig_run(&r, 1);
    assert_near(pk_sim_tau(r.sim)[0], 3 * (1 - seen) - 3 * 5e-3 * pk_sim_u(r.sim)[0], 1e-12);
  }
  assert_near(pk_sim_q(r.sim)[0], 1, 0.06);
  rig_free(&r);
}

/* What is asked for arrives late. */
static void commands_that_act_late_reach_the_motor_late(void **state)
{
  (void)state;
  const pk_motor_parameters p = pk_motor_parameters_default();
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2.5e-3, o.max_latency = 0.01;
  rig r = fed_rig(&p, NULL, 1, o);
  assert_int_equal(pk_sim_set_latency(r.sim, 0.01, NULL), PK_OK);
  pk_sim_commands(r.sim)[0].tau = 0.3;
  rig_run(&r, 4);
  assert_near(state_of(&r, PKI_MOTOR_STATE_CURRENT), 0, 0);
  rig_run(&r, 1);
  assert_near(state_of(&r, PKI_MOTOR_STATE_CURRENT), 3, 1e-12);
  rig_free(&r);
}

/* A motor that stands still under all the voltage there is: winding and battery are resistances in a row. As the battery runs down the
 * voltage goes from full to empty with the charge q that was taken, q' = (full - (full - empty) q / C) / (R + R_b). */
static void a_battery_and_a_winding_are_resistances_in_a_row(void **state)
{
  (void)state;
  static const double capacities[] = {0, 200};
  const pk_motor_parameters p = {.drive = PK_MOTOR_DRIVE_VOLTAGE,
                                 .resistance = 0.6,
                                 .constant = 0.05,
                                 .gear = 1,
                                 .efficiency = 1,
                                 .ambient = 25,
                                 .derating = 25};
  for (size_t i = 0; i < 2; i++) {
    const pk_battery b = {
        .full = 24, .empty = 18, .resistance = 0.05, .capacity = capacities[i], .regeneration = INFINITY};
    pk_sim_options o = pk_sim_options_default();
    rig r = fed_rig(&p, &b, 1e9, o);
    pk_sim_commands(r.sim)[0].tau = 1e6;
    rig_run(&r, 1000);
    const double rate = 24 / 0.65, lag = b.capacity > 0 ? b.capacity * 0.65 / 6 : INFINITY;
    const double q = b.capacity > 0 ? rate * lag * (1 - exp(-1 / lag)) : rate;
    const double open = 24 - (b.capacity > 0 ? 6 * q / b.capacity : 0), current = open / 0.65;
    const double *bus = pk_sim_actuation(r.sim) + pk_actuation_state_size(r.actuation) - 2;
    const double bound = b.capacity > 0 ? 2e-3 : 1e-9;
    assert_near(state_of(&r, PKI_MOTOR_STATE_CURRENT) / current, 1, bound);
    assert_near(bus[0] / (open - 0.05 * current), 1, bound);
    assert_near(bus[1] / q, 1, 2e-3); /* the bus falls in the first step */
    rig_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_current_loop_follows_with_its_bandwidth),
      cmocka_unit_test(a_rotor_crosses_the_play_before_the_joint_moves),
      cmocka_unit_test(gains_look_through_the_steps_of_the_encoder),
      cmocka_unit_test(commands_that_act_late_reach_the_motor_late),
      cmocka_unit_test(a_battery_and_a_winding_are_resistances_in_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
