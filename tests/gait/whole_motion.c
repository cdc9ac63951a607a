/* Motions between their rows and over their repetitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gait/whole_motion.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "support/bounds.h"

enum { ROWS = 5, WIDTH = PKI_WHOLE_MOTION_TRUNK_END + 3 + 4 };

static const double pi = 3.14159265358979323846;

/* One joint, one foot; a trunk that turns about an axis askew, at a constant rate in its own axes, and moves on a circle. */
static const double spin[3] = {0.9, -1.3, 2.1}; /* rad/s */

static void fill_row(double t, double *row)
{
  const double turn[3] = {spin[0] * t, spin[1] * t, spin[2] * t};
  double R[9];
  memset(row, 0, WIDTH * sizeof *row);
  row[0] = t;
  row[1] = sin(t), row[2] = cos(t), row[3] = 0.3 * t * t * t;
  row[8] = cos(t), row[9] = -sin(t), row[10] = 0.9 * t * t;
  pki_rotation_exp(turn, R);
  pki_quat_from_mat3(R, row + 4);
  memcpy(row + 11, spin, sizeof spin);
  row[14] = t * t * (1 - t), row[15] = 2 * t - 3 * t * t, row[16] = 5 * t;
  row[17] = t < 0.25 || t >= 0.75;
  row[20] = 100 * t;
}

static pki_whole_motion make_motion(double values[ROWS * WIDTH], bool repeats)
{
  for (int i = 0; i < ROWS; i++) {
    fill_row(0.25 * i, values + (size_t)i * WIDTH);
  }
  return (pki_whole_motion){
      .repeats = repeats, .joints = 1, .feet = 1, .rows = ROWS, .width = WIDTH, .values = values};
}

static const pki_whole_motion_base here = {{0, 0}, 0};

/* Cubics are exact: those of z and of the joint are. */
static void cubics_are_kept_between_rows(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  const pki_whole_motion m = make_motion(values, false);
  for (int i = 0; i < 100; i++) {
    const double t = 0.01 * i;
    pki_whole_motion_point p;
    pki_whole_motion_at(&m, here, t, &p);
    assert_near(p.place[2], 0.3 * t * t * t, 1e-14);
    assert_near(p.velocity[2], 0.9 * t * t, 1e-13);
    assert_near(p.acceleration[2], 1.8 * t, 1e-12);
    assert_near(p.q[0], t * t * (1 - t), 1e-14);
    assert_near(p.u[0], 2 * t - 3 * t * t, 1e-13);
    assert_near(p.a[0], 2 - 6 * t, 1e-12);
    assert_near(p.tau[0], 5 * t, 1e-13);
    assert_near(p.force[0][2], 100 * t, 1e-12);
  }
}

/* A constant turn rate is a rotation vector that grows linearly, which is a cubic too. */
static void a_constant_turn_rate_is_kept_exactly(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  const pki_whole_motion m = make_motion(values, false);
  for (int i = 0; i < 100; i++) {
    const double t = 0.01 * i, turn[3] = {spin[0] * t, spin[1] * t, spin[2] * t};
    double R[9];
    pki_whole_motion_point p;
    pki_whole_motion_at(&m, here, t, &p);
    pki_rotation_exp(turn, R);
    for (int k = 0; k < 9; k++) {
      assert_near(p.rot[k], R[k], 1e-14);
    }
    for (int k = 0; k < 3; k++) {
      assert_near(p.turn_rate[k], spin[k], 1e-13);
      assert_near(p.acceleration[3 + k], 0, 1e-11);
    }
  }
}

/* R' dR/dt is the turn rate, also where it is not constant, and its rate the angular acceleration: central differences, whose error is
 * below 1e-7 here. */
static void rates_are_those_of_the_attitude(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  pki_whole_motion m = make_motion(values, false);
  for (int i = 0; i < ROWS; i++) { /* rates that differ from row to row */
    values[i * WIDTH + PKI_WHOLE_MOTION_TURN_RATE] += 0.5 * i;
    values[i * WIDTH + PKI_WHOLE_MOTION_TURN_RATE + 2] -= 0.3 * i * i;
  }
  for (int i = 0; i < 99; i++) {
    const double t = 0.005 + 0.01 * i, h = 1e-5;
    pki_whole_motion_point before, at, after;
    double turn[9], back[9], v[3];
    pki_whole_motion_at(&m, here, t - h, &before);
    pki_whole_motion_at(&m, here, t, &at);
    pki_whole_motion_at(&m, here, t + h, &after);
    pki_mat3_transpose(before.rot, back);
    pki_mat3_mul(back, after.rot, turn);
    pki_rotation_log(turn, v);
    for (int k = 0; k < 3; k++) {
      assert_near(v[k] / (2 * h), at.turn_rate[k], 1e-6);
      assert_near((after.velocity[k] - before.velocity[k]) / (2 * h), at.acceleration[k], 1e-6);
      assert_near((after.turn_rate[k] - before.turn_rate[k]) / (2 * h), at.acceleration[3 + k], 1e-6);
    }
  }
}

static void of_two_rows_at_one_time_the_second_counts(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  pki_whole_motion m = make_motion(values, false);
  fill_row(0.5, values + (size_t)3 * WIDTH);
  values[3 * WIDTH + 8] = 7;
  pki_whole_motion_point p;
  pki_whole_motion_at(&m, here, 0.5, &p);
  assert_near(p.velocity[0], 7, 1e-13);
  pki_whole_motion_at(&m, here, 0.5 - 1e-9, &p);
  assert_near(p.velocity[0], cos(0.5), 1e-6);
}

static void a_motion_that_is_made_once_ends_at_rest(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  const pki_whole_motion m = make_motion(values, false);
  pki_whole_motion_point p;
  pki_whole_motion_at(&m, here, 3, &p);
  assert_near(p.place[0], sin(1), 1e-15);
  assert_near(p.velocity[0], 0, 0);
  assert_near(p.turn_rate[2], 0, 0);
  assert_near(p.u[0], 0, 0);
}

/* Stands up to 0.25 and from 0.75 on, in a cycle of 1. */
static void the_times_to_changes_of_stance_go_over_repetitions(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  const pki_whole_motion m = make_motion(values, true);
  static const double times[4] = {0.1, 0.3, 0.6, 0.8}, since[4] = {0.35, 0.05, 0.35, 0.05},
                      left[4] = {0.15, 0.45, 0.15, 0.45};
  for (int i = 0; i < 4; i++) {
    pki_whole_motion_point p;
    pki_whole_motion_at(&m, here, times[i], &p);
    assert_int_equal(p.stands[0], i == 0 || i == 3);
    assert_near(p.since[0], since[i], 1e-12);
    assert_near(p.left[0], left[i], 1e-12);
  }
}

/* Eight repetitions that each turn by an eighth of a circle come back, and the first row's trunk follows the last one's. */
static void repetitions_go_along_the_heading(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  pki_whole_motion m = make_motion(values, true);
  m.travel[2] = pi / 4;
  pki_whole_motion_base base = {{2, -1}, 0.4};
  pki_whole_motion_point first, last, next;
  pki_whole_motion_at(&m, base, 0, &first);
  pki_whole_motion_at(&m, base, 1, &last);
  const pki_whole_motion_base second = pki_whole_motion_next(&m, base);
  pki_whole_motion_at(&m, second, 0, &next);
  assert_near(next.place[0], last.place[0], 1e-14);
  assert_near(next.place[1], last.place[1], 1e-14);
  assert_near(atan2(next.rot[3], next.rot[0]) - atan2(first.rot[3], first.rot[0]), pi / 4, 1e-14);
  for (int i = 0; i < 8; i++) {
    base = pki_whole_motion_next(&m, base);
  }
  assert_near(base.place[0], 2, 1e-13);
  assert_near(base.place[1], -1, 1e-13);
}

static void a_motion_begins_where_it_is_told(void **state)
{
  (void)state;
  double values[ROWS * WIDTH];
  const pki_whole_motion m = make_motion(values, true);
  const double place[2] = {3, 4};
  pki_whole_motion_point p;
  pki_whole_motion_at(&m, pki_whole_motion_start(&m, place, -1.2), 0, &p);
  assert_near(p.place[0], 3, 1e-14);
  assert_near(p.place[1], 4, 1e-14);
  assert_near(atan2(p.rot[3], p.rot[0]), -1.2, 1e-14);
  assert_near(hypot(p.velocity[0], p.velocity[1]), 1, 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubics_are_kept_between_rows),
      cmocka_unit_test(a_constant_turn_rate_is_kept_exactly),
      cmocka_unit_test(rates_are_those_of_the_attitude),
      cmocka_unit_test(of_two_rows_at_one_time_the_second_counts),
      cmocka_unit_test(a_motion_that_is_made_once_ends_at_rest),
      cmocka_unit_test(the_times_to_changes_of_stance_go_over_repetitions),
      cmocka_unit_test(repetitions_go_along_the_heading),
      cmocka_unit_test(a_motion_begins_where_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
