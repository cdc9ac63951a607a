/* Random and low-discrepancy numbers. */
#include "sweep/draw.h"
#include "support/bounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* The first points of three dimensions as Joe and Kuo's generator prints them (in Gray code order), times 8. */
static void the_first_points_are_those_of_joe_and_kuo(void **state)
{
  (void)state;
  static const int points[8][3] = {{0, 0, 0}, {4, 4, 4}, {6, 2, 2}, {2, 6, 6},
                                   {3, 3, 5}, {7, 7, 1}, {5, 1, 7}, {1, 5, 3}};
  for (uint32_t g = 0; g < 8; g++) {
    for (int d = 0; d < 3; d++) {
      assert_int_equal(pki_sobol(g ^ (g >> 1), d) >> 29, points[g][d]);
    }
  }
}

/* Intervals of 1/256 each get exactly one of 256 points that begin at a multiple of 256, in every dimension, shifted or
 * not. */
static void every_interval_gets_its_point(void **state)
{
  (void)state;
  for (int d = 0; d < PKI_SOBOL_DIMENSIONS; d++) {
    for (uint32_t block = 0; block < 3; block++) {
      int hits[2][256] = {{0}};
      for (uint32_t i = 0; i < 256; i++) {
        hits[0][pki_sobol(256 * block + i, d) >> 24]++;
        hits[1][(int)(256 * pki_draw_unit(PKI_DRAW_SOBOL, 5, 256 * block + i, d))]++;
      }
      for (int k = 0; k < 256; k++) {
        assert_int_equal(hits[0][k], 1);
        assert_int_equal(hits[1][k], 1);
      }
    }
  }
}

/* The first two dimensions are a (0, 2)-sequence: each box of area 1/64, however it is cut, gets one of 64 points. */
static void boxes_of_equal_area_get_one_point_each(void **state)
{
  (void)state;
  for (int cut = 0; cut <= 6; cut++) {
    int hits[64] = {0};
    for (uint32_t i = 0; i < 64; i++) {
      const uint32_t x = (uint32_t)((uint64_t)pki_sobol(i, 0) >> (32 - cut)),
                     y = (uint32_t)((uint64_t)pki_sobol(i, 1) >> (26 + cut));
      hits[(x << (6 - cut)) + y]++;
    }
    for (int k = 0; k < 64; k++) {
      assert_int_equal(hits[k], 1);
    }
  }
}

/* No two dimensions are alike: 1024 points fill 32 x 32 squares well, where copies would fill a diagonal. */
static void dimensions_differ(void **state)
{
  (void)state;
  for (int a = 0; a < PKI_SOBOL_DIMENSIONS; a++) {
    for (int b = 0; b < a; b++) {
      int filled = 0;
      char hit[1024];
      memset(hit, 0, sizeof hit);
      for (uint32_t i = 0; i < 1024; i++) {
        const uint32_t cell = (pki_sobol(i, a) >> 27) * 32 + (pki_sobol(i, b) >> 27);
        filled += !hit[cell];
        hit[cell] = 1;
      }
      assert_at_least(filled, 256);
    }
  }
}

enum { POINTS = 256, DIMENSIONS = 5 };

/* Warnock's formula for the L2 star discrepancy, squared. */
static double discrepancy(pki_draw draw, int seed)
{
  double single = 0, pairs = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    double product = 1;
    for (int d = 0; d < DIMENSIONS; d++) {
      const double x = pki_draw_unit(draw, seed, i, d);
      product *= 1 - x * x;
    }
    single += product;
    for (uint32_t j = 0; j < POINTS; j++) {
      product = 1;
      for (int d = 0; d < DIMENSIONS; d++) {
        product *= 1 - fmax(pki_draw_unit(draw, seed, i, d), pki_draw_unit(draw, seed, j, d));
      }
      pairs += product;
    }
  }
  return pow(3, -DIMENSIONS) - pow(2, 1 - DIMENSIONS) / POINTS * single + pairs / (POINTS * POINTS);
}

static void sobol_spreads_better_than_chance(void **state)
{
  (void)state;
  for (int seed = 0; seed < 3; seed++) {
    assert_less(discrepancy(PKI_DRAW_SOBOL, seed), 0.25 * discrepancy(PKI_DRAW_RANDOM, seed));
  }
}

static void numbers_lie_inside_and_depend_on_all_three(void **state)
{
  (void)state;
  for (int draw = 0; draw < PKI_DRAW_COUNT; draw++) {
    double sum = 0;
    for (uint32_t i = 0; i < 4096; i++) {
      const double u = pki_draw_unit((pki_draw)draw, 1, i, 3);
      assert_greater(u, 0);
      assert_less(u, 1);
      sum += u;
    }
    assert_less(fabs(sum / 4096 - 0.5), 0.02); /* 4 standard deviations of a random mean */
    const double u = pki_draw_unit((pki_draw)draw, 1, 9, 3);
    assert_true(u == pki_draw_unit((pki_draw)draw, 1, 9, 3));
    assert_true(u != pki_draw_unit((pki_draw)draw, 2, 9, 3));
    assert_true(u != pki_draw_unit((pki_draw)draw, 1, 10, 3));
    assert_true(u != pki_draw_unit((pki_draw)draw, 1, 9, 4));
  }
}

static void the_normal_distribution_has_its_quantiles(void **state)
{
  (void)state;
  assert_less(fabs(pki_normal_quantile(0.975) - 1.959963984540054), 1e-14);
  assert_less(fabs(pki_normal_quantile(0.5)), 1e-15);
  assert_less(fabs(pki_normal_quantile(1e-10) + 6.361340902404056), 1e-12);
  for (double x = -5; x <= 5; x += 0.37) {
    assert_less(fabs(pki_normal_quantile(pki_normal_below(x)) - x), 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_points_are_those_of_joe_and_kuo),
      cmocka_unit_test(every_interval_gets_its_point),
      cmocka_unit_test(boxes_of_equal_area_get_one_point_each),
      cmocka_unit_test(dimensions_differ),
      cmocka_unit_test(sobol_spreads_better_than_chance),
      cmocka_unit_test(numbers_lie_inside_and_depend_on_all_three),
      cmocka_unit_test(the_normal_distribution_has_its_quantiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
