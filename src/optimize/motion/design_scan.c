/* What the least objective does when a design parameter is another one.
 *
 * By the envelope theorem the least objective J(p) of a problem with a parameter p held fixed has the slope
 *
 *   dJ/dp = d/dp (f + lambda' g)
 *
 * at the optimum: all else moves along directions in which the Lagrangian is flat. Inside its bounds an optimal parameter has slope zero, so
 * there the curvature counts: the problem is solved again with p a little smaller and a little larger, all else free. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/extract.h"
#include "optimize/motion/guess.h"
#include "optimize/motion/profile.h"

/* First barrier parameter of problems beside one that is solved. */
static const double scan_mu = 1e-5;

/* A program at its optimum, and the numbers to come back to. */
typedef struct scan {
  const pki_motion_problem *problem;
  const pki_motion_options *options;
  pki_motion_robot *robot;
  pki_grid_functions small;
  pki_motion_grid grid;
  pki_motion_program *program;
  double *x, *lambda, *z_lower, *z_upper; /* of the optimum */
  int done, all;                          /* problems of the scan */
  bool stopped;
} scan;

static bool watch_scan(void *user, const pki_nlp_progress *progress, const double *x)
{
  scan *s = user;
  (void)x;
  if (s->options != NULL && s->options->progress != NULL) {
    char name[48];
    snprintf(name, sizeof name, "design scan %d of %d", s->done + 1, s->all);
    s->stopped |= !s->options->progress(s->options->user, PKI_MOTION_STAGES, name, progress, 1);
  }
  return !s->stopped;
}

static void keep_optimum(const scan *s)
{
  const pki_nlp *nlp = s->program->nlp;
  memcpy(s->x, nlp->x, (size_t)nlp->nx * sizeof *s->x);
  memcpy(s->z_lower, nlp->z_lower, (size_t)nlp->nx * sizeof *s->x);
  memcpy(s->z_upper, nlp->z_upper, (size_t)nlp->nx * sizeof *s->x);
  memcpy(s->lambda, nlp->lambda, (size_t)nlp->ng * sizeof *s->lambda);
}

static void return_to_optimum(const scan *s)
{
  pki_nlp *nlp = s->program->nlp;
  memcpy(nlp->x, s->x, (size_t)nlp->nx * sizeof *s->x);
  memcpy(nlp->z_lower, s->z_lower, (size_t)nlp->nx * sizeof *s->x);
  memcpy(nlp->z_upper, s->z_upper, (size_t)nlp->nx * sizeof *s->x);
  memcpy(nlp->lambda, s->lambda, (size_t)nlp->ng * sizeof *s->lambda);
}

/* Solve from where the program is; costs into `out`, left alone where it is not solved. */
static pk_status solve_fixed(scan *s, pki_motion_costs *out, pk_error *err)
{
  pki_nlp_result result;
  pki_motion_solution *beside = calloc(1, sizeof *beside);
  const pki_nlp_options options = {.tolerance = s->problem->tolerance,
                                   .iterations = s->problem->iterations,
                                   .warm = true,
                                   .mu = scan_mu,
                                   .progress = watch_scan,
                                   .user = s};
  pk_status status = beside != NULL ? pki_nlp_solve(s->program->nlp, &options, &result, err)
                                    : pki_fail_memory(err, "the scan of a design");
  if (status == PK_OK && (result.end == PKI_NLP_SOLVED || result.end == PKI_NLP_ACCEPTABLE)) {
    status = pki_motion_extract(s->program, beside, err);
    beside->objective = result.objective;
    *out = pki_motion_costs_of(beside);
  }
  if (beside != NULL) {
    pki_motion_solution_free(beside);
  }
  free(beside);
  return status;
}

/* One parameter, below and above its value. */
static pk_status scan_one(scan *s, int i, pki_design_result *d, pk_error *err)
{
  const pki_motion_design *row = &s->problem->designs[i];
  pki_nlp *nlp = s->program->nlp;
  const int variable = s->program->design[i];
  const double lower = nlp->lower[variable], upper = nlp->upper[variable];
  const bool angle = row->kind == PKI_DESIGN_PARALLEL_REST;
  const double size = angle ? 1 : fabs(d->value) > 0 ? fabs(d->value) : row->upper - row->lower;
  pk_status status = PK_OK;
  for (int side = 0; side < 2 && status == PK_OK && !s->stopped && row->scan > 0; side++) {
    const double value = d->value + (side == 0 ? -1 : 1) * row->scan * size;
    if (value >= pki_design_floor(row->kind) && value != d->value) {
      return_to_optimum(s);
      nlp->lower[variable] = nlp->upper[variable] = nlp->x[variable] = value;
      d->at[side] = value;
      status = solve_fixed(s, &d->scanned[side], err);
    }
    s->done++;
  }
  nlp->lower[variable] = lower;
  nlp->upper[variable] = upper;
  return status;
}

/* The program of the problem on the grid of the solution, at the solution. */
static pk_status begin_scan(scan *s, const pki_motion_solution *solution, pk_error *err)
{
  pki_profile *profile = pki_profile_unpack(solution->warm, solution->warm_size, &s->grid);
  pk_status status = profile != NULL ? PK_OK : pki_fail_memory(err, "the scan of a design");
  status = status == PK_OK ? pki_grid_functions_create(&s->small, err) : status;
  status = status == PK_OK ? pki_motion_robot_create(s->problem, &s->robot, err) : status;
  status = status == PK_OK
               ? pki_motion_program_create(s->problem, s->robot, &s->small, &s->grid, &s->program, err)
               : status;
  status = status == PK_OK ? pki_motion_guess(s->program, err) : status;
  if (status == PK_OK) {
    const size_t nx = (size_t)s->program->nlp->nx + 1, ng = (size_t)s->program->nlp->ng + 1;
    pki_profile_apply(profile, s->program);
    s->x = malloc((3 * nx + ng) * sizeof *s->x);
    if (s->x == NULL) {
      status = pki_fail_memory(err, "the scan of a design");
    } else {
      s->z_lower = s->x + nx, s->z_upper = s->x + 2 * nx, s->lambda = s->x + 3 * nx;
      keep_optimum(s);
    }
  }
  pki_profile_destroy(profile);
  return status;
}

static void end_scan(scan *s)
{
  pki_motion_program_destroy(s->program);
  pki_motion_robot_destroy(s->robot);
  pki_grid_functions_free(&s->small);
  pki_motion_grid_free(&s->grid);
  free(s->x);
}

static pk_status find_slopes(const scan *s, pki_motion_solution *solution, pk_error *err)
{
  double *slope = malloc(((size_t)s->program->nlp->nx + 1) * sizeof *slope);
  if (slope == NULL) {
    return pki_fail_memory(err, "the slopes of a design");
  }
  const bool good = pki_nlp_lagrangian_slope(s->program->nlp, slope);
  for (int i = 0; i < solution->ndesign; i++) {
    solution->design[i].slope = good ? slope[s->program->design[i]] : NAN;
  }
  free(slope);
  return PK_OK;
}

pk_status pki_motion_scan_designs(const pki_motion_problem *problem, const pki_motion_options *options,
                                  pki_motion_solution *solution, pk_error *err)
{
  scan s = {.problem = problem, .options = options};
  if (problem->ndesign == 0 || solution->warm == NULL) {
    return PK_OK;
  }
  for (int i = 0; i < problem->ndesign; i++) {
    s.all += problem->designs[i].scan > 0 ? 2 : 0;
  }
  pk_status status = begin_scan(&s, solution, err);
  status = status == PK_OK ? find_slopes(&s, solution, err) : status;
  for (int i = 0; i < problem->ndesign && status == PK_OK && !s.stopped; i++) {
    status = scan_one(&s, i, &solution->design[i], err);
  }
  end_scan(&s);
  return status;
}
