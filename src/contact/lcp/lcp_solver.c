/* The solvers of linear complementarity problems: their options and their entry. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"

const pk_field pki_lcp_fields[] = {
    {"solver", offsetof(pk_lcp_options, solver), PK_FIELD_ROW, "", PK_LCP_SOLVER_LEMKE, 0, 0, pki_lcp_solvers,
     "method"},
    {"tolerance", offsetof(pk_lcp_options, tolerance), PK_FIELD_REAL, "", 1e-8, 1e-15, 1, NULL,
     "relative residual that counts as solved"},
    {"max_iterations", offsetof(pk_lcp_options, max_iterations), PK_FIELD_INT, "", 20000, 1, 1e9, NULL,
     "pivots or sweeps"},
    {"stop", offsetof(pk_lcp_options, stop), PK_FIELD_ENUM, "", PK_SOLVER_STOP_RESIDUAL, 0,
     PK_SOLVER_STOP_COUNT - 1, pki_stop_words, "when pgs stops"},
    {"change_rel", offsetof(pk_lcp_options, change_rel), PK_FIELD_REAL, "", 1e-12, 0, 1, NULL,
     "stop: change, part of |z| that a sweep may change"},
    {"time_limit", offsetof(pk_lcp_options, time_limit), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL,
     "when to stop with the best so far, 0: never"},
    {"regularisation", offsetof(pk_lcp_options, regularisation), PK_FIELD_REAL, "", 0, 0, 1e100, NULL,
     "Tikhonov: added to the diagonal of M to solve; judged without"},
};
const int pki_lcp_field_count = sizeof pki_lcp_fields / sizeof pki_lcp_fields[0];

pk_lcp_options pk_lcp_options_default(void)
{
  pk_lcp_options options;
  pki_fields_default(pki_lcp_fields, pki_lcp_field_count, &options, sizeof options);
  return options;
}

pk_status pk_lcp_options_validate(const pk_lcp_options *options, pk_error *err)
{
  return pki_fields_validate(pki_lcp_fields, pki_lcp_field_count, options, err);
}

const char *pk_lcp_solver_name(pk_lcp_solver solver)
{
  return (unsigned)solver < PK_LCP_SOLVER_COUNT ? pki_lcp_solvers[solver]->name : "unknown";
}

const char *pk_lcp_outcome_text(pk_lcp_outcome outcome)
{
  static const char *const words[PK_LCP_OUTCOME_COUNT] = {[PK_LCP_OUTCOME_SOLVED] = "solved",
                                                          [PK_LCP_OUTCOME_INFEASIBLE] = "infeasible",
                                                          [PK_LCP_OUTCOME_RAY] = "ray",
                                                          [PK_LCP_OUTCOME_LIMIT] = "iteration limit",
                                                          [PK_LCP_OUTCOME_STALLED] = "stalled",
                                                          [PK_LCP_OUTCOME_TIME] = "time limit",
                                                          [PK_LCP_OUTCOME_REGULARISED] = "regularised"};
  return (unsigned)outcome < PK_LCP_OUTCOME_COUNT ? words[outcome] : "unknown";
}

/* Products of such numbers do not overflow. */
static bool is_usable_lcp(const pk_lcp *p)
{
  if (pk_lcp_validate(p, NULL) != PK_OK) {
    return false;
  }
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    most = fmax(most, fmax(fabs(p->q[i]), fabs(pki_lcp_start(p, i))));
    for (int j = 0; j < p->n; j++) {
      most = fmax(most, fabs(p->M[(size_t)i * (size_t)p->n + (size_t)j]));
    }
  }
  return most < 1e100;
}

static pki_lcp_run begin_lcp_run(const pk_lcp *p, const pk_lcp_options *options, double *z, pki_arena arena)
{
  const size_t n = (size_t)p->n;
  pki_lcp_run run = {.p = p, .options = options, .z = z, .at = INFINITY, .outcome = PK_LCP_OUTCOME_STALLED};
  run.w = pki_arena_take(&arena, n, sizeof(double));
  run.best = pki_arena_take(&arena, n, sizeof(double));
  run.ray = pki_arena_take(&arena, n, sizeof(double));
  run.arena = arena;
  return run;
}

size_t pki_lcp_room(pk_lcp_solver solver, int n, int N)
{
  const pki_lcp_row *row = pki_lcp_solvers[solver];
  pki_arena arena = begin_lcp_run(&(pk_lcp){.n = n}, NULL, NULL, pki_arena_over(NULL, 0)).arena;
  if (row->reserve != NULL) {
    row->reserve(&arena, n, N);
  }
  return arena.high;
}

static bool is_solver(pk_lcp_solver solver)
{
  return (unsigned)solver < PK_LCP_SOLVER_COUNT;
}

/* M + regularisation 1, where that is not zero; M itself otherwise. */
static const double *take_regularised(const pk_lcp *p, const pk_lcp_options *options, pki_arena *arena)
{
  const size_t n = (size_t)p->n;
  if (!(options->regularisation > 0)) {
    return p->M;
  }
  double *M = pki_arena_take(arena, n * n, sizeof *M);
  for (size_t i = 0; M != NULL && i < n * n; i++) {
    M[i] = p->M[i] + (i % (n + 1) == 0 ? options->regularisation : 0);
  }
  return M;
}

size_t pk_lcp_solve_memsize(const pk_lcp *p, const pk_lcp_options *options)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  take_regularised(p, options, &arena);
  return is_solver(options->solver) ? arena.used + pki_lcp_room(options->solver, p->n, pki_lcp_plain_size(p))
                                    : 0;
}

/* Where sweeps begin, within the bounds; the z nearest to zero for the others, and where it is the answer. */
static void set_start(pki_lcp_run *run)
{
  const pk_lcp *p = run->p;
  const bool from_zero = !pki_lcp_solvers[run->options->solver]->sweeps || run->scale == 0;
  for (int i = 0; i < p->n; i++) {
    run->z[i] = from_zero || !isfinite(run->z[i]) ? pki_lcp_start(p, i) : run->z[i];
  }
}

bool pki_lcp_exhausted(const pki_lcp_run *run)
{
  return run->iterations >= run->options->max_iterations || pki_timer_expired(run->timer);
}

/* How a run ended, seen from the problem that was given: z that solves the regularised one need not solve that, and a proof
 * must be one for it. */
static pk_lcp_result judge_run(const pk_lcp *given, pki_lcp_run *run)
{
  pk_lcp_result result = {.outcome = run->outcome, .iterations = run->iterations};
  const double tolerance = run->options->tolerance;
  result.regularised = pk_lcp_certify(run->p, run->z, run->w);
  result.certificate = given->M == run->p->M ? result.regularised : pk_lcp_certify(given, run->z, run->w);
  if (result.certificate.relative <= tolerance) {
    result.outcome = PK_LCP_OUTCOME_SOLVED;
    return result;
  }
  if (run->at <= tolerance) {
    result.outcome = PK_LCP_OUTCOME_REGULARISED;
    return result;
  }
  result.ray = run->has_ray ? run->ray : NULL;
  if (result.outcome == PK_LCP_OUTCOME_INFEASIBLE && !pk_lcp_proves_infeasible(given, run->ray)) {
    result.outcome = PK_LCP_OUTCOME_RAY;
  }
  return result;
}

pk_status pki_lcp_solve(const pk_lcp *given, const pk_lcp_options *options, double *z, void *memory,
                        pki_clock_source clock, pk_lcp_result *result)
{
  const bool callable = is_solver(options->solver) && (given->n == 0 || pki_is_aligned(memory));
  const bool usable =
      options->regularisation >= 0 && options->regularisation <= 1e100 && is_usable_lcp(given);
  if (!callable || !usable) {
    const pk_lcp_certificate none = {.residual = INFINITY, .relative = INFINITY, .worst = -1};
    *result = (pk_lcp_result){.outcome = PK_LCP_OUTCOME_STALLED, .certificate = none, .regularised = none};
    return callable ? PK_ERROR_NONFINITE : PK_ERROR_ARGUMENT;
  }
  pki_arena arena = pki_arena_over(memory, SIZE_MAX); /* the caller made room */
  pk_lcp shifted = *given;
  shifted.M = take_regularised(given, options, &arena);
  const pk_lcp *p = &shifted;
  pki_lcp_run run = begin_lcp_run(p, options, z, arena);
  pki_timer timer = {0};
  if (options->time_limit > 0) {
    timer = pki_timer_start(clock, options->time_limit);
    run.timer = &timer;
  }
  run.scale = pki_lcp_scale(p);
  set_start(&run);
  const pki_lcp_row *row = pki_lcp_solvers[options->solver];
  const bool good = pki_lcp_check(&run);
  if (row->sweeps ? !good : run.at > 0) { /* pivots go on to the last digit */
    row->solve(&run);
  }
  if (isfinite(run.at) && p->n > 0) {
    memcpy(z, run.best, (size_t)p->n * sizeof *z);
  }
  if (timer.expired && run.outcome != PK_LCP_OUTCOME_INFEASIBLE) {
    run.outcome = PK_LCP_OUTCOME_TIME;
  }
  *result = judge_run(given, &run);
  return result->outcome == PK_LCP_OUTCOME_SOLVED ? PK_OK : PK_ERROR_CONVERGENCE;
}

pk_status pk_lcp_solve(const pk_lcp *p, const pk_lcp_options *options, double *z, void *memory,
                       pk_lcp_result *result)
{
  return pki_lcp_solve(p, options, z, memory, pki_real_clock, result);
}
