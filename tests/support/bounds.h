/* Assertions about numbers that print the numbers, and the expressions that gave them, when they fail:
 *
 *   tests/step/contact.c:72: fabs(error) < bound does not hold: 0.0021 < 0.002
 *
 * Both sides are evaluated once, and compared as long double, which holds every double and every 64-bit integer
 * exactly; so an int beside a size_t compares as numbers do. What is not a number fails. */
#ifndef PK_TESTS_BOUNDS_H
#define PK_TESTS_BOUNDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What is compared, as it is written in the test, and where. */
typedef struct bound_text {
  const char *left, *relation, *right;
  const char *file;
  int line;
} bound_text;

static inline void assert_bound(int holds, long double left, long double right, bound_text text)
{
  if (!holds) {
    print_error("%s:%d: %s %s %s does not hold: %.17Lg %s %.17Lg\n", text.file, text.line, text.left,
                text.relation, text.right, left, text.relation, right);
    _fail(text.file, text.line);
  }
}

static inline void assert_less_at(long double left, long double right, bound_text text)
{
  assert_bound(left < right, left, right, text);
}

static inline void assert_at_most_at(long double left, long double right, bound_text text)
{
  assert_bound(left <= right, left, right, text);
}

static inline void assert_greater_at(long double left, long double right, bound_text text)
{
  assert_bound(left > right, left, right, text);
}

static inline void assert_at_least_at(long double left, long double right, bound_text text)
{
  assert_bound(left >= right, left, right, text);
}

/* The difference is that of doubles: a tolerance of zero asks for equal doubles. */
static inline void assert_near_at(double found, double expected, double tolerance, bound_text text)
{
  const double error = found > expected ? found - expected : expected - found;
  if (!(error <= tolerance)) {
    print_error("%s:%d: %s is not %s: found %.17g, expected %.17g within %g\n", text.file, text.line,
                text.left, text.right, found, expected, tolerance);
    _fail(text.file, text.line);
  }
}

/* The text is made here, so that it is what the test says, not what its macros become. */
#define assert_less(a, b) \
  assert_less_at((long double)(a), (long double)(b), (bound_text){#a, "<", #b, __FILE__, __LINE__})
#define assert_at_most(a, b) \
  assert_at_most_at((long double)(a), (long double)(b), (bound_text){#a, "<=", #b, __FILE__, __LINE__})
#define assert_greater(a, b) \
  assert_greater_at((long double)(a), (long double)(b), (bound_text){#a, ">", #b, __FILE__, __LINE__})
#define assert_at_least(a, b) \
  assert_at_least_at((long double)(a), (long double)(b), (bound_text){#a, ">=", #b, __FILE__, __LINE__})
#define assert_near(found, expected, tolerance) \
  assert_near_at(found, expected, tolerance, (bound_text){#found, "near", #expected, __FILE__, __LINE__})

#endif
