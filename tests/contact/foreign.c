/* Solvers on problems that others made: W that is not symmetric, piles that no solver finishes. The answer is the best that was seen, and
 * comes when the time is up. The clock is the test's own and ticks whenever it is read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "contact/lcp/lcp.h"
#include "contact/linear/dense_kernels.h"
#include "contact/pile.h"
#include "contact/solvers/solver.h"
#include "support/bounds.h"

/* ---- a clock that ticks ---- */

static double tick(void *user)
{
  return ++*(double *)user;
}

static double refuse_to_tell(void *user)
{
  (void)user;
  fail_msg("the clock was asked without a time limit");
  return 0;
}

/* ---- one solve from zero ---- */

typedef struct answer {
  pk_status status;
  pk_solver_result result;
  double *r; /* [size] */
} answer;

static answer solve_by(const pk_contact_problem *p, const pk_solver_options *o, pki_clock_source clock)
{
  answer a = {.r = calloc((size_t)pk_contact_size(p) + 1, sizeof *a.r)};
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, o));
  assert_non_null(a.r);
  assert_non_null(memory);
  a.status = pki_contact_solve(p, o, a.r, memory, clock, &a.result);
  pki_aligned_free(memory);
  return a;
}

static double relative_after(const pk_contact_problem *p, pk_solver solver, int iterations, bool thorough)
{
  pk_solver_options o = pk_solver_options_default();
  o.solver = solver, o.max_iterations = iterations, o.thorough = thorough;
  const answer a = solve_by(p, &o, (pki_clock_source){.now = refuse_to_tell});
  free(a.r);
  return a.result.certificate.relative;
}

/* W may be off by this part: what a published pile has, and so much that most solvers fail. */
static const pile_shape shapes[] = {
    {.seed = 3, .bodies = 30, .contacts = 60, .mu = 0.8, .skew = 2.5e-3},
    {.seed = 5, .bodies = 6, .contacts = 24, .mu = 1, .skew = 2.5e-2},
    {.seed = 2, .bodies = 4, .contacts = 24, .mu = 1, .skew = 1},
    {.seed = 4, .bodies = 6, .contacts = 60, .mu = 1, .skew = 0.5},
    {.seed = 6, .bodies = 3, .contacts = 40, .mu = 0.8, .skew = 0.1},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void auto_is_thorough_and_not_worse_than_any_solver_alone(void **state)
{
  (void)state;
  enum { ITERATIONS = 3000 };
  const double tolerance = pk_solver_options_default().tolerance;
  int worse_in_haste = 0;
  for (int k = 0; k < SHAPES; k++) {
    pile a;
    pile_make(&shapes[k], &a);
    const double hasty = relative_after(&a.p, PK_SOLVER_AUTO, ITERATIONS, false);
    const double thorough = relative_after(&a.p, PK_SOLVER_AUTO, ITERATIONS, true);
    assert_at_most(thorough, hasty);
    bool worse = false;
    for (int s = 0; s < PK_SOLVER_COUNT; s++) {
      if (s != PK_SOLVER_AUTO && pk_solver_suits((pk_solver)s, &a.p)) {
        const double alone = relative_after(&a.p, (pk_solver)s, ITERATIONS, false);
        assert_at_most(thorough, fmax(alone, tolerance) * (1 + 1e-9));
        worse |= hasty > fmax(alone, tolerance);
      }
    }
    worse_in_haste += worse;
    pile_free(&a);
  }
  assert_at_least(worse_in_haste, 2); /* else these problems show nothing */
}

/* Two piles that do not touch, the second a copy of the first with other speeds: islands. */
static void join_piles(const pile *a, pile *both)
{
  const int n = 3 * a->p.ncontact;
  const size_t entries = (size_t)a->row[n];
  *both = (pile){.W = calloc(2 * entries + 1, sizeof(double)),
                 .q = calloc(2 * (size_t)n, sizeof(double)),
                 .mu = calloc(2 * (size_t)n, sizeof(double)),
                 .row = calloc(2 * (size_t)n + 1, sizeof(int)),
                 .col = calloc(2 * entries + 1, sizeof(int))};
  for (int i = 0; i < 2 * n; i++) {
    const int from = i % n, second = i >= n;
    both->row[i] = a->row[from] + second * (int)entries;
    both->q[i] = second ? 0.1 * a->q[from] : a->q[from];
    both->mu[i / 3] = a->mu[from / 3];
    for (int e = a->row[from]; e < a->row[from + 1]; e++) {
      both->W[e + second * (int)entries] = a->W[e];
      both->col[e + second * (int)entries] = a->col[e] + second * n;
    }
  }
  both->row[2 * n] = 2 * (int)entries;
  both->p = (pk_contact_problem){.ncontact = 2 * a->p.ncontact,
                                 .W_row = both->row,
                                 .W_col = both->col,
                                 .W = both->W,
                                 .q = both->q,
                                 .mu = both->mu};
}

static void auto_is_not_worse_than_a_solver_alone_on_islands_either(void **state)
{
  (void)state;
  enum { ITERATIONS = 1000 };
  pile a, both;
  pile_make(&shapes[3], &a);
  join_piles(&a, &both);
  const double thorough = relative_after(&both.p, PK_SOLVER_AUTO, ITERATIONS, true);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    if (s != PK_SOLVER_AUTO && pk_solver_suits((pk_solver)s, &both.p)) {
      assert_at_most(thorough, relative_after(&both.p, (pk_solver)s, ITERATIONS, false) * (1 + 1e-9));
    }
  }
  pile_free(&a);
  pile_free(&both);
}

/* W of the pile as a full matrix: sweeps follow velocities there. */
static void make_dense(pile *a)
{
  const int n = 3 * a->p.ncontact;
  double *W = calloc((size_t)n * (size_t)n, sizeof *W);
  for (int i = 0; i < n; i++) {
    for (int e = a->row[i]; e < a->row[i + 1]; e++) {
      W[(size_t)i * (size_t)n + (size_t)a->col[e]] = a->W[e];
    }
  }
  free(a->W);
  a->W = W;
  a->p.W = W, a->p.W_col = NULL;
}

/* Residuals go up and down on these problems; the iterations of all solvers but auto do not depend on how many they may do, and all
 * evaluate every hundredth. */
static void more_iterations_never_make_the_answer_worse(void **state)
{
  (void)state;
  for (int k = 1; k < 2 * SHAPES; k++) {
    pile a;
    pile_make(&shapes[k % SHAPES], &a);
    if (k >= SHAPES) {
      make_dense(&a);
    }
    for (int s = 0; s < PK_SOLVER_COUNT; s++) {
      double before = INFINITY;
      for (int iterations = 100; iterations <= 800 && s != PK_SOLVER_AUTO; iterations *= 2) {
        if (pk_solver_suits((pk_solver)s, &a.p)) {
          const double now = relative_after(&a.p, (pk_solver)s, iterations, false);
          assert_at_most(now, before * (1 + 1e-9));
          before = now;
        }
      }
    }
    pile_free(&a);
  }
}

/* ---- the time limit ---- */

/* The same problem by its factor, Y = J dense. */
typedef struct factored {
  pk_contact_factor f;
  int *count, *col;
  double *Y, *weight, *extra;
} factored;

/* A chain of rocks in factor form: the rows of random directions in a velocity space of 12. */
static void make_factored(int rows, factored *out, pk_contact_problem *p, double *q, double *mu)
{
  enum { NU = 12 };
  pki_random rng = pki_random_seeded(11);
  const size_t n = (size_t)rows;
  out->count = calloc(n, sizeof(int)), out->col = calloc(n * NU, sizeof(int));
  out->Y = calloc(n * NU, sizeof(double)), out->weight = calloc(NU, sizeof(double));
  out->extra = calloc(n, sizeof(double));
  for (int i = 0; i < rows; i++) {
    out->count[i] = NU;
    q[i] = pki_random_between(&rng, -1, 0.2);
    mu[i / 3] = 0.7;
    for (int k = 0; k < NU; k++) {
      out->col[i * NU + k] = k, out->weight[k] = 1.0 / (1 + k);
      out->Y[i * NU + k] = pki_random_between(&rng, -1, 1);
    }
  }
  out->f = (pk_contact_factor){.n = NU,
                               .stride = NU,
                               .count = out->count,
                               .col = out->col,
                               .Y = out->Y,
                               .weight = out->weight,
                               .extra = out->extra};
  *p = (pk_contact_problem){.ncontact = rows / 3, .q = q, .mu = mu, .factor = &out->f};
}

static void free_factored(factored *f)
{
  void *const parts[] = {f->count, f->col, f->Y, f->weight, f->extra};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    free(parts[i]);
  }
}

/* Every solver that the problem suits, with a limit of `seconds` ticks. */
static void assert_all_end_in_time(const pk_contact_problem *p, double seconds, int *ended)
{
  double *zero = calloc((size_t)pk_contact_size(p), sizeof *zero);
  double *scratch = calloc((size_t)pk_contact_size(p), sizeof *scratch);
  const double start = pk_contact_certify(p, zero, scratch).relative;
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    if (!pk_solver_suits((pk_solver)s, p)) {
      continue;
    }
    double ticks = 0;
    pk_solver_options o = pk_solver_options_default();
    o.solver = (pk_solver)s, o.time_limit = seconds, o.tolerance = 1e-15;
    const answer a = solve_by(p, &o, (pki_clock_source){.now = tick, .user = &ticks});
    /* the clock is read at the beginning, once in an iteration at least, and never again when time is up */
    assert_at_most(ticks, seconds + 1);
    assert_at_most(a.result.iterations, seconds);
    assert_at_most(a.result.certificate.relative, start);
    assert_true(a.result.certificate.relative == pk_contact_certify(p, a.r, scratch).relative);
    assert_int_equal(a.status, a.result.certificate.relative <= 1e-15 ? PK_OK : PK_ERROR_CONVERGENCE);
    assert_true(a.result.timed_out || ticks <= seconds || a.status == PK_OK);
    ended[s] += a.result.timed_out;
    free(a.r);
  }
  free(zero);
  free(scratch);
}

static void every_solver_ends_when_the_time_is_up_with_the_best_so_far(void **state)
{
  (void)state;
  enum { ROWS = 60 };
  int ended[PK_SOLVER_COUNT] = {0};
  double q[ROWS], mu[ROWS];
  pk_contact_problem p;
  factored f;
  make_factored(ROWS, &f, &p, q, mu);
  for (int seconds = 1; seconds <= 10; seconds += 3) {
    for (int k = 2; k < 4; k++) {
      pile a;
      pile_make(&shapes[k], &a);
      assert_all_end_in_time(&a.p, seconds, ended);
      pile_free(&a);
    }
    assert_all_end_in_time(&p, seconds, ended);
  }
  free_factored(&f);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    assert_at_least(ended[s], 1);
  }
}

/* The last solver that auto tries may end by itself, with time left: those before it were ended all the same. */
static void auto_says_that_its_stages_had_too_little_time(void **state)
{
  (void)state;
  pile a;
  pile_make(&shapes[3], &a);
  for (int seconds = 20; seconds <= 2000; seconds *= 10) {
    double ticks = 0;
    pk_solver_options o = pk_solver_options_default();
    o.time_limit = seconds, o.thorough = true;
    const answer found = solve_by(&a.p, &o, (pki_clock_source){.now = tick, .user = &ticks});
    assert_int_equal(found.status, PK_ERROR_CONVERGENCE);
    assert_true(found.result.timed_out);
    assert_at_most(ticks, seconds + 1);
    free(found.r);
  }
  pile_free(&a);
}

static void a_limit_that_is_not_reached_changes_nothing(void **state)
{
  (void)state;
  pile a;
  pile_make(&shapes[1], &a);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    if (!pk_solver_suits((pk_solver)s, &a.p)) {
      continue;
    }
    double ticks = 0;
    pk_solver_options o = pk_solver_options_default();
    o.solver = (pk_solver)s, o.max_iterations = 200;
    const answer without = solve_by(&a.p, &o, (pki_clock_source){.now = refuse_to_tell});
    o.time_limit = 1e9;
    const answer with = solve_by(&a.p, &o, (pki_clock_source){.now = tick, .user = &ticks});
    assert_memory_equal(without.r, with.r, 3 * (size_t)a.p.ncontact * sizeof *with.r);
    assert_int_equal(without.result.iterations, with.result.iterations);
    assert_false(with.result.timed_out);
    assert_greater(ticks, 1);
    free(without.r);
    free(with.r);
  }
  pile_free(&a);
}

static void an_island_that_is_hard_leaves_time_for_the_others(void **state)
{
  (void)state;
  pile a, both;
  pile_make(&shapes[3], &a);
  join_piles(&a, &both);
  /* nothing presses on the second pile but at one contact, which a sweep solves */
  const int n = 3 * a.p.ncontact;
  for (int i = n; i < 2 * n; i++) {
    both.q[i] = i % 3 == 0 ? 1 : 0;
  }
  both.q[n] = -1e-3;
  double ticks = 0;
  pk_solver_options o = pk_solver_options_default();
  o.time_limit = 60;
  answer found = solve_by(&both.p, &o, (pki_clock_source){.now = tick, .user = &ticks});
  assert_true(found.result.timed_out);
  /* the first pile at rest: what is left is the second's */
  double *u = calloc(2 * (size_t)n, sizeof *u);
  pk_contact_velocity(&both.p, found.r, u);
  assert_at_least(u[n], -1e-9);
  free(u);
  free(found.r);
  pile_free(&a);
  pile_free(&both);
}

static void a_long_factorisation_looks_at_the_clock(void **state)
{
  (void)state;
  enum { N = 256 };
  const pki_dense_kernels *k = pki_dense_kernels_get();
  double *A = pki_aligned_alloc((size_t)N * N * sizeof *A), *line = pki_aligned_alloc(4 * N * sizeof *line);
  double inverse[N];
  int pivot[N];
  for (int way = 0; way < 3; way++) {
    for (int enough = 0; enough < 2; enough++) {
      double ticks = 0;
      pki_timer timer = pki_timer_start((pki_clock_source){.now = tick, .user = &ticks}, enough ? 1e9 : 3);
      for (int i = 0; i < N * N; i++) {
        A[i] = i % (N + 1) == 0 ? 2 * N : 1;
      }
      const bool good = way == 0   ? k->factor(A, N, N, 1e-13, line, inverse, &timer)
                        : way == 1 ? k->factor_symmetric(A, N, N, line, inverse, &timer)
                                   : k->factor_pivoted(A, N, N, line, inverse, pivot, &timer);
      assert_int_equal(good, enough);
      assert_true(enough ? ticks == 1 + N / 8 : ticks == 4);
    }
  }
  pki_aligned_free(A);
  pki_aligned_free(line);
}

/* ---- complementarity problems ---- */

static void lcp_solvers_end_when_the_time_is_up(void **state)
{
  (void)state;
  enum { N = 40 };
  pki_random rng = pki_random_seeded(5);
  double M[N * N], q[N], z[N], w[N];
  for (int i = 0; i < N; i++) {
    q[i] = pki_random_between(&rng, -1, 0.1);
    for (int j = 0; j < N; j++) {
      M[i * N + j] = i == j ? 4 : pki_random_between(&rng, -0.5, 0.5);
    }
  }
  const pk_lcp p = {.n = N, .M = M, .q = q};
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    for (int seconds = 1; seconds < 12; seconds += 5) {
      double ticks = 0;
      pk_lcp_options o = pk_lcp_options_default();
      o.solver = (pk_lcp_solver)s, o.time_limit = seconds, o.tolerance = 1e-15;
      void *memory = pki_aligned_alloc(pk_lcp_solve_memsize(&p, &o));
      pk_lcp_result result;
      memset(z, 0, sizeof z);
      const double start = pk_lcp_certify(&p, z, w).relative;
      const pk_status status =
          pki_lcp_solve(&p, &o, z, memory, (pki_clock_source){.now = tick, .user = &ticks}, &result);
      assert_int_equal(status, PK_ERROR_CONVERGENCE);
      assert_int_equal(result.outcome, PK_LCP_OUTCOME_TIME);
      assert_at_most(ticks, seconds + 1);
      assert_at_most(result.iterations, seconds + 1);
      assert_at_most(result.certificate.relative, start);
      assert_true(result.certificate.relative == pk_lcp_certify(&p, z, w).relative);
      pki_aligned_free(memory);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(auto_is_thorough_and_not_worse_than_any_solver_alone),
      cmocka_unit_test(auto_is_not_worse_than_a_solver_alone_on_islands_either),
      cmocka_unit_test(more_iterations_never_make_the_answer_worse),
      cmocka_unit_test(every_solver_ends_when_the_time_is_up_with_the_best_so_far),
      cmocka_unit_test(auto_says_that_its_stages_had_too_little_time),
      cmocka_unit_test(a_limit_that_is_not_reached_changes_nothing),
      cmocka_unit_test(an_island_that_is_hard_leaves_time_for_the_others),
      cmocka_unit_test(a_long_factorisation_looks_at_the_clock),
      cmocka_unit_test(lcp_solvers_end_when_the_time_is_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
