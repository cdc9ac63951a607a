/* What lanes know of the robots: numbers that lie in each robot's block, and the bodies of one update. */
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

/* World axes, at the body's own origin. */
typedef struct pki_limb {
  pki_m3 R;           /* body to world */
  pki_v3 r, origin;   /* from the parent's origin; in the world */
  pki_v6 twist, bias; /* velocity; acceleration with du/dt = 0, without gravity */
  pki_v3 h;           /* m c */
  pki_v3 axis;        /* of a hinge, with the gain of its coordinate */
  pki_v6 accel;       /* acceleration by du/dt and gravity */
  pki_v6 force;       /* moment and force of inertia, then of all that hangs on it */
} pki_limb;

typedef struct pki_tip {
  pki_v3 pos, vel, bias; /* centre of a foot: place, velocity, acceleration with du/dt = 0 */
} pki_tip;

typedef struct pki_scene {
  pki_tip feet[PKI_LEGS];
  pki_limb limbs[PKI_GAIT_BODIES]; /* of the robot's bodies, the trunk first */
} pki_scene;

_Static_assert(sizeof(pki_limb) == PKI_GAIT_LIMB * sizeof(pk_r), "numbers of a body");
_Static_assert(sizeof(pki_scene) == PKI_GAIT_SCRATCH * sizeof(pk_r), "scratch");

/* Moments of a body about its origin, body axes, as the model has them. */
PKI_INLINE pki_s3 pki_model_moments(const pk_model *m, int body)
{
  const double *in = m->body_inertia + 10 * (size_t)body + 4;
  return (pki_s3){pki_splat(in[0]), pki_splat(in[1]), pki_splat(in[2]),
                  pki_splat(in[3]), pki_splat(in[4]), pki_splat(in[5])};
}

/* How a point p of a leg's foot moves by its hinge k. */
PKI_INLINE pki_v3 pki_hinge(const pki_gait_group *g, const pki_scene *s, int leg, int k, pki_v3 p)
{
  const pki_limb *b = &s->limbs[g->c->legs[leg].body[k] - g->model->robots[g->c->robot].body];
  return pki_cross(b->axis, pki_sub(p, b->origin));
}

#endif
