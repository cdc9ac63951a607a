/* From the numbers of a program to points of a motion, and from points to any time. */
#include "optimize/motion/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/extract.h"

void pki_motion_solution_free(pki_motion_solution *solution)
{
  free(solution->points);
  free(solution->iterations);
  free(solution->warm);
  *solution = (pki_motion_solution){0};
}

/* ---- points ---- */

static void read_point(const pki_motion_program *program, int phase, int index, double start,
                       pki_motion_point *out)
{
  const pki_motion_problem *p = program->problem;
  const double *x = program->nlp->x;
  const pki_point_variables *at = &program->points[phase][index];
  *out = (pki_motion_point){.phase = phase, .middle = index % 2 != 0};
  out->time = start + x[program->duration[phase]] * pki_motion_grid_at(program->grid, phase, index);
  for (int k = 0; k < program->robot->n; k++) {
    out->q[k] = x[at->q + k], out->v[k] = x[at->v + k], out->a[k] = x[at->a + k];
  }
  for (int i = 0; i < program->robot->nmotor; i++) {
    const int k = program->robot->motor[i];
    out->tau[k] = x[at->tau + i];
    out->motor_tau[k] = x[pki_motor_torque(program, at, i)];
    out->motor_v[k] = x[pki_motor_speed(program, at, i)];
  }
  for (int i = 0; i < p->nfoot; i++) {
    const int rows = program->robot->feet[i].rows;
    for (int k = 0; k < rows && at->force[i] >= 0; k++) {
      *(k < 3 ? &out->force[i][k] : &out->moment[i][k - 3]) = x[at->force[i] + k];
    }
    if (program->robot->feet[i].forces > rows && at->force[i] >= 0) { /* an ankle motor turns about y */
      out->moment[i][1] += x[at->force[i] + rows];
    }
  }
}

/* The less of a margin and what is left of a limit; NAN stands for none. */
static double least_margin(double margin, double used, double limit)
{
  return isfinite(limit) && limit > 0 ? fmin(margin, 1 - used / limit) : margin; /* fmin leaves NAN out */
}

/* How far torques are from lines and limits of motors, whether they count or not. */
static void find_margins(const pki_motion_problem *p, const pki_motion_robot *robot, pki_motion_solution *out)
{
  out->line_margin = out->torque_margin = NAN;
  for (int index = 0; index < out->npoint; index++) {
    const pki_motion_point *at = &out->points[index];
    for (int i = 0; i < robot->nmotor; i++) {
      const int k = robot->motor[i];
      const pki_motion_motor *m = &p->motor[k];
      const double tau = fabs(at->motor_tau[k]), used = tau + m->stall / m->speed * fabs(at->motor_v[k]);
      out->line_margin =
          isfinite(m->speed) ? least_margin(out->line_margin, used, m->stall) : out->line_margin;
      out->torque_margin = least_margin(out->torque_margin, fabs(at->tau[k]), p->tau_upper[k]);
      out->torque_margin = least_margin(out->torque_margin, tau, m->peak);
    }
  }
}

pki_motion_costs pki_motion_costs_of(const pki_motion_solution *s)
{
  return (pki_motion_costs){s->objective, s->joule, s->work, s->torque, s->line_margin, s->torque_margin};
}

/* Sums over the motion, whatever was minimised. */
static void add_up_costs(const pki_motion_program *program, const pki_motion_problem *p,
                         pki_motion_solution *out)
{
  double heat = 0, work = 0, squares = 0;
  int index = 0;
  for (int phase = 0; phase < p->nphase; phase++) {
    for (int point = 0; point < pki_motion_points(program->grid, phase); point++, index++) {
      const pki_motion_point *at = &out->points[index];
      const double w = out->duration[phase] * pki_motion_grid_weight(program->grid, phase, point);
      for (int i = 0; i < program->robot->nmotor; i++) {
        const int k = program->robot->motor[i];
        const double constant = p->motor[k].gear * p->motor[k].constant, tau = at->motor_tau[k];
        heat += w * p->motor[k].resistance * tau * tau / (constant * constant);
        work += w * fabs(tau * at->motor_v[k]);
        squares += w * tau * tau;
      }
      for (int i = 0; i < p->nfoot; i++) { /* ankle motors count as they do in the objective */
        const pki_motion_foot_functions *f = &program->robot->feet[i];
        const int force = program->points[phase][point].force[i];
        const double tau = f->forces > f->rows && force >= 0 ? program->nlp->x[force + f->rows] : 0;
        squares += w * tau * tau;
      }
    }
  }
  const double distance = fabs(program->nlp->x[program->distance]);
  out->torque = squares;
  out->joule = distance > 0 ? heat / distance : NAN;
  out->work = distance > 0 ? work / (pki_motion_weight(program) * distance) : NAN;
}

static void mirror_vector(double v[3])
{
  v[1] = -v[1];
}

static void mirror_turn(double v[3]) /* axes of turns are no arrows */
{
  v[0] = -v[0], v[2] = -v[2];
}

/* A touchdown of the mirror image. */
static pki_motion_impact mirror_impact(const pki_motion_mirror *mirror, int nfoot,
                                       const pki_motion_impact *from, double time)
{
  pki_motion_impact out = {.time = time};
  for (int f = 0; f < nfoot; f++) {
    const int to = mirror->foot_to[f];
    memcpy(out.impulse[to], from->impulse[f], sizeof out.impulse[to]);
    mirror_vector(out.impulse[to]);
  }
  return out;
}

/* Touchdowns at the starts of phases. The one that closes a motion, or its mirror image, is that of its first phase. */
static void read_impacts(const pki_motion_program *program, pki_motion_solution *out)
{
  const pki_motion_problem *p = program->problem;
  double start = 0;
  out->impacts[0] = (pki_motion_impact){0};
  for (int b = 1; b <= p->nphase; b++) {
    const pki_boundary_variables *at = &program->boundaries[b];
    start += out->duration[b - 1];
    pki_motion_impact impact = {.time = start};
    for (int i = 0; i < p->nfoot; i++) {
      for (int k = 0; k < 3 && at->impulse[i] >= 0; k++) {
        impact.impulse[i][k] = program->nlp->x[at->impulse[i] + k];
      }
    }
    if (b < p->nphase) {
      out->impacts[b] = impact;
    } else if (p->closure == PKI_MOTION_HALF) {
      out->impacts[0] = mirror_impact(&program->mirror, p->nfoot, &impact, 0);
    } else {
      out->impacts[0] = impact;
      out->impacts[0].time = 0;
    }
  }
}

/* Costs and margins, with the gears as they were found. */
static pk_status add_up_design(const pki_motion_program *program, pki_motion_solution *out, pk_error *err)
{
  pki_motion_problem *found = malloc(sizeof *found);
  double values[PKI_MOTION_DESIGNS];
  if (found == NULL) {
    return pki_fail_memory(err, "the costs of a motion");
  }
  *found = *program->problem;
  pki_motion_read_design(program, values);
  pki_design_apply(found, values);
  add_up_costs(program, found, out);
  find_margins(found, program->robot, out);
  free(found);
  return PK_OK;
}

static void read_design(const pki_motion_program *program, pki_motion_solution *out)
{
  out->ndesign = program->problem->ndesign;
  for (int i = 0; i < out->ndesign; i++) {
    pki_design_result *d = &out->design[i];
    const pki_motion_costs none = {NAN, NAN, NAN, NAN, NAN, NAN};
    *d = (pki_design_result){program->nlp->x[program->design[i]], NAN, {NAN, NAN}, {none, none}};
  }
}

pk_status pki_motion_extract(const pki_motion_program *program, pki_motion_solution *out, pk_error *err)
{
  const pki_motion_problem *p = program->problem;
  const double *x = program->nlp->x, whole = p->closure == PKI_MOTION_HALF ? 2 : 1;
  double start = 0;
  int count = 0, index = 0;
  for (int phase = 0; phase < p->nphase; phase++) {
    count += pki_motion_points(program->grid, phase);
  }
  free(out->points);
  out->points = calloc((size_t)count, sizeof *out->points);
  if (out->points == NULL) {
    return pki_fail_memory(err, "the points of a motion");
  }
  out->nu = program->robot->n, out->nfoot = p->nfoot, out->nphase = p->nphase, out->npoint = count;
  for (int phase = 0; phase < p->nphase; phase++) {
    out->duration[phase] = x[program->duration[phase]];
    out->intervals[phase] = program->grid->intervals[phase];
    for (int point = 0; point < pki_motion_points(program->grid, phase); point++) {
      read_point(program, phase, point, start, &out->points[index++]);
    }
    start += out->duration[phase];
  }
  read_impacts(program, out);
  out->period = whole * start;
  out->stride = whole * x[program->distance];
  out->stability = program->stability >= 0 ? x[program->stability] : NAN;
  read_design(program, out);
  return add_up_design(program, out, err);
}

/* ---- between points ---- */

/* Cubic through both ends with their rates; value and rate. */
static void hermite(double h, double s, double x0, double f0, double x1, double f1, double *x, double *rate)
{
  const double s2 = s * s, s3 = s2 * s;
  *x = (2 * s3 - 3 * s2 + 1) * x0 + (s3 - 2 * s2 + s) * h * f0 + (3 * s2 - 2 * s3) * x1 + (s3 - s2) * h * f1;
  *rate = (6 * s2 - 6 * s) / h * (x0 - x1) + (3 * s2 - 4 * s + 1) * f0 + (3 * s2 - 2 * s) * f1;
}

/* Parabola through the ends and the middle. */
static double parabola(double s, double y0, double ym, double y1)
{
  return y0 * (1 - s) * (1 - 2 * s) + ym * 4 * s * (1 - s) + y1 * s * (2 * s - 1);
}

/* The first point of the interval of a time: a node. */
static int find_interval(const pki_motion_solution *solution, double time)
{
  int found = 0;
  for (int i = 0; i + 2 < solution->npoint; i++) {
    const pki_motion_point *a = &solution->points[i], *b = &solution->points[i + 2];
    if (!a->middle && a->phase == b->phase && a->time <= time) {
      found = i;
      if (time <= b->time) {
        break;
      }
    }
  }
  return found;
}

void pki_motion_between(const pki_motion_problem *problem, const pki_motion_solution *solution, int node,
                        double s, pki_motion_point *out)
{
  const pki_motion_point *a = &solution->points[node], *m = a + 1, *b = a + 2;
  const double h = b->time - a->time;
  *out = (pki_motion_point){.time = a->time + s * h, .phase = a->phase, .middle = false};
  for (int k = 0; k < solution->nu; k++) {
    double rate;
    hermite(h, s, a->q[k], a->v[k], b->q[k], b->v[k], &out->q[k], &rate);
    hermite(h, s, a->v[k], a->a[k], b->v[k], b->a[k], &out->v[k], &out->a[k]);
    out->tau[k] = problem->scheme == PKI_MOTION_LINEAR ? a->tau[k] + s * (b->tau[k] - a->tau[k])
                                                       : parabola(s, a->tau[k], m->tau[k], b->tau[k]);
    out->motor_tau[k] = parabola(s, a->motor_tau[k], m->motor_tau[k], b->motor_tau[k]);
    out->motor_v[k] = parabola(s, a->motor_v[k], m->motor_v[k], b->motor_v[k]);
  }
  for (int f = 0; f < solution->nfoot; f++) {
    for (int k = 0; k < 3; k++) {
      out->force[f][k] = parabola(s, a->force[f][k], m->force[f][k], b->force[f][k]);
      out->moment[f][k] = parabola(s, a->moment[f][k], m->moment[f][k], b->moment[f][k]);
    }
  }
}

void pki_motion_state_at(const pki_motion_problem *problem, const pki_motion_solution *solution, double time,
                         pki_motion_point *out)
{
  const int i = find_interval(solution, time);
  const pki_motion_point *a = &solution->points[i];
  const double h = a[2].time - a->time;
  pki_motion_between(problem, solution, i, h > 0 ? fmin(fmax((time - a->time) / h, 0), 1) : 0, out);
}

/* ---- the other half ---- */

/* The mirror image of a point of the first half, half a period later. */
static pki_motion_point mirror_point(const pki_motion_problem *problem, const pki_motion_mirror *mirror,
                                     const pki_motion_solution *half, const pki_motion_point *from)
{
  pki_motion_point out = *from;
  for (int k = 0; k < half->nu; k++) {
    const int to = mirror->to[k];
    const double sign = mirror->sign[k];
    out.q[to] = sign * from->q[k], out.v[to] = sign * from->v[k], out.a[to] = sign * from->a[k];
    out.tau[to] = sign * from->tau[k];
    out.motor_tau[to] = sign * from->motor_tau[k], out.motor_v[to] = sign * from->motor_v[k];
  }
  for (int f = 0; f < half->nfoot; f++) {
    const int to = mirror->foot_to[f];
    memcpy(out.force[to], from->force[f], sizeof out.force[to]);
    memcpy(out.moment[to], from->moment[f], sizeof out.moment[to]);
    mirror_vector(out.force[to]);
    mirror_turn(out.moment[to]);
  }
  out.time += half->period / 2;
  out.phase += half->nphase;
  if (problem->along >= 0) {
    out.q[problem->along] += half->stride / 2;
  }
  return out;
}

pk_status pki_motion_whole_cycle(const pki_motion_problem *problem, const pki_motion_solution *half,
                                 pki_motion_solution *out, pk_error *err)
{
  const bool mirrored = problem->closure == PKI_MOTION_HALF;
  const int copies = mirrored ? 2 : 1;
  pki_motion_mirror mirror;
  *out = *half;
  out->iterations = NULL, out->niteration = 0, out->warm = NULL, out->warm_size = 0;
  out->points = calloc((size_t)copies * (size_t)half->npoint + 1, sizeof *out->points);
  if (out->points == NULL) {
    return pki_fail_memory(err, "the points of a motion");
  }
  memcpy(out->points, half->points, (size_t)half->npoint * sizeof *out->points);
  const pk_status status = mirrored ? pki_motion_find_mirror(problem, &mirror, err) : PK_OK;
  if (!mirrored || status != PK_OK) {
    return status;
  }
  for (int i = 0; i < half->npoint; i++) {
    out->points[half->npoint + i] = mirror_point(problem, &mirror, half, &half->points[i]);
  }
  out->npoint = 2 * half->npoint;
  out->nphase = 2 * half->nphase;
  for (int p = 0; p < half->nphase && half->nphase + p < PKI_MOTION_PHASES; p++) {
    out->duration[half->nphase + p] = half->duration[p];
    out->intervals[half->nphase + p] = half->intervals[p];
    out->impacts[half->nphase + p] =
        mirror_impact(&mirror, half->nfoot, &half->impacts[p], half->impacts[p].time + half->period / 2);
  }
  return PK_OK;
}
