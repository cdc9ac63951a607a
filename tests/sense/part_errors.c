/* What parts get wrong: noise, biases that walk, rates, latencies, counts, ends of ranges and lost samples. Statistics are over
 * many worlds or samples with fixed seeds, and their bounds are five standard deviations wide. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/pronk.h"
#include "support/bounds.h"
#include "support/hinge.h"

static const double dt = 1e-3, rate = 2;

/* A hinge that turns at a constant rate, and a tachometer or an encoder on it. */
typedef struct rig {
  pk_model *model;
  pk_sensing *sensing;
  pk_sim *sim;
} rig;

static rig begin_rig(const char *kind, const pk_sensor_part *part, unsigned long long seed)
{
  rig r = {0};
  const pk_joint_desc joint = hinge_joint();
  r.model = hinge_model(&joint);
  const pk_sensor s = {
      .kind = pk_sensing_kind_find(kind), .velocity = PK_ENCODER_VELOCITY_EXACT, .part = *part};
  pk_sim_options o = pk_sim_options_default();
  pk_error err = {0};
  if (pk_sensing_create(r.model, &s, 1, seed, &r.sensing, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  o.dt = dt, o.sensing = r.sensing;
  if (pk_sim_create(r.model, &o, &r.sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_sim_u(r.sim)[0] = rate;
  return r;
}

static void end(rig *r)
{
  pk_sim_destroy(r->sim);
  pk_sensing_destroy(r->sensing);
  pk_model_destroy(r->model);
}

static double step_and_read(rig *r)
{
  assert_int_equal(pk_sim_step(r->sim, NULL), PK_OK);
  return pk_sim_readings(r->sim)[0];
}

/* Mean and variance of numbers, and how each goes with the one before. */
typedef struct moments {
  int n;
  double sum, squares, products, last;
} moments;

static void count(moments *m, double x)
{
  m->products += m->n > 0 ? x * m->last : 0;
  m->n++, m->sum += x, m->squares += x * x, m->last = x;
}

/* They are independent normal numbers with mean 0 and that deviation. */
static void must_be_white(const moments *m, double sigma)
{
  const double n = m->n, variance = sigma * sigma;
  assert_near(m->sum / n, 0, 5 * sigma / sqrt(n));
  assert_near(m->squares / n, variance, 5 * variance * sqrt(2 / n));
  assert_near(m->products / n, 0, 5 * variance / sqrt(n));
}

static void noise_is_white_and_as_large_as_it_says(void **state)
{
  (void)state;
  const pk_sensor_part parts[] = {{.linear = {.noise = 0.3}},
                                  {.linear = {.density = 0.01}},
                                  {.rate = 100, .linear = {.density = 0.02}},
                                  {.linear = {.noise = 0.3, .density = 0.01}}};
  const double sigma[] = {0.3, 0.01 * sqrt(1 / dt), 0.02 * sqrt(100), sqrt(0.09 + 1e-4 / dt)};
  for (int i = 0; i < 4; i++) {
    rig r = begin_rig("tachometer", &parts[i], 7);
    const int each = parts[i].rate > 0 ? 10 : 1;
    moments m = {0};
    for (int k = 1; k <= 20000; k++) {
      const double x = step_and_read(&r) - rate;
      if (k % each == 0) {
        count(&m, x);
      }
    }
    must_be_white(&m, sigma[i]);
    end(&r);
  }
}

static void each_axis_has_noise_of_its_own(void **state)
{
  (void)state;
  const pk_sensor_part part = {.linear = {.noise = 1}, .angular = {.noise = 0.1}};
  rig r = begin_rig("velocity", &part, 3);
  moments each[6] = {0}, pairs = {0};
  for (int k = 0; k < 10000; k++) {
    step_and_read(&r);
    const double *const x = pk_sim_readings(r.sim);
    for (int i = 0; i < 6; i++) {
      count(&each[i], x[i]); /* the base stands still */
    }
    count(&pairs, x[0] * x[1]);
  }
  for (int i = 0; i < 6; i++) {
    must_be_white(&each[i], i < 3 ? 1 : 0.1);
  }
  assert_near(pairs.sum / pairs.n, 0, 5 / sqrt(pairs.n));
  end(&r);
}

static void a_turn_on_bias_is_constant_and_differs_from_world_to_world(void **state)
{
  (void)state;
  enum { WORLDS = 2000 };
  const pk_sensor_part part = {.linear = {.bias = 0.5}};
  rig r = begin_rig("tachometer", &part, 11);
  moments m = {0};
  for (int k = 0; k < WORLDS; k++) {
    pk_sim_reset(r.sim);
    pk_sim_set_stream(r.sim, (unsigned long long)k);
    pk_sim_u(r.sim)[0] = rate;
    const double first = step_and_read(&r);
    assert_near(step_and_read(&r), first, 0);
    count(&m, first - rate);
  }
  must_be_white(&m, 0.5);
  end(&r);
}

/* Mean square of what a bias has walked to after some steps, over many worlds. */
static double walked(const pk_sensor_part *part, int worlds, int steps)
{
  rig r = begin_rig("tachometer", part, 5);
  double squares = 0;
  for (int k = 0; k < worlds; k++) {
    pk_sim_reset(r.sim);
    pk_sim_set_stream(r.sim, (unsigned long long)k);
    pk_sim_u(r.sim)[0] = rate;
    double x = 0;
    for (int i = 0; i < steps; i++) {
      x = step_and_read(&r) - rate;
    }
    squares += x * x;
  }
  end(&r);
  return squares / worlds;
}

static void a_bias_walks_and_its_variance_grows_with_time(void **state)
{
  (void)state;
  const double K = 0.2, bound = 5 * sqrt(2.0 / 1000);
  const pk_sensor_part each = {.linear = {.bias_walk = K}}, slow = {.rate = 100, .linear = {.bias_walk = K}};
  assert_near(walked(&each, 1000, 20) / (K * K * 20 * dt), 1, bound);
  assert_near(walked(&each, 1000, 80) / (K * K * 80 * dt), 1, bound);
  assert_near(walked(&slow, 1000, 80) / (K * K * 80 * dt), 1, bound);
}

static void a_bias_with_a_correlation_time_settles(void **state)
{
  (void)state;
  const double K = 0.2, tau = 0.01, settled = K * K * tau / 2;
  const pk_sensor_part part = {.linear = {.bias_walk = K, .correlation = tau}};
  const double bound = 5 * sqrt(2.0 / 1000);
  assert_near(walked(&part, 1000, 5) / (settled * (1 - exp(-2 * 5 * dt / tau))), 1, bound);
  assert_near(walked(&part, 1000, 100) / settled, 1, bound);
}

static void samples_come_at_their_rate_and_late(void **state)
{
  (void)state;
  const pk_sensor_part part = {.rate = 250, .latency = 0.003};
  rig r = begin_rig("encoder", &part, 1);
  double q[200] = {0};
  for (int k = 1; k < 200; k++) {
    const double x = step_and_read(&r);
    q[k] = pk_sim_q(r.sim)[0];
    const int sampled = k - 3 < 0 ? 0 : (k - 3) / 4 * 4; /* every four steps, three steps ago */
    assert_near(x, q[sampled], 0);
  }
  end(&r);
}

static void a_rate_that_is_no_part_of_the_steps_is_kept_on_average(void **state)
{
  (void)state;
  const pk_sensor_part part = {.rate = 400};
  rig r = begin_rig("encoder", &part, 1);
  int samples = 0;
  double last = 0;
  for (int k = 1; k <= 1000; k++) {
    const double x = step_and_read(&r);
    const bool fresh = x == pk_sim_q(r.sim)[0];
    assert_true(fresh == (x != last));
    /* at the end of the first step that reaches a multiple of 2.5 ms */
    assert_true(fresh == ((2 * k) / 5 > (2 * (k - 1)) / 5));
    samples += fresh, last = x;
  }
  assert_int_equal(samples, 400);
  end(&r);
}

static void readings_are_counted_and_cut_off_at_their_range(void **state)
{
  (void)state;
  const pk_sensor_part part = {.linear = {.noise = 3, .resolution = 0.25, .range = 4.1}};
  rig r = begin_rig("tachometer", &part, 2);
  int ends = 0;
  for (int k = 0; k < 2000; k++) {
    const double x = step_and_read(&r);
    assert_at_most(fabs(x), 4.1);
    if (fabs(x) == 4.1) {
      ends++;
    } else {
      assert_near(x / 0.25, round(x / 0.25), 0);
    }
  }
  assert_greater(ends, 300);
  end(&r);
}

static void the_error_of_counts_is_uniform(void **state)
{
  (void)state;
  const double D = 1e-2;
  const pk_sensor_part part = {.linear = {.resolution = D}};
  rig r = begin_rig("encoder", &part, 2);
  pk_sim_u(r.sim)[0] = sqrt(2) * 7.1; /* every phase is met */
  moments m = {0};
  for (int k = 0; k < 20000; k++) {
    const double error = step_and_read(&r) - pk_sim_q(r.sim)[0];
    assert_at_most(fabs(error), D / 2 * (1 + 1e-9));
    count(&m, error);
  }
  assert_near(m.squares / m.n, D * D / 12, 0.02 * D * D / 12);
  end(&r);
}

static void samples_are_lost_as_often_as_it_says(void **state)
{
  (void)state;
  const pk_sensor_part part = {.dropout = 0.2};
  rig r = begin_rig("encoder", &part, 9);
  const int n = 20000;
  int lost = 0;
  double last = 0;
  for (int k = 0; k < n; k++) {
    const double x = step_and_read(&r);
    if (x != pk_sim_q(r.sim)[0]) {
      assert_near(x, last, 0);
      lost++;
    }
    last = x;
  }
  assert_near(lost, 0.2 * n, 5 * sqrt(0.2 * 0.8 * n));
  end(&r);
}

static void errors_turn_an_attitude_by_small_angles(void **state)
{
  (void)state;
  const pk_sensor_part part = {.angular = {.noise = 0.05}};
  rig r = begin_rig("pose", &part, 9);
  moments m[3] = {0};
  for (int k = 0; k < 10000; k++) {
    step_and_read(&r);
    const double *const q = pk_sim_readings(r.sim) + 3; /* the base stands upright */
    assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-12);
    for (int i = 0; i < 3; i++) { /* the vector of the rotation, exactly */
      const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      count(&m[i], 2 * atan2(length, q[0]) * q[1 + i] / length);
    }
  }
  for (int i = 0; i < 3; i++) {
    must_be_white(&m[i], 0.05);
  }
  end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_is_white_and_as_large_as_it_says),
      cmocka_unit_test(each_axis_has_noise_of_its_own),
      cmocka_unit_test(a_turn_on_bias_is_constant_and_differs_from_world_to_world),
      cmocka_unit_test(a_bias_walks_and_its_variance_grows_with_time),
      cmocka_unit_test(a_bias_with_a_correlation_time_settles),
      cmocka_unit_test(samples_come_at_their_rate_and_late),
      cmocka_unit_test(a_rate_that_is_no_part_of_the_steps_is_kept_on_average),
      cmocka_unit_test(readings_are_counted_and_cut_off_at_their_range),
      cmocka_unit_test(the_error_of_counts_is_uniform),
      cmocka_unit_test(samples_are_lost_as_often_as_it_says),
      cmocka_unit_test(errors_turn_an_attitude_by_small_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
