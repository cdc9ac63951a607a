/* How sure the state estimator is: its covariance against errors that it makes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gait/estimator_scene.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/pace.h"

enum { SEEN = 11 };

/* The errors that can be observed: tilt, velocity, biases; and their covariance. */
static double squared_error(const sway_scene *s, double t, const pk_base_estimator_state *e)
{
  static const int at[SEEN] = {0, 1, 3, 4, 5, 9, 10, 11, 12, 13, 14};
  double error[SEEN], P[SEEN][SEEN], R[9], back[9], D[9], turn[3], turned[3];
  const sway_trunk is = sway_trunk_at(t, s->much);
  pki_quat_to_mat3(e->rotation, R);
  pki_mat3_transpose(is.R, back);
  pki_mat3_mul(R, back, D);
  sway_log(D, turn);
  pki_mat3_apply(D, is.v, turned);
  error[0] = turn[0], error[1] = turn[1];
  for (int k = 0; k < 3; k++) {
    error[2 + k] = e->velocity[k] - turned[k];
    error[5 + k] = e->gyro_bias[k] - s->gyro_bias[k];
    error[8 + k] = e->acc_bias[k] - s->acc_bias[k];
  }
  for (int i = 0; i < SEEN; i++) {
    for (int j = 0; j < SEEN; j++) {
      P[i][j] = e->covariance[SWAY_ERRORS * at[i] + at[j]];
    }
  }
  double solved[SEEN], sum = 0;
  memcpy(solved, error, sizeof error);
  pki_cholesky(&P[0][0], SEEN, SEEN);
  pki_cholesky_solve(&P[0][0], SEEN, SEEN, solved, 1);
  for (int i = 0; i < SEEN; i++) {
    sum += error[i] * solved[i];
  }
  return sum;
}

/* An estimate that is wrong by what the covariance of the reset says. */
static void reset_by_chance(sway_scene *s, pk_base_estimator_state *e)
{
  const pk_base_estimator_options *o = &s->estimator->options;
  const double tilt[3] = {o->start_tilt * pki_random_normal(&s->random),
                          o->start_tilt * pki_random_normal(&s->random), 0};
  const double size = pki_length3(tilt);
  sway_reset(s, e);
  for (int k = 0; k < 3; k++) {
    e->velocity[k] = o->start_velocity * pki_random_normal(&s->random);
    s->gyro_bias[k] = o->start_gyro_bias * pki_random_normal(&s->random);
    s->acc_bias[k] = o->start_acc_bias * pki_random_normal(&s->random);
  }
  e->rotation[0] = cos(0.5 * size);
  for (int k = 0; k < 3; k++) {
    e->rotation[1 + k] = sin(0.5 * size) * tilt[k] / size;
  }
}

static void errors_are_as_large_as_the_covariance_says(void **state)
{
  (void)state;
  enum { TIMES = 4 };
  static const double times[TIMES] = {0.1, 1, 4, 10};
  const int runs = PACE(60, 12);
  double sums[TIMES] = {0};
  for (int run = 0; run < runs; run++) {
    sway_scene s;
    pk_base_estimator_state e;
    pk_base_estimator_options o = pk_base_estimator_options_default();
    o.settle = 0, o.gate = 0, o.place_noise = 1e-5;
    o.gyro_walk = 1e-3, o.acc_walk = 1e-2; /* so that biases are uncertain to the end */
    sway_begin(&s, &o);
    s.random = pki_random_seeded(1000 + (unsigned)run);
    s.noisy = true;
    reset_by_chance(&s, &e);
    for (int n = 1, next = 0; next < TIMES; n++) {
      sway_step(&s, n * 2.5e-3, 2.5e-3, &e);
      if (n * 2.5e-3 >= times[next] - 1e-9) {
        sums[next++] += squared_error(&s, n * 2.5e-3, &e);
      }
    }
    sway_end(&s);
  }
  /* the sum has the chi-square distribution with SEEN runs degrees of freedom: four deviations to either side */
  const double spread = 4 * sqrt(2.0 * SEEN * runs);
  for (int k = 0; k < TIMES; k++) {
    print_message("squared error at %4.1f s: %.2f, expected %d within %.2f\n", times[k], sums[k] / runs, SEEN,
                  spread / runs);
    assert_near(sums[k], SEEN * runs, spread);
  }
}

/* The parts of a state that turn with the world: attitude apart. */
static double *vector_of(pk_base_estimator_state *e, int part)
{
  return part == 0 ? e->velocity : part == 1 ? e->position : e->feet + 3 * (part - 2);
}

/* Error of a state against another, to first order, in the order of the covariance. */
static void error_between(pk_base_estimator_state *a, pk_base_estimator_state *b, double out[SWAY_ERRORS])
{
  double R[9], Rb[9], D[9], turned[3];
  pki_quat_to_mat3(a->rotation, R);
  pki_quat_to_mat3(b->rotation, Rb);
  pki_mat3_transpose(Rb, Rb);
  pki_mat3_mul(R, Rb, D);
  sway_log(D, out);
  for (int part = 0; part < 2 + SWAY_FEET; part++) {
    pki_mat3_apply(D, vector_of(b, part), turned);
    pki_sub3(vector_of(a, part), turned, out + (part < 2 ? 3 + 3 * part : 9 + 3 * part));
  }
  pki_sub3(a->gyro_bias, b->gyro_bias, out + PKI_ERROR_BG);
  pki_sub3(a->acc_bias, b->acc_bias, out + PKI_ERROR_BA);
}

/* A state in the middle of things, far from the world's origin, and one that has a small error k against it. */
static pk_base_estimator_state wrong_state(int k, double size)
{
  static const double v[6][3] = {{1.5, -0.7, 0.4}, {5, -3, 2},       {5.3, -2.8, 1.6},
                                 {5.2, -3.3, 1.5}, {4.7, -2.7, 1.6}, {4.6, -3.2, 1.7}};
  const double at[3] = {0, 0, 0}, rpy[3] = {0.3, -0.2, 1.1};
  double turn[3] = {0, 0, 0}, E[9], R[9];
  pk_base_estimator_state e;
  memset(&e, 0, sizeof e);
  if (k >= 0 && k < 3) {
    turn[k] = size;
  }
  /* to first order in the size */
  const double first[9] = {1, -turn[2], turn[1], turn[2], 1, -turn[0], -turn[1], turn[0], 1};
  memcpy(E, first, sizeof E);
  const pk_pose pose = pk_pose_from_xyz_rpy(at, rpy);
  pki_mat3_mul(E, pose.rot, R);
  pki_quat_from_mat3(R, e.rotation);
  for (int part = 0; part < 2 + SWAY_FEET; part++) {
    pki_mat3_apply(E, v[part], vector_of(&e, part));
    const int first_row = part < 2 ? 3 + 3 * part : 9 + 3 * part;
    if (k >= first_row && k < first_row + 3) {
      vector_of(&e, part)[k - first_row] += size;
    }
  }
  if (k >= PKI_ERROR_BG && k < PKI_ERROR_D) {
    (k < PKI_ERROR_BA ? e.gyro_bias : e.acc_bias)[k % 3] += size;
  }
  for (int i = 0; i < SWAY_FEET; i++) {
    e.stands[i] = 1;
  }
  return e;
}

/* Both by differences: how an error goes on through the equations of motion, and what noise of each reading does. */
static void the_covariance_moves_as_errors_do(void **state)
{
  (void)state;
  static double columns[SWAY_ERRORS][SWAY_ERRORS], G[6][SWAY_ERRORS];
  const double small = 1e-6, dt = 1e-4, still[3 * SWAY_FEET] = {0};
  sway_scene s;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.gyro_noise = 0.3, o.acc_noise = 0.2, o.foot_noise = 0, o.gyro_walk = o.acc_walk = 0;
  sway_begin(&s, &o);
  pk_base_estimator_input in = {.dt = dt, .gyro = {0.5, -0.8, 0.4}, .acc = {1, -2, 8}, .q = s.q, .u = s.u};
  pk_base_estimator_state is = wrong_state(-1, 0);
  memset(is.covariance, 0, sizeof is.covariance);
  pki_filter_predict(s.estimator, &in, still, &is);
  for (int k = 0; k < SWAY_ERRORS + 6; k++) {
    pk_base_estimator_state wrong = wrong_state(k < SWAY_ERRORS ? k : -1, small);
    pk_base_estimator_input noisy = in;
    if (k >= SWAY_ERRORS) {
      (k < SWAY_ERRORS + 3 ? noisy.gyro : noisy.acc)[(k - SWAY_ERRORS) % 3] += 1;
    }
    pki_filter_predict(s.estimator, &noisy, still, &wrong);
    double *to = k < SWAY_ERRORS ? columns[k] : G[k - SWAY_ERRORS];
    error_between(&wrong, &is, to);
    for (int j = 0; j < SWAY_ERRORS && k < SWAY_ERRORS; j++) {
      to[j] /= small;
    }
  }
  double worst = 0;
  for (int i = 0; i < SWAY_ERRORS;
       i++) { /* noise of a reading lasts for dt, its variance is that of its density / dt */
    for (int j = 0; j < SWAY_ERRORS; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        sum += (k < 3 ? 0.09 : 0.04) / dt * G[k][i] * G[k][j];
      }
      worst = fmax(worst, fabs(sum - is.covariance[SWAY_ERRORS * i + j]) / dt);
    }
  }
  assert_less(worst, 2e-3); /* of densities times squares of places, up to 3 */
  for (int a = 0; a < SWAY_ERRORS;
       a++) { /* the covariance e_a e_b' + e_b e_a' goes on to that of both columns */
    const int b = (7 * a + 3) % SWAY_ERRORS;
    pk_base_estimator_state with = wrong_state(-1, 0);
    with.covariance[SWAY_ERRORS * a + b] += 1, with.covariance[SWAY_ERRORS * b + a] += 1;
    pki_filter_predict(s.estimator, &in, still, &with);
    for (int i = 0; i < SWAY_ERRORS * SWAY_ERRORS; i++) {
      const double sum = columns[a][i / SWAY_ERRORS] * columns[b][i % SWAY_ERRORS] +
                         columns[b][i / SWAY_ERRORS] * columns[a][i % SWAY_ERRORS];
      assert_near(with.covariance[i] - is.covariance[i], sum, 1e-5);
    }
  }
  sway_end(&s);
}

static void position_and_yaw_are_never_observed(void **state)
{
  (void)state;
  sway_scene s;
  pk_base_estimator_state e;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.start_tilt = 0.3;
  sway_begin(&s, &o);
  s.random = pki_random_seeded(7);
  s.noisy = true;
  sway_reset(&s, &e);
  const double before = e.covariance[0];
  const int at[4] = {2, 6, 7, 8}; /* turn about the vertical, place */
  for (int k = 0; k < 4; k++) {
    e.covariance[(SWAY_ERRORS + 1) * at[k]] += 1e-2;
  }
  for (int n = 1; n <= 4000; n++) {
    sway_step(&s, n * 2.5e-3, 2.5e-3, &e);
    for (int k = 0; k < 4; k++) {
      assert_at_least(e.covariance[(SWAY_ERRORS + 1) * at[k]], 1e-2);
    }
  }
  assert_less(e.covariance[0], 0.01 * before); /* the tilt is */
  sway_end(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_covariance_moves_as_errors_do),
      cmocka_unit_test(errors_are_as_large_as_the_covariance_says),
      cmocka_unit_test(position_and_yaw_are_never_observed),
  };
  return cmocka_run_group_tests_name("how sure the state estimator is", tests, sway_load_model,
                                     sway_unload_model);
}
