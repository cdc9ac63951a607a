/* Poses, origins and velocities of all bodies. */
#include "dynamics/kernels/body.h"
#include "dynamics/kernels/declare.h"

void PKI_NAME(kinematics)(pki_work *w, const double *q)
{
  const pk_model *m = w->model;
  pki_pose_r *const pose = pki_poses(w);
  pki_v3 *const origin = pki_origins(w);
  pki_world_pose(w);
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      pki_place_hinge(w, i, pki_reals(q)[m->body_q[i]]);
    } else {
      pose[i] = pki_body_pose(m, i, &pose[p].R, pki_reals(q));
    }
    origin[i] = pki_add(origin[p], pose[i].r);
  }
}

void PKI_NAME(velocities)(pki_work *w, const double *u)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  pki_v6 *const twist = pki_v6s(w->twist);
  twist[-1] = pki_v6_zero();
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    const pki_v6 rate = pki_joint_rate(m, i, &pose[p].R, &pose[i].R, pki_reals(u));
    twist[i] = pki_body_twist(twist[p], pose[i].r, rate);
  }
}
