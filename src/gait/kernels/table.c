/* This variant's row of the table. */
#include "gait/kernels/declare.h"

#define PKI_TEXT_(x) #x
#define PKI_TEXT(x) PKI_TEXT_(x)

const pki_gait_kernels PKI_NAME(gait_kernels) = {
    .isa = PKI_TEXT(PKI_ISA),
    .lanes = PKI_LANES,
    .sense = PKI_NAME(gait_sense),
    .weigh = PKI_NAME(gait_weigh),
    .refer = PKI_NAME(gait_refer),
    .act = PKI_NAME(gait_act),
};
