/* Newton on active sets on problems with closed forms, and the stages of auto around it. */
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
#include "contact/linear/dense_kernels.h"
#include "contact/solvers/active_set_constants.h"
#include "contact/solvers/solver.h"
#include "support/bounds.h"

enum { N_MAX = 96 };

static pk_status solve_within(const pk_contact_problem *p, pk_solver solver, double tolerance, int iterations,
                              double *r, pk_solver_result *result)
{
  pk_solver_options o = pk_solver_options_default();
  double u[N_MAX];
  o.solver = solver, o.tolerance = tolerance, o.max_iterations = iterations;
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, &o));
  const pk_status status = pk_contact_solve(p, &o, r, memory, result);
  assert_int_equal(status == PK_OK, result->certificate.relative <= tolerance);
  assert_true(pk_contact_certify(p, r, u).residual == result->certificate.residual);
  assert_at_most(result->iterations, iterations);
  pki_aligned_free(memory);
  return status;
}

static void expect_impulses(const pk_contact_problem *p, const double *expected, int steps)
{
  double r[N_MAX] = {0};
  pk_solver_result result;
  assert_int_equal(solve_within(p, PK_SOLVER_ACTIVE_SET, 1e-10, 20, r, &result), PK_OK);
  assert_in_range(result.iterations, 0, steps);
  for (int i = 0; i < pk_contact_size(p); i++) {
    assert_float_equal(r[i], expected[i], 1e-9);
  }
}

/* ---- closed forms ---- */

static void one_contact_opens_sticks_and_slides_as_in_closed_form(void **state)
{
  (void)state;
  const double W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, rough = 0.5, smooth = 0;
  const struct {
    double q[3], r[3];
    const double *mu;
    int steps;
  } cases[] = {
      {{1, 5, -5}, {0, 0, 0}, &rough, 0},           /* opens: the guess is right */
      {{-2, 0.6, 0.4}, {1, -0.3, -0.2}, &rough, 3}, /* sticks */
      {{-2, 6, 8}, {1, -0.3, -0.4}, &rough, 8},     /* slides against 3, 4 */
      {{-2, 6, 8}, {1, 0, 0}, &smooth, 3},          /* nothing to brake with */
      {{-2, 0, 0}, {1, 0, 0}, &smooth, 3},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const pk_contact_problem p = {.ncontact = 1, .W = W, .q = cases[k].q, .mu = cases[k].mu};
    expect_impulses(&p, cases[k].r, cases[k].steps);
  }
}

/* Friction turns while it slides: W couples the tangents. The oracle is the one-contact solver. */
static void one_contact_agrees_with_the_exact_solution_of_random_blocks(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(11);
  int slides = 0;
  for (int k = 0; k < 500; k++) {
    double W[9], A[9], q[3], exact[3], r[3] = {0}, mu = pki_random_between(&rng, 0.05, 0.6);
    for (int i = 0; i < 9; i++) {
      A[i] = pki_random_between(&rng, -0.3, 0.3) + (i % 4 == 0);
    }
    for (int i = 0; i < 9; i++) {
      const double *a = A + 3 * (i / 3), *b = A + 3 * (i % 3);
      W[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    for (int i = 0; i < 3; i++) {
      q[i] = pki_random_between(&rng, -1, 1);
    }
    const pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
    pk_solver_result result;
    pki_solve_contact(W, q, mu, exact);
    assert_int_equal(solve_within(&p, PK_SOLVER_ACTIVE_SET, 1e-10, 40, r, &result), PK_OK);
    for (int i = 0; i < 3; i++) {
      assert_float_equal(r[i], exact[i], 1e-8);
    }
    slides += exact[0] > 0 && hypot(exact[1], exact[2]) > (1 - 1e-9) * mu * exact[0];
  }
  assert_in_range(slides, 50, 450); /* both cases are among them */
}

static void boxes_rest_at_either_bound_between_them_and_where_they_are_fixed(void **state)
{
  (void)state;
  /* u = 4 r + q, bounds, the only r */
  const double W[36] = {[0] = 4, [7] = 4, [14] = 4, [21] = 4, [28] = 4, [35] = 4};
  const double q[6] = {8, -8, -2, 3, -3, -3};
  const double lower[5] = {-1, -1, 0.25, -INFINITY, -INFINITY};
  const double upper[5] = {1, 1, 0.25, INFINITY, 0.5};
  const pk_contact_problem p = {.nbilateral = 1, .nbox = 5, .W = W, .q = q, .lower = lower, .upper = upper};
  const double expected[6] = {-2, 1, 0.5, 0.25, 0.75, 0.5};
  expect_impulses(&p, expected, 3);
}

/* ---- feet ---- */

/* Rows of a rigid body of mass m and inertia I (per axis) at points: W = J inv(M) J', q = J u. */
static void press_body(int points, const double (*at)[3], const double u[6], double *W, double *q)
{
  static const double inverse_mass[6] = {0.5, 0.5, 0.5, 10, 10, 10}; /* 2 kg, 0.1 kg m^2 */
  double J[N_MAX][6] = {{0}};
  for (int i = 0; i < points; i++) {
    const double *x = at[i];
    const double rows[3][6] = {
        {0, 0, 1, x[1], -x[0], 0}, {1, 0, 0, 0, x[2], -x[1]}, {0, 1, 0, -x[2], 0, x[0]}};
    memcpy(J[3 * i], rows, sizeof rows);
  }
  for (int i = 0; i < 3 * points; i++) {
    q[i] = 0;
    for (int k = 0; k < 6; k++) {
      q[i] += J[i][k] * u[k];
    }
    for (int j = 0; j < 3 * points; j++) {
      W[i * 3 * points + j] = 0;
      for (int k = 0; k < 6; k++) {
        W[i * 3 * points + j] += J[i][k] * inverse_mass[k] * J[j][k];
      }
    }
  }
}

static const double sole[4][3] = {
    {0.1, 0.05, -0.4}, {0.1, -0.05, -0.4}, {-0.1, 0.05, -0.4}, {-0.1, -0.05, -0.4}};

/* Twelve rows, six velocities: which corner carries how much is open, their sum is not. */
static void a_flat_foot_on_four_corners_is_held_in_few_steps(void **state)
{
  (void)state;
  double W[144], q[12], r[12] = {0}, v[12], sum = 0;
  const double mu[4] = {0.8, 0.8, 0.8, 0.8}, u[6] = {0.002, 0.001, -0.03, 0, 0, 0};
  press_body(4, sole, u, W, q);
  const pk_contact_problem p = {.ncontact = 4, .W = W, .q = q, .mu = mu};
  pk_solver_result result;
  assert_int_equal(solve_within(&p, PK_SOLVER_ACTIVE_SET, 1e-8, 20, r, &result), PK_OK);
  assert_in_range(result.iterations, 1, 6);
  pk_contact_velocity(&p, r, v);
  for (int i = 0; i < 12; i++) {
    sum += i % 3 == 0 ? r[i] : 0;
    assert_float_equal(v[i], 0, 1e-9); /* stuck */
  }
  assert_float_equal(sum, 2 * 0.03, 1e-8); /* m v */
}

/* The same foot, faster than friction can stop: it slides on along the ground and friction is mu m v. */
static void a_flat_foot_that_slides_is_braked_by_mu_times_its_load(void **state)
{
  (void)state;
  double W[144], q[12], r[12] = {0}, sum = 0, along = 0;
  const double mu[4] = {0.1, 0.1, 0.1, 0.1}, u[6] = {1, 0, -0.03, 0, 0, 0};
  press_body(4, sole, u, W, q);
  const pk_contact_problem p = {.ncontact = 4, .W = W, .q = q, .mu = mu};
  pk_solver_result result;
  assert_int_equal(solve_within(&p, PK_SOLVER_ACTIVE_SET, 1e-8, 40, r, &result), PK_OK);
  for (int i = 0; i < 12; i += 3) {
    sum += r[i], along += r[i + 1];
  }
  assert_float_equal(sum, 2 * 0.03, 1e-8);
  assert_float_equal(along, -0.1 * sum, 1e-8);
}

/* A disc on eight points slides, rolls and spins at once, from no guess: the sets of some such problems go in circles. Within the
 * steps of both kinds of active sets `auto` solves more of them than plain steps alone. */
static void sets_that_go_in_circles_come_to_rest_when_softened(void **state)
{
  (void)state;
  enum { POINTS = 8, TRIES = 400, STEPS = 40 };
  pki_random rng = pki_random_seeded(5);
  double W[9 * POINTS * POINTS], q[3 * POINTS], mu[POINTS], at[POINTS][3];
  int plain = 0, softened = 0;
  for (int i = 0; i < POINTS; i++) {
    const double angle = 2 * 3.14159265358979323846 * i / POINTS;
    at[i][0] = 0.06 * cos(angle), at[i][1] = 0.06 * sin(angle), at[i][2] = -0.4, mu[i] = 0.8;
  }
  for (int k = 0; k < TRIES; k++) {
    double u[6], r[3 * POINTS] = {0};
    for (int i = 0; i < 6; i++) {
      u[i] = pki_random_between(&rng, -0.05, 0.05) - (i == 2 ? 0.03 : 0);
    }
    press_body(POINTS, (const double(*)[3])at, u, W, q);
    const pk_contact_problem p = {.ncontact = POINTS, .W = W, .q = q, .mu = mu};
    pk_solver_result result;
    plain += solve_within(&p, PK_SOLVER_ACTIVE_SET, 1e-8, STEPS, r, &result) == PK_OK;
    memset(r, 0, sizeof r);
    softened += solve_within(&p, PK_SOLVER_AUTO, 1e-8, STEPS, r, &result) == PK_OK;
  }
  print_message("of %d discs plain steps solve %d, plain and softened ones %d\n", TRIES, plain, softened);
  assert_at_least(softened, TRIES * 98 / 100);
  assert_greater(softened, plain);
}

/* A hinge in series: contact, a joint at its limit, a motor at its torque limit, and a bilateral row. */
static void contact_joint_limit_torque_limit_and_a_loop_are_solved_together(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(12);
  int at_bound = 0, closed = 0;
  for (int k = 0; k < 200; k++) {
    enum { NC = 3, N = 3 * NC + 1 + 2, NU = 20 };
    double J[N][NU], W[N * N], q[N], mu[NC] = {0.5, 0, 0.9};
    const double lower[2] = {0, -0.1}, upper[2] = {INFINITY, 0.1};
    for (int i = 0; i < N; i++) {
      q[i] = pki_random_between(&rng, -1, 1);
      for (int c = 0; c < NU; c++) {
        J[i][c] = pki_random_between(&rng, -1, 1);
      }
    }
    for (int i = 0; i < N * N; i++) {
      W[i] = 0;
      for (int c = 0; c < NU; c++) {
        W[i] += J[i / N][c] * J[i % N][c];
      }
    }
    const pk_contact_problem p = {
        .ncontact = NC, .nbilateral = 1, .nbox = 2, .W = W, .q = q, .mu = mu, .lower = lower, .upper = upper};
    double r[N] = {0};
    pk_solver_result result;
    assert_int_equal(solve_within(&p, PK_SOLVER_AUTO, 1e-9, 1000, r, &result), PK_OK);
    at_bound += r[N - 2] == 0 || fabs(r[N - 1]) == 0.1;
    closed += r[0] > 0;
    /* and from there it is not touched, or in one step from nearby */
    for (int i = 0; i < N; i++) {
      r[i] *= 1 + 1e-7;
    }
    assert_int_equal(solve_within(&p, PK_SOLVER_ACTIVE_SET, 1e-9, 1000, r, &result), PK_OK);
    assert_in_range(result.iterations, 0, 2);
  }
  assert_in_range(at_bound, 20, 200);
  assert_in_range(closed, 20, 200);
}

/* The same set, a load that is larger by 1e-3: sigma = 1e-5 leaves 1e-8 of it after one step, over an eigenvalue of W
 * that is not below 0.1. */
static void a_warm_start_with_the_right_active_set_takes_one_step(void **state)
{
  (void)state;
  double W[144], q[12], r[12] = {0};
  const double mu[4] = {0.8, 0.8, 0.8, 0.8}, u[6] = {0.002, 0.001, -0.03, 0, 0, 0};
  press_body(4, sole, u, W, q);
  const pk_contact_problem p = {.ncontact = 4, .W = W, .q = q, .mu = mu};
  pk_solver_result result;
  assert_int_equal(solve_within(&p, PK_SOLVER_AUTO, 1e-8, 100, r, &result), PK_OK);
  for (int i = 0; i < 12; i++) {
    q[i] *= 1.001;
  }
  assert_int_equal(solve_within(&p, PK_SOLVER_AUTO, 1e-7, 100, r, &result), PK_OK);
  assert_int_equal(result.iterations, 1);
  assert_int_equal(result.used, PK_SOLVER_ACTIVE_SET);
}

/* ---- the stages ---- */

/* Two bilateral rows that ask for different velocities of one coordinate, under contacts. */
static void a_contradiction_ends_with_a_status_in_bounded_steps(void **state)
{
  (void)state;
  const double W[25] = {2, 0, 0, 1, 1, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1};
  const double q[5] = {-1, 0.5, 0, 0.3, -0.3}, mu = 0.5;
  const pk_contact_problem p = {.ncontact = 1, .nbilateral = 2, .W = W, .q = q, .mu = &mu};
  static const pk_solver stages[] = {PK_SOLVER_ACTIVE_SET, PK_SOLVER_IPM};
  double r[5] = {0};
  pk_solver_result result;
  assert_int_equal(solve_within(&p, PK_SOLVER_AUTO, 1e-8, 20000, r, &result), PK_ERROR_CONVERGENCE);
  for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++) { /* and the best of all stages comes back */
    double alone[5] = {0};
    pk_solver_result one;
    solve_within(&p, stages[k], 1e-8, 20000, alone, &one);
    assert_at_most(result.certificate.residual, one.certificate.residual);
  }
  /* plain and softened active sets, two paths of 60 steps and what they cross over to, late ones, 400 of Newton and a round */
  assert_in_range(result.iterations, 1, PKI_ACTIVE_SET_STEPS + 64 + 2 * (60 + 8 * 3) + 200 + 400 + 40);
  for (int i = 0; i < 5; i++) {
    assert_true(isfinite(r[i]));
  }
  assert_at_most(result.certificate.residual,
                 0.3 + 1e-9); /* half of the contradiction at best, never more than all */
}

/* Soles that nothing is solved on in the iterations of the first stage: the answer is no worse than that of the stage alone. */
static void no_stage_spoils_what_another_found(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(13);
  int hard = 0;
  for (int k = 0; k < 60; k++) {
    double at[10][3], u[6], W[900], q[30], mu[10];
    const int points = 4 + k % 7;
    for (int i = 0; i < points; i++) {
      at[i][0] = pki_random_between(&rng, -0.1, 0.1), at[i][1] = pki_random_between(&rng, -0.1, 0.1);
      at[i][2] = -0.2, mu[i] = pki_random_between(&rng, 0.1, 3);
    }
    for (int i = 0; i < 6; i++) {
      u[i] = pki_random_between(&rng, -1, 1);
    }
    press_body(points, (const double(*)[3])at, u, W, q);
    const pk_contact_problem p = {.ncontact = points, .W = W, .q = q, .mu = mu};
    for (int most = 1; most <= PKI_ACTIVE_SET_STEPS; most++) {
      double r[30] = {0}, alone[30] = {0};
      pk_solver_result all, one;
      solve_within(&p, PK_SOLVER_AUTO, 1e-12, most, r, &all);
      solve_within(&p, PK_SOLVER_ACTIVE_SET, 1e-12, most, alone, &one);
      assert_at_most(all.certificate.residual, one.certificate.residual);
      hard += all.certificate.relative > 1e-12;
    }
  }
  assert_in_range(hard, 60, 60 * PKI_ACTIVE_SET_STEPS);
}

static void a_looser_tolerance_costs_fewer_steps(void **state)
{
  (void)state;
  static const double tolerances[3] = {1e-3, 1e-6, 1e-10};
  pki_random rng = pki_random_seeded(14);
  int steps[3] = {0};
  for (int k = 0; k < 40; k++) {
    double at[10][3], u[6], W[900], q[30], mu[10];
    for (int i = 0; i < 10; i++) {
      at[i][0] = pki_random_between(&rng, -0.1, 0.1), at[i][1] = pki_random_between(&rng, -0.1, 0.1);
      at[i][2] = pki_random_between(&rng, -0.25, -0.2), mu[i] = 0.6;
    }
    for (int i = 0; i < 6; i++) {
      u[i] = pki_random_between(&rng, -1, 1);
    }
    press_body(10, (const double(*)[3])at, u, W, q);
    const pk_contact_problem p = {.ncontact = 10, .W = W, .q = q, .mu = mu};
    for (int t = 0; t < 3; t++) {
      double r[30] = {0};
      pk_solver_result result;
      assert_int_equal(solve_within(&p, PK_SOLVER_AUTO, tolerances[t], 20000, r, &result), PK_OK);
      steps[t] += result.iterations;
    }
  }
  print_message("%d, %d, %d steps to 1e-3, 1e-6, 1e-10\n", steps[0], steps[1], steps[2]);
  assert_less(steps[0], steps[1]);
  assert_less(steps[1], steps[2]);
}

/* 1 g under 10 t: W spans seven orders, and the steps must follow. */
static void a_heavy_body_on_a_light_one_is_solved(void **state)
{
  (void)state;
  /* two balls above each other: contacts ground-light and light-heavy, rows (n, t, t) each; J of (light, heavy) */
  const double light = 1e3, heavy = 1e-4, g = 0.00981;
  double W[36] = {0}, q[6] = {-g, 0.001, 0, 0, 0, 0};
  const double mu[2] = {0.8, 0.8};
  for (int d = 0; d < 3; d++) {
    W[7 * d] = light, W[7 * (3 + d)] = light + heavy;
    W[6 * d + 3 + d] = W[6 * (3 + d) + d] = -light;
  }
  const pk_contact_problem p = {.ncontact = 2, .W = W, .q = q, .mu = mu};
  double r[6] = {0};
  pk_solver_result result;
  assert_int_equal(solve_within(&p, PK_SOLVER_AUTO, 1e-6, 20000, r, &result), PK_OK);
}

/* ---- kernels ---- */

/* Every variant that this machine has: factors times solution give the right side, for sizes around the panels. */
static void every_variant_of_the_dense_kernels_solves(void **state)
{
  (void)state;
  static const char *const sets[] = {"base", "avx2", "avx512"};
  pki_random rng = pki_random_seeded(15);
  double *A = pki_aligned_alloc(N_MAX * N_MAX * sizeof *A), *B = pki_aligned_alloc(N_MAX * N_MAX * sizeof *B);
  double *line = pki_aligned_alloc(4 * N_MAX * sizeof *line), *b = pki_aligned_alloc(N_MAX * sizeof *b);
  double *x = pki_aligned_alloc(N_MAX * sizeof *x), inverse[N_MAX];
  int pivot[N_MAX], variants = 0;
  for (int s = 0; s < 3; s++) {
    const pki_dense_kernels *k = pki_dense_kernels_find(sets[s]);
    for (int n = 1; n <= 41 && k != NULL; n++) {
      const size_t stride = pki_dense_stride(n);
      memset(A, 0, N_MAX * N_MAX * sizeof *A);
      memset(b, 0, N_MAX * sizeof *b);
      for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
          A[(size_t)i * stride + (size_t)j] = A[(size_t)j * stride + (size_t)i] =
              pki_random_between(&rng, -1, 1) + (i == j) * n;
        }
        b[i] = pki_random_between(&rng, -1, 1);
      }
      for (int method = 0; method < 3; method++) {
        memcpy(B, A, N_MAX * N_MAX * sizeof *A);
        if (method == 2) { /* unsymmetric, and with zeros where pivots would be */
          for (int i = 0; i < n; i++) {
            B[(size_t)i * stride + (size_t)i] = 0;
            B[(size_t)i * stride + (size_t)((i + 1) % n)] += n;
          }
        }
        double *C = pki_aligned_alloc(N_MAX * N_MAX * sizeof *C), out[N_MAX];
        memcpy(C, B, N_MAX * N_MAX * sizeof *C);
        memcpy(x, b, N_MAX * sizeof *x);
        if (method == 0) {
          assert_true(k->factor(B, n, stride, 1e-13, line, inverse, NULL));
          k->solve(B, n, stride, inverse, x);
        } else if (method == 1) {
          assert_true(k->factor_symmetric(B, n, stride, line, inverse, NULL));
          k->solve_symmetric(B, n, stride, inverse, x);
        } else {
          assert_true(k->factor_pivoted(B, n, stride, line, inverse, pivot, NULL));
          k->solve_pivoted(B, n, stride, inverse, pivot, x);
        }
        k->multiply(C, n, stride, x, out);
        for (int i = 0; i < n; i++) {
          assert_float_equal(out[i], b[i], 1e-11);
        }
        pki_aligned_free(C);
      }
    }
    variants += k != NULL;
  }
  assert_in_range(variants, 1, 3);
  pki_aligned_free(A);
  pki_aligned_free(B);
  pki_aligned_free(line);
  pki_aligned_free(b);
  pki_aligned_free(x);
}

static void a_pivot_that_vanishes_is_reported(void **state)
{
  (void)state;
  const pki_dense_kernels *k = pki_dense_kernels_get();
  double *A = pki_aligned_alloc(16 * sizeof *A), *line = pki_aligned_alloc(32 * sizeof *line), inverse[2];
  int pivot[2];
  memset(A, 0, 16 * sizeof *A);
  A[1] = A[8] = 1; /* 0 1; 1 0 */
  assert_false(k->factor(A, 2, 8, 1e-13, line, inverse, NULL));
  assert_false(k->factor_symmetric(A, 2, 8, line, inverse, NULL));
  assert_true(k->factor_pivoted(A, 2, 8, line, inverse, pivot, NULL));
  memset(A, 0, 16 * sizeof *A);
  assert_false(k->factor_pivoted(A, 2, 8, line, inverse, pivot, NULL));
  pki_aligned_free(A);
  pki_aligned_free(line);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_opens_sticks_and_slides_as_in_closed_form),
      cmocka_unit_test(one_contact_agrees_with_the_exact_solution_of_random_blocks),
      cmocka_unit_test(boxes_rest_at_either_bound_between_them_and_where_they_are_fixed),
      cmocka_unit_test(a_flat_foot_on_four_corners_is_held_in_few_steps),
      cmocka_unit_test(a_flat_foot_that_slides_is_braked_by_mu_times_its_load),
      cmocka_unit_test(sets_that_go_in_circles_come_to_rest_when_softened),
      cmocka_unit_test(contact_joint_limit_torque_limit_and_a_loop_are_solved_together),
      cmocka_unit_test(a_warm_start_with_the_right_active_set_takes_one_step),
      cmocka_unit_test(a_contradiction_ends_with_a_status_in_bounded_steps),
      cmocka_unit_test(no_stage_spoils_what_another_found),
      cmocka_unit_test(a_looser_tolerance_costs_fewer_steps),
      cmocka_unit_test(a_heavy_body_on_a_light_one_is_solved),
      cmocka_unit_test(every_variant_of_the_dense_kernels_solves),
      cmocka_unit_test(a_pivot_that_vanishes_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
