/* The state estimator on motions that are known in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gait/estimator_scene.h"
#include "math/mat3.h"
#include "support/allocations.h"
#include "support/bounds.h"

/* ---- the motion ---- */

/* The largest errors over 4 s. */
static sway_miss run_exact(const pk_base_estimator_options *o, double dt)
{
  sway_scene s;
  pk_base_estimator_state state;
  sway_miss worst = {.tilt = 0};
  sway_begin(&s, o);
  sway_reset(&s, &state);
  for (int n = 1; n * dt <= 4; n++) {
    sway_step(&s, n * dt, dt, &state);
    const sway_miss m = sway_miss_of(&s, n * dt, &state);
    worst.tilt = fmax(worst.tilt, pki_length3(m.turn));
    worst.velocity = fmax(worst.velocity, m.velocity), worst.place = fmax(worst.place, m.place);
  }
  sway_end(&s);
  return worst;
}

static void exact_readings_give_the_motion_to_second_order(void **state)
{
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    pk_base_estimator_options o = pk_base_estimator_options_default();
    o.settle = 0;
    if (turned) {
      o.imu_position[0] = 0.1, o.imu_position[1] = -0.05, o.imu_position[2] = 0.07;
      o.imu_rpy[0] = 0.5, o.imu_rpy[1] = -0.4, o.imu_rpy[2] = 2;
    }
    const sway_miss a = run_exact(&o, 4e-3), b = run_exact(&o, 2e-3);
    print_message(
        "exact readings, errors at 4 ms and 2 ms: turn %.2e %.2e rad, velocity %.2e %.2e m/s, place "
        "%.2e %.2e m\n",
        a.tilt, b.tilt, a.velocity, b.velocity, a.place, b.place);
    assert_less(b.tilt, 3e-6);
    assert_less(b.velocity, 1e-5);
    assert_less(b.place, 1e-5);
    assert_greater(a.tilt / b.tilt, 3);
    assert_greater(a.velocity / b.velocity, 3);
    assert_greater(a.place / b.place, 3);
  }
}

static void at_rest_nothing_moves(void **state)
{
  (void)state;
  sway_scene s;
  pk_base_estimator_state e;
  sway_begin(&s, NULL);
  s.much = 0;
  sway_reset(&s, &e);
  for (int n = 1; n <= 2000; n++) {
    sway_step(&s, n * 2.5e-3, 2.5e-3, &e);
  }
  const sway_miss m = sway_miss_of(&s, 5, &e);
  assert_less(m.tilt, 1e-12);
  assert_less(m.velocity, 1e-12);
  assert_less(m.place, 1e-12);
  sway_end(&s);
}

static void attitude_converges_from_a_wrong_start(void **state)
{
  (void)state;
  const double tilted = 10 * 0.017453292519943295, wrong[3] = {tilted * 0.8, tilted * 0.6, 0};
  sway_scene s;
  pk_base_estimator_state e;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.start_tilt = 0.2;
  sway_begin(&s, &o);
  const sway_trunk start = sway_trunk_at(0, 1);
  const double origin[3] = {0, 0, 0};
  pk_pose pose = pk_pose_from_xyz_rpy(origin, wrong);
  memcpy(pose.pos, start.p, sizeof pose.pos);
  pk_base_estimator_reset(s.estimator, &pose, &e);
  const sway_miss first = sway_miss_of(&s, 0, &e);
  sway_miss soon = first;
  for (int n = 1; n <= 4000; n++) {
    sway_step(&s, n * 2.5e-3, 2.5e-3, &e);
    soon = n == 400 ? sway_miss_of(&s, n * 2.5e-3, &e) : soon;
  }
  const sway_miss later = sway_miss_of(&s, 10, &e);
  print_message(
      "tilt error: %.2f degrees at first, %.4f after 1 s, %.5f after 10 s; velocity %.4f m/s after 1 s\n",
      first.tilt * 57.29578, soon.tilt * 57.29578, later.tilt * 57.29578, soon.velocity);
  assert_greater(first.tilt, 0.17);
  assert_less(soon.tilt, 0.01);
  assert_less(later.tilt, 1e-3);
  assert_less(soon.velocity, 0.01);
  sway_end(&s);
}

static void biases_are_found(void **state)
{
  (void)state;
  static const double gyro[3] = {0.01, -0.02, 0.015}, acc[3] = {0.05, -0.08, 0.1};
  sway_scene s;
  pk_base_estimator_state e;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.gyro_noise = 2.5e-4, o.acc_noise = 1.7e-3,
  o.foot_noise = 1e-4; /* a good IMU on a robot that does not slip */
  sway_begin(&s, &o);
  memcpy(s.gyro_bias, gyro, sizeof gyro);
  memcpy(s.acc_bias, acc, sizeof acc);
  sway_reset(&s, &e);
  for (int n = 1; n <= 16000; n++) {
    sway_step(&s, n * 2.5e-3, 2.5e-3, &e);
  }
  double off[2][3];
  pki_sub3(e.gyro_bias, gyro, off[0]);
  pki_sub3(e.acc_bias, acc, off[1]);
  print_message("biases after 40 s: %.1e of %.3f rad/s, %.1e of %.3f m/s^2 wrong\n", pki_length3(off[0]),
                pki_length3(gyro), pki_length3(off[1]), pki_length3(acc));
  assert_less(pki_length3(off[0]), 1e-4);
  assert_less(pki_length3(off[1]), 5e-3);
  sway_end(&s);
}

/* ---- feet ---- */

static void feet_stand_when_they_have_settled(void **state)
{
  (void)state;
  sway_scene s;
  pk_base_estimator_state e;
  pk_error err;
  sway_begin(&s, NULL);
  sway_reset(&s, &e);
  for (int n = 1; n <= 20; n++) {
    pk_base_estimator_input in = sway_read(&s, n * 2.5e-3, 2.5e-3);
    in.contact[1] = n > 8, in.contact[2] = n <= 12, in.contact[3] = n % 4 != 0;
    assert_int_equal(pk_base_estimator_update(s.estimator, &in, &e, &err), PK_OK);
    /* 10 ms are four updates, of which the first counts only that the foot touches */
    assert_true(e.stands[0] == (n >= 5));
    assert_true(e.stands[1] == (n >= 13));
    assert_true(e.stands[2] == (n >= 5 && n <= 12));
    assert_true(e.stands[3] == 0);
  }
  for (int k = 0; k < 3 * SWAY_ERRORS; k++) { /* what does not stand is not known */
    assert_true(e.covariance[SWAY_ERRORS * (15 + 6) + k] == 0);
  }
  sway_end(&s);
}

/* A foot jumps by 3 cm while it stands. */
static void a_foot_that_slips_stands_anew(void **state)
{
  (void)state;
  double worst[2] = {0};
  for (int gated = 0; gated < 2; gated++) {
    sway_scene s;
    pk_base_estimator_state e;
    pk_base_estimator_options o = pk_base_estimator_options_default();
    o.gate = gated ? o.gate : 0;
    sway_begin(&s, &o);
    sway_reset(&s, &e);
    for (int n = 1; n <= 800; n++) {
      s.feet[2][0] += n == 600 ? 0.03 : 0;
      sway_step(&s, n * 2.5e-3, 2.5e-3, &e);
      worst[gated] = n > 500 ? fmax(worst[gated], sway_miss_of(&s, n * 2.5e-3, &e).velocity) : 0;
    }
    assert_true(e.slips == gated);
    sway_end(&s);
  }
  print_message("a foot slips by 3 cm: velocity wrong by %.4f m/s, with a gate by %.4f\n", worst[0],
                worst[1]);
  assert_less(10 * worst[1], worst[0]);
}

/* ---- what is refused ---- */

static void wrong_options_are_named(void **state)
{
  (void)state;
  pk_base_estimator *made;
  pk_error err = {.message = ""};
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.acc_noise = -1;
  assert_int_equal(pk_base_estimator_create(sway_model, &o, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "acc_noise");
  o = pk_base_estimator_options_default();
  o.feet[2] = "LH_FOOD";
  assert_int_equal(pk_base_estimator_create(sway_model, &o, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "feet");
  if (strstr(err.message, "LH_FOOT") == NULL || made != NULL) {
    fail_msg("%s", err.message);
  }
}

static void readings_that_are_none_change_nothing(void **state)
{
  (void)state;
  sway_scene s;
  pk_base_estimator_state e;
  pk_error err = {.message = ""};
  sway_begin(&s, NULL);
  sway_reset(&s, &e);
  sway_step(&s, 2.5e-3, 2.5e-3, &e);
  const pk_base_estimator_state kept = e;
  for (int k = 0; k < 4; k++) {
    pk_base_estimator_input in = sway_read(&s, 5e-3, 2.5e-3);
    const double q = s.q[8];
    in.dt = k == 0 ? 0 : k == 1 ? 0.2 : in.dt;
    in.acc[1] = k == 2 ? NAN : in.acc[1];
    s.q[8] = k == 3 ? INFINITY : q;
    assert_int_equal(pk_base_estimator_update(s.estimator, &in, &e, &err),
                     k < 2 ? PK_ERROR_ARGUMENT : PK_ERROR_NONFINITE);
    assert_memory_equal(&e, &kept, sizeof e);
    s.q[8] = q;
  }
  sway_end(&s);
}

static void an_update_allocates_nothing(void **state)
{
  (void)state;
  sway_scene s;
  pk_base_estimator_state e;
  sway_begin(&s, NULL);
  sway_reset(&s, &e);
  pk_base_estimator_input in = sway_read(&s, 2.5e-3, 2.5e-3);
  const int before = allocations;
  for (int n = 0; n < 20; n++) {
    assert_int_equal(pk_base_estimator_update(s.estimator, &in, &e, NULL), PK_OK);
  }
  assert_int_equal(allocations, before);
  sway_end(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_rest_nothing_moves),
      cmocka_unit_test(exact_readings_give_the_motion_to_second_order),
      cmocka_unit_test(attitude_converges_from_a_wrong_start),
      cmocka_unit_test(biases_are_found),
      cmocka_unit_test(feet_stand_when_they_have_settled),
      cmocka_unit_test(a_foot_that_slips_stands_anew),
      cmocka_unit_test(wrong_options_are_named),
      cmocka_unit_test(readings_that_are_none_change_nothing),
      cmocka_unit_test(an_update_allocates_nothing),
  };
  return cmocka_run_group_tests_name("the state estimator", tests, sway_load_model, sway_unload_model);
}
