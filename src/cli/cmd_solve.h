/* The second half of pronk solve: complementarity problems beside contact problems. */
#ifndef PKI_CLI_CMD_SOLVE_H
#define PKI_CLI_CMD_SOLVE_H

#include "cli/cli.h"
#include "pronk/lcp.h"
#include "report/table.h"

/* One file, after an empty line with `gap`; the exit status. */
int pki_solve_lcp(const pki_args *args, const char *path, const pk_lcp_options *options, bool gap);

/* A table of solvers, which is freed; false when there was no memory for it. */
bool pki_solve_print(pki_table *table);

#endif
