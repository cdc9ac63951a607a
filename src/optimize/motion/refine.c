/* The residual of the equations of motion between points, and intervals that are split. */
#include "optimize/motion/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/guess_forces.h"

/* What is left of the dynamics at a point once the standing feet push as well as they can, divided by the robot's own scales. */
static double dynamics_residual(const pki_motion_program *program, const pki_motion_point *at)
{
  const int n = program->robot->n;
  double in[4 * PKI_MOTION_DOFS], rest[PKI_MOTION_DOFS], worst = 0;
  memcpy(in, at->q, (size_t)n * sizeof *in);
  memcpy(in + n, at->v, (size_t)n * sizeof *in);
  memcpy(in + 2 * n, at->a, (size_t)n * sizeof *in);
  for (int i = 0; i < program->robot->nmotor; i++) {
    in[3 * n + i] = at->tau[program->robot->motor[i]];
  }
  double design[PKI_MOTION_DESIGNS];
  pki_motion_read_design(program, design);
  if (!pki_motion_value(program->problem, design, program->robot->dynamics, in, rest)) {
    return INFINITY;
  }
  pki_design_add_forces(program->problem, design, at->q, at->v, at->a, rest);
  pki_motion_push_back(program, program->problem->phases[at->phase].stance, at->q, rest);
  for (int k = 0; k < n; k++) {
    worst = program->problem->locked[k] ? worst
                                        : fmax(worst, fabs(rest[k]) / pki_motion_effort_scale(program, k));
  }
  return worst;
}

/* q' - v of the two cubics, as a share of the velocity's scale. */
static double rate_mismatch(const pki_motion_program *program, const pki_motion_point *a,
                            const pki_motion_point *b, const pki_motion_point *at, double s)
{
  const double h = b->time - a->time;
  double worst = 0;
  for (int k = 0; k < program->robot->n; k++) {
    const double rate = (6 * s * s - 6 * s) / h * (a->q[k] - b->q[k]) + (3 * s * s - 4 * s + 1) * a->v[k] +
                        (3 * s * s - 2 * s) * b->v[k];
    const double scale = program->nlp->scale[program->points[0][0].v + k];
    worst = program->problem->locked[k] ? worst : fmax(worst, fabs(rate - at->v[k]) / scale);
  }
  return worst;
}

double pki_motion_grid_error(const pki_motion_program *program, const pki_motion_solution *solution,
                             double *errors)
{
  double worst = 0;
  int index = 0, interval = 0;
  for (int phase = 0; phase < program->problem->nphase; phase++) {
    for (int k = 0; k < program->grid->intervals[phase]; k++, index += 2, interval++) {
      const pki_motion_point *a = &solution->points[index], *b = a + 2;
      double error = 0;
      for (int quarter = 1; quarter < 4; quarter += 2) {
        pki_motion_point at;
        const double s = quarter / 4.0, h = (b->time - a->time) / program->time_scale;
        pki_motion_between(program->problem, solution, index, s, &at);
        error = fmax(error, h * dynamics_residual(program, &at) + rate_mismatch(program, a, b, &at, s));
      }
      worst = fmax(worst, error);
      if (errors != NULL) {
        errors[interval] = error;
      }
    }
    index++; /* the last node of the phase */
  }
  return worst;
}

pk_status pki_motion_refine(pki_motion_grid *grid, int nphase, const double *errors, double tolerance,
                            int most, bool *changed, pk_error *err)
{
  int total = 0, first = 0;
  for (int p = 0; p < nphase; p++) {
    total += grid->intervals[p];
  }
  *changed = false;
  for (int p = 0; p < nphase; p++) {
    const int n = grid->intervals[p];
    double *share = malloc(2 * (size_t)n * sizeof *share);
    int count = 0;
    if (share == NULL) {
      return pki_fail_memory(err, "the grid of a motion");
    }
    for (int k = 0; k < n; k++) {
      const bool split = errors[first + k] > tolerance && total < most;
      share[count++] = grid->share[p][k] / (split ? 2 : 1);
      if (split) {
        share[count++] = grid->share[p][k] / 2;
        total++;
        *changed = true;
      }
    }
    first += n;
    free(grid->share[p]);
    grid->share[p] = share;
    grid->intervals[p] = count;
  }
  return PK_OK;
}
