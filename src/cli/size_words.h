/* The command line of `pronk size` as the text of a sizing study, which is then read as any other. */
#ifndef PKI_CLI_SIZE_WORDS_H
#define PKI_CLI_SIZE_WORDS_H

#include "cli/cli.h"

/* False after a complaint; free the text. */
bool pki_size_text(const pki_args *args, pki_text *out);

/* The only word is a sizing study: a file with its keys, or the name of a shipped one. */
bool pki_size_is_study(const pki_args *args);

/* No option says what is the study's own; false after a complaint. */
bool pki_size_study_alone(const pki_args *args);

#endif
