/* Processes that were started together, by mpirun or srun. */
#ifndef PKI_CLI_JOIN_RANKS_H
#define PKI_CLI_JOIN_RANKS_H

#include "sweep/ranks.h"

/* Join the others, when this process was started as one of several; size 1: there are no others. False after a message on stderr. */
bool pki_ranks_begin(const char *command, pki_ranks *out);

/* When all went well; `good` false ends the others too, and this process with status 1. */
void pki_ranks_end(const pki_ranks *comm, bool good);

#endif
