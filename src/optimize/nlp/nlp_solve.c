/* Solving a program by a plugin: what it asks, the best iterate, how it ended. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/plugin.h"
#include "optimize/nlp/nlp.h"
#include "optimize/nlp/solver.h"

/* An iterate counts as feasible up to this scaled violation. */
#define FEASIBLE 1e-6

/* One solve, as the plugin's functions see it. */
typedef struct solve {
  pki_nlp *nlp;
  const pki_nlp_options *options;
  double start, spent; /* s: clock at the start; in functions */
  int iterations;
  double dual;
  double *best; /* [nx] */
  double best_objective, best_violation;
  bool has_best;
} solve;

/* ---- what the plugin asks ---- */

static void give_jacobian_pattern(void *user, int *row, int *col)
{
  pki_nlp_jacobian_pattern(((solve *)user)->nlp, row, col);
}

static void give_hessian_pattern(void *user, int *row, int *col)
{
  pki_nlp_hessian_pattern(((solve *)user)->nlp, row, col);
}

static bool give_objective(void *user, const double *x, double *f)
{
  solve *s = user;
  const double start = pki_clock();
  const bool good = pki_nlp_objective(s->nlp, x, f);
  s->spent += pki_clock() - start;
  return good;
}

static bool give_gradient(void *user, const double *x, double *gradient)
{
  solve *s = user;
  const double start = pki_clock();
  const bool good = pki_nlp_gradient(s->nlp, x, gradient);
  s->spent += pki_clock() - start;
  return good;
}

static bool give_constraints(void *user, const double *x, double *g)
{
  solve *s = user;
  const double start = pki_clock();
  const bool good = pki_nlp_constraints(s->nlp, x, g);
  s->spent += pki_clock() - start;
  return good;
}

static bool give_jacobian(void *user, const double *x, double *values)
{
  solve *s = user;
  const double start = pki_clock();
  const bool good = pki_nlp_jacobian(s->nlp, x, values);
  s->spent += pki_clock() - start;
  return good;
}

static bool give_hessian(void *user, const double *x, double factor, const double *lambda, double *values)
{
  solve *s = user;
  const double start = pki_clock();
  const bool good = pki_nlp_hessian(s->nlp, x, factor, lambda, values);
  s->spent += pki_clock() - start;
  return good;
}

/* ---- the best iterate ---- */

/* Feasible before infeasible; of the feasible the least objective, of others the least violation. */
static bool is_better(const solve *s, double objective, double violation)
{
  if (!s->has_best) {
    return isfinite(objective) && isfinite(violation);
  }
  const bool feasible = violation <= FEASIBLE, was_feasible = s->best_violation <= FEASIBLE;
  if (feasible != was_feasible) {
    return feasible;
  }
  return feasible ? objective < s->best_objective : violation < s->best_violation;
}

static double remember_best(solve *s, const double *x)
{
  double objective;
  const bool finite = pki_nlp_objective(s->nlp, x, &objective);
  const double violation = pki_nlp_violation(s->nlp, x, NULL);
  if (finite && is_better(s, objective, violation)) {
    memcpy(s->best, x, (size_t)s->nlp->nx * sizeof *x);
    s->best_objective = objective, s->best_violation = violation;
    s->has_best = true;
  }
  return violation;
}

static bool follow_iterate(void *user, const pki_solver_iterate *iterate, const double *x)
{
  solve *s = user;
  const double start = pki_clock();
  const double violation = remember_best(s, x);
  s->spent += pki_clock() - start;
  s->iterations = iterate->iteration;
  s->dual = iterate->dual;
  const pki_nlp_progress progress = {.iteration = iterate->iteration,
                                     .objective = iterate->objective,
                                     .violation = violation,
                                     .dual = iterate->dual,
                                     .mu = iterate->mu,
                                     .step = iterate->step,
                                     .seconds = pki_clock() - s->start,
                                     .restoration = iterate->restoration};
  return s->options->progress == NULL || s->options->progress(s->options->user, &progress, x);
}

/* ---- the plugin ---- */

static pk_status find_solver(pki_solver_fn *out, pk_error *err)
{
  char folder[PKI_PATH_MAX], path[PKI_PATH_MAX];
  void *library = NULL;
  const char *why = "there is no folder of plugins";
  *out = NULL;
  if (pki_plugin_folder("plugins", "PRONK_PLUGINS", PKI_PLUGINS_FOLDER, folder) &&
      pki_path_join(path, folder, "pronk_ipopt.so")) {
    pki_plugin_function symbol = pki_plugin_load(path, "pk_nlp_solve", false, &library);
    memcpy(out, &symbol, sizeof symbol);
    why = symbol == NULL ? pki_plugin_error() : "";
  }
  if (*out == NULL) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){0},
        "there is no Ipopt plugin: %s. Install coinor-libipopt-dev (Debian) and build with "
        "PK_WITH_IPOPT=ON; PRONK_PLUGINS names the folder of pronk_ipopt.so where it is elsewhere",
        why);
  }
  return PK_OK;
}

/* ---- what cannot be solved ---- */

/* A variable's or a row's bounds and scale. */
static pk_status check_bounds(pki_nlp_label label, double lower, double upper, double scale, pk_error *err)
{
  char name[96];
  pki_nlp_label_text(label, name, sizeof name);
  if (!(lower <= upper)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = name},
                    "the lower bound %g is not below the upper bound %g", lower, upper);
  }
  if (!(scale > 0 && isfinite(scale))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = name}, "the scale %g is not positive",
                    scale);
  }
  return PK_OK;
}

static pk_status check_numbers(const pki_nlp *nlp, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < nlp->ng && status == PK_OK; i++) {
    status = check_bounds(nlp->row_label[i], nlp->row_lower[i], nlp->row_upper[i], nlp->row_scale[i], err);
  }
  for (int i = 0; i < nlp->nx && status == PK_OK; i++) {
    status = check_bounds(nlp->x_label[i], nlp->lower[i], nlp->upper[i], nlp->scale[i], err);
    if (status == PK_OK && !isfinite(nlp->x[i])) {
      char name[96];
      pki_nlp_label_text(nlp->x_label[i], name, sizeof name);
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = name}, "the start %g is not finite",
                        nlp->x[i]);
    }
  }
  return status;
}

/* ---- the whole ---- */

static pki_solver_problem problem_of(solve *s, double *x_factor, double *row_factor)
{
  pki_nlp *nlp = s->nlp;
  const pki_nlp_options *o = s->options;
  const double tolerance = o->tolerance > 0 ? o->tolerance : 1e-8;
  for (int i = 0; i < nlp->nx; i++) {
    x_factor[i] = 1 / nlp->scale[i];
  }
  for (int i = 0; i < nlp->ng; i++) {
    row_factor[i] = 1 / nlp->row_scale[i];
  }
  return (pki_solver_problem){.nx = nlp->nx,
                              .ng = nlp->ng,
                              .jacobian = pki_nlp_jacobian_count(nlp),
                              .hessian = pki_nlp_hessian_count(nlp),
                              .lower = nlp->lower,
                              .upper = nlp->upper,
                              .row_lower = nlp->row_lower,
                              .row_upper = nlp->row_upper,
                              .x_factor = x_factor,
                              .row_factor = row_factor,
                              .objective_factor = 1 / nlp->objective_scale,
                              .tolerance = tolerance,
                              .acceptable = 100 * tolerance,
                              .iterations = o->iterations > 0 ? o->iterations : 500,
                              .seconds = o->seconds,
                              .warm = o->warm,
                              .mu = o->mu > 0 ? o->mu
                                    : o->warm ? 1e-6
                                              : 0.1,
                              .user = s,
                              .jacobian_pattern = give_jacobian_pattern,
                              .hessian_pattern = give_hessian_pattern,
                              .objective = give_objective,
                              .gradient = give_gradient,
                              .constraints = give_constraints,
                              .jacobian_values = give_jacobian,
                              .hessian_values = give_hessian,
                              .progress = follow_iterate,
                              .x = nlp->x,
                              .lambda = nlp->lambda,
                              .z_lower = nlp->z_lower,
                              .z_upper = nlp->z_upper};
}

/* x becomes the best iterate where the solver did not end at an optimum. */
static void keep_best(solve *s, pki_solver_end end)
{
  pki_nlp *nlp = s->nlp;
  if (end != PKI_SOLVER_SOLVED && end != PKI_SOLVER_ACCEPTABLE) {
    remember_best(s, nlp->x);
    if (s->has_best) {
      memcpy(nlp->x, s->best, (size_t)nlp->nx * sizeof *nlp->x);
    }
  }
}

pk_status pki_nlp_solve(pki_nlp *nlp, const pki_nlp_options *options, pki_nlp_result *out, pk_error *err)
{
  static const pki_nlp_end ends[] = {
      [PKI_SOLVER_SOLVED] = PKI_NLP_SOLVED,         [PKI_SOLVER_ACCEPTABLE] = PKI_NLP_ACCEPTABLE,
      [PKI_SOLVER_INFEASIBLE] = PKI_NLP_INFEASIBLE, [PKI_SOLVER_LIMIT] = PKI_NLP_ITERATIONS,
      [PKI_SOLVER_STOPPED] = PKI_NLP_STOPPED,       [PKI_SOLVER_FAILED] = PKI_NLP_FAILED};
  const pki_nlp_options none = {0};
  pki_solver_fn solver;
  *out = (pki_nlp_result){.end = PKI_NLP_FAILED, .why = ""};
  pk_status status = check_numbers(nlp, err);
  status = status == PK_OK ? find_solver(&solver, err) : status;
  if (status != PK_OK) {
    return status;
  }
  double *numbers = malloc((2 * (size_t)nlp->nx + (size_t)nlp->ng + 1) * sizeof *numbers);
  if (numbers == NULL) {
    return pki_fail_memory(err, "a nonlinear program");
  }
  solve s = {.nlp = nlp, .options = options != NULL ? options : &none, .start = pki_clock(), .best = numbers};
  const pki_solver_problem problem = problem_of(&s, numbers + nlp->nx, numbers + 2 * (size_t)nlp->nx);
  const pki_solver_end end = solver(&problem, &out->why);
  keep_best(&s, end);
  out->end = ends[end];
  out->iterations = s.iterations;
  pki_nlp_objective(nlp, nlp->x, &out->objective);
  out->violation = pki_nlp_violation(nlp, nlp->x, NULL);
  out->dual = s.dual;
  out->seconds = pki_clock() - s.start;
  out->evaluation_seconds = s.spent;
  free(numbers);
  return PK_OK;
}
