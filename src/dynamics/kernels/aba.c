/* The articulated-body method: accelerations from forces in linear time (Featherstone 1983;
 * Ayit 2015, equations (3.1)-(3.46), for chains, trees and the floating base).
 *
 * Accelerations are split in two: accel holds the motion with du/dt = 0 (velocity products
 * and gravity), delta what the joints add. Inertia forces of the first go into the bias
 * force, so the elimination below is the factor of M alone and serves any right side. */
#include "dynamics/kernels/artic.h"
#include "dynamics/kernels/declare.h"

/* Eliminate the joint of body i: its factor is kept, and what is left of IA comes back. */
PKI_INLINE pki_artic eliminate_axis(const pki_work *w, int i, pki_artic I)
{
  const pk_model *m = w->model;
  const int linear = m->body_motion[i] == PK_MOTION_PRISMATIC;
  const pki_v3 s = pki_m3_col(&pki_poses(w)[i].R, m->body_axis[i]);
  const pki_v6 U = pki_artic_apply(&I, s, linear);
  const pk_r D = pki_add_dot(pki_reals(w->diag)[m->body_u[i]], s, linear ? U.l : U.a);
  pki_axis_factor *f = &pki_axis_factors(w)[i];
  f->Dinv = 1.0 / D;
  f->UD = (pki_v6){pki_scale(f->Dinv, U.a), pki_scale(f->Dinv, U.l)};
  return pki_artic_downdate(I, U, f->UD);
}

PKI_INLINE pki_artic eliminate_columns(const pki_work *w, int i, pki_artic I, int n)
{
  const pk_model *m = w->model;
  const int motion = n == 6 ? PK_MOTION_FLOATING : PK_MOTION_SPHERICAL, p = m->body_parent[i];
  const pki_m3 RJ = pki_joint_frame(m, i, &pki_poses(w)[p].R), R = pki_poses(w)[i].R;
  pk_r *const slot = pki_multi(w, i), *const D = slot + PKI_MULTI_D;
  pki_v6 U[6];
  for (int c = 0; c < n; c++) {
    int linear;
    const pki_v3 s = pki_multi_column(motion, &RJ, &R, c, &linear);
    U[c] = pki_artic_apply(&I, s, linear);
    for (int e = 0; e <= c; e++) {
      D[c * (c + 1) / 2 + e] = pki_dot(s, linear ? U[e].l : U[e].a);
    }
    D[c * (c + 1) / 2 + c] += pki_reals(w->diag)[m->body_u[i] + c];
  }
  pki_ldl_factor(D, n);
  if (p < 0) {
    return I; /* the world takes what is left */
  }
  /* V = U inv(D), row by row: each row of U is a right side */
  pki_v6 *const V = (pki_v6 *)(void *)(slot + PKI_MULTI_V);
  for (int row = 0; row < 6; row++) {
    pk_r x[6];
    for (int c = 0; c < n; c++) {
      x[c] = ((const pk_r *)&U[c])[row];
    }
    pki_ldl_solve(D, n, x);
    for (int c = 0; c < n; c++) {
      ((pk_r *)&V[c])[row] = x[c];
    }
  }
  for (int c = 0; c < n; c++) {
    I = pki_artic_downdate(I, U[c], V[c]);
  }
  return I;
}

static pki_artic eliminate_multi(const pki_work *w, int i, pki_artic I)
{
  return w->model->body_motion[i] == PK_MOTION_FLOATING ? eliminate_columns(w, i, I, 6)
                                                        : eliminate_columns(w, i, I, 3);
}

/* The inwards step of a right side: what the joint of body i does not take of force f. */
PKI_INLINE pki_v6 propagate_force_axis(const pki_work *w, int i, pki_v6 f, const pk_r *tau)
{
  const pk_model *m = w->model;
  const pki_v3 s = pki_m3_col(&pki_poses(w)[i].R, m->body_axis[i]);
  pki_axis_factor *factor = &pki_axis_factors(w)[i];
  const pk_r own = m->body_gain[i] * tau[m->body_u[i]];
  factor->rest = own - pki_dot(s, m->body_motion[i] == PK_MOTION_PRISMATIC ? f.l : f.a);
  return pki_v6_add_scaled(f, factor->rest, factor->UD);
}

static pki_v6 propagate_force_multi(const pki_work *w, int i, pki_v6 f, const pk_r *tau)
{
  const pk_model *m = w->model;
  const int motion = m->body_motion[i], n = pki_motion_nu(motion), p = m->body_parent[i];
  const pki_m3 RJ = pki_joint_frame(m, i, &pki_poses(w)[p].R), R = pki_poses(w)[i].R;
  pk_r *const slot = pki_multi(w, i), *const rest = slot + PKI_MULTI_REST;
  for (int c = 0; c < n; c++) {
    int linear;
    const pki_v3 s = pki_multi_column(motion, &RJ, &R, c, &linear);
    rest[c] = tau[m->body_u[i] + c] - pki_dot(s, linear ? f.l : f.a);
  }
  if (p >= 0) {
    const pki_v6 *V = (const pki_v6 *)(const void *)(slot + PKI_MULTI_V);
    for (int c = 0; c < n; c++) {
      f = pki_v6_add_scaled(f, rest[c], V[c]);
    }
  }
  return f;
}

/* The outwards step: the joint's acceleration, and with it the body's, given the parent's. */
PKI_INLINE pki_v6 move_axis(const pki_work *w, int i, pki_v6 d, pk_r *x)
{
  const pk_model *m = w->model;
  const pki_v3 s = pki_m3_col(&pki_poses(w)[i].R, m->body_axis[i]);
  const pki_axis_factor *f = &pki_axis_factors(w)[i];
  const pk_r rate = f->Dinv * f->rest - pki_v6_dot(f->UD, d);
  x[m->body_u[i]] = m->body_gain[i] * rate;
  if (m->body_motion[i] == PK_MOTION_PRISMATIC) {
    d.l = pki_add_scaled(d.l, rate, s);
  } else {
    d.a = pki_add_scaled(d.a, rate, s);
  }
  return d;
}

static pki_v6 move_multi(const pki_work *w, int i, pki_v6 d, pk_r *x)
{
  const pk_model *m = w->model;
  const int motion = m->body_motion[i], n = pki_motion_nu(motion), p = m->body_parent[i];
  const pki_m3 RJ = pki_joint_frame(m, i, &pki_poses(w)[p].R), R = pki_poses(w)[i].R;
  const pk_r *const slot = pki_multi(w, i);
  const pki_v6 *V = (const pki_v6 *)(const void *)(slot + PKI_MULTI_V);
  pk_r rate[6];
  memcpy(rate, slot + PKI_MULTI_REST, sizeof rate);
  pki_ldl_solve(slot + PKI_MULTI_D, n, rate);
  const pki_v6 before = d;
  for (int c = 0; c < n; c++) {
    int linear;
    const pki_v3 s = pki_multi_column(motion, &RJ, &R, c, &linear);
    if (p >= 0) {
      rate[c] -= pki_v6_dot(V[c], before);
    }
    x[m->body_u[i] + c] = rate[c];
    if (linear) {
      d.l = pki_add_scaled(d.l, rate[c], s);
    } else {
      d.a = pki_add_scaled(d.a, rate[c], s);
    }
  }
  return d;
}

/* Eliminate the joint of body i and hand what is left to the parent. Bodies without children have only
 * their own inertia; the child that comes first here stores, later ones add. */
PKI_INLINE void eliminate_joint(const pki_work *w, int i, int axis)
{
  const pk_model *m = w->model;
  const int p = m->body_parent[i], place = w->body_place[i];
  pki_artic *const artic = pki_artics(w);
  const pki_rigid *const rigid = &pki_rigids(w)[i];
  const pki_artic whole =
      place & PKI_LEAF ? pki_artic_from_rigid(*rigid) : pki_artic_add_rigid(artic[i], *rigid);
  const pki_artic left = axis ? eliminate_axis(w, i, whole) : eliminate_multi(w, i, whole);
  if (p >= 0) {
    const pki_artic given = pki_artic_to_foot(left, pki_poses(w)[i].r);
    artic[p] = place & PKI_LAST ? given : pki_artic_add(artic[p], given);
  }
}

PKI_INLINE int has_one_axis(const pk_model *m, int i)
{
  return m->body_motion[i] <= PK_MOTION_PRISMATIC;
}

/* Outwards over all bodies: delta and the accelerations of the joints. */
PKI_INLINE void move_all(const pki_work *w, pk_r *x)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  pki_v6 *const delta = pki_v6s(w->delta);
  delta[-1] = pki_v6_zero();
  for (int i = 0; i < m->nbody; i++) {
    const pki_v6 d = pki_motion_to_tip(delta[m->body_parent[i]], pose[i].r);
    delta[i] = has_one_axis(m, i) ? move_axis(w, i, d, x) : move_multi(w, i, d, x);
  }
}

void PKI_NAME(aba)(pki_work *w, const double *q, const double *u, const double *tau, double *a)
{
  const pk_model *m = w->model;
  pki_pose_r *const pose = pki_poses(w);
  pki_v6 *const twist = pki_v6s(w->twist), *const accel = pki_v6s(w->accel), *const force = pki_v6s(w->force);
  pki_rigid *const rigid = pki_rigids(w);

  pki_world_pose(w);
  twist[-1] = pki_v6_zero();
  accel[-1] = pki_world_accel(w);

  /* outwards: motion with du/dt = 0, and the force that it takes */
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    const pki_pose_r at = pki_body_pose(m, i, &pose[p].R, pki_reals(q));
    const pki_v6 rate = pki_joint_rate(m, i, &pose[p].R, &at.R, pki_reals(u));
    const pki_v6 wv = pki_body_twist(twist[p], at.r, rate);
    const pki_v6 acc = pki_body_accel(accel[p], twist[p].a, at.r, rate);
    const pki_rigid own = pki_body_rigid(w, i, &at.R);
    pose[i] = at;
    twist[i] = wv;
    accel[i] = acc;
    force[i] = pki_rigid_force(own, wv.a, acc);
    rigid[i] = own;
  }

  /* inwards: eliminate each joint, hand inertia and force to the parent */
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    const int axis = has_one_axis(m, i);
    eliminate_joint(w, i, axis);
    const pki_v6 f = axis ? propagate_force_axis(w, i, force[i], pki_reals(tau))
                          : propagate_force_multi(w, i, force[i], pki_reals(tau));
    if (p >= 0) {
      force[p] = pki_v6_add(force[p], pki_force_to_foot(f, pose[i].r));
    }
  }

  move_all(w, pki_out(a));
}

void PKI_NAME(aba_factor)(pki_work *w)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  for (int i = 0; i < m->nbody; i++) {
    pki_rigids(w)[i] = pki_body_rigid(w, i, &pose[i].R);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    eliminate_joint(w, i, has_one_axis(m, i));
  }
}

void PKI_NAME(aba_solve)(pki_work *w, const double *b, int body, const double *f, double *x)
{
  const pk_model *m = w->model;
  const pki_pose_r *const pose = pki_poses(w);
  const pk_r *const tau = pki_reals(b ? b : w->zero);
  pki_v6 *const force = pki_v6s(w->force);
  for (int i = -1; i < m->nbody; i++) {
    force[i] = pki_v6_zero();
  }
  if (body >= 0) {
    const pk_r *g = pki_reals(f);
    force[body] = (pki_v6){{-g[0], -g[1], -g[2]}, {-g[3], -g[4], -g[5]}};
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    const pki_v6 rest = has_one_axis(m, i) ? propagate_force_axis(w, i, force[i], tau)
                                           : propagate_force_multi(w, i, force[i], tau);
    if (p >= 0) {
      force[p] = pki_v6_add(force[p], pki_force_to_foot(rest, pose[i].r));
    }
  }
  move_all(w, pki_out(x));
}
