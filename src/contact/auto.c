/* Split into islands that do not know of each other, and solve each, held to the residual of the whole: a problem with W
 * by the stages of dense.c.
 *
 * Problems with factors and many rows climb in velocities (sparse): sweeps while they get on, then Newton and interior
 * points over the bodies; and in large heaps, whenever a handful of contacts is left, patches around them. What is left
 * when the first sweeps are done falls into islands, each of which climbs alone. Iterations count in sweeps there: an
 * elimination counts for as many as it costs, so that max_iterations bounds the time.
 *
 * Friction is not monotone, so a solver can end in front of a fold: bodies on an edge that rest on two corners
 * and miss the others by nanometres per second. There a nudge helps: a problem in which every
 * contact approaches a little slower, each by another amount, is solved first, and Newton goes on
 * from its solution. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "contact/elimination.h"
#include "contact/islands.h"
#include "contact/patches.h"
#include "contact/solver.h"

typedef struct rung {
  pk_solver solver;
  int iterations; /* at most */
  bool afresh;    /* from zero */
} rung;

static const rung sparse_first[] = {
    {PK_SOLVER_NEWTON_VELOCITY, 40, false},
    {PK_SOLVER_IPM_VELOCITY, 80, false},
    {PK_SOLVER_NEWTON_VELOCITY, 40, false},
    {PK_SOLVER_BGS_VELOCITY, 100, false},
};
/* Where W would be too large: patches before each, and interior points seldom help. */
static const rung vast_first[] = {
    {PK_SOLVER_NEWTON_VELOCITY, 150, false},
    {PK_SOLVER_IPM_VELOCITY, 80, false},
    {PK_SOLVER_NEWTON_VELOCITY, 40, false},
    {PK_SOLVER_BGS_VELOCITY, 100, false},
};

static const rung sparse_last[] = {
    {PK_SOLVER_NEWTON_VELOCITY, 200, false},
    {PK_SOLVER_BGS_VELOCITY, 1 << 30, false},
};

/* Solvers of a nudged problem, and of the problem from there. */
static const rung sparse_nudged[] = {{PK_SOLVER_IPM_VELOCITY, 40, false},
                                     {PK_SOLVER_NEWTON_VELOCITY, 40, false},
                                     {PK_SOLVER_NEWTON_VELOCITY, 60, false}};

enum {
  SPARSE_NUDGES = 8,
  PADDING = 4096, /* bytes: rows of other kinds have other paddings */
  WINDOW = 48     /* sweeps after which their pace is judged */
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

static bool is_sparse(const pk_contact_problem *p)
{
  return p->factor != NULL && (p->W == NULL || pk_contact_size(p) > PKI_SPARSE_ROWS);
}

size_t pki_auto_memsize(const pk_contact_problem *p)
{
  static const pk_solver in_velocities[] = {PK_SOLVER_BGS_VELOCITY, PK_SOLVER_IPM_VELOCITY,
                                            PK_SOLVER_NEWTON_VELOCITY};
  pki_arena arena = pki_arena_over(NULL, 0);
  size_t most = 0;
  take(&arena, p);
  pki_islands_take(&arena, p);
  /* dense rows may be contacts or not: the larger */
  const int dense = pki_dense_rows(p), contacts = p->ncontact < dense / 3 ? p->ncontact : dense / 3;
  for (int k = 0; k < 2; k++) {
    const pk_contact_problem shape = {.ncontact = k * contacts, .nbox = dense - 3 * k * contacts};
    const size_t size = pki_dense_memsize(&shape);
    most = size > most ? size : most;
  }
  for (size_t s = 0; p->factor != NULL && s < sizeof in_velocities / sizeof in_velocities[0]; s++) {
    const size_t size = pki_solvers[in_velocities[s]].memsize(p);
    most = size > most ? size : most;
  }
  if (p->factor != NULL && pk_contact_size(p) > PKI_DENSE_ROWS) {
    pki_patches_take(&arena, p);
  }
  pki_arena_take(&arena, most + PADDING, 1);
  return arena.used;
}

/* Sweeps that an iteration of a solver counts for: an elimination for less in small heaps, where there is time for more
 * of them. */
static int charge(const pki_solve *run, pk_solver solver)
{
  enum { LARGE = 4500 }; /* rows */
  const double n = pk_contact_size(run->p);
  const bool eliminates = solver == PK_SOLVER_IPM_VELOCITY || solver == PK_SOLVER_NEWTON_VELOCITY;
  return (int)fmax(1, eliminates ? fmin(1, n / LARGE) * run->cost : 1);
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

/* ---- in velocities ---- */

/* How many sweeps an elimination is worth, measured: about 20, and a group's step for 250 products. 1 << 20: there is no
 * room for it. */
static int elimination_cost(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  pki_sparse s = pki_sparse_take(&run->arena, run->p);
  pki_elimination e = pki_elimination_take(&run->arena, run->p);
  pki_sparse_pack(&s);
  const bool fits = pki_elimination_analyse(&e, &s);
  pki_arena_release(&run->arena, mark);
  return fits ? (int)fmin(20 + 0.004 * e.flops / s.groups, 1 << 20) : 1 << 20;
}

/* Sweeps, as long as they promise to end before interior points would: by the pace of the last windows. */
static void sweep_on(pki_solve *run)
{
  enum { BACK = 4 };
  const double goal = run->options->tolerance * run->scale, budget = 20.0 * run->cost;
  double past[BACK];
  for (int k = 0; !pki_solve_done(run) && run->iterations < run->options->max_iterations; k++) {
    const int windows = k < BACK ? k : BACK;
    const double pace = k > 0 ? log(past[(k - windows) % BACK] / run->residual) / (windows * WINDOW) : 0;
    const double left = budget - k * WINDOW;
    const bool early = k < BACK && k * WINDOW < 0.25 * budget;
    if (k > 0 && !early && !(pace * left > log(run->residual / goal))) {
      return;
    }
    past[k % BACK] = run->residual;
    climb(run, PK_SOLVER_BGS_VELOCITY, WINDOW);
  }
}

/* A patch as a run of its own, sharper than the whole has to be: its neighbours move what is left in it. */
static void climb_patch(pki_solve *run, pki_patches *s)
{
  enum { CHARGE = 5 }; /* sweeps that it counts for */
  const pk_solver_options sharp = {.tolerance = 0.2 * run->options->tolerance, .max_iterations = 400};
  pki_solve part = *run;
  part.p = &s->part.p, part.r = s->part.r, part.best = s->part.best, part.u = s->part.u;
  part.options = &sharp;
  part.residual = INFINITY, part.iterations = 0;
  pki_solve_check(&part);
  pki_solve_dense(&part);
  pki_islands_scatter(&s->part, part.best, run->r);
  run->iterations += CHARGE, run->now = part.used;
}

/* Patches around the worst group, as long as few are left and they get fewer or better. One that does not help is
 * followed by a larger one. */
static void climb_patches(pki_solve *run)
{
  enum { FEW = 100, IDLE = 6, SMALL = 60 };
  if (pki_solve_done(run)) {
    return;
  }
  const size_t mark = pki_arena_mark(&run->arena), bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  const double goal = run->options->tolerance * run->scale;
  pki_patches s = pki_patches_take(&run->arena, run->p);
  pki_patches_begin(&s, run->p);
  memcpy(run->r, run->best, bytes);
  int worst, rows = SMALL, idle = 0, least = pki_patches_judge(&s, run, goal, &worst), above = least;
  while (above > 0 && above <= FEW && idle < IDLE && run->iterations < run->options->max_iterations) {
    const double before = run->residual;
    pki_patches_gather(&s, run, worst, rows);
    climb_patch(run, &s);
    above = pki_patches_judge(&s, run, goal, &worst);
    const bool helps = above < least || run->residual < 0.9 * before;
    least = above < least ? above : least;
    rows = helps || rows == PKI_PATCH_ROWS ? SMALL : PKI_PATCH_ROWS;
    idle = helps ? 0 : idle + 1;
  }
  run->fresh = false;
  pki_arena_release(&run->arena, mark);
}

/* Problems that are too large for W: whenever a handful of contacts is left, patches. */
static void climb_vast(pki_solve *run)
{
  for (size_t k = 0; k < sizeof vast_first / sizeof vast_first[0]; k++) {
    climb_patches(run);
    climb_all(run, vast_first + k, 1);
  }
  climb_patches(run);
}

static void climb_sparse(pki_solve *run, pki_islands *s)
{
  const pk_contact_problem *p = run->p;
  const bool vast = p->W == NULL && pk_contact_size(p) > PKI_DENSE_ROWS;
  run->cost = elimination_cost(run);
  sweep_on(run);
  if (vast) {
    climb_vast(run);
  } else {
    climb_all(run, sparse_first, sizeof sparse_first / sizeof sparse_first[0]);
  }
  climb_nudges(run, sparse_nudged, SPARSE_NUDGES);
  if (!pki_solve_done(run) && !vast) {
    pk_contact_problem dense = *p;
    dense.W = p->W != NULL ? p->W : pki_islands_fill_W(s, p);
    run->p = &dense; /* cppcheck-suppress autoVariables */
    memcpy(run->r, run->best, (size_t)pk_contact_size(p) * sizeof *run->r);
    pki_solve_dense(run);
    run->p = p;
  }
  climb_all(run, sparse_last, sizeof sparse_last / sizeof sparse_last[0]);
}

/* ---- islands ---- */

/* Each island that is not solved yet as a run of its own. */
static void run_islands(pki_solve *run, pki_islands *s, bool sparse)
{
  const size_t mark = pki_arena_mark(&run->arena);
  const int before = run->iterations;
  int most = before;
  memcpy(run->r, run->best, (size_t)pk_contact_size(run->p) * sizeof *run->r);
  for (int k = 0; k < s->count; k++) {
    pki_islands_gather(s, run->p, k, run->r);
    pki_solve part = *run;
    part.p = &s->p, part.r = s->r, part.best = s->best, part.u = s->u;
    part.residual = INFINITY, part.iterations = before;
    if (!pki_solve_check(&part) || !pki_solve_done(&part)) {
      if (sparse) {
        climb_sparse(&part, s);
      } else {
        pki_solve_dense(&part);
      }
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

/* A problem with W: islands by its entries, so that the factor is not looked at. */
static void solve_with_W(pki_solve *run)
{
  if (has_full_row(run->p)) {
    pki_solve_dense(run);
    return;
  }
  const pk_contact_problem *p = run->p;
  pk_contact_problem whole = *p;
  whole.factor = NULL;
  run->p = &whole; /* cppcheck-suppress autoVariables */
  pki_islands s = pki_islands_take(&run->arena, run->p);
  if (pki_islands_find(&s, run->p) > 1) {
    run_islands(run, &s, false);
  } else {
    pki_solve_dense(run);
  }
  run->p = p;
}

void pki_solve_auto(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  if (!is_sparse(run->p)) {
    solve_with_W(run);
    pki_arena_release(&run->arena, mark);
    return;
  }
  climb(run, PK_SOLVER_BGS_VELOCITY, WINDOW);
  if (pki_solve_done(run) || run->iterations >= run->options->max_iterations) {
    return;
  }
  pki_islands s = pki_islands_take(&run->arena, run->p);
  if (pki_islands_find(&s, run->p) > 1) {
    run_islands(run, &s, true);
  } else {
    climb_sparse(run, &s);
  }
  pki_arena_release(&run->arena, mark);
}
