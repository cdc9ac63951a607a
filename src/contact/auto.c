/* Climb from the cheap to the strong until the tolerance is met. Each solver starts from the best
 * impulses so far, or afresh: Newton's method finds from zero what it misses from a point that
 * Gauss-Seidel has crept to.
 *
 * Friction is not monotone, so a solver can end in front of a fold: bodies on an edge that rest on two corners
 * and miss the others by nanometres per second. There a nudge helps: a problem in which every
 * contact approaches a little slower, each by another amount, is solved first, and Newton goes on
 * from its solution. */
#include <math.h>
#include <string.h>

#include "base/random.h"
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

enum { NUDGES = 60 };

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
  pki_arena arena = pki_arena_over(NULL, 0);
  size_t most = 0;
  take(&arena, p);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    const bool climbs =
        s == PK_SOLVER_BGS || s == PK_SOLVER_IPM || s == PK_SOLVER_NEWTON || s == PK_SOLVER_ACLM;
    const size_t size = climbs ? pki_solvers[s].memsize(p) : 0;
    most = size > most ? size : most;
  }
  pki_arena_take(&arena, most, 1);
  return arena.used;
}

/* One solver from run->r; false when no iterations are left. */
static bool climb(pki_solve *run, pk_solver solver, int iterations)
{
  const int left = run->options->max_iterations - run->iterations;
  if (left <= 0 || pki_solve_done(run)) {
    return false;
  }
  run->now = solver;
  run->limit = run->iterations + (left < iterations ? left : iterations);
  pki_solvers[solver].solve(run);
  return true;
}

static void climb_all(pki_solve *run, const rung *rungs, int count)
{
  const size_t bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  for (int k = 0; k < count; k++) {
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
static void climb_nudged(pki_solve *run, int attempt)
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
  climb(&other, PK_SOLVER_IPM, 40);
  memcpy(s.r, s.best, n * sizeof *s.r);
  climb(&other, PK_SOLVER_NEWTON, 40);
  memcpy(run->r, s.best, n * sizeof *s.r);
  run->iterations = other.iterations, run->fresh = false;
  climb(run, PK_SOLVER_NEWTON, 60);
  pki_arena_release(&run->arena, mark);
}

void pki_solve_auto(pki_solve *run)
{
  climb_all(run, first, sizeof first / sizeof first[0]);
  for (int k = 0; k < NUDGES && !pki_solve_done(run) && run->iterations < run->options->max_iterations; k++) {
    climb_nudged(run, k);
  }
  climb_all(run, last, sizeof last / sizeof last[0]);
}
