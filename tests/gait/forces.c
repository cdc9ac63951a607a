/* Sharing a wrench among feet: within friction, and the best there is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/locomotion.h"
#include "math/mat3.h"

/* Feet at the corners of a rectangle, forces and moments about a point above its middle. */
static pki_share corners(int count)
{
  pki_share s = {
      .count = count, .normal = {0, 0, 1}, .friction = 0.6, .regular = 1e-3, .S = {0.1, 0.1, 1, 10, 10, 5}};
  for (int i = 0; i < count; i++) {
    const double at[3] = {i % 2 == 0 ? 0.25 : -0.25, i % 3 == 0 ? 0.18 : -0.18, -0.43};
    const double cross[3][3] = {{0, -at[2], at[1]}, {at[2], 0, -at[0]}, {-at[1], at[0], 0}};
    for (int r = 0; r < 3; r++) {
      s.A[i][r][r] = 1;
      memcpy(s.A[i][3 + r], cross[r], sizeof cross[r]);
    }
    s.limit[i] = 300;
  }
  return s;
}

/* What is minimised. */
static double cost(const pki_share *s, double force[PKI_LEGS][3])
{
  double sum = 0;
  for (int r = 0; r < 6; r++) {
    double miss = -s->b[r];
    for (int i = 0; i < s->count; i++) {
      miss += pki_dot3(s->A[i][r], force[i]);
    }
    sum += 0.5 * s->S[r] * miss * miss;
  }
  for (int i = 0; i < s->count; i++) {
    sum += 0.5 * 1e-3 * pki_dot3(force[i], force[i]);
  }
  return sum;
}

static void weight_is_shared_evenly(void **state)
{
  (void)state;
  pki_share s = corners(4);
  s.b[2] = 263;
  pki_share_solve(&s);
  for (int i = 0; i < 4; i++) {
    assert_true(fabs(s.force[i][2] - 263.0 / 4) < 0.02);
    assert_true(fabs(s.force[i][0]) < 1e-9 && fabs(s.force[i][1]) < 1e-9);
  }
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
  for (int trial = 0; trial < 300; trial++) {
    pki_share s = corners(2 + trial % 3);
    const double b[6] = {uniform(&random, 200), uniform(&random, 200), 150 + uniform(&random, 250),
                         uniform(&random, 40),  uniform(&random, 40),  uniform(&random, 40)};
    memcpy(s.b, b, sizeof b);
    pki_share_solve(&s);
    for (int i = 0; i < s.count; i++) {
      const double *f = s.force[i];
      assert_true(hypot(f[0], f[1]) <= s.friction * f[2] + 1e-9 && f[2] <= s.limit[i] + 1e-9);
    }
    const double at = cost(&s, s.force);
    for (int other = 0; other < 200; other++) {
      double to[PKI_LEGS][3], between[PKI_LEGS][3];
      for (int i = 0; i < s.count; i++) {
        const double up = s.limit[i] * pki_random_unit(&random), turn = uniform(&random, 3.2);
        const double along = other % 2 ? s.friction * up : s.friction * up * pki_random_unit(&random);
        const double f[3] = {along * cos(turn), along * sin(turn), up};
        for (int k = 0; k < 3; k++) {
          to[i][k] = other % 3 == 0 && i > 0 ? s.force[i][k] : f[k];
          between[i][k] = s.force[i][k] + (other % 5 == 0 ? 1e-3 : 0.02) * (to[i][k] - s.force[i][k]);
        }
      }
      worst = fmax(worst, (at - cost(&s, between)) / (1 + at));
    }
  }
  print_message("largest relative gain by another allowed force: %.1e\n", worst);
  assert_true(worst < 1e-4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weight_is_shared_evenly),
      cmocka_unit_test(forces_stay_within_friction_and_no_allowed_ones_are_better),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
