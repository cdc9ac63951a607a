#include "optimize/files/motion_course.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "pronk/dynamics.h"

/* The one of q and -q that is nearer to the row before. */
static void keep_sign(const double before[4], double q[4])
{
  const double along = q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3];
  for (int i = 0; i < 4 && along < 0; i++) {
    q[i] = -q[i];
  }
}

static void fill_trunk(const pk_model *m, pk_workspace *w, pki_course_row *row)
{
  const int link = m->robots[0].root_link;
  const pk_pose pose = pk_link_pose(w, link);
  double velocity[6];
  pk_link_velocity(w, link, velocity);
  memcpy(row->position, pose.pos, sizeof pose.pos);
  pki_quat_from_mat3(pose.rot, row->quaternion);
  memcpy(row->spin, velocity, 3 * sizeof *velocity);
  pki_mat3_apply(pose.rot, velocity + 3, row->velocity);
}

static void fill_row(const pki_course *c, pk_workspace *w, pki_course_row *row)
{
  const pki_motion_problem *p = &c->gait->problem;
  const pk_model *m = c->gait->model;
  double ignored[3];
  pk_kinematics_compute(w, row->point->q, row->point->v);
  fill_trunk(m, w, row);
  pk_com_compute(w, 0, row->com, ignored);
  for (int i = 0; i < p->nfoot; i++) {
    pki_motion_place_foot(p, w, i, row->foot[i]);
  }
  row->stance = c->stance[row->point->phase];
  row->edges = (pki_motion_edges){.least = NAN};
  if (p->slope == 0) { /* S_H is about edges on level ground */
    pki_motion_stability(p, w, row->point, row->stance, &row->edges);
  }
}

/* Rounding must not let times fall, nor tear the two sides of a boundary apart. */
static double time_of(const pki_course *c, int i)
{
  const pki_motion_point *point = c->rows[i].point;
  const double time = point->time - c->whole.points[0].time;
  if (i == 0) {
    return 0;
  }
  const bool boundary = point->phase != c->rows[i - 1].point->phase;
  return boundary ? c->rows[i - 1].time : fmax(time, c->rows[i - 1].time);
}

/* Phases of the whole cycle: those of the problem, and where half a cycle was solved their mirror images. */
static pk_status fill_phases(pki_course *c, pk_error *err)
{
  const pki_motion_problem *p = &c->gait->problem;
  pki_motion_mirror mirror = {0};
  pk_status status = PK_OK;
  if (p->closure == PKI_MOTION_HALF) {
    status = pki_motion_find_mirror(p, &mirror, err);
  }
  c->start[0] = c->whole.npoint > 0 ? c->whole.points[0].time : 0;
  for (int i = 0; i < c->whole.nphase && status == PK_OK; i++) {
    const pki_motion_phase *phase = &p->phases[i % p->nphase];
    c->stance[i] = i < p->nphase ? phase->stance : pki_motion_mirror_feet(&mirror, p->nfoot, phase->stance);
    snprintf(c->name[i], sizeof c->name[i], "%.50s%s", phase->name, i >= p->nphase ? ", mirrored" : "");
    c->start[i + 1] = c->start[i] + c->whole.duration[i];
  }
  return status;
}

/* The solution itself, or the whole cycle of a half. */
static pk_status copy_whole(const pki_motion_problem *p, const pki_motion_solution *solution,
                            pki_motion_solution *out, pk_error *err)
{
  if (p->closure == PKI_MOTION_HALF) {
    return pki_motion_whole_cycle(p, solution, out, err);
  }
  *out = *solution;
  out->iterations = NULL;
  out->niteration = 0;
  out->warm = NULL;
  out->warm_size = 0;
  out->points = malloc(((size_t)solution->npoint + 1) * sizeof *out->points);
  if (out->points == NULL) {
    return pki_fail_memory(err, "the motion");
  }
  memcpy(out->points, solution->points, (size_t)solution->npoint * sizeof *out->points);
  return PK_OK;
}

static double yaw_of(const double q[4])
{
  return atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
}

static void fill_travel(pki_course *c)
{
  const pki_course_row *first = &c->rows[0], *last = &c->rows[c->nrow - 1];
  c->repeats = c->gait->problem.closure != PKI_MOTION_ONCE;
  const double yaw = yaw_of(first->quaternion);
  const double x = last->position[0] - first->position[0], y = last->position[1] - first->position[1];
  c->travel[0] = cos(yaw) * x + sin(yaw) * y;
  c->travel[1] = cos(yaw) * y - sin(yaw) * x;
  c->travel[2] = remainder(yaw_of(last->quaternion) - yaw, 2 * acos(-1));
}

pk_status pki_course_make(const pki_gait_file *gait, const pki_motion_solution *solution, pki_course *out,
                          pk_error *err)
{
  *out = (pki_course){.gait = gait};
  pk_workspace *w = NULL;
  if (solution->npoint < 1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){0}, "there is no motion yet");
  }
  pk_status status = copy_whole(&gait->problem, solution, &out->whole, err);
  status = status == PK_OK ? fill_phases(out, err) : status;
  status = status == PK_OK ? pk_workspace_create(gait->model, &w, err) : status;
  if (status == PK_OK) {
    out->rows = calloc((size_t)out->whole.npoint + 1, sizeof *out->rows);
    status = out->rows != NULL ? PK_OK : pki_fail_memory(err, "the motion");
  }
  for (int i = 0; i < out->whole.npoint && status == PK_OK; i++) {
    pki_course_row *row = &out->rows[out->nrow++];
    row->point = &out->whole.points[i];
    fill_row(out, w, row);
    row->time = time_of(out, i);
    if (i > 0) {
      keep_sign(out->rows[i - 1].quaternion, row->quaternion);
    }
  }
  if (status == PK_OK) {
    fill_travel(out);
  }
  pk_workspace_destroy(w);
  return status;
}

void pki_course_free(pki_course *course)
{
  pki_motion_solution_free(&course->whole);
  free(course->rows);
  *course = (pki_course){0};
}
