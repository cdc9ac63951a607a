/* Recursive Newton-Euler: forces from accelerations (Luh, Walker, Paul 1980; Featherstone 2008,
 * section 5.3), in world axes. */
#include "dynamics/kernels/body.h"
#include "dynamics/kernels/declare.h"

void PKI_NAME(rnea)(pki_work *w, const double *q, const double *u, const double *a, double *tau)
{
  const pk_model *m = w->model;
  const pk_r *const udot = pki_reals(a ? a : w->zero), *const armature = pki_reals(w->params.armature);
  pki_pose_r *const pose = pki_poses(w);
  pki_v6 *const twist = pki_v6s(w->twist), *const accel = pki_v6s(w->accel), *const force = pki_v6s(w->force);
  pk_r *const out = pki_out(tau);

  pki_world_pose(w);
  twist[-1] = pki_v6_zero();
  accel[-1] = pki_world_accel(w);
  force[-1] = pki_v6_zero();

  /* outwards: motion, and the force that each body's own motion takes */
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    const pki_pose_r at = pki_body_pose(m, i, &pose[p].R, pki_reals(q));
    const pki_v6 rate = pki_joint_rate(m, i, &pose[p].R, &at.R, pki_reals(u));
    const pki_v6 wv = pki_body_twist(twist[p], at.r, rate);
    pki_v6 acc = pki_body_accel(accel[p], twist[p].a, at.r, rate);
    if (a != NULL) {
      acc = pki_v6_add(acc, pki_joint_rate(m, i, &pose[p].R, &at.R, udot));
    }
    pose[i] = at;
    twist[i] = wv;
    accel[i] = acc;
    force[i] = pki_body_force(w, i, &at.R, wv.a, acc);
  }

  /* inwards: each joint carries all that hangs on it */
  for (int k = 0; k < m->nu; k++) {
    out[k] = armature[k] * udot[k];
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    pki_joint_project(m, i, &pose[p].R, &pose[i].R, force[i], out);
    force[p] = pki_v6_add(force[p], pki_force_to_foot(force[i], pose[i].r));
  }
}
