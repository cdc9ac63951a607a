/* Rows are judged by their value, their bounds and their conditions, and say what they are held to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "study/study_verdict.h"

static pki_study_result result;

static int free_rows(void **state)
{
  (void)state;
  pki_study_free(&result);
  return 0;
}

static const pki_study_row *last(void)
{
  return &result.rows[result.nrow - 1];
}

static void put(double paper, double measured)
{
  pki_study_put(&result, "section", "group", "id", "mm", paper, measured, PKI_VERDICT_NONE, "what");
}

/* The verdict of a value that is held to `part` of the paper's. */
static pki_verdict by_part(double paper, double measured, double part)
{
  put(paper, measured);
  pki_study_hold_part(&result, part);
  return last()->verdict;
}

static void tolerances_are_inclusive_and_told_in_words(void **state)
{
  (void)state;
  assert_int_equal(by_part(4, 5, 0.25), PKI_VERDICT_HOLDS);
  assert_string_equal(last()->tolerance, "within 25 %");
  assert_int_equal(by_part(4, 5.01, 0.25), PKI_VERDICT_MISSES);
  assert_int_equal(by_part(-4, -3, 0.25), PKI_VERDICT_HOLDS);
  assert_int_equal(by_part(-4, -2.99, 0.25), PKI_VERDICT_MISSES);
  put(8, 5.5);
  pki_study_hold_near(&result, 2.5);
  assert_int_equal(last()->verdict, PKI_VERDICT_HOLDS);
  assert_string_equal(last()->tolerance, "within 2.5 mm");
  put(8, 16.5);
  pki_study_hold_factor(&result, 2);
  assert_int_equal(last()->verdict, PKI_VERDICT_MISSES);
  assert_string_equal(last()->tolerance, "within a factor of 2");
  put(NAN, 3);
  pki_study_hold_between(&result, 3, 4);
  assert_int_equal(last()->verdict, PKI_VERDICT_HOLDS);
  put(NAN, 3);
  pki_study_hold_most(&result, 2);
  assert_int_equal(last()->verdict, PKI_VERDICT_MISSES);
  put(NAN, 3);
  pki_study_hold_least(&result, 2);
  assert_int_equal(last()->verdict, PKI_VERDICT_HOLDS);
}

static void no_number_misses(void **state)
{
  (void)state;
  assert_int_equal(by_part(4, NAN, 10), PKI_VERDICT_MISSES);
  put(NAN, NAN);
  pki_study_hold_least(&result, -1);
  assert_int_equal(last()->verdict, PKI_VERDICT_MISSES);
}

static void conditions_count_beside_the_value(void **state)
{
  (void)state;
  by_part(4, 4, 0.1);
  pki_study_require(&result, true, "no fall");
  assert_int_equal(last()->verdict, PKI_VERDICT_HOLDS);
  pki_study_require(&result, false, "%d certified steps", 10);
  assert_int_equal(last()->verdict, PKI_VERDICT_MISSES);
  assert_string_equal(last()->tolerance, "within 10 %, no fall, 10 certified steps");
  pki_study_put(&result, "section", "group", "id", "", 1, 1, PKI_VERDICT_MISSES, "what");
  pki_study_require(&result, true, "a reason of its own"); /* what the caller has reached stays */
  assert_int_equal(last()->verdict, PKI_VERDICT_MISSES);
}

static void what_was_left_out_is_no_failure_but_says_why(void **state)
{
  (void)state;
  pki_study_free(&result);
  by_part(4, NAN, 0.1);
  pki_study_excuse(&result, "left out by --quick");
  assert_int_equal(last()->verdict, PKI_VERDICT_LEFT_OUT);
  put(4, 17);
  pki_study_excuse(&result, "another machine");
  assert_int_equal(last()->verdict, PKI_VERDICT_NONE);
  assert_true(pki_study_passes(&result));
}

static void a_value_of_the_paper_without_a_verdict_or_a_reason_fails_the_study(void **state)
{
  (void)state;
  pki_study_free(&result);
  put(NAN, 1);
  assert_true(pki_study_passes(&result));
  put(1, 1);
  assert_int_equal(pki_study_count_unjudged(&result), 1);
  assert_false(pki_study_passes(&result));
}

static void a_spoilt_row_misses(void **state)
{
  (void)state;
  static const char *const ids[] = {"group/both", "group/most", "group/least", "group/condition"};
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
    pki_study_free(&result);
    pki_study_put(&result, "section", "group", ids[i] + strlen("group/"), "", 2, 2, PKI_VERDICT_NONE, "what");
    if (i == 0) {
      pki_study_hold_part(&result, 0.1);
    } else if (i == 1) {
      pki_study_hold_most(&result, 3);
    } else if (i == 2) {
      pki_study_hold_least(&result, 1);
    } else {
      pki_study_require(&result, true, "no fall");
    }
    assert_true(pki_study_passes(&result));
    assert_false(pki_study_spoil(&result, "group/none"));
    assert_true(pki_study_spoil(&result, ids[i]));
    assert_false(pki_study_passes(&result));
    assert_int_equal(pki_study_count(&result, PKI_VERDICT_MISSES), 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tolerances_are_inclusive_and_told_in_words),
      cmocka_unit_test(no_number_misses),
      cmocka_unit_test(conditions_count_beside_the_value),
      cmocka_unit_test(what_was_left_out_is_no_failure_but_says_why),
      cmocka_unit_test(a_value_of_the_paper_without_a_verdict_or_a_reason_fails_the_study),
      cmocka_unit_test(a_spoilt_row_misses),
  };
  return cmocka_run_group_tests(tests, NULL, free_rows);
}
