/* Servos, torque envelopes and parallel springs against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actuation/rig.h"
#include "support/bounds.h"
#include "support/hinge.h"

/* A rig with several actuators on its joint. */
static rig crowded_rig(const pk_actuator *list, int count, double damping, pk_stepper stepper, double dt)
{
  rig r = {0};
  pk_error err = {.message = ""};
  pk_joint_desc joint = hinge_joint();
  joint.damping = damping;
  r.model = hinge_model(&joint);
  pk_sim_options o = pk_sim_options_default();
  if (pk_actuation_create(r.model, list, count, NULL, &r.actuation, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  o.dt = dt, o.stepper = stepper, o.actuation = r.actuation;
  if (pk_sim_create(r.model, &o, &r.sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return r;
}

/* ---- servos ---- */

/* Gains with three equal poles -p: s^3 + kd s^2 + kp s + ki = (s + p)^3. */
static pk_servo_parameters triple_pole(double p)
{
  pk_servo_parameters s = pk_servo_parameters_default();
  s.kd = 3 * p, s.kp = 3 * p * p, s.ki = p * p * p;
  return s;
}

/* The error of a step E of the set point is E (1 + p t - (p t)^2) exp(-p t). */
static double pid_error(pk_stepper stepper, int steps)
{
  const double p = 8, t = 0.5, E = 0.7;
  const pk_servo_parameters s = triple_pole(p);
  rig r = rig_make("servo", &s, 0, stepper, t / steps);
  pk_sim_commands(r.sim)[0].q_des = E;
  rig_run(&r, steps);
  const double exact = E - E * (1 + p * t - p * t * p * t) * exp(-p * t);
  const double error = fabs(pk_sim_q(r.sim)[0] - exact);
  rig_free(&r);
  return error;
}

static void a_pid_on_position_answers_as_its_poles_say(void **state)
{
  (void)state;
  assert_less(pid_error(PK_STEPPER_RK4, 2000), 1e-10);
  assert_near(pid_error(PK_STEPPER_EULER, 4000) / pid_error(PK_STEPPER_EULER, 8000), 2, 0.1);
  assert_near(pid_error(PK_STEPPER_MOREAU, 4000) / pid_error(PK_STEPPER_MOREAU, 8000), 2, 0.1);
}

/* Every part of the force is that of the end of the step, the integral's included: any gain is stable at any step. */
static void all_parts_of_a_pid_are_taken_at_the_end(void **state)
{
  (void)state;
  pk_servo_parameters s = triple_pole(300);
  rig r = rig_make("servo", &s, 0, PK_STEPPER_EULER, 0.02); /* six times the time constant of its poles */
  pk_sim_commands(r.sim)[0].q_des = 1;
  for (int i = 0; i < 500; i++) {
    rig_run(&r, 1);
    const double integral = pk_sim_actuation(r.sim)[0], q = pk_sim_q(r.sim)[0], u = pk_sim_u(r.sim)[0];
    const double tau = s.kp * (1 - q) + integral - s.kd * u;
    assert_near(pk_sim_tau(r.sim)[0], tau, 1e-9 * s.kp);
  }
  assert_near(pk_sim_q(r.sim)[0], 1, 1e-9);
  rig_free(&r);
}

/* u' = kp (u_des - u) + ki (integral of it): with kp = 2 p and ki = p^2 the error is E (1 - p t) exp(-p t). */
static void a_pi_on_velocity_answers_as_its_poles_say(void **state)
{
  (void)state;
  const double p = 5, t = 0.6, E = 2;
  const pk_servo_parameters s = {.mode = PK_SERVO_MODE_VELOCITY, .kp = 2 * p, .ki = p * p};
  rig r = rig_make("servo", &s, 0, PK_STEPPER_RK4, t / 2000);
  pk_sim_commands(r.sim)[0].u_des = E;
  rig_run(&r, 2000);
  assert_near(pk_sim_u(r.sim)[0], E - E * (1 - p * t) * exp(-p * t), 1e-10);
  rig_free(&r);
}

/* Against a steady force gains alone stop short by force / kp; the integral takes that away, in every scheme. */
static void the_integral_removes_the_offset(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU, PK_STEPPER_RK4};
  pk_parallel_spring_parameters spring = pk_parallel_spring_parameters_default();
  spring.stiffness = 30, spring.pretension = -0.5, spring.both_ways = true;
  for (size_t i = 0; i < 6; i++) {
    pk_servo_parameters s = triple_pole(6);
    s.ki = i & 1 ? s.ki : 0;
    const pk_actuator list[] = {{.kind = pk_actuator_kind_find("servo"), .parameters = &s},
                                {.kind = pk_actuator_kind_find("parallel-spring"), .parameters = &spring}};
    rig r = crowded_rig(list, 2, 0, steppers[i / 2], 2e-3);
    pk_sim_commands(r.sim)[0].q_des = 0.4;
    rig_run(&r, 20000);
    const double q = pk_sim_q(r.sim)[0], rests = (s.kp * 0.4 - 30 * 0.5) / (s.kp + 30);
    assert_near(q, i & 1 ? 0.4 : rests, 1e-9);
    assert_near(pk_sim_actuation(r.sim)[pk_actuation_state_at(r.actuation, 0)], i & 1 ? 30 * 0.9 : 0, 1e-6);
    rig_free(&r);
  }
}

/* The same servo with an integral that never stops, to hold against: how far it goes beyond the set point. */
static double overshoot_with_windup(const pk_servo_parameters *s, double target, double dt, double until)
{
  double x = 0, u = 0, sum = 0, most = 0;
  for (double t = 0; t < until; t += dt) {
    const double tau = s->kp * (target - x) + s->ki * sum - s->kd * u;
    u += dt * fmax(fmin(tau, s->limit), -s->limit);
    x += dt * u, sum += dt * (target - x), most = fmax(most, x - target);
  }
  return most;
}

static void the_integral_stops_at_the_limit(void **state)
{
  (void)state;
  static const double limits[] = {0, 5};
  double overshoot[2];
  for (int i = 0; i < 2; i++) {
    pk_servo_parameters s = triple_pole(4);
    s.limit = limits[i];
    rig r = rig_make("servo", &s, 0, PK_STEPPER_MOREAU, 1e-3);
    pk_sim_commands(r.sim)[0].q_des = 3;
    overshoot[i] = 0;
    for (int k = 0; k < 10000; k++) {
      const pk_step_info info = rig_run(&r, 1);
      assert_true(info.certified);
      assert_true(limits[i] == 0 || fabs(pk_sim_tau(r.sim)[0]) <= 5);
      overshoot[i] = fmax(overshoot[i], pk_sim_q(r.sim)[0] - 3);
    }
    assert_near(pk_sim_q(r.sim)[0], 3, 1e-9);
    rig_free(&r);
  }
  pk_servo_parameters s = triple_pole(4);
  s.limit = 5;
  const double naive = overshoot_with_windup(&s, 3, 1e-4, 10);
  /* without a limit it is that of the closed form, largest at p t = 3: 3 (1 + 3 - 9) exp(-3) below zero */
  assert_near(overshoot[0], 15 * exp(-3), 2e-3);
  assert_greater(naive, 2 * overshoot[1]);
}

static void a_servo_in_mode_torque_makes_the_commands_force(void **state)
{
  (void)state;
  const pk_servo_parameters s = {.mode = PK_SERVO_MODE_TORQUE, .limit = 4};
  rig r = rig_make("servo", &s, 2, PK_STEPPER_MOREAU, 1e-3);
  pk_sim_commands(r.sim)[0].tau = 3;
  rig_run(&r, 20000);
  assert_near(pk_sim_u(r.sim)[0], 1.5, 1e-9);
  pk_sim_commands(r.sim)[0].tau = 30;
  rig_run(&r, 20000);
  assert_near(pk_sim_u(r.sim)[0], 2, 1e-9);
  assert_near(pk_sim_tau(r.sim)[0], 4, 0);
  rig_free(&r);
}

/* ---- envelopes ---- */

/* The largest force at a speed in its direction. */
static double envelope(const pk_torque_parameters *p, double u)
{
  return fmin(p->limit, p->limit * (p->no_load_speed - u) / (p->no_load_speed - p->full_speed));
}

/* A robot dog's knee: 45 N m up to 10 rad/s, nothing at 20. A damper on the joint puts the steady state anywhere on its line. */
static void a_torque_envelope_holds_in_every_step_and_at_rest_on_its_line(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  static const double dampings[] = {0.5, 2, 10};
  const pk_torque_parameters p = {.limit = 45, .full_speed = 10, .no_load_speed = 20};
  for (int i = 0; i < 6; i++) {
    const double d = dampings[i % 3];
    rig r = rig_make("torque", &p, d, steppers[i / 3], 2.5e-3);
    pk_sim_u(r.sim)[0] = 30; /* faster than it can be: the line brakes */
    for (int k = 0; k < 20000; k++) {
      pk_sim_commands(r.sim)[0].tau = k < 10000 ? -1e3 : 1e3;
      const pk_step_info info = rig_run(&r, 1);
      const double tau = pk_sim_tau(r.sim)[0], u = pk_sim_u(r.sim)[0];
      assert_true(info.certified);
      assert_near(k < 10000 ? -tau : tau, envelope(&p, k < 10000 ? -u : u), 1e-9);
    }
    const double u = pk_sim_u(r.sim)[0];
    const double slope = 45 / 10.0, falling = slope * 20 / (d + slope);
    assert_near(u, falling > 10 ? falling : 45 / d, 1e-9);
    assert_near(pk_sim_tau(r.sim)[0], d * u, 1e-9);
    rig_free(&r);
  }
}

/* ---- parallel springs ---- */

/* k r^2 on a unit inertia, about p / r. */
static void a_spring_that_pulls_both_ways_swings_harmonically(void **state)
{
  (void)state;
  const pk_parallel_spring_parameters p = {
      .radius = 0.05, .stiffness = 2000, .damping = 20, .pretension = 0.02, .both_ways = true};
  rig r = rig_make("parallel-spring", &p, 0, PK_STEPPER_RK4, 1e-3);
  rig_run(&r, 5000);
  const double w0 = 0.05 * sqrt(2000), delta = 0.5 * 0.05 * 0.05 * 20, w = sqrt(w0 * w0 - delta * delta),
               t = 5;
  const double away = -0.4 * exp(-delta * t) * (cos(w * t) + delta / w * sin(w * t));
  assert_near(pk_sim_q(r.sim)[0], 0.4 + away, 1e-9);
  rig_free(&r);
}

/* A spring that pulls where x > 0 alone, and a steady force T against it: free flight for 2 v / T, then an arc of a swing. After one
 * period all is as before. */
static double bounce_error(pk_stepper stepper, int steps)
{
  const pk_parallel_spring_parameters p = {.radius = 0.1, .stiffness = 4000};
  const double T = 3, v = 2, w = 0.1 * sqrt(4000);
  const double period = 2 * v / T + 2 * (acos(-1) - atan(v * w / T)) / w;
  rig r = rig_make("parallel-spring", &p, 0, stepper, period / steps);
  pk_sim_u(r.sim)[0] = -v, pk_sim_commands(r.sim)[0].tau = T;
  rig_run(&r, steps);
  const double error = fabs(pk_sim_q(r.sim)[0]) + fabs(pk_sim_u(r.sim)[0] + v);
  rig_free(&r);
  return error;
}

static void a_joint_bounces_on_a_spring_that_pulls_one_way(void **state)
{
  (void)state;
  assert_less(bounce_error(PK_STEPPER_RK4, 20000), 1e-6);
  assert_less(bounce_error(PK_STEPPER_EULER, 20000), 3e-3);
  assert_near(bounce_error(PK_STEPPER_MOREAU, 8000) / bounce_error(PK_STEPPER_MOREAU, 16000), 2, 0.4);
}

/* What is written into the first state is where the far end goes, by its speed. */
static void the_pretension_is_commanded_through_the_states(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU, PK_STEPPER_RK4};
  for (size_t i = 0; i < 6; i++) {
    const pk_parallel_spring_parameters p = {
        .radius = 0.05, .stiffness = 4000, .pretension = 0.01, .speed = i & 1 ? 0.02 : 0, .both_ways = true};
    rig r = rig_make("parallel-spring", &p, 4, steppers[i / 2], 1e-3);
    double *s = pk_sim_actuation(r.sim);
    assert_near(s[0], 0.01, 0);
    assert_near(s[1], 0.01, 0);
    s[0] = -0.03;
    rig_run(&r, 1000);
    if (i & 1) {
      assert_near(s[1], -0.01, 1e-9); /* 0.02 m in 1 s */
    }
    rig_run(&r, 30000);
    assert_near(pk_sim_q(r.sim)[0], -0.03 / 0.05, 1e-6);
    rig_free(&r);
  }
}

/* A motor with a current loop, two springs and a damper of the model on one joint rest where their forces add to zero. */
static void several_on_one_joint_add_up(void **state)
{
  (void)state;
  pk_motor_parameters motor = pk_motor_parameters_default();
  motor.gear = 50, motor.inertia = 1e-4;
  const pk_parallel_spring_parameters one = {
      .radius = 0.1, .stiffness = 3000, .pretension = 0.02, .both_ways = true};
  const pk_parallel_spring_parameters two = {.radius = 0.2, .stiffness = 500, .pretension = -0.05};
  const pk_actuator list[] = {{.kind = pk_actuator_kind_find("parallel-spring"), .parameters = &one},
                              {.kind = pk_actuator_kind_find("dc"), .parameters = &motor},
                              {.kind = pk_actuator_kind_find("parallel-spring"), .parameters = &two}};
  rig r = crowded_rig(list, 3, 3, PK_STEPPER_MOREAU, 2e-3);
  pk_sim_commands(r.sim)[0] = (pk_command){.tau = 2, .q_des = 0.5, .kp = 40, .kd = 2};
  rig_run(&r, 20000);
  const double rests =
      (2 + 40 * 0.5 + 0.1 * 3000 * 0.02 + 0.2 * 500 * -0.05) / (40 + 0.1 * 0.1 * 3000 + 0.2 * 0.2 * 500);
  assert_near(pk_sim_q(r.sim)[0], rests, 1e-9);
  assert_near(pk_sim_tau(r.sim)[0], 2 + 40 * (0.5 - rests), 1e-9); /* the motor's own */
  rig_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pid_on_position_answers_as_its_poles_say),
      cmocka_unit_test(all_parts_of_a_pid_are_taken_at_the_end),
      cmocka_unit_test(a_pi_on_velocity_answers_as_its_poles_say),
      cmocka_unit_test(the_integral_removes_the_offset),
      cmocka_unit_test(the_integral_stops_at_the_limit),
      cmocka_unit_test(a_servo_in_mode_torque_makes_the_commands_force),
      cmocka_unit_test(a_torque_envelope_holds_in_every_step_and_at_rest_on_its_line),
      cmocka_unit_test(a_spring_that_pulls_both_ways_swings_harmonically),
      cmocka_unit_test(a_joint_bounces_on_a_spring_that_pulls_one_way),
      cmocka_unit_test(the_pretension_is_commanded_through_the_states),
      cmocka_unit_test(several_on_one_joint_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
