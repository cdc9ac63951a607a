/* Split a problem into islands that do not know of each other, and solve each, held to the residual of the whole: problems with W
 * by the stages of dense.c; problems with factors alone (worlds of many bodies), and what those stages leave of a problem that has
 * both, by those of heap.c. */
#include <math.h>
#include <string.h>

#include "contact/problem/islands.h"
#include "contact/solvers/heap.h"
#include "contact/solvers/solver.h"

enum { PADDING = 4096 }; /* bytes: rows of other kinds have other paddings */

static void reserve_auto(pki_arena *arena, const pk_contact_problem *p)
{
  pki_islands_take(arena, p);
  if (p->factor != NULL) {
    pki_reserve_heap(arena, p);
  }
  pki_arena_take(arena, PADDING, 1);
  /* dense rows may be contacts or not: the larger */
  const int dense = pki_dense_rows(p), contacts = p->ncontact < dense / 3 ? p->ncontact : dense / 3;
  const size_t mark = pki_arena_mark(arena);
  for (int k = 0; k < 2; k++) {
    const pk_contact_problem shape = {.ncontact = k * contacts, .nbox = dense - 3 * k * contacts};
    pki_reserve_dense(arena, &shape);
    pki_arena_release(arena, mark);
  }
}

/* Island k as a run of its own, by the entries of W, with a part of the time. True when that ended it. */
static bool run_island(pki_solve *run, pki_islands *s, int k, int before, int parts)
{
  pki_timer timer = {0};
  pki_islands_gather(s, run->p, k, run->r);
  pki_solve part = *run;
  part.p = &s->p, part.r = s->r, part.best = s->best, part.u = s->u, part.diagonal = NULL;
  part.residual = INFINITY, part.iterations = before;
  if (run->timer != NULL) {
    timer = pki_timer_share(run->timer, parts);
    part.timer = &timer;
  }
  if (!pki_solve_check(&part) || !pki_solve_done(&part)) {
    pki_solve_dense(&part);
    if (isfinite(part.residual)) {
      pki_islands_scatter(s, s->best, run->r);
    }
  }
  run->now = part.iterations > run->iterations ? part.used : run->now;
  run->iterations = part.iterations > run->iterations ? part.iterations : run->iterations;
  const bool ended = pki_timer_ended(&timer) && !pki_solve_done(&part);
  if (ended) {
    run->timer->cut = true;
  }
  return ended;
}

/* Each island that is not solved yet. A time limit is shared: one that is hard does not take the time of all others; those that it ended
 * have what is left in the end. */
static void run_islands(pki_solve *run, pki_islands *s)
{
  const size_t mark = pki_arena_mark(&run->arena);
  const int before = run->iterations;
  memcpy(run->r, run->best, (size_t)pk_contact_size(run->p) * sizeof *run->r);
  int ended = 1;
  for (int pass = 0; pass < 2 && ended > 0 && !pki_solve_expired(run); pass++) {
    ended = 0;
    for (int k = 0; k < s->count; k++) {
      ended += run_island(run, s, k, before, pass == 0 ? s->count - k : 1);
    }
  }
  pki_arena_release(&run->arena, mark);
  run->residual = INFINITY; /* no island is worse than it was, and others may be better than the worst */
  pki_solve_check(run);
}

/* A row that every other row answers: the problem is one island. */
static bool has_full_row(const pk_contact_problem *p)
{
  const int n = pk_contact_size(p);
  for (int row = 0; row < n; row++) {
    const double *W = p->W + (p->W_col ? (size_t)p->W_row[row] : (size_t)row * (size_t)n);
    int full = 0;
    while (full < n && (p->W_col == NULL || p->W_row[row + 1] - p->W_row[row] == n) && W[full] != 0) {
      full++;
    }
    if (full == n) {
      return true;
    }
  }
  return false;
}

/* Every solver on the whole problem: the same as on its islands, but for relaxations, which are chosen from all rows. */
static void solve_whole_with_W(pki_solve *run, const double *guess)
{
  if (run->options->thorough && !pki_solve_done(run)) {
    pki_solve_rivals(run, guess);
  }
}

/* A problem with W, by its islands. `guess` [n] is scratch. */
static void solve_with_W(pki_solve *run, double *guess)
{
  if (has_full_row(run->p)) {
    pki_solve_dense(run);
    return;
  }
  const size_t mark = pki_arena_mark(&run->arena);
  pki_islands s = pki_islands_take(&run->arena, run->p);
  if (pki_islands_find(&s, run->p) > 1) {
    memcpy(guess, run->r, (size_t)pk_contact_size(run->p) * sizeof *guess);
    run_islands(run, &s);
    pki_arena_release(&run->arena, mark);
    solve_whole_with_W(run, guess);
    return;
  }
  pki_solve_dense(run);
  pki_arena_release(&run->arena, mark);
}

static void solve_auto(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  if (p->W != NULL && !pki_solve_done(run)) {
    pk_contact_problem dense = *p;
    dense.factor = NULL;            /* islands by the entries of W */
    run->p = &dense;                /* cppcheck-suppress autoVariables */
    solve_with_W(run, run->before); /* which auto has no other use for */
    run->p = p;
  }
  if (p->factor != NULL && !(p->W != NULL && pki_solve_done(run))) {
    if (p->W != NULL) { /* from the best that those found */
      memcpy(run->r, run->best, (size_t)pk_contact_size(p) * sizeof *run->r);
      run->fresh = false;
    }
    pki_solve_islands(run);
  }
}

const pki_solver_row pki_solver_auto = {
    .name = "auto",
    .doc = "islands: with W by active-set, ipm and newton, many bodies by newton-u and bgs-u",
    .solve = solve_auto,
    .reserve = reserve_auto,
    .reads_W = true,
    .reads_factor = true,
    .always_runs = true};
