/* Energies of actuators: the flow closes, alone and with the joint that is driven; costs of a gait and batteries against closed
 * forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "actuation/actuation.h"
#include "actuation/rig.h"
#include "pronk/energy.h"
#include "support/bounds.h"
#include "support/fleet.h"
#include "support/world.h"

static pk_energy_meter *meter_of(pk_sim *sim)
{
  pk_energy_meter *meter = NULL;
  pk_error err = {0};
  if (pk_energy_meter_create(sim, &meter, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return meter;
}

/* All that was turned over, whichever way it went. */
static double turned_over(const pk_actuator_flow *f)
{
  return fabs(f->electrical) + fabs(f->other) + fabs(f->joule) + fabs(f->mechanical) + fabs(f->spring) +
         fabs(f->rotor) + fabs(f->scheme);
}

/* ---- one joint ---- */

/* A motor with all that loses and stores energy. */
static pk_motor_parameters whole_motor(bool spring, pk_motor_drive drive)
{
  pk_motor_parameters p = pk_motor_parameters_default();
  p.drive = drive;
  p.resistance = 0.664, p.inductance = 0.32e-3, p.constant = 0.041, p.gear = 40, p.inertia = 1.387e-5;
  p.damping = 2e-5, p.friction = 0.004, p.voltage = 24, p.current = 10;
  p.winding_resistance = 1.9, p.housing_resistance = 4.6, p.winding_capacity = 3, p.housing_capacity = 20;
  p.temperature = 120;
  if (spring) {
    p.spring = 150, p.stiffening = 40, p.spring_damping = 0.3;
  } else {
    p.efficiency = 0.85;
  }
  return p;
}

/* The joint of the rig has inertia 1 and a damper, and a rigid gear's rotor on top: what the actuator does to it is there, or in the
 * damper, by dt d u_E (u_S + u_E) / 2 of each step. */
static void follow_rig(const char *kind, const pk_motor_parameters *p, pk_stepper stepper, double dt,
                       int steps)
{
  const bool spring = p->spring > 0;
  const double damping = 0.7, inertia = 1 + (spring ? 0 : p->gear * p->gear * p->inertia);
  rig r = rig_make(kind, p, damping, stepper, dt);
  pk_energy_meter *meter = meter_of(r.sim);
  double damped = 0, worst = 0, deflection = 0;
  int limited = 0;
  pk_sim_u(r.sim)[0] = 0.3;
  pk_energy_meter_begin(meter);
  const double start = 0.5 * inertia * 0.3 * 0.3;
  for (int i = 0; i < steps; i++) {
    const double before = pk_sim_u(r.sim)[0], t = i * dt;
    pk_sim_commands(r.sim)[0] = (pk_command){
        .q_des = 1.5 * sin(3 * t) + (i / 500 % 2 ? 1 : -1), .kp = 60, .kd = 3, .tau = 2 * cos(7 * t)};
    limited += rig_run(&r, 1).saturated;
    pk_energy_meter_step(meter);
    const double u = pk_sim_u(r.sim)[0];
    damped += dt * damping * u * 0.5 * (before + u);
    const pk_actuator_flow *last = pk_energy_meter_last(meter);
    worst = fmax(worst, fabs(pk_actuator_flow_residual(last)) / (1e-6 + turned_over(last)));
    deflection = fmax(deflection, fabs(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_DEFLECTION]));
    /* friction that is no friction would hide what is missing */
    assert_at_most(fabs(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_RUB]),
                   (spring ? 40 * 0.004 : 0) * (1 + 1e-9));
  }
  const pk_actuator_flow f = pk_energy_meter_sum(meter);
  const double u = pk_sim_u(r.sim)[0], kinetic = 0.5 * inertia * u * u - start;
  assert_less(worst, 1e-9);
  assert_near(f.electrical,
              f.joule + f.viscous + f.rotor_friction + f.spring_damping + f.gear + f.magnetic + f.rotor +
                  f.spring + f.scheme + kinetic + damped,
              1e-9 * turned_over(&f));
  /* and each of them had a part in it */
  assert_greater(limited, 10);
  assert_greater(f.joule, 1);
  assert_greater(f.viscous, 1e-3);
  assert_greater(f.regenerated, 1e-2);
  assert_greater(spring ? f.rotor_friction : f.gear, 0.1);
  assert_greater(pk_sim_actuation(r.sim)[PKI_MOTOR_STATE_WINDING], 25.5);
  if (spring) {
    const double *s = pk_sim_actuation(r.sim), w = s[PKI_MOTOR_STATE_VELOCITY];
    const double e = fmax(fabs(s[PKI_MOTOR_STATE_DEFLECTION]) - 0.5 * p->backlash, 0);
    assert_near(f.spring, p->spring * (e * e / 2 + p->stiffening * e * e * e * e / 4), 1e-9);
    assert_near(f.rotor, 0.5 * p->gear * p->gear * p->inertia * w * w, 1e-9);
    assert_greater(f.spring_damping, 1e-3);
    assert_greater(p->stiffening * deflection * deflection, 0.02);
  }
  pk_energy_meter_destroy(meter);
  rig_free(&r);
}

static void the_flow_of_a_motor_and_its_joint_closes_over_a_long_motion(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_MOREAU, PK_STEPPER_EULER};
  static const pk_motor_drive drives[] = {PK_MOTOR_DRIVE_CURRENT, PK_MOTOR_DRIVE_VOLTAGE};
  for (int i = 0; i < 8; i++) {
    const bool spring = i & 1;
    const pk_motor_parameters p = whole_motor(spring, drives[i >> 2 & 1]);
    follow_rig(spring ? "sea" : "dc", &p, steppers[i >> 1 & 1], 2e-3, 10000);
  }
}

/* Play and a torque loop join in, at a step of many L/R. */
static void the_flow_closes_with_play_and_at_large_steps(void **state)
{
  (void)state;
  pk_motor_parameters p = whole_motor(true, PK_MOTOR_DRIVE_CURRENT);
  p.backlash = 0.01, p.torque_gain = 2;
  follow_rig("sea", &p, PK_STEPPER_MOREAU, 5e-3, 5000);
  p.backlash = 0, p.feedback = PK_MOTOR_FEEDBACK_MOTOR;
  follow_rig("sea", &p, PK_STEPPER_EULER, 5e-3, 5000);
}

/* What the scheme loses falls with the step, and with it the flow is that of the smooth motion. */
static double scheme_part(pk_stepper stepper, double dt)
{
  pk_motor_parameters p = whole_motor(true, PK_MOTOR_DRIVE_CURRENT);
  p.friction = 0;
  rig r = rig_make("sea", &p, 0.7, stepper, dt);
  pk_energy_meter *meter = meter_of(r.sim);
  for (int i = 0; i < (int)lround(2 / dt); i++) {
    pk_sim_commands(r.sim)[0] = (pk_command){.tau = 4 * sin(5 * i * dt)};
    rig_run(&r, 1);
    pk_energy_meter_step(meter);
  }
  const pk_actuator_flow f = pk_energy_meter_sum(meter);
  pk_energy_meter_destroy(meter);
  rig_free(&r);
  return fabs(f.scheme) / turned_over(&f);
}

static void the_schemes_own_loss_falls_with_the_step(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_MOREAU, PK_STEPPER_EULER, PK_STEPPER_RK4};
  static const double falls[] = {1.7, 1.7, 1.7};
  for (int i = 0; i < 3; i++) {
    assert_greater(scheme_part(steppers[i], 1e-3) / scheme_part(steppers[i], 5e-4), falls[i]);
  }
  assert_less(scheme_part(PK_STEPPER_RK4, 1e-4), 1e-3);
}

/* A parallel spring gives back what it took: its joint swings, and its energy is where the spring's is not. */
static void a_parallel_spring_stores_what_the_joint_loses(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_MOREAU, PK_STEPPER_EULER};
  for (int i = 0; i < 4; i++) {
    pk_parallel_spring_parameters p = pk_parallel_spring_parameters_default();
    p.stiffness = 300, p.radius = 0.4, p.damping = i & 2 ? 1.5 : 0, p.pretension = 0.1, p.speed = 0.05;
    rig r = rig_make("parallel-spring", &p, 0, steppers[i & 1], 2e-3);
    pk_energy_meter *meter = meter_of(r.sim);
    pk_sim_u(r.sim)[0] = 2;
    pk_energy_meter_begin(meter);
    for (int step = 0; step < 3000; step++) {
      pk_sim_actuation(r.sim)[0] = 0.1 * cos(0.004 * step); /* the pretension moves, too */
      pk_energy_meter_begin(meter);
      rig_run(&r, 1);
      pk_energy_meter_step(meter);
    }
    const pk_actuator_flow f = pk_energy_meter_sum(meter);
    const double u = pk_sim_u(r.sim)[0];
    const double e = pk_sim_actuation(r.sim)[1] - 0.4 * pk_sim_q(r.sim)[0];
    assert_near(f.mechanical, 0.5 * u * u - 2, 1e-10);
    assert_near(f.spring, e < 0 ? 150 * e * e : 0, 1e-10);
    assert_near(f.other, f.spring + f.spring_damping + f.mechanical + f.scheme, 1e-10);
    assert_greater(fabs(f.other), 1e-2);
    assert_greater(f.spring_damping, i & 2 ? 0.05 : -1e-15);
    pk_energy_meter_destroy(meter);
    rig_free(&r);
  }
}

/* A world whose motor is another than the parameters say, and forces of the start of the step: the meter follows both. */
static void the_flow_closes_for_motors_that_vary_and_for_explicit_forces(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_MOREAU, PK_STEPPER_EULER};
  for (int i = 0; i < 8; i++) {
    const bool spring = i & 1, varies = i & 4;
    const pk_motor_parameters p = whole_motor(spring, PK_MOTOR_DRIVE_CURRENT);
    rig r = rig_make(spring ? "sea" : "dc", &p, 0.7, steppers[i >> 1 & 1], 5e-4);
    if (varies) {
      assert_int_equal(pk_sim_scale_motor(r.sim, 0, PK_MOTOR_VALUE_CONSTANT, 1.2, NULL), PK_OK);
      assert_int_equal(pk_sim_scale_motor(r.sim, 0, PK_MOTOR_VALUE_RESISTANCE, 1.5, NULL), PK_OK);
    } else {
      pk_error err = {0};
      pk_sim_options o = pk_sim_options_default();
      pk_sim_destroy(r.sim);
      o.dt = 5e-4, o.stepper = steppers[i >> 1 & 1], o.actuation = r.actuation;
      o.implicit = PK_IMPLICIT_FORCES_NONE;
      assert_int_equal(pk_sim_create(r.model, &o, &r.sim, &err), PK_OK);
    }
    pk_energy_meter *meter = meter_of(r.sim);
    for (int step = 0; step < 2000; step++) {
      pk_sim_commands(r.sim)[0] = (pk_command){.tau = 3 * sin(0.005 * step), .kd = 0.5};
      rig_run(&r, 1);
      pk_energy_meter_step(meter);
    }
    const pk_actuator_flow f = pk_energy_meter_sum(meter);
    assert_greater(f.joule, 0.1);
    assert_at_most(fabs(pk_actuator_flow_residual(&f)), 1e-9 * turned_over(&f));
    pk_energy_meter_destroy(meter);
    rig_free(&r);
  }
}

/* Sources that are no motors: what they put in is the work on the joint, whose energy it becomes. */
static void other_sources_put_in_what_the_joint_gets(void **state)
{
  (void)state;
  const pk_torque_parameters torque = {.limit = 5};
  pk_servo_parameters servo = pk_servo_parameters_default();
  servo.kp = 40, servo.ki = 10, servo.kd = 2, servo.limit = 8;
  pk_hydraulic_parameters cylinder = pk_hydraulic_parameters_default();
  cylinder.side_a = 0.32, cylinder.side_b = 0.045, cylinder.retracted = 0.28, cylinder.force_gain = 200;
  const struct {
    const char *kind;
    const void *parameters;
  } rows[] = {{"torque", &torque}, {"servo", &servo}, {"hydraulic", &cylinder}};
  for (int i = 0; i < 6; i++) {
    const pk_stepper stepper = i & 1 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU;
    rig r = rig_make(rows[i / 2].kind, rows[i / 2].parameters, 0, stepper, 1e-3);
    pk_energy_meter *meter = meter_of(r.sim);
    for (int step = 0; step < 1000; step++) {
      pk_sim_commands(r.sim)[0] =
          (pk_command){.tau = (i / 2 == 2 ? 30 : 4) * sin(0.01 * step), .q_des = 0.2 * cos(0.01 * step)};
      rig_run(&r, 1);
      pk_energy_meter_step(meter);
    }
    const pk_actuator_flow f = pk_energy_meter_sum(meter);
    const double u = pk_sim_u(r.sim)[0];
    assert_near(f.mechanical, 0.5 * u * u, 1e-9 * (1 + turned_over(&f)));
    assert_near(pk_actuator_flow_residual(&f), 0, 1e-9 * turned_over(&f));
    assert_greater(turned_over(&f), 1e-4);
    assert_true(f.electrical == 0 && f.joule == 0);
    assert_true((f.gear > 1e-4) == (i / 2 == 2)); /* dry friction of the piston */
    pk_energy_meter_destroy(meter);
    rig_free(&r);
  }
}

/* ---- a robot in contact ---- */

static const fleet_setting robots[] = {
    {"a trot", FLEET_STARLETH, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 2000,
     true},
    {"weak legs", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2.5e-3, 800, true},
    {"cut joints", FLEET_MAXIMAL, FLEET_HOLD, FLEET_PLANE, FLEET_STANCE, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     200, false},
};

/* Every actuator by itself, the battery, and all of them together with the work that the joints saw. */
static void follow_robot(const fleet_setting *setting, double bound)
{
  fleet f;
  fleet_make(&f, setting);
  fleet_drive(&f);
  pk_sim *sim = fleet_sim(&f, 0);
  pk_energy_meter *meter = meter_of(sim);
  const int count = pk_actuation_count(f.actuation), nu = pk_sim_joint_model(sim)->nu;
  double q[64], before[64], u[64], work = 0;
  assert_in_range(nu, 1, 63);
  pk_sim_get_joints(sim, q, u);
  for (int i = 0; i < setting->steps; i++) {
    memcpy(before, u, sizeof u);
    must_step(sim);
    pk_energy_meter_step(meter);
    pk_sim_get_joints(sim, q, u);
    for (int k = 0; k < count - 1; k++) {
      const int dof = pk_actuation_get(f.actuation, k).dof;
      work += setting->dt * pk_sim_tau(sim)[dof] * 0.5 * (before[dof] + u[dof]);
    }
  }
  const pk_actuator_flow all = pk_energy_meter_sum(meter), *each = pk_energy_meter_flows(meter);
  for (int k = 0; k < count; k++) {
    assert_at_most(fabs(pk_actuator_flow_residual(&each[k])), bound * turned_over(&each[k]));
  }
  assert_near(all.mechanical + all.gear - each[count - 1].mechanical, work, bound * turned_over(&all));
  assert_at_most(fabs(pk_battery_flow_residual(pk_energy_meter_battery(meter), all.electrical)),
                 1e-9 * turned_over(&all));
  assert_greater(all.joule, 1);
  assert_greater(pk_energy_meter_battery(meter)->lost, 1e-3);
  pk_energy_meter_destroy(meter);
  pk_sim_destroy(sim);
  fleet_free(&f);
}

static void the_flow_of_robots_on_the_ground_closes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
    /* rates of cut joints follow from those of bodies, which a projection moves a little after the step */
    follow_robot(&robots[i], robots[i].robot == FLEET_MAXIMAL ? 1e-7 : 1e-9);
  }
}

/* ---- batteries ---- */

/* A motor that stands still draws i^2 R from the bus. */
static rig rig_on_battery(const pk_battery *battery, double amperes, pk_energy_meter **meter)
{
  pk_motor_parameters p = pk_motor_parameters_default();
  p.resistance = 0.5, p.constant = 0.05;
  rig r = rig_make("dc", &p, 1e12, PK_STEPPER_MOREAU, 1e-3);
  pk_error err = {0};
  const pk_actuator one = {.dof = 0, .kind = pk_actuator_kind_find("dc"), .parameters = &p};
  pk_sim_destroy(r.sim);
  pk_actuation_destroy(r.actuation);
  assert_int_equal(pk_actuation_create(r.model, &one, 1, battery, &r.actuation, &err), PK_OK);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-3, o.stepper = PK_STEPPER_MOREAU, o.actuation = r.actuation;
  assert_int_equal(pk_sim_create(r.model, &o, &r.sim, &err), PK_OK);
  pk_sim_commands(r.sim)[0].tau = amperes * p.constant;
  *meter = meter_of(r.sim);
  return r;
}

/* P = 50 W from 24 V behind 0.4 ohm: V = (OCV + sqrt(OCV^2 - 4 R P)) / 2, I = P / V. */
static void a_battery_under_constant_power_has_the_voltage_of_the_closed_form(void **state)
{
  (void)state;
  const pk_battery b = {.full = 24, .empty = 24, .resistance = 0.4, .regeneration = INFINITY};
  pk_energy_meter *meter;
  rig r = rig_on_battery(&b, 10, &meter);
  for (int i = 0; i < 1000; i++) {
    rig_run(&r, 1);
    pk_energy_meter_step(meter);
  }
  const double V = 0.5 * (24 + sqrt(24 * 24 - 4 * 0.4 * 50)), I = 50 / V;
  const double *bus = pk_sim_actuation(r.sim) + pk_actuation_state_size(r.actuation) - 2;
  const pk_battery_flow *f = pk_energy_meter_battery(meter);
  assert_near(bus[0], V, 1e-12 * V);
  assert_near(bus[1], I, 1e-10);
  assert_near(f->given, 24 * I, 1e-9);
  assert_near(f->lost, 0.4 * I * I, 1e-9);
  assert_near(f->given - f->lost, 50, 1e-9);
  assert_near(pk_energy_meter_sum(meter).electrical, 50, 1e-9);
  assert_true(f->braked == 0 && f->overdrawn == 0 && f->taken_back == 0);
  pk_energy_meter_destroy(meter);
  rig_free(&r);
}

/* More than OCV^2 / (4 R) = 57.6 W is not to be had: what motors draw beyond it is told apart. */
static void what_a_battery_cannot_give_is_told_apart(void **state)
{
  (void)state;
  const pk_battery b = {.full = 24, .empty = 24, .resistance = 2.5, .regeneration = INFINITY};
  pk_energy_meter *meter;
  rig r = rig_on_battery(&b, 15, &meter);
  for (int i = 0; i < 100; i++) {
    rig_run(&r, 1);
    pk_energy_meter_step(meter);
  }
  const pk_battery_flow *f = pk_energy_meter_battery(meter);
  assert_greater(f->overdrawn, 1);
  assert_near(pk_battery_flow_residual(f, pk_energy_meter_sum(meter).electrical), 0, 1e-9);
  pk_energy_meter_destroy(meter);
  rig_free(&r);
}

/* A fast joint brakes against its motor: the battery takes 20 W, the rest is heat of the brake. */
static void a_battery_takes_back_what_it_may_and_the_brake_the_rest(void **state)
{
  (void)state;
  pk_motor_parameters p = pk_motor_parameters_default();
  p.resistance = 0.05, p.constant = 0.1, p.gear = 10;
  const pk_battery b = {.full = 24, .empty = 20, .resistance = 0.1, .capacity = 1000, .regeneration = 20};
  pk_energy_meter *meter;
  rig r = rig_on_battery(&b, 0, &meter);
  pk_energy_meter_destroy(meter);
  rig_free(&r);
  r = rig_make("dc", &p, 0, PK_STEPPER_MOREAU, 1e-3);
  const pk_actuator one = {.dof = 0, .kind = pk_actuator_kind_find("dc"), .parameters = &p};
  pk_sim_destroy(r.sim);
  pk_actuation_destroy(r.actuation);
  pk_error err = {0};
  assert_int_equal(pk_actuation_create(r.model, &one, 1, &b, &r.actuation, &err), PK_OK);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-3, o.actuation = r.actuation;
  assert_int_equal(pk_sim_create(r.model, &o, &r.sim, &err), PK_OK);
  pk_sim_u(r.sim)[0] = 20;
  double *const charge = pk_sim_actuation(r.sim) + pk_actuation_state_size(r.actuation) - 1;
  *charge = 100;                       /* a full battery would take nothing back */
  pk_sim_commands(r.sim)[0].tau = -20; /* 20 A against 20 V: it generates 400 W less 20 W of heat */
  meter = meter_of(r.sim);
  for (int i = 0; i < 200; i++) {
    rig_run(&r, 1);
    pk_energy_meter_step(meter);
  }
  const pk_actuator_flow f = pk_energy_meter_sum(meter);
  const pk_battery_flow *battery = pk_energy_meter_battery(meter);
  assert_near(f.regenerated, -f.electrical, 1e-12);
  assert_near(f.electrical, 200e-3 * 20 * 20 * 0.05 - 0.5 * (400 - 16 * 16), 1e-6 * 72);
  assert_near(battery->given - battery->lost, -20 * 0.2, 1e-9);
  assert_near(battery->taken_back, -battery->given, 1e-12);
  assert_near(battery->braked, -f.electrical - 4, 1e-9);
  assert_less(*charge, 100);
  pk_energy_meter_destroy(meter);
  rig_free(&r);
}

/* ---- costs of a gait ---- */

/* Two joints in phase: tau_i = A_i sin(s), rate_i = B_i sin(s), s = 2 pi t / T; v = a + b cos(s). Then
 *   J_e1 = T sum R_i (A_i / (G_i K_i))^2 / 2 / (a T)
 *   J_e2 = sum A_i B_i T / (m g) (a - sqrt(a^2 - b^2)) / b^2
 * Equal steps over a period sum trigonometric functions exactly, and 1 / v to rounding. */
static void costs_of_a_motion_made_by_hand_are_those_of_the_closed_forms(void **state)
{
  (void)state;
  enum { SAMPLES = 400 };
  static const pk_effort_joint joints[] = {{0.3, 9, 0.06}, {0.664, 100, 0.041}};
  static const double A[] = {14, 31}, B[] = {5, 2.5};
  const double T = 0.8, a = 0.9, b = 0.3, weight = 27.5 * 9.81, pi = 3.14159265358979323846;
  pk_effort e = {0};
  for (int i = 0; i < SAMPLES; i++) {
    const double s = 2 * pi * i / SAMPLES, tau[] = {A[0] * sin(s), A[1] * sin(s)},
                 rate[] = {B[0] * sin(s), B[1] * sin(s)};
    pk_effort_add(&e, joints, 2, tau, rate, weight, a + b * cos(s), T / SAMPLES);
  }
  double heat = 0, power = 0;
  for (int i = 0; i < 2; i++) {
    const double current = A[i] / (joints[i].gear * joints[i].constant);
    heat += joints[i].resistance * current * current / 2;
    power += A[i] * B[i];
  }
  const double e1 = heat * T / (a * T), e2 = power * T / weight * (a - sqrt(a * a - b * b)) / (b * b);
  assert_near(pk_effort_joule_per_metre(&e) / e1, 1, 1e-12);
  assert_near(e.specific_resistance / e2, 1, 1e-12);
  assert_near(pk_effort_mean_resistance(&e) / (e2 / T), 1, 1e-12);
  assert_near(e.work / (power / 2 * T), 1, 1e-12);
  assert_near(e.distance, a * T, 1e-12);
}

/* Torque and rate of opposite signs cost as much; a joint without a motor heats nothing; where nothing moves J_e2 has no part. */
static void costs_count_braking_and_leave_out_standing_still(void **state)
{
  (void)state;
  static const pk_effort_joint joints[] = {{2, 3, 0.5}, {0, 0, 0}};
  const double tau[] = {-6, 4}, rate[] = {2, 0.5};
  pk_effort e = {.slowest = 0.1};
  assert_true(isnan(pk_effort_joule_per_metre(&e)));
  assert_true(isnan(pk_effort_mean_resistance(&e)));
  pk_effort_add(&e, joints, 2, tau, rate, 50, 0.5, 2);
  pk_effort_add(&e, joints, 2, tau, rate, 50, 0.05, 3);
  assert_near(e.joule, 5 * 2 * 16, 1e-12);
  assert_near(e.work, 5 * 14, 1e-12);
  assert_near(e.specific_resistance, 2 * 14 / 25.0, 1e-12);
  assert_near(e.still, 3, 1e-12);
  assert_near(pk_effort_joule_per_metre(&e), 160 / 1.15, 1e-12);
}

static void a_sim_without_actuators_has_no_meter(void **state)
{
  (void)state;
  pk_motor_parameters p = pk_motor_parameters_default();
  rig r = rig_make("dc", &p, 0, PK_STEPPER_MOREAU, 1e-3);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *bare = NULL;
  pk_energy_meter *meter = NULL;
  pk_error err = {0};
  assert_int_equal(pk_sim_create(r.model, &o, &bare, &err), PK_OK);
  assert_int_equal(pk_energy_meter_create(bare, &meter, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "actuation");
  assert_null(meter);
  pk_sim_destroy(bare);
  rig_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_flow_of_a_motor_and_its_joint_closes_over_a_long_motion),
      cmocka_unit_test(the_flow_closes_with_play_and_at_large_steps),
      cmocka_unit_test(the_schemes_own_loss_falls_with_the_step),
      cmocka_unit_test(a_parallel_spring_stores_what_the_joint_loses),
      cmocka_unit_test(the_flow_closes_for_motors_that_vary_and_for_explicit_forces),
      cmocka_unit_test(other_sources_put_in_what_the_joint_gets),
      cmocka_unit_test(the_flow_of_robots_on_the_ground_closes),
      cmocka_unit_test(a_battery_under_constant_power_has_the_voltage_of_the_closed_form),
      cmocka_unit_test(what_a_battery_cannot_give_is_told_apart),
      cmocka_unit_test(a_battery_takes_back_what_it_may_and_the_brake_the_rest),
      cmocka_unit_test(costs_of_a_motion_made_by_hand_are_those_of_the_closed_forms),
      cmocka_unit_test(costs_count_braking_and_leave_out_standing_still),
      cmocka_unit_test(a_sim_without_actuators_has_no_meter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
