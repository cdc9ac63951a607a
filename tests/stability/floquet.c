/* Fixed points and multipliers of return maps: passive walkers, whose multipliers are known to ten digits, and maps in closed
 * form. */
#include "pronk/floquet.h"

#include <math.h>
#include <string.h>

#include "support/bounds.h"
#include "support/walkers.h"

static const double pi = 3.14159265358979323846;

/* One gait of a walker: a guess, what it must become, and its multipliers. */
typedef struct gait {
  const char *name;
  walker w;
  double guess[4], x[4], time;
  int count;
  double re[3], im[3];
} gait;

enum { GAITS = 5 };

static void list_gaits(gait out[GAITS])
{
  const double degree = pi / 180;
  out[0] = (gait){.name = "rimless wheel of point mass",
                  .w = walker_rimless(8, 1, 0.08),
                  .guess = {1.3},
                  .x = {1.0954628396},
                  .time = 1.0345498114,
                  .count = 1,
                  .re = {0.5}};
  out[1] = (gait){.name = "rimless wheel with inertia",
                  .w = walker_rimless(8, 0.8, 0.08),
                  .guess = {1.3},
                  .x = {1.1663709804},
                  .time = 0.8138721971,
                  .count = 1,
                  .re = {0.5862741700}};
  out[2] = (gait){.name = "simplest walker, long strides",
                  .w = walker_simplest(0.009),
                  .guess = {0.2, -0.2},
                  .x = {0.2003109005442, -0.1998324730050},
                  .time = 3.88246375285,
                  .count = 2,
                  .re = {-0.1900998411, -0.1900998411},
                  .im = {0.5575987767, -0.5575987767}};
  out[3] = (gait){.name = "simplest walker, short strides",
                  .w = walker_simplest(0.009),
                  .guess = {0.19394, -0.20387},
                  .x = {0.1939373698102, -0.2038669274420},
                  .time = 3.09610586808,
                  .count = 2,
                  .re = {4.0038643589, 0.4595895898}};
  out[4] = (gait){.name = "compass",
                  .w = walker_compass(3 * degree),
                  .guess = {-0.32, -6 * degree + 0.32, -0.38, -1.1},
                  .x = {-0.3233885581, 0.2186688029, -0.3773739489, -1.0923835899},
                  .time = 0.7343463912,
                  .count = 3,
                  .re = {-0.1997261, -0.1997261, 0.1315726},
                  .im = {0.5444761, -0.5444761, 0}};
}

/* The compass's multipliers are tabled to seven digits, all others to ten. */
static double digits_of(const gait *g)
{
  return g->count == 3 ? 6e-8 : 1e-9;
}

static void check_multipliers(const gait *g, const pk_floquet *f, double tolerance)
{
  assert_int_equal(f->count, g->count);
  for (int k = 0; k < g->count; k++) {
    assert_near(f->multipliers[k].re, g->re[k], tolerance);
    assert_near(f->multipliers[k].im, g->im[k], tolerance);
  }
}

static void newton_finds_the_gaits_of_passive_walkers(void **state)
{
  gait gaits[GAITS];
  (void)state;
  list_gaits(gaits);
  for (int i = 0; i < GAITS; i++) {
    gait *g = &gaits[i];
    for (int exact = 0; exact < 2; exact++) {
      const pk_return_map map = walker_map(&g->w, exact);
      pk_fixed_point info;
      double x[4];
      memcpy(x, g->guess, sizeof x);
      assert_int_equal(pk_fixed_point_find(&map, NULL, x, &info, NULL), PK_OK);
      assert_at_most(info.residual, 1e-11);
      assert_at_most(info.iterations, 12);
      for (int k = 0; k < map.nx; k++) {
        assert_near(x[k], g->x[k], 1e-10);
      }
      assert_near(g->w.time, g->time, 1e-9);
    }
  }
}

static void exact_derivatives_give_the_multipliers_of_the_literature(void **state)
{
  gait gaits[GAITS];
  (void)state;
  list_gaits(gaits);
  for (int i = 0; i < GAITS; i++) {
    gait *g = &gaits[i];
    const pk_return_map map = walker_map(&g->w, true);
    pk_floquet f = {0};
    double x[4];
    memcpy(x, g->guess, sizeof x);
    assert_int_equal(pk_fixed_point_find(&map, NULL, x, NULL, NULL), PK_OK);
    assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, NULL), PK_OK);
    check_multipliers(g, &f, digits_of(g));
    assert_int_equal(f.levels, 0);
    assert_int_equal(f.verdict, g->re[0] > 1 ? PK_STABILITY_VERDICT_UNSTABLE : PK_STABILITY_VERDICT_STABLE);
    assert_near(f.radius, hypot(g->re[0], g->im[0]), digits_of(g));
    pk_floquet_free(&f);
  }
}

/* The wheel's own is known in closed form: mu^2. */
static void multipliers_of_rimless_wheels_are_the_squares_of_what_a_strike_keeps(void **state)
{
  (void)state;
  for (int spokes = 8; spokes <= 14; spokes += 2) {
    walker w = walker_rimless(spokes, 0.9, 0.15);
    const pk_return_map map = walker_map(&w, true);
    const double mu = 1 + 0.9 * (cos(2 * pi / spokes) - 1);
    const double square = mu * mu / (1 - mu * mu) * 4 * 9.81 * 0.9 * sin(pi / spokes) * sin(0.15);
    double x[1] = {1.1 * sqrt(square)};
    pk_floquet f = {0};
    assert_int_equal(pk_fixed_point_find(&map, NULL, x, NULL, NULL), PK_OK);
    assert_near(x[0], sqrt(square), 1e-10); /* what Newton leaves, 1e-11, over 1 - mu^2 */
    assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, NULL), PK_OK);
    assert_near(f.multipliers[0].re, mu * mu, 1e-10);
    pk_floquet_free(&f);
  }
}

static void differences_reach_eight_digits_and_know_how_far_they_are_off(void **state)
{
  gait gaits[GAITS];
  (void)state;
  list_gaits(gaits);
  for (int i = 0; i < GAITS; i++) {
    gait *g = &gaits[i];
    const pk_return_map exact = walker_map(&g->w, true), map = walker_map(&g->w, false);
    pk_floquet f = {0}, reference = {0};
    double x[4];
    memcpy(x, g->guess, sizeof x);
    assert_int_equal(pk_fixed_point_find(&exact, NULL, x, NULL, NULL), PK_OK);
    assert_int_equal(pk_floquet_compute(&exact, x, NULL, &reference, NULL), PK_OK);
    assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, NULL), PK_OK);
    check_multipliers(g, &f, fmax(1e-8, digits_of(g)));
    for (int k = 0; k < g->count; k++) {
      const double off = hypot(f.multipliers[k].re - reference.multipliers[k].re,
                               f.multipliers[k].im - reference.multipliers[k].im);
      assert_at_most(off, 2 * f.multipliers[k].error + 1e-13);
      assert_at_most(f.multipliers[k].error, 1e-7);
    }
    pk_floquet_free(&f);
    pk_floquet_free(&reference);
  }
}

/* The real multiplier, or the smaller of two, at the slope. */
static double least_multiplier(double slope, double x[2])
{
  walker w = walker_simplest(slope);
  const pk_return_map map = walker_map(&w, true);
  pk_floquet f = {0};
  assert_int_equal(pk_fixed_point_find(&map, NULL, x, NULL, NULL), PK_OK);
  assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, NULL), PK_OK);
  const double least = fmin(f.multipliers[0].re, f.multipliers[1].re);
  pk_floquet_free(&f);
  return least;
}

static void the_simplest_walker_loses_its_stability_at_the_slope_of_the_literature(void **state)
{
  double low = 0.0145, high = 0.0155, x[2] = {0.2003109005442, -0.1998324730050};
  (void)state;
  for (double slope = 0.009; slope < low; slope += 5e-4) { /* follow the gait up the slope */
    (void)least_multiplier(slope, x);
  }
  while (high - low > 1e-11) {
    const double middle = 0.5 * (low + high);
    if (least_multiplier(middle, x) < -1) {
      high = middle;
    } else {
      low = middle;
    }
  }
  assert_near(low, 0.01508843794, 2e-10);
}

/* ---- symmetry ---- */

/* A drift along x[0] that nothing feels, and a plane that turns and shrinks. */
static pk_status drift(const pk_return_map *map, const double *x, double *out)
{
  const double pull = *(const double *)map->user;
  out[0] = x[0] + 0.4 + 0.3 * x[1] - pull * x[0];
  out[1] = 0.5 * x[1] - 0.2 * x[2] + 0.1 * sin(x[1] * x[2]);
  out[2] = 0.2 * x[1] + 0.5 * x[2];
  return PK_OK;
}

static void neutral_directions_are_left_out_when_they_are_neutral(void **state)
{
  double pull = 0, x[3] = {7, 0.1, -0.1};
  const pk_return_map map = {.nx = 3, .n = 3, .apply = drift, .user = &pull};
  const int place[] = {0};
  pk_floquet_options o = pk_floquet_options_default();
  pk_floquet f = {0};
  (void)state;
  o.neutral = place, o.nneutral = 1;
  assert_int_equal(pk_fixed_point_find(&map, &o, x, NULL, NULL), PK_OK);
  assert_near(x[0], 7, 0);
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, NULL), PK_OK);
  assert_int_equal(f.count, 2);
  assert_int_equal(f.nneutral, 1);
  assert_true(f.neutral[0]);
  assert_near(f.radius, hypot(0.5, 0.2), 1e-9);
  assert_int_equal(f.verdict, PK_STABILITY_VERDICT_STABLE);
  pk_floquet_free(&f);
  /* one that is pulled back is none */
  pull = 0.1;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, NULL), PK_OK);
  assert_int_equal(f.count, 3);
  assert_int_equal(f.nneutral, 0);
  assert_near(f.radius, 0.9, 1e-9);
  pk_floquet_free(&f);
}

/* ---- memory ---- */

/* (x, m) of the closed loop, of which only x is shown. */
static pk_status remember(const pk_return_map *map, int count, int strides, const double *x, double *out)
{
  for (int i = 0; i < count; i++) {
    double a = x[2 * i], b = x[2 * i + 1], m = 0;
    for (int s = 0; s < strides; s++) {
      const double gain = *(const double *)map->user;
      const double next = 0.6 * a + 0.1 * b - gain * m, other = 0.2 * a + 0.3 * b;
      m = 0.8 * m + 0.5 * a + 0.1 * a * a;
      a = next, b = other;
      out[2 * (s * count + i)] = a, out[2 * (s * count + i) + 1] = b;
    }
  }
  return PK_OK;
}

static void memory_that_states_do_not_show_is_found(void **state)
{
  double gain = 0.4;
  const double x[2] = {0, 0};
  const pk_return_map map = {.nx = 2, .n = 2, .iterate = remember, .user = &gain};
  pk_floquet_options o = pk_floquet_options_default();
  pk_floquet f = {0}, whole = {0};
  (void)state;
  o.strides = 4;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, NULL), PK_OK);
  assert_greater(f.memory, 0.1);
  assert_int_equal(f.order, 3);
  /* the roots of the characteristic polynomial of [[0.6, 0.1, -0.4], [0.2, 0.3, 0], [0.5, 0, 0.8]] */
  for (int k = 0; k < 3; k++) {
    const double re = f.multipliers[k].re, im = f.multipliers[k].im;
    const double complex z = re + I * im,
                         p = (0.6 - z) * (0.3 - z) * (0.8 - z) - 0.02 * (0.8 - z) + 0.2 * (0.3 - z);
    assert_less(cabs(p), 1e-8);
  }
  pk_floquet_free(&f);
  /* without feedback of the memory x alone decides */
  gain = 0;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &whole, NULL), PK_OK);
  assert_int_equal(whole.order, 0);
  assert_int_equal(whole.count, 2);
  assert_near(whole.radius, 0.45 + sqrt(0.0225 + 0.02), 1e-9);
  pk_floquet_free(&whole);
}

/* ---- options ---- */

static void options_that_are_zero_are_the_defaults(void **state)
{
  (void)state;
  double pull = 0.1, x[3] = {4.1, 0.1, -0.1}, y[3] = {4.1, 0.1, -0.1};
  const pk_return_map map = {.nx = 3, .n = 3, .apply = drift, .user = &pull};
  const pk_floquet_options zero = {0}, preset = pk_floquet_options_default();
  pk_floquet f = {0}, g = {0};
  assert_int_equal(pk_floquet_options_validate(&zero, NULL), PK_OK);
  assert_int_equal(pk_fixed_point_find(&map, &zero, x, NULL, NULL), PK_OK);
  assert_int_equal(pk_fixed_point_find(&map, &preset, y, NULL, NULL), PK_OK);
  assert_memory_equal(x, y, sizeof x);
  assert_int_equal(pk_floquet_compute(&map, x, &zero, &f, NULL), PK_OK);
  assert_int_equal(pk_floquet_compute(&map, x, &preset, &g, NULL), PK_OK);
  assert_int_equal(f.levels, g.levels);
  assert_near(f.radius, g.radius, 0);
  pk_floquet_free(&f);
  pk_floquet_free(&g);
}

/* ---- what is wrong ---- */

static void wrong_maps_and_options_are_refused_by_name(void **state)
{
  double pull = 0, x[3] = {0};
  pk_return_map map = {.nx = 3, .n = 3, .apply = drift, .user = &pull};
  pk_floquet_options o = pk_floquet_options_default();
  pk_floquet f = {0};
  pk_error err = {0};
  const int far[] = {3};
  const double scale[] = {1, 0, 1};
  (void)state;
  o.strides = 3;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "strides is 3, expected 1 or an even number");
  o = pk_floquet_options_default();
  o.neutral = far, o.nneutral = 1;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "neutral direction is 3, expected one of the 3 of the map, from 0");
  o.neutral = NULL;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "nneutral is 1, expected the number of directions in neutral");
  o = pk_floquet_options_default();
  o.scale = scale;
  assert_int_equal(pk_floquet_compute(&map, x, &o, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "scale of direction 1 is 0, expected a number above zero");
  map.n = 2;
  assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "add");
  map.n = 0;
  assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "n");
  map.n = 3, map.apply = NULL;
  assert_int_equal(pk_floquet_compute(&map, x, NULL, &f, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "apply");
  pk_floquet_free(&f);
}

/* x -> x + 1: no fixed point, and 1 - P' is zero. */
static pk_status escape(const pk_return_map *map, const double *x, double *out)
{
  (void)map;
  out[0] = x[0] + 1;
  return PK_OK;
}

static pk_status wander(const pk_return_map *map, const double *x, double *out)
{
  (void)map;
  out[0] = x[0] + 1 + x[0] * x[0];
  return PK_OK;
}

static void maps_without_a_fixed_point_are_told_so(void **state)
{
  pk_return_map map = {.nx = 1, .n = 1, .apply = escape};
  double x[1] = {0.3};
  pk_error err = {0};
  (void)state;
  assert_int_equal(pk_fixed_point_find(&map, NULL, x, NULL, &err), PK_ERROR_CONVERGENCE);
  map.apply = wander;
  assert_int_equal(pk_fixed_point_find(&map, NULL, x, NULL, &err), PK_ERROR_CONVERGENCE);
  assert_string_equal(err.field, "tolerance");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newton_finds_the_gaits_of_passive_walkers),
      cmocka_unit_test(exact_derivatives_give_the_multipliers_of_the_literature),
      cmocka_unit_test(multipliers_of_rimless_wheels_are_the_squares_of_what_a_strike_keeps),
      cmocka_unit_test(differences_reach_eight_digits_and_know_how_far_they_are_off),
      cmocka_unit_test(the_simplest_walker_loses_its_stability_at_the_slope_of_the_literature),
      cmocka_unit_test(neutral_directions_are_left_out_when_they_are_neutral),
      cmocka_unit_test(memory_that_states_do_not_show_is_found),
      cmocka_unit_test(options_that_are_zero_are_the_defaults),
      cmocka_unit_test(wrong_maps_and_options_are_refused_by_name),
      cmocka_unit_test(maps_without_a_fixed_point_are_told_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
