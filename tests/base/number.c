/* Reading numbers from text: correct rounding, every locale, no terminating NUL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "support/bounds.h"

/* The linker puts __wrap_strtod in the place of strtod (see CMakeLists.txt). */
double __real_strtod(const char *text, char **end);
double __wrap_strtod(const char *text, char **end);

static int strtod_calls, strtod_points;

double __wrap_strtod(const char *text, char **end)
{
  strtod_calls++;
  strtod_points += strchr(text, '.') != NULL;
  return __real_strtod(text, end);
}

/* The bytes of `text` without its NUL, in a block of exactly that size so that a sanitizer
 * sees a read beyond the end. Returns how many characters were read, -1 for no number. */
static int read_real(const char *text, double *value)
{
  const size_t size = strlen(text);
  char *block = malloc(size + !size);
  assert_non_null(block);
  memcpy(block, text, size);
  const char *cursor = block;
  const bool found = pki_parse_real(&cursor, block + size, value);
  const int used = found ? (int)(cursor - block) : -1;
  assert_true(found || cursor == block);
  free(block);
  return used;
}

static int read_int(const char *text, long *value)
{
  const char *cursor = text;
  const bool found = pki_parse_int(&cursor, text + strlen(text), value);
  assert_true(found || cursor == text);
  return found ? (int)(cursor - text) : -1;
}

static void assert_same_bits(double a, double b, const char *text)
{
  if (memcmp(&a, &b, sizeof a) != 0) {
    fail_msg("%.60s: %a is not %a", text, a, b);
  }
}

static void a_real_equals_what_the_c_library_reads(void **state)
{
  (void)state;
  static const char *const texts[] = {"0",
                                      "-0",
                                      "+1",
                                      "1",
                                      "1.",
                                      ".5",
                                      "-.5e1",
                                      "1e3",
                                      "1E+3",
                                      "1e-3",
                                      "0.1",
                                      "0.2",
                                      "0.3",
                                      "123456789012345678",
                                      "9007199254740993",
                                      "9007199254740992.99999",
                                      "9007199254740993.00000000000000000000000000001",
                                      "1e22",
                                      "1e23",
                                      "8.5e-23",
                                      "4.9406564584124654e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "2.2250738585072011e-308",
                                      "2.2250738585072014e-308",
                                      "1.7976931348623157e308",
                                      "1.7976931348623159e308",
                                      "1e308",
                                      "1e309",
                                      "-1e400",
                                      "1e-400",
                                      "0e999999999999999999999",
                                      "000000000000000000000000000001.5",
                                      "0.00000000000000000000000000000000015",
                                      "3.14159265358979323846264338327950288",
                                      "179769313486231570e291"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = NAN;
    assert_int_equal(read_real(texts[i], &value), (int)strlen(texts[i]));
    assert_same_bits(value, __real_strtod(texts[i], NULL), texts[i]);
  }
}

static void printed_doubles_come_back_to_the_bit(void **state)
{
  (void)state;
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 100000; i++) {
    random ^= random << 13; /* xorshift64, G. Marsaglia 2003 */
    random ^= random >> 7;
    random ^= random << 17;
    double expected, value;
    memcpy(&expected, &random, sizeof expected);
    if (!isfinite(expected)) {
      continue;
    }
    char text[64];
    snprintf(text, sizeof text, i % 2 ? "%.16e" : "%.20g", expected);
    assert_int_equal(read_real(text, &value), (int)strlen(text));
    assert_same_bits(value, expected, text);
    /* Short numbers take the fast way. */
    snprintf(text, sizeof text, "%.*g", 1 + i % 15, (double)(int32_t)random * 1e-6);
    assert_int_equal(read_real(text, &value), (int)strlen(text));
    assert_same_bits(value, __real_strtod(text, NULL), text);
  }
}

static void the_thousandth_digit_still_decides_the_rounding(void **state)
{
  (void)state;
  /* Half way between 1 and the next double is 1 + 2^-53; a 1 far behind it rounds up. */
  static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
  char text[2048];
  double value;
  memset(text, '0', sizeof text);
  memcpy(text, half, strlen(half));
  text[1500] = '\0';
  assert_int_equal(read_real(text, &value), 1500);
  assert_same_bits(value, 1.0, text);
  text[1499] = '1';
  assert_int_equal(read_real(text, &value), 1500);
  assert_same_bits(value, nextafter(1.0, 2.0), text);
  /* A point far to the right, and zeros far behind the point, are undone by the exponent. */
  memset(text, '0', sizeof text);
  text[0] = '7';
  strcpy(text + 1001, "e-1000");
  assert_int_equal(read_real(text, &value), 1007);
  assert_same_bits(value, 7.0, text);
  memset(text, '0', sizeof text);
  text[1] = '.';
  strcpy(text + 1001, "7e1000");
  assert_int_equal(read_real(text, &value), 1007);
  assert_same_bits(value, 7.0, text);
}

static void infinity_and_nan_are_read_in_any_case(void **state)
{
  (void)state;
  double value = 0;
  assert_int_equal(read_real("inf", &value), 3);
  assert_true(isinf(value));
  assert_greater(value, 0);
  assert_int_equal(read_real("-INFINITY", &value), 9);
  assert_true(isinf(value));
  assert_less(value, 0);
  assert_int_equal(read_real("infinit", &value), 3);
  assert_int_equal(read_real("NaN", &value), 3);
  assert_true(isnan(value));
}

static void what_follows_a_real_stays(void **state)
{
  (void)state;
  double value = 0;
  assert_int_equal(read_real("1.5m", &value), 3);
  assert_int_equal(read_real("1.5e", &value), 3);
  assert_int_equal(read_real("1.5e+", &value), 3);
  assert_int_equal(read_real("1.5.5", &value), 3);
  assert_int_equal(read_real("0x10", &value), 1);
  assert_int_equal(read_real("1,5", &value), 1);
  assert_int_equal(read_real("2 3", &value), 1);
}

static void what_is_no_real_is_refused(void **state)
{
  (void)state;
  double value = 0;
  static const char *const texts[] = {"",    " 1",  "+",   "-",  ".",  "-.", "e5",
                                      ".e5", "abc", "--1", "in", "na", "\n1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(read_real(texts[i], &value), -1);
  }
}

/* In a locale with a decimal comma strtod stops at a point; such a locale need not be installed
 * here, so the test is that the C library is never shown one. */
static void the_decimal_point_of_the_locale_does_not_matter(void **state)
{
  (void)state;
  static const char *const texts[] = {"0.1234567890123456789e-30", "-1234567890.1234567890",
                                      ".9007199254740993"};
  strtod_calls = strtod_points = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = NAN;
    assert_int_equal(read_real(texts[i], &value), (int)strlen(texts[i]));
    assert_same_bits(value, __real_strtod(texts[i], NULL), texts[i]);
  }
  assert_int_equal(strtod_calls, 3);
  assert_int_equal(strtod_points, 0);
}

static void an_integer_is_read_up_to_the_ends_of_long(void **state)
{
  (void)state;
  long value = 0;
  char text[32];
  assert_int_equal(read_int("0", &value), 1);
  assert_int_equal(value, 0);
  assert_int_equal(read_int("+42/7", &value), 3);
  assert_int_equal(value, 42);
  snprintf(text, sizeof text, "%ld", LONG_MAX);
  assert_int_equal(read_int(text, &value), (int)strlen(text));
  assert_true(value == LONG_MAX);
  snprintf(text, sizeof text, "%ld", LONG_MIN);
  assert_int_equal(read_int(text, &value), (int)strlen(text));
  assert_true(value == LONG_MIN);
}

static void what_is_no_integer_is_refused(void **state)
{
  (void)state;
  long value = 0;
  char text[32];
  static const char *const texts[] = {"", "-", "+", " 1", "x", "99999999999999999999999"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(read_int(texts[i], &value), -1);
  }
  snprintf(text, sizeof text, "%lu", (unsigned long)LONG_MAX + 1);
  assert_int_equal(read_int(text, &value), -1);
}

static void blanks_are_skipped_up_to_the_end(void **state)
{
  (void)state;
  static const char text[] = " \t\r\n\v\f x ";
  const char *cursor = text;
  pki_skip_blanks(&cursor, text + strlen(text));
  assert_int_equal(*cursor, 'x');
  cursor = text;
  pki_skip_blanks(&cursor, text + 3);
  assert_ptr_equal(cursor, text + 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_real_equals_what_the_c_library_reads),
      cmocka_unit_test(printed_doubles_come_back_to_the_bit),
      cmocka_unit_test(the_thousandth_digit_still_decides_the_rounding),
      cmocka_unit_test(infinity_and_nan_are_read_in_any_case),
      cmocka_unit_test(what_follows_a_real_stays),
      cmocka_unit_test(what_is_no_real_is_refused),
      cmocka_unit_test(the_decimal_point_of_the_locale_does_not_matter),
      cmocka_unit_test(an_integer_is_read_up_to_the_ends_of_long),
      cmocka_unit_test(what_is_no_integer_is_refused),
      cmocka_unit_test(blanks_are_skipped_up_to_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
