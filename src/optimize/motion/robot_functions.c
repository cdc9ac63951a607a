/* Dynamics, contacts and impacts of one robot as functions with derivatives. */
#include "optimize/motion/robot_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/foot_motion.h"
#include "optimize/motion/gap.h"
#include "symbolic/graph/differentiate.h"
#include "symbolic/robot/robot.h"

enum { MOST_INPUTS = 4 * PKI_MOTION_DOFS + PKI_MOTION_DESIGNS };

/* The robot in axes of the ground. */
static pki_drafted_robot draft_robot(const pki_motion_problem *problem)
{
  pki_drafted_robot d = pki_draft_robot(problem);
  if (d.good && problem->slope != 0) {
    /* axes of the ground: it is level there, and gravity leans back */
    const double down = -pki_motion_gravity(problem->model);
    const double lean[3] = {down * sin(problem->slope), 0, down * cos(problem->slope)};
    d.robot.gravity = pki_x3_const(d.g, lean);
  }
  return d;
}

double pki_motion_gravity(const pk_model *model)
{
  const double *g = model->gravity;
  return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

/* ---- dynamics ---- */

/* Joint forces that are no motor's: dampers and springs of the model. */
static pki_x add_passive_force(pki_graph *g, const pk_model *m, const pki_robot *r, int k, pki_x force)
{
  if (m->dof_damping[k] != 0) {
    force = pki_plus_times(g, force, pki_const(g, m->dof_damping[k]), r->u[k]);
  }
  if (m->dof_stiffness[k] != 0) {
    const pki_x stretch = pki_minus(g, r->q[k], pki_const(g, m->dof_spring_ref[k]));
    force = pki_plus_times(g, force, pki_const(g, m->dof_stiffness[k]), stretch);
  }
  return force;
}

static pk_status create_dynamics(pki_motion_robot *robot, pk_error *err)
{
  const pk_model *m = robot->problem->model;
  const int n = robot->n;
  pki_drafted_robot d = draft_robot(robot->problem);
  pki_x inputs[4 * PKI_MOTION_DOFS], out[PKI_MOTION_DOFS];
  pk_status status = PK_ERROR_MEMORY;
  if (d.good && pki_robot_rnea(&d.robot, d.robot.u, d.robot.a, out)) {
    memcpy(inputs, d.robot.q, (size_t)n * sizeof *inputs);
    memcpy(inputs + n, d.robot.u, (size_t)n * sizeof *inputs);
    memcpy(inputs + 2 * n, d.robot.a, (size_t)n * sizeof *inputs);
    for (int k = 0; k < n; k++) {
      out[k] = add_passive_force(d.g, m, &d.robot, k, out[k]);
    }
    for (int i = 0; i < robot->nmotor; i++) {
      const int k = robot->motor[i];
      inputs[3 * n + i] = d.robot.tau[k];
      out[k] = pki_minus(d.g, out[k], d.robot.tau[k]);
    }
    status = pki_drafted_function(&d, "inverse dynamics", 3 * n + robot->nmotor, inputs, 0, NULL, n, out,
                                  &robot->dynamics, err);
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the dynamics of the robot") : status;
}

/* M (v+ - v-): inverse dynamics at rest, without gravity. */
static pk_status create_jump(pki_motion_robot *robot, pk_error *err)
{
  const int n = robot->n;
  pki_drafted_robot d = draft_robot(robot->problem);
  pki_x inputs[3 * PKI_MOTION_DOFS], out[PKI_MOTION_DOFS], rest[PKI_MOTION_DOFS], step[PKI_MOTION_DOFS];
  pk_status status = PK_ERROR_MEMORY;
  if (d.good) {
    d.robot.gravity = pki_x3_zero(d.g);
    for (int k = 0; k < n; k++) {
      inputs[k] = d.robot.q[k], inputs[n + k] = d.robot.u[k], inputs[2 * n + k] = d.robot.a[k];
      rest[k] = pki_const(d.g, 0);
      step[k] = pki_minus(d.g, d.robot.a[k], d.robot.u[k]);
    }
    if (pki_robot_rnea(&d.robot, rest, step, out)) {
      status = pki_drafted_function(&d, "impact", 3 * n, inputs, 0, NULL, n, out, &robot->jump, err);
    }
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the impacts of the robot") : status;
}

static pk_status create_mass_place(pki_motion_robot *robot, pk_error *err)
{
  pki_drafted_robot d = draft_robot(robot->problem);
  pki_x3 c, momentum[2];
  pk_status status = PK_ERROR_MEMORY;
  if (d.good && pki_motion_mass(&d.robot, &c, momentum)) {
    status = pki_drafted_function(&d, "centre of mass", robot->n, d.robot.q, 0, NULL, 3, c.v,
                                  &robot->mass_place, err);
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the robot's centre of mass") : status;
}

/* ---- feet ---- */

/* Coordinates of the bodies from the root to the foot, ascending. */
static int find_chain(const pk_model *m, int body, int chain[PKI_MOTION_DOFS])
{
  int n = 0;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    int at = n;
    bool known = false;
    for (int k = 0; k < n; k++) {
      known |= chain[k] == m->body_u[i];
    }
    if (known) { /* parts of one joint share a coordinate */
      continue;
    }
    for (; at > 0 && chain[at - 1] > m->body_u[i]; at--) {
      chain[at] = chain[at - 1];
    }
    chain[at] = m->body_u[i];
    n++;
  }
  return n;
}

/* The nodes of q, v, a of a chain one after the other. */
static void gather_chain(const pki_motion_foot_functions *f, const pki_robot *r, pki_x *out)
{
  for (int k = 0; k < f->nchain; k++) {
    out[k] = r->q[f->chain[k]];
    out[f->nchain + k] = r->u[f->chain[k]];
    out[2 * f->nchain + k] = r->a[f->chain[k]];
  }
}

/* -J' f by the gradient of f . w, and of the moment of an ankle motor, by v. */
static pk_status create_foot_force(pki_motion_foot_functions *f, pki_drafted_robot *d,
                                   const pki_foot_motion *motion, pk_error *err)
{
  pki_x inputs[PKI_MOTION_DOFS + PKI_MOTION_CONTACT_ROWS + 1], weights[PKI_MOTION_CONTACT_ROWS + 1],
      values[PKI_MOTION_CONTACT_ROWS + 1], rates[PKI_MOTION_DOFS], out[PKI_MOTION_DOFS];
  const int port = pki_graph_port(d->g, "f", f->forces, "force of the ground");
  for (int k = 0; k < f->nchain; k++) {
    inputs[k] = d->robot.q[f->chain[k]];
    rates[k] = d->robot.u[f->chain[k]];
  }
  for (int k = 0; k < f->forces; k++) {
    inputs[f->nchain + k] = weights[k] = pki_input(d->g, port, k);
    values[k] = k < f->rows ? motion->w[k] : motion->turn.v[1];
  }
  if (!pki_gradient(d->g, f->forces, values, weights, f->nchain, rates, out)) {
    return PK_ERROR_MEMORY;
  }
  for (int k = 0; k < f->nchain; k++) {
    out[k] = pki_neg(d->g, out[k]);
  }
  return pki_drafted_function(d, "contact force", f->nchain + f->forces, inputs, 0, NULL, f->nchain, out,
                              &f->force, err);
}

static pk_status create_foot_motion(pki_motion_foot_functions *f, pki_drafted_robot *d,
                                    const pki_foot_motion *motion, pk_error *err)
{
  const int n = f->nchain;
  pki_x inputs[3 * PKI_MOTION_DOFS], seeds[2 * PKI_MOTION_DOFS], rate[PKI_MOTION_CONTACT_ROWS];
  gather_chain(f, &d->robot, inputs);
  memcpy(seeds, inputs + n, 2 * (size_t)n * sizeof *seeds); /* q' = v, v' = a */
  if (!pki_tangent(d->g, f->rows, motion->w, 2 * n, inputs, seeds, rate)) {
    return PK_ERROR_MEMORY;
  }
  pk_status status = pki_drafted_function(d, "contact acceleration", 3 * n, inputs, 0, NULL, f->rows, rate,
                                          &f->acceleration, err);
  status = status == PK_OK ? pki_drafted_function(d, "contact velocity", 2 * n, inputs, 0, NULL, f->rows,
                                                  motion->w, &f->velocity, err)
                           : status;
  return status == PK_OK ? pki_drafted_function(d, "contact point", n, inputs, 0, NULL, 3, motion->point.v,
                                                &f->place, err)
                         : status;
}

/* |T_x| <= l_y F_z/2, |T_y| <= l_x F_z/2, |T_z| <= mu_d F_z about the axes of the sole. */
static pk_status create_sole(pki_motion_robot *robot, int i, pki_drafted_robot *d,
                             const pki_foot_motion *motion, pk_error *err)
{
  const pki_motion_foot *foot = &robot->problem->feet[i];
  pki_motion_foot_functions *f = &robot->feet[i];
  pki_graph *const g = d->g;
  pki_x inputs[3 * PKI_MOTION_DOFS], out[6];
  const double most[3] = {foot->width / 2, foot->length / 2, robot->problem->spin_friction};
  gather_chain(f, &d->robot, inputs);
  pk_status status =
      pki_drafted_function(d, "sole", f->nchain, inputs, 0, NULL, 2, motion->axes[2].v, &f->level, err);
  for (int k = 0; k < 4; k++) {
    const double x = (k % 2 == 0 ? 0.5 : -0.5) * foot->length, y = (k / 2 == 0 ? 0.5 : -0.5) * foot->width;
    const pki_x ahead = pki_times(g, pki_const(g, x), motion->axes[0].v[2]);
    out[k] = pki_plus(g, motion->point.v[2], pki_plus_times(g, ahead, pki_const(g, y), motion->axes[1].v[2]));
  }
  status = status == PK_OK ? pki_drafted_function(d, "corners of the sole", f->nchain, inputs, 0, NULL, 4,
                                                  out, &f->corners, err)
                           : status;
  const int port = pki_graph_port(g, "wrench", 6, "force and moment of the ground");
  pki_x wrench[6];
  for (int k = 0; k < 6; k++) {
    inputs[f->nchain + k] = wrench[k] = pki_input(g, port, k);
  }
  const pki_x3 F = {{wrench[0], wrench[1], wrench[2]}}, T = {{wrench[3], wrench[4], wrench[5]}};
  const pki_x normal = pki_x3_dot(g, motion->axes[2], F);
  for (int k = 0; k < 3; k++) {
    const pki_x bound = pki_times(g, pki_const(g, most[k]), normal), turn = pki_x3_dot(g, motion->axes[k], T);
    out[2 * k] = pki_minus(g, bound, turn);
    out[2 * k + 1] = pki_plus(g, bound, turn);
  }
  return status == PK_OK ? pki_drafted_function(d, "moment on the sole", f->nchain + 6, inputs, 0, NULL, 6,
                                                out, &f->moments, err)
                         : status;
}

static pk_status create_foot(pki_motion_robot *robot, int i, pk_error *err)
{
  const pki_motion_foot *foot = &robot->problem->feet[i];
  pki_motion_foot_functions *f = &robot->feet[i];
  pki_drafted_robot d = draft_robot(robot->problem);
  pki_foot_motion motion;
  pk_status status = PK_ERROR_MEMORY;
  f->nchain = find_chain(robot->problem->model, foot->body, f->chain);
  f->rows = foot->area ? 6 : 3;
  f->forces = f->rows + (foot->ankle > 0 ? 1 : 0);
  if (d.good && pki_motion_of_foot(&d, foot, &motion)) {
    status = create_foot_force(f, &d, &motion, err);
    status = status == PK_OK ? create_foot_motion(f, &d, &motion, err) : status;
    status = status == PK_OK && foot->area ? create_sole(robot, i, &d, &motion, err) : status;
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the contacts of the robot") : status;
}

/* ---- values ---- */

/* The inputs of a function without the lengths, and the lengths. */
static bool append_lengths(const pki_motion_problem *problem, const double *design, const pki_nlp_function *f,
                           const double *in, double *out)
{
  const int all = pki_nlp_function_inputs(f), count = pki_lengths_count(problem);
  if (all > MOST_INPUTS) {
    return false;
  }
  memcpy(out, in, (size_t)(all - count) * sizeof *out);
  for (int n = 0; n < count; n++) {
    out[all - count + n] = design[pki_lengths_row(problem, n)];
  }
  return true;
}

bool pki_motion_value(const pki_motion_problem *problem, const double *design, const pki_nlp_function *f,
                      const double *in, double *out)
{
  double all[MOST_INPUTS];
  return append_lengths(problem, design, f, in, all) && pki_nlp_function_value(f, 1, all, NULL, out);
}

bool pki_motion_jacobian(const pki_motion_problem *problem, const double *design, const pki_nlp_function *f,
                         const double *in, double *entries)
{
  double all[MOST_INPUTS];
  return append_lengths(problem, design, f, in, all) &&
         pki_nlp_function_jacobian_values(f, 1, all, NULL, entries);
}

/* ---- the whole ---- */

static void find_motors(pki_motion_robot *robot)
{
  for (int k = 0; k < robot->n; k++) {
    if (robot->problem->tau_upper[k] > 0 && !robot->problem->locked[k]) {
      robot->motor[robot->nmotor++] = k;
    }
  }
}

/* Height of the mass above the feet in the standing pose, or the size of a robot without feet. */
static double find_length(const pki_motion_robot *robot)
{
  const pki_motion_problem *p = robot->problem;
  double c[3], low = INFINITY, reach = 0, values[PKI_MOTION_DESIGNS];
  for (int i = 0; i < p->ndesign; i++) {
    values[i] = p->designs[i].start;
  }
  for (int i = 0; i < p->nfoot; i++) {
    double q[PKI_MOTION_DOFS], at[3];
    for (int k = 0; k < robot->feet[i].nchain; k++) {
      q[k] = p->pose[robot->feet[i].chain[k]];
    }
    if (pki_motion_value(p, values, robot->feet[i].place, q, at)) {
      low = fmin(low, at[2]);
    }
  }
  if (!pki_motion_value(p, values, robot->mass_place, p->pose, c)) {
    return 1;
  }
  for (int i = 0; i < p->model->nbody; i++) {
    const double *r = p->model->body_pos + 3 * (size_t)i;
    reach = fmax(reach, sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
  }
  return isfinite(low) && c[2] - low > 0 ? c[2] - low : reach > 0 ? reach : 1;
}

pk_status pki_motion_robot_create(const pki_motion_problem *problem, pki_motion_robot **out, pk_error *err)
{
  pki_motion_robot *robot = calloc(1, sizeof *robot);
  *out = robot;
  if (robot == NULL) {
    return pki_fail_memory(err, "the robot of a motion");
  }
  robot->problem = problem;
  robot->n = problem->model->nu;
  robot->mass = problem->model->mass;
  robot->gravity = pki_motion_gravity(problem->model);
  find_motors(robot);
  pk_status status = create_dynamics(robot, err);
  status = status == PK_OK ? create_jump(robot, err) : status;
  status = status == PK_OK ? create_mass_place(robot, err) : status;
  for (int i = 0; i < problem->nfoot && status == PK_OK; i++) {
    status = create_foot(robot, i, err);
  }
  for (int i = 0; i < problem->ngap && status == PK_OK; i++) {
    status = pki_motion_gap_create(problem, i, &robot->gaps[i], err);
  }
  if (status != PK_OK) {
    pki_motion_robot_destroy(robot);
    *out = NULL;
    return status;
  }
  robot->length = find_length(robot);
  return PK_OK;
}

void pki_motion_robot_destroy(pki_motion_robot *robot)
{
  if (robot == NULL) {
    return;
  }
  pki_nlp_function_destroy(robot->dynamics);
  pki_nlp_function_destroy(robot->jump);
  pki_nlp_function_destroy(robot->mass_place);
  for (int i = 0; i < PKI_MOTION_FEET; i++) {
    pki_motion_foot_functions *f = &robot->feet[i];
    pki_nlp_function_destroy(f->force);
    pki_nlp_function_destroy(f->velocity);
    pki_nlp_function_destroy(f->acceleration);
    pki_nlp_function_destroy(f->place);
    pki_nlp_function_destroy(f->level);
    pki_nlp_function_destroy(f->moments);
    pki_nlp_function_destroy(f->corners);
  }
  for (int i = 0; i < PKI_MOTION_GAPS; i++) {
    pki_nlp_function_destroy(robot->gaps[i].distance);
  }
  free(robot);
}
