/* The names of this variant's kernels. */
#ifndef PKI_OPTIMIZE_NLP_KERNELS_TAPE_DECLARE_H
#define PKI_OPTIMIZE_NLP_KERNELS_TAPE_DECLARE_H

#include "math/lane.h"
#include "optimize/nlp/tape.h"

extern const pki_tape_kernels PKI_NAME(tape_kernels);

#endif
