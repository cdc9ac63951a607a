/* Mass, momentum and energy of many bodies. */
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"

void PKI_NAME(sums)(const pki_work *w, int first, int count, double *out)
{
  const pki_pose_r *const pose = pki_poses(w);
  const pki_v3 *const origin = pki_origins(w);
  const pki_v6 *const twist = pki_v6s(w->twist);
  const pki_v3 g = pki_v3_load(pki_reals(w->params.gravity));
  /* moments are taken about the first body's origin, which keeps them small far from the world's */
  const pki_v3 base = count > 0 ? origin[first] : pki_v3_zero();
  pk_r mass = pki_splat(0), kinetic = mass, potential = mass;
  pki_v3 mc = pki_v3_zero(), P = mc, L = mc;
  for (int i = first; i < first + count; i++) {
    const pki_rigid b = pki_body_rigid(w, i, &pose[i].R);
    const pki_v3 wi = twist[i].a, vi = twist[i].l, arm = pki_sub(origin[i], base);
    /* p = m v + w x h,   l = I w + h x v about the body's origin */
    const pki_v3 p = pki_add_cross(pki_scale(b.m, vi), wi, b.h);
    const pki_v3 l = pki_add_cross(pki_s3_apply(b.I, wi), b.h, vi);
    mass += b.m;
    mc = pki_add(mc, pki_add_scaled(b.h, b.m, arm));
    P = pki_add(P, p);
    L = pki_add(L, pki_add_cross(l, arm, p));
    kinetic += 0.5 * (pki_dot(l, wi) + pki_dot(p, vi));
    potential -= pki_dot(g, pki_add_scaled(b.h, b.m, origin[i]));
  }
  const pk_r safe = pki_select(pki_less(pki_splat(0), mass), mass, pki_splat(1));
  const pki_v3 c = pki_scale(1.0 / safe, mc);
  const pki_v3 about_com = pki_sub(L, pki_cross(c, P));
  pk_r *const o = pki_out(out);
  o[0] = mass;
  pki_v3_store(pki_add_scaled(mc, mass, base), o + 1);
  pki_v3_store(P, o + 4);
  pki_v3_store(about_com, o + 7);
  o[10] = kinetic;
  o[11] = potential;
}

/* Column k: the momentum of what coordinate k moves at unit speed, moved to the centre of mass. */
void PKI_NAME(momentum_matrix)(pki_work *w, double *A)
{
  const pk_model *m = w->model;
  const size_t nu = (size_t)m->nu;
  const pki_v3 *const origin = pki_origins(w);
  pk_r *const out = pki_out(A);
  pki_compose(w);
  for (size_t e = 0; e < 6 * nu; e++) {
    out[e] = pki_splat(0);
  }
  const pki_v3 base = m->nbody > 0 ? origin[0] : pki_v3_zero();
  pk_r mass = pki_splat(0);
  pki_v3 mc = pki_v3_zero();
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_parent[i] < 0) {
      const pki_rigid *b = &pki_rigids(w)[i];
      mass += b->m;
      mc = pki_add(mc, pki_add_scaled(b->h, b->m, pki_sub(origin[i], base)));
    }
  }
  const pk_r safe = pki_select(pki_less(pki_splat(0), mass), mass, pki_splat(1));
  const pki_v3 com = pki_scale(1.0 / safe, mc);
  for (int i = 0; i < m->nbody; i++) {
    const pki_v3 arm = pki_sub(pki_sub(origin[i], base), com);
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      int linear;
      const pki_v3 s = pki_column(w, i, c, &linear);
      const pki_v6 f = pki_force_to_foot(pki_rigid_apply(&pki_rigids(w)[i], s, linear), arm);
      const size_t k = (size_t)(m->body_u[i] + c);
      out[k] += f.a.x, out[nu + k] += f.a.y, out[2 * nu + k] += f.a.z;
      out[3 * nu + k] += f.l.x, out[4 * nu + k] += f.l.y, out[5 * nu + k] += f.l.z;
    }
  }
}
