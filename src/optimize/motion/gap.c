#include "optimize/motion/gap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimize/motion/foot_motion.h"

pk_status pki_motion_add_gap(pki_motion_problem *problem, const char *link, const double at[3],
                             const char *other, const double other_at[3], double least, pk_error *err)
{
  const pk_model *m = problem->model;
  const char *const names[2] = {link, other};
  const double *const places[2] = {at, other_at};
  pki_motion_gap gap = {.body = {-1, -1}, .least = least};
  if (problem->ngap == PKI_MOTION_GAPS) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "gaps"}, "more than %d gaps", PKI_MOTION_GAPS);
  }
  for (int i = 0; i < 2 && names[i] != NULL; i++) {
    const int index = pk_model_find_link(m, names[i]);
    if (index < 0 || m->links[index].body < 0) {
      return pki_fail(err, PK_ERROR_NAME, (pki_where){.field = "gaps"}, "there is no moving link \"%.60s\"",
                      names[i]);
    }
    const pk_pose *pose = &m->links[index].pose;
    gap.body[i] = m->links[index].body;
    for (int k = 0; k < 3; k++) {
      gap.at[i][k] = pose->pos[k];
      for (int j = 0; j < 3; j++) {
        gap.at[i][k] += pose->rot[3 * k + j] * places[i][j];
      }
    }
  }
  snprintf(gap.name, sizeof gap.name, "%.30s%s%.30s", link, other != NULL ? " and " : "",
           other != NULL ? other : "");
  problem->gaps[problem->ngap++] = gap;
  return PK_OK;
}

/* Coordinates that move either ball, ascending. */
static int find_gap_chain(const pk_model *m, const pki_motion_gap *gap, int chain[PKI_MOTION_DOFS])
{
  bool moves[PKI_MOTION_DOFS] = {false};
  int n = 0;
  for (int end = 0; end < 2; end++) {
    for (int i = gap->body[end]; i >= 0; i = m->body_parent[i]) {
      moves[m->body_u[i]] = true;
    }
  }
  for (int k = 0; k < m->nu; k++) {
    if (moves[k]) {
      chain[n++] = k;
    }
  }
  return n;
}

pk_status pki_motion_gap_create(const pki_motion_problem *problem, int index, pki_motion_gap_function *out,
                                pk_error *err)
{
  const pki_motion_gap *gap = &problem->gaps[index];
  pki_drafted_robot d = pki_draft_robot(problem);
  pki_graph *const g = d.g;
  pk_status status = PK_ERROR_MEMORY;
  out->nchain = find_gap_chain(problem->model, gap, out->chain);
  if (d.good) {
    pki_x inputs[PKI_MOTION_DOFS], value;
    pki_foot_motion ball[2] = {{.w = {0}}};
    bool good = true;
    for (int end = 0; end < 2 && gap->body[end] >= 0; end++) {
      pki_motion_foot point = {.body = gap->body[end]};
      memcpy(point.at, gap->at[end], sizeof point.at);
      good = good && pki_motion_of_foot(&d, &point, &ball[end]);
    }
    if (good) {
      value = ball[0].point.v[2];
      if (gap->body[1] >= 0) {
        const pki_x3 way = pki_x3_minus(g, ball[0].point, ball[1].point);
        value = pki_x3_dot(g, way, way);
      }
      for (int k = 0; k < out->nchain; k++) {
        inputs[k] = d.robot.q[out->chain[k]];
      }
      status = pki_drafted_function(&d, "gap", out->nchain, inputs, 0, NULL, 1, &value, &out->distance, err);
    }
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the gaps of the robot") : status;
}

void pki_motion_add_gaps(pki_motion_program *program, int phase, int point)
{
  const pki_motion_problem *p = program->problem;
  const double length = program->robot->length;
  for (int i = 0; i < p->ngap; i++) {
    const pki_motion_gap *gap = &p->gaps[i];
    const pki_motion_gap_function *f = &program->robot->gaps[i];
    const bool pair = gap->body[1] >= 0;
    const pki_nlp_label label = {"gap", gap->name, phase, point};
    int in[PKI_MOTION_DOFS];
    for (int k = 0; k < f->nchain; k++) {
      in[k] = program->points[phase][point].q + f->chain[k];
    }
    if (!pki_motion_all_fixed(program, in, f->nchain)) {
      const int row = pki_motion_row(program, label, pair ? gap->least * gap->least : gap->least, INFINITY,
                                     pair ? length * length : length);
      pki_motion_add_term(program, f->distance, in, NULL, &row);
    }
  }
}
