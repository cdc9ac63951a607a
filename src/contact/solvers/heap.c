/* Worlds of many bodies: problems in factor form, W = Y inv(D) Y' + extra, island by island.
 *
 * The residual of each group of rows tells which islands the first guess solves already; they are left alone. Every other one is
 * a problem of its own and is held to the tolerance by its own scale, max(|q|_inf, 1e-3 m/s) over its rows: what it would have
 * alone in its world. That scale is not larger than that of the whole, so islands that meet theirs meet the certificate of the
 * whole, which pk_contact_solve takes from the whole problem in the end.
 *
 * Islands of up to PKI_SPARSE_ROWS rows have a dense W and the dense solvers (dense.c). Larger ones, and what those leave, are
 * solved in velocities:
 *
 *   sweeps        block Gauss-Seidel, accelerated (bgs_velocity.c): first where the guess is far off or an elimination is dear
 *   active sets   Newton steps over the bodies (newton_velocity.c)
 *   proximal      the proximal Newton loop from the best impulses, shortly
 *   active sets   with contacts that yield more, for longer; then the proximal loop again, for as long as iterations are left
 *
 * then the dense solvers up to PKI_DENSE_ROWS rows, and sweeps. Work is counted in sweeps: an elimination counts for as many as it
 * costs, so that max_iterations bounds the time. The best impulses of any stage are returned. */
#include "contact/solvers/heap.h"

#include <math.h>
#include <string.h>

#include "contact/solvers/newton_velocity.h"

enum {
  ACTIVE_SET_STEPS = 20,
  YIELDING_STEPS = 2000, /* 13 of 13 heaps that jam are solved to 1e-6 within them, in 500 on average */
  PROXIMAL_FIRST = 100,  /* solve what creeps at 1e-8, as in heaps of boxes */
  PROXIMAL_STEPS = 2000, /* what creeps at 1e-8 may need them all */
  WINDOW = 24,           /* sweeps over which their rate is measured */
  CHEAP = 60,            /* sweeps that an elimination may cost to come before them */
  PADDING = 512          /* bytes: of a smaller island's arrays */
};

/* Relative residual above which sweeps come first. */
static const double FAR = 1e-2;

void pki_reserve_heap(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t rows = (size_t)pk_contact_size(p), groups = rows - 2 * (size_t)p->ncontact;
  pki_islands_take(arena, p);
  pki_arena_take(arena, groups, sizeof(double));
  pki_newton_velocity_take(arena, p);
  pki_solvers[PK_SOLVER_BGS_VELOCITY]->reserve(arena, p);
  pki_arena_take(arena, PADDING, 1);
}

/* Continue from the best impulses so far. */
static void return_to_best(pki_solve *run)
{
  const size_t bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  if (memcmp(run->r, run->best, bytes) != 0) {
    memcpy(run->r, run->best, bytes);
    run->fresh = false;
  }
}

/* Whether there is work left, and iterations for one of this cost; run->limit is set for `most` of them. */
static bool has_iterations_left(pki_solve *run, int cost, int most)
{
  const int left = (run->options->max_iterations - run->iterations) / cost;
  run->limit = run->iterations + (left < most ? left : most);
  return left > 0 && most > 0 && !pki_solve_done(run) && !pki_solve_expired(run);
}

/* One of the registered solvers from the best impulses; an iteration counts for `cost`. */
static void run_solver(pki_solve *run, pk_solver solver, int iterations, int cost)
{
  if (has_iterations_left(run, cost, iterations)) {
    const int before = run->iterations;
    return_to_best(run);
    run->now = solver;
    pki_solvers[solver]->solve(run);
    run->iterations = before + cost * (run->iterations - before);
  }
}

/* Sweeps, as long as they promise to end within `budget` by the rate of the last windows. */
static void sweep_while_converging(pki_solve *run, double budget)
{
  enum { BACK = 4 };
  const double goal = run->options->tolerance * run->scale;
  double past[BACK];
  for (int k = 0;
       !pki_solve_done(run) && run->iterations < run->options->max_iterations && !pki_solve_expired(run);
       k++) {
    const int windows = k < BACK ? k : BACK;
    const double rate = k > 0 ? log(past[(k - windows) % BACK] / run->residual) / (windows * WINDOW) : 0;
    const double left = budget - k * WINDOW;
    if (k > 0 && !(rate * left > log(run->residual / goal))) {
      return;
    }
    past[k % BACK] = run->residual;
    run_solver(run, PK_SOLVER_BGS_VELOCITY, WINDOW, 1);
  }
}

/* Sweeps that a Newton step is worth, measured with its line search: about 10, and a group's step for 500 products. */
static int elimination_cost(const pki_newton_velocity *w)
{
  return (int)fmin(10 + 0.002 * w->e.flops / w->s.groups, 1 << 20);
}

/* Sweeps that it counts for: less in small islands, where there is time for more of them. */
static int counted_cost(int cost, int rows)
{
  enum { LARGE = 1500 };
  return (int)fmax(1, fmin(1, (double)rows / LARGE) * cost);
}

/* Newton's method over the bodies, one analysis for all parts: on active sets, or without a softening the proximal loop. */
static void run_newton(pki_solve *run, pki_newton_velocity *w, int cost, const pki_softening *softening,
                       int steps)
{
  if (!has_iterations_left(run, cost, steps)) {
    return;
  }
  const int before = run->iterations;
  return_to_best(run);
  run->now = PK_SOLVER_NEWTON_VELOCITY;
  if (softening == NULL) {
    pki_newton_velocity_proximal(run, w);
  } else {
    pki_newton_velocity_active_set(run, w, steps, *softening);
  }
  run->fresh = false;
  run->iterations = before + cost * (run->iterations - before);
}

/* Half of the steps that are left, so that the proximal loop has its turn: each solves what the other does not. Without friction there
 * is nothing to yield. */
static int yielding_steps(const pki_solve *run, int cost)
{
  const int left = (run->options->max_iterations - run->iterations) / (2 * cost);
  return run->p->ncontact == 0 ? 0 : left < YIELDING_STEPS ? left : YIELDING_STEPS;
}

static void solve_sparse(pki_solve *run, pki_islands *s)
{
  const size_t mark = pki_arena_mark(&run->arena);
  const int rows = pk_contact_size(run->p);
  pki_newton_velocity w = pki_newton_velocity_take(&run->arena, run->p);
  const bool fits = pki_newton_velocity_begin(&w, run);
  const int cost = fits ? elimination_cost(&w) : 1 << 20, count = counted_cost(cost, rows);
  if (cost > CHEAP || run->residual > FAR * run->scale) {
    sweep_while_converging(run, 4.0 * cost);
  }
  if (fits) {
    run_newton(run, &w, count, &pki_softening_quick, ACTIVE_SET_STEPS);
    run_newton(run, &w, count, NULL, PROXIMAL_FIRST);
    run_newton(run, &w, count, &pki_softening_yielding, yielding_steps(run, count));
    run_newton(run, &w, count, NULL, PROXIMAL_STEPS);
  }
  pki_arena_release(&run->arena, mark);
  if (run->now == PK_SOLVER_NEWTON_VELOCITY && pki_is_contradictory(run)) { /* Newton had its turn */
    return;
  }
  if (!pki_solve_done(run) && rows <= PKI_DENSE_ROWS && rows > PKI_SPARSE_ROWS) {
    const pk_contact_problem *p = run->p;
    pk_contact_problem dense = *p;
    dense.W = pki_islands_fill_W(s);
    run->p = &dense; /* cppcheck-suppress autoVariables */
    return_to_best(run);
    pki_solve_dense(run);
    run->p = p;
  }
  run_solver(run, PK_SOLVER_BGS_VELOCITY, 1 << 30, 1);
}

/* ---- islands ---- */

/* The residual of an island and its own scale, m/s. */
static double island_residual(const pki_solve *run, const pki_islands *s, int k, const double *residual,
                              double *scale)
{
  const pk_contact_problem *p = run->p;
  double most = 0;
  *scale = PKI_SPEED_FLOOR;
  for (int i = s->first[k]; i < s->first[k + 1]; i++) {
    const int g = s->groups[i], row = pki_first_row(p, g);
    for (int d = row; d < row + (g < p->ncontact ? 3 : 1); d++) {
      *scale = fmax(*scale, fabs(p->q[d]));
    }
    most = residual[g] <= most ? most : residual[g]; /* not a number: stays */
  }
  return most;
}

/* Island k as a run of its own, from the residual that its part of run->r leaves. */
static void solve_island(pki_solve *run, pki_islands *s, int k, double residual, double scale, int *most)
{
  pki_islands_gather(s, run->p, k, run->r);
  const int rows = pk_contact_size(&s->p);
  const bool sparse = rows > PKI_SPARSE_ROWS;
  pki_solve part = *run;
  part.p = &s->p, part.r = s->r, part.best = s->best, part.u = s->u, part.diagonal = NULL;
  part.residual = part.now_at = isfinite(residual) ? residual : INFINITY;
  part.iterations = 0, part.scale = scale, part.limit = run->options->max_iterations, part.fresh = true;
  memcpy(s->best, s->r, (size_t)rows * sizeof *s->r);
  for (int i = 0; i < rows; i++) {
    s->u[i] = run->u[s->row[i]];
  }
  if (sparse) {
    solve_sparse(&part, s);
  } else {
    s->p.W = pki_islands_fill_W(s);
    s->p.factor = NULL;
    pki_solve_dense(&part);
    s->p.W = NULL;
    s->p.factor = &s->f;
    if (!pki_solve_done(&part) && !pki_is_contradictory(&part)) {
      solve_sparse(&part, s);
    }
  }
  if (isfinite(part.residual)) {
    pki_islands_scatter(s, s->best, run->r);
  }
  if (part.iterations >= *most) {
    *most = part.iterations, run->now = part.used;
  }
}

void pki_solve_islands(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena), rows = (size_t)pk_contact_size(run->p);
  const pk_contact_problem *p = run->p;
  double *residual = pki_arena_take(&run->arena, rows - 2 * (size_t)p->ncontact, sizeof *residual);
  pki_islands s = pki_islands_take(&run->arena, p);
  if (!run->fresh) {
    pk_contact_velocity(p, run->r, run->u);
  }
  pki_contact_residuals(p, run->diagonal, run->r, run->u, residual);
  pki_islands_find(&s, p);
  int most = 0;
  bool changed = false;
  for (int k = 0; k < s.count; k++) {
    double scale;
    const double now = island_residual(run, &s, k, residual, &scale);
    if (!(now <= run->options->tolerance * scale) && !pki_solve_expired(run)) {
      solve_island(run, &s, k, now, scale, &most);
      changed = true;
    }
  }
  run->iterations += most;
  if (changed) { /* no island is worse than it was */
    pk_contact_velocity(p, run->r, run->u);
    run->residual = INFINITY;
    pki_solve_check_velocity(run);
    run->final = true;
  }
  pki_arena_release(&run->arena, mark);
}
