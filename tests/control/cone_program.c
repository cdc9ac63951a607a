/* Cone programs: the natural map vanishes at every result, whatever bounds are active and however ill-conditioned H is. */
#include "control/cone_program.h"

#include <math.h>
#include <string.h>

#include "support/allocations.h"
#include "support/bounds.h"
#include "support/cone_programs.h"
#include "support/pace.h"

enum { LANES = PKI_CONE_PROGRAM_LANES };

/* Every number of lane l is within its bounds: boxes to the bit, cones to rounding. */
static void assert_in_bounds(const cone_programs *p, int l)
{
  const int lanes = p->lanes;
  for (int i = 0; i < p->boxes; i++) {
    assert_at_least(p->x[i * lanes + l], p->lower[i * lanes + l]);
    assert_at_most(p->x[i * lanes + l], p->upper[i * lanes + l]);
  }
  for (int i = 0; i < p->cones; i++) {
    const double *f = p->x + (p->boxes + 3 * i) * lanes + l;
    assert_at_least(f[0], 0);
    assert_at_most(f[0], p->limit[i * lanes + l]);
    assert_at_most(hypot(f[lanes], f[2 * lanes]), p->friction[i * lanes + l] * f[0] * (1 + 1e-15));
  }
}

/* What a number of programs took. */
typedef struct tally {
  int count, rounds, most_rounds, fallbacks;
  double worst;
} tally;

static void add_result(const pki_cone_result *result, int lanes, tally *t)
{
  for (int l = 0; l < lanes; l++) {
    const int rounds = result->rounds[l];
    t->worst = fmax(t->worst, result->residual[l]);
    t->rounds += rounds, t->count++, t->fallbacks += result->fallback[l];
    t->most_rounds = rounds > t->most_rounds ? rounds : t->most_rounds;
    assert_false(isnan(result->residual[l]));
  }
}

static void print_tally(const char *what, const tally *t)
{
  print_message(
      "%s: %d programs, worst residual %.1e, rounds %.2f on average and %d at most, fallback in %d\n", what,
      t->count, t->worst, (double)t->rounds / t->count, t->most_rounds, t->fallbacks);
}

/* Solve programs of random sizes with H of condition 10^least to 10^most. */
static tally solve_random(uint64_t seed, int count, int most_boxes, int most_cones, double least, double most)
{
  pki_random r = pki_random_seeded(seed);
  tally t = {0};
  for (int k = 0; k < count; k++) {
    const int cones = (int)pki_random_between(&r, 0, most_cones + 1);
    const int boxes = (int)pki_random_between(&r, cones == 0, most_boxes + 1);
    cone_programs p = make_cone_programs(boxes, cones, 1);
    draw_cone_program(&r, &p, 0, pki_random_between(&r, least, most));
    const pki_cone_program program = view_cone_programs(&p);
    pki_cone_result result;
    pki_cone_kernels_get(1)->solve(&program, (bool[LANES]){false}, p.x, p.memory, &result);
    add_result(&result, 1, &t);
    assert_in_bounds(&p, 0);
    free_cone_programs(&p);
  }
  return t;
}

static void test_results_are_minima_for_any_bounds(void **state)
{
  (void)state;
  const tally t = solve_random(1, PACE(6000, 300), 30, 8, 0, 8);
  print_tally("condition 1 to 1e8", &t);
  assert_at_most(t.worst, PKI_CONE_PROGRAM_ACCURACY);
}

static void test_large_and_ill_conditioned_programs_are_solved(void **state)
{
  (void)state;
  const tally t = solve_random(2, PACE(1000, 50), 50, 10, 8, 8);
  print_tally("condition 1e8, up to 80 unknowns", &t);
  assert_at_most(t.worst, PKI_CONE_PROGRAM_ACCURACY);
}

/* The proximal point method takes over in some of these. */
static void test_the_fallback_ends_in_the_minimum_too(void **state)
{
  (void)state;
  const tally t = solve_random(3, 1000, 30, 8, 8, 9);
  print_tally("condition 1e8 to 1e9", &t);
  assert_at_least(t.fallbacks, 1);
  assert_at_most(t.worst, PKI_CONE_PROGRAM_ACCURACY);
}

/* With H = 1 the minimum is the point of the set that is nearest to -g. */
static void test_the_minimum_with_unit_H_is_the_projection(void **state)
{
  (void)state;
  const double mu = 0.5, limit = 2;
  /* asked, nearest: inside, apex, on the side, on the side's ray from beside, in the top disc, on its rim, beyond the rim */
  const double cases[][6] = {
      {1, 0.2, 0.1, 1, 0.2, 0.1},    {-1, 1, 0, 0, 0, 0},    {-3, 0, 0, 0, 0, 0},
      {1 - mu, 0, mu + 1, 1, 0, mu}, /* (1, mu) and a unit along the side's normal (-mu, 1) */
      {5, 0.3, 0.4, 2, 0.3, 0.4},    {5, 3, 4, 2, 0.6, 0.8}, {2, 0, -7, 2, 0, -1}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    cone_programs p = make_cone_programs(1, 1, 1);
    memset(p.H, 0, 16 * sizeof(double));
    for (int i = 0; i < 4; i++) {
      p.H[5 * i] = 1;
      p.g[i] = i == 0 ? -3 : -cases[k][i - 1];
    }
    p.lower[0] = -1, p.upper[0] = 0.25, p.friction[0] = mu, p.limit[0] = limit;
    const pki_cone_program program = view_cone_programs(&p);
    pki_cone_result result;
    pki_cone_kernels_get(1)->solve(&program, (bool[LANES]){false}, p.x, p.memory, &result);
    assert_near(p.x[0], 0.25, 0);
    for (int i = 0; i < 3; i++) {
      assert_near(p.x[1 + i], cases[k][3 + i], 1e-14);
    }
    assert_at_most(result.residual[0], 1e-14);
    free_cone_programs(&p);
  }
}

/* A sliding foot of weight 1 that is pulled: min 1/2 |f - (1, 3)|^2 with a coupled box force. By hand: f on the side of the cone
 * and b at its bound leave one unknown. */
static void test_a_force_on_the_side_of_its_cone_meets_its_closed_form(void **state)
{
  (void)state;
  /* H over (b, n, t1, t2): unit but for the coupling b n */
  const double k = 0.5, mu = 0.7, b = 0.3, asked[3] = {1, 3, 0};
  cone_programs p = make_cone_programs(1, 1, 1);
  memset(p.H, 0, 16 * sizeof(double));
  for (int i = 0; i < 4; i++) {
    p.H[5 * i] = 1;
    p.g[i] = i == 0 ? -9 : -asked[i - 1];
  }
  p.H[1] = k;
  p.lower[0] = -1, p.upper[0] = b, p.friction[0] = mu, p.limit[0] = INFINITY;
  const pki_cone_program program = view_cone_programs(&p);
  pki_cone_result result;
  pki_cone_kernels_get(1)->solve(&program, (bool[LANES]){false}, p.x, p.memory, &result);
  const double n = (asked[0] - k * b + mu * asked[1]) / (1 + mu * mu);
  assert_near(p.x[0], b, 0);
  assert_near(p.x[1], n, 1e-13);
  assert_near(p.x[2], mu * n, 1e-13);
  assert_near(p.x[3], 0, 1e-13);
  free_cone_programs(&p);
}

static void test_a_warm_start_takes_fewer_rounds(void **state)
{
  (void)state;
  pki_random r = pki_random_seeded(5);
  tally cold = {0}, warm = {0};
  for (int k = 0; k < PACE(500, 50); k++) {
    cone_programs p = make_cone_programs(20, 6, 1);
    draw_cone_program(&r, &p, 0, 5);
    const pki_cone_program program = view_cone_programs(&p);
    pki_cone_result result;
    const pki_cone_kernels *one = pki_cone_kernels_get(1);
    one->solve(&program, (bool[LANES]){false}, p.x, p.memory, &result);
    for (int i = 0; i < p.n; i++) {
      p.g[i] *= 1 + 1e-3 * pki_random_normal(&r);
    }
    one->solve(&program, (bool[LANES]){true}, p.x, p.memory, &result);
    add_result(&result, 1, &warm);
    one->solve(&program, (bool[LANES]){false}, p.x, p.memory, &result);
    add_result(&result, 1, &cold);
    free_cone_programs(&p);
  }
  print_tally("cold", &cold);
  print_tally("warm", &warm);
  assert_at_most(2 * warm.rounds, cold.rounds);
  assert_at_most(warm.worst, PKI_CONE_PROGRAM_ACCURACY);
}

/* With the minimum itself as guess nothing is factored. */
static void test_the_minimum_as_guess_takes_no_round(void **state)
{
  (void)state;
  pki_random r = pki_random_seeded(6);
  cone_programs p = make_cone_programs(12, 4, 1);
  draw_cone_program(&r, &p, 0, 2);
  const pki_cone_program program = view_cone_programs(&p);
  pki_cone_result result;
  const int before = allocations;
  pki_cone_kernels_get(1)->solve(&program, (bool[LANES]){false}, p.x, p.memory, &result);
  pki_cone_kernels_get(1)->solve(&program, (bool[LANES]){true}, p.x, p.memory, &result);
  assert_int_equal(allocations, before);
  assert_int_equal(result.rounds[0], 0);
  free_cone_programs(&p);
}

/* Lane l of `from` as the only lane of `to`. */
static void pick_lane(const cone_programs *from, int l, cone_programs *to)
{
  const int n = from->n, lanes = from->lanes;
  for (int i = 0; i < n * n; i++) {
    to->H[i] = from->H[i * lanes + l];
  }
  for (int i = 0; i < n; i++) {
    to->g[i] = from->g[i * lanes + l], to->x[i] = from->x[i * lanes + l];
  }
  for (int i = 0; i < from->boxes; i++) {
    to->lower[i] = from->lower[i * lanes + l], to->upper[i] = from->upper[i * lanes + l];
  }
  for (int i = 0; i < from->cones; i++) {
    to->friction[i] = from->friction[i * lanes + l], to->limit[i] = from->limit[i * lanes + l];
  }
}

static void assert_lanes_alone(const pki_cone_kernels *wide, const pki_cone_kernels *one, pki_random *r)
{
  const int lanes = wide->lanes;
  cone_programs p = make_cone_programs(17, 5, lanes), alone = make_cone_programs(17, 5, 1);
  bool warm[LANES];
  for (int l = 0; l < lanes; l++) {
    draw_cone_program(r, &p, l, pki_random_between(r, 0, 9));
    warm[l] = l % 3 == 1;
    for (int i = 0; i < p.n && warm[l]; i++) {
      p.x[i * lanes + l] = pki_random_normal(r);
    }
  }
  cone_programs copy = make_cone_programs(17, 5, lanes);
  memcpy(copy.x, p.x, (size_t)(p.n * lanes) * sizeof(double));
  const pki_cone_program program = view_cone_programs(&p), single = view_cone_programs(&alone);
  pki_cone_result together, by_itself;
  wide->solve(&program, warm, p.x, p.memory, &together);
  for (int l = 0; l < lanes; l++) {
    double *const solved = p.x;
    p.x = copy.x;
    pick_lane(&p, l, &alone);
    p.x = solved;
    one->solve(&single, &warm[l], alone.x, alone.memory, &by_itself);
    assert_int_equal(by_itself.rounds[0], together.rounds[l]);
    assert_int_equal(by_itself.fallback[0], together.fallback[l]);
    for (int i = 0; i < p.n; i++) {
      assert_memory_equal(&alone.x[i], &p.x[i * lanes + l], sizeof(double));
    }
  }
  free_cone_programs(&p);
  free_cone_programs(&alone);
  free_cone_programs(&copy);
}

static void test_a_lane_is_the_program_alone_to_the_bit(void **state)
{
  (void)state;
  static const char *const sets[] = {"base", "avx2", "avx512"};
  pki_random r = pki_random_seeded(7);
  for (int k = 0; k < 3; k++) {
    const pki_cone_kernels *one = pki_cone_kernels_find(sets[k], 1);
    for (int m = 0; m < PACE(60, 6) && one != NULL; m++) {
      assert_lanes_alone(pki_cone_kernels_find(sets[k], 4), one, &r);
      assert_lanes_alone(pki_cone_kernels_find(sets[k], 8), one, &r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_results_are_minima_for_any_bounds),
      cmocka_unit_test(test_large_and_ill_conditioned_programs_are_solved),
      cmocka_unit_test(test_the_fallback_ends_in_the_minimum_too),
      cmocka_unit_test(test_the_minimum_with_unit_H_is_the_projection),
      cmocka_unit_test(test_a_force_on_the_side_of_its_cone_meets_its_closed_form),
      cmocka_unit_test(test_a_warm_start_takes_fewer_rounds),
      cmocka_unit_test(test_the_minimum_as_guess_takes_no_round),
      cmocka_unit_test(test_a_lane_is_the_program_alone_to_the_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
