/* The names of this variant's kernels of whole-body control. */
#ifndef PKI_CONTROL_WHOLE_DECLARE_H
#define PKI_CONTROL_WHOLE_DECLARE_H

#include "control/whole_body.h"
#include "math/lane.h"

void PKI_NAME(whole_sense)(const pki_whole_body *c, pki_whole_lanes *w);
void PKI_NAME(whole_act)(const pki_whole_body *c, pki_whole_lanes *w, const bool *warm, pki_cone_result *out);

extern const pki_whole_kernels PKI_NAME(whole_kernels);

#endif
