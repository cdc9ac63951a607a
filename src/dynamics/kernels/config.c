/* Configurations as a group: moving along a velocity, and the rate of exponential coordinates.
 *
 * A quaternion moves by q exp(theta/2), theta in body axes (Munthe-Kaas 1998): no step adds
 * quaternions. With q = q_0 exp(xi/2), the body's angular velocity w gives
 *   dxi/dt = w + 1/2 xi x w + c(|xi|) xi x (xi x w),
 *   c(a) = (1 - a/2 cot(a/2)) / a^2 = 1/12 + a^2/720 + ... */
#include "dynamics/kernels/body.h"
#include "dynamics/kernels/declare.h"

/* sin(x)/x and cos(x) from x^2. */
static inline void sinc_cos(pk_r x2, pk_r *sinc, pk_r *cosine)
{
  const pk_i small = pki_less(x2, pki_splat(1e-4));
  const pk_r x = pki_sqrt(pki_select(small, pki_splat(1), x2));
  pk_r s, c;
  pki_sincos(x, &s, &c);
  const pk_r series = 1.0 - x2 * (1.0 / 6 - x2 * (1.0 / 120 - x2 * (1.0 / 5040)));
  const pk_r cos_series = 1.0 - x2 * (0.5 - x2 * (1.0 / 24 - x2 * (1.0 / 720 - x2 * (1.0 / 40320))));
  *sinc = pki_select(small, series, s / x);
  *cosine = pki_select(small, cos_series, c);
}

/* out = q exp(t/2), then brought back to unit length to first order (its error is rounding). */
static inline void rotate_quaternion(const pk_r *q, pki_v3 t, pk_r *out)
{
  const pki_v3 half = pki_scale(pki_splat(0.5), t);
  pk_r sinc, c;
  sinc_cos(pki_dot(half, half), &sinc, &c);
  const pki_v3 e = pki_scale(sinc, half), v = {q[1], q[2], q[3]};
  const pk_r w = q[0];
  const pk_r nw = w * c - pki_dot(v, e);
  const pki_v3 nv = pki_add_cross(pki_add_scaled(pki_scale(c, v), w, e), v, e);
  const pk_r norm2 = nw * nw + pki_dot(nv, nv);
  /* one step of Newton towards 1/sqrt for lengths near one, exact otherwise */
  const pk_i near = pki_less(pki_abs(norm2 - 1.0), pki_splat(1e-7));
  const pk_r scale = pki_select(near, 1.5 - 0.5 * norm2, 1.0 / pki_sqrt(norm2));
  out[0] = scale * nw;
  pki_v3_store(pki_scale(scale, nv), out + 1);
}

void PKI_NAME(config_add)(const pk_model *m, const double *q_in, double scale, const double *v_in,
                          double *q_out)
{
  const pk_r *const q = pki_reals(q_in), *const v = pki_reals(v_in);
  pk_r *const out = pki_out(q_out);
  for (int i = 0; i < m->nbody; i++) {
    const pk_r *qi = q + m->body_q[i], *vi = v + m->body_u[i];
    pk_r *oi = out + m->body_q[i];
    if (m->body_motion[i] <= PK_MOTION_PRISMATIC) {
      if (!m->has_mimic) {
        oi[0] = qi[0] + scale * vi[0];
      }
    } else if (m->body_motion[i] == PK_MOTION_SPHERICAL) {
      rotate_quaternion(qi, pki_scale(pki_splat(scale), pki_v3_load(vi)), oi);
    } else {
      pki_v3_store(pki_add_scaled(pki_v3_load(qi), pki_splat(scale), pki_v3_load(vi)), oi);
      rotate_quaternion(qi + 3, pki_scale(pki_splat(scale), pki_v3_load(vi + 3)), oi + 3);
    }
  }
  /* a coordinate that several bodies have moves once */
  for (int k = 0; k < m->nu && m->has_mimic; k++) {
    if (m->dof_q[k] >= 0) {
      out[m->dof_q[k]] = q[m->dof_q[k]] + scale * v[k];
    }
  }
}

/* c(a) from a^2: series below 0.1 rad^2, the closed form above. */
static inline pk_r dexp_coefficient(pk_r a2)
{
  const pk_i small = pki_less(a2, pki_splat(0.01));
  const pk_r series = 1.0 / 12 + a2 * (1.0 / 720 + a2 * (1.0 / 30240 + a2 * (1.0 / 1209600)));
  const pk_r safe = pki_select(small, pki_splat(1), a2);
  const pk_r half = 0.5 * pki_sqrt(safe);
  pk_r s, c;
  pki_sincos(half, &s, &c);
  return pki_select(small, series, (1.0 - half * c / s) / safe);
}

static inline pki_v3 chart_rate(pki_v3 xi, pki_v3 w)
{
  const pki_v3 cross = pki_cross(xi, w);
  const pki_v3 second = pki_cross(xi, cross);
  return pki_add_scaled(pki_add_scaled(w, pki_splat(0.5), cross), dexp_coefficient(pki_dot(xi, xi)), second);
}

void PKI_NAME(config_rate)(const pk_model *m, const double *xi_in, const double *u_in, double *out_)
{
  const pk_r *const xi = pki_reals(xi_in), *const u = pki_reals(u_in);
  pk_r *const out = pki_out(out_);
  if (out != u) {
    memcpy(out, u, (size_t)m->nu * sizeof *out);
  }
  for (int i = 0; i < m->nbody; i++) {
    const int at = m->body_u[i] + (m->body_motion[i] == PK_MOTION_FLOATING ? 3 : 0);
    if (m->body_motion[i] > PK_MOTION_PRISMATIC) {
      pki_v3_store(chart_rate(pki_v3_load(xi + at), pki_v3_load(u + at)), out + at);
    }
  }
}
