/* Rotations and their vectors: known rotations, round trips, small angles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "support/bounds.h"

static const double rounding = 1e-15;

static void assert_all_near(const double *a, const double *b, int n, double tolerance)
{
  for (int i = 0; i < n; i++) {
    assert_near(a[i], b[i], tolerance);
  }
}

static void a_vector_turns_about_its_direction_by_its_length(void **state)
{
  (void)state;
  const double quarter[3] = {0, 0, acos(0.0)}, expected[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  double R[9], turned[3];
  pki_rotation_exp(quarter, R);
  assert_all_near(R, expected, 9, rounding);
  const double v[3] = {0.3, -1.1, 0.7};
  pki_rotation_exp(v, R);
  pki_mat3_apply(R, v, turned);
  assert_all_near(turned, v, 3, rounding);
  assert_near(R[0] + R[4] + R[8], 1 + 2 * cos(pki_length3(v)), rounding);
}

static void vectors_below_half_a_turn_come_back_at_every_size(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  static const double sizes[] = {0, 1e-12, 1e-9, 1e-6, 0.99e-4, 1.01e-4, 1e-2, 1, 3};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (int trial = 0; trial < 20; trial++) {
      double v[3] = {pki_random_normal(&rng), pki_random_normal(&rng), pki_random_normal(&rng)}, R[9],
             back[3];
      const double scale = sizes[s] / pki_length3(v);
      for (int k = 0; k < 3; k++) {
        v[k] *= scale;
      }
      pki_rotation_exp(v, R);
      pki_rotation_log(R, back);
      assert_all_near(back, v, 3, 1e-14 * (1 + 100 * sizes[s]));
    }
  }
}

static void the_product_with_a_transpose_may_overwrite_a_factor(void **state)
{
  (void)state;
  const double a[3] = {0.4, 0.2, -0.9}, b[3] = {-0.1, 0.8, 0.5};
  double A[9], B[9], transposed[9], expected[9], x[9];
  pki_rotation_exp(a, A);
  pki_rotation_exp(b, B);
  pki_mat3_transpose(B, transposed);
  pki_mat3_mul(A, transposed, expected);
  memcpy(x, A, sizeof x);
  pki_rotation_mul_transposed(x, B, x);
  assert_all_near(x, expected, 9, rounding);
  memcpy(x, B, sizeof x);
  pki_rotation_mul_transposed(A, x, x);
  assert_all_near(x, expected, 9, rounding);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_vector_turns_about_its_direction_by_its_length),
      cmocka_unit_test(vectors_below_half_a_turn_come_back_at_every_size),
      cmocka_unit_test(the_product_with_a_transpose_may_overwrite_a_factor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
