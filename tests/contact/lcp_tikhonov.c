/* Regularised problems are solved as such and judged as what they were given for. */
#include "contact/lcp_help.h"
#include "support/bounds.h"

static lcp_case c;

static lcp_answer solve_with(pk_lcp_solver solver, double regularisation)
{
  pk_lcp_options o = pk_lcp_options_default();
  o.solver = solver, o.regularisation = regularisation;
  return lcp_solve_with(&c.p, o);
}

static void set_problem(int n, const double *M, const double *q)
{
  c.p = (pk_lcp){.n = n, .M = c.M, .q = c.q};
  memcpy(c.M, M, (size_t)(n * n) * sizeof *M);
  memcpy(c.q, q, (size_t)n * sizeof *q);
}

/* Two rows that are one: z_1 + z_2 = 1 is all that is asked. With r on the diagonal both are 1/(2 + r), half of what the shortest
 * answer has as r goes to zero, and w = -r/(2 + r) in the problem given. */
static void dependent_rows_share_evenly(void **state)
{
  (void)state;
  static const double M[4] = {1, 1, 1, 1}, q[2] = {-1, -1};
  set_problem(2, M, q);
  for (int solver = 0; solver < PK_LCP_SOLVER_COUNT; solver++) {
    for (double r = 1; r > 1e-7; r *= 0.1) {
      const lcp_answer a = solve_with((pk_lcp_solver)solver, r);
      const double residual = r / (2 + r);
      if (solver == PK_LCP_SOLVER_PGS && r < 1e-3) {
        continue; /* sweeps share evenly the slower the smaller r is */
      }
      assert_near(a.z[0], 1 / (2 + r), (solver == PK_LCP_SOLVER_PGS ? 1e-8 : 1e-15) * (2 + 2 / r));
      assert_near(a.z[0] + a.z[1], 2 / (2 + r), 2e-8);
      assert_at_most(a.result.regularised.relative, 1e-8);
      assert_near(a.result.certificate.residual, residual, 3e-8);
      assert_int_equal(a.result.outcome, a.result.certificate.relative <= 1e-8 ? PK_LCP_OUTCOME_SOLVED
                                                                               : PK_LCP_OUTCOME_REGULARISED);
    }
  }
}

/* Nothing solves 0 z - 1 >= 0. What is solved in its place has an answer, which is not called one of the problem. */
static void what_has_no_answer_is_never_certified(void **state)
{
  (void)state;
  static const double M[1] = {0}, q[1] = {-1};
  set_problem(1, M, q);
  assert_int_equal(solve_with(PK_LCP_SOLVER_LEMKE, 0).result.outcome, PK_LCP_OUTCOME_INFEASIBLE);
  for (int solver = 0; solver < PK_LCP_SOLVER_COUNT; solver++) {
    for (double r = 1e3; r > 1e-6; r *= 0.1) {
      const lcp_answer a = solve_with((pk_lcp_solver)solver, r);
      assert_int_equal(a.result.outcome, PK_LCP_OUTCOME_REGULARISED);
      assert_int_equal(a.status, PK_ERROR_CONVERGENCE);
      assert_near(a.z[0] * r, 1, 1e-8);
      assert_near(a.result.certificate.residual, 1, 1e-12);
      assert_at_most(a.result.regularised.relative, 1e-8);
      assert_null(a.result.ray);
    }
  }
}

/* M = B B' of low rank, with boxes now and then. */
static void random_problem(pki_random *random, int k)
{
  const int n = 1 + k % 12, rank = 1 + k % 4;
  double B[12 * 4];
  c.p = (pk_lcp){.n = n, .M = c.M, .q = c.q};
  for (int i = 0; i < n * rank; i++) {
    B[i] = pki_random_between(random, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    c.q[i] = pki_random_between(random, -1, 1);
    c.lower[i] = k % 3 == 0 ? -pki_random_unit(random) : 0;
    c.upper[i] = k % 3 == 0 ? pki_random_unit(random) : INFINITY;
    for (int j = 0; j < n; j++) {
      c.M[i * n + j] = 0;
      for (int e = 0; e < rank; e++) {
        c.M[i * n + j] += B[i * rank + e] * B[j * rank + e];
      }
    }
  }
  if (k % 3 == 0) {
    c.p.lower = c.lower, c.p.upper = c.upper;
  }
}

/* Semidefinite M and any q: with r there always is an answer, and the residual of the problem given is within its bound. */
static void the_residual_of_the_given_problem_is_bounded(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(24);
  int regularised = 0, solved = 0;
  for (int k = 0; k < 3000; k++) {
    const double r = pow(10, pki_random_between(&random, -4, 0));
    random_problem(&random, k);
    for (int solver = 0; solver < PK_LCP_SOLVER_PGS; solver++) {
      const lcp_answer a = solve_with((pk_lcp_solver)solver, r);
      double most = 0;
      for (int i = 0; i < c.p.n; i++) {
        most = fmax(most, fabs(a.z[i]));
      }
      assert_at_most(a.result.regularised.relative, 1e-8);
      assert_at_most(a.result.certificate.residual,
                     a.result.regularised.residual + r * most + 1e-12); /* and rounding */
      regularised += a.result.outcome == PK_LCP_OUTCOME_REGULARISED;
      solved += a.result.outcome == PK_LCP_OUTCOME_SOLVED; /* z = 0 or at bounds: r changes nothing */
    }
  }
  print_message("  %d solved as regularised, %d solved\n", regularised, solved);
  assert_int_equal(regularised + solved, 6000);
  assert_greater(regularised, 3000);
  assert_greater(solved, 100);
}

/* Without it nothing changes; what is no number, or negative, is refused. */
static void zero_is_none(void **state)
{
  (void)state;
  static const double M[4] = {2, 1, 1, 2}, q[2] = {-5, -6};
  set_problem(2, M, q);
  const lcp_answer a = solve_with(PK_LCP_SOLVER_LEMKE, 0);
  assert_int_equal(a.result.outcome, PK_LCP_OUTCOME_SOLVED);
  assert_true(a.result.regularised.residual == a.result.certificate.residual);
  static const double bad[] = {-1, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(solve_with(PK_LCP_SOLVER_LEMKE, bad[i]).status, PK_ERROR_NONFINITE);
    pk_lcp_options o = pk_lcp_options_default();
    o.regularisation = bad[i];
    assert_int_equal(pk_lcp_options_validate(&o, NULL), PK_ERROR_ARGUMENT);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dependent_rows_share_evenly),
      cmocka_unit_test(what_has_no_answer_is_never_certified),
      cmocka_unit_test(the_residual_of_the_given_problem_is_bounded),
      cmocka_unit_test(zero_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
