#include "control/gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/mat3.h"
#include "model/pose.h"

/* Scratch of one model at q0. */
typedef struct inertias {
  const pk_model *model;
  pk_workspace *work;
  double *M; /* [nu][nu] */
  double *J; /* [6][nu] */
} inertias;

/* The free body that a joint hangs on by other joints; -1: it hangs on the world. */
static int free_body_above(const pk_model *m, int joint)
{
  int body = m->joints[joint].body;
  while (body >= 0 && m->body_parent[body] >= 0) {
    body = m->body_parent[body];
  }
  return body >= 0 && m->body_motion[body] == PK_MOTION_FLOATING ? body : -1;
}

/* The pose of a body in the world, by a link that it carries. */
static pk_pose pose_of_body(const inertias *s, int body)
{
  const int link = s->model->body_link[body];
  const pk_pose at = pk_link_pose(s->work, link), back = pki_pose_invert(&s->model->links[link].pose);
  return pki_pose_mul(&at, &back);
}

/* The inertia of all that a joint does not carry, about its axis: twice the energy of a robot that turns as one about the joint
 * while what it carries stands still, u = (xi, -1), where xi is then the velocity of its free body. 0: nothing of it is free. */
static double inertia_of_rest(const inertias *s, int joint, int u)
{
  const pk_model *m = s->model;
  const size_t nu = (size_t)m->nu;
  const int top = free_body_above(m, joint), body = m->joints[joint].body;
  if (top < 0 || top == body || m->body_link[top] < 0 || m->body_link[body] < 0) {
    return 0;
  }
  static const double origin[3] = {0, 0, 0};
  const pk_pose child = pk_link_pose(s->work, m->body_link[body]), trunk = pose_of_body(s, top);
  pk_link_jacobian(s->work, m->body_link[body], origin, s->J);
  double turn[3], travel[3], arm[3], cross[3], linear[3], xi[7];
  for (int k = 0; k < 3; k++) {
    turn[k] = s->J[(size_t)k * nu + (size_t)u];
    travel[k] = s->J[(size_t)(3 + k) * nu + (size_t)u];
    arm[k] = trunk.pos[k] - child.pos[k];
  }
  pki_cross3(turn, arm, cross);
  for (int k = 0; k < 3; k++) {
    linear[k] = travel[k] + cross[k];
  }
  pki_mat3_apply_transposed(m->body_rot + 9 * (size_t)top, linear, xi); /* its joint's axes */
  pki_mat3_apply_transposed(trunk.rot, turn, xi + 3);                   /* its own axes */
  xi[6] = -1;
  double energy = 0;
  for (int i = 0; i < 7; i++) {
    for (int k = 0; k < 7; k++) {
      const size_t row = (size_t)(i < 6 ? m->body_u[top] + i : u),
                   column = (size_t)(k < 6 ? m->body_u[top] + k : u);
      energy += xi[i] * xi[k] * s->M[row * nu + column];
    }
  }
  return energy;
}

static void set_gains(const inertias *s, double frequency, int u, double *kp, double *kd)
{
  const pk_model *m = s->model;
  const int joint = m->dof_joint[u];
  const double omega = 2 * 3.14159265358979323846 * frequency;
  const double carried = s->M[(size_t)u * (size_t)m->nu + (size_t)u];
  const double inertia = fmax(carried, inertia_of_rest(s, joint, u));
  const double slack = m->body_motion[m->joints[joint].body] == PK_MOTION_PRISMATIC ? 0.01 : 0.1;
  kp[u] = fmin(omega * omega * inertia, m->dof_effort[u] / slack);
  kd[u] = 2 * sqrt(kp[u] * inertia);
}

pk_status pki_gains_compute(const pk_model *model, double frequency, double *kp, double *kd, pk_error *err)
{
  const size_t nu = (size_t)model->nu;
  inertias s = {
      .model = model, .M = malloc(nu * nu * sizeof *s.M + 1), .J = malloc(6 * nu * sizeof *s.J + 1)};
  pk_workspace_create(model, &s.work, NULL);
  const bool memory = s.M != NULL && s.J != NULL && s.work != NULL;
  memset(kp, 0, nu * sizeof *kp);
  memset(kd, 0, nu * sizeof *kd);
  if (memory) {
    pk_mass_matrix(s.work, model->q0, s.M);
    pk_kinematics_compute(s.work, model->q0, NULL);
    for (int u = 0; u < model->nu; u++) {
      if (model->dof_joint[u] >= 0 && model->dof_q[u] >= 0) {
        set_gains(&s, frequency, u, kp, kd);
      }
    }
  }
  pk_workspace_destroy(s.work);
  free(s.M);
  free(s.J);
  return memory ? PK_OK : pki_fail_memory(err, "a controller");
}
