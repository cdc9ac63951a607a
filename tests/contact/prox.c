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

/* As many sweeps of one form from zero, with the option `kind` (bit 0: contact by contact, bit 1: equation 20). */
static pk_solver_result sweep_from_zero(const world *w, pk_solver solver, int kind, double alpha, int sweeps,
                                        double *r)
{
  const bool velocities = !pki_solvers[solver]->reads_W;
  pk_solver_options o = pk_solver_options_default();
  pk_solver_result result;
  pk_contact_problem p = w->p;
  p.W = velocities ? NULL : w->W; /* each form gets what it reads and nothing else */
  p.factor = velocities ? &w->factor : NULL;
  o.solver = solver, o.alpha = alpha, o.max_iterations = sweeps;
  o.succession = kind & 1 ? PK_SOLVER_SUCCESSION_CONTACT : PK_SOLVER_SUCCESSION_FINE;
  o.bilateral_direct = kind & 2;
  /* the rule in changes returns the last iterate */
  o.stop = PK_SOLVER_STOP_CHANGE, o.change_rel = o.change_abs = 0;
  memset(r, 0, N * sizeof *r);
  run(&p, o, r, &result);
  return result;
}

/* Equations 13 to 16 and 17 to 20 are one iteration in two forms. */
static void both_forms_make_the_same_iterates(void **state)
{
  (void)state;
  static world w;
  const pk_solver pairs[2][2] = {{PK_SOLVER_JOR, PK_SOLVER_JOR_VELOCITY},
                                 {PK_SOLVER_SOR, PK_SOLVER_SOR_VELOCITY}};
  for (int seed = 1; seed < 6; seed++) {
    make_world(&w, (uint64_t)seed);
    for (int k = 0; k < 8; k++) {
      for (int sweeps = 1; sweeps < 130; sweeps = 2 * sweeps + 1) {
        double r[2][N];
        for (int form = 0; form < 2; form++) {
          const pk_solver_result result =
              sweep_from_zero(&w, pairs[k & 1][form], k >> 1, k & 1 ? 0.9 : 0.2, sweeps, r[form]);
          assert_at_most(result.iterations, sweeps); /* fewer when nothing moves at all */
        }
        for (int i = 0; i < N; i++) {
          assert_less(fabs(r[0][i] - r[1][i]), 1e-11);
        }
      }
    }
  }
}

/* The first sweep from zero by hand: a disc of the old normal impulse is a point, one of the new normal impulse is not. */
static void a_contact_at_once_slides_on_its_old_disc(void **state)
{
  (void)state;
  static world w;
  make_world(&w, 7);
  const pk_solver solvers[] = {PK_SOLVER_JOR, PK_SOLVER_JOR_VELOCITY, PK_SOLVER_SOR, PK_SOLVER_SOR_VELOCITY};
  for (int s = 0; s < 4; s++) {
    double fine[N], whole[N], normals = 0, tangents = 0;
    sweep_from_zero(&w, solvers[s], 0, 0.5, 1, fine);
    sweep_from_zero(&w, solvers[s], 1, 0.5, 1, whole);
    for (int i = 0; i < 4; i++) {
      normals += whole[3 * i];
      tangents += hypot(fine[3 * i + 1], fine[3 * i + 2]);
      assert_true(whole[3 * i + 1] == 0 && whole[3 * i + 2] == 0);
    }
    assert_greater(normals, 0);
    assert_greater(tangents, 0);
    assert_less(fabs(whole[0] - fmax(0, -0.5 * w.q[0] / w.W[0])), 1e-15);
  }
}

/* Equation 20: whatever the contacts have come to, bilateral rows do not move. Equation 14 comes to that in the end alone. */
static void exact_rows_rest_after_every_sweep(void **state)
{
  (void)state;
  static world w;
  make_world(&w, 8);
  const pk_solver solvers[] = {PK_SOLVER_JOR, PK_SOLVER_JOR_VELOCITY, PK_SOLVER_SOR, PK_SOLVER_SOR_VELOCITY};
  for (int s = 0; s < 4; s++) {
    for (int kind = 0; kind < 4; kind++) {
      double r[N];
      const pk_solver_result result = sweep_from_zero(&w, solvers[s], kind, 0.2, 3, r);
      if (kind & 2) {
        assert_less(result.certificate.bilateral, 1e-14);
      } else {
        assert_greater(result.certificate.bilateral, 1e-3);
      }
    }
  }
}

/* The ways differ in their iterates, not in their answer. */
static void every_succession_has_the_same_answer(void **state)
{
  (void)state;
  static world w;
  const pk_solver solvers[] = {PK_SOLVER_JOR, PK_SOLVER_JOR_VELOCITY, PK_SOLVER_SOR, PK_SOLVER_SOR_VELOCITY};
  make_world(&w, 9);
  for (int s = 0; s < 4; s++) {
    double r[4][N];
    for (int kind = 0; kind < 4; kind++) {
      const pk_solver_result result = sweep_from_zero(&w, solvers[s], kind, 0.2, 100000, r[kind]);
      assert_less(result.certificate.relative, 1e-10);
      for (int i = 0; i < N; i++) {
        assert_less(fabs(r[kind][i] - r[0][i]), 1e-8);
      }
    }
  }
}

/* A row that repeats another one has no pivot of its own; nothing is divided by it. */
static void repeated_rows_are_solved_once(void **state)
{
  (void)state;
  const double W[9] = {2, 2, 1, 2, 2, 1, 1, 1, 3}, q[3] = {-1, -1, 0.5};
  const pk_contact_problem p = {.nbilateral = 3, .W = W, .q = q};
  for (int s = 0; s < 2; s++) {
    pk_solver_options o = pk_solver_options_default();
    o.solver = s ? PK_SOLVER_SOR : PK_SOLVER_JOR, o.bilateral_direct = true;
    double r[3] = {0};
    pk_solver_result result;
    assert_int_equal(run(&p, o, r, &result), PK_OK);
    assert_less(result.certificate.residual, 1e-14);
    assert_at_most(result.iterations, 4);
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
      cmocka_unit_test(a_contact_at_once_slides_on_its_old_disc),
      cmocka_unit_test(exact_rows_rest_after_every_sweep),
      cmocka_unit_test(every_succession_has_the_same_answer),
      cmocka_unit_test(repeated_rows_are_solved_once),
      cmocka_unit_test(a_solver_without_what_it_reads_says_so),
      cmocka_unit_test(sweeps_stop_when_impulses_rest),
      cmocka_unit_test(impulses_that_cycle_at_constant_energy_are_an_end),
      cmocka_unit_test(impulses_that_are_no_numbers_do_not_rest),
      cmocka_unit_test(a_runaway_alpha_is_halved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
