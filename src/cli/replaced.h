/* Results that are written over earlier ones. */
#ifndef PKI_CLI_REPLACED_H
#define PKI_CLI_REPLACED_H

#include "cli/cli.h"

/* Tell on stderr that `folder` holds earlier results, known by `file`, which are replaced now, and which exports of the earlier run stay
 * there: those that --export does not make anew. Nothing is said where there are none. */
void pki_tell_replaced(const pki_args *args, const char *folder, const char *file);

#endif
