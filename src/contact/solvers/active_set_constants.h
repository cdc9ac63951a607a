/* Numbers that the scalar solvers and the step on lanes (step/kernels) share. docs/theory/contact.md says how each was found. */
#ifndef PKI_CONTACT_SOLVERS_ACTIVE_SET_CONSTANTS_H
#define PKI_CONTACT_SOLVERS_ACTIVE_SET_CONSTANTS_H

/* Active-set Newton (active_set.c, step/kernels/newton.h); none of its numbers has a unit.
 *
 * Plain steps from a guess. Those that settle do so within three to five; softened steps take up the others sooner than more plain
 * ones do. */
enum { PKI_ACTIVE_SET_STEPS = 5 };

/* sigma, which makes redundant impulses definite. Where the set has settled and the residual does not fall by 10, it falls by
 * PKI_SIGMA_FALLS, to PKI_SIGMA_LEAST at least. */
#define PKI_SIGMA 1e-7
#define PKI_SIGMA_FALLS 1e-3
#define PKI_SIGMA_LEAST 1e-10

/* Relative residual beyond which impulses of a wrong set have diverged: steps from there seldom come back. Softened ones take less:
 * 13 % of the time of a COMAN that falls limp. */
#define PKI_DIVERGED 100.0

/* Softened steps: sigma_i = PKI_SOFT_PART |F_i|/(|r_Ni| + PKI_SOFT_SMALL mean |r_N|), up to 1. The least sigma is the relative residual
 * of the iterate, between PKI_SIGMA_LEAST and PKI_SOFT_LEAST: near a solution impulses creep by u/sigma in each step, so that a fixed
 * sigma leaves many problems within a factor of ten of a tolerance of 1e-8. */
#define PKI_SOFT_PART 2.0
#define PKI_SOFT_SMALL 0.03
#define PKI_SOFT_LEAST 1e-6

#endif
