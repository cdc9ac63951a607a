/* Jacobians of points, by the chain of ancestors, and their derivatives in time. */
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"

/* Write column k of a 6 x nu matrix. */
static inline void add_column(pk_r *J, int nu, int k, pki_v6 c)
{
  const size_t n = (size_t)nu, at = (size_t)k;
  J[at] += c.a.x, J[n + at] += c.a.y, J[2 * n + at] += c.a.z;
  J[3 * n + at] += c.l.x, J[4 * n + at] += c.l.y, J[5 * n + at] += c.l.z;
}

static inline void clear_jacobian(pk_r *J, int nu)
{
  for (int e = 0; e < 6 * nu; e++) {
    J[e] = pki_splat(0);
  }
}

static inline pki_v3 point_in_world(const pki_work *w, int body, const pk_r *point)
{
  const pki_v3 p = pki_v3_load(point);
  return body < 0 ? p : pki_add(pki_origins(w)[body], pki_m3_apply(pki_poses(w)[body].R, p));
}

void PKI_NAME(jacobian)(const pki_work *w, int body, const double *point, double *J)
{
  const pk_model *m = w->model;
  const pki_v3 *const origin = pki_origins(w);
  const pki_v3 p = point_in_world(w, body, pki_reals(point));
  clear_jacobian(pki_out(J), m->nu);
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      int linear;
      const pki_v3 s = pki_column(w, i, c, &linear);
      const pki_v6 col =
          linear ? (pki_v6){pki_v3_zero(), s} : (pki_v6){s, pki_cross(s, pki_sub(p, origin[i]))};
      add_column(pki_out(J), m->nu, m->body_u[i] + c, col);
    }
  }
}

/* A joint direction s turns with the frame it is fixed in: ds/dt = w x s, w of the body, but
 * of the parent for the travels of a floating joint. The lever p - o_i changes by v_p - v_i. */
void PKI_NAME(jacobian_dot)(const pki_work *w, int body, const double *point, double *Jdot)
{
  const pk_model *m = w->model;
  const pki_v3 *const origin = pki_origins(w);
  const pki_v6 *const twist = pki_v6s(w->twist);
  const pki_v3 p = point_in_world(w, body, pki_reals(point));
  clear_jacobian(pki_out(Jdot), m->nu);
  if (body < 0) {
    return;
  }
  const pki_v3 vp = pki_add_cross(twist[body].l, twist[body].a, pki_sub(p, origin[body]));
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      int linear;
      const pki_v3 s = pki_column(w, i, c, &linear);
      const pki_v3 sdot = pki_cross(twist[linear ? m->body_parent[i] : i].a, s);
      const pki_v3 arm = pki_cross(sdot, pki_sub(p, origin[i]));
      const pki_v6 col = linear ? (pki_v6){pki_v3_zero(), sdot}
                                : (pki_v6){sdot, pki_add_cross(arm, s, pki_sub(vp, twist[i].l))};
      add_column(pki_out(Jdot), m->nu, m->body_u[i] + c, col);
    }
  }
}
