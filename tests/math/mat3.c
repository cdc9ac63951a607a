/* Matrices and quaternions of plain doubles: round trips, half turns, known eigenvalues. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "support/bounds.h"

static double worst_difference(const double *a, const double *b, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    worst = isnan(a[i]) || isnan(b[i]) ? INFINITY : worst;
  }
  return worst;
}

static void assert_close(const double *a, const double *b, int n, double tolerance)
{
  const double worst = worst_difference(a, b, n);
  if (!(worst <= tolerance)) {
    fail_msg("differs by %g, more than %g", worst, tolerance);
  }
}

static void random_rotation(pki_random *rng, double R[9])
{
  double q[4];
  pki_random_quaternion(rng, q);
  pki_quat_to_mat3(q, R);
}

static void products_may_overwrite_their_factors(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  double A[9], B[9], v[3], AB[9], Av[3], Atv[3], T[9], x[9];
  for (int i = 0; i < 9; i++) {
    A[i] = pki_random_normal(&rng), B[i] = pki_random_normal(&rng), v[i % 3] = pki_random_normal(&rng);
  }
  pki_mat3_mul(A, B, AB);
  pki_mat3_apply(A, v, Av);
  pki_mat3_apply_transposed(A, v, Atv);
  pki_mat3_transpose(A, T);
  for (int i = 0; i < 3; i++) {
    double sum = 0, transposed = 0;
    for (int k = 0; k < 3; k++) {
      sum += A[3 * i + k] * v[k];
      transposed += A[3 * k + i] * v[k];
      double entry = 0;
      for (int e = 0; e < 3; e++) {
        entry += A[3 * i + e] * B[3 * e + k];
      }
      assert_close(&entry, &AB[3 * i + k], 1, 1e-15);
      assert_true(T[3 * i + k] == A[3 * k + i]);
    }
    assert_close(&sum, &Av[i], 1, 1e-15);
    assert_close(&transposed, &Atv[i], 1, 1e-15);
  }
  memcpy(x, A, sizeof x), pki_mat3_mul(x, B, x), assert_memory_equal(x, AB, sizeof x);
  memcpy(x, B, sizeof x), pki_mat3_mul(A, x, x), assert_memory_equal(x, AB, sizeof x);
  memcpy(x, A, sizeof x), pki_mat3_transpose(x, x), assert_memory_equal(x, T, sizeof x);
  memcpy(x, v, sizeof v), pki_mat3_apply(A, x, x), assert_memory_equal(x, Av, sizeof v);
  memcpy(x, v, sizeof v), pki_mat3_apply_transposed(A, x, x), assert_memory_equal(x, Atv, sizeof v);
  double cross[3];
  pki_cross3(A, v, cross);
  memcpy(x, v, sizeof v), pki_cross3(A, x, x), assert_memory_equal(x, cross, sizeof v);
  const double orthogonal[2] = {pki_dot3(cross, A), pki_dot3(cross, v)}, zero[2] = {0, 0};
  assert_close(orthogonal, zero, 2, 1e-15);
}

/* A quaternion turns vectors as Rodrigues says. */
static void a_quaternion_turns_about_its_axis(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  for (int round = 0; round < 1000; round++) {
    double n[3], v[3];
    for (int i = 0; i < 3; i++) {
      n[i] = pki_random_normal(&rng), v[i] = pki_random_normal(&rng);
    }
    const double norm = sqrt(pki_dot3(n, n)), angle = pki_random_between(&rng, -3.2, 3.2);
    const double length = pki_random_between(&rng, 0.1, 10); /* of the quaternion: does not count */
    for (int i = 0; i < 3; i++) {
      n[i] /= norm;
    }
    const double s = length * sin(angle / 2);
    const double q[4] = {length * cos(angle / 2), s * n[0], s * n[1], s * n[2]};
    double R[9], turned[3], expected[3], cross[3];
    pki_quat_to_mat3(q, R);
    pki_mat3_apply(R, v, turned);
    pki_cross3(n, v, cross);
    for (int i = 0; i < 3; i++) {
      expected[i] = v[i] * cos(angle) + cross[i] * sin(angle) + n[i] * pki_dot3(n, v) * (1 - cos(angle));
    }
    assert_close(turned, expected, 3, 5e-15);
  }
}

static void expect_round_trip(const double R[9])
{
  double q[4], back[9];
  pki_quat_from_mat3(R, q);
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  assert_less(fabs(norm - 1), 5e-16);
  assert_at_least(q[0], 0);
  pki_quat_to_mat3(q, back);
  assert_close(back, R, 9, 2e-15);
}

static void rotations_survive_the_way_through_quaternions(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  for (int round = 0; round < 10000; round++) {
    double q[4], R[9], back[4];
    pki_random_quaternion(&rng, q);
    pki_quat_to_mat3(q, R);
    expect_round_trip(R);
    pki_quat_from_mat3(R, back);
    const double sign = q[0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
      q[i] *= sign;
    }
    assert_close(back, q, 4, 2e-15);
  }
}

/* Each component in turn is the largest by far, alone, or level with another. */
static void every_branch_of_shepperds_method_is_exact(void **state)
{
  (void)state;
  static const double cases[][4] = {{1, 0, 0, 0},   {0, 1, 0, 0},       {0, 0, 1, 0},        {0, 0, 0, 1},
                                    {1, 1, 0, 0},   {1, 0, 1, 0},       {1, 0, 0, 1},        {0, 1, 1, 0},
                                    {0, 1, 0, 1},   {0, 0, 1, 1},       {1, 1, 1, 1},        {0.1, 5, 1, -2},
                                    {0.1, 1, 5, 2}, {0.1, 1, -2, 5},    {5, 1, -2, 0.1},     {1e-9, 1, 0, 0},
                                    {0, 3, -4, 0},  {1e-200, 0, 0, -1}, {1e-8, 1, 1e-8, -1}, {0, -1, 2, -3}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double R[9], q[4], expected[4];
    pki_quat_to_mat3(cases[k], R);
    expect_round_trip(R);
    pki_quat_from_mat3(R, q);
    double dot = 0, norm = 0;
    for (int i = 0; i < 4; i++) {
      dot += q[i] * cases[k][i], norm += cases[k][i] * cases[k][i];
    }
    /* a half turn may come back about the opposite axis */
    for (int i = 0; i < 4; i++) {
      expected[i] = (dot < 0 ? -1 : 1) * cases[k][i] / sqrt(norm);
    }
    assert_close(q, expected, 4, 1e-15);
  }
}

static void half_turns_have_no_real_part(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int round = 0; round < 1000; round++) {
    /* R = 2 n n' - 1 */
    double n[3], R[9], q[4];
    for (int i = 0; i < 3; i++) {
      n[i] = round < 3 ? i == round : pki_random_normal(&rng);
    }
    const double norm = sqrt(pki_dot3(n, n));
    for (int e = 0; e < 9; e++) {
      R[e] = 2 * n[e / 3] * n[e % 3] / (norm * norm) - (e % 4 == 0);
    }
    pki_quat_from_mat3(R, q);
    const double sign = pki_dot3(q + 1, n) < 0 ? -1 : 1;
    const double expected[4] = {0, sign * n[0] / norm, sign * n[1] / norm, sign * n[2] / norm};
    assert_close(q, expected, 4, 1e-15);
  }
}

static void a_rotated_tensor_keeps_its_invariants(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int round = 0; round < 1000; round++) {
    double s[6], R[9], t[6], S[9], T[9], full[9], Rt[9];
    for (int i = 0; i < 6; i++) {
      s[i] = pki_random_normal(&rng);
    }
    random_rotation(&rng, R);
    pki_sym3_rotate(R, s, t);
    /* T R = R S */
    pki_mat3_from_sym(s, S);
    pki_mat3_from_sym(t, T);
    pki_mat3_mul(T, R, full);
    pki_mat3_mul(R, S, T);
    assert_close(full, T, 9, 1e-14);
    const double trace[2] = {s[0] + s[3] + s[5], t[0] + t[3] + t[5]};
    assert_close(&trace[0], &trace[1], 1, 1e-14);
    pki_mat3_transpose(R, Rt);
    pki_sym3_rotate(Rt, t, t); /* in place, and back */
    assert_close(t, s, 6, 1e-14);
  }
}

static void expect_eigenvalues(const double s[6], double least, double middle, double most, double tolerance)
{
  const double expected[3] = {least, middle, most};
  double found[3];
  pki_sym3_eigenvalues(s, found);
  assert_close(found, expected, 3, tolerance);
}

static void known_matrices_have_known_eigenvalues(void **state)
{
  (void)state;
  expect_eigenvalues((double[]){3, 0, 0, 1, 0, 2}, 1, 2, 3, 1e-15);
  expect_eigenvalues((double[]){-3, 0, 0, 1, 0, 2}, -3, 1, 2, 2e-15);
  /* second differences: 2 - sqrt(2), 2, 2 + sqrt(2) */
  expect_eigenvalues((double[]){2, -1, 0, 2, -1, 2}, 2 - sqrt(2), 2, 2 + sqrt(2), 2e-15);
  expect_eigenvalues((double[]){0, 1, 0, 0, 0, 0}, -1, 0, 1, 1e-15);
  expect_eigenvalues((double[]){1, 2, 0, 1, 0, 7}, -1, 3, 7, 4e-15);
  expect_eigenvalues((double[]){0, 0, 0, 0, 0, 0}, 0, 0, 0, 0);
}

static void repeated_eigenvalues_are_found(void **state)
{
  (void)state;
  expect_eigenvalues((double[]){5, 0, 0, 5, 0, 5}, 5, 5, 5, 0);
  expect_eigenvalues((double[]){1, 0, 0, 1, 0, 2}, 1, 1, 2, 1e-15);
  expect_eigenvalues((double[]){1, 0, 0, 2, 0, 2}, 1, 2, 2, 1e-15);
  /* all ones: 0, 0, 3 */
  expect_eigenvalues((double[]){1, 1, 1, 1, 1, 1}, 0, 0, 3, 1e-15);
  pki_random rng = pki_random_seeded(6);
  for (int round = 0; round < 1000; round++) {
    double R[9], s[6];
    random_rotation(&rng, R);
    const double twice = pki_random_between(&rng, -2, 2), once = pki_random_between(&rng, -2, 2);
    pki_sym3_rotate(R, (double[]){twice, 0, 0, twice, 0, once}, s);
    expect_eigenvalues(s, fmin(once, twice), twice, fmax(once, twice), 3e-15);
  }
}

static void tiny_off_diagonals_change_nothing_and_spoil_nothing(void **state)
{
  (void)state;
  for (double tiny = 1e-8; tiny > 1e-320; tiny *= 1e-3) {
    expect_eigenvalues((double[]){3, tiny, -tiny, 1, tiny, 2}, 1, 2, 3, 2e-15);
    expect_eigenvalues((double[]){1, tiny, tiny, 1, tiny, 1}, 1, 1, 1, 4 * tiny + 1e-15);
    expect_eigenvalues((double[]){0, tiny, 0, 0, 0, 0}, -tiny, 0, tiny, 2e-16 * tiny);
  }
}

static void eigenvalues_solve_the_characteristic_polynomial(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  for (int round = 0; round < 10000; round++) {
    double s[6], w[3];
    for (int i = 0; i < 6; i++) {
      s[i] = pki_random_between(&rng, -1, 1);
    }
    pki_sym3_eigenvalues(s, w);
    assert_at_most(w[0], w[1]);
    assert_at_most(w[1], w[2]);
    for (int k = 0; k < 3; k++) {
      const double a = s[0] - w[k], b = s[3] - w[k], c = s[5] - w[k];
      const double det =
          a * (b * c - s[4] * s[4]) - s[1] * (s[1] * c - s[4] * s[2]) + s[2] * (s[1] * s[4] - b * s[2]);
      assert_less(fabs(det), 1e-13);
    }
    const double sums[2] = {w[0] + w[1] + w[2], s[0] + s[3] + s[5]};
    assert_close(&sums[0], &sums[1], 1, 1e-14);
  }
}

static void eigenvalues_follow_the_scale_to_the_ends_of_the_range(void **state)
{
  (void)state;
  static const double scales[] = {1e-300, 1e-170, 1e-100, 1e100, 1e170, 1e300};
  for (int k = 0; k < 6; k++) {
    const double x = scales[k];
    expect_eigenvalues((double[]){2 * x, -x, 0, 2 * x, -x, 2 * x}, (2 - sqrt(2)) * x, 2 * x,
                       (2 + sqrt(2)) * x, 2e-15 * x);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_may_overwrite_their_factors),
      cmocka_unit_test(a_quaternion_turns_about_its_axis),
      cmocka_unit_test(rotations_survive_the_way_through_quaternions),
      cmocka_unit_test(every_branch_of_shepperds_method_is_exact),
      cmocka_unit_test(half_turns_have_no_real_part),
      cmocka_unit_test(a_rotated_tensor_keeps_its_invariants),
      cmocka_unit_test(known_matrices_have_known_eigenvalues),
      cmocka_unit_test(repeated_eigenvalues_are_found),
      cmocka_unit_test(tiny_off_diagonals_change_nothing_and_spoil_nothing),
      cmocka_unit_test(eigenvalues_solve_the_characteristic_polynomial),
      cmocka_unit_test(eigenvalues_follow_the_scale_to_the_ends_of_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
