/* Which foot carries how much where torques are limited, on lanes: the problem of share.h with three more bounds for each leg,
 *
 *   |need_k - G_k . f_i| <= most_k,   k = 0 .. 2
 *
 * the torques of its hinges: need_k for the motion that is wanted of it, less what the force at its foot adds.
 *
 * A primal-dual method of interior points (Nesterov and Todd 1997; Vandenberghe 2010, "The CVXOPT linear and quadratic cone
 * program solvers"). All bounds of a leg are s(f) = h + H f in a cone: the friction cone (mu n f, f_T), whose points have
 * |s_1| <= s_0, the top limit - n f >= 0, and two sides of each torque. With multipliers z of these and m of the wrench,
 *
 *   w (f_i - p_i) + A_i' m = H_i' z_i,   m = S (sum A_i f_i - b),   s z = 0
 *
 * Each round is a step of Newton's method towards products s z = aim, a tenth or a hundredth of their mean now:
 *
 *   dz = aim inv(s) - z - inv(W^2) ds
 *
 * with the scaling W for which W z = inv(W) s. Of a number s it is W^2 = s/z and inv(s) = 1/s. Of the friction cone, with J = diag(1, -1, -1, -1),
 *
 *   inv(W^2) = (2 v v' - J)/eta^2,   inv(s) = J s/(s_0^2 - |s_1|^2)
 *
 * Legs are joined by m alone: M_i = w + H_i' inv(W^2) H_i is a matrix of three rows, and what is left has six,
 *
 *   (inv(S) + sum A_i inv(M_i) A_i') dm = sum A_i (f_i + inv(M_i) g_i) - b - inv(S) m,   df_i = inv(M_i) (g_i - A_i' dm)
 *
 * Points stay inside, so that the result keeps every bound whatever happens. Forces are in units of the largest limit, torques
 * in those of most_k. */
#ifndef PKI_GAIT_LIMIT_H
#define PKI_GAIT_LIMIT_H

#include "gait/kernels/share.h"

/* Torques of the legs' hinges by the forces at their feet. */
typedef struct pki_torque_limits {
  pki_v3 G[PKI_LEGS][3]; /* m, world */
  pk_r need[PKI_LEGS][3];
  double most[PKI_LEGS][3]; /* N m; 0 or less: there is none */
} pki_torque_limits;

enum {
  PKI_LIMIT_ROUNDS = 60,
  PKI_LIMIT_SIDES = 7 /* numbers >= 0 of a leg: the top, and two of each torque */
};

/* A leg in units of its problem. */
typedef struct pki_limit_leg {
  pk_i stands;
  pki_v3 prefer, f;
  pki_v3 G[3]; /* of torques */
  pk_i has[3]; /* torques that are limited */
  /* the cone's first number and the rest, which is across the normal; the others */
  pk_r cone, side[PKI_LIMIT_SIDES];
  pki_v3 across;
  pk_r z_cone, z_side[PKI_LIMIT_SIDES];
  pki_v3 z_across;
  /* of one round */
  pk_r v, eta2; /* v and the next: inv(W^2) = (2 v v' - J)/eta2 of the cone */
  pki_v3 v_across;
  pki_s3 inverse; /* inv(M) */
  pki_v3 g;       /* M df = g - A' dm */
} pki_limit_leg;

typedef struct pki_limit {
  const pki_share *s;
  pki_limit_leg legs[PKI_LEGS];
  pki_v6 b, m; /* wrench, multipliers */
  pk_r aim;    /* s z of the next point */
  pk_r per;    /* 1/number of products s z */
} pki_limit;

PKI_INLINE pki_s3 pki_limit_invert(pki_s3 M)
{
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const pki_v3 x = pki_s3_solve(M, (pki_v3){one, zero, zero}), y = pki_s3_solve(M, (pki_v3){zero, one, zero}),
               z = pki_s3_solve(M, (pki_v3){zero, zero, one});
  return (pki_s3){x.x, x.y, x.z, y.y, y.z, z.z};
}

/* S += k a a' */
PKI_INLINE void pki_limit_add(pki_s3 *S, pk_r k, pki_v3 a)
{
  const pki_v3 b = pki_scale(k, a);
  S->xx += b.x * a.x, S->xy += b.x * a.y, S->xz += b.x * a.z;
  S->yy += b.y * a.y, S->yz += b.y * a.z, S->zz += b.z * a.z;
}

/* How the side k of a leg moves with f, without its unit: row . f. */
PKI_INLINE pki_v3 pki_limit_row(const pki_share *s, const pki_limit_leg *leg, int k)
{
  const pk_r minus = pki_splat(-1);
  return k == 0 ? pki_scale(minus, s->normal) : k < 4 ? leg->G[k - 1] : pki_scale(minus, leg->G[k - 4]);
}

/* H f of the cone: mu n f, and f across n. */
PKI_INLINE pk_r pki_limit_lift(const pki_share *s, pki_v3 f, pki_v3 *across)
{
  const pk_r n = pki_dot(s->normal, f);
  *across = pki_add_scaled(f, -n, s->normal);
  return s->friction * n;
}

/* A force well inside all bounds: along the normal, a tenth of the limit or half of what the torques leave. Where the motion alone
 * needs nearly more than a hinge has, its bound is that need and a hundredth of what it has. */
PKI_INLINE void pki_limit_begin(const pki_share *s, const pki_torque_limits *t, int i, pk_r unit,
                                pki_limit_leg *leg)
{
  const pk_r per = 1.0 / unit, limit = s->limit[i] * per, one = pki_splat(1), zero = pki_splat(0);
  pk_r share = 0.1 * limit, need[3], most[3];
  leg->stands = s->stands[i];
  leg->prefer = pki_scale(per, s->prefer[i]);
  for (int k = 0; k < 3; k++) {
    const bool has = t->most[i][k] > 0;
    const double inverse = has ? 1 / t->most[i][k] : 0;
    leg->has[k] = has ? leg->stands : pki_mask_none();
    need[k] = t->need[i][k] * inverse;
    most[k] = pki_max(one, pki_abs(need[k]) + 0.01);
    leg->G[k] = pki_scale(unit * inverse, t->G[i][k]);
    const pk_r room = 0.5 * (most[k] - pki_abs(need[k])), by = pki_abs(pki_dot(leg->G[k], s->normal));
    share = pki_select(pki_less(room, share * by), room / by, share);
  }
  leg->f = pki_scale(share, s->normal);
  leg->cone = s->friction * share, leg->across = pki_v3_zero();
  leg->side[0] = limit - share;
  for (int k = 0; k < 3; k++) {
    const pk_r torque = need[k] - pki_dot(leg->G[k], leg->f);
    leg->side[1 + k] = most[k] - torque, leg->side[4 + k] = most[k] + torque;
  }
  /* multipliers with s z = 1/10 */
  leg->z_cone = 0.1 / leg->cone, leg->z_across = pki_v3_zero();
  for (int k = 0; k < PKI_LIMIT_SIDES; k++) {
    const pk_i counts = k == 0 ? leg->stands : leg->has[(k - 1) % 3];
    leg->z_side[k] = pki_select(counts, 0.1 / leg->side[k], zero);
  }
}

/* The scaling of the cone. With s and z over their sizes |s| = sqrt(s_0^2 - |s_1|^2): v = (J s + z)/(2 c), c^2 = (1 + s . z)/2, eta^2 = |s|/|z|. */
PKI_INLINE void pki_limit_scale(pki_limit_leg *leg)
{
  const pk_r s2 = leg->cone * leg->cone - pki_dot(leg->across, leg->across);
  const pk_r z2 = leg->z_cone * leg->z_cone - pki_dot(leg->z_across, leg->z_across);
  const pk_r s = pki_sqrt(s2), z = pki_sqrt(z2), a = 1.0 / s, b = 1.0 / z;
  const pk_r joint = (leg->cone * leg->z_cone + pki_dot(leg->across, leg->z_across)) * a * b;
  const pk_r half = 0.5 / pki_sqrt(0.5 * (1.0 + joint));
  leg->eta2 = s * b;
  leg->v = half * (a * leg->cone + b * leg->z_cone);
  leg->v_across = pki_add_scaled(pki_scale(-half * a, leg->across), half * b, leg->z_across);
}

/* inv(W^2) of the cone applied to (x, across) */
PKI_INLINE pk_r pki_limit_weigh(const pki_limit_leg *leg, pk_r x, pki_v3 across, pki_v3 *out)
{
  const pk_r per = 1.0 / leg->eta2, twice = 2.0 * (leg->v * x + pki_dot(leg->v_across, across));
  *out = pki_scale(per, pki_add_scaled(across, twice, leg->v_across));
  return per * (twice * leg->v - x);
}

/* M and its inverse, and g = -w (f - p) - A' m + aim H' inv(s). */
PKI_INLINE void pki_limit_prepare(const pki_limit *l, int i, pki_limit_leg *leg)
{
  const pki_share *s = l->s;
  const pki_v3 n = s->normal;
  const pk_r w = s->regular, zero = pki_splat(0), target = l->aim;
  pki_limit_scale(leg);
  const pk_r per = 1.0 / leg->eta2, mu = pki_splat(s->friction);
  /* of the cone: H' (2 v v' - J) H = 2 a a' - mu^2 n n' + (1 - n n'), a = mu v_0 n + v_1 */
  const pki_v3 a = pki_add_scaled(leg->v_across, mu * leg->v, n);
  pki_s3 M = {w + per, zero, zero, w + per, zero, w + per};
  pki_limit_add(&M, 2.0 * per, a);
  pki_limit_add(&M, -per * (1.0 + mu * mu), n);
  const pk_r size = target / (leg->cone * leg->cone - pki_dot(leg->across, leg->across));
  pki_v3 g = pki_add_scaled(pki_scale(-size, leg->across), mu * size * leg->cone, n);
  for (int k = 0; k < PKI_LIMIT_SIDES; k++) {
    const pki_v3 row = pki_limit_row(s, leg, k);
    const pk_r inverse = 1.0 / leg->side[k];
    const pk_i counts = k == 0 ? leg->stands : leg->has[(k - 1) % 3];
    pki_limit_add(&M, leg->z_side[k] * inverse, row);
    g = pki_add_scaled(g, pki_where_set(counts, target * inverse), row);
  }
  g = pki_add_scaled(g, -w, pki_sub(leg->f, leg->prefer));
  g = pki_sub(g, l->m.l);
  g = pki_add_scaled(g, -l->m.a.x, s->C[i][0]);
  g = pki_add_scaled(g, -l->m.a.y, s->C[i][1]);
  g = pki_add_scaled(g, -l->m.a.z, s->C[i][2]);
  const pki_s3 inverse = pki_limit_invert(M);
  const pk_i on = leg->stands;
  leg->inverse =
      (pki_s3){pki_where_set(on, inverse.xx), pki_where_set(on, inverse.xy), pki_where_set(on, inverse.xz),
               pki_where_set(on, inverse.yy), pki_where_set(on, inverse.yz), pki_where_set(on, inverse.zz)};
  leg->g = pki_v3_where(on, g);
}

/* How far s + a ds stays in the friction cone: 1/a, by the first root of |s_1 + a ds_1|^2 = (s_0 + a ds_0)^2. */
PKI_INLINE pk_r pki_limit_cone_rate(pk_r s, pki_v3 across, pk_r ds, pki_v3 d_across)
{
  const pk_r zero = pki_splat(0);
  const pk_r a = ds * ds - pki_dot(d_across, d_across), b = s * ds - pki_dot(across, d_across);
  const pk_r c = s * s - pki_dot(across, across), root2 = b * b - a * c;
  return pki_select(pki_less(root2, zero), zero, pki_max((pki_sqrt(pki_max(root2, zero)) - b) / c, zero));
}

/* The step of a leg by dm, and 1/(how far it may go). */
typedef struct pki_limit_step {
  pki_v3 df, d_across, dz_across;
  pk_r d_cone, dz_cone, d_side[PKI_LIMIT_SIDES], dz_side[PKI_LIMIT_SIDES];
} pki_limit_step;

PKI_INLINE pk_r pki_limit_aim(const pki_limit *l, int i, pki_v6 dm, pki_limit_step *to)
{
  const pki_share *s = l->s;
  const pki_limit_leg *leg = &l->legs[i];
  const pk_r zero = pki_splat(0);
  pki_v3 g = pki_sub(leg->g, dm.l), back;
  g = pki_add_scaled(g, -dm.a.x, s->C[i][0]);
  g = pki_add_scaled(g, -dm.a.y, s->C[i][1]);
  g = pki_add_scaled(g, -dm.a.z, s->C[i][2]);
  to->df = pki_s3_apply(leg->inverse, g);
  to->d_cone = pki_limit_lift(s, to->df, &to->d_across);
  const pk_r size = l->aim / (leg->cone * leg->cone - pki_dot(leg->across, leg->across));
  const pk_r along = pki_limit_weigh(leg, to->d_cone, to->d_across, &back);
  to->dz_cone = size * leg->cone - leg->z_cone - along;
  to->dz_across = pki_sub(pki_scale(-size, leg->across), pki_add(leg->z_across, back));
  pk_r rate = pki_max(pki_limit_cone_rate(leg->cone, leg->across, to->d_cone, to->d_across),
                      pki_limit_cone_rate(leg->z_cone, leg->z_across, to->dz_cone, to->dz_across));
  for (int k = 0; k < PKI_LIMIT_SIDES; k++) {
    const pk_i counts = k == 0 ? leg->stands : leg->has[(k - 1) % 3];
    const pk_r inverse = 1.0 / leg->side[k], z = leg->z_side[k];
    const pk_r d = pki_where_set(counts, pki_dot(pki_limit_row(s, leg, k), to->df));
    const pk_r dz = pki_where_set(counts, (l->aim - z * d) * inverse - z);
    to->d_side[k] = d, to->dz_side[k] = dz;
    rate = pki_max(rate, pki_where_set(counts, pki_max(-d * inverse, -dz / pki_select(counts, z, inverse))));
  }
  return pki_select(leg->stands, rate, zero);
}

/* a + way d in the lanes that are busy; a elsewhere, whatever d is. */
PKI_INLINE pk_r pki_limit_move(pk_i busy, pk_r way, pk_r a, pk_r d)
{
  return a + pki_where_set(busy, way * d);
}

PKI_INLINE pki_v3 pki_limit_move3(pk_i busy, pk_r way, pki_v3 a, pki_v3 d)
{
  return pki_add(a, pki_v3_where(busy, pki_scale(way, d)));
}

/* Whether a point of a cone that has gone `way` is still inside by more than rounding, and a number. */
PKI_INLINE pk_i pki_limit_inside(pk_r way, pk_r a, pki_v3 across, pk_r d, pki_v3 d_across)
{
  const pk_r to = a + way * d;
  const pki_v3 to_across = pki_add_scaled(across, way, d_across);
  return pki_less(pki_dot(to_across, to_across), to * to) & pki_less(pki_splat(0), to);
}

/* The lanes in which a leg may go `way` of its step. */
PKI_INLINE pk_i pki_limit_may_go(const pki_limit_leg *leg, const pki_limit_step *by, pk_r way)
{
  return ~leg->stands | (pki_limit_inside(way, leg->cone, leg->across, by->d_cone, by->d_across) &
                         pki_limit_inside(way, leg->z_cone, leg->z_across, by->dz_cone, by->dz_across));
}

/* The leg goes `way` of its step; returns the sum of its s z then. */
PKI_INLINE pk_r pki_limit_go(const pki_limit_step *by, pk_i busy, pk_r way, pki_limit_leg *leg)
{
  leg->f = pki_limit_move3(busy, way, leg->f, by->df);
  leg->cone = pki_limit_move(busy, way, leg->cone, by->d_cone);
  leg->across = pki_limit_move3(busy, way, leg->across, by->d_across);
  leg->z_cone = pki_limit_move(busy, way, leg->z_cone, by->dz_cone);
  leg->z_across = pki_limit_move3(busy, way, leg->z_across, by->dz_across);
  pk_r sum = leg->cone * leg->z_cone + pki_dot(leg->across, leg->z_across);
  for (int k = 0; k < PKI_LIMIT_SIDES; k++) {
    leg->side[k] = pki_limit_move(busy, way, leg->side[k], by->d_side[k]);
    leg->z_side[k] = pki_limit_move(busy, way, leg->z_side[k], by->dz_side[k]);
    sum += leg->side[k] * leg->z_side[k];
  }
  return pki_where_set(leg->stands, sum);
}

/* One round in the lanes that are busy, of which those drop out that rounding stops; returns the mean of s z. */
PKI_INLINE pk_r pki_limit_round(pki_limit *l, pk_i *busy, pk_r *way)
{
  const pki_share *s = l->s;
  pki_limit_step steps[PKI_LEGS];
  pk_r K[6][6], rate = pki_splat(0), sum = pki_splat(0);
  pki_v3 ahead[PKI_LEGS];
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k <= r; k++) {
      K[r][k] = pki_splat(r == k ? s->give[r] : 0);
    }
  }
  for (int i = 0; i < PKI_LEGS; i++) {
    pki_limit_leg *const leg = &l->legs[i];
    if (s->any[i]) {
      pki_limit_prepare(l, i, leg);
      pki_share_add(K, leg->inverse, s->C[i]);
      ahead[i] = pki_v3_where(leg->stands, pki_add(leg->f, pki_s3_apply(leg->inverse, leg->g)));
    }
  }
  const pki_v6 given = pki_share_wrench(s, ahead), soft = pki_share_give(s, l->m);
  const pki_v6 dm = pki_share_newton(
      K, (pki_v6){pki_sub(pki_add(soft.a, l->b.a), given.a), pki_sub(pki_add(soft.l, l->b.l), given.l)});
  for (int i = 0; i < PKI_LEGS; i++) {
    rate = s->any[i] ? pki_max(rate, pki_limit_aim(l, i, dm, &steps[i])) : rate;
  }
  const pk_r most = pki_splat(1);
  *way = pki_select(pki_less(rate, pki_splat(0.99)), most, 0.99 / rate);
  for (int i = 0; i < PKI_LEGS; i++) {
    *busy &= s->any[i] ? pki_limit_may_go(&l->legs[i], &steps[i], *way) : pki_mask_all();
  }
  l->m = (pki_v6){pki_limit_move3(*busy, *way, l->m.a, dm.a), pki_limit_move3(*busy, *way, l->m.l, dm.l)};
  for (int i = 0; i < PKI_LEGS; i++) {
    sum += s->any[i] ? pki_limit_go(&steps[i], *busy, *way, &l->legs[i]) : pki_splat(0);
  }
  return sum * l->per;
}

/* Forces in the lanes that are busy; returns rounds of the slowest lane. */
static __attribute__((noinline)) int pki_limit_solve(const pki_share *s, const pki_torque_limits *t,
                                                     pk_i busy, pki_v3 *force)
{
  static const double enough = 1e-16;
  const pk_i asked = busy;
  pki_limit l = {.s = s, .m = pki_v6_zero(), .aim = pki_splat(0.01)};
  pk_r unit = pki_splat(0), count = pki_splat(0), way = pki_splat(1);
  int round = 0;
  for (int i = 0; i < PKI_LEGS; i++) {
    unit = s->any[i] ? pki_max(unit, pki_where_set(s->stands[i], s->limit[i])) : unit;
  }
  l.b = (pki_v6){pki_scale(1.0 / unit, s->b.a), pki_scale(1.0 / unit, s->b.l)};
  for (int i = 0; i < PKI_LEGS; i++) {
    if (s->any[i]) {
      pki_limit_begin(s, t, i, unit, &l.legs[i]);
      count += pki_where_set(s->stands[i], pki_splat(2));
      for (int k = 0; k < 3; k++) {
        count += pki_where_set(l.legs[i].has[k], pki_splat(2));
      }
    }
  }
  l.per = 1.0 / count;
  for (; round < PKI_LIMIT_ROUNDS && pki_any(busy); round++) {
    const pk_r mean = pki_limit_round(&l, &busy, &way);
    l.aim = mean * pki_select(pki_less(pki_splat(0.9), way), pki_splat(0.01), pki_splat(0.1));
    busy &= pki_less(pki_splat(enough), mean);
  }
  for (int i = 0; i < PKI_LEGS; i++) {
    if (s->any[i]) {
      force[i] = pki_v3_select(asked & s->stands[i], pki_scale(unit, l.legs[i].f), force[i]);
    }
  }
  return round;
}

#endif
