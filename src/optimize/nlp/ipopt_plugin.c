/* Ipopt (Waechter and Biegler 2006): an interior-point method with a filter line search and exact second derivatives. A plugin, loaded
 * when a program is solved; MUMPS in it is not safe from several threads, so there is one solve at a time in a process. */
#include <IpStdCInterface.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/nlp/solver.h"

/* OpenBLAS, where that is the BLAS: sums of several threads have an order that changes from run to run. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

/* One solve. */
typedef struct session {
  const pki_solver_problem *problem;
  /* x of the last derivatives. Ipopt asks for first derivatives at iterates alone, not at trial points of its line search, and has
   * them before it tells of an iterate: this is its x, which the C interface does not give. */
  double *x;
} session;

/* ---- functions ---- */

static Bool ask_objective(Index n, Number *x, Bool new_x, Number *f, UserDataPtr user)
{
  (void)n, (void)new_x;
  const pki_solver_problem *p = ((session *)user)->problem;
  return p->objective(p->user, x, f) ? TRUE : FALSE;
}

static Bool ask_gradient(Index n, Number *x, Bool new_x, Number *gradient, UserDataPtr user)
{
  (void)new_x;
  session *s = user;
  memcpy(s->x, x, (size_t)n * sizeof *x);
  return s->problem->gradient(s->problem->user, x, gradient) ? TRUE : FALSE;
}

static Bool ask_constraints(Index n, Number *x, Bool new_x, Index m, Number *g, UserDataPtr user)
{
  (void)n, (void)new_x, (void)m;
  const pki_solver_problem *p = ((session *)user)->problem;
  return p->constraints(p->user, x, g) ? TRUE : FALSE;
}

static Bool ask_jacobian(Index n, Number *x, Bool new_x, Index m, Index count, Index *row, Index *col,
                         Number *values, UserDataPtr user)
{
  (void)new_x, (void)m, (void)count;
  session *s = user;
  const pki_solver_problem *p = s->problem;
  if (values == NULL) {
    p->jacobian_pattern(p->user, row, col);
    return TRUE;
  }
  memcpy(s->x, x, (size_t)n * sizeof *x);
  return p->jacobian_values(p->user, x, values) ? TRUE : FALSE;
}

static Bool ask_hessian(Index n, Number *x, Bool new_x, Number factor, Index m, Number *lambda,
                        Bool new_lambda, Index count, Index *row, Index *col, Number *values,
                        UserDataPtr user)
{
  (void)n, (void)new_x, (void)m, (void)new_lambda, (void)count;
  const pki_solver_problem *p = ((session *)user)->problem;
  if (values == NULL) {
    p->hessian_pattern(p->user, row, col);
    return TRUE;
  }
  return p->hessian_values(p->user, x, factor, lambda, values) ? TRUE : FALSE;
}

static Bool tell_iterate(Index mode, Index iteration, Number objective, Number primal, Number dual, Number mu,
                         Number length, Number regularisation, Number alpha_dual, Number alpha_primal,
                         Index trials, UserDataPtr user)
{
  (void)primal, (void)length, (void)regularisation, (void)alpha_dual, (void)trials;
  const session *s = user;
  const pki_solver_iterate iterate = {.iteration = iteration,
                                      .objective = objective,
                                      .dual = dual,
                                      .mu = mu,
                                      .step = alpha_primal,
                                      .restoration = mode == 1};
  return s->problem->progress(s->problem->user, &iterate, s->x) ? TRUE : FALSE;
}

/* ---- options ---- */

typedef struct option_text {
  const char *name, *value;
} option_text;

typedef struct option_number {
  const char *name;
  double value;
} option_number;

static bool set_texts(IpoptProblem ipopt, const option_text *list, int count)
{
  bool good = true;
  for (int i = 0; i < count; i++) {
    good = AddIpoptStrOption(ipopt, (char *)(void *)list[i].name, (char *)(void *)list[i].value) && good;
  }
  return good;
}

static bool set_numbers(IpoptProblem ipopt, const option_number *list, int count)
{
  bool good = true;
  for (int i = 0; i < count; i++) {
    good = AddIpoptNumOption(ipopt, (char *)(void *)list[i].name, list[i].value) && good;
  }
  return good;
}

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

static bool set_options(IpoptProblem ipopt, const pki_solver_problem *p)
{
  /* An empty option_file_name: otherwise ipopt.opt of the current folder is read. */
  static const option_text texts[] = {{"option_file_name", ""},
                                      {"sb", "yes"},
                                      {"linear_solver", "mumps"},
                                      {"nlp_scaling_method", "user-scaling"},
                                      {"honor_original_bounds", "yes"}};
  static const option_text warm_texts[] = {{"warm_start_init_point", "yes"}};
  static const option_number warm_numbers[] = {{"warm_start_bound_push", 1e-9},
                                               {"warm_start_bound_frac", 1e-9},
                                               {"warm_start_slack_bound_push", 1e-9},
                                               {"warm_start_slack_bound_frac", 1e-9},
                                               {"warm_start_mult_bound_push", 1e-9}};
  /* Absolute tolerances of unscaled conditions are left to the scaled ones. A larger pivot tolerance lets MUMPS see inertias as they
   * are. */
  const option_number numbers[] = {{"tol", p->tolerance},
                                   {"dual_inf_tol", 1e20},
                                   {"constr_viol_tol", 1e20},
                                   {"compl_inf_tol", 1e20},
                                   {"acceptable_tol", p->acceptable},
                                   {"acceptable_dual_inf_tol", 1e20},
                                   {"acceptable_constr_viol_tol", 1e20},
                                   {"acceptable_compl_inf_tol", 1e20},
                                   {"bound_relax_factor", 1e-10},
                                   {"mumps_pivtol", 1e-2},
                                   {"mu_init", p->mu}};
  bool good = set_texts(ipopt, texts, COUNT(texts)) && set_numbers(ipopt, numbers, COUNT(numbers));
  if (p->warm) {
    good = good && set_texts(ipopt, warm_texts, COUNT(warm_texts)) &&
           set_numbers(ipopt, warm_numbers, COUNT(warm_numbers));
  }
  if (p->seconds > 0) {
    const option_number limit = {"max_cpu_time", p->seconds};
    good = good && set_numbers(ipopt, &limit, 1);
  }
  return good && AddIpoptIntOption(ipopt, (char *)(void *)"print_level", 0) &&
         AddIpoptIntOption(ipopt, (char *)(void *)"max_iter", p->iterations);
}

/* ---- ends ---- */

static pki_solver_end end_of(enum ApplicationReturnStatus status, const char **why)
{
  static const struct {
    int status;
    pki_solver_end end;
    const char *why;
  } table[] = {
      {Solve_Succeeded, PKI_SOLVER_SOLVED, "the optimality conditions hold"},
      {Feasible_Point_Found, PKI_SOLVER_SOLVED, "a point that satisfies all rows"},
      {Solved_To_Acceptable_Level, PKI_SOLVER_ACCEPTABLE,
       "the optimality conditions hold to the acceptable tolerance, and no better"},
      {Infeasible_Problem_Detected, PKI_SOLVER_INFEASIBLE, "a point of locally least violation"},
      {Search_Direction_Becomes_Too_Small, PKI_SOLVER_FAILED, "steps became too small"},
      {Diverging_Iterates, PKI_SOLVER_FAILED, "the variables grow without bound"},
      {User_Requested_Stop, PKI_SOLVER_STOPPED, "stopped when asked to"},
      {Maximum_Iterations_Exceeded, PKI_SOLVER_LIMIT, "all iterations are used up"},
      {Maximum_CpuTime_Exceeded, PKI_SOLVER_LIMIT, "all seconds are used up"},
      {Restoration_Failed, PKI_SOLVER_FAILED, "no point of less violation was found"},
      {Error_In_Step_Computation, PKI_SOLVER_FAILED, "no step could be computed"},
      {Not_Enough_Degrees_Of_Freedom, PKI_SOLVER_FAILED, "there are more equations than free variables"},
      {Invalid_Problem_Definition, PKI_SOLVER_FAILED, "the problem is not well defined"},
      {Invalid_Option, PKI_SOLVER_FAILED, "Ipopt does not know an option"},
      {Invalid_Number_Detected, PKI_SOLVER_FAILED, "a function or a derivative is not finite"},
      {Insufficient_Memory, PKI_SOLVER_FAILED, "out of memory"},
  };
  for (int i = 0; i < COUNT(table); i++) {
    if (table[i].status == (int)status) {
      *why = table[i].why;
      return table[i].end;
    }
  }
  *why = "Ipopt failed";
  return PKI_SOLVER_FAILED;
}

__attribute__((visibility("default"))) pki_solver_end pk_nlp_solve(const pki_solver_problem *problem,
                                                                   const char **why);

pki_solver_end pk_nlp_solve(const pki_solver_problem *problem, const char **why)
{
  const pki_solver_problem *p = problem;
  session s = {.problem = p, .x = malloc(((size_t)p->nx + 1) * sizeof(double))};
  *why = "out of memory";
  if (s.x == NULL) {
    return PKI_SOLVER_FAILED;
  }
  if (openblas_set_num_threads != NULL) {
    openblas_set_num_threads(1);
  }
  memcpy(s.x, p->x, (size_t)p->nx * sizeof *s.x);
  /* the interface has no const, but copies these */
  IpoptProblem ipopt = CreateIpoptProblem(
      p->nx, (Number *)(void *)p->lower, (Number *)(void *)p->upper, p->ng, (Number *)(void *)p->row_lower,
      (Number *)(void *)p->row_upper, p->jacobian, p->hessian, 0, ask_objective, ask_constraints,
      ask_gradient, ask_jacobian, ask_hessian);
  *why = "Ipopt refuses the problem";
  pki_solver_end end = PKI_SOLVER_FAILED;
  if (ipopt != NULL) {
    *why = "Ipopt does not know an option";
    if (set_options(ipopt, p) &&
        SetIpoptProblemScaling(ipopt, p->objective_factor, (Number *)(void *)p->x_factor,
                               (Number *)(void *)p->row_factor) &&
        SetIntermediateCallback(ipopt, tell_iterate)) {
      end = end_of(IpoptSolve(ipopt, p->x, NULL, NULL, p->lambda, p->z_lower, p->z_upper, &s), why);
    }
    FreeIpoptProblem(ipopt);
  }
  free(s.x);
  return end;
}
