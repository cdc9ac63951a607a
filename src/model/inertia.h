/* Inertia of a body in ten numbers: m, m c (3), I about the body's origin (xx xy xz yy yz zz). */
#ifndef PKI_MODEL_INERTIA_H
#define PKI_MODEL_INERTIA_H

#include "pronk/builder.h"

/* Add a mass whose frame has that pose in the body. */
void pki_inertia_add(double body[10], const pk_inertia *inertia, const pk_pose *pose);

/* The same mass by its centre, body axes; a massless one has its centre at the origin. */
pk_inertia pki_inertia_central(const double body[10]);

/* Are these moments about a centre of mass those of a body? Files print few digits: they may break the rules by 1e-3
 * of the largest. lambda: principal moments, ascending. */
typedef enum pki_moments {
  PKI_MOMENTS_SOUND,
  PKI_MOMENTS_NEGATIVE, /* one is negative */
  PKI_MOMENTS_UNEQUAL,  /* one is above the sum of the others */
} pki_moments;

pki_moments pki_check_moments(const double moment[6], double lambda[3]);

/* Moments below this are rounding: a grain of a microgram and a micrometre has more. */
#define PKI_MOMENT_LEAST 1e-24

/* The nearest moments of a body. With I the moments about the centre of mass, S = tr(I)/2 1 - I is the sum of m r r' over
 * the body's points, and any S without a negative eigenvalue is that of some body (Wensing, Kim, Slotine 2018). What
 * comes out is the S nearest to the given one (Frobenius' norm): its negative eigenvalues become zero. So no principal
 * moment becomes smaller, and where only A + B < C, C stays and A and B each grow by half of what is missing. */
void pki_balance_moments(const double moment[6], double out[6]);

#endif
