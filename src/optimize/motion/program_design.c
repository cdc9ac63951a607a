/* Design parameters as variables, and the rows and terms that they are part of.
 *
 * A joint with a series spring has four more variables at each point: r = tau', s = tau'', and torque t and speed w of its rotor, seen at the
 * joint. tau and r are curves like q and v, with cubics of their own, so that
 *
 *   w = v + r/k,   t = tau + N^2 J (a + s/k) + N^2 b w
 *
 * hold at every point. Between phases tau and w are continuous: a spring does not know of impacts, and v + r/k is the rotor's speed. */
#include <math.h>
#include <string.h>

#include "optimize/motion/link_lengths.h"
#include "optimize/motion/program.h"

enum { RATE, BEND, TORQUE, SPEED, SERIES_NUMBERS };

int pki_motion_design_variable(const pki_motion_program *program, pki_design_kind kind, int dof)
{
  const int row = pki_design_find(program->problem, kind, dof);
  return row >= 0 ? program->design[row] : -1;
}

int pki_motor_torque(const pki_motion_program *program, const pki_point_variables *at, int motor)
{
  const int j = program->series_of[motor];
  return j >= 0 ? at->series + SERIES_NUMBERS * j + TORQUE : at->tau + motor;
}

int pki_motor_speed(const pki_motion_program *program, const pki_point_variables *at, int motor)
{
  const int j = program->series_of[motor];
  return j >= 0 ? at->series + SERIES_NUMBERS * j + SPEED : at->v + program->robot->motor[motor];
}

void pki_motion_find_series(pki_motion_program *program)
{
  for (int i = 0; i < program->robot->nmotor; i++) {
    program->series_of[i] = -1;
    if (pki_design_find(program->problem, PKI_DESIGN_SERIES_STIFFNESS, program->robot->motor[i]) >= 0) {
      program->series_of[i] = program->nseries;
      program->series[program->nseries++] = i;
    }
  }
}

/* ---- variables ---- */

void pki_motion_add_design_variables(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  for (int i = 0; i < p->ndesign; i++) {
    const pki_motion_design *d = &p->designs[i];
    const pki_nlp_label label = {pki_design_words[d->kind], d->name, -1, -1};
    const double scale = fmax(fabs(d->start), 0.1 * (d->upper - d->lower));
    program->design[i] = pki_motion_variable(program, label, d->lower, d->upper, scale > 0 ? scale : 1);
  }
}

void pki_motion_add_series_variables(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  pki_point_variables *at = &program->points[phase][point];
  const double t = program->time_scale;
  at->series = -1;
  for (int j = 0; j < program->nseries; j++) {
    const int k = program->robot->motor[program->series[j]];
    const bool geared = pki_design_find(p, PKI_DESIGN_GEAR, k) >= 0;
    const double torque = pki_motion_effort_scale(program, k),
                 most = p->motor[k].peak > 0 && !geared ? p->motor[k].peak : INFINITY,
                 scales[SERIES_NUMBERS] = {torque / t, torque / (t * t), torque, 1 / t};
    static const char *const words[SERIES_NUMBERS] = {"rate of the spring's torque",
                                                      "second rate of the spring's torque",
                                                      "torque of the rotor", "speed of the rotor"};
    for (int n = 0; n < SERIES_NUMBERS; n++) {
      const pki_nlp_label label = {words[n], pki_motion_dof_name(p->model, k), phase, point};
      const double bound = n == TORQUE ? most : INFINITY;
      const int variable = pki_motion_variable(program, label, -bound, bound, scales[n]);
      at->series = j == 0 && n == 0 ? variable : at->series;
    }
  }
}

void pki_motion_add_term(pki_motion_program *program, const pki_nlp_function *f, const int *in,
                         const double *parameter, const int *out)
{
  int all[4 * PKI_MOTION_DOFS + PKI_MOTION_DESIGNS];
  const int lengths = pki_lengths_count(program->problem), own = pki_nlp_function_inputs(f) - lengths;
  memcpy(all, in, (size_t)own * sizeof *all);
  for (int n = 0; n < lengths; n++) {
    all[own + n] = program->design[pki_lengths_row(program->problem, n)];
  }
  pki_nlp_add(program->nlp, f, all, parameter, out);
}

/* ---- equations of motion ---- */

static void add_spring(pki_motion_program *program, int q, int k, int row)
{
  const pki_motion_problem *p = program->problem;
  const int stiffness = pki_motion_design_variable(program, PKI_DESIGN_PARALLEL_STIFFNESS, k),
            rest = pki_design_find(p, PKI_DESIGN_PARALLEL_REST, k);
  if (stiffness < 0) {
    return;
  }
  const int in[3] = {q + k, stiffness, rest >= 0 ? program->design[rest] : -1};
  if (rest >= 0) {
    const double sign = p->designs[rest].sign[k];
    pki_nlp_add(program->nlp, program->small->spring, in, &sign, &row);
  } else {
    pki_nlp_add(program->nlp, program->small->spring_at, in, &p->pose[k], &row);
  }
}

void pki_motion_add_design_forces(pki_motion_program *program, const pki_point_variables *at, const int *out)
{
  const pki_motion_problem *p = program->problem;
  for (int k = 0; k < program->robot->n && p->ndesign > 0; k++) {
    const int gear = pki_motion_design_variable(program, PKI_DESIGN_GEAR, k);
    const double armature = p->model->dof_armature[k];
    add_spring(program, at->q, k, out[k]);
    if (pki_design_find(p, PKI_DESIGN_SERIES_STIFFNESS, k) >= 0) { /* the rotor is behind the spring */
      if (armature != 0) {
        pki_motion_add_linear(program, out[k], -armature, at->a + k);
      }
    } else if (gear >= 0) {
      const pki_motion_rotor rotor = pki_design_rotor(p, k);
      const int in[3] = {gear, at->v + k, at->a + k};
      const double numbers[3] = {rotor.inertia, rotor.damping, armature};
      pki_nlp_add(program->nlp, program->small->rotor, in, numbers, &out[k]);
    }
  }
}

void pki_motion_add_design_impact(pki_motion_program *program, int before, int after, const int *out)
{
  const pki_motion_problem *p = program->problem;
  for (int k = 0; k < program->robot->n && p->ndesign > 0; k++) {
    const int gear = pki_motion_design_variable(program, PKI_DESIGN_GEAR, k);
    const double armature = p->model->dof_armature[k];
    if (pki_design_find(p, PKI_DESIGN_SERIES_STIFFNESS, k) >= 0) {
      if (armature != 0) {
        pki_motion_add_linear(program, out[k], -armature, after + k);
        pki_motion_add_linear(program, out[k], armature, before + k);
      }
    } else if (gear >= 0) {
      const int in[3] = {gear, before + k, after + k};
      const double numbers[2] = {pki_design_rotor(p, k).inertia, armature};
      pki_nlp_add(program->nlp, program->small->rotor_jump, in, numbers, &out[k]);
    }
  }
}

/* ---- motors ---- */

/* The rotor behind its spring. */
static void add_series_motor(pki_motion_program *program, int phase, int point, int j)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][point];
  const int i = program->series[j], k = program->robot->motor[i], first = at->series + SERIES_NUMBERS * j;
  const int stiffness = pki_motion_design_variable(program, PKI_DESIGN_SERIES_STIFFNESS, k),
            gear = pki_motion_design_variable(program, PKI_DESIGN_GEAR, k);
  const pki_motion_rotor rotor = pki_design_rotor(p, k);
  const char *name = pki_motion_dof_name(p->model, k);
  const int turns = pki_motion_row(program, (pki_nlp_label){"speed behind a spring", name, phase, point}, 0,
                                   0, 1 / program->time_scale),
            pulls = pki_motion_row(program, (pki_nlp_label){"torque behind a spring", name, phase, point}, 0,
                                   0, pki_motion_effort_scale(program, k));
  const int speed[4] = {first + SPEED, at->v + k, first + RATE, stiffness},
            torque[7] = {first + TORQUE, at->tau + i, at->a + k, first + BEND,
                         first + SPEED,  stiffness,   gear};
  pki_nlp_add(program->nlp, program->small->series_speed, speed, NULL, &turns);
  const double bare[2] = {rotor.inertia, rotor.damping},
               behind[2] = {rotor.gear * rotor.gear * rotor.inertia, rotor.gear * rotor.gear * rotor.damping};
  pki_nlp_add(program->nlp, gear >= 0 ? program->small->series_geared : program->small->series_torque, torque,
              gear >= 0 ? bare : behind, &pulls);
}

/* Largest torque and torque-speed line of a motor whose gear is chosen. */
static void add_geared_motor(pki_motion_program *program, int phase, int point, int i, int gear)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][point];
  const int k = program->robot->motor[i],
            in[3] = {pki_motor_torque(program, at, i), pki_motor_speed(program, at, i), gear};
  const pki_motion_motor *m = &p->motor[k];
  const double scale = pki_motion_effort_scale(program, k);
  int out[4];
  if (m->peak > 0) {
    const pki_nlp_label label = {"largest torque of the motor", pki_motion_dof_name(p->model, k), phase,
                                 point};
    const int pair[2] = {in[0], gear};
    const double most = m->peak / m->gear;
    for (int n = 0; n < 2; n++) {
      out[n] = pki_motion_row(program, label, 0, INFINITY, scale);
    }
    pki_nlp_add(program->nlp, program->small->geared_limit, pair, &most, out);
  }
  if (p->motor_lines && isfinite(m->speed)) {
    const pki_nlp_label label = {"torque-speed line", pki_motion_dof_name(p->model, k), phase, point};
    const double numbers[2] = {m->stall / m->gear, m->stall / (m->speed * m->gear * m->gear)};
    for (int n = 0; n < 4; n++) {
      out[n] = pki_motion_row(program, label, 0, INFINITY, scale);
    }
    pki_nlp_add(program->nlp, program->small->geared_line, in, numbers, out);
  }
}

void pki_motion_add_drives(pki_motion_program *program, int phase, int point)
{
  for (int j = 0; j < program->nseries; j++) {
    add_series_motor(program, phase, point, j);
  }
  for (int i = 0; i < program->robot->nmotor && program->problem->ndesign > 0; i++) {
    const int gear = pki_motion_design_variable(program, PKI_DESIGN_GEAR, program->robot->motor[i]);
    if (gear >= 0) {
      add_geared_motor(program, phase, point, i, gear);
    }
  }
}

/* ---- springs over time ---- */

void pki_motion_add_series_interval(pki_motion_program *program, int phase, int interval)
{
  const pki_motion_problem *p = program->problem;
  const pki_point_variables *at = &program->points[phase][2 * interval];
  const double h = program->grid->share[phase][interval] * p->phases[phase].guess / program->time_scale;
  for (int j = 0; j < program->nseries; j++) {
    const int i = program->series[j], k = program->robot->motor[i];
    const char *name = pki_motion_dof_name(p->model, k);
    int tau[3], rate[3], bend[3];
    for (int n = 0; n < 3; n++) {
      const int first = at[n].series + SERIES_NUMBERS * j;
      tau[n] = at[n].tau + i, rate[n] = first + RATE, bend[n] = first + BEND;
    }
    const double scale = pki_motion_effort_scale(program, k) * h;
    pki_motion_add_cubic(program, phase, interval, tau, rate,
                         (pki_nlp_label){"cubic of torques", name, phase, 2 * interval}, scale);
    pki_motion_add_cubic(program, phase, interval, rate, bend,
                         (pki_nlp_label){"cubic of rates of torques", name, phase, 2 * interval},
                         scale / program->time_scale);
    if (p->scheme == PKI_MOTION_LINEAR) {
      const pki_nlp_label label = {"linear second rate of torque", name, phase, 2 * interval + 1};
      const int row = pki_motion_row(program, label, 0, 0,
                                     program->torque_scale / (program->time_scale * program->time_scale));
      pki_motion_add_linear(program, row, 1, bend[1]);
      pki_motion_add_linear(program, row, -0.5, bend[0]);
      pki_motion_add_linear(program, row, -0.5, bend[2]);
    }
  }
}

void pki_motion_add_series_boundary(pki_motion_program *program, int boundary,
                                    const pki_point_variables *before, const pki_point_variables *after)
{
  const pki_motion_problem *p = program->problem;
  const bool end = boundary == p->nphase;
  for (int j = 0; j < program->nseries; j++) {
    const int i = program->series[j], k = program->robot->motor[i];
    const char *name = pki_motion_dof_name(p->model, k);
    /* at the end of a motion that closes on its image the first state is that of the image */
    const int from = end ? program->mirror.to[k] : k;
    const double sign = end ? program->mirror.sign[k] : 1;
    int i_from = 0;
    while (program->robot->motor[i_from] != from) {
      i_from++;
    }
    const int tau =
        pki_motion_row(program, (pki_nlp_label){"continuity of a spring's torque", name, boundary, -1}, 0, 0,
                       pki_motion_effort_scale(program, k));
    pki_motion_add_linear(program, tau, 1, after->tau + i);
    pki_motion_add_linear(program, tau, -sign, before->tau + i_from);
    const int speed =
        pki_motion_row(program, (pki_nlp_label){"continuity of a rotor's speed", name, boundary, -1}, 0, 0,
                       1 / program->time_scale);
    const int in[5] = {after->v + k, after->series + SERIES_NUMBERS * j + RATE, before->v + from,
                       before->series + SERIES_NUMBERS * program->series_of[i_from] + RATE,
                       pki_motion_design_variable(program, PKI_DESIGN_SERIES_STIFFNESS, k)};
    pki_nlp_add(program->nlp, program->small->series_boundary, in, &sign, &speed);
  }
}

/* ---- first values ---- */

void pki_motion_guess_design(const pki_motion_program *program)
{
  for (int i = 0; i < program->problem->ndesign; i++) {
    program->nlp->x[program->design[i]] = program->problem->designs[i].start;
  }
}

void pki_motion_guess_series(const pki_motion_program *program, const pki_point_variables *at)
{
  double *const x = program->nlp->x;
  for (int j = 0; j < program->nseries; j++) {
    const int i = program->series[j], first = at->series + SERIES_NUMBERS * j;
    const double most = program->nlp->upper[first + TORQUE];
    x[first + RATE] = x[first + BEND] = 0;
    x[first + TORQUE] = fmin(fmax(x[at->tau + i], -most), most);
    x[first + SPEED] = x[at->v + program->robot->motor[i]];
  }
}

void pki_motion_read_design(const pki_motion_program *program, double values[PKI_MOTION_DESIGNS])
{
  for (int i = 0; i < program->problem->ndesign; i++) {
    values[i] = program->nlp->x[program->design[i]];
  }
}
