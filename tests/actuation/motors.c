/* Motors against closed forms: circuits, spin-up, springs, the torque-speed line, heat; orders and stability of the schemes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actuation/actuation.h"
#include "actuation/rig.h"
#include "support/bounds.h"

/* A motor of COMAN's size: L/R = 0.48 ms. */
static pk_motor_parameters coman_motor(void)
{
  pk_motor_parameters p = pk_motor_parameters_default();
  p.drive = PK_MOTOR_DRIVE_VOLTAGE;
  p.resistance = 0.664, p.inductance = 0.32e-3, p.constant = 0.041, p.gear = 100;
  return p;
}

/* The command whose force a voltage drive turns into so many volts. */
static double force_of_volts(const pk_motor_parameters *p, double volts)
{
  return volts * p->gear * p->constant / p->resistance;
}

static double current_of(rig *r)
{
  return pk_sim_actuation(r->sim)[PKI_MOTOR_STATE_CURRENT];
}

/* i = V/R (1 - exp(-R t / L)) where hardly any back-EMF acts. */
static void a_current_rises_as_in_an_rl_circuit(void **state)
{
  (void)state;
  static const struct {
    pk_stepper stepper;
    double bound;
  } rows[] = {{PK_STEPPER_RK4, 1e-9},
              {PK_STEPPER_MOREAU, 2e-2},
              {PK_STEPPER_EULER, 2e-2},
              {PK_STEPPER_ARK_EXPLICIT, 1e-7}};
  pk_motor_parameters p = coman_motor();
  p.constant = 1e-9, p.gear = 1;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    rig r = rig_make("dc", &p, 0, rows[i].stepper, 1e-5);
    pk_sim_commands(r.sim)[0].tau = force_of_volts(&p, 12);
    rig_run(&r, 50);
    const double exact = 12 / p.resistance * (1 - exp(-p.resistance * 5e-4 / p.inductance));
    assert_near(current_of(&r) / exact, 1, rows[i].bound);
    rig_free(&r);
  }
}

/* u = V/(N K) (1 - exp(-t/T)), T = (1 + N^2 J) R / (N K)^2, without inductance. */
static double spin_up_error(pk_stepper stepper, int steps)
{
  pk_motor_parameters p = coman_motor();
  p.inductance = 0, p.inertia = 4e-5, p.gear = 20;
  rig r = rig_make("dc", &p, 0, stepper, 0.2 / steps);
  pk_sim_commands(r.sim)[0].tau = force_of_volts(&p, 12);
  rig_run(&r, steps);
  const double NK = p.gear * p.constant, T = (1 + p.gear * p.gear * p.inertia) * p.resistance / (NK * NK);
  const double error = fabs(pk_sim_u(r.sim)[0] - 12 / NK * (1 - exp(-0.2 / T)));
  rig_free(&r);
  return error;
}

static void a_motor_spins_up_by_its_mechanical_time_constant(void **state)
{
  (void)state;
  assert_less(spin_up_error(PK_STEPPER_RK4, 200), 1e-8);
  assert_near(log2(spin_up_error(PK_STEPPER_RK4, 20) / spin_up_error(PK_STEPPER_RK4, 40)), 4, 0.3);
  assert_near(log2(spin_up_error(PK_STEPPER_EULER, 400) / spin_up_error(PK_STEPPER_EULER, 800)), 1, 0.1);
  assert_near(log2(spin_up_error(PK_STEPPER_MOREAU, 400) / spin_up_error(PK_STEPPER_MOREAU, 800)), 2, 0.3);
}

/* In a steady state torque and speed are on the motor's line, whatever the step is beside L/R; 25 and 1000 of them. */
static void steady_torque_and_speed_are_on_the_motors_line(void **state)
{
  (void)state;
  static const pk_motor_drive drives[] = {PK_MOTOR_DRIVE_VOLTAGE, PK_MOTOR_DRIVE_CURRENT};
  static const double steps[] = {12e-3, 0.482};
  for (size_t i = 0; i < 8; i++) {
    pk_motor_parameters p = coman_motor();
    p.voltage = 12, p.drive = drives[i & 1];
    rig r = rig_make("dc", &p, 3, i & 4 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU, steps[i >> 1 & 1]);
    pk_sim_commands(r.sim)[0].tau = 1e6; /* more than there is: the voltage is at its limit */
    const pk_step_info info = rig_run(&r, 2000);
    const double NK = p.gear * p.constant, u = pk_sim_u(r.sim)[0];
    assert_near(u, NK * 12 / p.resistance / (3 + NK * NK / p.resistance), 1e-9);
    assert_near(pk_sim_tau(r.sim)[0] / (NK * (12 - NK * u) / p.resistance), 1, 1e-9);
    assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_VOLTAGE], 12, 1e-9);
    assert_int_equal(info.saturated, 1);
    assert_true(info.certified);
    rig_free(&r);
  }
}

/* ---- springs ---- */

/* A rotor of (reflected) inertia J against the joint's 1, spring and damper between them, nothing else: after t the deflection
 * is that of a damped oscillator of the reduced inertia. */
typedef struct sea_case {
  double J, spring, damping;
} sea_case;

static double free_sea_error(sea_case c, pk_stepper stepper, int steps)
{
  pk_motor_parameters p = coman_motor();
  p.drive = PK_MOTOR_DRIVE_CURRENT, p.inertia = c.J / (p.gear * p.gear), p.spring = c.spring,
  p.spring_damping = c.damping;
  const double t = 0.7, reduced = c.J / (1 + c.J), w0 = sqrt(c.spring / reduced),
               zeta = c.damping / (2 * reduced * w0);
  rig r = rig_make("sea", &p, 0, stepper, t / steps);
  pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_DEFLECTION] = 0.1;
  rig_run(&r, steps);
  const double w = w0 * sqrt(1 - zeta * zeta), decay = 0.1 * exp(-zeta * w0 * t);
  const double e = decay * (cos(w * t) + zeta * w0 / w * sin(w * t));
  const double rate = -decay * w0 * w0 / w * sin(w * t);
  /* momentum is zero: u = -J w */
  const double found = pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_DEFLECTION], u = pk_sim_u(r.sim)[0];
  const double error = fabs(found - e) / 0.1 + fabs(u + c.J / (1 + c.J) * rate) / (0.1 * w0);
  rig_free(&r);
  return error;
}

static void a_free_sea_swings_and_decays_as_the_closed_form_says(void **state)
{
  (void)state;
  const sea_case c = {0.1387, 395.46, 0.198};
  assert_less(free_sea_error(c, PK_STEPPER_RK4, 7000), 1e-6);
  assert_near(log2(free_sea_error(c, PK_STEPPER_RK4, 700) / free_sea_error(c, PK_STEPPER_RK4, 1400)), 4, 0.2);
  assert_near(log2(free_sea_error(c, PK_STEPPER_MOREAU, 32000) / free_sea_error(c, PK_STEPPER_MOREAU, 64000)),
              1, 0.1);
  assert_near(log2(free_sea_error(c, PK_STEPPER_EULER, 64000) / free_sea_error(c, PK_STEPPER_EULER, 128000)),
              1, 0.1);
}

/* A constant torque of the motor: both inertias gain speed together, and the spring's deflection swings about its mean. */
static void a_driven_sea_swings_about_its_mean_deflection(void **state)
{
  (void)state;
  pk_motor_parameters p = coman_motor();
  const double J = 0.1387, T = 5, t = 0.3;
  p.drive = PK_MOTOR_DRIVE_CURRENT, p.inertia = J / 1e4, p.spring = 120;
  rig r = rig_make("sea", &p, 0, PK_STEPPER_RK4, 1e-4);
  pk_sim_commands(r.sim)[0].tau = T;
  rig_run(&r, 3000);
  const double mean = T / (1 + J) / p.spring, w = sqrt(p.spring * (1 + J) / J);
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_DEFLECTION], mean * (1 - cos(w * t)), 1e-6 * mean);
  /* both together: T t = u + J w_rotor */
  assert_near(pk_sim_u(r.sim)[0] + J * pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_VELOCITY], T * t, 1e-9);
  assert_near(pk_sim_tau(r.sim)[0], p.spring * mean * (1 - cos(w * t)), 1e-6 * T);
  rig_free(&r);
}

/* The motion that a stiff drive converges to, to hold other steps against. */
static double sea_angle(double L, double spring, double dt, double until)
{
  pk_motor_parameters p = coman_motor();
  p.inductance = L, p.inertia = 1.387e-5, p.spring = spring, p.spring_damping = 0.2, p.damping = 2e-5,
  p.voltage = 24;
  rig r = rig_make("sea", &p, 0.5, PK_STEPPER_MOREAU, dt);
  for (int i = 0; i < (int)lround(until / dt); i++) {
    pk_sim_commands(r.sim)[0] = (pk_command){.q_des = 1, .kp = 60, .kd = 4};
    rig_run(&r, 1);
    assert_less(fabs(pk_sim_u(r.sim)[0]), 30);
  }
  const double x = pk_sim_q(r.sim)[0];
  rig_free(&r);
  return x;
}

/* L/R of 0.1 ms and springs up to 1e5 N m/rad ask for no small step, and halving it four times halves the error each time. */
static void stiff_circuits_and_springs_ask_for_no_small_step(void **state)
{
  (void)state;
  static const double springs[] = {400, 1e4, 1e5};
  for (size_t i = 0; i < sizeof springs / sizeof springs[0]; i++) {
    const double L = 0.1e-3 * 0.664, settled = sea_angle(L, springs[i], 2.5e-3, 10);
    assert_near(settled, 1, 1e-9);
    const double exact = sea_angle(L, springs[i], 2.5e-3 / 512, 0.1);
    double last = sea_angle(L, springs[i], 2.5e-3, 0.1) - exact;
    for (int halving = 1; halving <= 4; halving++) {
      const double error = sea_angle(L, springs[i], 2.5e-3 / (1 << halving), 0.1) - exact;
      assert_near(last / error, 2, 0.35);
      last = error;
    }
  }
}

/* A spring that stiffens: at rest under a torque T its deflection solves k (e + s e^3) = T. */
static void a_stiffening_spring_rests_where_its_law_says(void **state)
{
  (void)state;
  pk_motor_parameters p = coman_motor();
  p.drive = PK_MOTOR_DRIVE_CURRENT, p.inertia = 1e-5, p.spring = 100, p.stiffening = 50, p.spring_damping = 1;
  p.feedback = PK_MOTOR_FEEDBACK_MOTOR;
  rig r = rig_make("sea", &p, 2, PK_STEPPER_MOREAU, 1e-3);
  const double push[3] = {0, 0, 0};
  (void)push;
  for (int i = 0; i < 20000;
       i++) { /* the joint is held by a stiff command of the motor's side; its own end is driven */
    pk_sim_commands(r.sim)[0] = (pk_command){.q_des = 0.3, .kp = 200, .kd = 20};
    rig_run(&r, 1);
  }
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_DEFLECTION], 0, 1e-9);
  assert_near(pk_sim_q(r.sim)[0], 0.3, 1e-9);
  rig_free(&r);
}

/* ---- limits, friction, heat ---- */

/* Steps under commands that ask for far too much, back and forth: current, voltage and force stay within their limits. */
static void limits_of_current_and_voltage_hold_in_every_step(void **state)
{
  (void)state;
  static const char *const kinds[] = {"dc", "sea"};
  for (size_t i = 0; i < 4; i++) {
    pk_motor_parameters p = coman_motor();
    p.drive = i & 2 ? PK_MOTOR_DRIVE_VOLTAGE : PK_MOTOR_DRIVE_CURRENT;
    p.voltage = 24, p.current = 10, p.inertia = 1.387e-5;
    p.spring = i & 1 ? 395 : 0, p.spring_damping = i & 1 ? 0.2 : 0;
    rig r = rig_make(kinds[i & 1], &p, 0.1, PK_STEPPER_MOREAU, 2.5e-3);
    int at_current = 0, at_voltage = 0;
    for (int step = 0; step < 4000; step++) {
      pk_sim_commands(r.sim)[0] = (pk_command){.q_des = step / 400 % 2 ? 2 : -2, .kp = 3000, .kd = 30};
      const pk_step_info info = rig_run(&r, 1);
      const double *s = pk_sim_actuation(r.sim);
      assert_true(info.certified);
      /* a motor that is driven faster than its voltage can hold brakes with whatever current that takes */
      const bool driven = s[PKI_MOTOR_STATE_CURRENT] * s[PKI_MOTOR_STATE_VELOCITY] < 0 &&
                          fabs(fabs(s[PKI_MOTOR_STATE_VOLTAGE]) - 24) < 1e-9;
      assert_true(driven || fabs(s[PKI_MOTOR_STATE_CURRENT]) <= 10 * (1 + 1e-9));
      assert_at_most(fabs(s[PKI_MOTOR_STATE_VOLTAGE]), 24 * (1 + 1e-9));
      at_current += fabs(s[PKI_MOTOR_STATE_CURRENT]) > 10 * (1 - 1e-6);
      at_voltage += fabs(s[PKI_MOTOR_STATE_VOLTAGE]) > 24 * (1 - 1e-6);
    }
    assert_greater(at_current, 20);
    assert_greater(at_voltage, 20);
    rig_free(&r);
  }
}

/* Schemes of smooth motion, too: a winding with inductance at a voltage far beyond its limit of current, at rest. */
static void smooth_schemes_hold_the_limit_of_current(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_RK4, PK_STEPPER_ARK_EXPLICIT};
  for (size_t i = 0; i < 2; i++) {
    pk_motor_parameters p = coman_motor();
    p.current = 2, p.voltage = 24, p.gear = 1; /* the joint hardly moves */
    rig r = rig_make("dc", &p, 0, steppers[i], 1e-4);
    pk_sim_commands(r.sim)[0].tau = force_of_volts(&p, 24);
    rig_run(&r, 500);
    assert_near(current_of(&r), 2, 1e-3);
    assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_VOLTAGE], 2 * p.resistance, 1e-2);
    rig_free(&r);
  }
}

/* A gear of efficiency eta: a steady drive gives eta N K i at the joint, one that is driven back takes 1 / (2 - 1/eta) of it, and a
 * standing joint is held by its friction. */
static void a_gear_loses_by_its_efficiency_and_holds_at_rest(void **state)
{
  (void)state;
  pk_motor_parameters p = coman_motor();
  p.drive = PK_MOTOR_DRIVE_CURRENT, p.efficiency = 0.8, p.friction = 0.002;
  rig r = rig_make("dc", &p, 5, PK_STEPPER_MOREAU, 2e-3);
  pk_sim_commands(r.sim)[0].tau = 10;
  rig_run(&r, 5000);
  const double dry = 100 * 0.002 + (1 - 0.8) * 10;
  assert_near(5 * pk_sim_u(r.sim)[0], 10 - dry, 1e-9);
  pk_sim_commands(r.sim)[0].tau = 0.2; /* within what the rotor's friction holds */
  rig_run(&r, 3000);
  assert_near(pk_sim_u(r.sim)[0], 0, 1e-12);
  rig_free(&r);
}

static void a_gear_that_is_driven_back_takes_more_at_the_joint(void **state)
{
  (void)state;
  pk_motor_parameters p = coman_motor();
  p.drive = PK_MOTOR_DRIVE_CURRENT, p.efficiency = 0.8;
  rig r = rig_make("dc", &p, 0, PK_STEPPER_EULER, 1e-3);
  pk_sim_u(r.sim)[0] = 100;
  pk_sim_commands(r.sim)[0].tau = -10;
  rig_run(&r, 2); /* the bound is that of the current at the start of a step */
  const double u = pk_sim_u(r.sim)[0];
  rig_run(&r, 1);
  assert_near((u - pk_sim_u(r.sim)[0]) / 1e-3, 10 / (2 - 1 / 0.8), 1e-9);
  rig_free(&r);
}

/* Dry friction at the rotor behind a spring: it stands still while the spring pulls less, and slides with what is left beyond. */
static void a_rotor_behind_a_spring_sticks_and_slides(void **state)
{
  (void)state;
  pk_motor_parameters p = coman_motor();
  p.drive = PK_MOTOR_DRIVE_CURRENT, p.inertia = 1e-5, p.spring = 300, p.spring_damping = 3,
  p.friction = 0.01; /* 1 N m */
  rig r = rig_make("sea", &p, 4, PK_STEPPER_MOREAU, 1e-3);
  pk_sim_commands(r.sim)[0].tau = 0.9;
  rig_run(&r, 2000);
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_VELOCITY], 0, 1e-12);
  assert_near(pk_sim_tau(r.sim)[0], 0, 1e-9);
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_RUB], 0.9, 1e-9);
  pk_sim_commands(r.sim)[0].tau = 3;
  const pk_step_info info = rig_run(&r, 8000);
  assert_near(4 * pk_sim_u(r.sim)[0], 2, 1e-9);
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_RUB], 1, 1e-9);
  assert_true(info.certified);
  rig_free(&r);
}

/* Two nodes of heat: RE 40 at 4 A comes to the steady temperatures of the closed form, with a resistance that grows. */
static void a_winding_warms_to_its_steady_temperature(void **state)
{
  (void)state;
  pk_motor_parameters p = pk_motor_parameters_default();
  p.resistance = 0.299, p.constant = 0.0302, p.winding_resistance = 1.93, p.housing_resistance = 4.65;
  p.winding_capacity = 22, p.housing_capacity = 174, p.current = 20, p.temperature = 155;
  rig r = rig_make("dc", &p, 1, PK_STEPPER_MOREAU, 0.5);
  pk_sim_commands(r.sim)[0].tau = 4 * p.constant;
  rig_run(&r, 40000);
  const double loss = 16 * 0.299, sum = 1.93 + 4.65, rise = loss * sum / (1 - loss * PKI_COPPER * sum);
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_WINDING], 25 + rise, 1e-6);
  assert_near(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_HOUSING], 25 + rise * 4.65 / sum, 1e-6);
  /* far too much current: the limit falls until heat and cooling agree, below the largest temperature */
  pk_sim_commands(r.sim)[0].tau = 100;
  rig_run(&r, 40000);
  const double hot = pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_WINDING];
  assert_less(hot, 155);
  assert_greater(hot, 130);
  assert_near(current_of(&r), 20 * (155 - hot) / 25, 1e-6);
  rig_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_current_rises_as_in_an_rl_circuit),
      cmocka_unit_test(a_motor_spins_up_by_its_mechanical_time_constant),
      cmocka_unit_test(steady_torque_and_speed_are_on_the_motors_line),
      cmocka_unit_test(a_free_sea_swings_and_decays_as_the_closed_form_says),
      cmocka_unit_test(a_driven_sea_swings_about_its_mean_deflection),
      cmocka_unit_test(stiff_circuits_and_springs_ask_for_no_small_step),
      cmocka_unit_test(a_stiffening_spring_rests_where_its_law_says),
      cmocka_unit_test(limits_of_current_and_voltage_hold_in_every_step),
      cmocka_unit_test(smooth_schemes_hold_the_limit_of_current),
      cmocka_unit_test(a_gear_loses_by_its_efficiency_and_holds_at_rest),
      cmocka_unit_test(a_gear_that_is_driven_back_takes_more_at_the_joint),
      cmocka_unit_test(a_rotor_behind_a_spring_sticks_and_slides),
      cmocka_unit_test(a_winding_warms_to_its_steady_temperature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
