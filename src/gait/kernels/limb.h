/* What lanes know of the robots: numbers that lie in each robot's block, and the bodies of one update.
 *
 * A body's vectors are taken in its own axes at its own origin (Luh, Walker and Paul 1980): inertias and the places of its
 * children are then constants of the model, and from one body to the next a vector turns about one axis, which is four
 * products. What is told of the legs is in the trunk's axes. */
#ifndef PKI_GAIT_LIMB_H
#define PKI_GAIT_LIMB_H

#include "dynamics/kernels/body.h"
#include "gait/kernels.h"

/* ---- numbers of the robots' blocks: they are named by those of the first robot ---- */

PKI_INLINE pk_r pki_pick(const pki_gait_group *g, const double *first)
{
  const ptrdiff_t at = (const char *)first - (const char *)g->walk[0];
  pk_r x = pki_splat(0);
  for (int l = 0; l < PKI_LANES; l++) {
    pki_set_lane(&x, l, *(const double *)(const void *)((const char *)g->walk[l] + at));
  }
  return x;
}

PKI_INLINE pki_v3 pki_pick3(const pki_gait_group *g, const double *first)
{
  return (pki_v3){pki_pick(g, first), pki_pick(g, first + 1), pki_pick(g, first + 2)};
}

PKI_INLINE pk_i pki_pick_flag(const pki_gait_group *g, const bool *first)
{
  const ptrdiff_t at = (const char *)first - (const char *)g->walk[0];
  pk_i mask = pki_bits(pki_splat(0));
  for (int l = 0; l < PKI_LANES; l++) {
    pki_set_mask(&mask, l, *(const bool *)((const char *)g->walk[l] + at));
  }
  return mask;
}

PKI_INLINE void pki_put(const pki_gait_group *g, double *first, pk_r x)
{
  const ptrdiff_t at = (char *)first - (char *)g->walk[0];
  for (int l = 0; l < PKI_LANES; l++) {
    *(double *)(void *)((char *)g->walk[l] + at) = pki_lane(x, l);
  }
}

PKI_INLINE void pki_put3(const pki_gait_group *g, double *first, pki_v3 x)
{
  pki_put(g, first, x.x), pki_put(g, first + 1, x.y), pki_put(g, first + 2, x.z);
}

/* `count` numbers from `at` on of a state, q or u. */
PKI_INLINE void pki_pick_state(const double *const *state, int at, int count, pk_r *out)
{
  for (int e = 0; e < count; e++) {
    out[e] = pki_splat(0);
    for (int l = 0; l < PKI_LANES; l++) {
      pki_set_lane(&out[e], l, state[l][at + e]);
    }
  }
}

/* ---- the bodies ---- */

typedef struct pki_limb {
  pk_r q, u, speed;  /* of a hinge: its coordinate, its velocity, and that by the gain */
  pk_r sine, cosine; /* of a plain hinge's angle */
  pki_m3 E;          /* of other joints: body to parent */
  pki_v3 r;          /* and the origin in the parent */
  pki_v6 rate;       /* and the joint's own velocity, parent's axes */
  pki_v3 w;          /* angular velocity */
  pki_v6 drift;      /* by velocities, against the parent and in its axes: w x rate, w x (w x r + 2 rate) */
  pki_v6 accel;      /* acceleration with du/dt = 0, without gravity; in act the whole one, with gravity */
  pki_v6 force;      /* moment and force of inertia, then of all that hangs on it */
} pki_limb;

/* A foot, in the trunk's axes and from its origin but for `pos`. */
typedef struct pki_tip {
  pki_v3 pos;                /* of its centre in the world */
  pki_v3 arm, bias;          /* its centre, and the acceleration of it with du/dt = 0 */
  pki_v3 column[3], axis[3]; /* how it moves by its leg's hinges, and about which axes */
} pki_tip;

typedef struct pki_scene {
  pki_m3 R;                      /* trunk to world */
  pki_v3 pos, vel, com, com_vel; /* of trunk and mass, world */
  pki_v3 normal;                 /* of the ground plane */
  pki_v6 acc;                    /* wanted of the trunk: angular (its axes), linear (world) */
  pk_r heading, plane[3], velocity[2];
  pki_v3 ground[PKI_LEGS]; /* last points of contact */
  pki_tip feet[PKI_LEGS];
  pki_limb limbs[PKI_GAIT_BODIES]; /* of the robot's bodies, the trunk first */
} pki_scene;

_Static_assert(sizeof(pki_scene) == PKI_GAIT_SCRATCH * sizeof(pk_r), "scratch");

/* Moments of a body about its origin. */
PKI_INLINE pki_s3 pki_body_moments(const pki_gait_body *body)
{
  const double *in = body->moments;
  return (pki_s3){pki_splat(in[0]), pki_splat(in[1]), pki_splat(in[2]),
                  pki_splat(in[3]), pki_splat(in[4]), pki_splat(in[5])};
}

/* Velocity of a foot's centre, world. */
PKI_INLINE pki_v3 pki_tip_velocity(const pki_gait_group *g, const pki_scene *s, int leg)
{
  const pki_tip *foot = &s->feet[leg];
  pki_v3 v = pki_cross(s->limbs[0].w, foot->arm);
  for (int k = 0; k < 3; k++) {
    v = pki_add_scaled(v, s->limbs[g->c->legs[leg].body[k] - g->c->body].u, foot->column[k]);
  }
  return pki_add(s->vel, pki_m3_apply(s->R, v));
}

/* ---- turns from body to body: `turn` is known where these are inlined ---- */

/* A vector of the parent's axes in those of the body. */
PKI_INLINE pki_v3 pki_to_child(const pki_limb *b, pki_turn turn, pki_v3 v)
{
  const pk_r c = b->cosine, s = b->sine;
  switch (turn) {
  case PKI_TURN_X: return (pki_v3){v.x, c * v.y + s * v.z, c * v.z - s * v.y};
  case PKI_TURN_Y: return (pki_v3){c * v.x - s * v.z, v.y, c * v.z + s * v.x};
  case PKI_TURN_Z: return (pki_v3){c * v.x + s * v.y, c * v.y - s * v.x, v.z};
  default: return pki_m3_apply_t(b->E, v);
  }
}

/* And back. */
PKI_INLINE pki_v3 pki_to_parent(const pki_limb *b, pki_turn turn, pki_v3 v)
{
  const pk_r c = b->cosine, s = b->sine;
  switch (turn) {
  case PKI_TURN_X: return (pki_v3){v.x, c * v.y - s * v.z, c * v.z + s * v.y};
  case PKI_TURN_Y: return (pki_v3){c * v.x + s * v.z, v.y, c * v.z - s * v.x};
  case PKI_TURN_Z: return (pki_v3){c * v.x - s * v.y, c * v.y + s * v.x, v.z};
  default: return pki_m3_apply(b->E, v);
  }
}

/* v + s e, e the unit vector along an axis */
PKI_INLINE pki_v3 pki_add_along(int axis, pki_v3 v, pk_r s)
{
  switch (axis) {
  case 0: return (pki_v3){v.x + s, v.y, v.z};
  case 1: return (pki_v3){v.x, v.y + s, v.z};
  default: return (pki_v3){v.x, v.y, v.z + s};
  }
}

/* s e x v */
PKI_INLINE pki_v3 pki_turn_along(int axis, pk_r s, pki_v3 v)
{
  const pk_r zero = pki_splat(0);
  switch (axis) {
  case 0: return (pki_v3){zero, -s * v.z, s * v.y};
  case 1: return (pki_v3){s * v.z, zero, -s * v.x};
  default: return (pki_v3){-s * v.y, s * v.x, zero};
  }
}

/* e . v */
PKI_INLINE pk_r pki_along(int axis, pki_v3 v)
{
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

#endif
