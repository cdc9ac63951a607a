#include "size/duty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pk_status pki_duty_motion_create(int samples, int joints, pki_duty_motion *out, pk_error *err)
{
  const size_t n = (size_t)samples, bytes = sizeof(double);
  *out = (pki_duty_motion){.weight = 1, .n = samples, .njoint = joints};
  out->time = calloc(n + 1, bytes);
  out->span = calloc(n + 1, bytes);
  out->joints = calloc((size_t)joints + 1, sizeof *out->joints);
  bool good = out->time != NULL && out->span != NULL && out->joints != NULL;
  for (int i = 0; good && i < joints; i++) {
    pki_joint_duty *j = &out->joints[i];
    j->speed = calloc(n + 1, bytes);
    j->acceleration = calloc(n + 1, bytes);
    j->torque = calloc(n + 1, bytes);
    good = j->speed != NULL && j->acceleration != NULL && j->torque != NULL;
  }
  return good ? PK_OK : pki_fail_memory(err, "the loads of a motion");
}

void pki_duty_motion_free(pki_duty_motion *motion)
{
  for (int i = 0; motion->joints != NULL && i < motion->njoint; i++) {
    free(motion->joints[i].speed);
    free(motion->joints[i].acceleration);
    free(motion->joints[i].torque);
  }
  free(motion->joints);
  free(motion->time);
  free(motion->span);
  *motion = (pki_duty_motion){0};
}

void pki_duty_motion_spans(pki_duty_motion *m)
{
  for (int i = 0; i < m->n; i++) {
    const double before = i > 0 ? m->time[i] - m->time[i - 1] : 0;
    const double after = i + 1 < m->n ? m->time[i + 1] - m->time[i] : 0;
    m->span[i] = (before + after) / 2;
  }
}

/* The first and the last sample of the smooth piece around `at` that are within half a window of it. */
static void find_neighbours(const pki_duty_motion *m, int at, double window, int *first, int *last)
{
  const double *t = m->time;
  /* times are rounded: samples at the window's two ends are both in it, or the slope would be that of another instant */
  const double half = window / 2 * (1 + 1e-6);
  int a = at, b = at;
  while (a > 0 && t[a - 1] < t[a] && (a == at || t[at] - t[a - 1] <= half)) {
    a--;
  }
  while (b + 1 < m->n && t[b + 1] > t[b] && (b == at || t[b + 1] - t[at] <= half)) {
    b++;
  }
  *first = a;
  *last = b;
}

void pki_duty_motion_differentiate(pki_duty_motion *m, double window)
{
  for (int i = 0; i < m->n; i++) {
    int first, last;
    find_neighbours(m, i, window, &first, &last);
    const double span = m->time[last] - m->time[first];
    for (int k = 0; k < m->njoint; k++) {
      const double *u = m->joints[k].speed;
      m->joints[k].acceleration[i] = span > 0 ? (u[last] - u[first]) / span : 0;
    }
  }
}

double pki_duty_motion_length(const pki_duty_motion *m)
{
  return m->n > 0 ? m->time[m->n - 1] - m->time[0] : 0;
}

double pki_duty_share(const pki_duty *duty, int motion)
{
  double sum = 0;
  for (int i = 0; i < duty->count; i++) {
    sum += duty->motions[i].weight;
  }
  return sum > 0 ? duty->motions[motion].weight / sum : 0;
}

const pki_joint_duty *pki_duty_joint(const pki_duty_motion *motion, const char *name)
{
  for (int i = 0; i < motion->njoint; i++) {
    if (strcmp(motion->joints[i].name, name) == 0) {
      return &motion->joints[i];
    }
  }
  return NULL;
}

pk_status pki_duty_add(pki_duty *duty, const pki_duty_motion *motion, pk_error *err)
{
  pki_duty_motion *list = realloc(duty->motions, (size_t)(duty->count + 1) * sizeof *list);
  if (list == NULL) {
    return pki_fail_memory(err, "the motions of a duty");
  }
  duty->motions = list;
  list[duty->count++] = *motion;
  return PK_OK;
}

void pki_duty_free(pki_duty *duty)
{
  for (int i = 0; i < duty->count; i++) {
    pki_duty_motion_free(&duty->motions[i]);
  }
  free(duty->motions);
  *duty = (pki_duty){0};
}

pki_bearing pki_duty_bearing(const pki_duty *duty, const char *joint)
{
  pki_bearing sum = {0};
  double cubes = 0, shares = 0;
  for (int i = 0; i < duty->count; i++) {
    const pki_joint_duty *j = pki_duty_joint(&duty->motions[i], joint);
    if (j == NULL || !j->bearing.known) {
      continue;
    }
    const double share = pki_duty_share(duty, i);
    sum.known = true;
    for (int k = 0; k < 6; k++) {
      sum.largest[k] = fmax(sum.largest[k], j->bearing.largest[k]);
    }
    sum.force = fmax(sum.force, j->bearing.force);
    sum.moment = fmax(sum.moment, j->bearing.moment);
    cubes += share * pow(j->bearing.mean_force, 3);
    shares += share;
  }
  sum.mean_force = shares > 0 ? cbrt(cubes / shares) : 0;
  return sum;
}
