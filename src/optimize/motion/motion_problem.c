/* Defaults of a problem, its feet, and what can be wrong with it. */
#include "optimize/motion/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "optimize/motion/body_frames.h"
#include "optimize/motion/program.h"
#include "optimize/motion/support_edges.h"

void pki_motion_problem_default(pki_motion_problem *problem, const pk_model *model)
{
  *problem = (pki_motion_problem){.model = model,
                                  .closure = PKI_MOTION_ONCE,
                                  .scheme = PKI_MOTION_LINEAR,
                                  .speed = NAN,
                                  .stride_shortest = NAN,
                                  .stride_longest = NAN,
                                  .period_shortest = NAN,
                                  .period_longest = NAN,
                                  .friction = 0.7,
                                  .friction_share = 1,
                                  .spin_friction = 0.02,
                                  .clearance = 0,
                                  .tip_speed = 2,
                                  .least_stability = NAN,
                                  .tolerance = 1e-8,
                                  .grid_tolerance = INFINITY,
                                  .grid_rounds = 3,
                                  .most_intervals = 400,
                                  .iterations = 500};
  const int n = model->nu < PKI_MOTION_DOFS ? model->nu : PKI_MOTION_DOFS;
  for (int k = 0; k < n; k++) {
    const bool root = model->dof_joint[k] < 0;
    problem->pose[k] = k < model->nq ? model->q0[k] : 0;
    problem->q_lower[k] = model->dof_lower[k];
    problem->q_upper[k] = model->dof_upper[k];
    problem->v_upper[k] = model->dof_velocity[k];
    problem->tau_upper[k] = root ? 0 : model->dof_effort[k];
    problem->rate_upper[k] = INFINITY;
    problem->motor[k] =
        (pki_motion_motor){.resistance = NAN, .constant = 1, .gear = 1, .efficiency = 1, .speed = INFINITY};
    problem->q_start[k] = problem->q_end[k] = problem->v_start[k] = problem->v_end[k] = NAN;
  }
}

const char *pki_motion_dof_name(const pk_model *model, int dof)
{
  static const char *const root[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  const int joint = model->dof_joint[dof];
  return joint >= 0 ? model->joints[joint].name : root[dof < 6 ? dof : 0];
}

/* ---- feet ---- */

/* The lowest shape of a link that collides, of one of these kinds; -1: none. */
static int find_shape(const pk_model *m, int link, pk_shape_kind kind)
{
  int found = -1;
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    if (s->link == link && !s->visual && s->kind == kind &&
        (found < 0 || s->pose.pos[2] < m->shapes[found].pose.pos[2])) {
      found = i;
    }
  }
  return found;
}

pk_status pki_motion_add_foot(pki_motion_problem *problem, const char *link, pk_error *err)
{
  const pk_model *m = problem->model;
  const int index = pk_model_find_link(m, link);
  const pki_where where = {.field = "feet"};
  if (index < 0 || m->links[index].body < 0) {
    return pki_fail(err, PK_ERROR_NAME, where, "there is no moving link \"%.60s\"", link);
  }
  if (problem->nfoot == PKI_MOTION_FEET) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "more than %d feet", PKI_MOTION_FEET);
  }
  const int ball = find_shape(m, index, PK_SHAPE_SPHERE), box = find_shape(m, index, PK_SHAPE_BOX);
  if (ball < 0 && box < 0) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the link \"%.60s\" has neither a ball nor a box that collides, expected one that can stand", link);
  }
  pki_motion_foot *foot = &problem->feet[problem->nfoot];
  const pk_model_shape *s = &m->shapes[ball >= 0 ? ball : box];
  *foot = (pki_motion_foot){.body = s->body, .area = ball < 0};
  snprintf(foot->name, sizeof foot->name, "%s", link);
  memcpy(foot->rot, s->pose.rot, sizeof foot->rot);
  memcpy(foot->at, s->pose.pos, sizeof foot->at);
  if (ball >= 0) {
    foot->radius = s->size[0];
  } else { /* the middle of the lower face */
    for (int k = 0; k < 3; k++) {
      foot->at[k] -= s->pose.rot[3 * k + 2] * s->size[2] / 2;
    }
    foot->length = s->size[0];
    foot->width = s->size[1];
  }
  problem->nfoot++;
  return PK_OK;
}

static void place_feet(pki_motion_problem *p, const pki_body_frame *frames)
{
  for (int i = 0; i < p->nfoot; i++) {
    pki_motion_foot *f = &p->feet[i];
    pki_mat3_apply(frames[f->body].rot, f->at, f->stand);
    pki_along3(f->stand, 1, frames[f->body].pos, f->stand);
    f->stand[2] -= f->radius;
  }
}

/* In the plane what turns about another axis than y, or travels along y, keeps its place. A robot without such joints is planar. */
static void lock_plane(pki_motion_problem *p, const pki_body_frame *frames)
{
  int leaves = 0;
  for (int i = 0; i < p->model->nbody; i++) {
    const bool turns = p->model->body_motion[i] == PK_MOTION_REVOLUTE;
    const double across = fabs(frames[i].axis[1]);
    const bool out = turns ? across < 1 - 1e-9 : across > 1e-9;
    leaves += out && !p->locked[p->model->body_u[i]] ? 1 : 0;
    p->locked[p->model->body_u[i]] |= out && p->planar;
  }
  p->planar |= leaves == 0;
}

/* Sliders between the world and the first body that turns. */
static void find_travel(pki_motion_problem *p, const pki_body_frame *frames)
{
  const pk_model *m = p->model;
  p->along = p->across = p->height = -1;
  for (int i = 0; i < m->nbody && m->body_parent[i] == i - 1 && m->body_motion[i] == PK_MOTION_PRISMATIC;
       i++) {
    p->along = fabs(frames[i].axis[0]) > 0.99 ? m->body_u[i] : p->along;
    p->across = fabs(frames[i].axis[1]) > 0.99 ? m->body_u[i] : p->across;
    p->height = fabs(frames[i].axis[2]) > 0.99 ? m->body_u[i] : p->height;
  }
}

/* ---- what can be wrong ---- */

static pk_status check_model(const pki_motion_problem *p, pk_error *err)
{
  const pk_model *m = p->model;
  const pki_where where = {.field = "model"};
  if (m->nu > PKI_MOTION_DOFS) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "%d degrees of freedom, expected at most %d", m->nu,
                    PKI_MOTION_DOFS);
  }
  if (m->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "the robot has loops or couplings, expected a tree");
  }
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] != k) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                      "a joint of the robot is neither a hinge nor a slider, or its root is not a chain");
    }
  }
  return PK_OK;
}

static pk_status check_phase(const pki_motion_problem *p, int i, pk_error *err)
{
  const pki_motion_phase *phase = &p->phases[i];
  char field[32];
  snprintf(field, sizeof field, "phases[%d]", i);
  const pki_where where = {.field = field};
  const pki_motion_edge_count edges = pki_motion_count_diagonals(p, phase->stance);
  if (phase->intervals < 1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "%d intervals, expected at least 1", phase->intervals);
  }
  if (!(phase->shortest > 0 && phase->shortest <= phase->guess && phase->guess <= phase->longest)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "lasts from %g to %g s with %g to start from, expected 0 < least <= start <= most",
                    phase->shortest, phase->longest, phase->guess);
  }
  if ((phase->stance >> p->nfoot) != 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "a foot stands that there is not");
  }
  if (phase->crossing && !(edges.feet == 2 && edges.diagonals == 1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "ends when the mass crosses the diagonal, expected two feet on a diagonal");
  }
  return PK_OK;
}

/* The phase before phase i ends at the crossing of the same diagonal; of a motion that closes, the first one follows the last. */
static bool is_past_crossing(const pki_motion_problem *p, const pki_motion_mirror *mirror, int i)
{
  const pki_motion_phase *before = &p->phases[i > 0 ? i - 1 : p->nphase - 1];
  if (i == 0 && p->closure == PKI_MOTION_ONCE) {
    return false;
  }
  const bool mirrored = i == 0 && p->closure == PKI_MOTION_HALF;
  const unsigned stance =
      mirrored ? pki_motion_mirror_feet(mirror, p->nfoot, before->stance) : before->stance;
  return before->crossing && stance == p->phases[i].stance;
}

/* What S_H needs: two feet at least in each phase, and a boundary where the mass crosses a diagonal. */
static pk_status check_stability(const pki_motion_problem *p, const pki_motion_mirror *mirror, pk_error *err)
{
  const bool margin = p->objective.stability != 0 || !isnan(p->least_stability);
  if (p->slope != 0 && (margin || p->objective.polygon != 0)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "slope"},
                    "is %g rad, expected 0 where S_H or J_s1 counts: they are those of level ground",
                    p->slope);
  }
  if (!margin) {
    return PK_OK;
  }
  for (int i = 0; i < p->nphase; i++) {
    char field[32];
    snprintf(field, sizeof field, "phases[%d]", i);
    const pki_motion_edge_count edges = pki_motion_count_diagonals(p, p->phases[i].stance);
    const bool past = is_past_crossing(p, mirror, i);
    if (edges.feet < 2) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                      "%d feet stand, expected at least 2: S_H is the momentum about the edges between feet",
                      edges.feet);
    }
    if (edges.feet == 2 && edges.diagonals == 1 && !p->phases[i].crossing && !past) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                      "stands on a diagonal, and S_H jumps where the mass crosses it: make two phases of it, "
                      "of which the "
                      "first ends at the crossing");
    }
  }
  return PK_OK;
}

static bool is_equal(double a, double b)
{
  return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* A coordinate and its mirror image have the same limits and motors: the second half of a cycle is not solved. */
static pk_status check_images(const pki_motion_problem *p, const pki_motion_mirror *mirror, pk_error *err)
{
  for (int k = 0; k < p->model->nu; k++) {
    const int to = mirror->to[k];
    const bool same = mirror->sign[k] > 0;
    const double lower = same ? p->q_lower[k] : -p->q_upper[k], upper = same ? p->q_upper[k] : -p->q_lower[k];
    const pki_motion_motor *a = &p->motor[k], *b = &p->motor[to];
    const bool limits = is_equal(lower, p->q_lower[to]) && is_equal(upper, p->q_upper[to]) &&
                        is_equal(p->v_upper[k], p->v_upper[to]) &&
                        is_equal(p->tau_upper[k], p->tau_upper[to]) &&
                        is_equal(p->rate_upper[k], p->rate_upper[to]) && p->locked[k] == p->locked[to];
    const bool motors =
        is_equal(a->speed, b->speed) && is_equal(a->stall, b->stall) &&
        is_equal(a->gear * a->constant, b->gear * b->constant) &&
        (is_equal(a->resistance, b->resistance) || (isnan(a->resistance) && isnan(b->resistance)));
    if (!limits || !motors) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = limits ? "motors" : "limits"},
          "%s and its mirror image %s differ, expected the same of both in half a cycle; use the closure "
          "\"cycle\"",
          pki_motion_dof_name(p->model, k), pki_motion_dof_name(p->model, to));
    }
  }
  return PK_OK;
}

static pk_status check_phases(const pki_motion_problem *p, pk_error *err)
{
  const int most = p->closure == PKI_MOTION_HALF ? PKI_MOTION_PHASES / 2 : PKI_MOTION_PHASES;
  const pki_where where = {.field = "phases"};
  if (p->nphase < 1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "there is none");
  }
  if (p->nphase > most) {
    return most < PKI_MOTION_PHASES
               ? pki_fail(err, PK_ERROR_LIMIT, where,
                          "half a cycle has %d, expected at most %d: a cycle has twice as many", p->nphase,
                          most)
               : pki_fail(err, PK_ERROR_LIMIT, where, "there are %d, expected at most %d", p->nphase, most);
  }
  return PK_OK;
}

static pk_status check_numbers(const pki_motion_problem *p, pk_error *err)
{
  if (!(p->friction > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "friction"}, "is %g, expected more than 0",
                    p->friction);
  }
  if (!(p->friction_share > 0 && p->friction_share <= 1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "friction_share"},
                    "is %g, expected more than 0 and at most 1", p->friction_share);
  }
  if (p->closure != PKI_MOTION_ONCE && p->nfoot == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                    "a gait has none, expected the links that touch the ground");
  }
  if (p->closure != PKI_MOTION_ONCE && isnan(p->speed) && isnan(p->stride_shortest) &&
      (p->objective.joule > 0 || p->objective.work > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "speed"},
                    "is free, and so is the stride: energy for each metre needs one of them");
  }
  for (int k = 0; k < p->model->nu; k++) {
    if (!(p->q_lower[k] <= p->q_upper[k])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "limits"},
                      "coordinate %d lies between %g and %g, expected a range", k, p->q_lower[k],
                      p->q_upper[k]);
    }
    if (p->objective.joule > 0 && p->tau_upper[k] > 0 && !p->locked[k] && isnan(p->motor[k].resistance)) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "objective.joule"},
                      "the joint \"%.60s\" has no motor with a resistance, expected one for each joint that "
                      "is driven",
                      pki_motion_dof_name(p->model, k));
    }
  }
  return PK_OK;
}

pk_status pki_motion_validate(pki_motion_problem *problem, pk_error *err)
{
  pk_status status = check_model(problem, err);
  pki_body_frame *frames = status == PK_OK ? calloc((size_t)problem->model->nbody + 1, sizeof *frames) : NULL;
  if (status == PK_OK && frames == NULL) {
    status = pki_fail_memory(err, "a motion");
  }
  status = status == PK_OK ? check_phases(problem, err) : status;
  status = status == PK_OK ? pki_body_frames(problem->model, problem->pose, frames, err) : status;
  if (status == PK_OK) {
    place_feet(problem, frames);
    lock_plane(problem, frames);
    find_travel(problem, frames);
  }
  free(frames);
  for (int i = 0; i < problem->nphase && status == PK_OK; i++) {
    status = check_phase(problem, i, err);
  }
  status = status == PK_OK ? check_numbers(problem, err) : status;
  pki_motion_mirror mirror = {.foot_to = {0}};
  if (status == PK_OK && problem->closure == PKI_MOTION_HALF) {
    status = pki_motion_find_mirror(problem, &mirror, err);
    status = status == PK_OK ? check_images(problem, &mirror, err) : status;
  }
  status = status == PK_OK ? check_stability(problem, &mirror, err) : status;
  return status == PK_OK
             ? pki_design_validate(problem, problem->closure == PKI_MOTION_HALF ? &mirror : NULL, err)
             : status;
}
