#include "sense/frames.h"

#include <string.h>

#include "math/mat3.h"

pki_frame pki_frame_in_body(const pk_workspace *w, int body, const pk_pose *pose)
{
  const size_t entry = (size_t)(body + 1);
  const double *const R = w->work.pose + 12 * entry, *const o = w->work.origin + 3 * entry;
  const double *const twist = w->work.twist + 6 * entry, *const accel = w->work.accel + 6 * entry;
  pki_frame f;
  double arm[3], round[3], inward[3];
  pki_mat3_apply(R, pose->pos, arm);
  pki_mat3_mul(R, pose->rot, f.R);
  pki_twist_at(twist, arm, f.v);
  pki_twist_at(accel, arm, f.dv);
  pki_cross3(twist, arm, round);
  pki_cross3(twist, round, inward);
  for (int i = 0; i < 3; i++) {
    f.p[i] = o[i] + arm[i];
    f.w[i] = twist[i];
    f.dw[i] = accel[i];
    f.dv[i] += inward[i];
  }
  return f;
}

pk_pose pki_com_in_body(const pk_model_link *l)
{
  pk_pose pose = l->pose;
  double arm[3];
  pki_mat3_apply(l->pose.rot, l->inertia.com, arm);
  for (int i = 0; i < 3; i++) {
    pose.pos[i] += arm[i];
  }
  return pose;
}

bool pki_hangs_on(const pk_model *m, int link, int root)
{
  while (link >= 0 && link != root) {
    link = m->links[link].parent;
  }
  return link == root;
}

void pki_apply_moment(const pki_frame *f, const double moment[6], const double x[3], double out[3])
{
  double I[9], local[3];
  pki_mat3_from_sym(moment, I);
  pki_mat3_apply_transposed(f->R, x, local);
  pki_mat3_apply(I, local, local);
  pki_mat3_apply(f->R, local, out);
}

/* Adds a force at a place to a sum about a point: moment, then force. */
static void add_force(double sum[6], const double point[3], const double at[3], const double force[3],
                      double sign)
{
  double arm[3], moment[3];
  pki_sub3(at, point, arm);
  pki_cross3(arm, force, moment);
  for (int i = 0; i < 3; i++) {
    sum[i] += sign * moment[i];
    sum[3 + i] += sign * force[i];
  }
}

/* What one link needs to move as it does, about `point`. */
static void add_inertial_force(const pk_workspace *w, const pk_model_link *l, const double point[3],
                               double sum[6])
{
  const pk_pose pose = pki_com_in_body(l);
  const pki_frame f = pki_frame_in_body(w, l->body, &pose);
  double force[3], spin[3], moment[3], gyroscopic[3];
  pki_apply_moment(&f, l->inertia.moment, f.w, spin);
  pki_apply_moment(&f, l->inertia.moment, f.dw, moment);
  pki_cross3(f.w, spin, gyroscopic);
  for (int i = 0; i < 3; i++) {
    force[i] = l->inertia.mass * f.dv[i];
    sum[i] += moment[i] + gyroscopic[i];
  }
  add_force(sum, point, f.p, force, 1);
}

void pki_held_wrench(const pk_workspace *w, const pk_sim_contact *contacts, int ncontact, double dt, int root,
                     const double point[3], double sum[6])
{
  const pk_model *m = w->model;
  memset(sum, 0, 6 * sizeof *sum);
  for (int i = 0; i < m->nlink; i++) {
    if (pki_hangs_on(m, i, root)) {
      add_inertial_force(w, &m->links[i], point, sum);
    }
  }
  for (int i = 0; i < ncontact; i++) {
    const pk_sim_contact *c = &contacts[i];
    const double force[3] = {c->impulse[0] / dt, c->impulse[1] / dt, c->impulse[2] / dt};
    if (pki_hangs_on(m, c->link, root)) {
      add_force(sum, point, c->point, force, -1);
    }
    if (c->other_link >= 0 && pki_hangs_on(m, c->other_link, root)) {
      add_force(sum, point, c->point, force, 1);
    }
  }
}
