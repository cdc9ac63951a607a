/* Sharing a wrench among feet: within friction, and the best there is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/kernels/share.h"
#include "math/mat3.h"
#include "support/bounds.h"

/* Feet at the corners of a rectangle, forces and moments about a point above its middle. */
static pki_share corners(int count)
{
  pki_share s = {.normal = {0, 0, 1}, .friction = 0.6, .regular = 1e-3, .S = {0.1, 0.1, 1, 10, 10, 5}};
  for (int r = 0; r < 6; r++) {
    s.give[r] = 1 / s.S[r];
  }
  for (int i = 0; i < count; i++) {
    const double at[3] = {i % 2 == 0 ? 0.25 : -0.25, i % 3 == 0 ? 0.18 : -0.18, -0.43};
    s.C[i][0] = (pki_v3){0, -at[2], at[1]};
    s.C[i][1] = (pki_v3){at[2], 0, -at[0]};
    s.C[i][2] = (pki_v3){-at[1], at[0], 0};
    pki_set_mask(&s.stands[i], 0, true);
    s.any[i] = true;
    s.limit[i] = 300;
  }
  return s;
}

/* What is minimised. */
static double cost(const pki_share *s, int count, double force[PKI_LEGS][3])
{
  double miss[6] = {-s->b.l.x, -s->b.l.y, -s->b.l.z, -s->b.a.x, -s->b.a.y, -s->b.a.z}, sum = 0;
  for (int i = 0; i < count; i++) {
    const double *f = force[i];
    for (int r = 0; r < 3; r++) {
      const pki_v3 c = s->C[i][r];
      miss[r] += f[r];
      miss[3 + r] += c.x * f[0] + c.y * f[1] + c.z * f[2];
    }
    sum += 0.5 * s->regular * pki_dot3(f, f);
  }
  for (int r = 0; r < 6; r++) {
    sum += 0.5 * s->S[r] * miss[r] * miss[r];
  }
  return sum;
}

static int solve(const pki_share *s, double force[PKI_LEGS][3])
{
  pki_v3 found[PKI_LEGS];
  const int rounds = pki_share_solve(s, found);
  for (int i = 0; i < PKI_LEGS; i++) {
    pki_v3_store(found[i], force[i]);
  }
  return rounds;
}

static void weight_is_shared_evenly(void **state)
{
  (void)state;
  pki_share s = corners(4);
  double force[PKI_LEGS][3];
  s.b.l.z = 263;
  assert_int_equal(solve(&s, force), 0);
  for (int i = 0; i < 4; i++) {
    assert_less(fabs(force[i][2] - 263.0 / 4), 0.02);
    assert_less(fabs(force[i][0]), 1e-9);
    assert_less(fabs(force[i][1]), 1e-9);
  }
}

static void feet_that_do_not_stand_give_nothing(void **state)
{
  (void)state;
  pki_share s = corners(3);
  double force[PKI_LEGS][3];
  s.b.l.z = 263;
  solve(&s, force);
  assert_true(force[3][0] == 0 && force[3][1] == 0 && force[3][2] == 0);
}

/* The slopes of the nearest point, by differences, wherever it lies: inside, on the cone, on a disc, on its rim. */
static void the_nearest_force_moves_as_its_slopes_say(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(11);
  const pki_v3 n = {0.6 * 0.8, -0.6 * 0.6, 0.8};
  double worst = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const double h = 1e-5, least = trial % 2 ? 0 : 20;
    double x[3], d[3];
    for (int k = 0; k < 3; k++) {
      x[k] = pki_random_between(&random, -200, 200);
      d[k] = pki_random_between(&random, -1, 1);
    }
    pki_cone_point p[3];
    for (int e = 0; e < 3; e++) {
      const double way = (e - 1) * h;
      p[e] = pki_cone_nearest(n, 0.6, least, 100,
                              (pki_v3){x[0] + way * d[0], x[1] + way * d[1], x[2] + way * d[2]});
    }
    const pki_cone_point *at = &p[1];
    const pki_v3 to = {d[0], d[1], d[2]}, t = at->t;
    const double along = pki_dot(n, to), aside = pki_dot(t, to);
    pki_v3 slope = pki_scale(at->rest, to);
    slope = pki_add_scaled(slope, at->nn * along + at->nt * aside, n);
    slope = pki_add_scaled(slope, at->nt * along + at->tt * aside, t);
    const pki_v3 change = pki_scale(0.5 / h, pki_sub(p[2].f, p[0].f)), off = pki_sub(change, slope);
    /* where a border lies between the two, slopes jump */
    const bool smooth =
        fabs(p[0].nn - p[2].nn) + fabs(p[0].rest - p[2].rest) + fabs(p[0].tt - p[2].tt) < 1e-5;
    worst = smooth ? fmax(worst, sqrt(pki_dot(off, off))) : worst;
  }
  print_message("largest error of a slope: %.1e\n", worst);
  assert_less(worst, 1e-6);
}

static double uniform(pki_random *random, double size)
{
  return pki_random_between(random, -size, size);
}

/* The problem is convex: the answer is the best if no way towards another allowed force leads down. */
static void forces_stay_within_friction_and_no_allowed_ones_are_better(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(7);
  double worst = 0;
  int most = 0;
  for (int trial = 0; trial < 300; trial++) {
    const int count = 2 + trial % 3;
    pki_share s = corners(count);
    double force[PKI_LEGS][3];
    s.b.l = (pki_v3){uniform(&random, 200), uniform(&random, 200), 150 + uniform(&random, 250)};
    s.b.a = (pki_v3){uniform(&random, 40), uniform(&random, 40), uniform(&random, 40)};
    const int rounds = solve(&s, force);
    most = rounds > most ? rounds : most;
    for (int i = 0; i < count; i++) {
      const double *f = force[i];
      assert_at_most(hypot(f[0], f[1]), s.friction * f[2] + 1e-9);
      assert_at_most(f[2], s.limit[i] + 1e-9);
    }
    const double at = cost(&s, count, force);
    for (int other = 0; other < 200; other++) {
      double to[PKI_LEGS][3], between[PKI_LEGS][3];
      for (int i = 0; i < count; i++) {
        const double up = s.limit[i] * pki_random_unit(&random), turn = uniform(&random, 3.2);
        const double along = other % 2 ? s.friction * up : s.friction * up * pki_random_unit(&random);
        const double f[3] = {along * cos(turn), along * sin(turn), up};
        for (int k = 0; k < 3; k++) {
          to[i][k] = other % 3 == 0 && i > 0 ? force[i][k] : f[k];
          between[i][k] = force[i][k] + (other % 5 == 0 ? 1e-3 : 0.02) * (to[i][k] - force[i][k]);
        }
      }
      worst = fmax(worst, (at - cost(&s, count, between)) / (1 + at));
    }
  }
  print_message("largest relative gain by another allowed force: %.1e, most rounds %d\n", worst, most);
  assert_less(worst, 1e-10);
  assert_less(most, PKI_SHARE_ROUNDS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weight_is_shared_evenly),
      cmocka_unit_test(feet_that_do_not_stand_give_nothing),
      cmocka_unit_test(the_nearest_force_moves_as_its_slopes_say),
      cmocka_unit_test(forces_stay_within_friction_and_no_allowed_ones_are_better),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
