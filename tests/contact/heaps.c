/* Many contacts: islands, factor form against dense, heaps before the judge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "contact/linear/elimination.h"
#include "contact/problem/islands.h"
#include "contact/solvers/solver.h"
#include "heap.h"
#include "support/bounds.h"
#include "support/pace.h"

/* Solve from h->r with exactly the memory asked for, garbage in it and a guard behind it. */
static pk_solver_result solve(const pk_contact_problem *p, pk_solver solver, double tolerance, int most,
                              double *r, pk_status *status)
{
  enum { GUARD = 64 };
  pk_solver_options o = pk_solver_options_default();
  o.solver = solver, o.tolerance = tolerance, o.max_iterations = most;
  const size_t size = pk_contact_solve_memsize(p, &o);
  unsigned char *memory = pki_aligned_alloc(size + GUARD);
  assert_non_null(memory);
  memset(memory, 0xa5, size + GUARD);
  pk_solver_result result;
  *status = pk_contact_solve(p, &o, r, memory, &result);
  for (int i = 0; i < GUARD; i++) {
    assert_int_equal(memory[size + (size_t)i], 0xa5);
  }
  pki_aligned_free(memory);
  assert_int_equal(*status == PK_OK, result.certificate.relative <= tolerance);
  return result;
}

static void expect_solved(const char *name, const heap *h, pk_solver solver, double tolerance, int most)
{
  pk_status status;
  const pk_solver_result result = solve(&h->p, solver, tolerance, most, h->r, &status);
  print_message("%s, %d bodies, %d contacts: %s, %.1e after %d\n", name, h->nbody, h->p.ncontact,
                pk_solver_name(result.used), result.certificate.relative, result.iterations);
  assert_int_equal(status, PK_OK);
  double *u = malloc((size_t)pk_contact_size(&h->p) * sizeof *u);
  assert_at_most(pk_contact_certify(&h->p, h->r, u).relative, tolerance);
  free(u);
}

/* ---- the sparse elimination ---- */

/* (D + sum Y' C Y) x, row by row. */
static void multiply(const pki_sparse *s, const double *D, const double *C, const double *x, double *out)
{
  for (int k = 0; k < s->n; k++) {
    out[k] = D[k] * x[k];
  }
  for (int g = 0; g < s->groups; g++) {
    const int lanes = g < s->contacts ? 3 : 1;
    const double *Y = lanes == 3 ? s->Y3 : s->Y1 - s->start[s->contacts];
    double y[3] = {0}, f[3] = {0};
    for (int e = s->start[g]; e < s->start[g + 1]; e++) {
      for (int d = 0; d < lanes; d++) {
        y[d] += Y[lanes * e + d] * x[s->col[e]];
      }
    }
    for (int i = 0; i < lanes; i++) {
      for (int j = 0; j < lanes; j++) {
        f[i] += C[9 * g + 3 * i + j] * y[j];
      }
    }
    for (int e = s->start[g]; e < s->start[g + 1]; e++) {
      for (int d = 0; d < lanes; d++) {
        out[s->col[e]] += Y[lanes * e + d] * f[d];
      }
    }
  }
}

static void elimination_solves_systems_over_bodies_symmetric_or_not(void **state)
{
  (void)state;
  heap *h = heap_wall(6, 5, false, 0.5, 1e-3, 0, 1);
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_sparse_take(&counting, &h->p);
  pki_elimination_take(&counting, &h->p);
  void *memory = pki_aligned_alloc(counting.used);
  pki_arena arena = pki_arena_over(memory, counting.used);
  pki_sparse s = pki_sparse_take(&arena, &h->p);
  pki_elimination e = pki_elimination_take(&arena, &h->p);
  assert_false(arena.overflow);
  pki_sparse_pack(&s);
  assert_true(pki_elimination_analyse(&e, &s));
  assert_int_equal(e.nodes, h->nbody); /* six coordinates each */
  pki_random rng = pki_random_seeded(11);
  double *D = calloc((size_t)s.n, sizeof *D), *C = calloc(9 * (size_t)s.groups, sizeof *C);
  double *x = calloc((size_t)s.n, sizeof *x), *b = calloc((size_t)s.n, sizeof *b);
  for (int k = 0; k < s.n; k++) {
    D[k] = pki_random_between(&rng, 1, 2), x[k] = pki_random_between(&rng, -1, 1);
  }
  for (int g = 0; g < s.groups; g++) {
    for (int i = 0; i < 9; i++) {
      C[9 * g + i] = (i % 4 == 0 ? 2 : 0) + pki_random_between(&rng, -0.5, 0.5);
    }
  }
  static const char *const isas[] = {"base", "avx2", "avx512"};
  for (int k = 0; k < 6; k++) {
    const int symmetric = k / 3;
    e.kernels = pki_elimination_kernels_find(isas[k % 3]);
    for (int g = 0; g < s.groups && symmetric; g++) {
      double *c = C + 9 * (size_t)g;
      c[1] = c[3], c[2] = c[6], c[5] = c[7];
    }
    if (e.kernels == NULL) {
      continue; /* not on this machine */
    }
    multiply(&s, D, C, x, b);
    assert_true(pki_elimination_factor(&e, D, C));
    assert_int_equal(e.symmetric, symmetric);
    pki_elimination_solve(&e, b);
    for (int i = 0; i < s.n; i++) {
      assert_less(fabs(b[i] - x[i]), 1e-12);
    }
  }
  free(D), free(C), free(x), free(b);
  pki_aligned_free(memory);
  heap_destroy(h);
}

/* ---- islands ---- */

/* Several heaps beside each other as one problem. */
static heap *side_by_side(heap *const *parts, int count)
{
  int bodies = 0, contacts = 0;
  for (int k = 0; k < count; k++) {
    bodies += parts[k]->nbody, contacts += parts[k]->p.ncontact;
  }
  heap *h = heap_create(bodies, contacts, 0);
  /* contacts in turn, so that no island's rows are side by side */
  for (int i = 0, left = 1; left; i++) {
    left = 0;
    for (int k = 0, at = 0; k < count; at += 6 * parts[k]->nbody, k++) {
      const heap *from = parts[k];
      if (i >= from->p.ncontact) {
        continue;
      }
      left = 1;
      for (int d = 0; d < 3; d++) {
        const int row = 3 * h->p.ncontact + d, old = 3 * i + d;
        h->count[row] = from->count[old], h->q[row] = from->q[old];
        for (int e = 0; e < from->count[old]; e++) {
          h->col[row * HEAP_STRIDE + e] = from->col[old * HEAP_STRIDE + e] + at;
          h->Y[row * HEAP_STRIDE + e] = from->Y[old * HEAP_STRIDE + e];
        }
      }
      h->mu[h->p.ncontact++] = from->mu[i];
    }
  }
  for (int k = 0; k < count; k++) {
    memcpy(h->weight + 6 * h->nbody, parts[k]->weight, 6 * (size_t)parts[k]->nbody * sizeof(double));
    h->nbody += parts[k]->nbody;
  }
  heap_finish(h);
  return h;
}

static void islands_are_found_and_solved_as_the_whole(void **state)
{
  (void)state;
  heap *parts[5] = {heap_wall(1, 8, false, 0.5, 1e-3, 1e-3, 1), heap_wall(3, 3, true, 0.6, 1e-3, 0, 2),
                    heap_balls(3, 3, 0.5, 1e-3, 0.01, 3), heap_wall(1, 1, false, 0.3, 1e-3, 0.01, 4),
                    heap_wall(8, 8, false, 0.7, 1e-3, 0, 5)};
  heap *h = side_by_side(parts, 5);
  pk_error err = {.message = ""};
  assert_int_equal(pk_contact_validate(&h->p, &err), PK_OK);
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_islands_take(&counting, &h->p);
  void *memory = pki_aligned_alloc(counting.used);
  pki_arena arena = pki_arena_over(memory, counting.used);
  pki_islands s = pki_islands_take(&arena, &h->p);
  assert_int_equal(pki_islands_find(&s, &h->p), 5);
  int seen = 0;
  for (int k = 0; k < 5; k++) {
    pki_islands_gather(&s, &h->p, k, h->r);
    assert_int_equal(pk_contact_validate(&s.p, &err), PK_OK);
    assert_int_equal(s.p.ncontact, parts[k]->p.ncontact);
    for (int row = 0; row < pk_contact_size(&s.p); row++) { /* the same W, row by row */
      assert_less(fabs(pki_entry(&s.p, row, row) - pki_entry(&parts[k]->p, row, row)), 1e-14);
    }
    seen += pk_contact_size(&s.p);
  }
  assert_int_equal(seen, pk_contact_size(&h->p));
  pki_aligned_free(memory);
  expect_solved("five heaps", h, PK_SOLVER_AUTO, 1e-7, 20000);
  for (int k = 0; k < 5; k++) {
    expect_solved("one of them", parts[k], PK_SOLVER_AUTO, 1e-7, 20000);
    heap_destroy(parts[k]);
  }
  heap_destroy(h);
}

/* Blocks of a tower at rest beside one that is hit: each island is held to its own scale, as if it were alone. */
static void an_island_is_held_to_its_own_scale(void **state)
{
  (void)state;
  static const double tolerance = 1e-6, fast = 10; /* m/s */
  heap *parts[2] = {heap_wall(1, 6, false, 0.5, 1e-3, 1e-3, 1), heap_wall(1, 3, false, 0.5, 1e-3, 0, 2)};
  for (int row = 0; row < pk_contact_size(&parts[1]->p); row++) {
    parts[1]->q[row] -= row % 3 == 0 ? fast : 0;
  }
  heap *h = side_by_side(parts, 2);
  pk_status status;
  solve(&h->p, PK_SOLVER_AUTO, tolerance, 20000, h->r, &status);
  assert_int_equal(status, PK_OK);
  /* contacts came in turn while both had some */
  double *u = malloc((size_t)pk_contact_size(&h->p) * sizeof *u);
  const int both = 2 * parts[1]->p.ncontact;
  for (int i = 0; i < h->p.ncontact; i++) {
    const int part = i < both ? i % 2 : 0, at = i < both ? i / 2 : i - both / 2;
    memcpy(parts[part]->r + 3 * at, h->r + 3 * i, 3 * sizeof *h->r);
  }
  for (int k = 0; k < 2; k++) {
    const double alone = pk_contact_certify(&parts[k]->p, parts[k]->r, u).relative;
    print_message("island %d alone: %.1e\n", k, alone);
    assert_at_most(alone, tolerance);
  }
  free(u);
  heap_destroy(parts[0]), heap_destroy(parts[1]), heap_destroy(h);
}

/* The verdict on factors is the verdict on W. */
static void the_certificate_of_factors_is_that_of_the_dense_problem(void **state)
{
  (void)state;
  heap *parts[2] = {heap_wall(4, 4, false, 0.5, 1e-3, 1e-2, 1), heap_balls(3, 2, 0.4, 1e-3, 1e-2, 2)};
  heap *h = side_by_side(parts, 2);
  const int n = pk_contact_size(&h->p);
  double *W = calloc((size_t)n * (size_t)n, sizeof *W), *u = calloc((size_t)n, sizeof *u);
  for (int i = 0; i < n; i++) { /* entries as sums over coordinates, without pki_entry */
    for (int j = 0; j < n; j++) {
      for (int a = 0; a < h->count[i]; a++) {
        for (int b = 0; b < h->count[j]; b++) {
          const int ca = h->col[i * HEAP_STRIDE + a], cb = h->col[j * HEAP_STRIDE + b];
          W[i * n + j] +=
              ca == cb ? h->Y[i * HEAP_STRIDE + a] * h->weight[ca] * h->Y[j * HEAP_STRIDE + b] : 0;
        }
      }
    }
  }
  pk_contact_problem dense = h->p;
  dense.W = W, dense.factor = NULL;
  pk_status status;
  for (int k = 0; k < 2; k++) { /* of zero, and of a solution */
    const pk_contact_certificate c = k ? solve(&h->p, PK_SOLVER_AUTO, 1e-7, 20000, h->r, &status).certificate
                                       : pk_contact_certify(&h->p, h->r, u);
    const pk_contact_certificate d = pk_contact_certify(&dense, h->r, u);
    assert_at_most(fabs(c.relative - d.relative), 1e-12 + 1e-9 * d.relative);
    assert_at_most(fabs(c.unilateral - d.unilateral), 1e-12);
    assert_at_most(fabs(c.dissipation - d.dissipation), 1e-12);
  }
  free(W), free(u);
  heap_destroy(parts[0]), heap_destroy(parts[1]), heap_destroy(h);
}

/* Work in sweeps of the islands together is that of the dearest one. */
static void separate_stacks_cost_what_they_cost_alone(void **state)
{
  (void)state;
  enum { COPIES = 8 };
  heap *parts[COPIES];
  pk_status status;
  for (int k = 0; k < COPIES; k++) {
    parts[k] = heap_wall(1, 10, false, 0.6, 1e-3, 1e-3, 2);
  }
  heap *h = side_by_side(parts, COPIES);
  const pk_solver_result all = solve(&h->p, PK_SOLVER_AUTO, 1e-8, 20000, h->r, &status);
  assert_int_equal(status, PK_OK);
  const pk_solver_result one = solve(&parts[0]->p, PK_SOLVER_AUTO, 1e-8, 20000, parts[0]->r, &status);
  assert_int_equal(status, PK_OK);
  assert_int_equal(all.iterations, one.iterations);
  for (int i = 0; i < 3 * parts[0]->p.ncontact; i++) { /* and the same impulses, to the bit */
    assert_true(h->r[COPIES * 3 * (i / 3) + i % 3] == parts[0]->r[i]);
  }
  for (int k = 0; k < COPIES; k++) {
    heap_destroy(parts[k]);
  }
  heap_destroy(h);
}

/* A looser tolerance costs less: in proportion to its digits where sweeps do the work, a few steps less where Newton does. */
static void a_looser_tolerance_takes_fewer_iterations(void **state)
{
  (void)state;
  heap *const heaps[2] = {heap_wall(8, 8, false, 0.6, 1e-3, 1e-3, 3), heap_balls(6, 6, 0.5, 1e-3, 0, 7)};
  for (int k = 0; k < 2; k++) {
    heap *h = heaps[k];
    pk_status status;
    const int sharp = solve(&h->p, PK_SOLVER_AUTO, 1e-8, 20000, h->r, &status).iterations;
    memset(h->r, 0, (size_t)pk_contact_size(&h->p) * sizeof *h->r);
    const int loose = solve(&h->p, PK_SOLVER_AUTO, 1e-3, 20000, h->r, &status).iterations;
    print_message("1e-3 after %d, 1e-8 after %d\n", loose, sharp);
    assert_int_equal(status, PK_OK);
    assert_less(loose, sharp);
    assert_true(k == 0 || 2 * loose < sharp);
    heap_destroy(h);
  }
}

/* A ball that walls press from two sides faster than it can yield: no impulses solve that, and it must show soon. */
static void a_contradiction_ends_long_before_the_iterations(void **state)
{
  (void)state;
  enum { MOST = 20, ROWS = 3 * MOST };
  static const double weight[3] = {1, 1, 1}, extra[ROWS];
  for (int contacts = 2; contacts <= MOST; contacts += MOST - 2) { /* with W, and in velocities */
    int count[ROWS], col[ROWS];
    double Y[ROWS], q[ROWS], mu[MOST], r[ROWS] = {0};
    for (int i = 0; i < 3 * contacts; i++) {
      count[i] = 1, col[i] = i % 3;
      Y[i] = i % 6 == 3 ? -1 : 1;
      q[i] = i % 3 == 0 ? -1 : 0;
      mu[i / 3] = 0.5;
    }
    const pk_contact_factor factor = {
        .n = 3, .stride = 1, .count = count, .col = col, .Y = Y, .weight = weight, .extra = extra};
    const pk_contact_problem p = {.ncontact = contacts, .q = q, .mu = mu, .factor = &factor};
    assert_true(contacts == 2 || pk_contact_size(&p) > PKI_SPARSE_ROWS);
    pk_status status;
    const pk_solver_result result = solve(&p, PK_SOLVER_AUTO, 1e-8, 100000, r, &status);
    print_message("%d contacts: %.1e after %d\n", contacts, result.certificate.relative, result.iterations);
    assert_int_equal(status, PK_ERROR_CONVERGENCE);
    assert_at_least(result.certificate.relative, 0.5);
    assert_at_most(result.certificate.relative, 1);
    assert_less(result.iterations, 2500);
  }
}

/* Two unconnected blocks of a dense W, rows in turn. */
static void islands_of_a_dense_matrix_are_those_of_its_entries(void **state)
{
  (void)state;
  heap *parts[2] = {heap_wall(1, 4, false, 0.5, 1e-3, 0.01, 1), heap_wall(2, 2, true, 0.6, 1e-3, 0.01, 2)};
  heap *h = side_by_side(parts, 2);
  const int n = pk_contact_size(&h->p);
  double *W = calloc((size_t)n * (size_t)n, sizeof *W), *r = calloc((size_t)n, sizeof *r);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      W[i * n + j] = pki_entry(&h->p, i, j);
    }
  }
  pk_contact_problem p = h->p;
  p.W = W, p.factor = NULL;
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_islands_take(&counting, &p);
  void *memory = pki_aligned_alloc(counting.used);
  pki_arena arena = pki_arena_over(memory, counting.used);
  pki_islands s = pki_islands_take(&arena, &p);
  assert_int_equal(pki_islands_find(&s, &p), 2);
  pki_aligned_free(memory);
  pk_status status;
  solve(&p, PK_SOLVER_AUTO, 1e-8, 20000, r, &status);
  assert_int_equal(status, PK_OK);
  free(W), free(r);
  heap_destroy(parts[0]), heap_destroy(parts[1]), heap_destroy(h);
}

/* ---- solvers ---- */

/* Where nothing is redundant the solution is one: both forms find it. */
static void factor_form_and_dense_form_agree(void **state)
{
  (void)state;
  heap *h = heap_balls(3, 3, 0.4, 1e-3, 0, 6);
  const int n = pk_contact_size(&h->p);
  double *W = calloc((size_t)n * (size_t)n, sizeof *W), *r = calloc((size_t)n, sizeof *r);
  double *u = calloc((size_t)n, sizeof *u), *v = calloc((size_t)n, sizeof *v);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      W[i * n + j] = pki_entry(&h->p, i, j);
    }
  }
  pk_contact_problem p = h->p;
  p.W = W, p.factor = NULL;
  pk_status status;
  solve(&p, PK_SOLVER_AUTO, 1e-9, 20000, r, &status);
  assert_int_equal(status, PK_OK);
  pk_contact_velocity(&p, r, u);
  static const pk_solver solvers[] = {PK_SOLVER_AUTO, PK_SOLVER_BGS_VELOCITY, PK_SOLVER_NEWTON_VELOCITY};
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    memset(h->r, 0, (size_t)n * sizeof *h->r);
    solve(&h->p, solvers[k], 1e-9, 20000, h->r, &status);
    assert_int_equal(status, PK_OK);
    pk_contact_velocity(&h->p, h->r, v);
    for (int i = 0; i < n; i++) {
      assert_less(fabs(u[i] - v[i]), 1e-7);
    }
  }
  free(W), free(r), free(u), free(v);
  heap_destroy(h);
}

static void towers_walls_and_pyramids_are_certified(void **state)
{
  (void)state;
  heap *const heaps[] = {heap_wall(1, 20, false, 0.6, 1e-3, 0, 1),
                         heap_wall(1, 20, false, 0.6, 1e-3, 1e-3, 2),
                         heap_wall(10, 10, false, 0.6, 1e-3, 0, 3), heap_wall(12, 12, true, 0.6, 1e-3, 0, 4)};
  static const char *const names[] = {"a tower", "a tower that sways", "a wall", "a pyramid"};
  for (int k = 0; k < 4; k++) {
    expect_solved(names[k], heaps[k], PK_SOLVER_AUTO, 1e-6, 5000);
    expect_solved("again", heaps[k], PK_SOLVER_AUTO, 1e-6, 5000);
    heap_destroy(heaps[k]);
  }
}

static void a_heap_of_balls_is_certified_cold_and_warm(void **state)
{
  (void)state;
  const int n = PACE(10, 6);
  heap *h = heap_balls(n, n, 0.5, 1e-3, 0, 7), *next = heap_balls(n, n, 0.5, 1.02e-3, 1e-4, 7);
  expect_solved("cold", h, PK_SOLVER_AUTO, 1e-6, 5000);
  memcpy(next->r, h->r, (size_t)pk_contact_size(&h->p) * sizeof *h->r);
  expect_solved("warm", next, PK_SOLVER_AUTO, 1e-6, 5000);
  heap_destroy(h), heap_destroy(next);
}

/* A projection: box rows alone, gaps below zero. */
static void box_rows_of_a_heap_are_certified(void **state)
{
  (void)state;
  heap *wall = heap_wall(10, 10, false, 0, 1e-3, 0, 8);
  heap *h = heap_create(wall->nbody, 0, 3 * wall->p.ncontact);
  pki_random rng = pki_random_seeded(8);
  memcpy(h->centre, wall->centre, (size_t)wall->nbody * sizeof *h->centre);
  memcpy(h->weight, wall->weight, 6 * (size_t)wall->nbody * sizeof(double));
  h->nbody = wall->nbody;
  for (int i = 0; i < wall->p.ncontact; i++) {
    for (int d = 0; d < 3; d++) {
      const int from = 3 * i + d, row = h->p.nbox;
      h->count[row] = wall->count[from];
      memcpy(h->col + row * HEAP_STRIDE, wall->col + from * HEAP_STRIDE, HEAP_STRIDE * sizeof(int));
      memcpy(h->Y + row * HEAP_STRIDE, wall->Y + from * HEAP_STRIDE, HEAP_STRIDE * sizeof(double));
      h->lower[row] = d == 0 ? 0 : -INFINITY, h->upper[row] = INFINITY;
      h->q[row] = d == 0 ? -1e-6 * pki_random_unit(&rng) : 0;
      if (d > 0) { /* tangents yield, as in a step's projection */
        h->extra[row] = 0.01 * h->weight[0];
      }
      h->p.nbox++;
    }
  }
  heap_finish(h);
  expect_solved("a projection", h, PK_SOLVER_AUTO, 1e-6, 5000);
  heap_destroy(wall), heap_destroy(h);
}

/* One connected heap of 3000 contacts without walls. */
static void a_connected_pyramid_of_3000_contacts_is_certified(void **state)
{
  (void)state;
  const int n = PACE(28, 14);
  heap *h = heap_wall(n, n, true, 0.6, 1e-3, 0, 5);
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_islands_take(&counting, &h->p);
  void *memory = pki_aligned_alloc(counting.used);
  pki_arena arena = pki_arena_over(memory, counting.used);
  pki_islands s = pki_islands_take(&arena, &h->p);
  assert_int_equal(pki_islands_find(&s, &h->p), 1);
  pki_aligned_free(memory);
  expect_solved("a pyramid", h, PK_SOLVER_AUTO, 1e-6, 5000);
  heap_destroy(h);
}

static void a_budget_too_small_ends_with_a_status(void **state)
{
  (void)state;
  heap *h = heap_wall(10, 10, false, 0.6, 1e-3, 0.02, 9);
  pk_status status;
  const pk_solver_result result = solve(&h->p, PK_SOLVER_AUTO, 1e-12, 30, h->r, &status);
  assert_int_equal(status, PK_ERROR_CONVERGENCE);
  assert_at_most(result.iterations, 30);
  assert_true(isfinite(result.certificate.residual));
  heap_destroy(h);
}

/* Scratch grows with the contacts, not with their square. */
static void memory_grows_with_the_contacts(void **state)
{
  (void)state;
  const pk_contact_factor f = {.n = 6000, .stride = 12};
  const pk_solver_options o = pk_solver_options_default();
  const size_t ten = pk_contact_solve_memsize(&(pk_contact_problem){.ncontact = 10000, .factor = &f}, &o);
  const size_t hundred =
      pk_contact_solve_memsize(&(pk_contact_problem){.ncontact = 100000, .factor = &f}, &o);
  assert_less(hundred, 10 * ten);
  assert_true(hundred < (size_t)1 << 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elimination_solves_systems_over_bodies_symmetric_or_not),
      cmocka_unit_test(islands_are_found_and_solved_as_the_whole),
      cmocka_unit_test(an_island_is_held_to_its_own_scale),
      cmocka_unit_test(the_certificate_of_factors_is_that_of_the_dense_problem),
      cmocka_unit_test(separate_stacks_cost_what_they_cost_alone),
      cmocka_unit_test(a_looser_tolerance_takes_fewer_iterations),
      cmocka_unit_test(a_contradiction_ends_long_before_the_iterations),
      cmocka_unit_test(islands_of_a_dense_matrix_are_those_of_its_entries),
      cmocka_unit_test(factor_form_and_dense_form_agree),
      cmocka_unit_test(towers_walls_and_pyramids_are_certified),
      cmocka_unit_test(a_heap_of_balls_is_certified_cold_and_warm),
      cmocka_unit_test(a_connected_pyramid_of_3000_contacts_is_certified),
      cmocka_unit_test(box_rows_of_a_heap_are_certified),
      cmocka_unit_test(a_budget_too_small_ends_with_a_status),
      cmocka_unit_test(memory_grows_with_the_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
