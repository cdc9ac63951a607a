/* Numbers of the active-set Newton method, which the scalar solver (active_set.c) and the step on lanes (step/kernels/newton.h)
 * share. docs/theory/contact.md says how each was found; none has a unit. */
#ifndef PKI_CONTACT_ACTIVE_SET_CONSTANTS_H
#define PKI_CONTACT_ACTIVE_SET_CONSTANTS_H

/* Steps from a guess: 77 % of the problems of a COMAN that falls limp; 20 steps solve 83 %. */
enum { PKI_ACTIVE_SET_STEPS = 8 };

/* sigma, which makes redundant impulses definite. Where the set has settled and the residual does not fall by 10, it falls by
 * PKI_SIGMA_FALLS, to PKI_SIGMA_LEAST at least. */
#define PKI_SIGMA 1e-5
#define PKI_SIGMA_FALLS 1e-3
#define PKI_SIGMA_LEAST 1e-10

#endif
