/* Where trunk, mass and feet are, and how they move. */
#include "control/kernels/whole_declare.h"
#include "dynamics/kernels/body.h"

/* The mass, its velocity and the angular momentum about it: the first six rows of M u are the momentum along the free root's
 * coordinates, force in world axes and moment about its origin in its own axes. */
static void sense_momentum(const pki_whole_body *c, pki_whole_lanes *w)
{
  const pk_model *m = w->work.model;
  const pk_r *const M = pki_reals(w->work.M), *const u = pki_reals(w->u) + c->u;
  const int first = m->plan_u[c->u];
  pk_r p[6];
  for (int j = 0; j < 6; j++) {
    p[j] = pki_splat(0);
  }
  for (int k = 0; k < c->nu; k++) {
    for (int e = m->M_row[first + k]; e < m->M_row[first + k + 1]; e++) {
      const int j = m->M_col[e] - first;
      if (j >= 6) {
        break;
      }
      p[j] += M[e] * u[k];
      if (k < 6 && j != k) {
        p[k] += M[e] * u[j];
      }
    }
  }
  const pki_rigid *all = &pki_rigids(&w->work)[c->root];
  const pki_v3 arm = pki_scale(1.0 / all->m, all->h), linear = {p[0], p[1], p[2]};
  const pki_m3 R = pki_poses(&w->work)[c->root].R;
  const pki_v3 about = pki_m3_apply(R, (pki_v3){p[3], p[4], p[5]});
  pki_v3_store(pki_add(pki_origins(&w->work)[c->root], arm), pki_out(w->mass_at));
  pki_v3_store(pki_scale(1.0 / all->m, linear), pki_out(w->mass_rate));
  pki_v3_store(pki_sub(about, pki_cross(arm, linear)), pki_out(w->spin));
  /* I about the mass: I - m (arm.arm 1 - arm arm') */
  const pk_r square = pki_dot(arm, arm), mass = all->m;
  pk_r *const I = pki_out(w->inertia);
  I[0] = all->I.xx - mass * (square - arm.x * arm.x), I[1] = all->I.xy + mass * arm.x * arm.y;
  I[2] = all->I.xz + mass * arm.x * arm.z, I[3] = all->I.yy - mass * (square - arm.y * arm.y);
  I[4] = all->I.yz + mass * arm.y * arm.z, I[5] = all->I.zz - mass * (square - arm.z * arm.z);
}

static void store_turn(pki_m3 R, pk_r *to)
{
  pki_v3_store(R.x, to), pki_v3_store(R.y, to + 3), pki_v3_store(R.z, to + 6);
}

/* The middle of a foot, or where its ball touches the ground, as a point of its body. */
static void sense_foot(const pki_whole_body *c, pki_whole_lanes *w, int f)
{
  const pki_whole_foot *foot = &c->feet[f];
  const pki_pose_r *pose = &pki_poses(&w->work)[foot->body];
  const pki_v6 twist = pki_v6s(w->work.twist)[foot->body], accel = pki_v6s(w->work.accel)[foot->body];
  pki_v3 arm = pki_m3_apply_plain(pose->R, foot->middle);
  arm = pki_add_scaled(arm, pki_splat(-foot->radius), pki_v3_load(pki_reals(w->normal) + 3 * f));
  const pki_v3 rate = pki_add_cross(twist.l, twist.a, arm);
  const pki_v3 turned = pki_cross(twist.a, arm);
  /* accelerations of bodies have minus gravity in them */
  const pki_v3 bias = pki_add(pki_add_cross(pki_add_cross(accel.l, accel.a, arm), twist.a, turned),
                              pki_v3_splat(w->work.model->gravity));
  pki_v3_store(pki_add(pki_origins(&w->work)[foot->body], arm), pki_out(w->foot_at) + 3 * f);
  store_turn(pose->R, pki_out(w->foot_turn) + 9 * f);
  pki_v3_store(twist.a, pki_out(w->foot_rate) + 6 * f), pki_v3_store(rate, pki_out(w->foot_rate) + 6 * f + 3);
  pki_v3_store(accel.a, pki_out(w->foot_bias) + 6 * f), pki_v3_store(bias, pki_out(w->foot_bias) + 6 * f + 3);
}

void PKI_NAME(whole_sense)(const pki_whole_body *c, pki_whole_lanes *w)
{
  if (c->is_free) {
    sense_momentum(c, w);
    store_turn(pki_poses(&w->work)[c->root].R, pki_out(w->trunk_turn));
    pki_v3_store(pki_origins(&w->work)[c->root], pki_out(w->trunk_at));
  }
  for (int f = 0; f < c->nfoot; f++) {
    sense_foot(c, w, f);
  }
}
