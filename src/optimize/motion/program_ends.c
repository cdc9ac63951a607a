/* Where phases meet, and where a motion begins and ends.
 *
 * A standing foot's acceleration is zero at all points, so its velocity and height are imposed once, where it touches down: twice would be one
 * row too many. Of a motion that closes, a foot that stands at its start stands there from its end on, unless it never leaves the ground. */
#include <math.h>

#include "optimize/motion/program.h"

static int last_point(const pki_motion_program *program, int phase)
{
  return pki_motion_points(program->grid, phase) - 1;
}

/* ---- a foot on the ground ---- */

/* Its height is zero, and a sole is level. */
static void add_height(pki_motion_program *program, int foot, int q, int boundary)
{
  const pki_motion_problem *p = program->problem;
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  int in[PKI_MOTION_DOFS];
  const int n = pki_motion_chain(program, foot, q, in);
  if (pki_motion_all_fixed(program, in, n)) {
    return;
  }
  const pki_nlp_label label = {"height of a landing foot", p->feet[foot].name, boundary, -1};
  const int row = pki_motion_row(program, label, 0, 0, program->robot->length),
            out[3] = {PKI_NLP_NOWHERE, PKI_NLP_NOWHERE, row};
  pki_motion_add_term(program, f->place, in, NULL, out);
  if (f->level != NULL) {
    const pki_nlp_label tilt = {"tilt of a landing sole", p->feet[foot].name, boundary, -1};
    const int x = pki_motion_row(program, tilt, 0, 0, 1),
              level[2] = {x, p->planar ? PKI_NLP_NOWHERE : pki_motion_row(program, tilt, 0, 0, 1)};
    pki_motion_add_term(program, f->level, in, NULL, level);
  }
}

/* Its velocity is zero; or, of one that leaves, not downward. */
static void add_velocity(pki_motion_program *program, int foot, int q, int v, int boundary, bool leaves)
{
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  const unsigned counts = leaves ? 0x4u : pki_motion_contact_rows(program, foot);
  const pki_nlp_label label = {leaves ? "speed of a leaving foot" : "velocity of a landing foot",
                               program->problem->feet[foot].name, boundary, -1};
  const double speed = program->robot->length / program->time_scale;
  int in[2 * PKI_MOTION_DOFS], out[PKI_MOTION_CONTACT_ROWS];
  const int n = pki_motion_chain(program, foot, q, in);
  (void)pki_motion_chain(program, foot, v, in + n);
  if (pki_motion_all_fixed(program, in + n, n)) {
    return;
  }
  for (int k = 0; k < f->rows; k++) {
    const double scale = k < 3 ? speed : 1 / program->time_scale;
    out[k] = (counts >> k & 1u) != 0 ? pki_motion_row(program, label, 0, leaves ? INFINITY : 0, scale)
                                     : PKI_NLP_NOWHERE;
  }
  pki_motion_add_term(program, f->velocity, in, NULL, out);
}

/* ---- between phases ---- */

/* M (v+ - v-) = sum J' P, impulses within their cones. */
static void add_impact(pki_motion_program *program, int boundary, const pki_point_variables *before)
{
  const pki_motion_problem *p = program->problem;
  const pki_boundary_variables *at = &program->boundaries[boundary];
  const int n = program->robot->n;
  const double unit = program->force_scale * program->time_scale;
  int in[3 * PKI_MOTION_DOFS], out[PKI_MOTION_DOFS];
  for (int k = 0; k < n; k++) {
    in[k] = before->q + k, in[n + k] = before->v + k, in[2 * n + k] = at->after + k;
    const pki_nlp_label label = {"impact", pki_motion_dof_name(p->model, k), boundary, -1};
    out[k] = p->locked[k] ? PKI_NLP_NOWHERE
                          : pki_motion_row(program, label, 0, 0,
                                           pki_motion_effort_scale(program, k) * program->time_scale);
  }
  pki_motion_add_term(program, program->robot->jump, in, NULL, out);
  pki_motion_add_design_impact(program, before->v, at->after, out);
  for (int i = 0; i < p->nfoot; i++) {
    const pki_motion_foot_functions *f = &program->robot->feet[i];
    int pushed[PKI_MOTION_DOFS];
    if (at->impulse[i] < 0) {
      continue;
    }
    const int chain = pki_motion_chain(program, i, before->q, in);
    for (int k = 0; k < f->forces; k++) {
      in[chain + k] = at->impulse[i] + k;
    }
    for (int k = 0; k < chain; k++) {
      pushed[k] = out[f->chain[k]];
    }
    pki_motion_add_term(program, f->force, in, NULL, pushed);
    const pki_nlp_label label = {"friction cone of an impulse", p->feet[i].name, boundary, -1};
    pki_motion_add_cone(program, label, at->impulse[i], unit);
    if (p->feet[i].area) {
      pki_motion_add_sole(program, label, i, before->q, at->impulse[i], unit * program->robot->length);
    }
  }
}

/* Feet that touch down and feet that leave. */
static void add_landing(pki_motion_program *program, int boundary, const pki_point_variables *before)
{
  const pki_motion_problem *p = program->problem;
  const pki_boundary_variables *at = &program->boundaries[boundary];
  const unsigned left = p->phases[boundary - 1].stance & ~at->standing;
  for (int i = 0; i < p->nfoot; i++) {
    if ((at->landing >> i & 1u) != 0) {
      add_height(program, i, before->q, boundary);
    }
    if ((at->landing >> i & 1u) != 0 && !at->jump) {
      add_velocity(program, i, before->q, before->v, boundary, false);
    }
    if (at->jump && (at->standing >> i & 1u) != 0) {
      add_velocity(program, i, before->q, at->after, boundary, false);
    }
    if (at->jump && (left >> i & 1u) != 0) {
      add_velocity(program, i, before->q, at->after, boundary, true);
    }
  }
  if (at->jump) {
    add_impact(program, boundary, before);
  }
}

/* x of the next phase's coordinate = factor * y of the last one's. */
static void add_equal(pki_motion_program *program, const char *what, int dof, int boundary, int x,
                      double factor, int y)
{
  const pki_nlp_label label = {what, pki_motion_dof_name(program->problem->model, dof), boundary, -1};
  const int both[2] = {x, y};
  if (pki_motion_all_fixed(program, both, 2)) {
    return;
  }
  const double scale = program->nlp->failed ? 1 : program->nlp->scale[x];
  const int row = pki_motion_row(program, label, 0, 0, scale);
  pki_motion_add_linear(program, row, 1, x);
  pki_motion_add_linear(program, row, -factor, y);
}

static void add_continuity(pki_motion_program *program, int boundary)
{
  const pki_point_variables *before = &program->points[boundary - 1][last_point(program, boundary - 1)],
                            *after = &program->points[boundary][0];
  const pki_boundary_variables *at = &program->boundaries[boundary];
  add_landing(program, boundary, before);
  for (int k = 0; k < program->robot->n; k++) {
    if (program->problem->locked[k]) {
      continue;
    }
    add_equal(program, "continuity of position", k, boundary, after->q + k, 1, before->q + k);
    add_equal(program, "continuity of velocity", k, boundary, after->v + k, 1,
              (at->jump ? at->after : before->v) + k);
  }
  pki_motion_add_series_boundary(program, boundary, before, after);
}

/* ---- the ends ---- */

/* Coordinates that a standing foot determines together with the trunk: the last ones of its chain. */
static void mark_dependent(const pki_motion_program *program, int foot, bool dependent[PKI_MOTION_DOFS])
{
  const pki_motion_foot_functions *f = &program->robot->feet[foot];
  int left = __builtin_popcount(pki_motion_contact_rows(program, foot));
  for (int k = f->nchain - 1; k >= 0 && left > 0; k--) {
    if (!program->problem->locked[f->chain[k]] && !dependent[f->chain[k]]) {
      dependent[f->chain[k]] = true;
      left--;
    }
  }
}

/* A foot that stands in all phases, and so do all feet that it becomes. */
static bool never_leaves(const pki_motion_program *program, int foot)
{
  const int image = program->mirror.foot_to[foot];
  for (int p = 0; p < program->problem->nphase; p++) {
    if ((program->problem->phases[p].stance >> foot & 1u) == 0 ||
        (program->problem->phases[p].stance >> image & 1u) == 0) {
      return false;
    }
  }
  return true;
}

static void add_closure(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  const int end = p->nphase;
  const pki_point_variables *first = &program->points[0][0],
                            *last = &program->points[end - 1][last_point(program, end - 1)];
  const pki_boundary_variables *at = &program->boundaries[end];
  const pki_motion_mirror *mirror = &program->mirror;
  bool dependent[PKI_MOTION_DOFS] = {false};
  add_landing(program, end, last);
  for (int i = 0; i < p->nfoot; i++) {
    if (never_leaves(program, i)) {
      add_height(program, i, first->q, 0);
      add_velocity(program, i, first->q, first->v, 0, false);
      mark_dependent(program, i, dependent);
    }
  }
  for (int k = 0; k < program->robot->n; k++) {
    const bool along = k == p->along; /* it goes on */
    if (p->locked[k] || dependent[k]) {
      continue;
    }
    if (!along) {
      add_equal(program, "closure of position", k, end, first->q + k, mirror->sign[k],
                last->q + mirror->to[k]);
    }
    add_equal(program, "closure of velocity", k, end, first->v + k, mirror->sign[k],
              (at->jump ? at->after : last->v) + mirror->to[k]);
  }
  pki_motion_add_series_boundary(program, end, last, first);
}

static void fix(pki_motion_program *program, int variable, double value)
{
  if (!program->nlp->failed) {
    program->nlp->lower[variable] = program->nlp->upper[variable] = value;
  }
}

/* Given states, and what feet need that stand at the start. */
static void add_given_ends(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  const int phase = p->nphase - 1;
  const pki_point_variables *first = &program->points[0][0],
                            *last = &program->points[phase][last_point(program, phase)];
  bool dependent[PKI_MOTION_DOFS] = {false};
  for (int i = 0; i < p->nfoot; i++) {
    if ((p->phases[phase].stance >> i & 1u) != 0) {
      mark_dependent(program, i, dependent);
    }
  }
  for (int k = 0; k < program->robot->n; k++) {
    const struct {
      double value;
      int variable;
      bool holds;
    } ends[4] = {{p->q_start[k], first->q + k, true},
                 {p->v_start[k], first->v + k, true},
                 {p->q_end[k], last->q + k, true},
                 {p->v_end[k], last->v + k, !dependent[k]}};
    for (int e = 0; e < 4; e++) {
      if (!isnan(ends[e].value) && ends[e].holds) {
        fix(program, ends[e].variable, ends[e].value);
      }
    }
  }
  for (int j = 0; j < program->nseries; j++) { /* where a joint's speed is given, so is its rotor's */
    const int k = program->robot->motor[program->series[j]];
    if (!isnan(p->v_start[k])) {
      fix(program, first->series + 4 * j, 0);
    }
    if (!isnan(p->v_end[k]) && !dependent[k]) {
      fix(program, last->series + 4 * j, 0);
    }
  }
  for (int i = 0; i < p->nfoot && p->closure == PKI_MOTION_ONCE; i++) {
    if ((p->phases[0].stance >> i & 1u) != 0) {
      add_height(program, i, first->q, 0);
      add_velocity(program, i, first->q, first->v, 0, false);
    }
  }
}

/* Distance, speed, stride and period. A motion that closes on its mirror image is half of its cycle. */
static void add_distance(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  const double part = p->closure == PKI_MOTION_HALF ? 0.5 : 1;
  const int phase = p->nphase - 1;
  pki_nlp *const nlp = program->nlp;
  if (p->along < 0 || nlp->failed) {
    return;
  }
  const int row =
      pki_motion_row(program, (pki_nlp_label){"distance", NULL, -1, -1}, 0, 0, program->robot->length);
  pki_motion_add_linear(program, row, 1, program->points[phase][last_point(program, phase)].q + p->along);
  pki_motion_add_linear(program, row, -1, program->points[0][0].q + p->along);
  pki_motion_add_linear(program, row, -1, program->distance);
  if (!isnan(p->speed)) {
    const int speed =
        pki_motion_row(program, (pki_nlp_label){"speed", NULL, -1, -1}, 0, 0, program->robot->length);
    pki_motion_add_linear(program, speed, 1, program->distance);
    for (int k = 0; k < p->nphase; k++) {
      pki_motion_add_linear(program, speed, -p->speed, program->duration[k]);
    }
  }
  if (!isnan(p->stride_shortest)) {
    nlp->lower[program->distance] = part * p->stride_shortest;
    nlp->upper[program->distance] = part * p->stride_longest;
  }
  if (!isnan(p->period_shortest)) {
    const int period =
        pki_motion_row(program, (pki_nlp_label){"period", NULL, -1, -1}, part * p->period_shortest,
                       part * p->period_longest, program->time_scale);
    for (int k = 0; k < p->nphase; k++) {
      pki_motion_add_linear(program, period, 1, program->duration[k]);
    }
  }
}

void pki_motion_add_ends(pki_motion_program *program)
{
  const pki_motion_problem *p = program->problem;
  add_given_ends(program);
  if (p->closure != PKI_MOTION_ONCE && p->along >= 0) { /* x begins anywhere */
    fix(program, program->points[0][0].q + p->along, 0);
  }
  if (p->closure == PKI_MOTION_CYCLE &&
      p->across >= 0) { /* and so does y, where no mirror says where it is */
    fix(program, program->points[0][0].q + p->across, 0);
  }
  for (int b = 1; b < p->nphase; b++) {
    add_continuity(program, b);
  }
  if (p->closure != PKI_MOTION_ONCE) {
    add_closure(program);
  }
  add_distance(program);
}
