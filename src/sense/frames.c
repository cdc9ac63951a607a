#include "sense/frames.h"

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
