/* This variant's row of the kernel table. */
#include "dynamics/kernels/declare.h"

const pki_kernels PKI_NAME(kernels) = {
    .isa = PKI_ISA_NAME,
    .lanes = PKI_LANES,
    .kinematics = PKI_NAME(kinematics),
    .velocities = PKI_NAME(velocities),
    .rnea = PKI_NAME(rnea),
    .crba = PKI_NAME(crba),
    .inertial = PKI_NAME(inertial),
    .ltl_factor = PKI_NAME(ltl_factor),
    .ltl_solve = PKI_NAME(ltl_solve),
    .ltl_finish = PKI_NAME(ltl_finish),
    .point_rows = PKI_NAME(point_rows),
    .whiten = PKI_NAME(whiten),
    .gram = PKI_NAME(gram),
    .aba = PKI_NAME(aba),
    .acceleration = PKI_NAME(aba),
    .inverse = PKI_NAME(rnea),
    .aba_factor = PKI_NAME(aba_factor),
    .aba_solve = PKI_NAME(aba_solve),
    .jacobian = PKI_NAME(jacobian),
    .jacobian_dot = PKI_NAME(jacobian_dot),
    .sums = PKI_NAME(sums),
    .momentum_matrix = PKI_NAME(momentum_matrix),
    .config_add = PKI_NAME(config_add),
    .config_rate = PKI_NAME(config_rate),
};
