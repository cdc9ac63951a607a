/* Loads of a motion that has been optimised, between the points of its grid too. */
#include <stdio.h>
#include <stdlib.h>

#include "size/duty_source.h"

enum { INSIDE = 8 }; /* samples of an interval */

/* A joint with a coordinate of its own and a motor. */
static bool is_driven(const pki_gait_file *g, const pk_model_joint *j)
{
  return j->leader < 0 && j->nu == 1 && j->u >= pki_gait_trunk(g->model) && g->problem.tau_upper[j->u] > 0;
}

static void copy_sample(const pki_gait_file *g, const pki_motion_point *p, int i, pki_duty_motion *out)
{
  const pk_model *m = g->model;
  int joint = 0;
  out->time[i] = p->time;
  for (int k = 0; k < m->njoint; k++) {
    if (is_driven(g, &m->joints[k])) {
      const int u = m->joints[k].u;
      pki_joint_duty *j = &out->joints[joint++];
      j->armature = m->dof_armature[u];
      j->speed[i] = p->v[u];
      j->acceleration[i] = p->a[u];
      j->torque[i] = p->tau[u] - m->dof_armature[u] * p->a[u];
    }
  }
}

/* Intervals are a node, its middle and the next node; at a boundary of phases the next node is there twice. */
static int fill_samples(const pki_gait_file *g, const pki_motion_solution *whole, pki_duty_motion *out)
{
  int n = 0;
  for (int i = 0; i + 2 < whole->npoint; i++) {
    const pki_motion_point *a = &whole->points[i];
    if (a->middle || !a[1].middle) {
      continue;
    }
    for (int s = 0; s <= INSIDE; s++) {
      pki_motion_point p;
      pki_motion_between(&g->problem, whole, i, (double)s / INSIDE, &p);
      if (out != NULL) {
        copy_sample(g, &p, n, out);
      }
      n++;
    }
  }
  return n;
}

pk_status pki_duty_of_motion(const pki_gait_file *gait, const pki_motion_solution *solution,
                             pki_duty_motion *out, pk_error *err)
{
  pki_motion_solution whole = {0};
  int driven = 0;
  *out = (pki_duty_motion){0};
  pk_status status = pki_motion_whole_cycle(&gait->problem, solution, &whole, err);
  for (int k = 0; k < gait->model->njoint; k++) {
    driven += is_driven(gait, &gait->model->joints[k]);
  }
  status =
      status == PK_OK ? pki_duty_motion_create(fill_samples(gait, &whole, NULL), driven, out, err) : status;
  if (status == PK_OK) {
    int joint = 0;
    for (int k = 0; k < gait->model->njoint; k++) {
      if (is_driven(gait, &gait->model->joints[k])) {
        snprintf(out->joints[joint++].name, PKI_DUTY_NAME, "%s", gait->model->joints[k].name);
      }
    }
    fill_samples(gait, &whole, out);
    pki_duty_motion_spans(out);
  }
  pki_motion_solution_free(&whole);
  return status;
}
