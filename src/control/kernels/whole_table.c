/* This variant's row of the table. */
#include "control/kernels/whole_declare.h"

const pki_whole_kernels PKI_NAME(whole_kernels) = {
    .isa = PKI_ISA_NAME,
    .lanes = PKI_LANES,
    .sense = PKI_NAME(whole_sense),
    .act = PKI_NAME(whole_act),
};
