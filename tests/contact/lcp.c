/* Linear complementarity problems of every class that a solver promises something for. */
#include "contact/lcp_help.h"

#include "math/lu.h"
#include "support/bounds.h"
#include "support/pace.h"

enum { CASES = PACE(10000, 500) };

static lcp_case c;

static void assert_solved(const lcp_answer *a, const char *who, int k)
{
  if (a->status != PK_OK) {
    fail_msg("case %d of size %d: %s ended with '%s', residual %g", k, c.p.n, who,
             pk_lcp_outcome_text(a->result.outcome), a->result.certificate.relative);
  }
}

static void assert_close(double apart, double bound, const char *what, int k)
{
  if (!(apart <= bound)) {
    fail_msg("case %d of size %d: %s are %g apart, expected %g", k, c.p.n, what, apart, bound);
  }
}

/* The answer by trying all 2^n sets of rows with w = 0, in 2^n linear systems; false when none fits. */
static bool enumerate(const pk_lcp *p, double *z)
{
  const int n = p->n;
  for (unsigned set = 0; set < 1u << n; set++) {
    double T[36], w;
    int pivot[6];
    bool good = true;
    for (int i = 0; i < n; i++) {
      const bool inner = set >> i & 1;
      for (int j = 0; j < n; j++) {
        T[i * n + j] = inner ? p->M[i * n + j] : (double)(i == j);
      }
      z[i] = inner ? -p->q[i] : 0;
    }
    if (!pki_lu_factor(T, n, pivot)) {
      continue;
    }
    pki_lu_solve(T, n, pivot, z);
    for (int i = 0; i < n; i++) {
      w = p->q[i];
      for (int j = 0; j < n; j++) {
        w += p->M[i * n + j] * z[j];
      }
      good = good && z[i] >= -1e-12 && z[i] < 1e9 && w >= -1e-12; /* beyond: of a singular T */
    }
    if (good) {
      return true;
    }
  }
  return false;
}

static void all_solvers_agree_on_symmetric_positive_definite_problems(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(1);
  double worst[2] = {0, 0};
  for (int k = 0; k < CASES; k++) {
    lcp_begin(&c, lcp_size(&random, k));
    lcp_add_gram(&c, &random, c.p.n, false);
    lcp_add_diagonal(&c, 0.1);
    lcp_random_q(&c, &random);
    const lcp_answer l = lcp_solve(&c.p, PK_LCP_SOLVER_LEMKE), d = lcp_solve(&c.p, PK_LCP_SOLVER_DANTZIG),
                     g = lcp_solve(&c.p, PK_LCP_SOLVER_PGS);
    assert_solved(&l, "lemke", k);
    assert_solved(&d, "dantzig", k);
    assert_solved(&g, "pgs", k);
    assert_close(lcp_apart(l.z, d.z, c.p.n), 1e-12, "lemke and dantzig", k); /* to rounding */
    assert_close(lcp_apart(l.z, g.z, c.p.n), 1e-8, "lemke and pgs", k);
    worst[0] = fmax(worst[0], lcp_apart(l.z, d.z, c.p.n));
    worst[1] = fmax(worst[1], lcp_apart(l.z, g.z, c.p.n));
  }
  print_message("  definite: lemke and dantzig apart %.1e, lemke and pgs %.1e\n", worst[0], worst[1]);
}

static void make_P(pki_random *random, int k)
{
  lcp_begin(&c, lcp_size(random, k));
  const int n = c.p.n;
  if (k % 2 == 0) { /* positive definite plus skew */
    lcp_add_gram(&c, random, n, false);
    lcp_add_diagonal(&c, 0.05);
    lcp_add_skew(&c, random, 3);
  } else { /* rows dominated by a positive diagonal */
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) {
        c.M[i * n + j] = pki_random_normal(random);
        sum += i == j ? 0 : fabs(c.M[i * n + j]);
      }
      c.M[i * (n + 1)] = sum * 1.01 + 0.01;
    }
  }
  lcp_random_q(&c, random);
}

static void the_pivoting_solvers_agree_on_P_matrices_and_pgs_is_honest(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(2);
  int converged = 0, not = 0;
  double worst = 0;
  for (int k = 0; k < CASES; k++) {
    make_P(&random, k);
    const lcp_answer l = lcp_solve(&c.p, PK_LCP_SOLVER_LEMKE), d = lcp_solve(&c.p, PK_LCP_SOLVER_DANTZIG);
    pk_lcp_options o = pk_lcp_options_default();
    o.solver = PK_LCP_SOLVER_PGS, o.tolerance = 1e-12, o.max_iterations = 500;
    const lcp_answer g = lcp_solve_with(&c.p, o);
    assert_solved(&l, "lemke", k);
    assert_solved(&d, "dantzig", k);
    assert_close(lcp_apart(l.z, d.z, c.p.n), 1e-10, "lemke and dantzig", k);
    worst = fmax(worst, lcp_apart(l.z, d.z, c.p.n));
    if (g.status == PK_OK) {
      assert_close(lcp_apart(l.z, g.z, c.p.n), 1e-8, "lemke and pgs", k);
    } else {
      assert_greater(g.result.certificate.relative, 1e-12);
    }
    converged += g.status == PK_OK, not += g.status != PK_OK;
    double z[6];
    if (c.p.n <= 6) {
      assert_true(enumerate(&c.p, z));
      assert_close(lcp_apart(l.z, z, c.p.n), 1e-10, "lemke and enumeration", k);
    }
  }
  print_message("  P: lemke and dantzig apart %.1e; pgs converged %d times, %d times not\n", worst, converged,
                not );
  assert_greater(converged, CASES / 4);
  assert_greater(not, CASES / 100); /* both were seen */
}

/* A problem with a known answer: q = w - M z, z and w complementary; some rows have both zero. */
static void plant(pki_random *random, bool integers)
{
  const int n = c.p.n;
  double z[LCP_MAX], w[LCP_MAX];
  for (int i = 0; i < n; i++) {
    const double side = pki_random_unit(random);
    const double value = integers ? floor(pki_random_between(random, 1, 4)) : pki_random_unit(random);
    z[i] = side < 0.4 ? value : 0;
    w[i] = side > 0.6 ? value : 0;
  }
  for (int i = 0; i < n; i++) {
    c.q[i] = w[i];
    for (int j = 0; j < n; j++) {
      c.q[i] -= c.M[i * n + j] * z[j];
    }
  }
}

static void w_agrees_on_symmetric_semidefinite_problems(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(3);
  int converged = 0;
  double worst[2] = {0, 0};
  for (int k = 0; k < CASES; k++) {
    lcp_begin(&c, lcp_size(&random, k));
    lcp_add_gram(&c, &random, (int)(pki_random_unit(&random) * c.p.n), k % 3 == 0);
    plant(&random, k % 3 == 0);
    const lcp_answer l = lcp_solve(&c.p, PK_LCP_SOLVER_LEMKE), d = lcp_solve(&c.p, PK_LCP_SOLVER_DANTZIG),
                     g = lcp_solve(&c.p, PK_LCP_SOLVER_PGS);
    assert_solved(&l, "lemke", k);
    assert_solved(&d, "dantzig", k);
    assert_close(lcp_apart(l.w, d.w, c.p.n), 1e-8, "w of lemke and dantzig", k);
    worst[0] = fmax(worst[0], lcp_apart(l.w, d.w, c.p.n));
    if (g.status == PK_OK) {
      converged++;
      assert_close(lcp_apart(l.w, g.w, c.p.n), 1e-5, "w of lemke and pgs", k);
      worst[1] = fmax(worst[1], lcp_apart(l.w, g.w, c.p.n));
    }
  }
  print_message("  semidefinite: w of lemke and dantzig apart %.1e, of lemke and pgs %.1e (%d converged)\n",
                worst[0], worst[1], converged);
  assert_greater(converged, CASES / 2);
}

/* v >= 0, M'v <= 0, q'v < 0, with sums of its own. */
static void assert_proof(const double *v, int k)
{
  const int n = c.p.n;
  long double qv = 0, size = 0;
  for (int i = 0; i < n; i++) {
    long double sum = 0, moduli = 0;
    for (int j = 0; j < n; j++) {
      sum += (long double)c.M[j * n + i] * v[j];
      moduli += fabsl((long double)c.M[j * n + i] * v[j]);
    }
    if (!(v[i] >= 0) || !(sum <= 1e-11L * moduli)) {
      fail_msg("case %d: v[%d] is %g, (M'v)[%d] is %Lg", k, i, v[i], i, sum);
    }
    qv += (long double)c.q[i] * v[i], size += fabsl((long double)c.q[i] * v[i]);
  }
  assert_less(qv, -1e-12L * size);
}

/* Sums of copositive-plus matrices are such: semidefinite, skew, and not negative with a positive diagonal on a
 * block. */
static void make_copositive(pki_random *random, int k)
{
  lcp_begin(&c, lcp_size(random, k));
  const int n = c.p.n, block = k % 4 == 1 ? (int)(pki_random_unit(random) * n) : 0;
  lcp_add_gram(&c, random, k % 4 == 0 ? 0 : (int)(pki_random_unit(random) * n / 2), k % 3 == 0);
  if (k % 2 == 0) {
    lcp_add_skew(&c, random, 1);
  }
  for (int i = 0; i < block; i++) {
    for (int j = 0; j < block; j++) {
      c.M[i * n + j] += i == j ? 0.1 + pki_random_unit(random) : pki_random_unit(random);
    }
  }
  lcp_random_q(&c, random);
}

static void lemke_solves_copositive_plus_problems_or_proves_that_nobody_can(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(4);
  int solved = 0, infeasible = 0;
  for (int k = 0; k < CASES; k++) {
    make_copositive(&random, k);
    const lcp_answer l = lcp_solve(&c.p, PK_LCP_SOLVER_LEMKE);
    if (l.status == PK_OK) {
      solved++;
      continue;
    }
    if (l.result.outcome != PK_LCP_OUTCOME_INFEASIBLE) {
      assert_solved(&l, "lemke", k);
    }
    assert_true(l.has_ray);
    assert_proof(l.ray, k);
    infeasible++;
    double z[6];
    assert_true(c.p.n > 6 || !enumerate(&c.p, z));
  }
  print_message("  copositive-plus: %d solved, %d proven infeasible\n", solved, infeasible);
  assert_greater(solved, CASES / 10);
  assert_greater(infeasible, CASES / 10);
}

static void a_solver_that_is_none_and_memory_that_is_not_aligned_are_refused(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(5);
  make_copositive(&random, 0);
  pk_lcp_options o = pk_lcp_options_default();
  unsigned char *memory = pki_aligned_alloc(pk_lcp_solve_memsize(&c.p, &o) + 64);
  double z[LCP_MAX];
  pk_lcp_result result;
  z[0] = 7;
  assert_int_equal(pk_lcp_solve(&c.p, &o, z, memory + 8, &result), PK_ERROR_ARGUMENT);
  assert_true(isinf(result.certificate.relative) && result.ray == NULL);
  assert_int_equal(pk_lcp_solve(&c.p, &o, z, NULL, &result), PK_ERROR_ARGUMENT);
  o.solver = PK_LCP_SOLVER_COUNT;
  assert_int_equal(pk_lcp_solve_memsize(&c.p, &o), 0);
  assert_int_equal(pk_lcp_solve(&c.p, &o, z, memory, &result), PK_ERROR_ARGUMENT);
  assert_true(z[0] == 7);
  pki_aligned_free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solvers_agree_on_symmetric_positive_definite_problems),
      cmocka_unit_test(the_pivoting_solvers_agree_on_P_matrices_and_pgs_is_honest),
      cmocka_unit_test(w_agrees_on_symmetric_semidefinite_problems),
      cmocka_unit_test(lemke_solves_copositive_plus_problems_or_proves_that_nobody_can),
      cmocka_unit_test(a_solver_that_is_none_and_memory_that_is_not_aligned_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
