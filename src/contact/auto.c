/* Climb from the cheap to the strong until the tolerance is met. Each solver starts from the best
 * impulses so far, or afresh: Newton's method finds from zero what it misses from a point that
 * Gauss-Seidel has crept to.
 *
 * Friction is not monotone, so a solver can end in front of a fold: bodies on an edge that rest on two corners
 * and miss the others by nanometres per second. There a nudge helps: a problem in which every
 * contact approaches a little slower, each by another amount, is solved first, and Newton goes on
 * from its solution.
 *
 * Problems with factors are solved island by island (heap.c). */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "contact/heap.h"
#include "contact/islands.h"
#include "contact/solver.h"

typedef struct rung {
  pk_solver solver;
  int iterations; /* at most */
  bool afresh;    /* from zero */
} rung;

static const rung first[] = {
    {PK_SOLVER_BGS, 20, false},   /* most problems of robots end here, */
    {PK_SOLVER_NEWTON, 8, false}, /* or here */
    {PK_SOLVER_IPM, 60, false},   {PK_SOLVER_NEWTON, 100, false}, {PK_SOLVER_BGS, 200, true},
};

static const rung last[] = {
    {PK_SOLVER_NEWTON, 2000, true}, {PK_SOLVER_BGS, 2000, false},    {PK_SOLVER_NEWTON, 2000, false},
    {PK_SOLVER_ACLM, 5000, false},  {PK_SOLVER_NEWTON, 2000, false}, {PK_SOLVER_BGS, 1 << 30, false},
};

/* Solvers of a nudged problem, and of the problem from there. */
static const rung nudged[] = {
    {PK_SOLVER_IPM, 40, false}, {PK_SOLVER_NEWTON, 40, false}, {PK_SOLVER_NEWTON, 60, false}};
enum {
  NUDGES = 60,
  PADDING = 4096 /* bytes: rows of other kinds have other paddings */
};

/* What a nudged problem is solved in. */
typedef struct nudge {
  double *q, *r, *best, *u; /* [n] */
} nudge;

static nudge take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p);
  nudge s;
  s.q = pki_arena_take(arena, n, sizeof(double));
  s.r = pki_arena_take(arena, n, sizeof(double));
  s.best = pki_arena_take(arena, n, sizeof(double));
  s.u = pki_arena_take(arena, n, sizeof(double));
  return s;
}

size_t pki_auto_memsize(const pk_contact_problem *p)
{
  static const pk_solver in_impulses[] = {PK_SOLVER_BGS, PK_SOLVER_IPM, PK_SOLVER_NEWTON, PK_SOLVER_ACLM};
  pki_arena arena = pki_arena_over(NULL, 0);
  size_t most = 0;
  take(&arena, p);
  pki_islands_take(&arena, p);
  /* dense rows may be contacts or not: the larger */
  const int dense = pki_dense_rows(p);
  const pk_contact_problem shapes[2] = {
      {.ncontact = p->ncontact < dense / 3 ? p->ncontact : dense / 3, .nbox = dense}, {.nbox = dense}};
  for (size_t s = 0; s < sizeof in_impulses / sizeof in_impulses[0]; s++) {
    for (int k = 0; k < 2; k++) {
      pk_contact_problem shape = shapes[k];
      shape.nbox -= 3 * shape.ncontact;
      const size_t size = pki_solvers[in_impulses[s]].memsize(&shape);
      most = size > most ? size : most;
    }
  }
  if (p->factor != NULL) {
    pki_arena_take(&arena, pki_heap_memsize(p), 1);
  }
  pki_arena_take(&arena, most + PADDING, 1);
  return arena.used;
}

/* Sweeps that an iteration of a solver counts for: a dense factorisation for more in large problems. */
static int charge(const pki_solve *run, pk_solver solver)
{
  enum { SMALL = 90 }; /* rows */
  const double dense = (double)pk_contact_size(run->p) / SMALL;
  const bool factors = solver == PK_SOLVER_IPM || solver == PK_SOLVER_NEWTON;
  return (int)fmax(1, factors ? dense * dense : 1);
}

/* One solver from run->r. */
static void climb(pki_solve *run, pk_solver solver, int iterations)
{
  const int before = run->iterations, cost = charge(run, solver);
  const int left = (run->options->max_iterations - before) / cost;
  const int enough = cost > 1 && iterations > 12 ? 12 : cost > 1 ? iterations : 1;
  if (left < enough || pki_solve_done(run)) {
    return; /* a few eliminations alone would be wasted */
  }
  run->now = solver;
  run->limit = before + (left < iterations ? left : iterations);
  pki_solvers[solver].solve(run);
  run->iterations = before + cost * (run->iterations - before);
}

static void climb_all(pki_solve *run, const rung *rungs, int count)
{
  const size_t bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  for (int k = 0; k < count && !pki_solve_done(run); k++) {
    if (rungs[k].afresh) {
      memset(run->r, 0, bytes);
      run->fresh = false;
    } else if (memcmp(run->r, run->best, bytes) != 0) {
      memcpy(run->r, run->best, bytes);
      run->fresh = false;
    }
    climb(run, rungs[k].solver, rungs[k].iterations);
  }
}

/* Solve with nudged q, then the problem itself from there. */
static void climb_nudged(pki_solve *run, const rung rungs[3], int attempt)
{
  static const double sizes[4] = {1e-3, 1e-2, 1e-1, 1e-4}; /* of the largest |q| */
  const size_t n = (size_t)pk_contact_size(run->p), mark = pki_arena_mark(&run->arena);
  nudge s = take(&run->arena, run->p);
  pk_contact_problem p = *run->p;
  memcpy(s.q, p.q, n * sizeof *s.q);
  pki_random rng = pki_random_seeded((uint64_t)attempt + 1);
  for (int i = 0; i < p.ncontact; i++) {
    s.q[3 * i] += sizes[attempt % 4] * run->scale * pki_random_unit(&rng);
  }
  p.q = s.q;
  pki_solve other = *run;
  other.p = &p, other.r = s.r, other.best = s.best, other.u = s.u;
  other.residual = INFINITY, other.fresh = false;
  memcpy(s.r, run->best, n * sizeof *s.r);
  memcpy(s.best, run->best, n * sizeof *s.best);
  climb(&other, rungs[0].solver, rungs[0].iterations);
  memcpy(s.r, s.best, n * sizeof *s.r);
  climb(&other, rungs[1].solver, rungs[1].iterations);
  memcpy(run->r, s.best, n * sizeof *s.r);
  run->iterations = other.iterations, run->fresh = false;
  climb(run, rungs[2].solver, rungs[2].iterations);
  pki_arena_release(&run->arena, mark);
}

static void climb_nudges(pki_solve *run, const rung rungs[3], int count)
{
  for (int k = 0; k < count && !pki_solve_done(run) && run->iterations < run->options->max_iterations; k++) {
    climb_nudged(run, rungs, k);
  }
}

/* ---- with W ---- */

/* The ladder from its second rung on. */
static void climb_dense(pki_solve *run)
{
  climb_all(run, first + 1, sizeof first / sizeof first[0] - 1);
  climb_nudges(run, nudged, NUDGES);
  climb_all(run, last, sizeof last / sizeof last[0]);
}

void pki_solve_dense(pki_solve *run)
{
  climb(run, first[0].solver, first[0].iterations);
  climb_dense(run);
}

/* ---- islands ---- */

/* Each island that is not solved yet as a run of its own, by the entries of W. */
static void climb_islands(pki_solve *run, pki_islands *s)
{
  const size_t mark = pki_arena_mark(&run->arena);
  const int before = run->iterations;
  int most = before;
  memcpy(run->r, run->best, (size_t)pk_contact_size(run->p) * sizeof *run->r);
  for (int k = 0; k < s->count; k++) {
    pki_islands_gather(s, run->p, k, run->r);
    pki_solve part = *run;
    part.p = &s->p, part.r = s->r, part.best = s->best, part.u = s->u, part.diagonal = NULL;
    part.residual = INFINITY, part.iterations = before;
    if (!pki_solve_check(&part) || !pki_solve_done(&part)) {
      climb_dense(&part);
      pki_islands_scatter(s, s->best, run->r);
    }
    run->now = part.iterations > most ? part.used : run->now;
    most = part.iterations > most ? part.iterations : most;
  }
  pki_arena_release(&run->arena, mark);
  run->iterations = most;
  pki_solve_check(run);
}

void pki_solve_auto(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  if (run->p->factor != NULL) {
    pki_solve_islands(run);
    return;
  }
  if (pki_solve_done(run)) {
    return;
  }
  climb(run, first[0].solver, first[0].iterations);
  if (pki_solve_done(run) || run->iterations >= run->options->max_iterations) {
    return;
  }
  pki_islands s = pki_islands_take(&run->arena, run->p);
  if (pki_islands_find(&s, run->p) > 1) {
    climb_islands(run, &s);
  } else {
    climb_dense(run);
  }
  pki_arena_release(&run->arena, mark);
}
