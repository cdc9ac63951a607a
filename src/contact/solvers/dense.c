/* The stages of a problem with W, from the quick to the sure, until one meets the tolerance:
 *
 *   active sets      from the guess; most problems of robots end here (active_set.c)
 *   softened sets    from the best impulses: sets that go in circles come to rest
 *   interior points  from the guess, then from the middle of the cones (ipm.c)
 *   softened sets    for longer, and the proximal Newton loop (newton.c)
 *
 * Each is bounded in steps and leaves the best impulses that it saw, judged by the certificate's residual, so that the
 * answer is never worse than that of any stage. The last line is slow and is for problems in front of a fold, where
 * friction is not monotone and paths turn back; impulses that are used up at some contacts of a redundant assembly
 * creep there below 1e-6 for hundreds of steps. What is left above the tolerance is reported as that. */
#include <math.h>
#include <string.h>

#include "contact/solvers/active_set_constants.h"
#include "contact/solvers/ipm.h"
#include "contact/solvers/newton.h"

enum {
  SOFT_STEPS = 64,    /* solve 97 % of a COMAN that falls limp and has more than eight contacts */
  SOFT_ROWS = 96,     /* most problems of a robot have fewer; towers are quicker by interior points at once */
  LATE_STEPS = 200,   /* solve two thirds of what interior points leave */
  NEWTON_STEPS = 400, /* solve 85 of 87 that all else leaves; 20 steps 74 */
};
/* Relative residual below which the Newton loop goes on from the best impulses, not from the guess. */
static const double near = 1e-5;

size_t pki_dense_memsize(const pk_contact_problem *p)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_scaled z = pki_scaled_take(&arena, p);
  pki_active_set_take(&arena, p);
  pki_arena_take(&arena, (size_t)z.n, sizeof(double));
  pki_arena path = arena;
  pki_ipm_take(&path, p, &z);
  pki_newton_take(&arena, p);
  const size_t stages = path.used > arena.used ? path.used : arena.used, sweep = pki_bgs_memsize(p);
  return stages > sweep ? stages : sweep;
}

/* Steps that the run still allows, at most `steps`. */
static int steps_left(const pki_solve *run, int steps)
{
  const int left = run->limit - run->iterations;
  return left < steps ? left : steps;
}

static void run_active_sets(pki_solve *run, pki_scaled *z, pki_active_set *a)
{
  pki_scaled_velocity(z);
  run->now = PK_SOLVER_ACTIVE_SET;
  pki_active_set_run(a, z, run, steps_left(run, PKI_ACTIVE_SET_STEPS), pki_active_set_softness);
}

static void run_softened_sets(pki_solve *run, pki_scaled *z, pki_active_set *a, int steps)
{
  if (pki_solve_over(run)) {
    return;
  }
  for (int i = 0; i < z->n; i++) {
    z->r[i] = run->best[i] / z->s[i];
  }
  pki_scaled_velocity(z);
  run->now = PK_SOLVER_ACTIVE_SET, run->now_at = run->residual;
  pki_active_set_run_softened(a, z, run, steps_left(run, steps));
}

static void run_paths(pki_solve *run, pki_scaled *z, pki_active_set *a, const double *guess)
{
  if (pki_solve_over(run)) {
    return;
  }
  z->symmetric = pki_scaled_is_symmetric(z);
  run->now = PK_SOLVER_IPM;
  for (int k = 0; k < PKI_IPM_STARTS && !pki_solve_over(run); k++) {
    pki_ipm_run(run, z, a, &pki_ipm_starts[k], guess);
  }
}

static void run_newton(pki_solve *run, pki_scaled *z, pki_active_set *a, const double *guess)
{
  if (pki_solve_over(run)) {
    return;
  }
  pki_newton w = pki_newton_take(&run->arena, run->p);
  const bool is_near = run->residual <= near * run->scale;
  for (int i = 0; i < z->n; i++) {
    z->r[i] = is_near ? run->best[i] / z->s[i] : guess[i];
  }
  run->now = PK_SOLVER_NEWTON;
  pki_newton_run(&w, a, z, run, NEWTON_STEPS);
}

/* One contact, or one other row: a sweep that solves it exactly. True when that is all. */
static bool solve_single_group(pki_solve *run)
{
  if (pk_contact_size(run->p) - 2 * run->p->ncontact > 1) {
    return false;
  }
  const int limit = run->limit;
  run->now = PK_SOLVER_BGS;
  run->limit = run->iterations + 1 < limit ? run->iterations + 1 : limit;
  pki_solve_bgs(run);
  run->limit = limit;
  return pki_solve_over(run);
}

void pki_solve_dense(pki_solve *run)
{
  run->limit = run->options->max_iterations;
  if (pki_solve_over(run) || solve_single_group(run)) {
    return;
  }
  const size_t mark = pki_arena_mark(&run->arena);
  pki_scaled z = pki_scaled_take(&run->arena, run->p);
  pki_active_set a = pki_active_set_take(&run->arena, run->p);
  double *guess = pki_arena_take(&run->arena, (size_t)z.n, sizeof(double));
  pki_scaled_begin(&z, run->r);
  memcpy(guess, z.r, (size_t)z.n * sizeof *guess);
  run_active_sets(run, &z, &a);
  run_softened_sets(run, &z, &a, z.n <= SOFT_ROWS ? SOFT_STEPS : 0);
  run_paths(run, &z, &a, guess);
  run_softened_sets(run, &z, &a, LATE_STEPS);
  run_newton(run, &z, &a, guess);
  pki_arena_release(&run->arena, mark);
}
