/* The ladder: from a first guess to the problem that is asked for, in steps that each start from the last, multipliers kept.
 *
 *   plane    the least torque in the plane, without motor lines and S_H: from the first guess
 *   space    the same in space
 *   30 %, 70 %   of the way from the least torque to what is asked for
 *   all      the problem as it is
 *   grid     the problem as it is on a grid that was refined where the error of an interval is too large
 *
 * What does not differ from the step after it is left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/extract.h"
#include "optimize/motion/foot_motion.h"
#include "optimize/motion/guess.h"
#include "optimize/motion/profile.h"
#include "optimize/motion/refine.h"

/* First barrier parameters: of another problem, and of the same one on a finer grid. With smaller ones another objective takes hundreds of
 * iterations; with larger ones a finer grid takes half as many again. */
static const double ladder_mu = 1e-4, refined_mu = 1e-5;

enum { STAGES_MOST = sizeof(((pki_motion_solution *)NULL)->stages) / sizeof(pki_motion_stage) };

typedef struct rung {
  char name[PKI_MOTION_NAME];
  bool planar;   /* in the plane */
  double target; /* share of the objective that is asked for; the rest is torque */
  bool limits;   /* motor lines and S_H count */
} rung;

typedef struct climb {
  const pki_motion_problem *problem;
  const pki_motion_options *options;
  pki_grid_functions small;
  pki_motion_grid grid;
  pki_profile *profile;
  double mu;      /* first barrier parameter of the next problem, where it starts from a solution */
  double *errors; /* of the intervals of the last solution */
  pki_motion_solution *out;
  int rungs; /* that are planned in all, for the fraction */
  bool stopped;
  pk_error *err;
} climb;

/* ---- which rungs ---- */

static bool wants_torque_only(const pki_motion_problem *p)
{
  const pki_motion_objective *o = &p->objective;
  return o->joule == 0 && o->work == 0 && o->time == 0 && o->polygon == 0 && o->stability == 0;
}

static int plan_rungs(const pki_motion_problem *p, rung rungs[PKI_MOTION_STAGES])
{
  const bool gait = p->closure != PKI_MOTION_ONCE && p->nfoot > 0;
  const bool spatial = !p->planar && p->across >= 0;
  const bool stable = p->objective.stability != 0 || !isnan(p->least_stability);
  int n = 0;
  if (gait && spatial && p->plane_first) {
    rungs[n++] = (rung){"plane", true, 0, false};
  }
  if (gait && (!wants_torque_only(p) || stable || p->motor_lines)) {
    rungs[n++] = (rung){"space", false, 0, false};
  }
  if (gait && p->objective.stability != 0) {
    rungs[n++] = (rung){"30 %", false, 0.3, true};
    rungs[n++] = (rung){"70 %", false, 0.7, true};
  }
  rungs[n++] = (rung){"all", p->planar, 1, true};
  return n;
}

/* The weight of the torque that makes its integral about one: a fifth of m g l in every motor over the motion. */
static double unit_torque_weight(const pki_motion_problem *p)
{
  double time = 0, low = INFINITY;
  for (int i = 0; i < p->nfoot; i++) {
    low = fmin(low, p->feet[i].stand[2]);
  }
  const double stature = p->height >= 0 && isfinite(low) ? fabs(p->pose[p->height] - low) : 1;
  const double torque = 0.2 * p->model->mass * pki_motion_gravity(p->model) * fmax(stature, 1e-3);
  for (int k = 0; k < p->nphase; k++) {
    time += p->phases[k].guess;
  }
  return 1 / (torque * torque * time * p->model->nu);
}

/* The problem of one rung. The weight of the torque is such that both objectives are of one size. */
static void set_rung(const pki_motion_problem *problem, const rung *r, pki_motion_problem *out)
{
  *out = *problem;
  out->planar = problem->planar || r->planar;
  if (r->target < 1) {
    const pki_motion_objective *asked = &problem->objective;
    const double unit = unit_torque_weight(problem);
    const double s = r->target;
    out->objective = (pki_motion_objective){.torque = (1 - s) * unit + s * asked->torque,
                                            .joule = s * asked->joule,
                                            .work = s * asked->work,
                                            .time = s * asked->time,
                                            .polygon = s * asked->polygon,
                                            .stability = s * asked->stability,
                                            .acceleration = asked->acceleration};
  }
  if (!r->limits) {
    out->motor_lines = false;
    out->least_stability = NAN;
  }
}

/* ---- one solve ---- */

typedef struct watch {
  climb *c;
  int stage;
  const char *name;
} watch;

static bool watch_iteration(void *user, const pki_nlp_progress *progress, const double *x)
{
  watch *w = user;
  climb *c = w->c;
  pki_motion_solution *out = c->out;
  (void)x;
  if (out->niteration % 64 == 0) {
    pki_motion_iteration *more =
        realloc(out->iterations, ((size_t)out->niteration + 64) * sizeof *out->iterations);
    if (more == NULL) {
      return true;
    }
    out->iterations = more;
  }
  out->iterations[out->niteration++] = (pki_motion_iteration){
      w->stage, progress->objective, progress->violation, progress->dual, progress->seconds};
  if (c->options->progress == NULL) {
    return true;
  }
  const double within = 1 - exp(-progress->iteration / 60.0);
  const double fraction = fmin((w->stage + within) / fmax(c->rungs, w->stage + 1), 1);
  const bool on = c->options->progress(c->options->user, w->stage, w->name, progress, fraction);
  c->stopped |= !on;
  return on;
}

/* ", phase 2 (swing), at 0.31 s"; nothing of what belongs to the whole motion. */
static void tell_place(const pki_motion_program *program, const pki_nlp_label *label, char *out, size_t size)
{
  const pki_motion_problem *problem = program->problem;
  out[0] = '\0';
  if (label->phase >= problem->nphase) {
    snprintf(out, size, ", at the end");
  } else if (label->phase >= 0) {
    const char *name = problem->phases[label->phase].name;
    double time = 0;
    for (int p = 0; p < label->phase; p++) {
      time += program->nlp->x[program->duration[p]];
    }
    if (label->point >= 0) {
      time += program->nlp->x[program->duration[label->phase]] *
              pki_motion_grid_at(program->grid, label->phase, label->point);
    }
    snprintf(out, size, ", phase %d%s%s%s, at %.3g s", label->phase + 1, name[0] != '\0' ? " (" : "", name,
             name[0] != '\0' ? ")" : "", time);
  }
}

/* "friction cone of LF_FOOT, phase 2, at 0.31 s: 1.2e-3" */
static void tell_worst(const pki_motion_program *program, double tolerance, char *out, size_t size)
{
  const pki_nlp *nlp = program->nlp;
  int which = -1;
  char place[PKI_MOTION_NAME + 48];
  const double worst = pki_nlp_violation(nlp, nlp->x, &which);
  out[0] = '\0';
  if (worst <= tolerance || which < 0) {
    return;
  }
  const pki_nlp_label *label = which < nlp->ng ? &nlp->row_label[which] : &nlp->x_label[which - nlp->ng];
  tell_place(program, label, place, sizeof place);
  snprintf(out, size, "%s%s%s%s: %.2e (scaled)", label->what, label->of != NULL ? " of " : "",
           label->of != NULL ? label->of : "", place, worst);
}

/* A warm start of what is solved already begins where the barrier ended: a larger parameter would lead away from the optimum and back. */
static pki_nlp_options choose_options(const climb *c, const pki_motion_program *program, bool last, watch *w)
{
  const pki_motion_problem *p = program->problem;
  pki_nlp_options options = {.tolerance = last ? p->tolerance : fmax(p->tolerance, 1e-6),
                             .iterations = p->iterations,
                             .warm = c->profile != NULL,
                             .progress = watch_iteration,
                             .user = w};
  if (options.warm) {
    const bool optimal = pki_nlp_optimality(program->nlp) <= 10 * options.tolerance;
    options.mu = optimal ? options.tolerance / 10 : c->mu;
  }
  return options;
}

/* Solve one problem on the grid that there is; the profile is then that of its solution. */
static pk_status solve_one(climb *c, const pki_motion_problem *problem, const char *name, bool last)
{
  pki_motion_solution *out = c->out;
  pki_motion_robot *robot = NULL;
  pki_motion_program *program = NULL;
  pki_motion_problem checked = *problem;
  pk_status status = pki_motion_validate(&checked, c->err);
  status = status == PK_OK ? pki_motion_robot_create(&checked, &robot, c->err) : status;
  status = status == PK_OK ? pki_motion_program_create(&checked, robot, &c->small, &c->grid, &program, c->err)
                           : status;
  status = status == PK_OK ? pki_motion_guess(program, c->err) : status;
  if (status == PK_OK && out->nstage == STAGES_MOST) {
    status =
        pki_fail(c->err, PK_ERROR_LIMIT, (pki_where){0}, "a motion is more than %d problems", STAGES_MOST);
  }
  if (status == PK_OK) {
    watch w = {c, out->nstage, name};
    pki_motion_stage *stage = &out->stages[out->nstage];
    if (c->profile != NULL) {
      pki_profile_apply(c->profile, program);
    }
    const pki_nlp_options options = choose_options(c, program, last, &w);
    *stage = (pki_motion_stage){.variables = program->nlp->nx, .rows = program->nlp->ng};
    snprintf(stage->name, sizeof stage->name, "%s", name);
    stage->jacobian = pki_nlp_jacobian_count(program->nlp);
    stage->hessian = pki_nlp_hessian_count(program->nlp);
    for (int p = 0; p < problem->nphase; p++) {
      stage->intervals += c->grid.intervals[p];
    }
    status = pki_nlp_solve(program->nlp, &options, &stage->result, c->err);
    if (status == PK_OK) {
      tell_worst(program, options.tolerance * 10, stage->worst, sizeof stage->worst);
      out->nstage++;
      pki_profile_destroy(c->profile);
      c->profile = pki_profile_create(program);
      status = c->profile != NULL ? pki_motion_extract(program, out, c->err) : pki_fail_memory(c->err, NULL);
      out->objective = stage->result.objective;
    }
    if (status == PK_OK) {
      free(c->errors);
      c->errors = calloc((size_t)stage->intervals + 1, sizeof *c->errors);
      stage->grid_error = pki_motion_grid_error(program, out, c->errors);
      free(out->warm);
      out->warm = pki_profile_pack(c->profile, &c->grid, problem->nphase, &out->warm_size);
    }
  }
  pki_motion_program_destroy(program);
  pki_motion_robot_destroy(robot);
  return status;
}

static bool is_good(const pki_motion_solution *out)
{
  const pki_nlp_end end = out->nstage > 0 ? out->stages[out->nstage - 1].result.end : PKI_NLP_FAILED;
  return end == PKI_NLP_SOLVED || end == PKI_NLP_ACCEPTABLE;
}

/* ---- the whole ---- */

/* The grid is one of so many phases. */
static bool has_phases(const pki_motion_grid *grid, int nphase)
{
  int n = 0;
  while (n < PKI_MOTION_PHASES && grid->intervals[n] > 0) {
    n++;
  }
  return n == nphase;
}

/* The first stages of an earlier solution, and their iterations. */
static pk_status copy_stages(climb *c, const pki_motion_solution *start, int count)
{
  pki_motion_solution *out = c->out;
  const size_t room = ((size_t)start->niteration / 64 + 1) * 64; /* by which watch_iteration makes it grow */
  memcpy(out->stages, start->stages, (size_t)count * sizeof out->stages[0]);
  out->nstage = count;
  out->iterations = malloc(room * sizeof *out->iterations);
  if (out->iterations == NULL) {
    return pki_fail_memory(c->err, "the iterations of a motion");
  }
  for (int i = 0; i < start->niteration; i++) {
    if (start->iterations[i].stage < count) {
      out->iterations[out->niteration++] = start->iterations[i];
    }
  }
  return PK_OK;
}

/* How many rungs are behind a solution to start from; one that was stopped is not. Where there would be no room for the problems that are left,
 * of those that were solved only the rungs below the last are kept. */
static pk_status resume(climb *c, int *done)
{
  const pki_motion_solution *start = c->options->start;
  *done = 0;
  if (start == NULL || start->warm == NULL) {
    return PK_OK;
  }
  pki_motion_grid grid;
  pki_profile *profile = pki_profile_unpack(start->warm, start->warm_size, &grid);
  if (profile == NULL) {
    return PK_OK;
  }
  if (!has_phases(&grid, c->problem->nphase)) {
    pki_profile_destroy(profile);
    pki_motion_grid_free(&grid);
    return pki_fail(c->err, PK_ERROR_ARGUMENT, (pki_where){0},
                    "the solution to start from has another number of phases, expected %d",
                    c->problem->nphase);
  }
  pki_motion_grid_free(&c->grid);
  c->grid = grid;
  c->profile = profile;
  const bool stopped = start->nstage > 0 && start->stages[start->nstage - 1].result.end == PKI_NLP_STOPPED;
  *done = start->nstage - (stopped ? 1 : 0);
  const bool fits = *done + c->rungs + c->problem->grid_rounds <= STAGES_MOST;
  return copy_stages(c, start, fits || *done < c->rungs ? *done : c->rungs - 1);
}

/* Refine and solve again while an interval's error is too large. */
static pk_status refine_and_solve(climb *c)
{
  const pki_motion_problem *p = c->problem;
  pki_motion_solution *out = c->out;
  for (int round = 0; round < p->grid_rounds && out->nstage < STAGES_MOST && is_good(out) && !c->stopped;
       round++) {
    char name[PKI_MOTION_NAME];
    if (!(out->stages[out->nstage - 1].grid_error > p->grid_tolerance)) {
      return PK_OK;
    }
    bool changed = false;
    pk_status status = c->errors != NULL
                           ? pki_motion_refine(&c->grid, p->nphase, c->errors, p->grid_tolerance,
                                               p->most_intervals, &changed, c->err)
                           : pki_fail_memory(c->err, "the grid of a motion");
    if (status != PK_OK || !changed) {
      return status;
    }
    snprintf(name, sizeof name, "grid %d", round + 1);
    c->mu = refined_mu;
    status = solve_one(c, p, name, true);
    if (status != PK_OK) {
      return status;
    }
    if (c->options->keep != NULL) {
      c->options->keep(c->options->user, out);
    }
  }
  return PK_OK;
}

pk_status pki_motion_solve(const pki_motion_problem *problem, const pki_motion_options *options,
                           pki_motion_solution *out, pk_error *err)
{
  const pki_motion_options none = {0};
  pki_motion_problem checked = *problem, step;
  climb c = {.problem = &checked, .options = options != NULL ? options : &none, .out = out, .err = err};
  rung rungs[PKI_MOTION_STAGES];
  *out = (pki_motion_solution){0};
  pk_status status = pki_motion_validate(&checked, err);
  status = status == PK_OK ? pki_motion_grid_even(&checked, &c.grid, err) : status;
  status = status == PK_OK ? pki_grid_functions_create(&c.small, err) : status;
  const int count = status == PK_OK ? plan_rungs(&checked, rungs) : 0;
  c.rungs = count;
  c.mu = ladder_mu;
  int done = 0;
  status = status == PK_OK ? resume(&c, &done) : status;
  for (int k = done < count ? done : count - 1; k < count && status == PK_OK && !c.stopped; k++) {
    set_rung(&checked, &rungs[k], &step);
    status = solve_one(&c, &step, rungs[k].name, k == count - 1);
    if (status == PK_OK && c.options->keep != NULL && (is_good(out) || c.stopped || k == count - 1)) {
      c.options->keep(c.options->user, out);
    }
  }
  status = status == PK_OK ? refine_and_solve(&c) : status;
  out->solved = status == PK_OK && !c.stopped && is_good(out);
  status = out->solved ? pki_motion_scan_designs(&checked, options, out, err) : status;
  pki_profile_destroy(c.profile);
  free(c.errors);
  pki_motion_grid_free(&c.grid);
  pki_grid_functions_free(&c.small);
  return status;
}
