/* What `pronk view` and `pronk render` share. */
#ifndef PKI_CLI_CMD_VIEW_H
#define PKI_CLI_CMD_VIEW_H

#include <stdbool.h>

#include "base/folders.h"
#include "cli/cli.h"
#include "scenario/scenario.h"

/* The viewer's page in a folder; false after saying how it is built. */
bool pki_view_folder(const char *command, char folder[PKI_PATH_MAX]);

/* The recording that a word names: a file that ends in .mcap, or a folder of a run; false: it is none. */
bool pki_view_recording(const char *word, char path[PKI_PATH_MAX]);

/* The scenario that a word names, with the --set of the command; or a world with nothing but the model that it
 * names, *model_only. Scenarios go before models. */
pk_status pki_view_scenario(const pki_args *args, pki_scenario **out, bool *model_only, pk_error *err);

#endif
