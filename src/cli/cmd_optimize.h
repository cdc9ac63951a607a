/* What commands about gait files share. */
#ifndef PKI_CLI_CMD_OPTIMIZE_H
#define PKI_CLI_CMD_OPTIMIZE_H

#include "cli/cli.h"
#include "optimize/files/gait_file.h"

/* The gait file that the first word names, with its overrides (--set); NULL after complaints, with the exit status. */
pki_gait_file *pki_load_gait(const pki_args *args, const char *command, int *code);

/* All combinations of --grid, each by a process of its own; the exit status. */
int pki_optimize_grid(const pki_args *args);

#endif
