/* What lanes know of the robots: numbers that lie in each robot's block, and the bodies of one update.
 *
 * A body's vectors are taken in its own axes at its own origin (Luh, Walker and Paul 1980): inertias and the places of its
 * children are then constants of the model, and from one body to the next a vector turns about one axis, which is four
 * products. Results for the legs are in the trunk's axes. */
#ifndef PKI_GAIT_LIMB_H
#define PKI_GAIT_LIMB_H

#include "dynamics/kernels/body.h"
#include "gait/gait_kernels.h"

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

/* ---- the bodies ---- */

/* A body that is of no plain leg; of the trunk only w, accel, force, S and P. */
typedef struct pki_limb {
  pki_m3 E;     /* body to parent */
  pki_v3 r;     /* its origin in the parent */
  pki_v6 rate;  /* its joint's own velocity, parent's axes */
  pki_v3 w;     /* angular velocity */
  pki_v6 drift; /* by velocities, against the parent and in its axes: w x rate, w x (w x r + 2 rate) */
  pki_v6 accel; /* acceleration, with that against gravity */
  pki_v6 force; /* moment and force of inertia, then of all that hangs on it */
  pki_v3 S, P;  /* of it and all that hangs on it: first moment about its origin, momentum by the joints */
} pki_limb;

/* A leg. */
typedef struct pki_leg_r {
  pk_r q[3], u[3];           /* of its hinges */
  pki_v3 pos;                /* of its foot's centre, world */
  pki_v3 arm;                /* the centre from the trunk's origin, trunk's axes */
  pki_v3 column[3], axis[3]; /* how it moves by the hinges, and about which axes, trunk's axes */
  pki_v3 velocity_by_hinges; /* its velocity by the hinges alone, trunk's axes */
  pki_v3 bias;               /* its acceleration with du/dt = 0, trunk's axes */
  pk_r sine[3], cosine[3];   /* of the hinges of a plain leg */
} pki_leg_r;

typedef struct pki_gait_scene {
  pki_m3 R;                      /* trunk to world */
  pki_v3 pos, vel, com, com_vel; /* of trunk and mass, world */
  pki_v3 normal;                 /* of the ground plane */
  pki_v6 acc;                    /* wanted of the trunk: angular (its axes), linear (world) */
  pk_r heading, sine, cosine;    /* of the trunk's x seen from above */
  pk_r plane[3], velocity[2];
  pki_v3 ground[PKI_LEGS];                                /* last points of contact */
  pk_i stands[PKI_LEGS], swings[PKI_LEGS];                /* modes of the feet */
  pk_r phase[PKI_LEGS], since[PKI_LEGS], limit[PKI_LEGS]; /* 0 to 1 of the swing; s, of the mode; N */
  pki_leg_r legs[PKI_LEGS];
  pki_limb limbs[PKI_GAIT_BODIES]; /* of the robot's bodies, the trunk first */
} pki_gait_scene;

_Static_assert(sizeof(pki_gait_scene) == PKI_GAIT_SCRATCH * sizeof(pk_r), "scratch");

/* Mass, first moment and moments of a body about its origin. */
PKI_INLINE pki_rigid pki_body_own(const pki_gait_body *body)
{
  const double *in = body->moments;
  return (pki_rigid){pki_splat(body->mass),
                     pki_v3_splat(body->h),
                     {pki_splat(in[0]), pki_splat(in[1]), pki_splat(in[2]), pki_splat(in[3]),
                      pki_splat(in[4]), pki_splat(in[5])}};
}

#endif
