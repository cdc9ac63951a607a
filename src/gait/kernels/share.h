/* Which foot carries how much, on lanes: a small convex problem.
 *
 *   min 1/2 |sum A_i f_i - b|_S^2 + 1/2 w sum |f_i - p_i|^2,   f_i in the friction cone K_i about `normal`, n f_i <= limit_i
 *
 * over the feet that stand, A_i f = (f, C_i f) force and moment. With multipliers w y of e = sum A_i f_i - b, the
 * dual is one equation in six numbers, the slope of a convex function:
 *
 *   F(y) = sum A_i f_i(y) + w inv(S) y - b = 0,   f_i(y) = P_Ki(p_i + A_i' y)
 *   theta(y) = sum (v_i . f_i - 1/2 f_i . f_i) + 1/2 w y . inv(S) y - b . y,   v_i = p_i + A_i' y
 *
 * While all v_i lie in their cones it is linear, with a matrix whose forces are a diagonal block: that is the free
 * minimum, and mostly the answer. Otherwise Newton's method on F, whose slopes sum A_i P' A_i' + w inv(S) are positive
 * definite, with steps that theta accepts (semismooth Newton, Qi and Sun 1993). The result lies in the cones whatever
 * happens. Each lane stops by itself; lanes do not influence each other. */
#ifndef PKI_GAIT_SHARE_H
#define PKI_GAIT_SHARE_H

#include "gait/cone.h"
#include "gait/cpg.h"

typedef struct pki_share {
  pk_i stands[PKI_LEGS];
  /* stands in some lane; what is skipped elsewhere would add zeros to sums that are never -0 */
  bool any[PKI_LEGS];
  pki_v3 C[PKI_LEGS][3]; /* rows: moment of a force at each foot; zero where it does not stand */
  pki_v6 b;              /* wanted moment and force */
  double S[6];           /* weights: force (3), moment (3) */
  double give[6];        /* inv(S) */
  pki_v3 prefer[PKI_LEGS];
  pk_r regular; /* w */
  pki_v3 normal;
  double friction;
  pk_r limit[PKI_LEGS];
} pki_share;

/* One y, and what follows from it. */
typedef struct pki_share_point {
  pki_v6 y, F;
  pk_r theta;
  pki_cone_point at[PKI_LEGS]; /* forces, zero at feet that do not stand */
} pki_share_point;

enum { PKI_SHARE_ROUNDS = 60, PKI_SHARE_CUTS = 20 };

/* sum A_i f_i */
PKI_INLINE pki_v6 pki_share_wrench(const pki_share *s, const pki_v3 *f)
{
  pki_v6 sum = pki_v6_zero();
  for (int i = 0; i < PKI_LEGS; i++) {
    if (!s->any[i]) {
      continue;
    }
    sum.l = pki_add(sum.l, f[i]);
    sum.a.x += pki_dot(s->C[i][0], f[i]);
    sum.a.y += pki_dot(s->C[i][1], f[i]);
    sum.a.z += pki_dot(s->C[i][2], f[i]);
  }
  return sum;
}

/* inv(S) m */
PKI_INLINE pki_v6 pki_share_give(const pki_share *s, pki_v6 m)
{
  const double *give = s->give;
  return (pki_v6){{m.a.x * give[3], m.a.y * give[4], m.a.z * give[5]},
                  {m.l.x * give[0], m.l.y * give[1], m.l.z * give[2]}};
}

/* w inv(S) y */
PKI_INLINE pki_v6 pki_share_soft(const pki_share *s, pki_v6 y)
{
  const pk_r w = s->regular;
  const double *give = s->give;
  return (pki_v6){{w * y.a.x * give[3], w * y.a.y * give[4], w * y.a.z * give[5]},
                  {w * y.l.x * give[0], w * y.l.y * give[1], w * y.l.z * give[2]}};
}

/* v_i = p_i + A_i' y */
PKI_INLINE pki_v3 pki_share_asked(const pki_share *s, int i, pki_v6 y)
{
  pki_v3 v = pki_add(s->prefer[i], y.l);
  v = pki_add_scaled(v, y.a.x, s->C[i][0]);
  v = pki_add_scaled(v, y.a.y, s->C[i][1]);
  return pki_add_scaled(v, y.a.z, s->C[i][2]);
}

PKI_INLINE void pki_share_try(const pki_share *s, pki_v6 y, pki_share_point *out)
{
  pki_v3 f[PKI_LEGS];
  pk_r theta = pki_splat(0);
  for (int i = 0; i < PKI_LEGS; i++) {
    if (!s->any[i]) {
      continue;
    }
    const pki_v3 v = pki_share_asked(s, i, y);
    pki_cone_point *at = &out->at[i];
    *at = pki_cone_nearest(s->normal, s->friction, pki_splat(0), s->limit[i], v);
    at->f = f[i] = pki_v3_where(s->stands[i], at->f);
    theta += pki_dot(v, f[i]) - 0.5 * pki_dot(f[i], f[i]);
  }
  const pki_v6 soft = pki_share_soft(s, y), sum = pki_v6_add(pki_share_wrench(s, f), soft);
  out->y = y;
  out->F = (pki_v6){pki_sub(sum.a, s->b.a), pki_sub(sum.l, s->b.l)};
  out->theta = theta + 0.5 * pki_v6_dot(soft, y) - pki_v6_dot(s->b, y);
}

/* y of the free minimum: forces eliminated first, their block is count 1 + w inv(S). */
PKI_INLINE pki_v6 pki_share_free(const pki_share *s)
{
  const pk_r w = s->regular, zero = pki_splat(0);
  pki_s3 M = {w * s->give[3], zero, zero, w * s->give[4], zero, w * s->give[5]};
  pki_v3 N[3] = {pki_v3_zero(), pki_v3_zero(), pki_v3_zero()}; /* moments by forces */
  pk_r count = zero;
  for (int i = 0; i < PKI_LEGS; i++) {
    const pki_v3 *C = s->C[i];
    if (!s->any[i]) {
      continue;
    }
    count += pki_select(s->stands[i], pki_splat(1), zero);
    for (int r = 0; r < 3; r++) {
      N[r] = pki_add(N[r], C[r]);
    }
    M.xx += pki_dot(C[0], C[0]), M.xy += pki_dot(C[0], C[1]), M.xz += pki_dot(C[0], C[2]);
    M.yy += pki_dot(C[1], C[1]), M.yz += pki_dot(C[1], C[2]), M.zz += pki_dot(C[2], C[2]);
  }
  const pki_v6 given = pki_share_wrench(s, s->prefer);
  const double *give = s->give;
  const pki_v3 d = {1.0 / (count + w * give[0]), 1.0 / (count + w * give[1]), 1.0 / (count + w * give[2])};
  const pki_v3 b = pki_sub(s->b.l, given.l), c = pki_sub(s->b.a, given.a);
  pki_v3 E[3]; /* N inv(D) */
  for (int r = 0; r < 3; r++) {
    E[r] = (pki_v3){N[r].x * d.x, N[r].y * d.y, N[r].z * d.z};
  }
  M.xx -= pki_dot(E[0], N[0]), M.xy -= pki_dot(E[0], N[1]), M.xz -= pki_dot(E[0], N[2]);
  M.yy -= pki_dot(E[1], N[1]), M.yz -= pki_dot(E[1], N[2]), M.zz -= pki_dot(E[2], N[2]);
  const pki_v3 rest = {c.x - pki_dot(E[0], b), c.y - pki_dot(E[1], b), c.z - pki_dot(E[2], b)};
  const pki_v3 m = pki_s3_solve(M, rest);
  return (pki_v6){m,
                  {d.x * b.x - E[0].x * m.x - E[1].x * m.y - E[2].x * m.z,
                   d.y * b.y - E[0].y * m.x - E[1].y * m.y - E[2].y * m.z,
                   d.z * b.z - E[0].z * m.x - E[1].z * m.y - E[2].z * m.z}};
}

/* K += A_i Q A_i', lower triangle, forces first. */
PKI_INLINE void pki_share_add(pk_r K[6][6], pki_s3 Q, const pki_v3 *C)
{
  K[0][0] += Q.xx, K[1][0] += Q.xy, K[2][0] += Q.xz, K[1][1] += Q.yy, K[2][1] += Q.yz, K[2][2] += Q.zz;
  for (int r = 0; r < 3; r++) {
    const pki_v3 row = pki_s3_apply(Q, C[r]);
    K[3 + r][0] += row.x, K[3 + r][1] += row.y, K[3 + r][2] += row.z;
    for (int k = 0; k <= r; k++) {
      K[3 + r][3 + k] += pki_dot(row, C[k]);
    }
  }
}

/* sum A_i P' A_i' + w inv(S), lower triangle, forces first. */
PKI_INLINE void pki_share_slopes(const pki_share *s, const pki_cone_point *at, pk_r K[6][6])
{
  const pki_v3 n = s->normal;
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k <= r; k++) {
      K[r][k] = r == k ? s->regular * s->give[r] : pki_splat(0);
    }
  }
  for (int i = 0; i < PKI_LEGS; i++) {
    if (!s->any[i]) {
      continue;
    }
    const pki_cone_point *p = &at[i];
    const pki_v3 t = p->t, *C = s->C[i];
    const pk_r nt = 2.0 * p->nt;
    const pki_s3 full = {p->rest + p->nn * n.x * n.x + nt * n.x * t.x + p->tt * t.x * t.x,
                         p->nn * n.x * n.y + p->nt * (n.x * t.y + n.y * t.x) + p->tt * t.x * t.y,
                         p->nn * n.x * n.z + p->nt * (n.x * t.z + n.z * t.x) + p->tt * t.x * t.z,
                         p->rest + p->nn * n.y * n.y + nt * n.y * t.y + p->tt * t.y * t.y,
                         p->nn * n.y * n.z + p->nt * (n.y * t.z + n.z * t.y) + p->tt * t.y * t.z,
                         p->rest + p->nn * n.z * n.z + nt * n.z * t.z + p->tt * t.z * t.z};
    const pk_i on = s->stands[i];
    pki_share_add(K,
                  (pki_s3){pki_where_set(on, full.xx), pki_where_set(on, full.xy), pki_where_set(on, full.xz),
                           pki_where_set(on, full.yy), pki_where_set(on, full.yz),
                           pki_where_set(on, full.zz)},
                  C);
  }
}

/* d = -inv(K) F by K = L D L', in place. */
PKI_INLINE pki_v6 pki_share_newton(pk_r K[6][6], pki_v6 F)
{
  pk_r x[6] = {-F.l.x, -F.l.y, -F.l.z, -F.a.x, -F.a.y, -F.a.z}, inverse[6];
  PKI_UNROLL_ALL
  for (int j = 0; j < 6; j++) {
    inverse[j] = 1.0 / K[j][j];
    PKI_UNROLL_ALL
    for (int i = j + 1; i < 6; i++) {
      const pk_r l = K[i][j] * inverse[j];
      PKI_UNROLL_ALL
      for (int k = j + 1; k <= i; k++) {
        K[i][k] -= l * K[k][j];
      }
      x[i] -= l * x[j];
    }
  }
  /* below the diagonal K holds L D */
  PKI_UNROLL_ALL
  for (int j = 5; j >= 0; j--) {
    PKI_UNROLL_ALL
    for (int i = j + 1; i < 6; i++) {
      x[j] -= K[i][j] * x[i];
    }
    x[j] *= inverse[j];
  }
  return (pki_v6){{x[3], x[4], x[5]}, {x[0], x[1], x[2]}};
}

/* |F| in the weights of the problem. */
PKI_INLINE pk_r pki_share_size(const pki_share *s, pki_v6 F)
{
  const double *S = s->S;
  return pki_sqrt(F.l.x * F.l.x * S[0] + F.l.y * F.l.y * S[1] + F.l.z * F.l.z * S[2] + F.a.x * F.a.x * S[3] +
                  F.a.y * F.a.y * S[4] + F.a.z * F.a.z * S[5]);
}

/* Lanes of the mask go from p to `to`. */
PKI_INLINE void pki_share_go(const pki_share *s, pk_i mask, const pki_share_point *to, pki_share_point *p)
{
  p->y = (pki_v6){pki_v3_select(mask, to->y.a, p->y.a), pki_v3_select(mask, to->y.l, p->y.l)};
  p->F = (pki_v6){pki_v3_select(mask, to->F.a, p->F.a), pki_v3_select(mask, to->F.l, p->F.l)};
  p->theta = pki_select(mask, to->theta, p->theta);
  for (int i = 0; i < PKI_LEGS; i++) {
    if (!s->any[i]) {
      continue;
    }
    const pki_cone_point *a = &to->at[i], b = p->at[i];
    p->at[i] = (pki_cone_point){.f = pki_v3_select(mask, a->f, b.f),
                                .t = pki_v3_select(mask, a->t, b.t),
                                .rest = pki_select(mask, a->rest, b.rest),
                                .nn = pki_select(mask, a->nn, b.nn),
                                .nt = pki_select(mask, a->nt, b.nt),
                                .tt = pki_select(mask, a->tt, b.tt)};
  }
}

/* From the free minimum y to the answer in the lanes that are busy; returns rounds of the slowest lane. */
static __attribute__((noinline)) int pki_share_confine(const pki_share *s, pki_v6 y, pk_i busy, pki_v3 *force)
{
  const pk_r enough = 1e-10 * (1.0 + pki_share_size(s, s->b));
  const pk_i asked = busy;
  pki_share_point p;
  int round = 0;
  pki_share_try(s, y, &p);
  for (; round < PKI_SHARE_ROUNDS && pki_any(busy); round++) {
    pk_r K[6][6], t = pki_splat(1);
    pki_share_slopes(s, p.at, K);
    const pki_v6 from = p.y, d = pki_share_newton(K, p.F);
    const pk_r slope = 1e-4 * pki_v6_dot(p.F, d), most = p.theta + 1e-13 * pki_abs(p.theta);
    pk_i left = busy;
    for (int cut = 0; cut <= PKI_SHARE_CUTS && pki_any(left); cut++) {
      pki_share_point to;
      pki_share_try(s, pki_v6_add_scaled(from, t, d), &to);
      const pk_i good = pki_less(to.theta, most + t * slope);
      const pk_i go = cut < PKI_SHARE_CUTS ? left & good : left;
      pki_share_go(s, go, &to, &p);
      left &= ~go;
      t = 0.5 * t;
    }
    busy &= pki_less(enough, pki_share_size(s, p.F));
  }
  for (int i = 0; i < PKI_LEGS; i++) {
    force[i] = s->any[i] ? pki_v3_select(asked, p.at[i].f, force[i]) : force[i];
  }
  return round;
}

/* Whether a force is in the cone |f_T| <= mu f_N, f_N <= limit, which is pki_cone_nearest's of what it leaves alone. */
PKI_INLINE pk_i pki_share_inside(const pki_share *s, int i, pki_v3 f)
{
  const pk_r n = pki_dot(s->normal, f), most = s->friction * n, zero = pki_splat(0);
  const pki_v3 t = pki_add_scaled(f, -n, s->normal);
  return ~(pki_less(n, zero) | pki_less(s->limit[i], n) | pki_less(most * most, pki_dot(t, t)));
}

/* Forces [PKI_LEGS]; 0 comes back when the free minimum was the answer in all lanes, else the rounds. */
PKI_INLINE int pki_share_solve(const pki_share *s, pki_v3 *force)
{
  const pki_v6 y = pki_share_free(s);
  pk_i busy = pki_mask_none();
  for (int i = 0; i < PKI_LEGS; i++) {
    force[i] = pki_v3_zero();
    if (s->any[i]) {
      force[i] = pki_v3_where(s->stands[i], pki_share_asked(s, i, y));
      busy |= ~pki_share_inside(s, i, force[i]) & s->stands[i];
    }
  }
  return pki_any(busy) ? pki_share_confine(s, y, busy, force) : 0;
}

#endif
