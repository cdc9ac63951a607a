/* This variant's row of the table. */
#include "gait/kernels/declare.h"

const pki_gait_kernels PKI_NAME(gait_kernels) = {
    .isa = PKI_ISA_NAME,
    .lanes = PKI_LANES,
    .sense = PKI_NAME(gait_sense),
    .weigh = PKI_NAME(gait_weigh),
    .refer = PKI_NAME(gait_refer),
    .act = PKI_NAME(gait_act),
};
