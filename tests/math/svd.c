/* Singular values of small matrices. */
#include "math/svd.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "support/bounds.h"

enum { MOST = 24 };

/* The largest entry of U^T U - 1, where U has columns scaled by S (NULL: not). */
static double off_orthogonal(const double *U, const double *S, int n)
{
  double worst = 0;
  for (int p = 0; p < n; p++) {
    for (int q = 0; q < n; q++) {
      double dot = 0;
      for (int i = 0; i < n; i++) {
        dot += U[i * n + p] * U[i * n + q];
      }
      dot /= S != NULL ? S[p] * S[q] : 1;
      worst = fmax(worst, fabs(dot - (p == q)));
    }
  }
  return worst;
}

static void factors_are_orthogonal_and_give_the_matrix_back(void **state)
{
  double A[MOST * MOST], U[MOST * MOST], V[MOST * MOST], S[MOST];
  (void)state;
  for (int n = 1; n <= MOST; n++) {
    pki_random random = pki_random_seeded((uint64_t)n);
    for (int i = 0; i < n * n; i++) {
      A[i] = U[i] = pki_random_between(&random, -1, 1);
    }
    assert_true(pki_svd(U, n, S, V));
    for (int i = 0; i < n * n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) {
        sum += U[i / n * n + k] * V[i % n * n + k];
      }
      assert_near(sum, A[i], 1e-13);
    }
    for (int k = 1; k < n; k++) {
      assert_at_most(S[k], S[k - 1]);
    }
    assert_less(off_orthogonal(U, S, n), 1e-12);
    assert_less(off_orthogonal(V, NULL, n), 1e-13);
  }
}

/* Rotations from both sides of diag(3, 1e-3, 1e-9): small values keep their digits (one-sided Jacobi). */
static void small_singular_values_keep_their_digits(void **state)
{
  const double c = cos(0.7), s = sin(0.7), d[3] = {3, 1e-3, 1e-9};
  /* columns of a rotation, scaled: columns are already orthogonal up to a permutation */
  double A[9] = {d[1] * c, -d[0] * s, 0, d[1] * s, d[0] * c, 0, 0, 0, d[2]}, V[9], S[3];
  (void)state;
  assert_true(pki_svd(A, 3, S, V));
  for (int k = 0; k < 3; k++) {
    assert_near(S[k] / d[k], 1, 1e-15);
  }
}

static void a_matrix_without_full_rank_has_zeros(void **state)
{
  double A[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1}, V[9], S[3];
  (void)state;
  assert_true(pki_svd(A, 3, S, V));
  assert_greater(S[1], 0.5);
  assert_less(S[2], 1e-15);
}

static void matrices_that_are_not_finite_are_refused(void **state)
{
  double A[4] = {1, INFINITY, 0, 1}, V[4], S[2];
  (void)state;
  assert_false(pki_svd(A, 2, S, V));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_are_orthogonal_and_give_the_matrix_back),
      cmocka_unit_test(small_singular_values_keep_their_digits),
      cmocka_unit_test(a_matrix_without_full_rank_has_zeros),
      cmocka_unit_test(matrices_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
