/* The names of this variant's kernels. */
#ifndef PKI_CONTROL_CONE_DECLARE_H
#define PKI_CONTROL_CONE_DECLARE_H

#include "control/cone_program.h"
#include "math/lane.h"

void PKI_NAME(cone_solve)(const pki_cone_program *p, const bool *warm, double *x, void *memory,
                          pki_cone_result *out);

extern const pki_cone_kernels PKI_NAME(cone_kernels);

#endif
