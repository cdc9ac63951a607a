/* The stages of a problem with W, from the quick to the sure, until one meets the tolerance:
 *
 *   active sets      from the guess; most problems of robots end here (active_set.c)
 *   softened sets    from the best impulses: active sets that cycle come to rest
 *   interior points  from the guess, then from the middle of the cones (ipm.c)
 *   softened sets    for longer, and the proximal Newton loop (newton.c)
 *
 * Each is bounded in steps and leaves the best impulses that it saw, by the certificate's residual, so that the
 * answer is never worse than that of any stage. The last line is slow and is for problems in front of a fold, where
 * friction is not monotone and paths turn back; impulses that are used up at some contacts of a redundant assembly
 * creep there below 1e-6 for hundreds of steps. What is left above the tolerance is reported as that, or, with
 * pk_solver_options.thorough, is left to every solver alone (rivals.c). */
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

/* What all stages share; the stages take theirs beside it, one after the other. */
typedef struct dense_scratch {
  pki_scaled z;
  pki_active_set a;
  double *guess; /* [n] */
} dense_scratch;

static dense_scratch take_dense(pki_arena *arena, const pk_contact_problem *p)
{
  dense_scratch s = {.z = pki_scaled_take(arena, p), .a = pki_active_set_take(arena, p)};
  s.guess = pki_arena_take(arena, (size_t)s.z.n, sizeof(double));
  return s;
}

void pki_reserve_dense(pki_arena *arena, const pk_contact_problem *p)
{
  pki_arena_take(arena, (size_t)pk_contact_size(p), sizeof(double)); /* the guess, for the rivals */
  const size_t mark = pki_arena_mark(arena);
  dense_scratch s = take_dense(arena, p);
  const size_t stage = pki_arena_mark(arena);
  pki_ipm_take(arena, p, &s.z);
  pki_arena_release(arena, stage);
  pki_newton_take(arena, p);
  pki_arena_release(arena, mark);
  pki_solvers[PK_SOLVER_BGS]->reserve(arena, p); /* instead of all stages */
  pki_arena_release(arena, mark);
  pki_reserve_rivals(arena, p); /* after all stages, beside the guess */
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
  pki_solvers[PK_SOLVER_BGS]->solve(run);
  run->limit = limit;
  return pki_solve_over(run);
}

static void run_stages(pki_solve *run)
{
  if (solve_single_group(run)) {
    return;
  }
  const size_t mark = pki_arena_mark(&run->arena);
  dense_scratch s = take_dense(&run->arena, run->p);
  pki_scaled_begin(&s.z, run);
  memcpy(s.guess, s.z.r, (size_t)s.z.n * sizeof *s.guess);
  run_active_sets(run, &s.z, &s.a);
  run_softened_sets(run, &s.z, &s.a, s.z.n <= SOFT_ROWS ? SOFT_STEPS : 0);
  run_paths(run, &s.z, &s.a, s.guess);
  run_softened_sets(run, &s.z, &s.a, LATE_STEPS);
  run_newton(run, &s.z, &s.a, s.guess);
  pki_arena_release(&run->arena, mark);
}

/* The stages with half of the time, then every solver alone. */
static void run_thoroughly(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena), n = (size_t)pk_contact_size(run->p);
  pki_timer *const whole = run->timer;
  pki_timer half = whole != NULL ? pki_timer_share(whole, 2) : (pki_timer){0};
  double *guess = pki_arena_take(&run->arena, n, sizeof *guess);
  memcpy(guess, run->r, n * sizeof *guess);
  run->timer = whole != NULL ? &half : NULL; /* cppcheck-suppress autoVariables */
  run_stages(run);
  run->timer = whole;
  if (whole != NULL) {
    whole->cut |= pki_timer_ended(&half);
  }
  pki_solve_rivals(run, guess);
  pki_arena_release(&run->arena, mark);
}

void pki_solve_dense(pki_solve *run)
{
  run->limit = run->options->max_iterations;
  if (pki_solve_over(run)) {
    return;
  }
  if (run->options->thorough) {
    run_thoroughly(run);
  } else {
    run_stages(run);
  }
}
