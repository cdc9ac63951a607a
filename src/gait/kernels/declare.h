/* The names of this variant's kernels. */
#ifndef PKI_GAIT_DECLARE_H
#define PKI_GAIT_DECLARE_H

#include "gait/gait_kernels.h"
#include "math/lane.h"

void PKI_NAME(gait_sense)(const pki_gait_group *g, double *scratch);
void PKI_NAME(gait_weigh)(const pki_gait_group *g, const double *scratch);
void PKI_NAME(gait_refer)(const pki_gait_group *g, double *scratch);
void PKI_NAME(gait_act)(const pki_gait_group *g, double *scratch);

extern const pki_gait_kernels PKI_NAME(gait_kernels);

#endif
