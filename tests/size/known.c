/* Motions with known answers: the best ratio, the ratios that can be, torques, heat and energy equal their closed forms. */
#include "size/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/bounds.h"

static const double J_L = 0.05, J_m = 1e-5, T0 = 2, PI = 3.14159265358979323846;

/* ---- motions ---- */

static double angle_rate(double t)
{
  return 0.4 * 3 * PI * cos(3 * PI * t);
}

static double angle_acceleration(double t)
{
  return -0.4 * 9 * PI * PI * sin(3 * PI * t);
}

/* 0.4 sin(3 pi t) of an inertia alone. */
static bench_point swing(double t)
{
  return (bench_point){angle_rate(t), angle_acceleration(t), J_L * angle_acceleration(t)};
}

/* The same against a constant load. */
static bench_point swing_under_load(double t)
{
  return (bench_point){angle_rate(t), angle_acceleration(t), J_L * angle_acceleration(t) + T0};
}

/* A start with the greatest acceleration that 0.05 N m of the motor allow, with and without the load. */
static bench_point start(double t)
{
  const double a = 35.355339059327;
  return (bench_point){a * t, a, J_L * a};
}

static bench_point start_under_load(double t)
{
  const double a = 20.620192023;
  return (bench_point){a * t, a, J_L * a + T0};
}

/* 10 kg on a drum of 0.05 m at 0.5 m/s. */
static bench_point hoist(double t)
{
  (void)t;
  return (bench_point){0.5 / 0.05, 0, 10 * 9.81 * 0.05};
}

static bench_point lower(double t)
{
  (void)t;
  return (bench_point){-0.5 / 0.05, 0, 10 * 9.81 * 0.05};
}

/* From rest to rest by 1 rad in 1 s with parabolic speed, an inertia of 0.05 kg m^2. */
static bench_point turn(double t)
{
  return (bench_point){6 * t * (1 - t), 6 - 12 * t, J_L * (6 - 12 * t)};
}

static pki_ratio_search search_of(const pki_motor_entry *m, const pki_duty *duty,
                                  const pki_duty_options *options)
{
  return (pki_ratio_search){.drive = pki_drive_of(m, NULL, 0),
                            .duty = duty,
                            .joints = bench_joint,
                            .count = 1,
                            .options = options,
                            .from = 1,
                            .to = 1000};
}

/* ---- ratios ---- */

/* N = sqrt(J_L/J_m), and the torque is 2 a sqrt(J_L J_m). */
static void the_best_ratio_of_an_inertia_is_that_of_matched_inertias(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  pki_motor_entry m = bench_motor();
  m.motor.inertia = J_m;
  pki_duty duty = bench_duty(swing, 2.0 / 3, 400), first = bench_duty(start, 0.1, 4);
  pki_ratio_search s = search_of(&m, &duty, &options);
  assert_near(pki_ratio_best(&s, false), 70.710678119, 1e-5);
  s.duty = &first;
  const double N = pki_ratio_best(&s, true);
  assert_near(N, 70.710678119, 1e-5);
  s.drive.gear.ratio = N;
  const pki_demand d = pki_demand_of(&s.drive, &first, bench_joint, 1, &options);
  assert_near(d.peak, 0.05, 1e-11);
  pki_duty_free(&duty);
  pki_duty_free(&first);
}

/* N = T0/t + sqrt((T0/t)^2 + J_L/J_m) at the greatest acceleration t/(2 N J_m). */
static void the_best_ratio_under_a_constant_load_is_the_closed_form(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  pki_motor_entry m = bench_motor();
  m.motor.inertia = J_m;
  pki_duty duty = bench_duty(start_under_load, 0.1, 4);
  pki_ratio_search s = search_of(&m, &duty, &options);
  s.drive.gear.ratio = pki_ratio_best(&s, true);
  assert_near(s.drive.gear.ratio, 121.240384046, 1e-5);
  const pki_demand d = pki_demand_of(&s.drive, &duty, bench_joint, 1, &options);
  assert_near(d.peak, 0.05, 1e-9);
  pki_duty_free(&duty);
}

/* N^2 = T_rms/(J_m a_rms), t_rms^2 = J_m 2 (a_rms T_rms + mean(a T)): Giberti, Cinquemani, Legnani 2010. */
static void the_least_rms_torque_is_the_closed_form(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  pki_motor_entry m = bench_motor();
  m.motor.inertia = J_m;
  pki_duty duty = bench_duty(swing_under_load, 2.0 / 3, 400);
  pki_ratio_search s = search_of(&m, &duty, &options);
  s.drive.gear.ratio = pki_ratio_best(&s, false);
  assert_near(s.drive.gear.ratio, 96.956411717, 1e-5);
  const pki_demand d = pki_demand_of(&s.drive, &duty, bench_joint, 1, &options);
  assert_near(d.rms, 0.0426374990, 1e-10);
  pki_duty_free(&duty);
}

/* A ratio exists if and only if the accelerating factor T_nom^2/J_m is at least the load factor, t_rms^2/J_m here. */
static void a_motor_below_the_load_factor_has_no_ratio(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  pki_motor_entry m = bench_motor();
  double least, largest;
  pki_duty duty = bench_duty(swing_under_load, 2.0 / 3, 400);
  m.motor.inertia = J_m;
  m.motor.voltage = 0;
  m.continuous_current = 0.0426374990 * 0.999 / m.motor.constant;
  pki_ratio_search s = search_of(&m, &duty, &options);
  assert_false(pki_ratio_range(&s, &least, &largest));
  m.continuous_current = 0.0426374990 * 1.01 / m.motor.constant;
  assert_true(pki_ratio_range(&s, &least, &largest));
  assert_less(least, 96.956411717);
  assert_greater(largest, 96.956411717);
  m.continuous_current = 0.0426374990 * 1.00001 / m.motor.constant; /* ratios within less than 1 % */
  assert_true(pki_ratio_range(&s, &least, &largest));
  assert_less(least, 96.956411717);
  assert_greater(largest, 96.956411717);
  assert_less(largest / least, 1.02);
  pki_duty_free(&duty);
}

/* N^2/60 - N + 6.13125 <= 0. */
static void a_hoist_has_the_ratios_of_its_closed_form(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  const pki_motor_entry m = bench_motor();
  double least, largest;
  pki_duty duty = bench_duty(hoist, 1, 2);
  pki_ratio_search s = search_of(&m, &duty, &options);
  s.drive.gear.efficiency = 0.8;
  assert_true(pki_ratio_range(&s, &least, &largest));
  assert_near(least, 6.932165251, 1e-8);
  assert_near(largest, 53.067834749, 1e-8);
  pki_duty_free(&duty);
}

/* ---- the gear ---- */

static void efficiency_divides_when_driving_and_multiplies_when_braking(void **state)
{
  (void)state;
  pki_motor_entry m = bench_motor();
  m.motor.damping = 1e-4;
  m.motor.friction = 1e-3;
  pki_drive d = pki_drive_of(&m, NULL, 0);
  d.gear = pki_gear_of_ratio(50);
  d.gear.efficiency = 0.8;
  d.gear.inertia = 2e-6;
  const pki_rotor_point up = pki_drive_at(&d, 2, 3, 10), down = pki_drive_at(&d, -2, 3, 10);
  const pki_rotor_point still = pki_drive_at(&d, 0, 0, 10);
  assert_near(up.torque, 2e-6 * 50 * 3 + 1e-4 * 100 + 1e-3 + 10 / (50 * 0.8), 1e-15);
  assert_near(down.torque, 2e-6 * 50 * 3 - 1e-4 * 100 - 1e-3 + 0.8 * 10 / 50, 1e-15);
  assert_near(still.torque, 10 / (50 * 0.8), 1e-15);
  assert_near(up.speed, 100, 1e-13);
}

/* ---- energy ---- */

/* Joule heat 12 J^2 theta^2 R/(K^2 T^3), without a gear and a rotor; all of the electrical energy, since the inertia ends at rest. Simpson's and
 * the trapezoidal rule differ by 1e-6 on this grid. */
static void a_turn_from_rest_to_rest_takes_the_least_joule_heat(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  const pki_motor_entry m = bench_motor();
  const pki_drive d = pki_drive_of(&m, NULL, 0);
  pki_duty duty = bench_duty(turn, 1, 2000);
  const pki_demand demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
  const double closed = 12 * J_L * J_L * 0.96 / (0.04 * 0.04);
  assert_near(demand.joule, closed, 1e-5 * closed);
  assert_near(demand.power, closed, 1e-5 * closed);
  pki_duty_free(&duty);
}

/* A load that is lowered drives the motor: e m g v less Joule heat comes back, or is lost where the bus takes nothing. */
static void a_load_that_is_lowered_gives_back(void **state)
{
  (void)state;
  pki_duty_options options = pki_duty_options_default();
  const pki_motor_entry m = bench_motor();
  pki_drive d = pki_drive_of(&m, NULL, 0);
  pki_duty duty = bench_duty(lower, 1, 2);
  d.gear = pki_gear_of_ratio(20);
  d.gear.efficiency = 0.8;
  const double torque = 0.8 * 4.905 / 20, heat = torque * torque * 0.96 / 0.0016, back = 0.8 * 49.05;
  pki_demand demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
  assert_near(demand.power, heat - back, 1e-12 * back);
  options.regeneration = 0;
  demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
  assert_near(demand.power, 0, 0);
  pki_duty_free(&duty);
}

/* A three-phase motor as a DC motor has 0.866 of its bus, and draws its power from the bus. */
static void a_motor_has_its_share_of_the_bus(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  pki_motor_entry m = bench_motor();
  m.motor.voltage = 0.866 * 24;
  m.bus = 24;
  pki_duty duty = bench_duty(hoist, 1, 2);
  const double buses[] = {0, 24, 48};
  for (int i = 0; i < 3; i++) {
    pki_drive d = pki_drive_of(&m, NULL, buses[i]);
    d.gear = pki_gear_of_ratio(20);
    const double bus = i == 2 ? 48 : 24;
    assert_near(d.voltage, bus, 0);
    assert_near(pki_demand_of(&d, &duty, bench_joint, 1, &options).lines[PKI_LINE_VOLTAGE].has, 0.866 * bus,
                1e-12);
    assert_near(pki_drive_parameters(&d).voltage, 0.866 * bus, 1e-12);
  }
  pki_duty_free(&duty);
}

/* ---- heat ---- */

static bench_point hold(double t)
{
  (void)t;
  return (bench_point){0, 0, 0.1};
}

/* The thermal numbers of an RE 40. */
static pki_motor_entry warm_motor(void)
{
  pki_motor_entry m = bench_motor();
  m.motor.winding_resistance = 1.93;
  m.motor.housing_resistance = 4.65;
  m.motor.winding_capacity = 22.2;
  m.motor.housing_capacity = 241;
  m.motor.temperature = 155;
  return m;
}

/* Winding after `t` s of so many W at 25 degrees C from cold, by the two exponentials of the linear equations. */
static double winding_after(const pk_motor_parameters *p, double joule, double air, double t)
{
  const double g = 1 / p->winding_resistance, k = 1 / p->housing_resistance;
  const double a = (0.00393 * joule - g) / p->winding_capacity, b = g / p->winding_capacity,
               c = g / p->housing_capacity, d = -(g + k) / p->housing_capacity;
  const double warm = (air - 25) * 0.00393, source = joule * (1 + warm) / p->winding_capacity;
  const double det = a * d - b * c, w = -d * source / det,
               h = c * source / det; /* above the air, at the end */
  const double root = sqrt((a - d) * (a - d) / 4 + b * c), fast = (a + d) / 2 - root,
               slow = (a + d) / 2 + root;
  const double of_fast = (-(a - slow) * w - b * h) / (fast - slow), of_slow = -w - of_fast;
  return air + w + of_fast * exp(fast * t) + of_slow * exp(slow * t);
}

/* A table of a load that is held may have two lines, an hour apart; the winding's own time is 43 s. */
static void samples_that_are_far_apart_warm_as_the_exponentials_say(void **state)
{
  (void)state;
  static const double airs[] = {25, 40};
  static const double hours[] = {60, 600, 3600};
  const pki_motor_entry m = warm_motor();
  const pki_drive d = pki_drive_of(&m, NULL, 0);
  const double joule = 0.1 * 0.1 / (0.04 * 0.04) * 0.96;
  for (int i = 0; i < 6; i++) {
    pki_duty_options options = pki_duty_options_default();
    options.ambient = airs[i % 2];
    options.duration = hours[i / 2];
    pki_duty duty = bench_duty(hold, hours[i / 2], 1);
    const pki_demand demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
    const double closed = winding_after(&m.motor, joule, airs[i % 2], hours[i / 2]);
    assert_near(demand.winding, closed, 2e-3 * (closed - airs[i % 2]));
    pki_duty_free(&duty);
  }
}

/* i^2 R (1 + 0.00393 (155 - 25)) 6.58 K/W = 155 - ambient: what it may do for long keeps the winding at its largest temperature, in any air. */
static void warm_air_leaves_less_for_long(void **state)
{
  (void)state;
  pki_motor_entry m = warm_motor();
  const pki_drive d = pki_drive_of(&m, NULL, 0);
  pki_duty_options options = pki_duty_options_default();
  pki_duty duty = bench_duty(hold, 3600, 2);
  options.ambient = 60;
  options.duration = 1e7;
  const double i = sqrt(95 / (6.58 * 0.96 * (1 + 0.00393 * 130)));
  for (int k = 0; k < 3; k++) {
    duty.motions[0].joints[0].torque[k] = 0.04 * i;
  }
  const pki_demand demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
  assert_near(demand.lines[PKI_LINE_CONTINUOUS].has, 0.04 * i, 1e-12);
  assert_near(demand.winding, 155, 1e-6);
  pki_duty_free(&duty);
}

static void air_that_is_too_warm_for_a_winding_fails(void **state)
{
  (void)state;
  const pki_motor_entry m = warm_motor();
  const pki_drive d = pki_drive_of(&m, NULL, 0);
  pki_duty_options options = pki_duty_options_default();
  pki_duty duty = bench_duty(hold, 10, 2);
  options.ambient = 160;
  const pki_demand demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
  assert_false(pki_demand_fits(&demand, 0));
  pki_duty_free(&duty);
}

/* ---- the choice ---- */

/* Gears from a list, and one of any ratio: the choice by heat is the matched inertia, the nearest of the list. */
static void the_choice_by_heat_is_the_matched_inertia(void **state)
{
  (void)state;
  static const double ratios[] = {30, 50, 70, 100, 150};
  pki_sizing z = {
      .options = pki_duty_options_default(), .rank = {.heat = 1}, .ngroup = 1, .one_voltage = true};
  pk_error err = {0};
  z.duty = bench_duty(swing, 2.0 / 3, 400);
  z.groups = calloc(1, sizeof *z.groups);
  pki_size_group *g = z.groups;
  g->joints = calloc(1, sizeof *g->joints);
  g->motors = calloc(1, sizeof *g->motors);
  *g->motors = bench_motor();
  g->motors->motor.inertia = J_m;
  g->njoint = g->nmotor = 1;
  g->ngear = 5;
  snprintf(g->joints[0], sizeof g->joints[0], "joint");
  for (int i = 0; i < 5; i++) {
    g->gears[i] = pki_gear_of_ratio(ratios[i]);
  }
  assert_int_equal(pki_sizing_run(&z, NULL, NULL, &err), PK_OK);
  assert_int_equal(g->chosen, 0);
  assert_near(g->candidates[0].drive.gear.ratio, 70, 0);
  g->gears[5] = pki_gear_of_ratio(0);
  g->gears[5].from = 10, g->gears[5].to = 500;
  g->ngear = 6;
  assert_int_equal(pki_sizing_run(&z, NULL, NULL, &err), PK_OK);
  assert_near(pki_group_choice(g)->drive.gear.ratio, 70.710678119, 1e-5);
  assert_true(pki_sizing_is_complete(&z));
  pki_sizing_free(&z);
}

/* A drive whose mass nobody knows takes less power, and still beats nothing that is light. */
static void what_is_not_known_beats_nothing(void **state)
{
  (void)state;
  static const struct {
    double mass, power;
    bool front;
  } cases[] = {{1.2, 21.7, true}, {1.4, 11.3, true}, {NAN, 20.4, false}, {1.5, 12, false}};
  const pki_size_rank rank = {.mass = 1, .energy = 1};
  pki_drive_candidate list[4] = {0};
  pki_size_group g = {.candidates = list, .ncandidate = 4};
  for (int i = 0; i < 4; i++) {
    list[i].fits = true;
    list[i].demand.mass = cases[i].mass;
    list[i].demand.power = cases[i].power;
    list[i].demand.price = NAN;
  }
  pki_group_rank(&g, &rank);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      if (list[i].demand.power == cases[k].power) {
        assert_int_equal(list[i].front, cases[k].front);
      }
    }
  }
}

/* Shares of two motions: squares of torques add up by time, however long each motion is. */
static void weights_are_shares_of_the_working_time(void **state)
{
  (void)state;
  const pki_duty_options options = pki_duty_options_default();
  const pki_motor_entry m = bench_motor();
  const pki_drive d = pki_drive_of(&m, NULL, 0);
  pki_duty duty = bench_duty(hoist, 1, 2), more = bench_duty(turn, 1, 2000);
  pk_error err = {0};
  assert_int_equal(pki_duty_add(&duty, &more.motions[0], &err), PK_OK);
  free(more.motions);
  duty.motions[0].weight = 3;
  const pki_demand demand = pki_demand_of(&d, &duty, bench_joint, 1, &options);
  assert_near(demand.rms, sqrt(0.75 * 4.905 * 4.905 + 0.25 * 12 * J_L * J_L), 1e-6);
  pki_duty_free(&duty);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_ratio_of_an_inertia_is_that_of_matched_inertias),
      cmocka_unit_test(the_best_ratio_under_a_constant_load_is_the_closed_form),
      cmocka_unit_test(the_least_rms_torque_is_the_closed_form),
      cmocka_unit_test(a_motor_below_the_load_factor_has_no_ratio),
      cmocka_unit_test(a_hoist_has_the_ratios_of_its_closed_form),
      cmocka_unit_test(efficiency_divides_when_driving_and_multiplies_when_braking),
      cmocka_unit_test(a_turn_from_rest_to_rest_takes_the_least_joule_heat),
      cmocka_unit_test(a_load_that_is_lowered_gives_back),
      cmocka_unit_test(a_motor_has_its_share_of_the_bus),
      cmocka_unit_test(samples_that_are_far_apart_warm_as_the_exponentials_say),
      cmocka_unit_test(warm_air_leaves_less_for_long),
      cmocka_unit_test(air_that_is_too_warm_for_a_winding_fails),
      cmocka_unit_test(the_choice_by_heat_is_the_matched_inertia),
      cmocka_unit_test(what_is_not_known_beats_nothing),
      cmocka_unit_test(weights_are_shares_of_the_working_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
