#include "contact/solvers/solver.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "contact/solvers/prox_bilateral.h"

const char *const pki_stop_words[PK_SOLVER_STOP_COUNT] = {"residual", "change"};
const char *const pki_succession_words[PK_SOLVER_SUCCESSION_COUNT] = {"fine", "contact"};

const pk_field pki_solver_fields[] = {
    {"solver", offsetof(pk_solver_options, solver), PK_FIELD_ROW, "", PK_SOLVER_AUTO, 0, 0, pki_solvers,
     "method"},
    {"tolerance", offsetof(pk_solver_options, tolerance), PK_FIELD_REAL, "", 1e-8, 1e-15, 1, NULL,
     "relative residual at which it stops"},
    {"max_iterations", offsetof(pk_solver_options, max_iterations), PK_FIELD_INT, "", 20000, 1, 1e9, NULL,
     "sweeps or Newton steps"},
    {"alpha", offsetof(pk_solver_options, alpha), PK_FIELD_REAL, "", 0, 0, 2, NULL,
     "relaxation of jor and sor, 0: chosen from W"},
    {"stop", offsetof(pk_solver_options, stop), PK_FIELD_ENUM, "", PK_SOLVER_STOP_RESIDUAL, 0,
     PK_SOLVER_STOP_COUNT - 1, pki_stop_words, "when jor, sor and bgs stop"},
    {"change_rel", offsetof(pk_solver_options, change_rel), PK_FIELD_REAL, "", 1e-6, 0, 1, NULL,
     "stop: change, part of an impulse that a sweep may change"},
    {"change_abs", offsetof(pk_solver_options, change_abs), PK_FIELD_REAL, "N s", 1e-6, 0, 1, NULL,
     "stop: change, what it may change besides"},
    {"time_limit", offsetof(pk_solver_options, time_limit), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL,
     "when to stop with the best so far, 0: never"},
    {"thorough", offsetof(pk_solver_options, thorough), PK_FIELD_BOOL, "", false, 0, 1, NULL,
     "auto: every solver alone where its stages end above the tolerance"},
    {"succession", offsetof(pk_solver_options, succession), PK_FIELD_ENUM, "", PK_SOLVER_SUCCESSION_FINE, 0,
     PK_SOLVER_SUCCESSION_COUNT - 1, pki_succession_words, "order in which jor and sor project"},
    {"bilateral_direct", offsetof(pk_solver_options, bilateral_direct), PK_FIELD_BOOL, "", false, 0, 1, NULL,
     "jor and sor: bilateral rows are solved exactly in each sweep"},
};
const int pki_solver_field_count = sizeof pki_solver_fields / sizeof pki_solver_fields[0];

pk_solver_options pk_solver_options_default(void)
{
  pk_solver_options options;
  pki_fields_default(pki_solver_fields, pki_solver_field_count, &options, sizeof options);
  return options;
}

pk_status pk_solver_options_validate(const pk_solver_options *options, pk_error *err)
{
  return pki_fields_validate(pki_solver_fields, pki_solver_field_count, options, err);
}

static bool is_solver(pk_solver solver)
{
  return (unsigned)solver < (unsigned)pki_row_count(pki_solvers);
}

const char *pk_solver_name(pk_solver solver)
{
  return is_solver(solver) ? pki_solvers[solver]->name : "unknown";
}

bool pk_solver_suits(pk_solver solver, const pk_contact_problem *p)
{
  const pki_solver_row *row = pki_solvers[solver];
  return pk_contact_size(p) == 0 || (row->reads_factor && p->factor != NULL) ||
         (row->reads_W && p->W != NULL);
}

pk_solver pki_solver_for(pk_solver solver, const pk_contact_problem *p)
{
  return pk_solver_suits(solver, p) ? solver : pki_solvers[solver]->velocity_form;
}

/* ---- one run ---- */

bool pki_solve_done(const pki_solve *run)
{
  return run->residual / run->scale <= run->options->tolerance;
}

bool pki_solve_expired(const pki_solve *run)
{
  return pki_timer_expired(run->timer);
}

bool pki_solve_exhausted(const pki_solve *run)
{
  return run->iterations >= run->limit || pki_solve_expired(run);
}

bool pki_solve_over(const pki_solve *run)
{
  return pki_solve_done(run) || pki_solve_exhausted(run);
}

void pki_solve_keep(pki_solve *run, double residual)
{
  if (residual < run->residual) {
    run->residual = residual;
    run->used = run->now;
    memcpy(run->best, run->r, (size_t)pk_contact_size(run->p) * sizeof *run->r);
  }
}

/* What the residual of r says: keep it when it is the best, and whether to stop. */
static bool note_iterate(pki_solve *run, double residual)
{
  run->now_at = residual;
  run->fresh = true;
  pki_solve_keep(run, residual);
  return pki_solve_over(run) || !isfinite(run->now_at);
}

bool pki_solve_check_velocity(pki_solve *run)
{
  return note_iterate(run, pki_contact_residual(run->p, run->diagonal, run->r, run->u));
}

bool pki_solve_check_diagonal(pki_solve *run, const double *diagonal)
{
  return note_iterate(run, pki_contact_residual(run->p, diagonal, run->r, run->u));
}

bool pki_solve_check(pki_solve *run)
{
  pk_contact_velocity(run->p, run->r, run->u);
  return pki_solve_check_velocity(run);
}

/* Kinetic energy of the iterate up to a constant, 1/2 r'W r + r'q = 1/2 r'(u + q). */
static double iterate_energy(pki_solve *run)
{
  double sum = 0;
  pk_contact_velocity(run->p, run->r, run->u);
  for (int i = 0; i < pk_contact_size(run->p); i++) {
    sum += 0.5 * run->r[i] * (run->u[i] + run->p->q[i]);
  }
  return sum;
}

/* All |dr| <= |r| T_rel + T_abs (Gehring et al. 2014). Impulses that are not unique may cycle for ever while
 * the velocities rest: when two windows of sweeps changed them alike and the energy stayed, that
 * is the end too. */
static bool iterates_rest(pki_solve *run)
{
  enum { WINDOW = 50 };
  const int n = pk_contact_size(run->p);
  const pk_solver_options *o = run->options;
  pki_change *c = &run->change;
  c->largest = c->moved = 0;
  for (int i = 0; i < n; i++) {
    const double allowed = fabs(run->before[i]) * o->change_rel + o->change_abs;
    const double change = fabs(run->r[i] - run->before[i]);
    c->largest = isfinite(change) ? fmax(c->largest, change / fmax(allowed, 1e-300)) : INFINITY;
    c->moved = fmax(c->moved, change);
    run->before[i] = run->r[i];
  }
  c->window = fmax(c->window, c->largest);
  c->rests = c->largest <= 1;
  if (!c->rests && run->iterations % WINDOW == 0) {
    c->energy = iterate_energy(run);
    c->rests = c->last_window > 0 && c->window > 0.95 * c->last_window && isfinite(c->energy) &&
               fabs(c->energy - c->last_energy) <= o->change_rel * fabs(c->energy);
    c->last_energy = c->energy, c->last_window = c->window, c->window = 0;
  }
  return c->rests;
}

bool pki_solve_swept(pki_solve *run, int every)
{
  run->iterations++;
  run->fresh = false;
  if (run->options->stop == PK_SOLVER_STOP_RESIDUAL) {
    return (run->iterations % every == 0 || pki_solve_exhausted(run)) && pki_solve_check(run);
  }
  const bool stop = iterates_rest(run) || pki_solve_exhausted(run) || !isfinite(run->change.largest);
  if (every == 1) {
    pk_contact_velocity(run->p, run->r, run->u);
  }
  return stop;
}

/* ---- the entry ---- */

static pki_solve begin_solver_run(const pk_contact_problem *p, const pk_solver_options *options, double *r,
                                  pki_arena arena)
{
  const size_t n = (size_t)pk_contact_size(p);
  pki_solve run = {.p = p,
                   .options = options,
                   .r = r,
                   .now = options->solver,
                   .used = options->solver,
                   .limit = options->max_iterations,
                   .residual = INFINITY,
                   .scale = pki_contact_scale(p)};
  run.best = pki_arena_take(&arena, n, sizeof(double));
  run.u = pki_arena_take(&arena, n, sizeof(double));
  run.before = pki_arena_take(&arena, n, sizeof(double));
  if (p->W == NULL && p->factor != NULL) {
    double *diagonal = pki_arena_take(&arena, n, sizeof(double));
    pki_diagonals(p, diagonal);
    run.diagonal = diagonal;
  }
  run.arena = arena;
  return run;
}

size_t pki_solver_scratch(pk_solver solver, const pk_contact_problem *p)
{
  const pki_solver_row *row = pki_solvers[solver];
  pki_arena arena = pki_arena_over(NULL, 0);
  if (row->reserve != NULL) {
    row->reserve(&arena, p);
  }
  return arena.high;
}

size_t pk_contact_solve_memsize(const pk_contact_problem *p, const pk_solver_options *options)
{
  const size_t n = (size_t)pk_contact_size(p);
  if (!is_solver(options->solver)) {
    return 0;
  }
  pki_arena arena = pki_arena_over(NULL, 0);
  for (int k = 0; k < (p->factor != NULL ? 4 : 3); k++) {
    pki_arena_take(&arena, n, sizeof(double));
  }
  pki_arena_take(&arena, pki_solver_scratch(options->solver, p), 1);
  if (options->bilateral_direct) {
    pki_bilateral_block_take(&arena, p);
  }
  return arena.used;
}

pk_status pki_contact_solve(const pk_contact_problem *p, const pk_solver_options *options, double *r,
                            void *memory, pki_clock_source clock, pk_solver_result *result)
{
  const size_t n = (size_t)pk_contact_size(p);
  if (!is_solver(options->solver) || (n > 0 && !pki_is_aligned(memory))) {
    *result = (pk_solver_result){.certificate = {.residual = INFINITY, .relative = INFINITY, .worst = -1},
                                 .used = options->solver};
    return PK_ERROR_ARGUMENT;
  }
  const pki_solver_row *row = pki_solvers[options->solver];
  const bool by_change = row->sweeps && options->stop == PK_SOLVER_STOP_CHANGE;
  pk_solver_options o = *options;
  o.stop = by_change ? PK_SOLVER_STOP_CHANGE : PK_SOLVER_STOP_RESIDUAL;
  pki_solve run = begin_solver_run(p, &o, r, pki_arena_over(memory, SIZE_MAX)); /* the caller made room */
  pki_timer timer = {0};
  if (options->time_limit > 0) {
    timer = pki_timer_start(clock, options->time_limit);
    run.timer = &timer;
  }
  pk_status status = pk_solver_suits(options->solver, p) ? PK_OK : PK_ERROR_UNSUPPORTED;
  if (status == PK_OK && !(run.scale < 1e100)) {
    status = PK_ERROR_NONFINITE; /* products would overflow: there is nothing to search */
  }
  if (status == PK_OK && by_change && n > 0) {
    memcpy(run.before, r, n * sizeof *r);
    pk_contact_velocity(p, r, run.u);
    row->solve(&run);
    status = run.change.rests ? PK_OK : PK_ERROR_CONVERGENCE;
  } else if (status == PK_OK && n > 0) {
    pki_solve_check(&run);
    if (!pki_solve_done(&run) || row->always_runs) {
      row->solve(&run);
    }
    if (isfinite(run.residual)) {
      memcpy(r, run.best, n * sizeof *r);
    }
    status = pki_solve_done(&run) ? PK_OK : PK_ERROR_CONVERGENCE;
  }
  *result = (pk_solver_result){.iterations = run.iterations,
                               .used = run.used,
                               .timed_out = pki_timer_ended(&timer) && status != PK_OK};
  if (p->W == NULL && p->factor == NULL && n > 0) {
    result->certificate = (pk_contact_certificate){.residual = INFINITY, .relative = INFINITY, .worst = -1};
    return status;
  }
  if (!run.fresh || (run.iterations > 0 && !run.final)) {
    pk_contact_velocity(p, r, run.u);
  }
  result->certificate = pki_certify_velocity(p, run.diagonal, r, run.u);
  return status;
}

pk_status pk_contact_solve(const pk_contact_problem *p, const pk_solver_options *options, double *r,
                           void *memory, pk_solver_result *result)
{
  return pki_contact_solve(p, options, r, memory, pki_real_clock, result);
}

double pki_spectral_radius(const pk_contact_problem *p, bool scaled, double *x, double *y)
{
  const int n = pk_contact_size(p);
  double radius = 0;
  for (int i = 0; i < n; i++) {
    x[i] = 1 + 0.37 * (i % 7); /* any start that is not an eigenvector by accident */
  }
  for (int k = 0; k < 20; k++) {
    double norm = 0, size = 0;
    pk_contact_velocity(p, x, y);
    for (int i = 0; i < n; i++) {
      y[i] = (y[i] - p->q[i]) / (scaled ? pki_diagonal(p, i) : 1);
      norm = fmax(norm, fabs(y[i]));
    }
    for (int i = 0; i < n; i++) {
      size = fmax(size, fabs(x[i]));
      x[i] = norm > 0 ? y[i] / norm : 0;
    }
    radius = size > 0 ? norm / size : 0;
  }
  return radius;
}
