#include "contact/solver.h"

#include <math.h>
#include <string.h>

const pki_solver_row pki_solvers[PK_SOLVER_COUNT] = {
    [PK_SOLVER_AUTO] = {"auto", "climbs bgs, newton and aclm until the tolerance is met", pki_solve_auto,
                        pki_newton_memsize},
    [PK_SOLVER_JOR] = {"jor", "projected Jacobi with over-relaxation, in impulses", pki_solve_jor,
                       pki_jor_memsize},
    [PK_SOLVER_SOR] = {"sor", "projected Gauss-Seidel with over-relaxation, normal then tangential",
                       pki_solve_sor, NULL},
    [PK_SOLVER_BGS] = {"bgs", "block Gauss-Seidel, each contact solved exactly", pki_solve_bgs, NULL},
    [PK_SOLVER_NEWTON] = {"newton", "Alart-Curnier semi-smooth Newton in a proximal-point loop",
                          pki_solve_newton, pki_newton_memsize},
    [PK_SOLVER_ACLM] = {"aclm", "fixed point over cone programs", pki_solve_aclm, pki_aclm_memsize},
};

const char *const pki_solver_words[PK_SOLVER_COUNT] = {"auto", "jor", "sor", "bgs", "newton", "aclm"};

const pk_field pki_solver_fields[] = {
    {"solver", offsetof(pk_solver_options, solver), PK_FIELD_ENUM, "", PK_SOLVER_AUTO, 0, PK_SOLVER_COUNT - 1,
     pki_solver_words, "method"},
    {"tolerance", offsetof(pk_solver_options, tolerance), PK_FIELD_REAL, "", 1e-8, 1e-15, 1, NULL,
     "relative residual at which it stops"},
    {"max_iterations", offsetof(pk_solver_options, max_iterations), PK_FIELD_INT, "", 20000, 1, 1e9, NULL,
     "sweeps or Newton steps"},
    {"alpha", offsetof(pk_solver_options, alpha), PK_FIELD_REAL, "", 0, 0, 2, NULL,
     "relaxation of jor and sor, 0: chosen from W"},
};
const int pki_solver_field_count = sizeof pki_solver_fields / sizeof pki_solver_fields[0];

pk_solver_options pk_solver_options_default(void)
{
  pk_solver_options options;
  memset(&options, 0, sizeof options);
  pki_fields_preset(pki_solver_fields, pki_solver_field_count, &options);
  return options;
}

pk_status pk_solver_options_validate(const pk_solver_options *options, pk_error *err)
{
  return pki_fields_validate(pki_solver_fields, pki_solver_field_count, options, err);
}

const char *pk_solver_name(pk_solver solver)
{
  return (unsigned)solver < PK_SOLVER_COUNT ? pki_solver_words[solver] : "unknown";
}

bool pki_solve_done(const pki_solve *run)
{
  return run->certificate.relative <= run->options->tolerance;
}

bool pki_solve_check(pki_solve *run)
{
  const pk_certificate c = pk_contact_certify(run->p, run->r, run->u);
  if (c.residual < run->certificate.residual) {
    run->certificate = c;
    run->used = run->now;
    memcpy(run->best, run->r, (size_t)pk_contact_size(run->p) * sizeof *run->r);
  }
  return pki_solve_done(run) || run->iterations >= run->limit || !isfinite(c.residual);
}

size_t pk_contact_solve_memsize(const pk_contact_problem *p, const pk_solver_options *options)
{
  const size_t n = (size_t)pk_contact_size(p);
  const pki_solver_row *row = &pki_solvers[options->solver];
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_arena_take(&arena, n, sizeof(double));
  pki_arena_take(&arena, n, sizeof(double));
  pki_arena_take(&arena, row->memsize ? row->memsize(p) : 0, 1);
  return arena.used;
}

pk_status pk_contact_solve(const pk_contact_problem *p, const pk_solver_options *options, double *r,
                           void *memory, pk_solver_result *result)
{
  const size_t n = (size_t)pk_contact_size(p);
  pki_arena arena = pki_arena_over(memory, pk_contact_solve_memsize(p, options));
  pki_solve run = {.p = p,
                   .options = options,
                   .r = r,
                   .now = options->solver,
                   .used = options->solver,
                   .limit = options->max_iterations};
  run.best = pki_arena_take(&arena, n, sizeof *run.best);
  run.u = pki_arena_take(&arena, n, sizeof *run.u);
  run.arena = arena;
  run.certificate = (pk_certificate){.residual = INFINITY, .relative = INFINITY, .worst = -1};
  if (n == 0) {
    run.certificate = pk_contact_certify(p, r, run.u);
  } else if (!pki_solve_check(&run) || !pki_solve_done(&run)) {
    pki_solvers[options->solver].solve(&run);
  }
  if (n > 0 && isfinite(run.certificate.residual)) {
    memcpy(r, run.best, n * sizeof *r);
  }
  *result =
      (pk_solver_result){.certificate = run.certificate, .iterations = run.iterations, .used = run.used};
  return pki_solve_done(&run) ? PK_OK : PK_ERROR_CONVERGENCE;
}

double pki_spectral_radius(const pk_contact_problem *p, bool scaled, double *x, double *y)
{
  const int n = pk_contact_size(p);
  double radius = 0;
  for (int i = 0; i < n; i++) {
    x[i] = 1 + 0.37 * (i % 7); /* any start that is not an eigenvector by accident */
  }
  for (int k = 0; k < 20; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      y[i] = pki_row_dot(p, i, x) / (scaled ? pki_entry(p, i, i) : 1);
      norm = fmax(norm, fabs(y[i]));
    }
    double size = 0;
    for (int i = 0; i < n; i++) {
      size = fmax(size, fabs(x[i]));
      x[i] = norm > 0 ? y[i] / norm : 0;
    }
    radius = size > 0 ? norm / size : 0;
  }
  return radius;
}
