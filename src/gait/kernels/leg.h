/* A plain leg: three hinges, about x, y and y of frames that are parallel at zero. From one of its bodies to the next a vector
 * turns about a known axis, which is four products, and all that passes between them stays in registers. */
#ifndef PKI_GAIT_LEG_H
#define PKI_GAIT_LEG_H

#include "gait/kernels/limb.h"

/* ---- hinge k of the leg: x is the axis of the first, y that of the others; k is known where these are inlined ---- */

/* A vector of the parent's axes in those of the body. */
PKI_INLINE pki_v3 pki_to_child(const pki_leg_r *s, int k, pki_v3 v)
{
  const pk_r si = s->sine[k], co = s->cosine[k];
  return k == 0 ? (pki_v3){v.x, co * v.y + si * v.z, co * v.z - si * v.y}
                : (pki_v3){co * v.x - si * v.z, v.y, co * v.z + si * v.x};
}

/* And back. */
PKI_INLINE pki_v3 pki_to_parent(const pki_leg_r *s, int k, pki_v3 v)
{
  const pk_r si = s->sine[k], co = s->cosine[k];
  return k == 0 ? (pki_v3){v.x, co * v.y - si * v.z, co * v.z + si * v.y}
                : (pki_v3){co * v.x + si * v.z, v.y, co * v.z - si * v.x};
}

/* v + s e, e the hinge's axis */
PKI_INLINE pki_v3 pki_add_along(int k, pki_v3 v, pk_r s)
{
  return k == 0 ? (pki_v3){v.x + s, v.y, v.z} : (pki_v3){v.x, v.y + s, v.z};
}

/* c + s e x v */
PKI_INLINE pki_v3 pki_add_turned(int k, pki_v3 c, pk_r s, pki_v3 v)
{
  return k == 0 ? (pki_v3){c.x, c.y - s * v.z, c.z + s * v.y} : (pki_v3){c.x + s * v.z, c.y, c.z - s * v.x};
}

/* ---- what is seen ---- */

/* The foot from its last body up to the trunk, and the columns of its Jacobian. */
PKI_INLINE void pki_leg_reach(const pki_locomotion *c, const pki_leg *leg, pki_leg_r *s)
{
  const pki_v3 zero = pki_v3_zero();
  const pk_r one = pki_splat(1);
  pki_v3 at = pki_v3_splat(leg->at), low = zero, high = zero;
  PKI_UNROLL_ALL
  for (int k = 2; k >= 0; k--) {
    at = pki_to_parent(s, k, at);
    low = k < 2 ? pki_to_parent(s, k, low) : low;
    high = k < 1 ? pki_to_parent(s, k, high) : high;
    const pki_v3 column = pki_add_turned(k, zero, one, at);
    low = k == 2 ? column : low;
    high = k == 1 ? column : high;
    s->column[0] = column;
    at = pki_add(at, pki_v3_splat(c->bodies[leg->row[k]].r));
  }
  s->arm = at;
  s->column[1] = high, s->column[2] = low;
  s->axis[0] = pki_add_along(0, zero, one);
  s->axis[1] = s->axis[2] = pki_to_parent(s, 0, pki_add_along(1, zero, one));
}

/* What the leg adds to the trunk's first moment and to its momentum by joints. */
PKI_INLINE void pki_leg_weigh(const pki_locomotion *c, const pki_leg *leg, const pki_leg_r *s,
                              pki_limb *trunk)
{
  pki_v3 S = pki_v3_splat(c->bodies[leg->row[2]].first_moment), P = pki_v3_zero();
  PKI_UNROLL_ALL
  for (int k = 2; k >= 0; k--) {
    P = pki_to_parent(s, k, pki_add_turned(k, P, s->u[k], S));
    S = pki_to_parent(s, k, S);
    S = k > 0 ? pki_add(S, pki_v3_splat(c->bodies[leg->row[k - 1]].first_moment)) : S;
  }
  trunk->S = pki_add(trunk->S, S);
  trunk->P = pki_add(trunk->P, P);
}

/* ---- inverse dynamics ---- */

/* Newton-Euler: torques of the hinges at accelerations a, and what the leg puts on the trunk. */
PKI_INLINE void pki_leg_invert(const pki_locomotion *c, const pki_leg *leg, const pki_leg_r *s,
                               const pk_r a[3], pki_limb *trunk, pk_r torque[3])
{
  pki_v3 w = trunk->w;
  pki_v6 accel = trunk->accel, force[3];
  PKI_UNROLL_ALL
  for (int k = 0; k < 3; k++) {
    const pki_gait_body *body = &c->bodies[leg->row[k]];
    const pki_v3 r = pki_v3_splat(body->r);
    /* alpha = alpha_p + w_p x u e + a e,  acc = acc_p + alpha_p x r + w_p x (w_p x r),  w = w_p + u e */
    const pki_v3 turned = pki_add_turned(k, accel.a, -s->u[k], w);
    const pki_v3 moved = pki_add_cross(pki_add_cross(accel.l, accel.a, r), w, pki_cross(w, r));
    accel = (pki_v6){pki_add_along(k, pki_to_child(s, k, turned), a[k]), pki_to_child(s, k, moved)};
    w = pki_to_child(s, k, pki_add_along(k, w, s->u[k]));
    force[k] = pki_rigid_force(pki_body_own(body), w, accel);
  }
  PKI_UNROLL_ALL
  for (int k = 2; k >= 0; k--) {
    pki_v6 *const parent = k > 0 ? &force[k - 1] : &trunk->force;
    const pki_v6 f = {pki_to_parent(s, k, force[k].a), pki_to_parent(s, k, force[k].l)};
    torque[k] = k == 0 ? force[k].a.x : force[k].a.y;
    *parent = pki_v6_add(*parent, pki_force_to_foot(f, pki_v3_splat(c->bodies[leg->row[k]].r)));
  }
}

#endif
