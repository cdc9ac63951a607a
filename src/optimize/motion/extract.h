/* From a program that was solved to a solution. */
#ifndef PKI_OPTIMIZE_MOTION_EXTRACT_H
#define PKI_OPTIMIZE_MOTION_EXTRACT_H

#include "optimize/motion/program.h"
#include "optimize/motion/solution.h"

/* Points, impacts, durations and costs of the program's x. */
pk_status pki_motion_extract(const pki_motion_program *program, pki_motion_solution *out, pk_error *err);

#endif
