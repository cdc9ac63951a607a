/* solution.pronk: a motion as far as it was found, with all that the solver needs to go on from it.
 *
 * Written whole after each stage of the ladder, or where it was stopped, under a temporary name and then renamed, so that a kill leaves the last one that
 * was finished. It belongs to one problem (its hash) and ends with a checksum; docs/formats/solution.md has the layout. */
#ifndef PKI_OPTIMIZE_FILES_SOLUTION_FILE_H
#define PKI_OPTIMIZE_FILES_SOLUTION_FILE_H

#include <stdint.h>

#include "optimize/motion/solution.h"

pk_status pki_solution_save(const pki_motion_solution *solution, uint64_t hash, const char *path,
                            pk_error *err);

/* The solution of a problem and its hash. PK_ERROR_FILE: it cannot be read. PK_ERROR_SYNTAX: it is damaged, or no such file, or its
 * counts are not those of the problem. PK_ERROR_ARGUMENT: it is of another problem. The solution is to be freed where it is PK_OK. */
pk_status pki_solution_load(const char *path, const pki_motion_problem *problem, uint64_t hash,
                            pki_motion_solution *out, pk_error *err);

#endif
