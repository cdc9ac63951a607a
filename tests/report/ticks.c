#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "report/ticks.h"
#include "support/bounds.h"

static void assert_ticks(const pki_ticks *t, const double *values, const char *const *labels, int count)
{
  assert_int_equal(t->count, count);
  for (int i = 0; i < count; i++) {
    assert_at_most(fabs(t->value[i] - values[i]), 1e-12 * fabs(values[i]));
    assert_string_equal(t->label[i], labels[i]);
  }
}

static void linear_ticks_are_round_numbers_within_the_range(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_linear(0, 300, 6, &t);
  assert_ticks(&t, (const double[]){0, 50, 100, 150, 200, 250, 300},
               (const char *const[]){"0", "50", "100", "150", "200", "250", "300"}, 7);
  pki_ticks_linear(-0.11, 0.11, 5, &t);
  assert_ticks(&t, (const double[]){-0.10, -0.05, 0, 0.05, 0.10},
               (const char *const[]){"−0.10", "−0.05", "0.00", "0.05", "0.10"}, 5);
  pki_ticks_linear(1, 2, 5, &t);
  assert_ticks(&t, (const double[]){1, 1.2, 1.4, 1.6, 1.8, 2},
               (const char *const[]){"1.0", "1.2", "1.4", "1.6", "1.8", "2.0"}, 6);
}

static void small_and_large_numbers_share_one_power_of_ten(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_linear(0, 4e-9, 4, &t);
  assert_int_equal(t.exponent, -9);
  assert_ticks(&t, (const double[]){0, 1e-9, 2e-9, 3e-9, 4e-9},
               (const char *const[]){"0", "1", "2", "3", "4"}, 5);
  pki_ticks_linear(0, 2e6, 4, &t);
  assert_int_equal(t.exponent, 6);
  assert_string_equal(t.label[1], "0.5");
  pki_ticks_linear(0, 1000, 4, &t);
  assert_int_equal(t.exponent, 0);
}

static void a_number_that_hardly_changes_is_labelled_by_its_change(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_linear(3.147033054, 3.147033058, 4, &t);
  assert_greater(t.offset, 3.147);
  assert_less(t.offset, 3.1471);
  assert_at_most(t.exponent, -9);
  for (int i = 0; i < t.count; i++) {
    assert_at_most(strlen(t.label[i]), 4);
  }
}

static void log_ticks_are_decades(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_log(1e-3, 1e2, 8, &t);
  assert_ticks(&t, (const double[]){1e-3, 1e-2, 1e-1, 1, 10, 100},
               (const char *const[]){"10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²"}, 6);
}

static void many_decades_are_thinned_evenly(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_log(1e-17, 1e-1, 5, &t);
  assert_in_range(t.count, 3, 5);
  const double stride = t.value[1] / t.value[0];
  for (int i = 1; i < t.count; i++) {
    assert_less(fabs(t.value[i] / t.value[i - 1] / stride - 1), 1e-9);
  }
}

static void one_decade_gets_finer_ticks(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_log(1.5, 60, 5, &t);
  assert_ticks(&t, (const double[]){2, 5, 10, 20, 50}, (const char *const[]){"2", "5", "10", "20", "50"}, 5);
  pki_ticks_log(1.5e-9, 6e-9, 5, &t);
  assert_ticks(&t, (const double[]){2e-9, 5e-9}, (const char *const[]){"2·10⁻⁹", "5·10⁻⁹"}, 2);
}

static void an_impossible_range_has_no_ticks(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_linear(1, 1, 5, &t);
  assert_int_equal(t.count, 0);
  pki_ticks_linear(0, INFINITY, 5, &t);
  assert_int_equal(t.count, 0);
  pki_ticks_linear(NAN, 1, 5, &t);
  assert_int_equal(t.count, 0);
  pki_ticks_log(0, 1, 5, &t);
  assert_int_equal(t.count, 0);
  pki_ticks_log(-1, 1, 5, &t);
  assert_int_equal(t.count, 0);
}

static void no_range_gives_more_ticks_than_there_is_room_for(void **state)
{
  (void)state;
  pki_ticks t;
  pki_ticks_linear(0, 1, 1000, &t);
  assert_in_range(t.count, 2, PKI_TICKS_MAX);
  pki_ticks_log(1e-300, 1e300, 1000, &t);
  assert_in_range(t.count, 2, PKI_TICKS_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_ticks_are_round_numbers_within_the_range),
      cmocka_unit_test(small_and_large_numbers_share_one_power_of_ten),
      cmocka_unit_test(a_number_that_hardly_changes_is_labelled_by_its_change),
      cmocka_unit_test(log_ticks_are_decades),
      cmocka_unit_test(many_decades_are_thinned_evenly),
      cmocka_unit_test(one_decade_gets_finer_ticks),
      cmocka_unit_test(an_impossible_range_has_no_ticks),
      cmocka_unit_test(no_range_gives_more_ticks_than_there_is_room_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
