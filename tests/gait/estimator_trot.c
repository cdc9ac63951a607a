/* The state estimator beside a robot that trots: its readings are made from the simulated motion, with the noise of real
 * parts, and its estimate is compared with that motion. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/estimator.h"
#include "gait/walker.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double dt = 2.5e-3;

/* A BMI088, encoders of 14 bits, switches that close at 10 N. */
static const double gyro_noise = 2.44e-4, acc_noise = 1.72e-3; /* rad/s/sqrt(Hz), m/s^2/sqrt(Hz) */
static const double gyro_bias[3] = {8e-3, -5e-3, 1e-2}, acc_bias[3] = {0.1, -0.08, 0.15};
static const double count = 6.283185307179586 / 16384, closes = 10;

/* What differs between runs. */
typedef struct setting {
  bool biased; /* the IMU has a bias */
  bool points; /* the estimator takes feet for points */
  bool anymal; /* another robot */
} setting;

typedef struct trotter {
  walker w;
  pk_base_estimator *estimator;
  pk_base_estimator_state state;
  pki_random random;
  setting with;
  double q[64], u[64], before[6];
} trotter;

static void read_contacts(const trotter *t, bool contact[4])
{
  static pk_sim_contact contacts[WALKER_CONTACTS];
  const int n = pk_sim_contacts(t->w.sim, contacts, WALKER_CONTACTS);
  for (int i = 0; i < 4; i++) {
    double load = 0;
    for (int k = 0; k < n; k++) {
      load += contacts[k].link == t->w.feet[i] ? pki_dot3(contacts[k].normal, contacts[k].impulse) / dt : 0;
    }
    contact[i] = load > closes;
  }
}

/* Readings of the step that has just ended. */
static pk_base_estimator_input read_sensors(trotter *t)
{
  const pk_model *m = t->w.model;
  const double *q = pk_sim_q(t->w.sim), *u = pk_sim_u(t->w.sim);
  pk_base_estimator_input in = {.dt = dt, .q = t->q, .u = t->u};
  double R[9], a[3];
  pki_quat_to_mat3(q + 3, R);
  for (int k = 0; k < 3; k++) {
    a[k] = (u[k] - t->before[k]) / dt - m->gravity[k];
  }
  pki_mat3_apply_transposed(R, a, in.acc);
  for (int k = 0; k < 3; k++) {
    in.gyro[k] = u[3 + k] + (t->with.biased ? gyro_bias[k] : 0) +
                 gyro_noise / sqrt(dt) * pki_random_normal(&t->random);
    in.acc[k] += (t->with.biased ? acc_bias[k] : 0) + acc_noise / sqrt(dt) * pki_random_normal(&t->random);
  }
  for (int k = 6; k < m->nu; k++) {
    const double angle = count * round(q[k + 1] / count);
    t->u[k] = (angle - t->q[k + 1]) / dt;
    t->q[k + 1] = angle;
  }
  memcpy(t->before, u, sizeof t->before);
  read_contacts(t, in.contact);
  return in;
}

typedef struct misses {
  double velocity, tilt, way, drift, yaw; /* rms m/s and rad; m, of the way and at its end; rad at the end */
  int count;
} misses;

static void add_miss(const trotter *t, misses *sum)
{
  const double *q = pk_sim_q(t->w.sim), *u = pk_sim_u(t->w.sim);
  const pk_base_estimate now = pk_base_estimator_get(t->estimator, &t->state);
  double R[9], is[9], back[9], D[9], va[3], vb[3], off[3];
  pki_quat_to_mat3(now.rotation, R);
  pki_quat_to_mat3(q + 3, is);
  pki_mat3_transpose(is, back);
  pki_mat3_mul(R, back, D);
  pki_mat3_apply_transposed(R, now.velocity, va);
  pki_mat3_apply_transposed(is, u, vb);
  pki_sub3(va, vb, off);
  sum->velocity += pki_dot3(off, off);
  sum->tilt += 0.25 * ((D[7] - D[5]) * (D[7] - D[5]) + (D[2] - D[6]) * (D[2] - D[6]));
  sum->yaw = 0.5 * (D[3] - D[1]);
  pki_sub3(now.position, q, off);
  sum->drift = pki_length3(off);
  sum->way += dt * hypot(u[0], u[1]);
  sum->count++;
}

/* A trot of that many seconds; errors count from the second one on. */
static misses run_trot(const pk_locomotion_options *how, setting with, double seconds)
{
  static trotter t;
  misses sum = {0};
  pk_error err = {.message = ""};
  memset(&t, 0, sizeof t);
  t.w = walker_create_robot(with.anymal ? &walker_anymal : &walker_starleth, NULL, how, NULL);
  t.random = pki_random_seeded(3);
  t.with = with;
  if (pk_base_estimator_create(t.w.model, NULL, &t.estimator, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < 4 && with.points; i++) {
    t.estimator->legs[i].radius = 0;
  }
  pk_pose start = pk_pose_identity();
  memcpy(start.pos, pk_sim_q(t.w.sim), sizeof start.pos);
  pk_base_estimator_reset(t.estimator, &start, &t.state);
  memcpy(t.q, pk_sim_q(t.w.sim), (size_t)t.w.model->nq * sizeof t.q[0]);
  for (int n = 1; n * dt <= seconds; n++) {
    if (pk_sim_step(t.w.sim, NULL) != PK_OK) {
      fail_msg("the step %d failed", n);
    }
    const pk_base_estimator_input in = read_sensors(&t);
    assert_int_equal(pk_base_estimator_update(t.estimator, &in, &t.state, &err), PK_OK);
    if (n * dt > 1) {
      add_miss(&t, &sum);
    }
  }
  sum.velocity = sqrt(sum.velocity / sum.count), sum.tilt = sqrt(sum.tilt / sum.count);
  print_message("velocity %.4f m/s, tilt %.3f degrees rms; %.2f %% of %.1f m, yaw %.2f degrees; %.0f slips\n",
                sum.velocity, sum.tilt * 57.29578, 100 * sum.drift / sum.way, sum.way, sum.yaw * 57.29578,
                t.state.slips);
  pk_base_estimator_destroy(t.estimator);
  walker_destroy(&t.w);
  return sum;
}

static pk_locomotion_options trot_options(void)
{
  pk_locomotion_options how = pk_locomotion_options_default();
  how.gait = PK_GAIT_TROT, how.forward = 0.3, how.cycle = 0.8;
  return how;
}

/* An accelerometer's bias across gravity looks like a tilt of bias / g, which a trunk that stays nearly level cannot tell
 * apart: here 0.75 degrees. */
static void a_trot_is_known_from_real_sensors(void **state)
{
  (void)state;
  const pk_locomotion_options how = trot_options();
  const misses sum = run_trot(&how, (setting){.biased = true}, PACE(20, 4));
  assert_less(sum.velocity, 0.003);
  assert_less(sum.tilt, 1.1 * hypot(acc_bias[0], acc_bias[1]) / 9.81);
  assert_less(sum.drift, 0.02 * sum.way);
  assert_less(fabs(sum.yaw), 0.01);
}

static void without_a_bias_tilt_is_known_too(void **state)
{
  (void)state;
  const pk_locomotion_options how = trot_options();
  const misses sum = run_trot(&how, (setting){.biased = false}, PACE(20, 4));
  assert_less(sum.velocity, 0.003);
  assert_less(sum.tilt, 0.002);
  assert_less(sum.drift, 0.01 * sum.way);
}

/* The centre of a ball that rolls moves: of a leg's 0.4 m the radius is left out if it is forgotten. */
static void feet_that_roll_are_known_to_do_so(void **state)
{
  (void)state;
  const pk_locomotion_options how = trot_options();
  const misses rolls = run_trot(&how, (setting){.biased = false}, 4);
  const misses sticks = run_trot(&how, (setting){.points = true}, 4);
  assert_greater(sticks.velocity, 3 * rolls.velocity);
}

static void another_robot_is_known_as_well(void **state)
{
  (void)state;
  const pk_locomotion_options how = trot_options();
  const misses sum = run_trot(&how, (setting){.anymal = true}, PACE(10, 4));
  assert_less(sum.velocity, 0.003);
  assert_less(sum.tilt, 0.002);
  assert_less(sum.drift, 0.01 * sum.way);
}

/* Feet leave the ground all at once. */
static void flight_is_known_from_the_imu(void **state)
{
  (void)state;
  pk_locomotion_options how = pk_locomotion_options_default();
  how.gait = PK_GAIT_BOUND, how.forward = 0.3;
  const misses sum = run_trot(&how, (setting){.biased = true}, PACE(10, 4));
  assert_less(sum.velocity, 0.02);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trot_is_known_from_real_sensors), cmocka_unit_test(without_a_bias_tilt_is_known_too),
      cmocka_unit_test(feet_that_roll_are_known_to_do_so), cmocka_unit_test(another_robot_is_known_as_well),
      cmocka_unit_test(flight_is_known_from_the_imu),
  };
  return cmocka_run_group_tests_name("the state estimator beside a trot", tests, NULL, NULL);
}
