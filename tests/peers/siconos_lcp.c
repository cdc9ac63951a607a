/* Linear complementarity problems against Siconos numerics: its Lemke and its Gauss-Seidel on the same problems, before
 * the same judge. Where Siconos itself does not get through there is nothing to compare; those are counted. */
#include "contact/lcp_help.h"
#include "support/bounds.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

enum { CASES = 1000 };

static lcp_case c;

/* Siconos' answer; false when it says or the judge finds that it is none. */
static bool solve_siconos(const pk_lcp *p, int solver, double *z, double *w)
{
  const size_t n = (size_t)p->n;
  NumericsMatrix *M = NM_create(NM_DENSE, p->n, p->n);
  double *q = malloc(n * sizeof *q);
  assert_true(M != NULL && q != NULL);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      M->matrix0[i + j * n] = p->M[i * n + j]; /* by columns */
    }
  }
  memcpy(q, p->q, n * sizeof *q);
  memset(z, 0, n * sizeof *z);
  memset(w, 0, n * sizeof *w);
  LinearComplementarityProblem *problem = newLCP();
  problem->size = p->n, problem->M = M, problem->q = q;
  SolverOptions *options = solver_options_create(solver);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  const int info = linearComplementarity_driver(problem, z, w, options);
  solver_options_delete(options);
  free(options);
  freeLinearComplementarityProblem(problem); /* with M and q */
  return info == 0 && pk_lcp_certify(p, z, w).relative <= 1e-9;
}

typedef enum kind { DEFINITE, UNSYMMETRIC, SEMIDEFINITE, COPOSITIVE, KINDS } kind;

static void make(pki_random *random, kind what, int k)
{
  lcp_begin(&c, lcp_size(random, k));
  const int n = c.p.n;
  lcp_add_gram(&c, random, what == DEFINITE || what == UNSYMMETRIC ? n : n / 2, false);
  if (what == DEFINITE || what == UNSYMMETRIC) {
    lcp_add_diagonal(&c, 0.1);
  }
  if (what == UNSYMMETRIC || what == COPOSITIVE) {
    lcp_add_skew(&c, random, 1);
  }
  lcp_random_q(&c, random);
  if (what == SEMIDEFINITE) { /* q = w - M z has a solution */
    double z[LCP_MAX];
    for (int i = 0; i < n; i++) {
      z[i] = fmax(c.q[i], 0), c.q[i] = fmax(-c.q[i], 0);
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        c.q[i] -= c.M[i * n + j] * z[j];
      }
    }
  }
}

/* w is unique for all kinds but the last, z for the first two. */
static void lemke_finds_what_siconos_lemke_finds(void **state)
{
  (void)state;
  static const char *const words[KINDS] = {"definite", "unsymmetric", "semidefinite", "copositive-plus"};
  pki_random random = pki_random_seeded(41);
  for (int what = 0; what < KINDS; what++) {
    int agree = 0, theirs_fails = 0, infeasible = 0;
    double worst = 0;
    for (int k = 0; k < CASES; k++) {
      double z[LCP_MAX], w[LCP_MAX];
      make(&random, (kind)what, k);
      const bool theirs = solve_siconos(&c.p, SICONOS_LCP_LEMKE, z, w);
      const lcp_answer a = lcp_solve(&c.p, PK_LCP_SOLVER_LEMKE);
      if (a.status != PK_OK) {
        assert_int_equal(what, COPOSITIVE);
        assert_int_equal(a.result.outcome, PK_LCP_OUTCOME_INFEASIBLE);
        assert_false(theirs); /* what is proven to have no solution nobody solves */
        infeasible++;
        continue;
      }
      theirs_fails += !theirs;
      if (theirs && what != COPOSITIVE) {
        worst = fmax(worst, lcp_apart(a.w, w, c.p.n));
        worst = what < SEMIDEFINITE ? fmax(worst, lcp_apart(a.z, z, c.p.n)) : worst;
      }
      agree += theirs;
    }
    print_message("  %s: %d agree to %.1e, Siconos fails on %d, %d have no solution\n", words[what], agree,
                  worst, theirs_fails, infeasible);
    assert_less(worst, 1e-8);
    assert_at_most(theirs_fails, CASES / 10); /* or nothing was checked */
  }
}

static void gauss_seidel_finds_what_siconos_gauss_seidel_finds(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(42);
  double worst = 0;
  int fails = 0;
  for (int k = 0; k < CASES; k++) {
    double z[LCP_MAX], w[LCP_MAX];
    make(&random, DEFINITE, k);
    const lcp_answer a = lcp_solve(&c.p, PK_LCP_SOLVER_PGS), d = lcp_solve(&c.p, PK_LCP_SOLVER_DANTZIG);
    assert_int_equal(a.status, PK_OK);
    assert_int_equal(d.status, PK_OK);
    if (solve_siconos(&c.p, SICONOS_LCP_PGS, z, w)) {
      worst = fmax(worst, fmax(lcp_apart(a.z, z, c.p.n), lcp_apart(d.z, z, c.p.n)));
    } else {
      fails++;
    }
  }
  print_message("  pgs: apart %.1e, Siconos fails on %d\n", worst, fails);
  assert_less(worst, 1e-7);
  assert_at_most(fails, CASES / 10);
}

int main(void)
{
  numerics_set_verbose(0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lemke_finds_what_siconos_lemke_finds),
      cmocka_unit_test(gauss_seidel_finds_what_siconos_gauss_seidel_finds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
