/* Eigenvalues and eigenvectors of real matrices without symmetry. */
#include "math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/bounds.h"

enum { MOST = 40 };

static void fill(double *A, int n, uint64_t seed)
{
  pki_random random = pki_random_seeded(seed);
  for (int i = 0; i < n * n; i++) {
    A[i] = pki_random_between(&random, -1, 1);
  }
}

/* The largest entry of A v - value v (left: of w^H A - value w^H) over all pairs. */
static double worst_residual(const double *A, const pki_eigen *e, bool left)
{
  const int n = e->n;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      double complex sum = 0;
      for (int j = 0; j < n; j++) {
        sum += left ? conj(e->left[k * n + j]) * A[j * n + i] : A[i * n + j] * e->right[k * n + j];
      }
      sum -= e->value[k] * (left ? conj(e->left[k * n + i]) : e->right[k * n + i]);
      worst = fmax(worst, cabs(sum));
    }
  }
  return worst;
}

static void pairs_satisfy_their_equations_to_rounding(void **state)
{
  double A[MOST * MOST];
  (void)state;
  for (int n = 1; n <= MOST; n++) {
    pki_eigen e;
    double complex trace = 0;
    fill(A, n, (uint64_t)n);
    assert_true(pki_eigen_compute(A, n, &e));
    for (int k = 0; k < n; k++) {
      trace += e.value[k] - A[k * n + k];
      assert_at_most(k > 0 ? cabs(e.value[k]) : 0, k > 0 ? cabs(e.value[k - 1]) * (1 + 1e-12) : 0);
    }
    /* a few rounding errors of the norm, which is about n / sqrt 3; vectors of close pairs lose what their condition says */
    assert_less(cabs(trace), 1e-14 * n * n);
    assert_less(worst_residual(A, &e, false), 1e-12);
    assert_less(worst_residual(A, &e, true), 1e-12);
    pki_eigen_free(&e);
  }
}

static void a_companion_matrix_has_the_roots_of_its_polynomial(void **state)
{
  /* (x - 3) (x + 2) (x^2 + 1) = x^4 - x^3 - 5 x^2 - x - 6 */
  const double A[16] = {1, 5, 1, 6, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  pki_eigen e;
  (void)state;
  assert_true(pki_eigen_compute(A, 4, &e));
  assert_less(cabs(e.value[0] - 3), 1e-14);
  assert_less(cabs(e.value[1] + 2), 1e-14);
  assert_less(cabs(e.value[2] - I), 1e-14);
  assert_less(cabs(e.value[3] + I), 1e-14);
  pki_eigen_free(&e);
}

static void zero_and_a_block_of_jordan_have_their_eigenvalues_though_no_basis(void **state)
{
  double A[9] = {0};
  pki_eigen e;
  (void)state;
  assert_true(pki_eigen_compute(A, 3, &e));
  assert_less(cabs(e.value[0]), 1e-300);
  pki_eigen_free(&e);
  A[0] = A[4] = A[8] = 0.5, A[1] = A[5] = 1;
  assert_true(pki_eigen_compute(A, 3, &e));
  /* a threefold eigenvalue moves by the third root of a rounding error */
  assert_less(cabs(e.value[0] - 0.5), 1e-4);
  assert_greater(pki_eigen_condition(&e, 0), 1e6);
  pki_eigen_free(&e);
}

static void a_changed_entry_moves_eigenvalues_as_was_predicted(void **state)
{
  enum { N = 12 };
  const double small = 1e-7;
  double A[N * N], E[N * N];
  pki_eigen a, b;
  (void)state;
  fill(A, N, 77);
  assert_true(pki_eigen_compute(A, N, &a));
  for (int i = 0; i < N * N; i++) {
    memset(E, 0, sizeof E);
    E[i] = small;
    A[i] += small;
    assert_true(pki_eigen_compute(A, N, &b));
    A[i] -= small;
    for (int k = 0; k < N; k++) {
      /* second-order terms are of the size of small^2 times conditions and gaps */
      assert_near(pki_eigen_spread(&a, k, E), cabs(b.value[k] - a.value[k]), 1e-11);
      assert_at_least(pki_eigen_condition(&a, k), 1 - 1e-12);
    }
    pki_eigen_free(&b);
  }
  pki_eigen_free(&a);
}

static void matrices_that_are_not_finite_are_refused(void **state)
{
  const double A[4] = {1, NAN, 0, 1};
  pki_eigen e;
  (void)state;
  assert_false(pki_eigen_compute(A, 2, &e));
  pki_eigen_free(&e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_satisfy_their_equations_to_rounding),
      cmocka_unit_test(a_companion_matrix_has_the_roots_of_its_polynomial),
      cmocka_unit_test(zero_and_a_block_of_jordan_have_their_eigenvalues_though_no_basis),
      cmocka_unit_test(a_changed_entry_moves_eigenvalues_as_was_predicted),
      cmocka_unit_test(matrices_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
