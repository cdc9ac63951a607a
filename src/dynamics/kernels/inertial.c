/* The bias force h and the mass matrix M in one pass over the bodies: recursive Newton-Euler without accelerations and
 * composite rigid bodies (rnea.c, crba.c), which share poses and inertias in world axes. What a step needs. */
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"

/* Pose, twist and acceleration of a hinge's body. */
PKI_INLINE void move_hinge(pki_work *w, int i, pk_r q, pk_r u)
{
  const pk_model *m = w->model;
  pki_pose_r *const pose = pki_poses(w);
  pki_v6 *const twist = pki_v6s(w->twist), *const accel = pki_v6s(w->accel);
  const int p = m->body_parent[i], k = m->body_axis[i];
  pki_place_hinge(w, i, q);
  const pki_v3 r = pose[i].r;
  const pki_v3 rate = pki_scale(m->body_gain[i] * u, pki_column_at(&pose[i].R, k)), wp = twist[p].a;
  const pki_v3 arm = pki_cross(wp, r);
  twist[i] = (pki_v6){pki_add(wp, rate), pki_add(twist[p].l, arm)};
  accel[i] = (pki_v6){pki_add_cross(accel[p].a, wp, rate),
                      pki_add_cross(pki_add_cross(accel[p].l, accel[p].a, r), wp, arm)};
}

/* The same of any other body. */
static void move_body(pki_work *w, int i, const pk_r *q, const pk_r *u)
{
  const pk_model *m = w->model;
  pki_pose_r *const pose = pki_poses(w);
  pki_v6 *const twist = pki_v6s(w->twist), *const accel = pki_v6s(w->accel);
  const int p = m->body_parent[i];
  pose[i] = pki_body_pose(m, i, &pose[p].R, q);
  const pki_v6 rate = pki_joint_rate(m, i, &pose[p].R, &pose[i].R, u);
  twist[i] = pki_body_twist(twist[p], pose[i].r, rate);
  accel[i] = pki_body_accel(accel[p], twist[p].a, pose[i].r, rate);
}

/* A hinge's axis in world axes, gain included. */
PKI_INLINE pki_v3 axis_of(const pki_work *w, int i)
{
  const pk_model *m = w->model;
  return pki_scale(pki_splat(m->body_gain[i]), pki_column_at(&pki_poses(w)[i].R, m->body_axis[i]));
}

/* M between a hinge and all that it hangs on, and what it feels of the forces. */
PKI_INLINE void mass_of_hinge(const pki_work *w, int i, pk_r *h)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  const int k = m->body_u[i];
  const pki_v3 s = axis_of(w, i);
  const pki_rigid *b = &pki_rigids(w)[i];
  pk_r *out = pki_out(w->M) + m->M_row[k + 1] - 1;
  pki_v6 f = {pki_s3_apply(b->I, s), pki_cross(s, b->h)};
  *out = pki_dot(s, f.a) + pki_reals(w->diag)[k];
  h[k] = pki_dot(s, pki_v6s(w->force)[i].a);
  for (int j = i; m->body_parent[j] >= 0;) {
    f = pki_force_to_foot(f, pose[j].r);
    j = m->body_parent[j];
    if (m->body_motion[j] == PK_MOTION_REVOLUTE) {
      *--out = pki_dot(axis_of(w, j), f.a);
    } else {
      out -= pki_motion_nu(m->body_motion[j]);
      pki_motion_products(w, j, f, out);
    }
  }
}

/* M of a free body's own coordinates, world axes and body axes: m 1, s x h of a turn about s, and I in body axes. */
PKI_INLINE void mass_of_free_body(const pki_work *w, int i)
{
  const pk_model *m = w->model;
  const pki_m3 *const R = &pki_poses(w)[i].R;
  const pki_rigid *const b = &pki_rigids(w)[i];
  const int k = m->body_u[i];
  PKI_UNROLL
  for (int c = 0; c < 3; c++) {
    pk_r *const linear = pki_out(w->M) + m->M_row[k + c], *const angular =
                                                              pki_out(w->M) + m->M_row[k + 3 + c];
    const pki_v3 s = pki_column_at(R, c), moment = pki_s3_apply(b->I, s);
    for (int e = 0; e < c; e++) {
      linear[e] = pki_splat(0);
    }
    linear[c] = b->m + pki_reals(w->diag)[k + c];
    pki_v3_store(pki_cross(s, b->h), angular);
    for (int e = 0; e <= c; e++) {
      angular[3 + e] = pki_dot(pki_column_at(R, e), moment);
    }
    angular[3 + c] += pki_reals(w->diag)[k + 3 + c];
  }
}

void PKI_NAME(inertial)(pki_work *w, const double *q_in, const double *u_in, double *h_out)
{
  const pk_model *m = w->model;
  const pk_r *const q = pki_reals(q_in), *const u = pki_reals(u_in);
  pk_r *const h = pki_out(h_out);
  if (w->nchain == 0 || m->has_mimic || m->nplan != m->nu) {
    PKI_NAME(rnea)(w, q_in, u_in, NULL, h_out);
    PKI_NAME(crba)(w);
    return;
  }
  pki_pose_r *const pose = pki_poses(w);
  pki_v3 *const origin = pki_origins(w);
  pki_rigid *const rigid = pki_rigids(w);
  pki_v6 *const twist = pki_v6s(w->twist), *const accel = pki_v6s(w->accel), *const force = pki_v6s(w->force);
  pki_world_pose(w);
  twist[-1] = pki_v6_zero();
  accel[-1] = pki_world_accel(w);
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      move_hinge(w, i, q[m->body_q[i]], u[m->body_u[i]]);
    } else {
      move_body(w, i, q, u);
    }
    origin[i] = pki_add(origin[m->body_parent[i]], pose[i].r);
    rigid[i] = pki_body_rigid(w, i, &pose[i].R);
    force[i] = pki_rigid_force(rigid[i], twist[i].a, accel[i]);
  }
  for (int k = 0; k < m->nu; k++) {
    h[k] = pki_splat(0);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    if (m->body_motion[i] == PK_MOTION_REVOLUTE) {
      mass_of_hinge(w, i, h);
    } else {
      const bool is_free = m->body_motion[i] == PK_MOTION_FLOATING && p < 0 && !m->body_turned[i];
      pki_joint_project(m, i, &pose[p].R, &pose[i].R, force[i], h);
      if (is_free) {
        mass_of_free_body(w, i);
      }
      for (int c = 0; c < pki_motion_nu(m->body_motion[i]) && !is_free; c++) {
        const int k = m->body_u[i] + c;
        pki_fill_row(w, i, c, 0);
        pki_out(w->M)[m->M_row[k + 1] - 1] += pki_reals(w->diag)[k];
      }
    }
    if (p >= 0) {
      rigid[p] = pki_rigid_add_shifted(rigid[p], rigid[i], pose[i].r);
      force[p] = pki_v6_add(force[p], pki_force_to_foot(force[i], pose[i].r));
    }
  }
}
