/* Vectors, rotations and inertias in three dimensions over the lane type.
 *
 * Products are written out so that each sum is one expression: contraction into fused
 * multiply-adds happens inside an expression and nowhere else. */
#ifndef PKI_MATH_LANE3_H
#define PKI_MATH_LANE3_H

#include "math/lane.h"

typedef struct pki_v3 {
  pk_r x, y, z;
} pki_v3;

/* Row-major 3x3: rows x, y, z. */
typedef struct pki_m3 {
  pki_v3 x, y, z;
} pki_m3;

/* Symmetric 3x3. */
typedef struct pki_s3 {
  pk_r xx, xy, xz, yy, yz, zz;
} pki_s3;

/* Spatial vector: angular part, then linear; motion (w, v) or force (n, f). */
typedef struct pki_v6 {
  pki_v3 a, l;
} pki_v6;

/* ---- vectors ---- */

PKI_INLINE pki_v3 pki_v3_zero(void)
{
  const pk_r zero = pki_splat(0);
  return (pki_v3){zero, zero, zero};
}

PKI_INLINE pki_v3 pki_v3_load(const pk_r *p)
{
  return (pki_v3){p[0], p[1], p[2]};
}

/* The same plain vector in every lane. */
PKI_INLINE pki_v3 pki_v3_splat(const double *p)
{
  return (pki_v3){pki_splat(p[0]), pki_splat(p[1]), pki_splat(p[2])};
}

PKI_INLINE void pki_v3_store(pki_v3 a, pk_r *p)
{
  p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

PKI_INLINE pki_v3 pki_add(pki_v3 a, pki_v3 b)
{
  return (pki_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

PKI_INLINE pki_v3 pki_sub(pki_v3 a, pki_v3 b)
{
  return (pki_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

PKI_INLINE pki_v3 pki_scale(pk_r s, pki_v3 a)
{
  return (pki_v3){s * a.x, s * a.y, s * a.z};
}

/* c + s a */
PKI_INLINE pki_v3 pki_add_scaled(pki_v3 c, pk_r s, pki_v3 a)
{
  return (pki_v3){c.x + s * a.x, c.y + s * a.y, c.z + s * a.z};
}

PKI_INLINE pk_r pki_dot(pki_v3 a, pki_v3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* c + a . b */
PKI_INLINE pk_r pki_add_dot(pk_r c, pki_v3 a, pki_v3 b)
{
  return c + a.x * b.x + a.y * b.y + a.z * b.z;
}

PKI_INLINE pki_v3 pki_cross(pki_v3 a, pki_v3 b)
{
  return (pki_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* c + a x b */
PKI_INLINE pki_v3 pki_add_cross(pki_v3 c, pki_v3 a, pki_v3 b)
{
  return (pki_v3){c.x + a.y * b.z - a.z * b.y, c.y + a.z * b.x - a.x * b.z, c.z + a.x * b.y - a.y * b.x};
}

/* a where the mask is set, b elsewhere */
PKI_INLINE pki_v3 pki_v3_select(pk_i mask, pki_v3 a, pki_v3 b)
{
  return (pki_v3){pki_select(mask, a.x, b.x), pki_select(mask, a.y, b.y), pki_select(mask, a.z, b.z)};
}

/* a where the mask is set, 0 elsewhere */
PKI_INLINE pki_v3 pki_v3_where(pk_i mask, pki_v3 a)
{
  return pki_v3_select(mask, a, pki_v3_zero());
}

/* ---- matrices ---- */

PKI_INLINE pki_m3 pki_m3_identity(void)
{
  const pk_r o = pki_splat(0), i = pki_splat(1);
  return (pki_m3){{i, o, o}, {o, i, o}, {o, o, i}};
}

/* A b with a plain b, the same in every lane */
PKI_INLINE pki_v3 pki_m3_apply_plain(pki_m3 A, const double *b)
{
  return (pki_v3){A.x.x * b[0] + A.x.y * b[1] + A.x.z * b[2], A.y.x * b[0] + A.y.y * b[1] + A.y.z * b[2],
                  A.z.x * b[0] + A.z.y * b[1] + A.z.z * b[2]};
}

/* A b */
PKI_INLINE pki_v3 pki_m3_apply(pki_m3 A, pki_v3 b)
{
  return (pki_v3){pki_dot(A.x, b), pki_dot(A.y, b), pki_dot(A.z, b)};
}

/* A' b */
PKI_INLINE pki_v3 pki_m3_apply_t(pki_m3 A, pki_v3 b)
{
  return (pki_v3){A.x.x * b.x + A.y.x * b.y + A.z.x * b.z, A.x.y * b.x + A.y.y * b.y + A.z.y * b.z,
                  A.x.z * b.x + A.y.z * b.y + A.z.z * b.z};
}

PKI_INLINE pki_v3 pki_m3_col(const pki_m3 *A, int k)
{
  return k == 0   ? (pki_v3){A->x.x, A->y.x, A->z.x}
         : k == 1 ? (pki_v3){A->x.y, A->y.y, A->z.y}
                  : (pki_v3){A->x.z, A->y.z, A->z.z};
}

PKI_INLINE pki_m3 pki_m3_from_cols(pki_v3 a, pki_v3 b, pki_v3 c)
{
  return (pki_m3){{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
}

/* A B with a plain row-major B */
PKI_INLINE pki_m3 pki_m3_mul_plain(pki_m3 A, const double *B)
{
  const double c0[3] = {B[0], B[3], B[6]}, c1[3] = {B[1], B[4], B[7]}, c2[3] = {B[2], B[5], B[8]};
  return pki_m3_from_cols(pki_m3_apply_plain(A, c0), pki_m3_apply_plain(A, c1), pki_m3_apply_plain(A, c2));
}

PKI_INLINE pki_m3 pki_m3_mul(pki_m3 A, pki_m3 B)
{
  return pki_m3_from_cols(pki_m3_apply(A, pki_m3_col(&B, 0)), pki_m3_apply(A, pki_m3_col(&B, 1)),
                          pki_m3_apply(A, pki_m3_col(&B, 2)));
}

/* Rotation of a unit quaternion (w, x, y, z); its length is divided out. */
PKI_INLINE pki_m3 pki_m3_from_quat(const pk_r *q)
{
  const pk_r w = q[0], x = q[1], y = q[2], z = q[3];
  const pk_r s = 2.0 / (w * w + x * x + y * y + z * z);
  return (pki_m3){{1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                  {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
                  {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)}};
}

/* ---- symmetric matrices ---- */

PKI_INLINE pki_v3 pki_s3_apply(pki_s3 S, pki_v3 b)
{
  return (pki_v3){S.xx * b.x + S.xy * b.y + S.xz * b.z, S.xy * b.x + S.yy * b.y + S.yz * b.z,
                  S.xz * b.x + S.yz * b.y + S.zz * b.z};
}

/* R S R' */
PKI_INLINE pki_s3 pki_s3_rotate(pki_m3 R, pki_s3 S)
{
  const pki_v3 tx = pki_s3_apply(S, R.x), ty = pki_s3_apply(S, R.y), tz = pki_s3_apply(S, R.z);
  return (pki_s3){pki_dot(tx, R.x), pki_dot(tx, R.y), pki_dot(tx, R.z),
                  pki_dot(ty, R.y), pki_dot(ty, R.z), pki_dot(tz, R.z)};
}

/* x with S x = b for a positive definite S, by S = L D L'. */
PKI_INLINE pki_v3 pki_s3_solve(pki_s3 S, pki_v3 b)
{
  const pk_r dx = 1.0 / S.xx, yx = S.xy * dx, zx = S.xz * dx;
  const pk_r yz = S.yz - zx * S.xy, dy = 1.0 / (S.yy - yx * S.xy), zy = yz * dy;
  const pk_r dz = 1.0 / (S.zz - zx * S.xz - zy * yz);
  const pk_r y = b.y - yx * b.x, z = (b.z - zx * b.x - zy * y) * dz;
  const pk_r back = y * dy - zy * z;
  return (pki_v3){b.x * dx - yx * back - zx * z, back, z};
}

/* ---- spatial vectors ---- */

PKI_INLINE pki_v6 pki_v6_zero(void)
{
  return (pki_v6){pki_v3_zero(), pki_v3_zero()};
}

PKI_INLINE pki_v6 pki_v6_add(pki_v6 a, pki_v6 b)
{
  return (pki_v6){pki_add(a.a, b.a), pki_add(a.l, b.l)};
}

PKI_INLINE pk_r pki_v6_dot(pki_v6 a, pki_v6 b)
{
  return a.a.x * b.a.x + a.a.y * b.a.y + a.a.z * b.a.z + a.l.x * b.l.x + a.l.y * b.l.y + a.l.z * b.l.z;
}

/* c + s a */
PKI_INLINE pki_v6 pki_v6_add_scaled(pki_v6 c, pk_r s, pki_v6 a)
{
  return (pki_v6){pki_add_scaled(c.a, s, a.a), pki_add_scaled(c.l, s, a.l)};
}

/* A force at the tip of r, seen from its foot: (n + r x f, f). */
PKI_INLINE pki_v6 pki_force_to_foot(pki_v6 f, pki_v3 r)
{
  return (pki_v6){pki_add_cross(f.a, r, f.l), f.l};
}

/* A motion at the foot of r, seen from its tip: (w, v + w x r). */
PKI_INLINE pki_v6 pki_motion_to_tip(pki_v6 m, pki_v3 r)
{
  return (pki_v6){m.a, pki_add_cross(m.l, m.a, r)};
}

#endif
