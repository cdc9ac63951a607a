/* Thinned lines look like the whole ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/thin.h"
#include "support/bounds.h"

#include <math.h>
#include <stdbool.h>

enum { N = 20000 };

static double x[N], y[N];
static int keep[N];

static bool kept(int index, int count)
{
  for (int i = 0; i < count; i++) {
    if (keep[i] == index) {
      return true;
    }
  }
  return false;
}

static void assert_ascending(int count)
{
  assert_at_least(count, 1);
  assert_at_most(count, N);
  for (int i = 1; i < count; i++) {
    assert_greater(keep[i], keep[i - 1]);
  }
}

static void a_peak_of_one_sample_stays(void **state)
{
  (void)state;
  for (int i = 0; i < N; i++) {
    x[i] = 500.0 * i / N;
    y[i] = sin(0.01 * i);
  }
  y[12345] = 50;
  y[12350] = -50;
  const int count = pki_thin_columns(x, y, N, keep);
  assert_ascending(count);
  assert_at_most(count, 4 * 500);
  assert_true(kept(12345, count) && kept(12350, count));
  assert_true(kept(0, count) && kept(N - 1, count));
}

/* In every column the whole line and the thinned one span the same heights. */
static void columns_keep_their_range(void **state)
{
  (void)state;
  unsigned seed = 1;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = 300.0 * i / N;
    y[i] = (double)(seed >> 16);
  }
  const int count = pki_thin_columns(x, y, N, keep);
  for (int column = 0; column < 300; column++) {
    double all[2] = {INFINITY, -INFINITY}, some[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < N; i++) {
      if ((int)floor(x[i]) == column) {
        all[0] = fmin(all[0], y[i]), all[1] = fmax(all[1], y[i]);
      }
    }
    for (int i = 0; i < count; i++) {
      if ((int)floor(x[keep[i]]) == column) {
        some[0] = fmin(some[0], y[keep[i]]), some[1] = fmax(some[1], y[keep[i]]);
      }
    }
    assert_true(all[0] == some[0] && all[1] == some[1]);
  }
}

/* Distance of a point from a segment. */
static double distance(int p, int a, int b)
{
  const double dx = x[b] - x[a], dy = y[b] - y[a], length = dx * dx + dy * dy;
  const double along = length > 0 ? ((x[p] - x[a]) * dx + (y[p] - y[a]) * dy) / length : 0;
  const double s = fmin(1, fmax(0, along));
  return hypot(x[p] - x[a] - s * dx, y[p] - y[a] - s * dy);
}

static void assert_path_near(int count, double tolerance)
{
  for (int k = 1; k < count; k++) {
    for (int i = keep[k - 1]; i <= keep[k]; i++) {
      if (distance(i, keep[k - 1], keep[k]) > tolerance) {
        fail_msg("point %d lies %g from the line", i, distance(i, keep[k - 1], keep[k]));
      }
    }
  }
}

static void a_thinned_path_passes_every_point(void **state)
{
  (void)state;
  const double tolerance = 0.25;
  for (int i = 0; i < N; i++) { /* loops, as phase plots are */
    const double t = 0.002 * i;
    x[i] = 100 * cos(t) + 20 * cos(7 * t);
    y[i] = 80 * sin(t) - 5 * sin(11 * t);
  }
  const int count = pki_thin_path(x, y, N, tolerance, keep);
  assert_ascending(count);
  assert_less(count, N / 8);
  assert_int_equal(keep[0], 0);
  assert_int_equal(keep[count - 1], N - 1);
  /* a chord's ends may lie a tolerance inside of what it replaces */
  assert_path_near(count, 2 * tolerance);
}

static void a_path_that_turns_back_keeps_its_tip(void **state)
{
  (void)state;
  for (int i = 0; i < 200; i++) {
    x[i] = 0;
    y[i] = i < 100 ? i : 198 - i;
  }
  const int count = pki_thin_path(x, y, 199, 0.2, keep);
  assert_int_equal(count, 3);
  assert_int_equal(keep[1], 99);
}

static void nothing_and_one_point_are_fine(void **state)
{
  (void)state;
  x[0] = y[0] = 1;
  assert_int_equal(pki_thin_columns(x, y, 0, keep), 0);
  assert_int_equal(pki_thin_path(x, y, 0, 0.2, keep), 0);
  assert_int_equal(pki_thin_columns(x, y, 1, keep), 1);
  assert_int_equal(pki_thin_path(x, y, 1, 0.2, keep), 1);
}

/* A robot that stands still is a point, drawn as a line from itself to itself. */
static void a_point_that_rests_keeps_its_ends(void **state)
{
  (void)state;
  for (int i = 0; i < 100; i++) {
    x[i] = y[i] = 3;
  }
  assert_int_equal(pki_thin_path(x, y, 100, 0.2, keep), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_peak_of_one_sample_stays),
      cmocka_unit_test(columns_keep_their_range),
      cmocka_unit_test(a_thinned_path_passes_every_point),
      cmocka_unit_test(a_path_that_turns_back_keeps_its_tip),
      cmocka_unit_test(nothing_and_one_point_are_fine),
      cmocka_unit_test(a_point_that_rests_keeps_its_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
