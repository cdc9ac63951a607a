/* Rows of every point of a motion, and of its intervals. */
#include <math.h>

#include "optimize/motion/gap.h"

/* ---- dynamics ---- */

static void add_dynamics(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][point];
  const int n = program->robot->n;
  int in[4 * PKI_MOTION_DOFS], out[PKI_MOTION_DOFS];
  for (int k = 0; k < n; k++) {
    in[k] = at->q + k, in[n + k] = at->v + k, in[2 * n + k] = at->a + k;
    const pki_nlp_label label = {"inverse dynamics", pki_motion_dof_name(p->model, k), phase, point};
    /* a row of a locked coordinate is what holds it */
    out[k] = p->locked[k] ? PKI_NLP_NOWHERE
                          : pki_motion_row(program, label, 0, 0, pki_motion_effort_scale(program, k));
  }
  for (int i = 0; i < program->robot->nmotor; i++) {
    in[3 * n + i] = at->tau + i;
  }
  pki_motion_add_term(program, program->robot->dynamics, in, NULL, out);
  for (int i = 0; i < p->nfoot; i++) {
    const pki_motion_foot_functions *f = &program->robot->feet[i];
    int pushed[PKI_MOTION_DOFS];
    if (at->force[i] < 0) {
      continue;
    }
    const int chain = pki_motion_chain(program, i, at->q, in);
    for (int k = 0; k < f->forces; k++) {
      in[chain + k] = at->force[i] + k;
    }
    for (int k = 0; k < chain; k++) {
      pushed[k] = out[f->chain[k]];
    }
    pki_motion_add_term(program, f->force, in, NULL, pushed);
  }
  pki_motion_add_design_forces(program, at, out);
}

/* ---- feet on the ground ---- */

static void add_foot_acceleration(pki_motion_program *program, int phase, int point, int foot)
{
  const pki_point_variables *at = &program->points[phase][point];
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  const pki_nlp_label label = {"acceleration of a standing foot", program->problem->feet[foot].name, phase,
                               point};
  const unsigned counts = pki_motion_contact_rows(program, foot);
  const double g = program->robot->gravity > 0 ? program->robot->gravity : 1;
  int in[3 * PKI_MOTION_DOFS], out[PKI_MOTION_CONTACT_ROWS];
  int n = pki_motion_chain(program, foot, at->q, in);
  n += pki_motion_chain(program, foot, at->v, in + n);
  (void)pki_motion_chain(program, foot, at->a, in + n);
  for (int k = 0; k < f->rows; k++) {
    const double scale = k < 3 ? g : g / program->robot->length;
    out[k] = (counts >> k & 1u) != 0 ? pki_motion_row(program, label, 0, 0, scale) : PKI_NLP_NOWHERE;
  }
  pki_motion_add_term(program, f->acceleration, in, NULL, out);
}

/* (5): the force within its cone; F_z >= 0 is a bound. */
void pki_motion_add_cone(pki_motion_program *program, pki_nlp_label label, int force, double unit)
{
  const int in[3] = {force, force + 1, force + 2};
  const double friction = program->problem->friction * program->problem->friction_share,
               size = friction * unit;
  if (!isfinite(friction)) { /* the foot never slips */
    return;
  }
  const int row = pki_motion_row(program, label, 0, INFINITY, size * size);
  pki_nlp_add(program->nlp, program->small->cone, in, &friction, &row);
}

/* (6): moments of a sole about the axes of the foot. */
void pki_motion_add_sole(pki_motion_program *program, pki_nlp_label label, int foot, int q, int force,
                         double unit)
{
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  const bool planar = program->problem->planar;
  int in[PKI_MOTION_DOFS + PKI_MOTION_CONTACT_ROWS + 1], out[6];
  const int n = pki_motion_chain(program, foot, q, in);
  label.what = label.point >= 0 ? "moment on the sole" : "turning impulse on the sole";
  for (int k = 0; k < f->rows; k++) {
    in[n + k] = force + k;
  }
  for (int k = 0; k < 6; k++) { /* in the plane there is none about x and z */
    const bool counts = !planar || k / 2 == 1;
    out[k] = counts ? pki_motion_row(program, label, 0, INFINITY, unit) : PKI_NLP_NOWHERE;
  }
  pki_motion_add_term(program, f->moments, in, NULL, out);
}

static void add_standing_foot(pki_motion_program *program, int phase, int point, int foot)
{
  const int force = program->points[phase][point].force[foot];
  const pki_nlp_label label = {"friction cone", program->problem->feet[foot].name, phase, point};
  add_foot_acceleration(program, phase, point, foot);
  pki_motion_add_cone(program, label, force, program->force_scale);
  if (program->problem->feet[foot].area) {
    pki_motion_add_sole(program, label, foot, program->points[phase][point].q, force, program->torque_scale);
  }
}

/* ---- feet in the air ---- */

/* How far a foot is in its swing, 0 to 1, by the durations at the start; phases before and after are those of the cycle. */
static double swing_part(const pki_motion_program *program, int phase, int point, int foot)
{
  const pki_motion_problem *p = program->problem;
  const bool closes = p->closure != PKI_MOTION_ONCE;
  const double own = p->phases[phase].guess;
  double before = own * pki_motion_grid_at(program->grid, phase, point), all = own;
  int who = foot;
  for (int k = phase - 1, steps = 0; steps < 2 * p->nphase; k--, steps++) {
    if (k < 0) {
      if (!closes) {
        break;
      }
      k = p->nphase - 1;
      who = program->mirror.foot_to[who];
    }
    if ((p->phases[k].stance >> who & 1u) != 0) {
      break;
    }
    before += p->phases[k].guess, all += p->phases[k].guess;
  }
  who = foot;
  for (int k = phase + 1, steps = 0; steps < 2 * p->nphase; k++, steps++) {
    if (k >= p->nphase) {
      if (!closes) {
        break;
      }
      k = 0;
      who = program->mirror.foot_to[who];
    }
    if ((p->phases[k].stance >> who & 1u) != 0) {
      break;
    }
    all += p->phases[k].guess;
  }
  return before / all;
}

/* (4): the height of a swinging foot, of a sole that of its corners, in the middle of the swing `clearance`; where it leaves and lands others say how high it is. */
static void add_swinging_foot(pki_motion_program *program, int phase, int point, int foot)
{
  const pki_point_variables *at = &program->points[phase][point];
  const double part = swing_part(program, phase, point, foot), lift = sin(acos(-1.0) * part);
  if (part < 1e-9 || part > 1 - 1e-9) {
    return;
  }
  const pki_nlp_label label = {"height of a swinging foot", program->problem->feet[foot].name, phase, point};
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  const double least = program->problem->clearance * lift * lift, scale = program->robot->length;
  int in[PKI_MOTION_DOFS], out[4] = {PKI_NLP_NOWHERE, PKI_NLP_NOWHERE};
  (void)pki_motion_chain(program, foot, at->q, in);
  for (int k = f->corners != NULL ? 0 : 2; k < (f->corners != NULL ? 4 : 3); k++) {
    out[k] = pki_motion_row(program, label, least, INFINITY, scale);
  }
  pki_motion_add_term(program, f->corners != NULL ? f->corners : f->place, in, NULL, out);
}

/* ---- motors ---- */

/* |tau| <= stall (1 - |v|/speed): tau + k v and tau - k v both within the stall torque, k = stall/speed. */
static void add_motor_lines(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][point];
  for (int i = 0; i < program->robot->nmotor && p->motor_lines; i++) {
    const int k = program->robot->motor[i];
    const pki_motion_motor *motor = &p->motor[k];
    if (!isfinite(motor->speed) || pki_motion_design_variable(program, PKI_DESIGN_GEAR, k) >= 0) {
      continue;
    }
    const pki_nlp_label label = {"torque-speed line", pki_motion_dof_name(p->model, k), phase, point};
    const double slope = motor->stall / motor->speed;
    const int in[2] = {pki_motor_torque(program, at, i), pki_motor_speed(program, at, i)},
              out[2] = {pki_motion_row(program, label, -motor->stall, motor->stall, program->torque_scale),
                        pki_motion_row(program, label, -motor->stall, motor->stall, program->torque_scale)};
    pki_nlp_add(program->nlp, program->small->line, in, &slope, out);
  }
}

/* ---- intervals ---- */

void pki_motion_add_cubic(pki_motion_program *program, int phase, int interval, const int x[3],
                          const int f[3], pki_nlp_label label, double scale)
{
  const double share = program->grid->share[phase][interval];
  const int T = program->duration[phase];
  const int simpson[6] = {x[0], x[2], f[0], f[1], f[2], T}, middle[6] = {x[1], x[0], x[2], f[0], f[2], T};
  const int ends = pki_motion_row(program, label, 0, 0, scale);
  pki_nlp_add(program->nlp, program->small->simpson, simpson, &share, &ends);
  label.point++;
  const int half = pki_motion_row(program, label, 0, 0, scale);
  pki_nlp_add(program->nlp, program->small->middle, middle, &share, &half);
}

static void add_interval(pki_motion_program *program, int phase, int interval)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][2 * interval];
  const double h = program->grid->share[phase][interval] * p->phases[phase].guess / program->time_scale;
  for (int k = 0; k < p->model->nu; k++) {
    const int q[3] = {at[0].q + k, at[1].q + k, at[2].q + k}, v[3] = {at[0].v + k, at[1].v + k, at[2].v + k},
              a[3] = {at[0].a + k, at[1].a + k, at[2].a + k};
    const char *name = pki_motion_dof_name(p->model, k);
    if (p->locked[k]) {
      continue;
    }
    const pki_nlp *nlp = program->nlp;
    const double scale = nlp->failed ? 1 : nlp->scale[q[0]] * h, rate = scale / program->time_scale;
    pki_motion_add_cubic(program, phase, interval, q, v,
                         (pki_nlp_label){"cubic of positions", name, phase, 2 * interval}, scale);
    pki_motion_add_cubic(program, phase, interval, v, a,
                         (pki_nlp_label){"cubic of velocities", name, phase, 2 * interval}, rate);
  }
}

static void add_controls(pki_motion_program *program, int phase, int interval)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][2 * interval];
  for (int i = 0; i < program->robot->nmotor; i++) {
    const int k = program->robot->motor[i];
    const char *name = pki_motion_dof_name(p->model, k);
    if (p->scheme == PKI_MOTION_LINEAR && program->series_of[i] < 0) {
      const int row = pki_motion_row(program, (pki_nlp_label){"linear torque", name, phase, 2 * interval + 1},
                                     0, 0, program->torque_scale);
      pki_motion_add_linear(program, row, 1, at[1].tau + i);
      pki_motion_add_linear(program, row, -0.5, at[0].tau + i);
      pki_motion_add_linear(program, row, -0.5, at[2].tau + i);
    }
    for (int half = 0; half < 2 && isfinite(p->rate_upper[k]); half++) {
      const pki_nlp_label label = {"rate of torque", name, phase, 2 * interval + half};
      const double most = p->rate_upper[k] * program->grid->share[phase][interval] / 2;
      const int in[3] = {at[half].tau + i, at[half + 1].tau + i, program->duration[phase]},
                out[2] = {pki_motion_row(program, label, 0, INFINITY, program->torque_scale),
                          pki_motion_row(program, label, 0, INFINITY, program->torque_scale)};
      pki_nlp_add(program->nlp, program->small->rate, in, &most, out);
    }
  }
  /* the torque of an ankle motor is a control like the others */
  for (int i = 0; i < p->nfoot && p->scheme == PKI_MOTION_LINEAR; i++) {
    const int last = program->robot->feet[i].rows;
    if (program->robot->feet[i].forces > last && at->force[i] >= 0) {
      const pki_nlp_label label = {"linear torque", p->feet[i].name, phase, 2 * interval + 1};
      const int row = pki_motion_row(program, label, 0, 0, program->torque_scale);
      pki_motion_add_linear(program, row, 1, at[1].force[i] + last);
      pki_motion_add_linear(program, row, -0.5, at[0].force[i] + last);
      pki_motion_add_linear(program, row, -0.5, at[2].force[i] + last);
    }
  }
}

void pki_motion_add_points(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  for (int phase = 0; phase < p->nphase; phase++) {
    for (int point = 0; point < pki_motion_points(program->grid, phase); point++) {
      add_dynamics(program, phase, point);
      add_motor_lines(program, phase, point);
      pki_motion_add_drives(program, phase, point);
      pki_motion_add_gaps(program, phase, point);
      for (int i = 0; i < p->nfoot; i++) {
        if ((p->phases[phase].stance >> i & 1u) != 0) {
          add_standing_foot(program, phase, point, i);
        } else {
          add_swinging_foot(program, phase, point, i);
        }
      }
    }
    for (int k = 0; k < program->grid->intervals[phase]; k++) {
      add_interval(program, phase, k);
      add_controls(program, phase, k);
      pki_motion_add_series_interval(program, phase, k);
    }
  }
}
