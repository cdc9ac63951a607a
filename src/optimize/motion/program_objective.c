/* What is minimised, and the rows of S_H.
 *
 * Integrals are by Simpson's rule over the same three points of an interval as the cubics. A minimum of several branches is never
 * written: p_1 <= each of them, and p_1 is as large as can be. */
#include <math.h>
#include <string.h>

#include "optimize/motion/program.h"

/* ---- energies ---- */

/* The heat of one motor at one newton metre: R/(G K)^2. */
static double heat_of(const pki_motion_motor *motor)
{
  const double k = motor->gear * motor->constant;
  return motor->resistance / (k * k);
}

static void add_motor_costs(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][point];
  const double simpson = pki_motion_grid_weight(program->grid, phase, point);
  const int T = program->duration[phase], D = program->distance, out = PKI_NLP_OBJECTIVE;
  pki_nlp *const nlp = program->nlp;
  for (int i = 0; i < program->robot->nmotor; i++) {
    const int k = program->robot->motor[i], tau = pki_motor_torque(program, at, i), plain[2] = {T, tau},
              gear = pki_motion_design_variable(program, PKI_DESIGN_GEAR, k),
              per_metre[4] = {T, D, tau, gear}, work[3] = {T, D, at->power + i};
    const double torque = simpson * p->objective.torque,
                 joule = p->objective.joule > 0 ? simpson * p->objective.joule * heat_of(&p->motor[k]) : 0,
                 resistance = simpson * p->objective.work / pki_motion_weight(program);
    if (torque != 0) {
      pki_nlp_add(nlp, program->small->heat, plain, &torque, &out);
    }
    if (joule != 0 && gear >= 0) {
      const double bare = joule * p->motor[k].gear * p->motor[k].gear; /* of the motor without its gear */
      pki_nlp_add(nlp, program->small->geared_heat, per_metre, &bare, &out);
    } else if (joule != 0) {
      pki_nlp_add(nlp, program->small->heat_per_metre, per_metre, &joule, &out);
    }
    if (at->power >= 0) {
      const int in[3] = {at->power + i, tau, pki_motor_speed(program, at, i)};
      const pki_nlp_label label = {"power", pki_motion_dof_name(p->model, k), phase, point};
      const double scale = program->torque_scale / program->time_scale;
      const int rows[2] = {pki_motion_row(program, label, 0, INFINITY, scale),
                           pki_motion_row(program, label, 0, INFINITY, scale)};
      pki_nlp_add(nlp, program->small->power, in, NULL, rows);
      pki_nlp_add(nlp, program->small->work_per_metre, work, &resistance, &out);
    }
  }
  for (int i = 0; i < p->nfoot && p->objective.torque != 0; i++) { /* motors between a foot and the ground */
    const int last = program->robot->feet[i].rows;
    if (program->robot->feet[i].forces > last && at->force[i] >= 0) {
      const double torque = simpson * p->objective.torque;
      const int in[2] = {T, at->force[i] + last};
      pki_nlp_add(nlp, program->small->heat, in, &torque, &out);
    }
  }
}

static void add_acceleration_cost(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  const double weight = pki_motion_grid_weight(program->grid, phase, point) * p->objective.acceleration;
  const int out = PKI_NLP_OBJECTIVE;
  for (int k = 0; k < program->robot->n && weight != 0; k++) {
    const int in[2] = {program->duration[phase], program->points[phase][point].a + k};
    if (!p->locked[k] && p->model->dof_joint[k] >= 0) {
      pki_nlp_add(program->nlp, program->small->heat, in, &weight, &out);
    }
  }
}

/* ---- where the forces act ---- */

static pk_status add_polygon(pki_motion_program *program, int phase, pk_error *err)
{
  const pki_motion_problem *p = program->problem;
  if (p->objective.polygon == 0 || p->phases[phase].stance == 0) {
    return PK_OK;
  }
  const pk_status status =
      pki_motion_polygon_create(program->robot, p->phases[phase].stance, &program->polygon[phase], err);
  for (int point = 0; point < pki_motion_points(program->grid, phase) && status == PK_OK; point++) {
    const pki_point_variables *at = &program->points[phase][point];
    const double weight = p->objective.polygon * pki_motion_grid_weight(program->grid, phase, point);
    int in[1 + PKI_MOTION_DOFS + PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1)], n = 0;
    const int out = PKI_NLP_OBJECTIVE;
    in[n++] = program->duration[phase];
    for (int k = 0; k < program->robot->n; k++) {
      in[n++] = at->q + k;
    }
    for (int i = 0; i < p->nfoot; i++) {
      for (int k = 0; k < program->robot->feet[i].forces && at->force[i] >= 0; k++) {
        in[n++] = at->force[i] + k;
      }
    }
    pki_motion_add_term(program, program->polygon[phase], in, &weight, &out);
  }
  return status;
}

/* ---- S_H ---- */

/* A branch of S_H is at least p_1. */
static int add_branch(pki_motion_program *program, int phase, int point)
{
  const int row = pki_motion_row(program, (pki_nlp_label){"S_H", NULL, phase, point}, 0, INFINITY,
                                 program->momentum_scale);
  pki_motion_add_linear(program, row, -1, program->stability);
  return row;
}

/* The rows of one edge at one point. On a diagonal the mass is behind it until the phase that ends at the crossing is over, and past it afterwards. */
static void choose_rows(pki_motion_program *program, int phase, int point, const pki_motion_edge *edge,
                        int out[PKI_EDGE_NUMBERS])
{
  const pki_motion_problem *p = program->problem;
  const bool before = p->phases[phase].crossing, two = edge->third < 0;
  const int last = pki_motion_points(program->grid, phase) - 1;
  const pki_nlp_label side = {"side of the diagonal", NULL, phase, point};
  for (int k = 0; k < PKI_EDGE_NUMBERS; k++) {
    out[k] = PKI_NLP_NOWHERE;
  }
  if (program->stability >= 0 && !edge->diagonal) {
    out[PKI_EDGE_HOLDS] = add_branch(program, phase, point);
  } else if (program->stability >= 0) {
    out[PKI_EDGE_CATCHES] = add_branch(program, phase, point);
    out[PKI_EDGE_ROLLS] = two && before ? add_branch(program, phase, point) : PKI_NLP_NOWHERE;
  }
  if (edge->diagonal && two && before && point == last) {
    out[PKI_EDGE_R_H] =
        pki_motion_row(program, (pki_nlp_label){"crossing of the diagonal", NULL, phase, point}, 0, 0,
                       program->robot->length);
  } else if (edge->diagonal && two && before) {
    out[PKI_EDGE_R_H] = pki_motion_row(program, side, 0, INFINITY, program->robot->length);
  } else if (edge->diagonal && two && program->stability >= 0 && point > 0) {
    out[PKI_EDGE_R_H] = pki_motion_row(program, side, -INFINITY, 0, program->robot->length);
  }
}

static pk_status add_edges(pki_motion_program *program, int phase, pk_error *err)
{
  const pki_motion_problem *p = program->problem;
  const int n = program->robot->n;
  pki_motion_edge edges[PKI_MOTION_EDGES];
  const int count = pki_motion_find_edges(p, p->phases[phase].stance, edges);
  if (count == 0 || (program->stability < 0 && !p->phases[phase].crossing)) {
    return PK_OK;
  }
  const pk_status status =
      pki_motion_edges_create(program->robot, p->phases[phase].stance, &program->edges[phase], err);
  for (int point = 0; point < pki_motion_points(program->grid, phase) && status == PK_OK; point++) {
    const pki_point_variables *at = &program->points[phase][point];
    int in[2 * PKI_MOTION_DOFS], out[PKI_MOTION_EDGES * PKI_EDGE_NUMBERS];
    for (int k = 0; k < n; k++) {
      in[k] = at->q + k, in[n + k] = at->v + k;
    }
    for (int k = 0; k < count; k++) {
      choose_rows(program, phase, point, &edges[k], out + (size_t)k * PKI_EDGE_NUMBERS);
    }
    pki_motion_add_term(program, program->edges[phase], in, NULL, out);
  }
  return status;
}

/* ---- the whole ---- */

/* The size of the objective: each part by its natural unit, a tenth of the robot's torque and so on. */
static double objective_size(const pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  const pki_motion_objective *o = &p->objective;
  const int n = program->robot->nmotor > 0 ? program->robot->nmotor : 1;
  const double torque = 0.2 * program->torque_scale, squares = n * torque * torque;
  double time = 0, heat = 0;
  for (int k = 0; k < p->nphase; k++) {
    time += p->phases[k].guess;
  }
  for (int i = 0; i < program->robot->nmotor; i++) {
    heat += heat_of(&p->motor[program->robot->motor[i]]) * torque * torque;
  }
  const double distance = isnan(p->speed) ? program->robot->length : fmax(fabs(p->speed) * time, 1e-3);
  const double size =
      o->torque * squares * time + o->joule * heat * time / distance + o->work * 0.3 + o->time * time +
      o->polygon * 0.01 * program->robot->length * program->robot->length * time +
      o->stability * 0.1 * program->momentum_scale + o->acceleration * n * time / pow(program->time_scale, 4);
  return size > 0 ? size : 1;
}

pk_status pki_motion_add_objective(pki_motion_program *program, pk_error *err)
{
  const pki_motion_problem *p = program->problem;
  pk_status status = PK_OK;
  for (int phase = 0; phase < p->nphase && status == PK_OK; phase++) {
    for (int point = 0; point < pki_motion_points(program->grid, phase); point++) {
      add_motor_costs(program, phase, point);
      add_acceleration_cost(program, phase, point);
    }
    if (p->objective.time != 0) {
      pki_motion_add_linear(program, PKI_NLP_OBJECTIVE, p->objective.time, program->duration[phase]);
    }
    status = add_polygon(program, phase, err);
    status = status == PK_OK ? add_edges(program, phase, err) : status;
  }
  if (program->stability >= 0 && p->objective.stability != 0) {
    pki_motion_add_linear(program, PKI_NLP_OBJECTIVE, -p->objective.stability, program->stability);
  }
  program->nlp->objective_scale = objective_size(program);
  return status;
}
