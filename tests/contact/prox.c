/* The projected iterations: in impulses and in velocities, alpha, and the stop rule in changes. */
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
#include "contact/solvers/solver.h"
#include "support/bounds.h"

enum { N = 17, NU = 24 }; /* four contacts, two bilateral rows, three boxes */

typedef struct world {
  pk_contact_problem p;
  pk_contact_factor factor;
  double W[N * N], q[N], mu[4], lower[3], upper[3], Y[N * NU], weight[NU], extra[N];
  int count[N], col[N * NU];
} world;

/* Rows on every second coordinate or on all, W from their products. */
static void make_world(world *w, uint64_t seed)
{
  pki_random rng = pki_random_seeded(seed);
  memset(w, 0, sizeof *w);
  for (int k = 0; k < NU; k++) {
    w->weight[k] = pki_random_between(&rng, 0.2, 1);
  }
  for (int i = 0; i < N; i++) {
    const int stride = 1 + i % 2;
    for (int k = i % 3; k < NU; k += stride) {
      const int e = i * NU + w->count[i]++;
      w->col[e] = k, w->Y[e] = pki_random_between(&rng, -1, 1);
    }
    w->extra[i] = i > 12 ? 0.3 : 0;
    w->q[i] = pki_random_between(&rng, -1, 0.5);
  }
  for (int i = 0; i < 4; i++) {
    w->mu[i] = 0.2 + 0.2 * i;
  }
  for (int i = 0; i < 3; i++) {
    w->lower[i] = -0.05, w->upper[i] = 0.1;
  }
  w->factor = (pk_contact_factor){NU, NU, w->count, w->col, w->Y, w->weight, w->extra};
  w->p = (pk_contact_problem){.ncontact = 4,
                              .nbilateral = 2,
                              .nbox = 3,
                              .q = w->q,
                              .mu = w->mu,
                              .lower = w->lower,
                              .upper = w->upper,
                              .factor = &w->factor};
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      w->W[i * N + j] = pki_entry(&w->p, i, j); /* from the factor, W is not there yet */
    }
  }
  w->p.W = w->W;
  pk_error err = {.message = ""};
  assert_int_equal(pk_contact_validate(&w->p, &err), PK_OK);
}

static pk_status run(const pk_contact_problem *p, pk_solver_options o, double *r, pk_solver_result *result)
{
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, &o));
  const pk_status status = pk_contact_solve(p, &o, r, memory, result);
  pki_aligned_free(memory);
  return status;
}

/* W by a sum over all coordinates, apart from the library's own product. */
static void the_factor_stands_for_W(void **state)
{
  (void)state;
  static world w;
  make_world(&w, 1);
  double dense[N][NU] = {{0}}, r[N], u[N], v[N];
  for (int i = 0; i < N; i++) {
    r[i] = sin(i + 1.0);
    for (int e = 0; e < w.count[i]; e++) {
      dense[i][w.col[i * NU + e]] = w.Y[i * NU + e];
    }
  }
  pk_contact_problem alone = w.p;
  alone.W = NULL;
  pk_contact_velocity(&alone, r, v);
  for (int i = 0; i < N; i++) {
    u[i] = w.q[i];
    for (int j = 0; j < N; j++) {
      double entry = i == j ? w.extra[i] : 0;
      for (int k = 0; k < NU; k++) {
        entry += dense[i][k] * w.weight[k] * dense[j][k];
      }
      assert_less(fabs(entry - w.W[i * N + j]), 1e-14);
      u[i] += entry * r[j];
    }
    assert_less(fabs(u[i] - v[i]), 1e-13);
  }
  double scratch[N];
  const pk_contact_certificate a = pk_contact_certify(&w.p, r, scratch),
                               b = pk_contact_certify(&alone, r, scratch);
  assert_less(fabs(a.residual - b.residual), 1e-12);
  assert_true(a.worst == b.worst);
}

/* Equations 13 to 16 and 17 to 19 are one iteration in two forms. */
static void both_forms_make_the_same_iterates(void **state)
{
  (void)state;
  static world w;
  const pk_solver pairs[2][2] = {{PK_SOLVER_JOR, PK_SOLVER_JOR_VELOCITY},
                                 {PK_SOLVER_SOR, PK_SOLVER_SOR_VELOCITY}};
  for (int seed = 1; seed < 6; seed++) {
    make_world(&w, (uint64_t)seed);
    for (int k = 0; k < 2; k++) {
      for (int sweeps = 1; sweeps < 130; sweeps = 2 * sweeps + 1) {
        double r[2][N] = {{0}, {0}};
        for (int form = 0; form < 2; form++) {
          pk_solver_options o = pk_solver_options_default();
          /* the rule in changes returns the last iterate */
          o.solver = pairs[k][form], o.alpha = k ? 0.9 : 0.2, o.max_iterations = sweeps;
          o.stop = PK_SOLVER_STOP_CHANGE, o.change_rel = o.change_abs = 0;
          pk_contact_problem p = w.p;
          p.W = form ? NULL : w.W; /* the second form must not need it */
          p.factor = form ? &w.factor : NULL;
          pk_solver_result result;
          run(&p, o, r[form], &result);
          assert_at_most(result.iterations, sweeps); /* fewer when nothing moves at all */
        }
        for (int i = 0; i < N; i++) {
          assert_less(fabs(r[0][i] - r[1][i]), 1e-11);
        }
      }
    }
  }
}

static void a_solver_without_what_it_reads_says_so(void **state)
{
  (void)state;
  static world w;
  make_world(&w, 2);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    if (s == PK_SOLVER_AUTO) {
      continue; /* reads what there is */
    }
    const bool velocities = !pki_solvers[s]->reads_W;
    pk_contact_problem p = w.p;
    p.W = velocities ? w.W : NULL;
    p.factor = velocities ? NULL : &w.factor;
    pk_solver_options o = pk_solver_options_default();
    o.solver = (pk_solver)s;
    double r[N] = {[3] = 0.5}, was[N];
    memcpy(was, r, sizeof was);
    pk_solver_result result;
    assert_false(pk_solver_suits((pk_solver)s, &p));
    assert_int_equal(run(&p, o, r, &result), PK_ERROR_UNSUPPORTED);
    assert_memory_equal(r, was, sizeof was);
    assert_true(isfinite(result.certificate.residual));
    assert_true(pk_solver_suits((pk_solver)s, &w.p));
  }
}

/* The paper's rule: nothing moves by more than T_rel |r| + T_abs, which is no statement about the laws. */
static void sweeps_stop_when_impulses_rest(void **state)
{
  (void)state;
  static world w;
  make_world(&w, 3);
  const pk_solver solvers[] = {PK_SOLVER_JOR, PK_SOLVER_SOR, PK_SOLVER_BGS, PK_SOLVER_JOR_VELOCITY,
                               PK_SOLVER_SOR_VELOCITY};
  for (int s = 0; s < 5; s++) {
    int last = 0;
    for (double t = 1e-3; t > 1e-10; t *= 1e-3) {
      pk_solver_options o = pk_solver_options_default();
      o.solver = solvers[s], o.stop = PK_SOLVER_STOP_CHANGE, o.change_rel = o.change_abs = t;
      double r[N] = {0}, again[N];
      pk_solver_result result;
      assert_int_equal(run(&w.p, o, r, &result), PK_OK);
      assert_greater(result.iterations, last);
      last = result.iterations;
      assert_less(result.certificate.relative, 1e3 * t);
      /* one more sweep indeed moves nothing by more than that */
      memcpy(again, r, sizeof again);
      o.max_iterations = 1;
      run(&w.p, o, again, &result);
      for (int i = 0; i < N; i++) {
        assert_at_most(fabs(again[i] - r[i]), 1.01 * (t * fabs(r[i]) + t));
      }
    }
  }
}

/* Two bilateral rows of the same direction and alpha = 1: Jacobi goes to and fro between two answers with the same
 * velocities to come. The energy of the iterate stays, and that ends it. */
static void impulses_that_cycle_at_constant_energy_are_an_end(void **state)
{
  (void)state;
  const double W[4] = {1, 1, 1, 1}, q[2] = {1, 1};
  const pk_contact_problem p = {.nbilateral = 2, .W = W, .q = q};
  pk_solver_options o = pk_solver_options_default();
  o.solver = PK_SOLVER_JOR, o.alpha = 1, o.stop = PK_SOLVER_STOP_CHANGE;
  double r[2] = {0};
  pk_solver_result result;
  assert_int_equal(run(&p, o, r, &result), PK_OK);
  assert_at_most(result.iterations, 200);
  assert_greater(result.certificate.relative, 0.5); /* the judge is not taken in */
  o.change_rel = 0, o.max_iterations = 1000;        /* without a tolerance there is no such end */
  r[0] = 0.25, r[1] = 0;
  const pk_status status = run(&p, o, r, &result);
  assert_true(status == PK_ERROR_CONVERGENCE || result.iterations < 1000);
}

/* What is not finite is no rest. */
static void impulses_that_are_no_numbers_do_not_rest(void **state)
{
  (void)state;
  static world w;
  make_world(&w, 4);
  pk_solver_options o = pk_solver_options_default();
  o.solver = PK_SOLVER_SOR, o.stop = PK_SOLVER_STOP_CHANGE;
  double r[N] = {[13] = NAN};
  pk_solver_result result;
  assert_int_equal(run(&w.p, o, r, &result), PK_ERROR_CONVERGENCE);
  assert_false(result.certificate.residual <= 1);
}

/* The dominant direction is hidden from the power iteration, which starts across it: alpha comes out too large by
 * far, and the iteration must notice. */
static void a_runaway_alpha_is_halved(void **state)
{
  (void)state;
  enum { K = 4 };
  /* the start is (1, 1.37, 1.74, 2.11), and n'start = 0; W = 1/2 + 1/2 n n' = Y Y' has 5/2 along n, 1/2 else */
  const double n[K] = {1, -1, -1, 1}, q[K] = {-1, 0.5, 0.3, 0.2}, weight[K] = {1, 1, 1, 1}, extra[K] = {0};
  const double a = sqrt(0.5), b = (sqrt(2.5) - a) / K;
  const int count[K] = {K, K, K, K};
  double W[K * K], Y[K * K];
  int col[K * K];
  for (int i = 0; i < K * K; i++) {
    const int row = i / K, column = i % K;
    col[i] = column;
    W[i] = (row == column) * 0.5 + 0.5 * n[row] * n[column];
    Y[i] = (row == column) * a + b * n[row] * n[column];
  }
  const pk_contact_factor factor = {K, K, count, col, Y, weight, extra};
  const pk_contact_problem p = {.nbilateral = K, .W = W, .q = q, .factor = &factor};
  for (int s = 0; s < 2; s++) {
    for (int stop = 0; stop < PK_SOLVER_STOP_COUNT; stop++) {
      pk_solver_options o = pk_solver_options_default();
      o.solver = s ? PK_SOLVER_JOR_VELOCITY : PK_SOLVER_JOR, o.stop = (pk_solver_stop)stop;
      o.change_rel = o.change_abs = 1e-12;
      double r[4] = {0};
      pk_solver_result result;
      assert_int_equal(run(&p, o, r, &result), PK_OK);
      assert_at_most(result.certificate.relative, 1e-8);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_factor_stands_for_W),
      cmocka_unit_test(both_forms_make_the_same_iterates),
      cmocka_unit_test(a_solver_without_what_it_reads_says_so),
      cmocka_unit_test(sweeps_stop_when_impulses_rest),
      cmocka_unit_test(impulses_that_cycle_at_constant_energy_are_an_end),
      cmocka_unit_test(impulses_that_are_no_numbers_do_not_rest),
      cmocka_unit_test(a_runaway_alpha_is_halved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
