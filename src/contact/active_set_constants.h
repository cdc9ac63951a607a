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
#define PKI_SIGMA 1e-7
#define PKI_SIGMA_FALLS 1e-3
#define PKI_SIGMA_LEAST 1e-10

/* Relative residual beyond which a wrong set has thrown the impulses: steps from there seldom come back. Softened ones take less:
 * 13 % of the time of a COMAN that falls limp. */
#define PKI_THROWN 100.0

/* Softened steps: sigma_i = PKI_SOFT_PART |F_i|/(|r_Ni| + PKI_SOFT_SMALL mean |r_N|), from PKI_SOFT_LEAST to 1. 1 and 4 in
 * the place of 2, 0.01 and 0.3 of 0.1, 1e-7 and 1e-5 of 1e-6 solve as many to 1 %. */
#define PKI_SOFT_PART 2.0
#define PKI_SOFT_SMALL 0.1
#define PKI_SOFT_LEAST 1e-6

#endif
