/* Variables of a motion: where they are, their bounds and scales. */
#include "optimize/motion/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the grid ---- */

int pki_motion_points(const pki_motion_grid *grid, int phase)
{
  return 2 * grid->intervals[phase] + 1;
}

pk_status pki_motion_grid_even(const pki_motion_problem *problem, pki_motion_grid *out, pk_error *err)
{
  *out = (pki_motion_grid){0};
  for (int p = 0; p < problem->nphase; p++) {
    const int n = problem->phases[p].intervals;
    out->intervals[p] = n;
    out->share[p] = malloc((size_t)n * sizeof *out->share[p]);
    if (out->share[p] == NULL) {
      pki_motion_grid_free(out);
      return pki_fail_memory(err, "the grid of a motion");
    }
    for (int k = 0; k < n; k++) {
      out->share[p][k] = 1.0 / n;
    }
  }
  return PK_OK;
}

void pki_motion_grid_free(pki_motion_grid *grid)
{
  for (int p = 0; p < PKI_MOTION_PHASES; p++) {
    free(grid->share[p]);
  }
  *grid = (pki_motion_grid){0};
}

double pki_motion_grid_at(const pki_motion_grid *grid, int phase, int point)
{
  double at = 0;
  for (int k = 0; k < point / 2; k++) {
    at += grid->share[phase][k];
  }
  return point % 2 != 0 ? at + grid->share[phase][point / 2] / 2 : at;
}

double pki_motion_grid_weight(const pki_motion_grid *grid, int phase, int point)
{
  const double *share = grid->share[phase];
  const int k = point / 2;
  if (point % 2 != 0) {
    return share[k] * 4 / 6;
  }
  return ((k > 0 ? share[k - 1] : 0) + (k < grid->intervals[phase] ? share[k] : 0)) / 6;
}

/* ---- small services ---- */

double pki_motion_weight(const pki_motion_program *program)
{
  return program->robot->mass * program->robot->gravity;
}

int pki_motion_row(pki_motion_program *program, pki_nlp_label label, double lower, double upper, double scale)
{
  pki_nlp *const nlp = program->nlp;
  const int row = pki_nlp_rows(nlp, 1, label);
  if (!nlp->failed) {
    nlp->row_lower[row] = lower;
    nlp->row_upper[row] = upper;
    nlp->row_scale[row] = scale;
  }
  return row;
}

void pki_motion_add_linear(pki_motion_program *program, int row, double factor, int variable)
{
  pki_nlp_add(program->nlp, program->small->scaled, &variable, &factor, &row);
}

int pki_motion_chain(const pki_motion_program *program, int foot, int first, int *in)
{
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  for (int k = 0; k < f->nchain; k++) {
    in[k] = first + f->chain[k];
  }
  return f->nchain;
}

unsigned pki_motion_contact_rows(const pki_motion_program *program, int foot)
{
  const bool sole = program->robot->feet[foot].rows == 6;
  const unsigned all = sole ? 0x3fu : 0x7u, plane = 0x15u; /* x and z, and the turn about y */
  return program->problem->planar ? all & plane : all;
}

bool pki_motion_all_fixed(const pki_motion_program *program, const int *in, int count)
{
  const pki_nlp *nlp = program->nlp;
  for (int k = 0; k < count; k++) {
    if (nlp->failed || nlp->lower[in[k]] != nlp->upper[in[k]]) {
      return false;
    }
  }
  return true;
}

/* ---- variables ---- */

static void set_bounds(pki_nlp *nlp, int variable, double lower, double upper, double scale)
{
  if (!nlp->failed) {
    nlp->lower[variable] = lower;
    nlp->upper[variable] = upper;
    nlp->scale[variable] = scale;
  }
}

int pki_motion_variable(pki_motion_program *program, pki_nlp_label label, double lower, double upper,
                        double scale)
{
  const int variable = pki_nlp_variables(program->nlp, 1, label);
  set_bounds(program->nlp, variable, lower, upper, scale);
  return variable;
}

bool pki_motion_is_travel(const pk_model *model, int dof)
{
  for (int i = 0; i < model->nbody; i++) {
    if (model->body_u[i] == dof) {
      return model->body_motion[i] == PK_MOTION_PRISMATIC;
    }
  }
  return false;
}

double pki_motion_effort_scale(const pki_motion_program *program, int dof)
{
  return pki_motion_is_travel(program->problem->model, dof) ? program->force_scale : program->torque_scale;
}

/* q, v and a of one point. */
static void add_state(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  pki_point_variables *at = &program->points[phase][point];
  const double t = program->time_scale;
  const struct {
    const char *what;
    int *first;
    double rate;
  } kinds[] = {{"position", &at->q, 1}, {"velocity", &at->v, 1 / t}, {"acceleration", &at->a, 1 / (t * t)}};
  for (int kind = 0; kind < 3; kind++) {
    for (int k = 0; k < p->model->nu; k++) {
      const pki_nlp_label label = {kinds[kind].what, pki_motion_dof_name(p->model, k), phase, point};
      const int variable = pki_nlp_variables(program->nlp, 1, label);
      const double scale =
          (pki_motion_is_travel(p->model, k) ? program->robot->length : 1) * kinds[kind].rate;
      double lower = -INFINITY, upper = INFINITY;
      if (kind == 0) {
        lower = p->q_lower[k], upper = p->q_upper[k];
      } else if (kind == 1) {
        lower = -p->v_upper[k], upper = p->v_upper[k];
      }
      if (p->locked[k]) {
        lower = upper = kind == 0 ? p->pose[k] : 0;
      }
      set_bounds(program->nlp, variable, lower, upper, scale);
      *kinds[kind].first = k == 0 ? variable : *kinds[kind].first;
    }
  }
}

static void add_torques(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  pki_point_variables *at = &program->points[phase][point];
  at->tau = at->power = -1;
  for (int i = 0; i < program->robot->nmotor; i++) {
    const int k = program->robot->motor[i];
    const pki_nlp_label label = {"torque", pki_motion_dof_name(p->model, k), phase, point};
    const int variable = pki_nlp_variables(program->nlp, 1, label);
    const double scale = pki_motion_effort_scale(program, k);
    set_bounds(program->nlp, variable, -p->tau_upper[k], p->tau_upper[k], scale);
    at->tau = i == 0 ? variable : at->tau;
  }
  for (int i = 0; i < program->robot->nmotor && p->objective.work != 0; i++) {
    const pki_nlp_label label = {"power", pki_motion_dof_name(p->model, program->robot->motor[i]), phase,
                                 point};
    const int variable = pki_nlp_variables(program->nlp, 1, label);
    set_bounds(program->nlp, variable, 0, INFINITY, program->torque_scale / program->time_scale);
    at->power = i == 0 ? variable : at->power;
  }
  pki_motion_add_series_variables(program, phase, point);
}

static const char *const force_words[] = {"force along x",  "force along y",  "force along z",
                                          "moment about x", "moment about y", "moment about z",
                                          "ankle torque"};
static const char *const impulse_words[] = {
    "impulse along x",         "impulse along y",         "impulse along z", "turning impulse about x",
    "turning impulse about y", "turning impulse about z", "ankle impulse"};

/* Forces of a foot, or its impulses; the first. */
static int add_force(pki_motion_program *program, int foot, int phase, int point, double unit, double least)
{
  const pki_motion_problem *p = program->problem;
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  const unsigned counts = pki_motion_contact_rows(program, foot);
  int first = -1;
  for (int k = 0; k < f->forces; k++) {
    const bool ankle = k == f->rows;
    const int word = ankle ? 6 : k;
    const pki_nlp_label label = {point < 0 ? impulse_words[word] : force_words[word], p->feet[foot].name,
                                 phase, point};
    const int variable = pki_nlp_variables(program->nlp, 1, label);
    const double most = ankle ? (point < 0 ? 0 : p->feet[foot].ankle) : INFINITY;
    const bool none = !ankle && (counts >> k & 1u) == 0;
    const double upper = none ? 0 : most;
    set_bounds(program->nlp, variable, k == 2 ? least : -upper, upper,
               unit * (k < 3 ? 1 : program->robot->length));
    first = k == 0 ? variable : first;
  }
  return first;
}

static pk_status add_phase(pki_motion_program *program, int phase, pk_error *err)
{
  const pki_motion_problem *p = program->problem;
  const int n = pki_motion_points(program->grid, phase);
  const double weight = pki_motion_weight(program);
  const pki_nlp_label label = {"duration", p->phases[phase].name, phase, -1};
  program->points[phase] = calloc((size_t)n, sizeof *program->points[phase]);
  if (program->points[phase] == NULL) {
    return pki_fail_memory(err, "the points of a motion");
  }
  program->duration[phase] = pki_nlp_variables(program->nlp, 1, label);
  set_bounds(program->nlp, program->duration[phase], p->phases[phase].shortest, p->phases[phase].longest,
             program->time_scale);
  for (int point = 0; point < n; point++) {
    add_state(program, phase, point);
    add_torques(program, phase, point);
    for (int i = 0; i < p->nfoot; i++) {
      const bool stands = (p->phases[phase].stance >> i & 1u) != 0;
      program->points[phase][point].force[i] =
          stands ? add_force(program, i, phase, point, program->force_scale, p->least_force * weight) : -1;
    }
  }
  return PK_OK;
}

/* ---- boundaries ---- */

/* Who lands and who stands at a boundary, and the variables of an impact. */
static void add_boundary(pki_motion_program *program, int b)
{
  const pki_motion_problem *p = program->problem;
  pki_boundary_variables *at = &program->boundaries[b];
  const bool end = b == p->nphase;
  const unsigned next =
      end ? pki_motion_mirror_feet(&program->mirror, p->nfoot, p->phases[0].stance) : p->phases[b].stance;
  const bool soft = p->phases[end ? 0 : b].soft;
  at->after = -1;
  for (int i = 0; i < PKI_MOTION_FEET; i++) {
    at->impulse[i] = -1;
  }
  if (b == 0 || (end && p->closure == PKI_MOTION_ONCE)) {
    return;
  }
  at->standing = next;
  at->landing = next & ~p->phases[b - 1].stance;
  at->jump = at->landing != 0 && !soft;
  if (!at->jump) {
    return;
  }
  for (int k = 0; k < p->model->nu; k++) {
    const pki_nlp_label label = {"velocity after touchdown", pki_motion_dof_name(p->model, k), b, -1};
    const int variable = pki_nlp_variables(program->nlp, 1, label);
    const double scale =
        (pki_motion_is_travel(p->model, k) ? program->robot->length : 1) / program->time_scale;
    set_bounds(program->nlp, variable, p->locked[k] ? 0 : -INFINITY, p->locked[k] ? 0 : INFINITY, scale);
    at->after = k == 0 ? variable : at->after;
  }
  for (int i = 0; i < p->nfoot; i++) {
    if ((next >> i & 1u) != 0) {
      at->impulse[i] = add_force(program, i, b, -1, program->force_scale * program->time_scale, 0);
    }
  }
}

/* ---- the whole ---- */

static void set_scales(pki_motion_program *program)
{
  const pki_motion_robot *r = program->robot;
  const double g = r->gravity > 0 ? r->gravity : 1;
  program->time_scale = sqrt(r->length / g);
  program->force_scale = r->mass * g;
  program->torque_scale = r->mass * g * r->length;
  program->momentum_scale = r->mass * r->length * sqrt(g * r->length);
}

static pk_status find_images(pki_motion_program *program, pk_error *err)
{
  if (program->problem->closure == PKI_MOTION_HALF) {
    return pki_motion_find_mirror(program->problem, &program->mirror, err);
  }
  for (int k = 0; k < PKI_MOTION_DOFS; k++) {
    program->mirror.to[k] = k;
    program->mirror.sign[k] = 1;
  }
  for (int i = 0; i < PKI_MOTION_FEET; i++) {
    program->mirror.foot_to[i] = i;
  }
  return PK_OK;
}

static void add_totals(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  program->distance = pki_nlp_variables(program->nlp, 1, (pki_nlp_label){"distance", NULL, -1, -1});
  set_bounds(program->nlp, program->distance, -INFINITY, INFINITY, program->robot->length);
  program->stability = -1;
  if (p->objective.stability != 0 || !isnan(p->least_stability)) {
    program->stability = pki_nlp_variables(program->nlp, 1, (pki_nlp_label){"least S_H", NULL, -1, -1});
    set_bounds(program->nlp, program->stability, isnan(p->least_stability) ? -INFINITY : p->least_stability,
               INFINITY, program->momentum_scale);
  }
  pki_motion_add_design_variables(program);
}

pk_status pki_motion_program_create(const pki_motion_problem *problem, const pki_motion_robot *robot,
                                    const pki_grid_functions *small, const pki_motion_grid *grid,
                                    pki_motion_program **out, pk_error *err)
{
  pki_motion_program *program = calloc(1, sizeof *program);
  pk_status status = PK_OK;
  *out = program;
  if (program == NULL || (program->nlp = pki_nlp_create()) == NULL) {
    status = pki_fail_memory(err, "the program of a motion");
  }
  if (status == PK_OK) {
    program->problem = problem;
    program->robot = robot;
    program->small = small;
    program->grid = grid;
    set_scales(program);
    pki_motion_find_series(program);
    status = find_images(program, err);
  }
  for (int phase = 0; phase < problem->nphase && status == PK_OK; phase++) {
    add_boundary(program, phase);
    status = add_phase(program, phase, err);
  }
  if (status == PK_OK) {
    add_boundary(program, problem->nphase);
    add_totals(program);
    pki_motion_add_points(program);
    pki_motion_add_ends(program);
    status = pki_motion_add_objective(program, err);
  }
  status = status == PK_OK ? pki_nlp_finish(program->nlp, err) : status;
  if (status != PK_OK) {
    pki_motion_program_destroy(program);
    *out = NULL;
  }
  return status;
}

void pki_motion_program_destroy(pki_motion_program *program)
{
  if (program == NULL) {
    return;
  }
  for (int p = 0; p < PKI_MOTION_PHASES; p++) {
    free(program->points[p]);
    pki_nlp_function_destroy(program->edges[p]);
    pki_nlp_function_destroy(program->polygon[p]);
  }
  pki_nlp_destroy(program->nlp);
  free(program);
}
