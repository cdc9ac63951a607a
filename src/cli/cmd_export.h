/* What other commands export. */
#ifndef PKI_CLI_CMD_EXPORT_H
#define PKI_CLI_CMD_EXPORT_H

#include "cli/cli.h"

/* A format by its name, -1 after a complaint. */
int pki_export_format(const pki_args *args, const char *word);

/* All of a recording, into a file or folder beside it. */
pk_status pki_export_beside(const char *recording, int format, pk_error *err);

#endif
