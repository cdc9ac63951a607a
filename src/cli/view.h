/* What `pronk view` and `pronk render` share. */
#ifndef PKI_CLI_VIEW_H
#define PKI_CLI_VIEW_H

#include <stdbool.h>

#include "base/folders.h"
#include "cli/cli.h"

/* The viewer's page in a folder; false after saying how it is built. */
bool pki_view_folder(const char *command, char folder[PKI_PATH_MAX]);

/* The recording that a word names: a file that ends in .mcap, or a folder of a run; false: it is none. */
bool pki_view_recording(const char *word, char path[PKI_PATH_MAX]);

/* A number of an option, or `preset` when it is not given; false after a complaint. */
bool pki_view_number(const pki_args *args, const char *option, double least, double most, double preset,
                     double *out);

#endif
