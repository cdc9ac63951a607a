/* Numbers that the scalar solvers and the step on lanes (step/kernels) share. docs/theory/contact.md says how each was found. */
#ifndef PKI_CONTACT_ACTIVE_SET_CONSTANTS_H
#define PKI_CONTACT_ACTIVE_SET_CONSTANTS_H

/* m/s: the least scale of a residual. A world at rest is judged by this, which g dt reaches in 0.1 ms. */
#define PKI_SPEED_FLOOR 1e-3

/* Active-set Newton (active_set.c, step/kernels/newton.h); none of its numbers has a unit.
 *
 * Steps from a guess: 77 % of the problems of a COMAN that falls limp; 20 steps solve 83 %. */
enum { PKI_ACTIVE_SET_STEPS = 8 };

/* sigma, which makes redundant impulses definite. Where the set has settled and the residual does not fall by 10, it falls by
 * PKI_SIGMA_FALLS, to PKI_SIGMA_LEAST at least. */
#define PKI_SIGMA 1e-5
#define PKI_SIGMA_FALLS 1e-3
#define PKI_SIGMA_LEAST 1e-10

#endif
