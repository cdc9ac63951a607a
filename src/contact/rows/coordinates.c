#include "contact/rows/coordinates.h"

#include <string.h>

#include "math/mat3.h"
#include "model/joint_type.h"
#include "model/motion.h"

/* Coordinates that both sets have: of free and chain roots, and of joints that are not cut. */
static void copy_common(const pk_model *from, const pk_model *to, const double *q_from, const double *u_from,
                        double *q, double *u)
{
  for (int r = 0; r < from->nrobot; r++) {
    const pk_root_kind kind = from->robots[r].root;
    const size_t nq = kind == PK_ROOT_FREE    ? 7
                      : kind == PK_ROOT_CHAIN ? 6
                                              : 0,
                 nu = kind == PK_ROOT_FIXED ? 0 : 6;
    memcpy(q + to->robots[r].q, q_from + from->robots[r].q, nq * sizeof *q);
    memcpy(u + to->robots[r].u, u_from + from->robots[r].u, nu * sizeof *u);
  }
  for (int j = 0; j < from->njoint; j++) {
    const pk_model_joint *a = &from->joints[j], *b = &to->joints[j];
    if (a->constraint < 0 && b->constraint < 0) {
      memcpy(q + b->q, q_from + a->q, (size_t)a->nq * sizeof *q);
      memcpy(u + b->u, u_from + a->u, (size_t)a->nu * sizeof *u);
    }
  }
}

void pki_joints_to_model(const pk_model *model, pk_workspace *tree, const double *q_tree,
                         const double *u_tree, double *q, double *u)
{
  copy_common(model->tree, model, q_tree, u_tree, q, u);
  pk_kinematics_compute(tree, q_tree, u_tree);
  for (int i = 0; i < model->nconstraint; i++) {
    const pk_model_constraint *c = &model->constraints[i];
    if (c->joint < 0) {
      continue;
    }
    /* the body that the cut freed has the frame of the joint's child link */
    const int body = c->body[1], link = model->body_link[body];
    const pk_pose pose = pk_link_pose(tree, link);
    double *qi = q + model->body_q[body], *ui = u + model->body_u[body], v[6];
    memcpy(qi, pose.pos, sizeof pose.pos);
    pki_quat_from_mat3(pose.rot, qi + 3);
    pk_link_velocity(tree, link, v);
    pki_mat3_apply(pose.rot, v + 3, ui);
    memcpy(ui + 3, v, 3 * sizeof *v);
  }
}

/* Attitude of a joint with a quaternion: b in a. */
static void relative_quaternion(const pki_work *w, const pk_model_constraint *c, double out[4])
{
  double R[2][9], T[9], origin[3];
  for (int side = 0; side < 2; side++) {
    pki_frame_in_world(w, c->body[side], &c->frame[side], origin, R[side]);
  }
  pki_mat3_transpose(R[0], T);
  pki_mat3_mul(T, R[1], T);
  pki_quat_from_mat3(T, out);
}

void pki_joints_from_model(const pk_model *model, const pki_work *work, const pki_bilateral *b,
                           const double *q, const double *u, double *drives, double *q_tree, double *u_tree)
{
  copy_common(model, model->tree, q, u, q_tree, u_tree);
  pki_bilateral_coordinates(model, work, drives);
  for (int i = 0; i < model->nconstraint; i++) {
    const pk_model_constraint *c = &model->constraints[i];
    if (c->joint < 0) {
      continue;
    }
    const pk_model_joint *j = &model->tree->joints[c->joint];
    const pki_joint_type *type = pki_joint_type_of(j->kind);
    double *to = q_tree + j->q; /* the parts of a joint that can be cut share no coordinate */
    for (int p = 0; p < type->nparts; p++) {
      const int motion = type->parts[p].motion, at = pki_motion_quaternion(motion);
      for (int k = 0; k < (at < 0 ? 1 : at); k++) {
        to[k] = drives[c->drive + type->parts[p].coordinate + k];
      }
      if (at >= 0) {
        relative_quaternion(work, c, to + at);
      }
      to += pki_motion_nq(motion);
    }
    for (int k = 0; k < j->nu; k++) {
      u_tree[j->u + k] = pki_bilateral_velocity(b, model->nbilateral + c->drive + k, u);
    }
  }
}
