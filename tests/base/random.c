/* Random numbers: the same everywhere, and spread as promised. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/bounds.h"

static void a_seed_gives_the_published_sequence(void **state)
{
  (void)state;
  /* SplitMix64 from seed 1234567, as the reference implementation prints it. */
  pki_random random = pki_random_seeded(1234567);
  assert_true(pki_random_bits(&random) == 6457827717110365317u);
  assert_true(pki_random_bits(&random) == 3203168211198807973u);
  assert_true(pki_random_bits(&random) == 9817491932198370423u);
}

static void equal_seeds_repeat_and_others_do_not(void **state)
{
  (void)state;
  pki_random a = pki_random_seeded(5), b = pki_random_seeded(5), c = pki_random_seeded(6);
  int same = 0;
  for (int i = 0; i < 100; i++) {
    const uint64_t bits = pki_random_bits(&a);
    assert_true(bits == pki_random_bits(&b));
    same += bits == pki_random_bits(&c);
  }
  assert_int_equal(same, 0);
}

static void unit_numbers_fill_the_interval_evenly(void **state)
{
  (void)state;
  enum { N = 100000, BINS = 10 };
  pki_random random = pki_random_seeded(1);
  int bins[BINS] = {0};
  for (int i = 0; i < N; i++) {
    const double x = pki_random_unit(&random);
    assert_at_least(x, 0.0);
    assert_less(x, 1.0);
    bins[(int)(x * BINS)]++;
  }
  /* Five standard deviations of a bin's count. */
  for (int i = 0; i < BINS; i++) {
    assert_less(fabs((double)bins[i] - (double)N / BINS), 5.0 * sqrt(N * 0.1 * 0.9));
  }
}

static void bounds_hold(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(2);
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < 1000; i++) {
    const double x = pki_random_between(&random, -3.0, 5.0);
    least = fmin(least, x);
    most = fmax(most, x);
  }
  assert_at_least(least, -3.0);
  assert_less(least, -2.8);
  assert_at_most(most, 5.0);
  assert_greater(most, 4.8);
}

static void normals_have_mean_zero_and_variance_one(void **state)
{
  (void)state;
  enum { N = 100000 };
  pki_random random = pki_random_seeded(3);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < N; i++) {
    const double x = pki_random_normal(&random);
    sum += x;
    squares += x * x;
  }
  assert_less(fabs(sum / N), 5.0 / sqrt(N));
  assert_less(fabs(squares / N - 1.0), 5.0 * sqrt(2.0 / N));
}

static void quaternions_are_unit_and_prefer_no_direction(void **state)
{
  (void)state;
  enum { N = 20000 };
  pki_random random = pki_random_seeded(4);
  double mean[4] = {0};
  for (int i = 0; i < N; i++) {
    double q[4], norm = 0.0;
    pki_random_quaternion(&random, q);
    for (int k = 0; k < 4; k++) {
      norm += q[k] * q[k];
      mean[k] += q[k] / N;
    }
    assert_less(fabs(norm - 1.0), 1e-14);
  }
  for (int k = 0; k < 4; k++) {
    assert_less(fabs(mean[k]), 5.0 * 0.5 / sqrt(N));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_seed_gives_the_published_sequence),
      cmocka_unit_test(equal_seeds_repeat_and_others_do_not),
      cmocka_unit_test(unit_numbers_fill_the_interval_evenly),
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(normals_have_mean_zero_and_variance_one),
      cmocka_unit_test(quaternions_are_unit_and_prefer_no_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
