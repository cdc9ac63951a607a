/* The Delassus matrix from the factor M = L' D L: rows J on paths of the elimination tree,
 *
 *   Y = inv(L') J',   Z = inv(D) Y,   W_ij = Y_i' Z_j.
 *
 * Y stays on the path (src/contact/rows/assembly.h). Four rows on one path stand side by side, entry by entry: the three of a
 * contact and one that is zero, or one row and zeros. */
#include "dynamics/kernels/body.h"
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"
#include "math/quad.h"

/* What a coordinate gives to the velocity of a point: s for a travel, s x arm for a turn. */
PKI_INLINE pki_v3 point_rate(const pki_work *w, int body, int c, pki_v3 arm)
{
  int linear;
  const pki_v3 s = pki_column(w, body, c, &linear);
  return linear ? s : pki_cross(s, arm);
}

void PKI_NAME(point_rows)(const pki_work *w, int body, const double *point, const double *along,
                          const int *place, double *J)
{
  const pk_model *m = w->model;
  const pki_v3 *const origin = pki_origins(w);
  const pki_v3 at = pki_v3_load(pki_reals(point));
  const pki_quad x = pki_quads_in(along)[0], y = pki_quads_in(along)[1], z = pki_quads_in(along)[2];
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const pki_v3 arm = pki_sub(at, origin[i]);
    pki_quad *const to = pki_quads(J) + place[i];
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      const pki_v3 v = point_rate(w, i, c, arm);
      to[c] = pki_quad_add_scaled(pki_quad_add_scaled(pki_quad_add_scaled(to[c], v.x, x), v.y, y), v.z, z);
    }
  }
}

void PKI_NAME(turn_rows)(const pki_work *w, int body, const double *point, const double *along,
                         const int *place, double *J)
{
  const pk_model *m = w->model;
  const pki_quad x = pki_quads_in(along)[0], y = pki_quads_in(along)[1], z = pki_quads_in(along)[2];
  (void)point;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    pki_quad *const to = pki_quads(J) + place[i];
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      int linear;
      const pki_v3 s = pki_column(w, i, c, &linear);
      if (!linear) {
        to[c] = pki_quad_add_scaled(pki_quad_add_scaled(pki_quad_add_scaled(to[c], s.x, x), s.y, y), s.z, z);
      }
    }
  }
}

void PKI_NAME(whiten)(const pki_work *w, const int *path, int n, double *Y, double *Z)
{
  const pk_model *m = w->model;
  pki_quad *const y = pki_quads(Y), *const z = pki_quads(Z);
  for (int k = n - 1; k >= 0; k--) {
    const int from = m->M_row[path[k]], above = m->M_row[path[k] + 1] - from - 1;
    const pk_r *const L = pki_reals(w->M) + from;
    const pki_quad yk = y[k];
    z[k] = pki_quad_scale(L[above], yk);
    if (above == k) { /* the unknown's columns are the whole path above it */
      for (int e = 0; e < above; e++) {
        y[e] = pki_quad_add_scaled(y[e], -L[e], yk);
      }
      continue;
    }
    for (int e = 0, t = 0; e < above; e++, t++) {
      while (path[t] != m->M_col[from + e]) {
        t++;
      }
      y[t] = pki_quad_add_scaled(y[t], -L[e], yk);
    }
  }
}

void PKI_NAME(gram)(int n, const double *Y, const double *Z, double *block)
{
  const pki_quad *const y = pki_quads_in(Y), *const z = pki_quads_in(Z);
  const pk_r zero = pki_splat(0);
  pki_quad s0 = {{zero, zero, zero, zero}}, s1 = s0, s2 = s0;
  for (int e = 0; e < n; e++) {
    const pki_quad ze = z[e];
    s0 = pki_quad_add_scaled(s0, y[e].v[0], ze);
    s1 = pki_quad_add_scaled(s1, y[e].v[1], ze);
    s2 = pki_quad_add_scaled(s2, y[e].v[2], ze);
  }
  pki_quad *const out = pki_quads(block);
  out[0] = s0, out[1] = s1, out[2] = s2;
}
