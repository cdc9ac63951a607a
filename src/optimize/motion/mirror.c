/* The mirror image of a robot in its plane y = 0.
 *
 * In the pose in which all coordinates are zero, a joint at p with axis e has its image at S p, S = diag(1, -1, 1); a turn about e becomes
 * one about -S e, because axes of turns are no arrows, and a travel along e one along S e. The image is the joint of the robot that
 * is there, with the same or the opposite sign. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/body_frames.h"
#include "optimize/motion/problem.h"

static const double near_enough = 1e-6; /* m, and of unit vectors */

static double distance(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The sign with which body j is the image of body i; 0: it is not. A hinge is where its axis is, not where its origin is. */
static double image_sign(const pk_model *m, const pki_body_frame *frames, int i, int j)
{
  const bool turns = m->body_motion[i] == PK_MOTION_REVOLUTE;
  const double flip = turns ? -1 : 1;
  const double p[3] = {frames[i].pos[0], -frames[i].pos[1], frames[i].pos[2]};
  const double e[3] = {flip * frames[i].axis[0], -flip * frames[i].axis[1], flip * frames[i].axis[2]};
  const double back[3] = {-e[0], -e[1], -e[2]};
  if (m->body_motion[i] != m->body_motion[j] || fabs(m->body_gain[i]) != fabs(m->body_gain[j])) {
    return 0;
  }
  const double sign = distance(e, frames[j].axis) < near_enough      ? 1
                      : distance(back, frames[j].axis) < near_enough ? -1
                                                                     : 0;
  double off[3], across = 0;
  for (int k = 0; k < 3; k++) {
    off[k] = frames[j].pos[k] - p[k];
    across += off[k] * frames[j].axis[k];
  }
  for (int k = 0; k < 3; k++) {
    off[k] -= turns ? across * frames[j].axis[k] : 0;
  }
  const double apart = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
  const double gains = m->body_gain[i] * m->body_gain[j] < 0 ? -1 : 1;
  return apart < near_enough ? sign * gains : 0;
}

/* The images of bodies, parents first: children of images are images of children. */
static int find_image(const pk_model *m, const pki_body_frame *frames, const int *image, int i, double *sign)
{
  const int parent = m->body_parent[i] >= 0 ? image[m->body_parent[i]] : -1;
  const double at[3] = {frames[i].pos[0], -frames[i].pos[1], frames[i].pos[2]};
  double least = INFINITY;
  int found = -1;
  for (int j = 0; j < m->nbody; j++) {
    const double way = m->body_parent[j] == parent ? image_sign(m, frames, i, j) : 0;
    const double apart = distance(at, frames[j].pos);
    if (way != 0 && (apart < least - near_enough || (found == i && apart < least + near_enough))) {
      found = j;
      least = apart;
      *sign = way;
    }
  }
  return found;
}

static pk_status fail_image(const pki_motion_problem *p, int dof, pk_error *err)
{
  const int joint = p->model->dof_joint[dof];
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "closure"},
                  "the robot has no mirror image in its plane y = 0: %s has no counterpart on the other side "
                  "in the zero pose; use the closure \"cycle\"",
                  joint >= 0 ? p->model->joints[joint].name : "its root");
}

static pk_status find_feet(const pki_motion_problem *p, const int *image, pki_motion_mirror *out,
                           pk_error *err)
{
  for (int i = 0; i < p->nfoot; i++) {
    out->foot_to[i] = -1;
    for (int j = 0; j < p->nfoot; j++) {
      if (image[p->feet[i].body] == p->feet[j].body) {
        out->foot_to[i] = j;
      }
    }
    if (out->foot_to[i] < 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                      "the foot %s has no counterpart on the other side", p->feet[i].name);
    }
  }
  return PK_OK;
}

pk_status pki_motion_find_mirror(const pki_motion_problem *problem, pki_motion_mirror *out, pk_error *err)
{
  const pk_model *m = problem->model;
  const double zero[PKI_MOTION_DOFS] = {0};
  pki_body_frame *frames = calloc((size_t)m->nbody + 1, sizeof *frames);
  int *image = calloc((size_t)m->nbody + 1, sizeof *image);
  pk_status status =
      frames != NULL && image != NULL ? PK_OK : pki_fail_memory(err, "the mirror image of a robot");
  *out = (pki_motion_mirror){0};
  status = status == PK_OK ? pki_body_frames(m, zero, frames, err) : status;
  for (int i = 0; i < m->nbody && status == PK_OK; i++) {
    double sign = 0;
    image[i] = find_image(m, frames, image, i, &sign);
    if (image[i] < 0) {
      status = fail_image(problem, m->body_u[i], err);
    } else {
      out->to[m->body_u[i]] = m->body_u[image[i]];
      out->sign[m->body_u[i]] = sign;
    }
  }
  status = status == PK_OK ? find_feet(problem, image, out, err) : status;
  free(frames);
  free(image);
  return status;
}

unsigned pki_motion_mirror_feet(const pki_motion_mirror *mirror, int nfoot, unsigned feet)
{
  unsigned out = 0;
  for (int i = 0; i < nfoot; i++) {
    out |= (feet >> i & 1u) << mirror->foot_to[i];
  }
  return out;
}
