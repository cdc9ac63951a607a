/* Articulated inertia of one body, world axes, at its origin:
 *
 *   [n]   [A  B] [alpha]
 *   [f] = [B' C] [acc  ]
 *
 * and the elimination of its joint (Featherstone 2008, section 7.3). */
#ifndef PKI_DYNAMICS_ARTIC_H
#define PKI_DYNAMICS_ARTIC_H

#include "dynamics/kernels/body.h"

PKI_INLINE pki_artic *pki_artics(const pki_work *w)
{
  return (pki_artic *)(void *)w->artic + 1;
}

PKI_INLINE pki_axis_factor *pki_axis_factors(const pki_work *w)
{
  return (pki_axis_factor *)(void *)w->factor + 1;
}

PKI_INLINE pki_artic pki_artic_from_rigid(pki_rigid b)
{
  const pk_r o = pki_splat(0);
  return (pki_artic){
      b.I, {{o, -b.h.z, b.h.y}, {b.h.z, o, -b.h.x}, {-b.h.y, b.h.x, o}}, {b.m, o, o, b.m, o, b.m}};
}

/* The body's own inertia and what its children left. */
PKI_INLINE pki_artic pki_artic_add_rigid(pki_artic I, pki_rigid b)
{
  I.A.xx += b.I.xx, I.A.xy += b.I.xy, I.A.xz += b.I.xz, I.A.yy += b.I.yy, I.A.yz += b.I.yz, I.A.zz += b.I.zz;
  I.B.x.y -= b.h.z, I.B.x.z += b.h.y, I.B.y.x += b.h.z, I.B.y.z -= b.h.x, I.B.z.x -= b.h.y, I.B.z.y += b.h.x;
  I.C.xx += b.m, I.C.yy += b.m, I.C.zz += b.m;
  return I;
}

/* IA times an angular or a linear unit acceleration along s. */
PKI_INLINE pki_v6 pki_artic_apply(const pki_artic *I, pki_v3 s, int linear)
{
  return linear ? (pki_v6){pki_m3_apply(I->B, s), pki_s3_apply(I->C, s)}
                : (pki_v6){pki_s3_apply(I->A, s), pki_m3_apply_t(I->B, s)};
}

/* IA - u v' for parallel u and v (the result is symmetric). */
PKI_INLINE pki_artic pki_artic_downdate(pki_artic I, pki_v6 u, pki_v6 v)
{
  I.A.xx -= u.a.x * v.a.x, I.A.xy -= u.a.x * v.a.y, I.A.xz -= u.a.x * v.a.z;
  I.A.yy -= u.a.y * v.a.y, I.A.yz -= u.a.y * v.a.z, I.A.zz -= u.a.z * v.a.z;
  I.B.x = pki_add_scaled(I.B.x, -u.a.x, v.l);
  I.B.y = pki_add_scaled(I.B.y, -u.a.y, v.l);
  I.B.z = pki_add_scaled(I.B.z, -u.a.z, v.l);
  I.C.xx -= u.l.x * v.l.x, I.C.xy -= u.l.x * v.l.y, I.C.xz -= u.l.x * v.l.z;
  I.C.yy -= u.l.y * v.l.y, I.C.yz -= u.l.y * v.l.z, I.C.zz -= u.l.z * v.l.z;
  return I;
}

/* IA seen from the foot of r:
 *   B_new = B + r~ C,   A_new = A + r~ B' + (r~ B_new')' */
PKI_INLINE pki_artic pki_artic_to_foot(pki_artic I, pki_v3 r)
{
  /* columns of C crossed with r, added to B: B_ij + (r x C_j)_i */
  const pki_m3 B = {{I.B.x.x + r.y * I.C.xz - r.z * I.C.xy, I.B.x.y + r.y * I.C.yz - r.z * I.C.yy,
                     I.B.x.z + r.y * I.C.zz - r.z * I.C.yz},
                    {I.B.y.x + r.z * I.C.xx - r.x * I.C.xz, I.B.y.y + r.z * I.C.xy - r.x * I.C.yz,
                     I.B.y.z + r.z * I.C.xz - r.x * I.C.zz},
                    {I.B.z.x + r.x * I.C.xy - r.y * I.C.xx, I.B.z.y + r.x * I.C.yy - r.y * I.C.xy,
                     I.B.z.z + r.x * I.C.yz - r.y * I.C.xz}};
  /* A_ij + (r x row_j of the old B)_i + (r x row_i of the new B)_j */
  const pki_s3 A = {I.A.xx + r.y * I.B.x.z - r.z * I.B.x.y + r.y * B.x.z - r.z * B.x.y,
                    I.A.xy + r.y * I.B.y.z - r.z * I.B.y.y + r.z * B.x.x - r.x * B.x.z,
                    I.A.xz + r.y * I.B.z.z - r.z * I.B.z.y + r.x * B.x.y - r.y * B.x.x,
                    I.A.yy + r.z * I.B.y.x - r.x * I.B.y.z + r.z * B.y.x - r.x * B.y.z,
                    I.A.yz + r.z * I.B.z.x - r.x * I.B.z.z + r.x * B.y.y - r.y * B.y.x,
                    I.A.zz + r.x * I.B.z.y - r.y * I.B.z.x + r.x * B.z.y - r.y * B.z.x};
  return (pki_artic){A, B, I.C};
}

PKI_INLINE pki_artic pki_artic_add(pki_artic I, pki_artic J)
{
  I.A.xx += J.A.xx, I.A.xy += J.A.xy, I.A.xz += J.A.xz, I.A.yy += J.A.yy, I.A.yz += J.A.yz, I.A.zz += J.A.zz;
  I.B.x = pki_add(I.B.x, J.B.x), I.B.y = pki_add(I.B.y, J.B.y), I.B.z = pki_add(I.B.z, J.B.z);
  I.C.xx += J.C.xx, I.C.xy += J.C.xy, I.C.xz += J.C.xz, I.C.yy += J.C.yy, I.C.yz += J.C.yz, I.C.zz += J.C.zz;
  return I;
}

/* ---- joints with several coordinates: S has n columns, each angular or linear ---- */

PKI_INLINE pk_r *pki_multi(const pki_work *w, int i)
{
  return pki_out(w->multi) + (size_t)PKI_MULTI * (size_t)w->body_multi[i];
}

/* Column c of S of a spherical or floating body. */
PKI_INLINE pki_v3 pki_multi_column(int motion, const pki_m3 *RJ, const pki_m3 *R, int c, int *linear)
{
  *linear = motion == PK_MOTION_FLOATING && c < 3;
  return *linear ? pki_m3_col(RJ, c) : pki_m3_col(R, c % 3);
}

/* Packed lower triangle: row r starts at r (r + 1) / 2. D = L diag L', 1/diag kept. */
PKI_INLINE void pki_ldl_factor(pk_r *D, int n)
{
  for (int k = 0; k < n; k++) {
    pk_r *rk = D + k * (k + 1) / 2;
    pk_r d = rk[k];
    for (int j = 0; j < k; j++) {
      const pk_r *rj = D + j * (j + 1) / 2;
      pk_r sum = rk[j];
      for (int e = 0; e < j; e++) {
        sum -= rk[e] * rj[e];
      }
      rk[j] = sum;
    }
    for (int j = 0; j < k; j++) {
      const pk_r l = rk[j] * D[j * (j + 1) / 2 + j];
      d -= l * rk[j];
      rk[j] = l;
    }
    rk[k] = 1.0 / d;
  }
}

PKI_INLINE void pki_ldl_solve(const pk_r *D, int n, pk_r *x)
{
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < k; j++) {
      x[k] -= D[k * (k + 1) / 2 + j] * x[j];
    }
  }
  for (int k = 0; k < n; k++) {
    x[k] *= D[k * (k + 1) / 2 + k];
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      x[k] -= D[j * (j + 1) / 2 + k] * x[j];
    }
  }
}

#endif
