/* This variant's row of the table. */
#include "control/kernels/cone_declare.h"

const pki_cone_kernels PKI_NAME(cone_kernels) = {
    .isa = PKI_ISA_NAME,
    .lanes = PKI_LANES,
    .solve = PKI_NAME(cone_solve),
};
