/* The entrants, and one try. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"
#include "study/solvers/solvers.h"

void pki_solvers_entrants(pki_entrant_solver out[PKI_SOLVERS])
{
  int n = 0;
  for (int k = 0; k < PK_SOLVER_COUNT; k++) {
    out[n] = (pki_entrant_solver){.solver = (pk_solver)k, .warm = true};
    snprintf(out[n++].name, sizeof out[0].name, "%s", pk_solver_name((pk_solver)k));
  }
  for (int k = 0; k < PK_LCP_SOLVER_COUNT; k++) {
    /* the pyramid's M has zeros on its diagonal: no sweeps there */
    const bool sweeps = pki_lcp_solvers[k]->sweeps;
    for (int form = 0; form < (sweeps ? 1 : PKI_LINEAR_FORMS); form++) {
      out[n] = (pki_entrant_solver){
          .linear = true, .lcp = (pk_lcp_solver)k, .form = (pki_linear_form)form, .warm = sweeps};
      snprintf(out[n++].name, sizeof out[0].name, "%s %s", pk_lcp_solver_name((pk_lcp_solver)k),
               pki_linear_names[form]);
    }
  }
}

/* A call is timed again unless that takes long; the least counts, as everything else only adds to it. */
enum { AGAIN = 3 };
static const double cheap = 1e-2; /* s */

/* The certificate of the impulses in problem->other. */
static void certify_result(pki_solvers_problem *problem, pki_solver_result *out)
{
  const pk_contact_certificate c = pk_contact_certify(&problem->p, problem->other, problem->scratch);
  out->residual = isfinite(c.relative) ? c.relative : INFINITY;
  out->normal = c.unilateral;
}

static void set_initial_guess(const pki_solvers_problem *problem, int start, double *r)
{
  const size_t bytes = (size_t)pk_contact_size(&problem->p) * sizeof *r;
  if (start == PKI_WARM) {
    memcpy(r, problem->guess, bytes);
  } else {
    memset(r, 0, bytes);
  }
}

/* Each sees what it reads; auto what the world's solver sees. */
static pk_contact_problem problem_view(const pki_solvers_problem *problem, pk_solver solver)
{
  pk_contact_problem p = problem->p;
  const pki_solver_row *row = pki_solvers[solver];
  p.factor = row->reads_factor && (!row->reads_W || problem->had_factor) ? p.factor : NULL;
  p.W = row->reads_W ? p.W : NULL;
  return p;
}

static bool try_contact(pki_solvers_problem *problem, const pki_entrant_solver *entrant, int start,
                        pki_solver_result *out)
{
  const pk_contact_problem p = problem_view(problem, entrant->solver);
  pk_solver_options o = pk_solver_options_default();
  o.solver = entrant->solver;
  o.tolerance = problem->tolerance;
  o.max_iterations = problem->max_iterations;
  if (!pk_solver_suits(o.solver, &p)) {
    return true;
  }
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(&p, &o));
  if (memory == NULL) {
    return false;
  }
  out->tried = true;
  out->time = INFINITY;
  for (int k = 0; k < AGAIN && (k == 0 || out->time < cheap); k++) {
    pk_solver_result result;
    set_initial_guess(problem, start, problem->other);
    const double from = pki_clock();
    out->claims = pk_contact_solve(&p, &o, problem->other, memory, &result) == PK_OK;
    out->time = fmin(out->time, pki_clock() - from);
    out->iterations = result.iterations;
  }
  pki_aligned_free(memory);
  certify_result(problem, out);
  out->own = out->residual;
  out->solved = out->own <= problem->tolerance;
  return true;
}

static bool solve_linear(pki_solvers_problem *problem, pki_linear *linear, const pki_entrant_solver *entrant,
                         int start, pki_solver_result *out)
{
  pk_lcp_options o = pk_lcp_options_default();
  o.solver = entrant->lcp;
  o.tolerance = problem->tolerance;
  o.max_iterations = problem->max_iterations;
  void *memory = pki_aligned_alloc(pk_lcp_solve_memsize(&linear->lcp, &o));
  if (memory == NULL) {
    return false;
  }
  out->tried = true;
  out->time = INFINITY;
  for (int k = 0; k < AGAIN && (k == 0 || out->time < cheap); k++) {
    pk_lcp_result result;
    set_initial_guess(problem, start, problem->other);
    pki_linear_guess(linear, &problem->p, problem->other);
    const double from = pki_clock();
    out->claims = pk_lcp_solve(&linear->lcp, &o, linear->z, memory, &result) == PK_OK;
    out->time = fmin(out->time, pki_clock() - from);
    out->iterations = result.iterations;
  }
  pki_aligned_free(memory);
  const double own = pk_lcp_certify(&linear->lcp, linear->z, linear->w).relative;
  out->own = isfinite(own) ? own : INFINITY;
  out->solved = out->own <= problem->tolerance;
  pki_linear_impulses(linear, &problem->p, problem->other);
  certify_result(problem, out);
  return true;
}

bool pki_solvers_try(pki_solvers_problem *problem, const pki_entrant_solver *entrant, int start,
                     pki_solver_result *out)
{
  *out = (pki_solver_result){.time = NAN, .residual = NAN, .normal = NAN, .own = NAN};
  if (!entrant->linear) {
    return try_contact(problem, entrant, start, out);
  }
  if (problem->p.W == NULL || pki_linear_size(&problem->p, entrant->form) > PKI_LCP_ROWS ||
      (start == PKI_WARM && !entrant->warm)) {
    return true;
  }
  pki_linear linear = {0};
  const bool ok = pki_linear_create(&linear, &problem->p, entrant->form) &&
                  solve_linear(problem, &linear, entrant, start, out);
  pki_linear_free(&linear);
  return ok;
}
