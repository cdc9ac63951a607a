/* What a solution leaves for the next program: every variable with the multipliers of its bounds and every row with its multiplier, by what
 * they are and where in their phase, so that a program with another grid, other limits or more freedom starts from them.
 *
 * Multipliers of rows at a point grow with the part of Simpson's rule that the point has, so they are kept divided by it. */
#ifndef PKI_OPTIMIZE_MOTION_PROFILE_H
#define PKI_OPTIMIZE_MOTION_PROFILE_H

#include "optimize/motion/program.h"

typedef struct pki_profile pki_profile;

/* From a program that has been solved; NULL: out of memory. */
pki_profile *pki_profile_create(const pki_motion_program *program);
void pki_profile_destroy(pki_profile *profile);

/* Into a program: what the profile knows. Variables that it does not know keep their value and get no multipliers. */
void pki_profile_apply(const pki_profile *profile, pki_motion_program *program);

/* As bytes, and from them; NULL: out of memory, or these are none. The grid goes with them. */
void *pki_profile_pack(const pki_profile *profile, const pki_motion_grid *grid, int nphase, size_t *size);
pki_profile *pki_profile_unpack(const void *bytes, size_t size, pki_motion_grid *grid);

#endif
