/* The judge on impulses with known answers, and every solver before the judge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/random.h"
#include "contact/linear/block.h"
#include "contact/solvers/solver.h"
#include "support/bounds.h"

enum { N_MAX = 90, U_MAX = 40 };

/* A dense problem W = J inv(M) J' with random directions: semidefinite when rows exceed velocities. */
typedef struct test_problem {
  pk_contact_problem p;
  double W[N_MAX * N_MAX], q[N_MAX], mu[N_MAX], lower[N_MAX], upper[N_MAX];
  pk_contact_factor factor;
  int count[N_MAX], col[N_MAX * U_MAX];
  double Y[N_MAX * U_MAX], weight[U_MAX], extra[N_MAX];
} test_problem;

/* The same directions as the factor of W, [n] rows of nu. */
static void make_factor(test_problem *t, int n, int nu, double J[N_MAX][U_MAX])
{
  for (int i = 0; i < n; i++) {
    t->count[i] = nu, t->extra[i] = 0;
    for (int k = 0; k < nu; k++) {
      t->col[i * nu + k] = k, t->Y[i * nu + k] = J[i][k], t->weight[k] = 1.0 / (1 + k);
    }
  }
  t->factor = (pk_contact_factor){.n = nu,
                                  .stride = nu,
                                  .count = t->count,
                                  .col = t->col,
                                  .Y = t->Y,
                                  .weight = t->weight,
                                  .extra = t->extra};
}

static void make_problem(pki_random *rng, int nc, int nb, int nx, int nu, double mu, test_problem *t)
{
  static double J[N_MAX][U_MAX];
  const int n = 3 * nc + nb + nx;
  double u[U_MAX];
  assert_at_most(n, N_MAX);
  assert_at_most(nu, U_MAX);
  for (int k = 0; k < nu; k++) {
    u[k] = pki_random_between(rng, -1, 1);
  }
  for (int i = 0; i < n; i++) {
    t->q[i] = 0;
    for (int k = 0; k < nu; k++) {
      J[i][k] = pki_random_between(rng, -1, 1);
      t->q[i] += J[i][k] * u[k];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < nu; k++) {
        sum += J[i][k] * J[j][k] / (1 + k);
      }
      t->W[i * n + j] = sum;
    }
  }
  for (int i = 0; i < nc; i++) {
    t->mu[i] = mu;
  }
  for (int i = 0; i < nx; i++) {
    t->lower[i] = -pki_random_unit(rng);
    t->upper[i] = pki_random_unit(rng);
  }
  t->p = (pk_contact_problem){.ncontact = nc,
                              .nbilateral = nb,
                              .nbox = nx,
                              .W = t->W,
                              .q = t->q,
                              .mu = t->mu,
                              .lower = t->lower,
                              .upper = t->upper,
                              .factor = &t->factor};
  make_factor(t, n, nu, J);
  pk_error err = {.message = ""};
  assert_int_equal(pk_contact_validate(&t->p, &err), PK_OK);
}

static pk_solver_result solve(const pk_contact_problem *p, pk_solver solver, double tolerance, double *r)
{
  pk_solver_options o = pk_solver_options_default();
  o.solver = solver, o.tolerance = tolerance;
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, &o));
  pk_solver_result result;
  const pk_status status = pk_contact_solve(p, &o, r, memory, &result);
  assert_int_equal(status == PK_OK, result.certificate.relative <= tolerance);
  pki_aligned_free(memory);
  return result;
}

/* One contact, W = 1, mu = 0.5: the four cases of Coulomb's law. */
static void the_judge_accepts_each_case_of_the_law_and_nothing_else(void **state)
{
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.5;
  const struct {
    double q[3], r[3];
  } good[] = {
      {{1, 5, -5}, {0, 0, 0}},           /* opens, however it slides */
      {{-1, 0.3, 0.2}, {1, -0.3, -0.2}}, /* sticks */
      {{-1, 3, 4}, {1, -0.3, -0.4}},     /* slides against 3, 4 */
      {{0, 1, 0}, {0, 0, 0}},            /* grazes */
  };
  double u[3];
  for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
    const pk_contact_problem p = {.ncontact = 1, .W = W, .q = good[k].q, .mu = &mu};
    const pk_contact_certificate c = pk_contact_certify(&p, good[k].r, u);
    assert_less(c.residual, 1e-15);
    assert_less(c.unilateral, 1e-15);
    assert_less(c.disc, 1e-15);
    assert_less(c.dissipation, 1e-14);
    double r[3];
    pki_solve_contact(W, good[k].q, mu, r);
    for (int i = 0; i < 3; i++) {
      assert_less(fabs(r[i] - good[k].r[i]), 1e-14);
    }
  }
  const struct {
    double q[3], r[3];
    int part; /* 0 unilateral, 1 disc, 2 dissipation */
  } bad[] = {
      {{-1, 0, 0}, {0.5, 0, 0}, 0},  /* still approaches */
      {{-1, 0, 0}, {1.5, 0, 0}, 0},  /* pushed away while it pushes */
      {{-1, 1, 0}, {1, -0.7, 0}, 1}, /* friction beyond the disc */
      {{-1, 1, 0}, {1, 0.5, 0}, 2},  /* friction along the slip */
      {{-1, 1, 0}, {1, -0.2, 0}, 2}, /* slides with friction to spare */
      {{-1, 1, 0}, {1, 0, -0.5}, 2}, /* friction across the slip */
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    const pk_contact_problem p = {.ncontact = 1, .W = W, .q = bad[k].q, .mu = &mu};
    const pk_contact_certificate c = pk_contact_certify(&p, bad[k].r, u);
    const double parts[3] = {c.unilateral, c.disc, c.dissipation};
    assert_greater(c.residual, 0.05);
    assert_greater(parts[bad[k].part], 0.05);
    assert_int_equal(c.worst, 0);
  }
}

/* Without friction the cone is a ray: a pull is no push. */
static void the_judge_refuses_to_pull_without_friction(void **state)
{
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {2, 0, 0}, mu = 0;
  const pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
  double u[3];
  assert_greater(pk_contact_certify(&p, (const double[3]){-2, 0, 0}, u).residual, 1);
  assert_true(pk_contact_certify(&p, (const double[3]){0, 0, 0}, u).residual == 0);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    double r[3] = {-2, 0, 0}; /* a bad guess */
    if (!pk_solver_suits((pk_solver)s, &p)) {
      continue;
    }
    assert_at_most(solve(&p, (pk_solver)s, 1e-8, r).certificate.relative, 1e-8);
    assert_less(fabs(r[0]), 1e-7);
  }
}

static void the_judge_sees_bilateral_and_box_rows(void **state)
{
  (void)state;
  const double W[4] = {2, 0, 0, 4}, q[2] = {-1, 2}, lower = -0.2, upper = 1;
  const pk_contact_problem p = {.nbilateral = 1, .nbox = 1, .W = W, .q = q, .lower = &lower, .upper = &upper};
  double u[2];
  /* the box is at its lower bound with u > 0 */
  pk_contact_certificate c = pk_contact_certify(&p, (const double[2]){0.5, -0.2}, u);
  assert_less(c.residual, 1e-15);
  c = pk_contact_certify(&p, (const double[2]){0.4, -0.2}, u);
  assert_less(fabs(c.bilateral - 0.2), 1e-15);
  assert_less(fabs(c.residual - 0.2), 1e-15);
  assert_int_equal(c.worst, 0);
  c = pk_contact_certify(&p, (const double[2]){0.5, 0}, u);
  assert_less(fabs(c.box - 0.8), 1e-15); /* it could go on to -0.2: 0.2 / rho */
  assert_int_equal(c.worst, 1);
  c = pk_contact_certify(&p, (const double[2]){NAN, 0}, u);
  assert_true(isnan(c.residual));
}

/* The residual scales with the problem as a velocity must. */
static void a_certificate_does_not_depend_on_the_unit_of_mass(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  test_problem a, b;
  make_problem(&rng, 4, 0, 0, 12, 0.6, &a);
  b = a;
  b.p.W = b.W, b.p.q = b.q, b.p.mu = b.mu, b.p.factor = NULL;
  double r[12], s[12], u[12];
  for (int i = 0; i < 144; i++) {
    b.W[i] = a.W[i] * 1000;
  }
  for (int i = 0; i < 12; i++) {
    r[i] = pki_random_between(&rng, 0, 1);
    s[i] = r[i] / 1000;
  }
  const pk_contact_certificate ca = pk_contact_certify(&a.p, r, u), cb = pk_contact_certify(&b.p, s, u);
  assert_less(fabs(ca.residual - cb.residual), 1e-12 * ca.residual);
  assert_less(fabs(ca.unilateral - cb.unilateral), 1e-12);
  assert_less(fabs(ca.disc - cb.disc), 1e-12);
}

static void one_contact_is_solved_exactly_also_without_symmetry(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int k = 0; k < 20000; k++) {
    double W[9], q[3], r[3], u[3], mu = pki_random_between(&rng, 0, 2);
    double A[9];
    for (int i = 0; i < 9; i++) {
      A[i] = pki_random_between(&rng, -1, 1);
    }
    for (int i = 0; i < 3; i++) {
      q[i] = pki_random_between(&rng, -1, 1);
      for (int j = 0; j < 3; j++) {
        W[3 * i + j] = A[3 * i] * A[3 * j] + A[3 * i + 1] * A[3 * j + 1] + A[3 * i + 2] * A[3 * j + 2];
        W[3 * i + j] += (i == j) * 1e-3;
        W[3 * i + j] *= 1 + (k % 2 ? 1e-3 * pki_random_between(&rng, -1, 1) : 0); /* unsymmetric */
      }
    }
    const pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
    pki_solve_contact(W, q, mu, r);
    const pk_contact_certificate c = pk_contact_certify(&p, r, u);
    if (!(c.relative < 1e-10)) {
      print_error("case %d: residual %g, mu %g\n", k, c.relative, mu);
    }
    assert_less(c.relative, 1e-10);
  }
}

/* Painleve: sliding friction drives the body into the ground; S is not positive, a root is still there. */
static void a_contact_in_painleves_region_has_a_solution(void **state)
{
  (void)state;
  /* a rod, tan phi = 2: W_NN = 1/m + ..., W_NT large; mu well beyond 4/3 */
  const double c = 1 / sqrt(5), s = 2 / sqrt(5), mu = 1.5, inv_I = 3; /* half length 1, m 1, I 1/3 */
  const double W[9] = {1 + inv_I * c * c, inv_I * s * c, 0, inv_I * s * c, 1 + inv_I * s * s, 0, 0, 0, 1};
  pki_random rng = pki_random_seeded(5);
  for (int k = 0; k < 1000; k++) {
    const double q[3] = {-pki_random_unit(&rng), pki_random_between(&rng, -3, 3), 0};
    double r[3], u[3];
    const pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
    pki_solve_contact(W, q, mu, r);
    assert_less(pk_contact_certify(&p, r, u).relative, 1e-10);
  }
}

static void every_solver_meets_1e_8_and_ipm_velocity_1e_5_on_well_posed_problems(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  static test_problem t;
  for (int k = 0; k < 30; k++) {
    make_problem(&rng, 1 + k % 5, k % 3, k % 4, 30, 0.1 + 0.05 * k, &t);
    for (int s = 0; s < PK_SOLVER_COUNT; s++) {
      double r[N_MAX] = {0};
      const double tolerance = s == PK_SOLVER_IPM_VELOCITY ? 1e-5 : 1e-8; /* rounding ends its path */
      const pk_solver_result result = solve(&t.p, (pk_solver)s, tolerance, r);
      if (result.certificate.relative > tolerance) {
        print_error("problem %d, %s: %g\n", k, pk_solver_name((pk_solver)s), result.certificate.relative);
      }
      assert_at_most(result.certificate.relative, tolerance);
    }
  }
}

/* More contacts than velocities: W is singular, impulses are not unique, velocities are. */
static void the_ladder_solves_redundant_contacts(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  static test_problem t;
  int worst = 0;
  for (int k = 0; k < 60; k++) {
    make_problem(&rng, 4 + k % 12, 0, 0, 12, 0.3 + 0.02 * k, &t);
    double r[N_MAX] = {0};
    const pk_solver_result result = solve(&t.p, PK_SOLVER_AUTO, 1e-10, r);
    if (result.certificate.relative > 1e-10) {
      print_error("problem %d: %g after %d\n", k, result.certificate.relative, result.iterations);
    }
    worst = result.iterations > worst ? result.iterations : worst;
    assert_at_most(result.certificate.relative, 1e-10);
  }
  print_message("at most %d iterations\n", worst);
}

static void a_good_guess_is_kept(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  static test_problem t;
  make_problem(&rng, 4, 1, 1, 18, 0.7, &t);
  double r[N_MAX] = {0}, again[N_MAX];
  solve(&t.p, PK_SOLVER_AUTO, 1e-10, r);
  memcpy(again, r, sizeof again);
  const pk_solver_result result = solve(&t.p, PK_SOLVER_AUTO, 1e-9, again);
  assert_int_equal(result.iterations, 0);
  assert_memory_equal(again, r, (size_t)pk_contact_size(&t.p) * sizeof(double));
}

static void an_iteration_limit_ends_with_a_status_and_the_best_so_far(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(9);
  static test_problem t;
  make_problem(&rng, 12, 0, 0, 12, 0.8, &t);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    pk_solver_options o = pk_solver_options_default();
    o.solver = (pk_solver)s, o.max_iterations = 2, o.tolerance = 1e-14;
    double r[N_MAX] = {0}, u[N_MAX];
    void *memory = pki_aligned_alloc(pk_contact_solve_memsize(&t.p, &o));
    pk_solver_result result;
    assert_int_equal(pk_contact_solve(&t.p, &o, r, memory, &result), PK_ERROR_CONVERGENCE);
    assert_true(pk_contact_certify(&t.p, r, u).residual == result.certificate.residual);
    pki_aligned_free(memory);
  }
}

static void wrong_problems_and_options_are_named(void **state)
{
  (void)state;
  double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {0}, mu = 0.5, one = 1, two = 2;
  pk_error err;
  pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
  mu = -1;
  assert_int_equal(pk_contact_validate(&p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "mu[0] is -1, expected zero or more");
  mu = 0.5, W[4] = 0;
  assert_int_equal(pk_contact_validate(&p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the diagonal of W in row 1 is 0, expected a positive number");
  W[4] = 1, W[5] = NAN;
  assert_int_equal(pk_contact_validate(&p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "entry 5 of W is not finite");
  W[5] = 0, q[2] = INFINITY;
  assert_int_equal(pk_contact_validate(&p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "q[2] is not finite");
  q[2] = 0;
  const int rows[4] = {0, 1, 2, 3}, cols[3] = {0, 2, 1};
  p.W_row = rows, p.W_col = cols;
  assert_int_equal(pk_contact_validate(&p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the diagonal of W in row 1 is 0, expected a positive number");
  const pk_contact_problem box = {.nbox = 1, .W = W, .q = q, .lower = &two, .upper = &one};
  assert_int_equal(pk_contact_validate(&box, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "box 0 is 2 to 1, expected lower <= upper");
  const pk_contact_problem none = {.ncontact = 1, .q = q, .mu = &mu};
  assert_int_equal(pk_contact_validate(&none, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "there is neither W nor a factor of it");
  pk_solver_options o = pk_solver_options_default();
  o.tolerance = 0;
  assert_int_equal(pk_solver_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "tolerance");
}

/* The first of these read or wrote beyond a table, the second at addresses that vector instructions refuse. */
static void a_solver_that_is_none_and_memory_that_is_not_aligned_are_refused(void **state)
{
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.5, q[3] = {-1, 0, 0};
  const pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
  pk_solver_options o = pk_solver_options_default();
  unsigned char *memory = pki_aligned_alloc(pk_contact_solve_memsize(&p, &o) + 64);
  double r[3] = {7, 7, 7};
  pk_solver_result result;
  assert_int_equal(pk_contact_solve(&p, &o, r, memory + 8, &result), PK_ERROR_ARGUMENT);
  assert_true(isinf(result.certificate.relative));
  assert_int_equal(pk_contact_solve(&p, &o, r, NULL, &result), PK_ERROR_ARGUMENT);
  o.solver = PK_SOLVER_COUNT;
  assert_int_equal(pk_contact_solve_memsize(&p, &o), 0);
  assert_int_equal(pk_contact_solve(&p, &o, r, memory, &result), PK_ERROR_ARGUMENT);
  assert_true(r[0] == 7 && r[1] == 7 && r[2] == 7);
  pki_aligned_free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_judge_accepts_each_case_of_the_law_and_nothing_else),
      cmocka_unit_test(the_judge_refuses_to_pull_without_friction),
      cmocka_unit_test(the_judge_sees_bilateral_and_box_rows),
      cmocka_unit_test(a_certificate_does_not_depend_on_the_unit_of_mass),
      cmocka_unit_test(one_contact_is_solved_exactly_also_without_symmetry),
      cmocka_unit_test(a_contact_in_painleves_region_has_a_solution),
      cmocka_unit_test(every_solver_meets_1e_8_and_ipm_velocity_1e_5_on_well_posed_problems),
      cmocka_unit_test(the_ladder_solves_redundant_contacts),
      cmocka_unit_test(a_good_guess_is_kept),
      cmocka_unit_test(an_iteration_limit_ends_with_a_status_and_the_best_so_far),
      cmocka_unit_test(wrong_problems_and_options_are_named),
      cmocka_unit_test(a_solver_that_is_none_and_memory_that_is_not_aligned_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
