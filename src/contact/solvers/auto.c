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

/* Each island that is not solved yet as a run of its own, by the entries of W. */
static void run_islands(pki_solve *run, pki_islands *s)
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
      pki_solve_dense(&part);
      pki_islands_scatter(s, s->best, run->r);
    }
    run->now = part.iterations > most ? part.used : run->now;
    most = part.iterations > most ? part.iterations : most;
  }
  pki_arena_release(&run->arena, mark);
  run->iterations = most;
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

/* A problem with W, by its islands. */
static void solve_with_W(pki_solve *run)
{
  if (has_full_row(run->p)) {
    pki_solve_dense(run);
    return;
  }
  const size_t mark = pki_arena_mark(&run->arena);
  pki_islands s = pki_islands_take(&run->arena, run->p);
  if (pki_islands_find(&s, run->p) > 1) {
    run_islands(run, &s);
  } else {
    pki_solve_dense(run);
  }
  pki_arena_release(&run->arena, mark);
}

static void solve_auto(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  if (p->W != NULL && !pki_solve_done(run)) {
    pk_contact_problem dense = *p;
    dense.factor = NULL; /* islands by the entries of W */
    run->p = &dense;     /* cppcheck-suppress autoVariables */
    solve_with_W(run);
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
