/* A failed assertion about numbers says what was compared, both numbers and where. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/bounds.h"

static char output[4096];

/* Run one test in a process of its own, whose messages go to `output`; false when the test failed. */
static bool passes(CMUnitTestFunction test)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  const pid_t child = fork();
  assert_at_least(child, 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    const struct CMUnitTest tests[] = {{.name = "child", .test_func = test}};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(NULL);
    _exit(failed == 0 ? 0 : 1);
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t n; (n = read(ends[0], output + used, sizeof output - 1 - used)) > 0;) {
    used += (size_t)n;
  }
  output[used] = '\0';
  close(ends[0]);
  int status = 0;
  assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

static void expect_failure(CMUnitTestFunction test, const char *text)
{
  assert_false(passes(test));
  if (strstr(output, text) == NULL || strstr(output, "tests/support/bounds.c:") == NULL) {
    fail_msg("no \"%s\" with its file and line in: %s", text, output);
  }
}

static const double found = 0.25, bound = 0.125;
static const int count = 3;

static void too_large(void **state)
{
  (void)state;
  assert_less(found, bound);
}

static void not_less_but_equal(void **state)
{
  (void)state;
  assert_less(count, 3);
}

static void above_the_most(void **state)
{
  (void)state;
  assert_at_most(count + 1, 3);
}

static void too_small(void **state)
{
  (void)state;
  assert_greater(bound, found);
}

static void below_the_least(void **state)
{
  (void)state;
  assert_at_least(-1, (size_t)count);
}

static void no_number(void **state)
{
  (void)state;
  assert_at_most(NAN, 1.0);
}

static void too_far(void **state)
{
  (void)state;
  assert_near(found, bound, 0.1);
}

static void what_fails_says_both_numbers_their_expressions_and_the_line(void **state)
{
  (void)state;
  expect_failure(too_large, "found < bound does not hold: 0.25 < 0.125");
  expect_failure(not_less_but_equal, "count < 3 does not hold: 3 < 3");
  expect_failure(above_the_most, "count + 1 <= 3 does not hold: 4 <= 3");
  expect_failure(too_small, "bound > found does not hold: 0.125 > 0.25");
  expect_failure(no_number, "NAN <= 1.0 does not hold: nan <= 1");
  expect_failure(too_far, "found is not bound: found 0.25, expected 0.125 within 0.1");
}

/* As numbers, -1 is less than any size; as C compares them it would be the largest. */
static void signs_and_large_integers_compare_as_numbers(void **state)
{
  (void)state;
  expect_failure(below_the_least, "-1 >= (size_t)count does not hold: -1 >= 3");
  assert_less(UINT64_MAX - 1, UINT64_MAX);
  assert_greater(INT64_MAX, INT64_MAX - 1);
  assert_less(1.0, nextafter(1.0, 2.0));
}

static void each_side_is_evaluated_once(void **state)
{
  (void)state;
  int left = 0, right = 5;
  assert_less(left++, right++);
  assert_at_most(left++, right++);
  assert_near((double)left++, 2, 0);
  assert_int_equal(left, 3);
  assert_int_equal(right, 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fails_says_both_numbers_their_expressions_and_the_line),
      cmocka_unit_test(signs_and_large_integers_compare_as_numbers),
      cmocka_unit_test(each_side_is_evaluated_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
