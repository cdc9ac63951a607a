/* Every solver that works from W, one after the other from the first guess, each as if it were alone: with all of max_iterations, with best
 * impulses of its own, with an equal share of the time that is left. The best answer of all is kept, so that it is not worse than
 * that of any of them. For what auto's stages leave of problems that are solved once (pk_solver_options.thorough). */
#include <math.h>
#include <string.h>

#include "contact/solvers/solver.h"

static bool is_rival(int solver)
{
  return solver != PK_SOLVER_AUTO && pki_solvers[solver]->reads_W;
}

void pki_reserve_rivals(pki_arena *arena, const pk_contact_problem *p)
{
  pki_arena_take(arena, (size_t)pk_contact_size(p), sizeof(double));
  const size_t mark = pki_arena_mark(arena);
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    if (is_rival(s) && pki_solvers[s]->reserve != NULL) {
      pki_solvers[s]->reserve(arena, p);
      pki_arena_release(arena, mark);
    }
  }
}

/* One solver alone; what it finds is kept where it is better. */
static void run_rival(pki_solve *run, pk_solver solver, const double *guess, double *best)
{
  const size_t bytes = (size_t)pk_contact_size(run->p) * sizeof *best;
  pki_solve alone = *run;
  alone.best = best, alone.residual = INFINITY, alone.iterations = 0;
  alone.limit = run->options->max_iterations;
  alone.now = alone.used = solver;
  memcpy(alone.r, guess, bytes);
  pki_solve_check(&alone);
  pki_solvers[solver]->solve(&alone);
  run->arena = alone.arena; /* its high-water mark */
  run->iterations += alone.iterations;
  run->now = solver;
  if (isfinite(alone.residual)) {
    memcpy(run->r, best, bytes);
    pki_solve_keep(run, alone.residual);
  }
  run->fresh = false;
}

void pki_solve_rivals(pki_solve *run, const double *guess)
{
  const size_t mark = pki_arena_mark(&run->arena);
  double *best = pki_arena_take(&run->arena, (size_t)pk_contact_size(run->p), sizeof *best);
  pki_timer *const whole = run->timer;
  int left = 0;
  for (int s = 0; s < PK_SOLVER_COUNT; s++) {
    left += is_rival(s);
  }
  for (int s = 0; s < PK_SOLVER_COUNT && !pki_solve_done(run) && !pki_timer_expired(whole); s++) {
    if (is_rival(s)) {
      pki_timer share = whole != NULL ? pki_timer_share(whole, left--) : (pki_timer){0};
      run->timer = whole != NULL ? &share : NULL;
      run_rival(run, (pk_solver)s, guess, best);
      run->timer = whole;
      if (whole != NULL) {
        whole->cut |= pki_timer_ended(&share);
      }
    }
  }
  pki_arena_release(&run->arena, mark);
}
